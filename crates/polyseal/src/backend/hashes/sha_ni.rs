//! SHA-256 with the SHA instructions: four rounds at a time, of several chaining values in turn.
//!
//! The instructions take the state as ABEF and CDGH, the first letter in the highest word.

use core::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_alignr_epi8, _mm_blend_epi16, _mm_loadu_si128, _mm_set_epi64x,
    _mm_sha256msg1_epu32, _mm_sha256msg2_epu32, _mm_sha256rnds2_epu32, _mm_shuffle_epi8,
    _mm_shuffle_epi32, _mm_storeu_si128,
};

use super::super::cpu::ShaNi;

impl ShaNi {
    /// The compression function with round constants `k`, the first half of the block `key`, and its
    /// sums with constants. `N` chaining values have each a second half.
    #[inline(always)]
    pub(crate) fn compress<const N: usize>(
        self,
        k: &[u32; 64],
        key: &[u32; 8],
        sums: &[u32; 8],
        chains: [&mut [u8; 32]; N],
        blocks: [&[u8; 32]; N],
    ) {
        // SAFETY: `self` is the proof of these features.
        unsafe { compress(k, key, sums, chains, blocks) }
    }
}

/// # Safety
/// The CPU must have the target features.
#[target_feature(enable = "sha,ssse3,sse4.1")]
#[inline(never)]
unsafe fn compress<const N: usize>(
    k: &[u32; 64],
    key: &[u32; 8],
    sums: &[u32; 8],
    chains: [&mut [u8; 32]; N],
    blocks: [&[u8; 32]; N],
) {
    let big_endian = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
    let zero = _mm_set_epi64x(0, 0);
    let (mut abef, mut cdgh) = ([zero; N], [zero; N]);
    let mut w = [[zero; N]; 4];
    for i in 0..N {
        let (low, high) = chains[i].split_at(16);
        let abcd = _mm_shuffle_epi8(load(low), big_endian);
        let efgh = _mm_shuffle_epi8(load(high), big_endian);
        let badc = _mm_shuffle_epi32::<0b10_11_00_01>(abcd);
        let hgfe = _mm_shuffle_epi32::<0b00_01_10_11>(efgh);
        abef[i] = _mm_alignr_epi8::<8>(badc, hgfe);
        cdgh[i] = _mm_blend_epi16::<0b1111_0000>(hgfe, badc);
        w[0][i] = words(&key[..4]);
        w[1][i] = words(&key[4..]);
        w[2][i] = _mm_shuffle_epi8(load(&blocks[i][..16]), big_endian);
        w[3][i] = _mm_shuffle_epi8(load(&blocks[i][16..]), big_endian);
    }
    let before = (abef, cdgh);

    for j in 0..4 {
        for i in 0..N {
            let sum = match j {
                0 | 1 => words(&sums[4 * j..4 * j + 4]),
                _ => _mm_add_epi32(w[j][i], words(&k[4 * j..4 * j + 4])),
            };
            (abef[i], cdgh[i]) = four_rounds(abef[i], cdgh[i], sum);
        }
    }
    for t in (16..64).step_by(16) {
        for j in 0..4 {
            for i in 0..N {
                let seven_back = _mm_alignr_epi8::<4>(w[(j + 3) % 4][i], w[(j + 2) % 4][i]);
                let first = _mm_sha256msg1_epu32(w[j][i], w[(j + 1) % 4][i]);
                let first = _mm_add_epi32(first, seven_back);
                w[j][i] = _mm_sha256msg2_epu32(first, w[(j + 3) % 4][i]);
                let sum = _mm_add_epi32(w[j][i], words(&k[t + 4 * j..t + 4 * j + 4]));
                (abef[i], cdgh[i]) = four_rounds(abef[i], cdgh[i], sum);
            }
        }
    }

    for (i, chain) in chains.into_iter().enumerate() {
        let feba = _mm_shuffle_epi32::<0b00_01_10_11>(_mm_add_epi32(abef[i], before.0[i]));
        let dchg = _mm_shuffle_epi32::<0b10_11_00_01>(_mm_add_epi32(cdgh[i], before.1[i]));
        let abcd = _mm_blend_epi16::<0b1111_0000>(feba, dchg);
        let efgh = _mm_alignr_epi8::<8>(dchg, feba);
        let (low, high) = chain.split_at_mut(16);
        store(_mm_shuffle_epi8(abcd, big_endian), low);
        store(_mm_shuffle_epi8(efgh, big_endian), high);
    }
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn four_rounds(abef: __m128i, cdgh: __m128i, sum: __m128i) -> (__m128i, __m128i) {
    let next = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    let high = _mm_shuffle_epi32::<0b00_00_11_10>(sum);
    (_mm_sha256rnds2_epu32(abef, next, high), next)
}

#[inline(always)]
fn load(bytes: &[u8]) -> __m128i {
    assert!(bytes.len() == 16);
    // SAFETY: SSE2 is part of x86-64; the slice has 16 bytes.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline(always)]
fn words(words: &[u32]) -> __m128i {
    assert!(words.len() == 4);
    // SAFETY: SSE2 is part of x86-64; the slice has 16 bytes.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}

#[inline(always)]
fn store(x: __m128i, target: &mut [u8]) {
    assert!(target.len() == 16);
    // SAFETY: SSE2 is part of x86-64; the slice has 16 bytes.
    unsafe { _mm_storeu_si128(target.as_mut_ptr().cast(), x) }
}
