//! Sixteen 32-bit words, and eight 64-bit words, in a register of 512 bits.

use core::arch::x86_64::{
    __m512i, _mm_set_epi64x, _mm256_loadu_si256, _mm512_add_epi32, _mm512_add_epi64,
    _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_broadcast_i64x4, _mm512_inserti64x4,
    _mm512_loadu_si512, _mm512_permutex2var_epi64, _mm512_rorv_epi32, _mm512_rorv_epi64,
    _mm512_set_epi64, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_shuffle_epi8, _mm512_srlv_epi32,
    _mm512_srlv_epi64, _mm512_storeu_si512, _mm512_ternarylogic_epi64, _mm512_unpackhi_epi32,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use super::super::cpu::Avx512;
use super::contract::{HashWords, Lanewise};
use super::x86_words::{BYTES_OF_32, BYTES_OF_64, register, words};

register! {
    Avx512, __m512i, load _mm512_loadu_si512, store _mm512_storeu_si512,
    broadcast _mm512_broadcast_i32x4, shuffle _mm512_shuffle_epi8,
    unpack_32 [_mm512_unpacklo_epi32, _mm512_unpackhi_epi32],
    unpack_64 [_mm512_unpacklo_epi64, _mm512_unpackhi_epi64], join join
}

/// The operations that AVX-512 has one instruction each for.
macro_rules! operations {
    ($rotate:ident, $shift:ident) => {
        #[inline(always)]
        fn rotate(self, bits: u32) -> Self {
            let bits = Self::splat(self.1, bits.into());
            // SAFETY: a vector holds the proof of AVX-512.
            Self(unsafe { $rotate(self.0, bits.0) }, self.1)
        }

        #[inline(always)]
        fn shift(self, bits: u32) -> Self {
            let bits = Self::splat(self.1, bits.into());
            // SAFETY: a vector holds the proof of AVX-512.
            Self(unsafe { $shift(self.0, bits.0) }, self.1)
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
    };
}

words! {
    /// Sixteen 32-bit words, with the proof that the CPU has AVX-512.
    Words32(__m512i, Avx512) of u32, order BYTES_OF_32,
    load load_halves, store store_halves, transpose transpose_32, splat _mm512_set1_epi32,
    add _mm512_add_epi32, xor _mm512_xor_si512, and _mm512_and_si512;
    operations! { _mm512_rorv_epi32, _mm512_srlv_epi32 }
}

words! {
    /// Eight 64-bit words, with the proof that the CPU has AVX-512.
    Words64(__m512i, Avx512) of u64, order BYTES_OF_64,
    load load_block, store store_block, transpose transpose_64, splat _mm512_set1_epi64,
    add _mm512_add_epi64, xor _mm512_xor_si512, and _mm512_and_si512;
    operations! { _mm512_rorv_epi64, _mm512_srlv_epi64 }
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

/// A block of 64-bit words.
#[inline(always)]
fn load_block(proof: Avx512, source: &[u8], i: usize) -> __m512i {
    load(proof, &source[64 * i..64 * i + 64])
}

/// The inverse of [`load_block`].
#[inline(always)]
fn store_block(proof: Avx512, x: __m512i, target: &mut [u8], i: usize) {
    store(proof, x, &mut target[64 * i..64 * i + 64]);
}

/// Blocks `i` and `i + 8` of 32-bit words.
#[inline(always)]
fn load_halves(_: Avx512, source: &[u8], i: usize) -> __m512i {
    let (low, high) = (&source[32 * i..][..32], &source[32 * (i + 8)..][..32]);
    // SAFETY: the proof of AVX-512 is an argument; the slices have 32 bytes.
    unsafe {
        let low = _mm512_broadcast_i64x4(_mm256_loadu_si256(low.as_ptr().cast()));
        _mm512_inserti64x4::<1>(low, _mm256_loadu_si256(high.as_ptr().cast()))
    }
}

/// The inverse of [`load_halves`].
#[inline(always)]
fn store_halves(proof: Avx512, x: __m512i, target: &mut [u8], i: usize) {
    let mut halves = [0; 64];
    store(proof, x, &mut halves);
    target[32 * i..32 * i + 32].copy_from_slice(&halves[..32]);
    target[32 * (i + 8)..32 * (i + 8) + 32].copy_from_slice(&halves[32..]);
}

/// In each 256 bits, the first halves of two registers, and the second halves.
#[inline(always)]
fn join(_: Avx512, a: __m512i, b: __m512i) -> [__m512i; 2] {
    // SAFETY: the proof of AVX-512 is an argument.
    unsafe {
        let low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
        let high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
        [_mm512_permutex2var_epi64(a, low, b), _mm512_permutex2var_epi64(a, high, b)]
    }
}

/// The 8×8 matrix of 64-bit words, mirrored: its own inverse.
#[inline(always)]
fn transpose_64(proof: Avx512, rows: [__m512i; 8]) -> [__m512i; 8] {
    let top = transpose_4(proof, [rows[0], rows[1], rows[2], rows[3]]);
    let bottom = transpose_4(proof, [rows[4], rows[5], rows[6], rows[7]]);
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
