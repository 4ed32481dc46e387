//! SHA-256 and SHA-512 with the instructions of aarch64.

use core::arch::aarch64::{
    uint32x4_t, uint64x2_t, vaddq_u32, vaddq_u64, vextq_u64, vld1q_u8, vld1q_u32, vld1q_u64,
    vreinterpretq_u8_u32, vreinterpretq_u8_u64, vreinterpretq_u32_u8, vreinterpretq_u64_u8,
    vrev32q_u8, vrev64q_u8, vsha256h2q_u32, vsha256hq_u32, vsha256su0q_u32, vsha256su1q_u32,
    vsha512h2q_u64, vsha512hq_u64, vsha512su0q_u64, vsha512su1q_u64, vst1q_u8,
};

use super::super::cpu::{ArmSha256, ArmSha512};

impl ArmSha256 {
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
        unsafe { sha256(k, key, sums, chains, blocks) }
    }
}

/// # Safety
/// The CPU must have the target features.
#[target_feature(enable = "neon,sha2")]
#[inline(never)]
unsafe fn sha256<const N: usize>(
    k: &[u32; 64],
    key: &[u32; 8],
    sums: &[u32; 8],
    chains: [&mut [u8; 32]; N],
    blocks: [&[u8; 32]; N],
) {
    let first = words_32(&key[..4]);
    let (mut abcd, mut efgh, mut w) = ([first; N], [first; N], [[first; N]; 4]);
    for i in 0..N {
        abcd[i] = load_32(&chains[i][..16]);
        efgh[i] = load_32(&chains[i][16..]);
        w[1][i] = words_32(&key[4..]);
        w[2][i] = load_32(&blocks[i][..16]);
        w[3][i] = load_32(&blocks[i][16..]);
    }
    let before = (abcd, efgh);
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
                let old = abcd[i];
                abcd[i] = vsha256hq_u32(old, efgh[i], sum);
                efgh[i] = vsha256h2q_u32(efgh[i], old, sum);
            }
        }
    }
    for (i, chain) in chains.into_iter().enumerate() {
        let (low, high) = chain.split_at_mut(16);
        store_32(vaddq_u32(abcd[i], before.0[i]), low);
        store_32(vaddq_u32(efgh[i], before.1[i]), high);
    }
}

impl ArmSha512 {
    /// The compression function with round constants `k`, the first half of the block `key`, and its
    /// sums with constants. `N` chaining values have each a second half.
    #[inline(always)]
    pub(crate) fn compress<const N: usize>(
        self,
        k: &[u64; 80],
        key: &[u64; 8],
        sums: &[u64; 8],
        chains: [&mut [u8; 64]; N],
        blocks: [&[u8; 64]; N],
    ) {
        // SAFETY: `self` is the proof of these features.
        unsafe { sha512(k, key, sums, chains, blocks) }
    }
}

/// # Safety
/// The CPU must have the target features.
#[target_feature(enable = "neon,sha3")]
#[inline(never)]
unsafe fn sha512<const N: usize>(
    k: &[u64; 80],
    key: &[u64; 8],
    sums: &[u64; 8],
    chains: [&mut [u8; 64]; N],
    blocks: [&[u8; 64]; N],
) {
    let first = words_64(&key[..2]);
    // The variables in pairs: ab, cd, ef, gh.
    let (mut x, mut w) = ([[first; N]; 4], [[first; N]; 8]);
    for i in 0..N {
        for j in 0..4 {
            x[j][i] = load_64(&chains[i][16 * j..16 * j + 16]);
            w[j][i] = words_64(&key[2 * j..2 * j + 2]);
            w[j + 4][i] = load_64(&blocks[i][16 * j..16 * j + 16]);
        }
    }
    let before = x;
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
                let [ab, cd, ef, gh] = [x[0][i], x[1][i], x[2][i], x[3][i]];
                let sum = vaddq_u64(vextq_u64::<1>(sum, sum), gh);
                let (fg, de) = (vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
                let t1 = vsha512hq_u64(sum, fg, de);
                (x[0][i], x[1][i]) = (vsha512h2q_u64(t1, cd, ab), ab);
                (x[2][i], x[3][i]) = (vaddq_u64(cd, t1), ef);
            }
        }
    }
    for (i, chain) in chains.into_iter().enumerate() {
        for j in 0..4 {
            store_64(vaddq_u64(x[j][i], before[j][i]), &mut chain[16 * j..16 * j + 16]);
        }
    }
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
