//! Eight 32-bit words, and four 64-bit words, in a register of 256 bits.

use core::arch::asm;
use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm256_add_epi32, _mm256_add_epi64, _mm256_and_si256,
    _mm256_loadu_si256, _mm256_or_si256, _mm256_permute2x128_si256, _mm256_permute4x64_epi64,
    _mm256_set_epi64x, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_shuffle_epi8,
    _mm256_shuffle_epi32, _mm256_sll_epi32, _mm256_sll_epi64, _mm256_srl_epi32, _mm256_srl_epi64,
    _mm256_storeu_si256, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi32,
    _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::super::cpu::Avx2;
use super::contract::{HashWords, Lanewise};

/// Eight 32-bit words, with the proof that the CPU has AVX2.
#[derive(Clone, Copy)]
pub struct Words32(__m256i, Avx2);

/// Four 64-bit words, with the proof that the CPU has AVX2.
#[derive(Clone, Copy)]
pub struct Words64(__m256i, Avx2);

impl HashWords for Words32 {
    type Proof = Avx2;
    type Word = u32;

    const LANES: usize = 8;

    #[inline(always)]
    fn splat(proof: Avx2, word: u32) -> Self {
        // SAFETY: `proof` is that of AVX2.
        Self(unsafe { _mm256_set1_epi32(word.cast_signed()) }, proof)
    }

    #[inline(always)]
    fn load(big: bool, proof: Avx2, source: &[u8]) -> [Self; 8] {
        assert!(source.len() == 8 * 32);
        let mut rows = [Self::splat(proof, 0).0; 8];
        for i in 0..8 {
            rows[i] = load(proof, &source[32 * i..32 * i + 32]);
            if big {
                rows[i] = swap(proof, rows[i], BYTES_OF_32);
            }
        }
        transpose_32(proof, rows).map(|x| Self(x, proof))
    }

    #[inline(always)]
    fn store(big: bool, x: [Self; 8], target: &mut [u8]) {
        assert!(target.len() == 8 * 32);
        let proof = x[0].1;
        let rows = transpose_32(proof, x.map(|x| x.0));
        for i in 0..8 {
            let row = if big { swap(proof, rows[i], BYTES_OF_32) } else { rows[i] };
            store(proof, row, &mut target[32 * i..32 * i + 32]);
        }
    }
}

impl Lanewise for Words32 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_and_si256(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        let left = unsafe { _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(32 - bits.cast_signed())) };
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_or_si256(self.shift(bits).0, left) }, self.1)
    }

    #[inline(always)]
    fn shift(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        let x = unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(bits.cast_signed())) };
        Self(x, self.1)
    }
}

impl HashWords for Words64 {
    type Proof = Avx2;
    type Word = u64;

    const LANES: usize = 4;

    #[inline(always)]
    fn splat(proof: Avx2, word: u64) -> Self {
        // SAFETY: `proof` is that of AVX2.
        Self(unsafe { _mm256_set1_epi64x(word.cast_signed()) }, proof)
    }

    #[inline(always)]
    fn load(big: bool, proof: Avx2, source: &[u8]) -> [Self; 8] {
        assert!(source.len() == 4 * 64);
        let mut x = [Self::splat(proof, 0); 8];
        for half in 0..2 {
            let mut rows = [x[0].0; 4];
            for i in 0..4 {
                rows[i] = load(proof, &source[64 * i + 32 * half..][..32]);
                if big {
                    rows[i] = swap(proof, rows[i], BYTES_OF_64);
                }
            }
            let columns = transpose_64(proof, rows);
            for k in 0..4 {
                x[4 * half + k].0 = columns[k];
            }
        }
        x
    }

    #[inline(always)]
    fn store(big: bool, x: [Self; 8], target: &mut [u8]) {
        assert!(target.len() == 4 * 64);
        let proof = x[0].1;
        for half in 0..2 {
            let columns = [0, 1, 2, 3].map(|k| x[4 * half + k].0);
            let rows = transpose_64(proof, columns);
            for i in 0..4 {
                let row = if big { swap(proof, rows[i], BYTES_OF_64) } else { rows[i] };
                store(proof, row, &mut target[64 * i + 32 * half..][..32]);
            }
        }
    }
}

