//! One block: whole AES, and products of GHASH's field elements.

use core::arch::aarch64::{
    uint8x16_t, vaddq_u32, vaeseq_u8, vandq_u64, vcopyq_laneq_u32, vdupq_laneq_u32, vdupq_n_u8,
    vdupq_n_u32, veorq_u8, veorq_u64, vextq_u8, vgetq_lane_u64, vld1q_u64, vmull_p64, vqtbl1q_u8,
    vreinterpretq_s32_u32, vreinterpretq_u8_p128, vreinterpretq_u8_u32, vreinterpretq_u8_u64,
    vreinterpretq_u32_u8, vreinterpretq_u64_s32, vreinterpretq_u64_u8, vrev64q_u8, vshlq_n_u64,
    vshrq_n_s32, vshrq_n_u64, vtrn1q_u64, vtrn2q_u64,
};

use super::super::lanes::{Clmul, DIAGONAL, FOLD, one_block};
use super::Q;

impl Clmul for Q {
    one_block!();

    // The lint looks at these functions alone. They never stand alone: with them, the intrinsics
    // are inlined into `entry`, which has their features.
    #[allow(inline_always_mismatching_target_features)]
    #[inline(always)]
    fn aes_last_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        for i in 0..N {
            // SAFETY: a vector holds the proof of Advanced SIMD and AES.
            x[i].0 = unsafe { veorq_u8(vaeseq_u8(x[i].0, vdupq_n_u8(0)), round_keys[i].0) };
        }
        x
    }

    #[inline(always)]
    fn spread_rotated(self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        let spread = unsafe { vqtbl1q_u8(self.0, vreinterpretq_u8_u32(vdupq_n_u32(0x0c0f_0e0d))) };
        Self(spread, self.1)
    }

    #[inline(always)]
    fn spread(self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        let spread =
            unsafe { vreinterpretq_u8_u32(vdupq_laneq_u32::<3>(vreinterpretq_u32_u8(self.0))) };
        Self(spread, self.1)
    }

    #[inline(always)]
    fn running_sums(self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        let sums = unsafe {
            let zero = vdupq_n_u8(0);
            let pairs = veorq_u8(self.0, vextq_u8::<12>(zero, self.0));
            veorq_u8(pairs, vextq_u8::<8>(zero, pairs))
        };
        Self(sums, self.1)
    }

    #[inline(always)]
    fn with_first_word<const W: usize>(self, words: Self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        let replaced = unsafe {
            let (x, y) = (vreinterpretq_u32_u8(self.0), vreinterpretq_u32_u8(words.0));
            vreinterpretq_u8_u32(match const { W } {
                0 => vcopyq_laneq_u32::<0, 0>(x, y),
                1 => vcopyq_laneq_u32::<0, 1>(x, y),
                2 => vcopyq_laneq_u32::<0, 2>(x, y),
                _ => vcopyq_laneq_u32::<0, 3>(x, y),
            })
        };
        Self(replaced, self.1)
    }

    #[inline(always)]
    fn diagonal(self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        let diagonal = unsafe {
            vqtbl1q_u8(self.0, vreinterpretq_u8_u32(vdupq_n_u32(DIAGONAL.cast_unsigned())))
        };
        Self(diagonal, self.1)
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        Self(unsafe { swap(vrev64q_u8(self.0)) }, self.1)
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        let sum = unsafe {
            let (x, y) = (vreinterpretq_u32_u8(self.0), vreinterpretq_u32_u8(other.0));
            vreinterpretq_u8_u32(vaddq_u32(x, y))
        };
        Self(sum, self.1)
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        Self(unsafe { swap(self.0) }, self.1)
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        let halves = unsafe {
            let (x, y) = (vreinterpretq_u64_u8(self.0), vreinterpretq_u64_u8(other.0));
            vreinterpretq_u8_u64(vtrn1q_u64(x, y))
        };
        Self(halves, self.1)
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        let halves = unsafe {
            let (x, y) = (vreinterpretq_u64_u8(self.0), vreinterpretq_u64_u8(other.0));
            vreinterpretq_u8_u64(vtrn2q_u64(x, y))
        };
        Self(halves, self.1)
    }

    #[allow(inline_always_mismatching_target_features)]
    #[inline(always)]
    fn clmul<const A: usize, const B: usize>(self, other: Self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD and PMULL.
        let product = unsafe {
            let (x, y) = (vreinterpretq_u64_u8(self.0), vreinterpretq_u64_u8(other.0));
            let (x, y) = match const { (A, B) } {
                (0, 0) => (vgetq_lane_u64::<0>(x), vgetq_lane_u64::<0>(y)),
                (0, _) => (vgetq_lane_u64::<0>(x), vgetq_lane_u64::<1>(y)),
                (_, 0) => (vgetq_lane_u64::<1>(x), vgetq_lane_u64::<0>(y)),
                _ => (vgetq_lane_u64::<1>(x), vgetq_lane_u64::<1>(y)),
            };
            vreinterpretq_u8_p128(vmull_p64(x, y))
        };
        Self(product, self.1)
    }

    #[allow(inline_always_mismatching_target_features)]
    #[inline(always)]
    fn fold(self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD and PMULL.
        let product = unsafe {
            let low = vgetq_lane_u64::<0>(vreinterpretq_u64_u8(self.0));
            vreinterpretq_u8_p128(vmull_p64(low, FOLD.cast_unsigned()))
        };
        Self(product, self.1)
    }

    #[inline(always)]
    fn double(self) -> Self {
        static REDUCTION: [u64; 2] = [0, FOLD.cast_unsigned()];
        // SAFETY: `self` holds the proof of Advanced SIMD; `REDUCTION` has 16 bytes.
        let doubled = unsafe {
            let x = vreinterpretq_u64_u8(self.0);
            let carries = swap(vreinterpretq_u8_u64(vshrq_n_u64::<63>(x)));
            let top = vdupq_laneq_u32::<3>(vreinterpretq_u32_u8(self.0));
            let top = vreinterpretq_u64_s32(vshrq_n_s32::<31>(vreinterpretq_s32_u32(top)));
            let reduction = vandq_u64(top, vld1q_u64(REDUCTION.as_ptr()));
            let shifted = veorq_u64(vshlq_n_u64::<1>(x), vreinterpretq_u64_u8(carries));
            vreinterpretq_u8_u64(veorq_u64(shifted, reduction))
        };
        Self(doubled, self.1)
    }
}

/// # Safety
/// The CPU must have Advanced SIMD.
#[inline(always)]
unsafe fn swap(x: uint8x16_t) -> uint8x16_t {
    // SAFETY: the caller vouches for it.
    unsafe { vextq_u8::<8>(x, x) }
}
