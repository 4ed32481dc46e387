//! One block: whole AES, and products of GHASH's field elements.

use core::arch::x86_64::{
    _mm_add_epi32, _mm_aesenclast_si128, _mm_and_si128, _mm_blend_epi16, _mm_clmulepi64_si128,
    _mm_loadu_si128, _mm_set_epi64x, _mm_set1_epi32, _mm_shuffle_epi8, _mm_shuffle_epi32,
    _mm_slli_epi64, _mm_slli_si128, _mm_srai_epi32, _mm_srli_epi64, _mm_unpackhi_epi64,
    _mm_unpacklo_epi64, _mm_xor_si128,
};

use super::super::lanes::{Clmul, DIAGONAL, FOLD, Isa, REVERSED, ROTATED, one_block};
use super::{PartialXmm, Xmm};

impl<I: Isa<X1 = Self> + PartialXmm> Clmul for Xmm<I> {
    one_block!();

    #[inline(always)]
    fn aes_last_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        for i in 0..N {
            // SAFETY: `I` is the proof of AES-NI.
            x[i].0 = unsafe { _mm_aesenclast_si128(x[i].0, round_keys[i].0) };
        }
        x
    }

    #[inline(always)]
    fn spread_rotated(self) -> Self {
        // SAFETY: `I` is the proof of AVX, and so of SSSE3.
        Self(unsafe { _mm_shuffle_epi8(self.0, _mm_set1_epi32(ROTATED)) }, self.1)
    }

    #[inline(always)]
    fn spread(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_shuffle_epi32::<0xff>(self.0) }, self.1)
    }

    #[inline(always)]
    fn running_sums(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        let sums = unsafe {
            let pairs = _mm_xor_si128(self.0, _mm_slli_si128::<4>(self.0));
            _mm_xor_si128(pairs, _mm_slli_si128::<8>(pairs))
        };
        Self(sums, self.1)
    }

    #[inline(always)]
    fn with_first_word<const W: usize>(self, words: Self) -> Self {
        // SAFETY: `I` is the proof of AVX, and so of SSE4.1.
        let replaced = unsafe {
            match const { W } {
                0 => _mm_blend_epi16::<3>(self.0, words.0),
                1 => _mm_blend_epi16::<3>(self.0, _mm_shuffle_epi32::<1>(words.0)),
                2 => _mm_blend_epi16::<3>(self.0, _mm_shuffle_epi32::<2>(words.0)),
                _ => _mm_blend_epi16::<3>(self.0, _mm_shuffle_epi32::<3>(words.0)),
            }
        };
        Self(replaced, self.1)
    }

    #[inline(always)]
    fn diagonal(self) -> Self {
        // SAFETY: `I` is the proof of AVX, and so of SSSE3.
        Self(unsafe { _mm_shuffle_epi8(self.0, _mm_set1_epi32(DIAGONAL)) }, self.1)
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: `I` is the proof of AVX, and so of SSSE3; `REVERSED` has 16 bytes.
        let reversed =
            unsafe { _mm_shuffle_epi8(self.0, _mm_loadu_si128(REVERSED.as_ptr().cast())) };
        Self(reversed, self.1)
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_add_epi32(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_shuffle_epi32::<0x4e>(self.0) }, self.1)
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_unpacklo_epi64(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_unpackhi_epi64(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn clmul<const A: usize, const B: usize>(self, other: Self) -> Self {
        // SAFETY: `I` is the proof of PCLMULQDQ.
        let product = unsafe {
            match const { (A, B) } {
                (0, 0) => _mm_clmulepi64_si128::<0x00>(self.0, other.0),
                (0, _) => _mm_clmulepi64_si128::<0x10>(self.0, other.0),
                (_, 0) => _mm_clmulepi64_si128::<0x01>(self.0, other.0),
                _ => _mm_clmulepi64_si128::<0x11>(self.0, other.0),
            }
        };
        Self(product, self.1)
    }

    #[inline(always)]
    fn fold(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        self.clmul::<0, 0>(Self(unsafe { _mm_set_epi64x(FOLD, FOLD) }, self.1))
    }

    #[inline(always)]
    fn double(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        let doubled = unsafe {
            let carries = _mm_shuffle_epi32::<0x4e>(_mm_srli_epi64::<63>(self.0));
            let reduction = _mm_srai_epi32::<31>(_mm_shuffle_epi32::<0xff>(self.0));
            let reduction = _mm_and_si128(reduction, _mm_set_epi64x(FOLD, 0));
            _mm_xor_si128(_mm_xor_si128(_mm_slli_epi64::<1>(self.0), carries), reduction)
        };
        Self(doubled, self.1)
    }
}
