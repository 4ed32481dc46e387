//! SHA-256 and SHA-512 with the instructions of aarch64.

use core::arch::aarch64::{
    uint32x4_t, uint64x2_t, vaddq_u32, vaddq_u64, veorq_u32, veorq_u64, vextq_u64, vld1q_u8,
    vld1q_u32, vld1q_u64, vreinterpretq_u8_u32, vreinterpretq_u8_u64, vreinterpretq_u32_u8,
    vreinterpretq_u64_u8, vrev32q_u8, vrev64q_u8, vsha256h2q_u32, vsha256hq_u32, vsha256su0q_u32,
    vsha256su1q_u32, vsha512h2q_u64, vsha512hq_u64, vsha512su0q_u64, vsha512su1q_u64, vst1q_u8,
};

use super::super::cpu::{ArmSha256, ArmSha512};
use super::contract::Unit;

impl Unit for ArmSha256 {
    type Word = u32;
    type Chain = [uint32x4_t; 2];
    type Words = [uint32x4_t; 2];

    #[inline(always)]
    fn load(self, bytes: &[u8]) -> [uint32x4_t; 2] {
        [load_32(&bytes[..16]), load_32(&bytes[16..])]
    }

    #[inline(always)]
    fn store(self, words: [uint32x4_t; 2], bytes: &mut [u8]) {
        store_32(words[0], &mut bytes[..16]);
        store_32(words[1], &mut bytes[16..]);
    }

    #[inline(always)]
    fn chain(self, words: [uint32x4_t; 2]) -> [uint32x4_t; 2] {
        words
    }

    #[inline(always)]
    fn words(self, chain: [uint32x4_t; 2]) -> [uint32x4_t; 2] {
        chain
    }

    #[inline(always)]
    fn mask(self, chain: [uint32x4_t; 2], words: [uint32x4_t; 2]) -> [uint32x4_t; 2] {
        self.xor(chain, words)
    }

    #[inline(always)]
    fn xor(self, x: [uint32x4_t; 2], y: [uint32x4_t; 2]) -> [uint32x4_t; 2] {
        // SAFETY: Advanced SIMD is part of aarch64.
        unsafe { [veorq_u32(x[0], y[0]), veorq_u32(x[1], y[1])] }
    }

    #[inline(always)]
    fn compress<const N: usize>(
        self,
        k: &[u32],
        key: &[u32; 8],
        sums: &[u32; 8],
        chains: [[uint32x4_t; 2]; N],
        words: [[uint32x4_t; 2]; N],
    ) -> [[uint32x4_t; 2]; N] {
        // SAFETY: `self` is the proof of these features.
        unsafe { sha256(k, key, sums, chains, words) }
    }
}

/// # Safety
/// The CPU must have the target features.
#[target_feature(enable = "neon,sha2")]
#[inline]
unsafe fn sha256<const N: usize>(
    k: &[u32],
    key: &[u32; 8],
    sums: &[u32; 8],
    chains: [[uint32x4_t; 2]; N],
    words: [[uint32x4_t; 2]; N],
) -> [[uint32x4_t; 2]; N] {
    let mut x = chains;
    let mut w = [[words_32(&key[..4]); N]; 4];
    for i in 0..N {
        w[1][i] = words_32(&key[4..]);
        [w[2][i], w[3][i]] = words[i];
    }
    for t in (0..64).step_by(16) {
        for j in 0..4 {
            for i in 0..N {
                if t > 0 {
                    let part = vsha256su0q_u32(w[j][i], w[(j + 1) % 4][i]);
                    w[j][i] = vsha256su1q_u32(part, w[(j + 2) % 4][i], w[(j + 3) % 4][i]);
                }
                let sum = match (t, j) {
                    (0, 0 | 1) => words_32(&sums[4 * j..4 * j + 4]),
                    _ => vaddq_u32(w[j][i], words_32(&k[t + 4 * j..t + 4 * j + 4])),
                };
                let [abcd, efgh] = x[i];
                x[i] = [vsha256hq_u32(abcd, efgh, sum), vsha256h2q_u32(efgh, abcd, sum)];
            }
        }
    }
    for i in 0..N {
        for j in 0..2 {
            x[i][j] = vaddq_u32(x[i][j], chains[i][j]);
        }
    }
    x
}

impl Unit for ArmSha512 {
    type Word = u64;
    /// ab, cd, ef, gh.
    type Chain = [uint64x2_t; 4];
    type Words = [uint64x2_t; 4];

    #[inline(always)]
    fn load(self, bytes: &[u8]) -> [uint64x2_t; 4] {
        let mut words = [load_64(&bytes[..16]); 4];
        for j in 1..4 {
            words[j] = load_64(&bytes[16 * j..16 * j + 16]);
        }
        words
    }

    #[inline(always)]
    fn store(self, words: [uint64x2_t; 4], bytes: &mut [u8]) {
        for j in 0..4 {
            store_64(words[j], &mut bytes[16 * j..16 * j + 16]);
        }
    }

