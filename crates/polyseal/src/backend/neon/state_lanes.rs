//! One block: a word of one state, and the inverse AES rounds.

use core::arch::aarch64::{vaesdq_u8, vaesimcq_u8, vdupq_n_u8, veorq_u8, vextq_u8};

use super::super::state_lanes::StateLanes;
use super::Q;

impl StateLanes for Q {
    #[inline(always)]
    fn shift_in(self, before: Self) -> Self {
        // SAFETY: NEON is part of AArch64.
        Self(unsafe { vextq_u8::<14>(before.0, self.0) }, self.1)
    }

    // The lint looks at these functions alone. They never stand alone: with them, the intrinsics
    // are inlined into `entry`, which has their features.
    #[allow(inline_always_mismatching_target_features)]
    #[inline(always)]
    fn aes_inverse_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        for i in 0..N {
            // AESD adds its key first; a key of zero leaves the order of the contract.
            // SAFETY: a vector holds the proof of Advanced SIMD and AES.
            x[i].0 =
                unsafe { veorq_u8(vaesimcq_u8(vaesdq_u8(x[i].0, vdupq_n_u8(0))), round_keys[i].0) };
        }
        x
    }

    #[allow(inline_always_mismatching_target_features)]
    #[inline(always)]
    fn aes_inverse_last_rounds<const N: usize>(
        mut x: [Self; N],
        round_keys: [Self; N],
    ) -> [Self; N] {
        for i in 0..N {
            // SAFETY: a vector holds the proof of Advanced SIMD and AES.
            x[i].0 = unsafe { veorq_u8(vaesdq_u8(x[i].0, vdupq_n_u8(0)), round_keys[i].0) };
        }
        x
    }
}
