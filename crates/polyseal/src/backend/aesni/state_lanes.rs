//! One block: a word of one state, and the inverse AES rounds.

use core::arch::x86_64::{_mm_aesdec_si128, _mm_aesdeclast_si128, _mm_alignr_epi8};

use super::super::lanes::Isa;
use super::super::state_lanes::StateLanes;
use super::{PartialXmm, Xmm};

impl<I: Isa<X1 = Self> + PartialXmm> StateLanes for Xmm<I> {
    #[inline(always)]
    fn shift_in(self, before: Self) -> Self {
        // SAFETY: `I` is the proof of AVX, and so of SSSE3.
        Self(unsafe { _mm_alignr_epi8::<14>(self.0, before.0) }, self.1)
    }

    #[inline(always)]
    fn aes_inverse_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        if const { N == 1 } {
            // SAFETY: `I` is the proof of AES-NI.
            x[0].0 = unsafe { _mm_aesdec_si128(x[0].0, round_keys[0].0) };
            return x;
        }
        for i in 0..N {
            // SAFETY: `I` is the proof of AES-NI.
            x[i].0 = unsafe { _mm_aesdec_si128(x[i].0, round_keys[i].0) };
        }
        x
    }

    #[inline(always)]
    fn aes_inverse_last_rounds<const N: usize>(
        mut x: [Self; N],
        round_keys: [Self; N],
    ) -> [Self; N] {
        for i in 0..N {
            // SAFETY: `I` is the proof of AES-NI.
            x[i].0 = unsafe { _mm_aesdeclast_si128(x[i].0, round_keys[i].0) };
        }
        x
    }
}