impl Lanewise for Words64 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_and_si256(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        Self(rotate_64(self.1, self.0, bits), self.1)
    }

    #[inline(always)]
    fn shift(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        let x = unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(bits.cast_signed())) };
        Self(x, self.1)
    }
}

/// The same vector as four words of one input that follow each other.
impl Words64 {
    /// These four.
    #[inline(always)]
    pub(crate) fn row(proof: Avx2, words: [u64; 4]) -> Self {
        let [a, b, c, d] = words.map(u64::cast_signed);
        // SAFETY: `proof` is that of AVX2.
        Self(unsafe { _mm256_set_epi64x(d, c, b, a) }, proof)
    }

    /// Those with these bytes, each word's least significant first.
    #[inline(always)]
    pub(crate) fn load_row(proof: Avx2, bytes: &[u8]) -> Self {
        Self(load(proof, bytes), proof)
    }

    /// The inverse of [`load_row`](Self::load_row).
    #[inline(always)]
    pub(crate) fn store_row(self, bytes: &mut [u8]) {
        store(self.1, self.0, bytes);
    }

    /// Writes its words. They do go through memory, where [`gather`](Self::gather) finds them: the
    /// compiler would take them from the vector one by one, which is slower.
    #[inline(always)]
    pub(crate) fn store_words(self, words: &mut [u64]) {
        assert!(words.len() == 4);
        // SAFETY: a vector holds the proof of AVX2; the slice has 32 bytes.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
        // SAFETY: a comment is no instruction.
        unsafe {
            asm!("/* {} */", in(reg) words.as_mut_ptr(), options(nostack, preserves_flags));
        }
    }

    /// The words at these places.
    #[inline(always)]
    pub(crate) fn gather(proof: Avx2, words: &[u64; 16], [a, b, c, d]: [usize; 4]) -> Self {
        let [a, b, c, d] = [words[a], words[b], words[c], words[d]].map(u64::cast_signed);
        // SAFETY: `proof` is that of AVX2.
        Self(unsafe { _mm256_set_epi64x(d, c, b, a) }, proof)
    }

    /// The same, computed before anything is added to it.
    #[inline(always)]
    pub(crate) fn first(self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { settled(self.0) }, self.1)
    }

    /// Word `j + 1` in the place of word `j`, in a ring.
    #[inline(always)]
    pub(crate) fn turn_1(self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_permute4x64_epi64::<0b00_11_10_01>(self.0) }, self.1)
    }

    /// Word `j + 2` in the place of word `j`, in a ring.
    #[inline(always)]
    pub(crate) fn turn_2(self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { swap_halves(self.0) }, self.1)
    }

    /// Word `j + 3` in the place of word `j`, in a ring.
    #[inline(always)]
    pub(crate) fn turn_3(self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_permute4x64_epi64::<0b10_01_00_11>(self.0) }, self.1)
    }
}

/// Each 64-bit word rotated to the right, by a number known at compile time once all is inlined.
#[inline(always)]
pub(super) fn rotate_64(_: Avx2, x: __m256i, bits: u32) -> __m256i {
    // SAFETY: `proof` is that of AVX2.
    let x = unsafe { settled(x) };
    // SAFETY: `proof` is that of AVX2.
    unsafe {
        match bits {
            8 => turn_bytes(x, [0x0007_0605_0403_0201, 0x080f_0e0d_0c0b_0a09]),
            16 => turn_bytes(x, [0x0100_0706_0504_0302, 0x0908_0f0e_0d0c_0b0a]),
            24 => turn_bytes(x, [0x0201_0007_0605_0403, 0x0a09_080f_0e0d_0c0b]),
            32 => _mm256_shuffle_epi32::<0b10_11_00_01>(x),
            63 => {
                let right = _mm256_srl_epi64(x, _mm_cvtsi32_si128(63));
                _mm256_xor_si256(_mm256_add_epi64(x, x), right)
            }
            _ => {
                let right = _mm256_srl_epi64(x, _mm_cvtsi32_si128(bits.cast_signed()));
                let left = _mm256_sll_epi64(x, _mm_cvtsi32_si128(64 - bits.cast_signed()));
                _mm256_or_si256(left, right)
            }
        }
    }
}

