//! Two 64-bit words that follow each other, in 128 bits: SHA-512's words of one input.

use core::arch::asm;
use core::arch::x86_64::{
    __m128i, _mm_add_epi64, _mm_loadu_si128, _mm_set_epi64x, _mm_shuffle_epi8, _mm_storeu_si128,
    _mm_xor_si128,
};

use super::super::cpu::Avx2;
use super::contract::OneWord;
use super::x86_words::BYTES_OF_64;

/// Two words, with the proof that the CPU has AVX2.
#[derive(Clone, Copy)]
pub struct Pair(pub(super) __m128i, pub(super) Avx2);

impl Pair {
    /// These two.
    #[inline(always)]
    pub(crate) fn load(proof: Avx2, words: &[u64]) -> Self {
        assert!(words.len() == 2);
        // SAFETY: `proof` is that of AVX2; the slice has 16 bytes.
        Self(unsafe { _mm_loadu_si128(words.as_ptr().cast()) }, proof)
    }

    /// These two, which are next to each other.
    #[inline(always)]
    pub(crate) fn new(low: OneWord<u64, Avx2>, high: OneWord<u64, Avx2>) -> Self {
        // SAFETY: the words hold the proof of AVX2.
        let x = unsafe { _mm_set_epi64x(high.0.cast_signed(), low.0.cast_signed()) };
        Self(x, low.1)
    }

    /// Those with these bytes, each word's most significant first.
    #[inline(always)]
    pub(crate) fn load_big_endian(proof: Avx2, bytes: &[u8]) -> Self {
        assert!(bytes.len() == 16);
        // SAFETY: `proof` is that of AVX2; the slice has 16 bytes.
        let x = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        Self(x, proof).swapped()
    }

    /// The inverse of [`load_big_endian`](Self::load_big_endian).
    #[inline(always)]
    pub(crate) fn store_big_endian(self, bytes: &mut [u8]) {
        assert!(bytes.len() == 16);
        // SAFETY: a vector holds the proof of AVX2; the slice has 16 bytes.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), self.swapped().0) };
    }

    /// The sums of words.
    #[inline(always)]
    pub(crate) fn add(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm_add_epi64(self.0, other.0) }, self.1)
    }

    /// Exclusive or.
    #[inline(always)]
    pub(crate) fn xor(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm_xor_si128(self.0, other.0) }, self.1)
    }

    /// Each word's bytes mirrored.
    #[inline(always)]
    fn swapped(self) -> Self {
        let [low, high] = BYTES_OF_64;
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm_shuffle_epi8(self.0, _mm_set_epi64x(high, low)) }, self.1)
    }

    /// The inverse of [`load`](Self::load).
    #[inline(always)]
    pub(crate) fn store(self, words: &mut [u64]) {
        assert!(words.len() == 2);
        // SAFETY: a vector holds the proof of AVX2; the slice has 16 bytes.
        unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), self.0) };
    }

    /// These words one by one. They do go through memory: the compiler would take them from the
    /// vectors, which is slower.
    #[inline(always)]
    pub(crate) fn singles(pairs: [Self; 4]) -> [OneWord<u64, Avx2>; 8] {
        let mut words = [0; 8];
        for i in 0..4 {
            pairs[i].store(&mut words[2 * i..2 * i + 2]);
        }
        // SAFETY: a comment is no instruction.
        unsafe {
            asm!("/* {} */", in(reg) words.as_mut_ptr(), options(nostack, preserves_flags));
        }
        words.map(|word| OneWord::new(pairs[0].1, word))
    }
}

/// Keeps words in registers of their own: the compiler would put them together into vectors and
/// take them apart again.
#[inline(always)]
pub(crate) fn pin(x: &mut [OneWord<u64, Avx2>; 8]) {
    for word in x {
        // SAFETY: a comment is no instruction.
        unsafe {
            asm!("/* {} */", inout(reg) word.0, options(nomem, nostack, preserves_flags));
        }
    }
}
