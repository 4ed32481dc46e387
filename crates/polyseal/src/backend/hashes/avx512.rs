//! Sixteen 32-bit words, and eight 64-bit words, in a register of 512 bits.

use core::arch::x86_64::{
    __m512i, _mm256_loadu_si256, _mm512_add_epi32, _mm512_add_epi64, _mm512_and_si512,
    _mm512_broadcast_i64x4, _mm512_inserti64x4, _mm512_loadu_si512, _mm512_permutex2var_epi64,
    _mm512_rorv_epi32, _mm512_rorv_epi64, _mm512_set_epi64, _mm512_set1_epi32, _mm512_set1_epi64,
    _mm512_shuffle_epi8, _mm512_srlv_epi32, _mm512_srlv_epi64, _mm512_storeu_si512,
    _mm512_ternarylogic_epi64, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32,
    _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use super::super::cpu::Avx512;
use super::avx2::{BYTES_OF_32, BYTES_OF_64};
use super::contract::{HashWords, Lanewise};

/// Sixteen 32-bit words, with the proof that the CPU has AVX-512.
#[derive(Clone, Copy)]
pub struct Words32(__m512i, Avx512);

/// Eight 64-bit words, with the proof that the CPU has AVX-512.
#[derive(Clone, Copy)]
pub struct Words64(__m512i, Avx512);

impl HashWords for Words32 {
    type Proof = Avx512;
    type Word = u32;

    const LANES: usize = 16;

    #[inline(always)]
    fn splat(proof: Avx512, word: u32) -> Self {
        // SAFETY: `proof` is that of AVX-512.
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) }, proof)
    }

    #[inline(always)]
    fn load(big: bool, proof: Avx512, source: &[u8]) -> [Self; 8] {
        assert!(source.len() == 16 * 32);
        let mut rows = [Self::splat(proof, 0).0; 8];
        for i in 0..8 {
            rows[i] = load_halves(
                proof,
                &source[32 * i..32 * i + 32],
                &source[32 * (i + 8)..32 * (i + 8) + 32],
            );
            if big {
                rows[i] = swap(proof, rows[i], BYTES_OF_32);
            }
        }
        transpose_32(proof, rows).map(|x| Self(x, proof))
    }

    #[inline(always)]
    fn store(big: bool, x: [Self; 8], target: &mut [u8]) {
        assert!(target.len() == 16 * 32);
        let proof = x[0].1;
        let rows = transpose_32(proof, x.map(|x| x.0));
        for i in 0..8 {
            let row = if big { swap(proof, rows[i], BYTES_OF_32) } else { rows[i] };
            let mut halves = [0; 64];
            store(proof, row, &mut halves);
            target[32 * i..32 * i + 32].copy_from_slice(&halves[..32]);
            target[32 * (i + 8)..32 * (i + 8) + 32].copy_from_slice(&halves[32..]);
        }
    }
}

impl Lanewise for Words32 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_and_si512(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        let x = unsafe { _mm512_rorv_epi32(self.0, _mm512_set1_epi32(bits.cast_signed())) };
        Self(x, self.1)
    }

    #[inline(always)]
    fn shift(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        let x = unsafe { _mm512_srlv_epi32(self.0, _mm512_set1_epi32(bits.cast_signed())) };
        Self(x, self.1)
    }

    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        Self(bits::<XOR>(self.1, self.0, a.0, b.0), self.1)
    }

    #[inline(always)]
    fn choose(self, a: Self, b: Self) -> Self {
        Self(bits::<CHOOSE>(self.1, self.0, a.0, b.0), self.1)
    }

    #[inline(always)]
    fn majority(self, a: Self, b: Self) -> Self {
        Self(bits::<MAJORITY>(self.1, self.0, a.0, b.0), self.1)
    }
}

impl HashWords for Words64 {
    type Proof = Avx512;
    type Word = u64;

    const LANES: usize = 8;

    #[inline(always)]
    fn splat(proof: Avx512, word: u64) -> Self {
        // SAFETY: `proof` is that of AVX-512.
        Self(unsafe { _mm512_set1_epi64(word.cast_signed()) }, proof)
    }

    #[inline(always)]
    fn load(big: bool, proof: Avx512, source: &[u8]) -> [Self; 8] {
        assert!(source.len() == 8 * 64);
        let mut rows = [Self::splat(proof, 0).0; 8];
        for i in 0..8 {
            rows[i] = load(proof, &source[64 * i..64 * i + 64]);
            if big {
                rows[i] = swap(proof, rows[i], BYTES_OF_64);
            }
        }
        transpose_64(proof, rows).map(|x| Self(x, proof))
    }

    #[inline(always)]
    fn store(big: bool, x: [Self; 8], target: &mut [u8]) {
        assert!(target.len() == 8 * 64);
        let proof = x[0].1;
        let rows = transpose_64(proof, x.map(|x| x.0));
        for i in 0..8 {
            let row = if big { swap(proof, rows[i], BYTES_OF_64) } else { rows[i] };
            store(proof, row, &mut target[64 * i..64 * i + 64]);
        }
    }
}