/// The bytes of each half in this order: in one instruction, where the compiler would take two that
/// know an order of 16-bit words.
///
/// # Safety
/// The CPU must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn turn_bytes(x: __m256i, [low, high]: [i64; 2]) -> __m256i {
    // SAFETY: the caller's.
    let order = unsafe { settled(_mm256_set_epi64x(high, low, high, low)) };
    _mm256_shuffle_epi8(x, order)
}

/// The halves exchanged: the instruction that the compiler would take is twice as long under way.
///
/// # Safety
/// The CPU must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn swap_halves(mut x: __m256i) -> __m256i {
    // SAFETY: the instruction is one of AVX2 and only exchanges the halves of `x`.
    unsafe {
        asm!("vperm2i128 {x}, {x}, {x}, 1", x = inout(ymm_reg) x,
            options(pure, nomem, nostack, preserves_flags));
    }
    x
}

/// The same, computed: the compiler would otherwise move the bytes of both parts of a sum rather
/// than those of the sum.
///
/// # Safety
/// The CPU must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn settled(mut x: __m256i) -> __m256i {
    // SAFETY: a comment is no instruction.
    unsafe {
        asm!("/* {} */", inout(ymm_reg) x, options(nomem, nostack, preserves_flags));
    }
    x
}

/// The order of bytes that mirrors each word, for 16 bytes.
pub(super) const BYTES_OF_32: [i64; 2] = [0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b];
/// The same for 64-bit words.
pub(super) const BYTES_OF_64: [i64; 2] = [0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f];

#[inline(always)]
fn swap(_: Avx2, x: __m256i, [low, high]: [i64; 2]) -> __m256i {
    // SAFETY: the proof of AVX2 is an argument.
    unsafe { _mm256_shuffle_epi8(x, _mm256_set_epi64x(high, low, high, low)) }
}

#[inline(always)]
pub(super) fn load(_: Avx2, source: &[u8]) -> __m256i {
    assert!(source.len() == 32);
    // SAFETY: the proof of AVX2 is an argument; the slice has 32 bytes.
    unsafe { _mm256_loadu_si256(source.as_ptr().cast()) }
}

#[inline(always)]
pub(super) fn store(_: Avx2, x: __m256i, target: &mut [u8]) {
    assert!(target.len() == 32);
    // SAFETY: the proof of AVX2 is an argument; the slice has 32 bytes.
    unsafe { _mm256_storeu_si256(target.as_mut_ptr().cast(), x) }
}

/// The 4×4 matrix of 64-bit words, mirrored: its own inverse.
#[inline(always)]
fn transpose_64(_: Avx2, [a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: the proof of AVX2 is an argument.
    unsafe {
        let (ab0, ab1) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (cd0, cd1) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        [
            _mm256_permute2x128_si256::<0x20>(ab0, cd0),
            _mm256_permute2x128_si256::<0x20>(ab1, cd1),
            _mm256_permute2x128_si256::<0x31>(ab0, cd0),
            _mm256_permute2x128_si256::<0x31>(ab1, cd1),
        ]
    }
}

/// The 8×8 matrix of 32-bit words, mirrored: its own inverse.
#[inline(always)]
fn transpose_32(proof: Avx2, rows: [__m256i; 8]) -> [__m256i; 8] {
    let mut columns = rows;
    let (mut even, mut odd) = ([rows[0]; 4], [rows[0]; 4]);
    for i in 0..4 {
        // SAFETY: the proof of AVX2 is an argument.
        unsafe {
            even[i] = _mm256_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
            odd[i] = _mm256_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
        }
    }
    // Pairs of words of one column are now 64-bit words.
    let (even, odd) = (transpose_64(proof, even), transpose_64(proof, odd));
    for i in 0..2 {
        columns[4 * i] = even[2 * i];
        columns[4 * i + 1] = even[2 * i + 1];
        columns[4 * i + 2] = odd[2 * i];
        columns[4 * i + 3] = odd[2 * i + 1];
    }
    columns
}
