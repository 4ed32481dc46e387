//! Two blocks: a word of each of two states, and the inverse AES rounds.

use core::arch::x86_64::{
    _mm256_aesdec_epi128, _mm256_aesdeclast_epi128, _mm256_alignr_epi8, _mm256_blend_epi32,
    _mm256_permute2x128_si256,
};

use super::super::aesni::Xmm;
use super::super::lanes::{Isa, Lanes};
use super::super::state_lanes::StateLanes;
use super::{PartialYmm, Ymm};

impl<I: Isa<X1 = Xmm<I>> + PartialYmm> StateLanes for Ymm<I> {
    #[inline(always)]
    fn gather<const W: usize>(x: [Self; W]) -> [Self; W] {
        let mut lanes = x;
        for k in 0..W {
            lanes[k] = pair(x, [(k / 2, k % 2), ((W + k) / 2, (W + k) % 2)]);
        }
        lanes
    }

    #[inline(always)]
    fn scatter<const W: usize>(x: [Self; W]) -> [Self; W] {
        let mut memory = x;
        for k in 0..W {
            let (first, second) = (2 * k, 2 * k + 1);
            memory[k] = pair(x, [(first % W, first / W), (second % W, second / W)]);
        }
        memory
    }

    #[inline(always)]
    fn load_turned(isa: I, source: &[u8]) -> [Self; 4] {
        assert!(source.len() == 128);
        let mut x = [Self::load(isa, &source[..32]); 4];
        for k in 0..4 {
            // Word k of the first state comes first, word k + 2 of the second last.
            let first = Self::load(isa, &source[16 * k..][..32]);
            let second = Self::load(isa, &source[48 + 16 * ((k + 2) % 4)..][..32]);
            x[k] = pair([first, second], [(0, 0), (1, 1)]);
        }
        x
    }

    #[inline(always)]
    fn store_turned(x: [Self; 4], target: &mut [u8]) {
        let ends = [[(0, 0), (1, 0)], [(2, 0), (3, 0)], [(2, 1), (3, 1)], [(0, 1), (1, 1)]];
        for k in 0..4 {
            pair(x, ends[k]).store(&mut target[32 * k..][..32]);
        }
    }

    #[inline(always)]
    fn shift_in(self, before: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_alignr_epi8::<14>(self.0, before.0) }, self.1)
    }

    #[inline(always)]
    fn exchange_odd(a: Self, b: Self) -> (Self, Self) {
        (pair([a, b], [(0, 0), (1, 1)]), pair([a, b], [(1, 0), (0, 1)]))
    }

    #[inline(always)]
    fn aes_inverse_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        for i in 0..N {
            // SAFETY: `I` is the proof of VAES.
            x[i].0 = unsafe { _mm256_aesdec_epi128(x[i].0, round_keys[i].0) };
        }
        x
    }

    #[inline(always)]
    fn aes_inverse_last_rounds<const N: usize>(
        mut x: [Self; N],
        round_keys: [Self; N],
    ) -> [Self; N] {
        for i in 0..N {
            // SAFETY: `I` is the proof of VAES.
            x[i].0 = unsafe { _mm256_aesdeclast_epi128(x[i].0, round_keys[i].0) };
        }
        x
    }
}

/// Two blocks of `x`, each named by its vector and its lane.
#[inline(always)]
fn pair<I: Copy, const W: usize>(
    x: [Ymm<I>; W],
    [(a, lane_a), (b, lane_b)]: [(usize, usize); 2],
) -> Ymm<I> {
    let (a, b) = (x[a], x[b]);
    // SAFETY: a vector holds the proof of AVX2.
    let pair = unsafe {
        match (lane_a, lane_b) {
            (0, 0) => _mm256_permute2x128_si256::<0x20>(a.0, b.0),
            (0, _) => _mm256_blend_epi32::<0xf0>(a.0, b.0),
            (_, 0) => _mm256_permute2x128_si256::<0x21>(a.0, b.0),
            _ => _mm256_permute2x128_si256::<0x31>(a.0, b.0),
        }
    };
    Ymm(pair, a.1)
}