impl Lanewise for Words64 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_add_epi64(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_and_si512(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        let x = unsafe { _mm512_rorv_epi64(self.0, _mm512_set1_epi64(bits.into())) };
        Self(x, self.1)
    }

    #[inline(always)]
    fn shift(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        let x = unsafe { _mm512_srlv_epi64(self.0, _mm512_set1_epi64(bits.into())) };
        Self(x, self.1)
    }

    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        Self(bits::<XOR>(self.1, self.0, a.0, b.0), self.1)
    }

    #[inline(always)]
    fn choose(self, a: Self, b: Self) -> Self {
        Self(bits::<CHOOSE>(self.1, self.0, a.0, b.0), self.1)
    }

    #[inline(always)]
    fn majority(self, a: Self, b: Self) -> Self {
        Self(bits::<MAJORITY>(self.1, self.0, a.0, b.0), self.1)
    }
}

// Truth tables: bit 4a + 2b + c is the value for the bits a, b, c.
const XOR: i32 = 0b1001_0110;
const CHOOSE: i32 = 0b1100_1010;
const MAJORITY: i32 = 0b1110_1000;

#[inline(always)]
fn bits<const TABLE: i32>(_: Avx512, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    // SAFETY: the proof of AVX-512 is an argument.
    unsafe { _mm512_ternarylogic_epi64::<TABLE>(a, b, c) }
}

#[inline(always)]
fn swap(_: Avx512, x: __m512i, [low, high]: [i64; 2]) -> __m512i {
    // SAFETY: the proof of AVX-512 is an argument.
    unsafe {
        let order = _mm512_set_epi64(high, low, high, low, high, low, high, low);
        _mm512_shuffle_epi8(x, order)
    }
}

#[inline(always)]
fn load(_: Avx512, source: &[u8]) -> __m512i {
    assert!(source.len() == 64);
    // SAFETY: the proof of AVX-512 is an argument; the slice has 64 bytes.
    unsafe { _mm512_loadu_si512(source.as_ptr().cast()) }
}

#[inline(always)]
fn load_halves(_: Avx512, low: &[u8], high: &[u8]) -> __m512i {
    assert!(low.len() == 32 && high.len() == 32);
    // SAFETY: the proof of AVX-512 is an argument; the slices have 32 bytes.
    unsafe {
        let low = _mm512_broadcast_i64x4(_mm256_loadu_si256(low.as_ptr().cast()));
        _mm512_inserti64x4::<1>(low, _mm256_loadu_si256(high.as_ptr().cast()))
    }
}

#[inline(always)]
fn store(_: Avx512, x: __m512i, target: &mut [u8]) {
    assert!(target.len() == 64);
    // SAFETY: the proof of AVX-512 is an argument; the slice has 64 bytes.
    unsafe { _mm512_storeu_si512(target.as_mut_ptr().cast(), x) }
}

/// The two 4×4 matrices of 64-bit words, one in the halves of the rows each, mirrored.
#[inline(always)]
fn transpose_halves(_: Avx512, [a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: the proof of AVX-512 is an argument.
    unsafe {
        let (ab0, ab1) = (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        let (cd0, cd1) = (_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
        let low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
        let high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
        [
            _mm512_permutex2var_epi64(ab0, low, cd0),
            _mm512_permutex2var_epi64(ab1, low, cd1),
            _mm512_permutex2var_epi64(ab0, high, cd0),
            _mm512_permutex2var_epi64(ab1, high, cd1),
        ]
    }
}

/// The 8×8 matrix of 64-bit words, mirrored: its own inverse.
#[inline(always)]
fn transpose_64(proof: Avx512, rows: [__m512i; 8]) -> [__m512i; 8] {
    let top = transpose_halves(proof, [rows[0], rows[1], rows[2], rows[3]]);
    let bottom = transpose_halves(proof, [rows[4], rows[5], rows[6], rows[7]]);
    let mut columns = rows;
    for k in 0..4 {
        // SAFETY: the proof of AVX-512 is an argument.
        unsafe {
            let low = _mm512_set_epi64(11, 10, 9, 8, 3, 2, 1, 0);
            let high = _mm512_set_epi64(15, 14, 13, 12, 7, 6, 5, 4);
            columns[k] = _mm512_permutex2var_epi64(top[k], low, bottom[k]);
            columns[k + 4] = _mm512_permutex2var_epi64(top[k], high, bottom[k]);
        }
    }
    columns
}

/// The two 8×8 matrices of 32-bit words, one in the halves of the rows each, mirrored: its own
/// inverse.
#[inline(always)]
fn transpose_32(proof: Avx512, rows: [__m512i; 8]) -> [__m512i; 8] {
    let mut columns = rows;
    let (mut even, mut odd) = ([rows[0]; 4], [rows[0]; 4]);
    for i in 0..4 {
        // SAFETY: the proof of AVX-512 is an argument.
        unsafe {
            even[i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
            odd[i] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
        }
    }
    // Pairs of words of one column are now 64-bit words.
    let (even, odd) = (transpose_halves(proof, even), transpose_halves(proof, odd));
    for i in 0..2 {
        columns[4 * i] = even[2 * i];
        columns[4 * i + 1] = even[2 * i + 1];
        columns[4 * i + 2] = odd[2 * i];
        columns[4 * i + 3] = odd[2 * i + 1];
    }
    columns
}
