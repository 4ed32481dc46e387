//! Four 64-bit words.

use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm256_andnot_si256, _mm256_loadu_si256, _mm256_or_si256,
    _mm256_set1_epi64x, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_storeu_si256, _mm256_xor_si256,
};

use super::super::cpu::Vaes256;
use super::super::words::{Word, Words, columns, write_columns};

/// Four words, with the proof that the CPU has AVX2.
#[derive(Clone, Copy)]
pub struct Ymm(__m256i, Vaes256);

impl Words for Ymm {
    type Isa = Vaes256;

    const COUNT: usize = 4;

    #[inline(always)]
    fn isa(self) -> Vaes256 {
        self.1
    }

    #[inline(always)]
    fn broadcast(isa: Vaes256, word: u64) -> Self {
        // SAFETY: `isa` is the proof of AVX2.
        Self(unsafe { _mm256_set1_epi64x(word.cast_signed()) }, isa)
    }

    #[inline(always)]
    fn load<const W: usize>(isa: Vaes256, source: &[u8]) -> [Self; W] {
        let columns = columns::<W, 4>(source);
        let mut x = [Self::broadcast(isa, 0); W];
        for k in 0..W {
            // SAFETY: `isa` is the proof of AVX2; a column has 32 bytes.
            x[k].0 = unsafe { _mm256_loadu_si256(columns[k].as_ptr().cast()) };
        }
        x
    }

    #[inline(always)]
    fn store<const W: usize>(x: [Self; W], target: &mut [u8]) {
        let mut columns = [[0; 4]; W];
        for k in 0..W {
            // SAFETY: a vector holds the proof of AVX2; a column has 32 bytes.
            unsafe { _mm256_storeu_si256(columns[k].as_mut_ptr().cast(), x[k].0) };
        }
        write_columns(columns, target);
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn not_and(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_andnot_si256(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn rotate_left(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        let rotated = unsafe {
            let left = _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(bits.cast_signed()));
            let right = _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(64 - bits.cast_signed()));
            _mm256_or_si256(left, right)
        };
        Self(rotated, self.1)
    }

    #[inline(always)]
    fn xor_words(self) -> Word<Vaes256> {
        let mut words = [0; 4];
        // SAFETY: a vector holds the proof of AVX2; the array has 32 bytes.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
        Word(words[0] ^ words[1] ^ words[2] ^ words[3], self.1)
    }
}