    #[inline(always)]
    fn chain(self, words: [uint64x2_t; 4]) -> [uint64x2_t; 4] {
        words
    }

    #[inline(always)]
    fn words(self, chain: [uint64x2_t; 4]) -> [uint64x2_t; 4] {
        chain
    }

    #[inline(always)]
    fn mask(self, chain: [uint64x2_t; 4], words: [uint64x2_t; 4]) -> [uint64x2_t; 4] {
        self.xor(chain, words)
    }

    #[inline(always)]
    fn xor(self, x: [uint64x2_t; 4], y: [uint64x2_t; 4]) -> [uint64x2_t; 4] {
        let mut sum = x;
        for j in 0..4 {
            // SAFETY: Advanced SIMD is part of aarch64.
            sum[j] = unsafe { veorq_u64(x[j], y[j]) };
        }
        sum
    }

    #[inline(always)]
    fn compress<const N: usize>(
        self,
        k: &[u64],
        key: &[u64; 8],
        sums: &[u64; 8],
        chains: [[uint64x2_t; 4]; N],
        words: [[uint64x2_t; 4]; N],
    ) -> [[uint64x2_t; 4]; N] {
        // SAFETY: `self` is the proof of these features.
        unsafe { sha512(k, key, sums, chains, words) }
    }
}

/// # Safety
/// The CPU must have the target features.
#[target_feature(enable = "neon,sha3")]
#[inline]
unsafe fn sha512<const N: usize>(
    k: &[u64],
    key: &[u64; 8],
    sums: &[u64; 8],
    chains: [[uint64x2_t; 4]; N],
    words: [[uint64x2_t; 4]; N],
) -> [[uint64x2_t; 4]; N] {
    let mut x = chains;
    let mut w = [[words_64(&key[..2]); N]; 8];
    for i in 0..N {
        for j in 0..4 {
            w[j][i] = words_64(&key[2 * j..2 * j + 2]);
            w[j + 4][i] = words[i][j];
        }
    }
    for t in (0..80).step_by(16) {
        for j in 0..8 {
            for i in 0..N {
                if t > 0 {
                    let seven_back = vextq_u64::<1>(w[(j + 4) % 8][i], w[(j + 5) % 8][i]);
                    let part = vsha512su0q_u64(w[j][i], w[(j + 1) % 8][i]);
                    w[j][i] = vsha512su1q_u64(part, w[(j + 7) % 8][i], seven_back);
                }
                let sum = match (t, j) {
                    (0, 0..4) => words_64(&sums[2 * j..2 * j + 2]),
                    _ => vaddq_u64(w[j][i], words_64(&k[t + 2 * j..t + 2 * j + 2])),
                };
                // Two rounds; the pairs change their names.
                let [ab, cd, ef, gh] = x[i];
                let sum = vaddq_u64(vextq_u64::<1>(sum, sum), gh);
                let (fg, de) = (vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
                let t1 = vsha512hq_u64(sum, fg, de);
                x[i] = [vsha512h2q_u64(t1, cd, ab), ab, vaddq_u64(cd, t1), ef];
            }
        }
    }
    for i in 0..N {
        for j in 0..4 {
            x[i][j] = vaddq_u64(x[i][j], chains[i][j]);
        }
    }
    x
}

#[inline(always)]
fn load_32(bytes: &[u8]) -> uint32x4_t {
    assert!(bytes.len() == 16);
    // SAFETY: Advanced SIMD is part of aarch64; the slice has 16 bytes.
    unsafe { vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes.as_ptr()))) }
}

#[inline(always)]
fn words_32(words: &[u32]) -> uint32x4_t {
    assert!(words.len() == 4);
    // SAFETY: Advanced SIMD is part of aarch64; the slice has 16 bytes.
    unsafe { vld1q_u32(words.as_ptr()) }
}

#[inline(always)]
fn store_32(x: uint32x4_t, target: &mut [u8]) {
    assert!(target.len() == 16);
    // SAFETY: Advanced SIMD is part of aarch64; the slice has 16 bytes.
    unsafe { vst1q_u8(target.as_mut_ptr(), vrev32q_u8(vreinterpretq_u8_u32(x))) }
}

#[inline(always)]
fn load_64(bytes: &[u8]) -> uint64x2_t {
    assert!(bytes.len() == 16);
    // SAFETY: Advanced SIMD is part of aarch64; the slice has 16 bytes.
    unsafe { vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(bytes.as_ptr()))) }
}

#[inline(always)]
fn words_64(words: &[u64]) -> uint64x2_t {
    assert!(words.len() == 2);
    // SAFETY: Advanced SIMD is part of aarch64; the slice has 16 bytes.
    unsafe { vld1q_u64(words.as_ptr()) }
}

#[inline(always)]
fn store_64(x: uint64x2_t, target: &mut [u8]) {
    assert!(target.len() == 16);
    // SAFETY: Advanced SIMD is part of aarch64; the slice has 16 bytes.
    unsafe { vst1q_u8(target.as_mut_ptr(), vrev64q_u8(vreinterpretq_u8_u64(x))) }
}
