//! SHA-256 with the SHA instructions: four rounds at a time, of several chaining values in turn.
//!
//! The instructions take the state as ABEF and CDGH, the first letter in the highest word.

use core::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_alignr_epi8, _mm_blend_epi16, _mm_loadu_si128, _mm_set_epi64x,
    _mm_sha256msg1_epu32, _mm_sha256msg2_epu32, _mm_sha256rnds2_epu32, _mm_shuffle_epi8,
    _mm_shuffle_epi32, _mm_storeu_si128, _mm_xor_si128,
};

use super::super::cpu::ShaNi;
use super::contract::Unit;

/// The order of bytes that mirrors each word.
const BIG_ENDIAN: [i64; 2] = [0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b];

impl Unit for ShaNi {
    type Word = u32;
    /// ABEF and CDGH.
    type Chain = [__m128i; 2];
    type Words = [__m128i; 2];

    #[inline(always)]
    fn load(self, bytes: &[u8]) -> [__m128i; 2] {
        let (low, high) = bytes.split_at(16);
        [swap(self, load(low)), swap(self, load(high))]
    }

    #[inline(always)]
    fn store(self, words: [__m128i; 2], bytes: &mut [u8]) {
        let (low, high) = bytes.split_at_mut(16);
        store(swap(self, words[0]), low);
        store(swap(self, words[1]), high);
    }

    #[inline(always)]
    fn xor(self, x: [__m128i; 2], y: [__m128i; 2]) -> [__m128i; 2] {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { [_mm_xor_si128(x[0], y[0]), _mm_xor_si128(x[1], y[1])] }
    }

    #[inline(always)]
    fn chain(self, [abcd, efgh]: [__m128i; 2]) -> [__m128i; 2] {
        // SAFETY: `self` is the proof of these features.
        unsafe {
            let badc = _mm_shuffle_epi32::<0b10_11_00_01>(abcd);
            let hgfe = _mm_shuffle_epi32::<0b00_01_10_11>(efgh);
            [_mm_alignr_epi8::<8>(badc, hgfe), _mm_blend_epi16::<0b1111_0000>(hgfe, badc)]
        }
    }

    #[inline(always)]
    fn words(self, [abef, cdgh]: [__m128i; 2]) -> [__m128i; 2] {
        // SAFETY: `self` is the proof of these features.
        unsafe {
            let feba = _mm_shuffle_epi32::<0b00_01_10_11>(abef);
            let dchg = _mm_shuffle_epi32::<0b10_11_00_01>(cdgh);
            [_mm_blend_epi16::<0b1111_0000>(feba, dchg), _mm_alignr_epi8::<8>(dchg, feba)]
        }
    }

    #[inline(always)]
    fn mask(self, chain: [__m128i; 2], words: [__m128i; 2]) -> [__m128i; 2] {
        self.xor(chain, self.chain(words))
    }

    #[inline(always)]
    fn compress<const N: usize>(
        self,
        k: &[u32],
        key: &[u32; 8],
        sums: &[u32; 8],
        chains: [[__m128i; 2]; N],
        blocks: [[__m128i; 2]; N],
    ) -> [[__m128i; 2]; N] {
        let mut state = chains;
        let mut w = [[words(&key[..4]); N]; 4];
        for i in 0..N {
            w[1][i] = words(&key[4..]);
            [w[2][i], w[3][i]] = blocks[i];
        }
        for j in 0..4 {
            for i in 0..N {
                let sum = match j {
                    0 | 1 => words(&sums[4 * j..4 * j + 4]),
                    _ => add(w[j][i], words(&k[4 * j..4 * j + 4])),
                };
                state[i] = four_rounds(self, state[i], sum);
            }
        }
        for t in (16..64).step_by(16) {
            for j in 0..4 {
                for i in 0..N {
                    let last = w[(j + 3) % 4][i];
                    w[j][i] = next(self, w[j][i], w[(j + 1) % 4][i], w[(j + 2) % 4][i], last);
                    let sum = add(w[j][i], words(&k[t + 4 * j..t + 4 * j + 4]));
                    state[i] = four_rounds(self, state[i], sum);
                }
            }
        }
        for i in 0..N {
            state[i] = [add(state[i][0], chains[i][0]), add(state[i][1], chains[i][1])];
        }
        state
    }
}

#[inline(always)]
fn four_rounds(_: ShaNi, [abef, cdgh]: [__m128i; 2], sum: __m128i) -> [__m128i; 2] {
    // SAFETY: the proof of these features is an argument.
    unsafe {
        let next = _mm_sha256rnds2_epu32(cdgh, abef, sum);
        let high = _mm_shuffle_epi32::<0b00_00_11_10>(sum);
        [_mm_sha256rnds2_epu32(abef, next, high), next]
    }
}

/// The four words that follow these sixteen.
#[inline(always)]
fn next(_: ShaNi, w0: __m128i, w1: __m128i, w2: __m128i, w3: __m128i) -> __m128i {
    // SAFETY: the proof of these features is an argument.
    unsafe {
        let seven_back = _mm_alignr_epi8::<4>(w3, w2);
        _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), seven_back), w3)
    }
}

#[inline(always)]
fn swap(_: ShaNi, x: __m128i) -> __m128i {
    let [low, high] = BIG_ENDIAN;
    // SAFETY: the proof of SSSE3 is an argument.
    unsafe { _mm_shuffle_epi8(x, _mm_set_epi64x(high, low)) }
}

#[inline(always)]
fn add(x: __m128i, y: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_add_epi32(x, y) }
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
