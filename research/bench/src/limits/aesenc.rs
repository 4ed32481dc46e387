//! The speed of this CPU's AES instructions, at each width: how soon a result can be used, and how
//! many start in a cycle.
//!
//! Each loop is one instruction and nothing else, so that its time is the instruction's.

#![allow(unsafe_code)]

use core::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_aesenc_si128, _mm256_aesenc_epi128, _mm512_aesenc_epi128,
};
use core::hint::black_box;

use super::{Figures, Width};
use crate::clock;
use crate::stats::Summary;

/// How many independent chains hide the latency: latency × instructions a cycle, with room, and
/// few enough that all of them and a key stay in 16 registers.
const CHAINS: usize = 12;

/// Rounds of a loop; some microseconds.
const LOOPS: u32 = 4000;

/// How many instructions a loop's body has.
const BODY: u32 = 48;

/// The figures of every width that this CPU has.
pub(super) fn measure(rounds: u32) -> Vec<Figures> {
    let aes = is_x86_feature_detected!("aes") && is_x86_feature_detected!("avx");
    let vaes = aes && is_x86_feature_detected!("vaes") && is_x86_feature_detected!("avx2");
    let vaes512 = vaes && is_x86_feature_detected!("avx512f");
    let figures = |width, dependent, independent| {
        let cycles = |kernel| cycles(kernel, LOOPS * BODY, rounds);
        let (latency, reciprocal) = cycles(dependent).zip(cycles(independent))?;
        Some(Figures { width, latency, per_cycle: 1.0 / reciprocal })
    };
    let mut measured = Vec::new();
    if aes {
        // SAFETY: both run only here, where detection has found their target features.
        measured.extend(figures(
            Width::Xmm,
            || unsafe { xmm::<1>() },
            || unsafe { xmm::<CHAINS>() },
        ));
    }
    if vaes {
        // SAFETY: as above.
        measured.extend(figures(
            Width::Ymm,
            || unsafe { ymm::<1>() },
            || unsafe { ymm::<CHAINS>() },
        ));
    }
    if vaes512 {
        // SAFETY: as above.
        measured.extend(figures(
            Width::Zmm,
            || unsafe { zmm::<1>() },
            || unsafe { zmm::<CHAINS>() },
        ));
    }
    measured
}

/// Cycles for each of the `parts` of `kernel`, the median of some rounds.
pub(super) fn cycles(kernel: fn(), parts: u32, rounds: u32) -> Option<f64> {
    let round = |_| {
        let hertz = clock::frequency();
        clock::time(kernel) * hertz / f64::from(parts)
    };
    Summary::from_values((0..rounds).map(round)).map(|summary| summary.median)
}

#[target_feature(enable = "aes,avx")]
fn xmm<const N: usize>() {
    let step = |x, key| _mm_aesenc_si128(x, key);
    // SAFETY: zeros are a value of this type.
    chains::<__m128i, N>(unsafe { core::mem::zeroed() }, step);
}

#[target_feature(enable = "vaes,avx2")]
fn ymm<const N: usize>() {
    let step = |x, key| _mm256_aesenc_epi128(x, key);
    // SAFETY: zeros are a value of this type.
    chains::<__m256i, N>(unsafe { core::mem::zeroed() }, step);
}

#[target_feature(enable = "vaes,avx512f")]
fn zmm<const N: usize>() {
    let step = |x, key| _mm512_aesenc_epi128(x, key);
    // SAFETY: zeros are a value of this type.
    chains::<__m512i, N>(unsafe { core::mem::zeroed() }, step);
}

/// `LOOPS * BODY` steps, spread over `N` chains that do not depend on each other.
#[inline(always)]
fn chains<V: Copy, const N: usize>(zero: V, step: impl Fn(V, V) -> V) {
    let key = black_box(zero);
    let mut state = black_box([zero; N]);
    for _ in 0..LOOPS {
        for _ in 0..BODY as usize / N {
            for x in &mut state {
                *x = step(*x, key);
            }
        }
    }
    black_box(state);
}
