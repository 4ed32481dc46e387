//! Two blocks: whole AES, and products of GHASH's field elements.

use core::arch::x86_64::{
    _mm_loadu_si128, _mm256_add_epi32, _mm256_aesenclast_epi128, _mm256_and_si256,
    _mm256_blend_epi32, _mm256_broadcastsi128_si256, _mm256_clmulepi64_epi128,
    _mm256_extracti128_si256, _mm256_inserti128_si256, _mm256_permute2x128_si256,
    _mm256_set_epi64x, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_shuffle_epi8,
    _mm256_shuffle_epi32, _mm256_slli_epi64, _mm256_slli_si256, _mm256_srai_epi32,
    _mm256_srli_epi64, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64, _mm256_xor_si256,
    _mm256_zextsi128_si256,
};

use super::super::aesni::Xmm;
use super::super::lanes::{Clmul, DIAGONAL, FOLD, Isa, Lanes, REVERSED, ROTATED};
use super::{PartialYmm, Ymm};

impl<I: Isa<X1 = Xmm<I>> + PartialYmm> Clmul for Ymm<I> {
    #[inline(always)]
    fn splat(block: Xmm<I>) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        Self(unsafe { _mm256_broadcastsi128_si256(block.0) }, block.1)
    }

    #[inline(always)]
    fn first_only(block: Xmm<I>) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        Self(unsafe { _mm256_zextsi128_si256(block.0) }, block.1)
    }

    #[inline(always)]
    fn block(self, i: usize) -> Xmm<I> {
        match i {
            0 => self.first_block(),
            // SAFETY: `I` is the proof of AVX2.
            _ => Xmm(unsafe { _mm256_extracti128_si256::<1>(self.0) }, self.1),
        }
    }

    #[inline(always)]
    fn window(self, next: Self, skipped: usize) -> Self {
        if skipped == 0 {
            return self;
        }
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_permute2x128_si256::<0x21>(self.0, next.0) }, self.1)
    }

    #[inline(always)]
    fn join([first, second, ..]: [Xmm<I>; 4]) -> Self {
        let pair = Self::first_only(first).0;
        // SAFETY: `I` is the proof of AVX2.
        Self(unsafe { _mm256_inserti128_si256::<1>(pair, second.0) }, first.1)
    }

    #[inline(always)]
    fn aes_last_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        for i in 0..N {
            // SAFETY: `I` is the proof of VAES.
            x[i].0 = unsafe { _mm256_aesenclast_epi128(x[i].0, round_keys[i].0) };
        }
        x
    }

    #[inline(always)]
    fn spread_rotated(self) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        Self(unsafe { _mm256_shuffle_epi8(self.0, _mm256_set1_epi32(ROTATED)) }, self.1)
    }

    #[inline(always)]
    fn spread(self) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        Self(unsafe { _mm256_shuffle_epi32::<0xff>(self.0) }, self.1)
    }

    #[inline(always)]
    fn running_sums(self) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        let sums = unsafe {
            let pairs = _mm256_xor_si256(self.0, _mm256_slli_si256::<4>(self.0));
            _mm256_xor_si256(pairs, _mm256_slli_si256::<8>(pairs))
        };
        Self(sums, self.1)
    }

    #[inline(always)]
    fn with_first_word<const W: usize>(self, words: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        let replaced = unsafe {
            match const { W } {
                0 => _mm256_blend_epi32::<0x11>(self.0, words.0),
                1 => _mm256_blend_epi32::<0x11>(self.0, _mm256_shuffle_epi32::<1>(words.0)),
                2 => _mm256_blend_epi32::<0x11>(self.0, _mm256_shuffle_epi32::<2>(words.0)),
                _ => _mm256_blend_epi32::<0x11>(self.0, _mm256_shuffle_epi32::<3>(words.0)),
            }
        };
        Self(replaced, self.1)
    }

    #[inline(always)]
    fn diagonal(self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_shuffle_epi8(self.0, _mm256_set1_epi32(DIAGONAL)) }, self.1)
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: `I` is the proof of AVX2; `REVERSED` has 16 bytes.
        let reversed = unsafe {
            let order = _mm_loadu_si128(REVERSED.as_ptr().cast());
            _mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order))
        };
        Self(reversed, self.1)
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        Self(unsafe { _mm256_shuffle_epi32::<0x4e>(self.0) }, self.1)
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_unpacklo_epi64(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_unpackhi_epi64(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn clmul<const A: usize, const B: usize>(self, other: Self) -> Self {
        // SAFETY: `I` is the proof of VPCLMULQDQ.
        let product = unsafe {
            match const { (A, B) } {
                (0, 0) => _mm256_clmulepi64_epi128::<0x00>(self.0, other.0),
                (0, _) => _mm256_clmulepi64_epi128::<0x10>(self.0, other.0),
                (_, 0) => _mm256_clmulepi64_epi128::<0x01>(self.0, other.0),
                _ => _mm256_clmulepi64_epi128::<0x11>(self.0, other.0),
            }
        };
        Self(product, self.1)
    }

    #[inline(always)]
    fn fold(self) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        self.clmul::<0, 0>(Self(unsafe { _mm256_set1_epi64x(FOLD) }, self.1))
    }

    #[inline(always)]
    fn double(self) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        let doubled = unsafe {
            let carries = _mm256_shuffle_epi32::<0x4e>(_mm256_srli_epi64::<63>(self.0));
            let reduction = _mm256_srai_epi32::<31>(_mm256_shuffle_epi32::<0xff>(self.0));
            let reduction = _mm256_and_si256(reduction, _mm256_set_epi64x(FOLD, 0, FOLD, 0));
            _mm256_xor_si256(_mm256_xor_si256(_mm256_slli_epi64::<1>(self.0), carries), reduction)
        };
        Self(doubled, self.1)
    }
}
