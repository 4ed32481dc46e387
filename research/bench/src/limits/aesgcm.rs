//! How fast this CPU's AES and carry-less multiplication together let AES-GCM be, at each width.
//!
//! A register of message takes an AES instruction a round and, by Karatsuba with one reduction for
//! many blocks, three multiplications. Everything else a message needs runs beside them or is
//! thinned out over many blocks. As for AES alone, the loops hold these instructions and nothing
//! else, on chains that do not wait for each other.

#![allow(unsafe_code)]

use core::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_aesenc_si128, _mm_clmulepi64_si128, _mm256_aesenc_epi128,
    _mm256_clmulepi64_epi128, _mm512_aesenc_epi128, _mm512_clmulepi64_epi128,
};
use core::hint::black_box;

use super::aesenc::cycles;
use super::{Bulk, Width};

/// Registers of message in a loop; some microseconds.
const REGISTERS: u32 = 4000;

const MULTIPLICATIONS: usize = 3;

/// The bounds of every width that this CPU has.
pub(super) fn measure(rounds: u32) -> Vec<Bulk> {
    let aesni = is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("avx")
        && is_x86_feature_detected!("pclmulqdq");
    let vaes = aesni
        && is_x86_feature_detected!("vaes")
        && is_x86_feature_detected!("vpclmulqdq")
        && is_x86_feature_detected!("avx2");
    let vaes512 = vaes && is_x86_feature_detected!("avx512f");
    let bulk = |width: Width, aes_128, aes_256| {
        let per_byte =
            |kernel| Some(cycles(kernel, REGISTERS, rounds)? / (16 * width.blocks()) as f64);
        Some(Bulk { width, aes_128: per_byte(aes_128)?, aes_256: per_byte(aes_256)? })
    };
    let mut measured = Vec::new();
    if aesni {
        // SAFETY: both run only here, where detection has found their target features.
        measured.extend(bulk(
            Width::Xmm,
            || unsafe { xmm::<10, 1>() },
            || unsafe { xmm::<7, 2>() },
        ));
    }
    if vaes {
        // SAFETY: as above.
        measured.extend(bulk(
            Width::Ymm,
            || unsafe { ymm::<10, 1>() },
            || unsafe { ymm::<7, 2>() },
        ));
    }
    if vaes512 {
        // SAFETY: as above.
        measured.extend(bulk(
            Width::Zmm,
            || unsafe { zmm::<10, 1>() },
            || unsafe { zmm::<7, 2>() },
        ));
    }
    measured
}

#[target_feature(enable = "aes,avx,pclmulqdq")]
fn xmm<const CHAINS: usize, const STEPS: usize>() {
    // SAFETY: zeros are a value of this type.
    let zero: __m128i = unsafe { core::mem::zeroed() };
    let aes = |x, key| _mm_aesenc_si128(x, key);
    mix::<_, CHAINS, STEPS>(zero, aes, |x, h| _mm_clmulepi64_si128::<0>(x, h));
}

#[target_feature(enable = "vaes,vpclmulqdq,avx2")]
fn ymm<const CHAINS: usize, const STEPS: usize>() {
    // SAFETY: zeros are a value of this type.
    let zero: __m256i = unsafe { core::mem::zeroed() };
    let aes = |x, key| _mm256_aesenc_epi128(x, key);
    mix::<_, CHAINS, STEPS>(zero, aes, |x, h| _mm256_clmulepi64_epi128::<0>(x, h));
}

#[target_feature(enable = "vaes,vpclmulqdq,avx512f")]
fn zmm<const CHAINS: usize, const STEPS: usize>() {
    // SAFETY: zeros are a value of this type.
    let zero: __m512i = unsafe { core::mem::zeroed() };
    let aes = |x, key| _mm512_aesenc_epi128(x, key);
    mix::<_, CHAINS, STEPS>(zero, aes, |x, h| _mm512_clmulepi64_epi128::<0>(x, h));
}

/// For every register of message, `STEPS` rounds on each of `CHAINS` chains: together the rounds of
/// the cipher, in few enough chains that everything stays in 16 registers.
#[inline(always)]
fn mix<V: Copy, const CHAINS: usize, const STEPS: usize>(
    zero: V,
    aes: impl Fn(V, V) -> V,
    multiply: impl Fn(V, V) -> V,
) {
    let key = black_box(zero);
    let (mut states, mut products) =
        (black_box([zero; CHAINS]), black_box([zero; MULTIPLICATIONS]));
    for _ in 0..REGISTERS {
        for _ in 0..STEPS {
            for x in &mut states {
                *x = aes(*x, key);
            }
        }
        for x in &mut products {
            *x = multiply(*x, key);
        }
    }
    black_box((states, products));
}
