//! BLAKE2b's compression function (RFC 7693, section 3.2), with the offset 0 and no final flag.

#[cfg(target_arch = "x86_64")]
use core::marker::PhantomData;

use zeroize::Zeroize;

#[cfg(target_arch = "x86_64")]
use super::KernelJob;
#[cfg(target_arch = "x86_64")]
use super::blake2b_single::RowKernel;
use super::vector_kernel::{self, Vectorised};
use super::{Compression, HashTask};
#[cfg(target_arch = "x86_64")]
use crate::backend::hashes::Enter;
use crate::backend::hashes::{HashBackend, HashWords, Integer, Proof};

/// BLAKE2b.
#[derive(Clone, Copy, Debug)]
pub struct Blake2b;

/// The initial values, which are those of SHA-512.
pub(super) const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// Which message words a round takes; rounds 10 and 11 are as rounds 0 and 1.
pub(super) const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The first half of every block.
#[derive(Clone)]
#[allow(missing_debug_implementations)] // A secret that nothing outside can name.
pub struct KeyWords(pub(super) [u64; 8]);

impl Zeroize for KeyWords {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Vectorised for Blake2b {
    type Word = u64;
    type Many<P: Proof> = P::Words64;
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    fn compress<V: HashWords<Word = u64>>(
        proof: V::Proof,
        key: &KeyWords,
        h: [V; 8],
        block: [V; 8],
    ) -> [V; 8] {
        compress(proof, key, h, block, 0, false)
    }
}

/// The function with an offset `t` and a final flag.
#[inline(always)]
pub(super) fn compress<V: HashWords<Word = u64>>(
    proof: V::Proof,
    key: &KeyWords,
    h: [V; 8],
    block: [V; 8],
    t: u64,
    last: bool,
) -> [V; 8] {
    let mut m = [h[0]; 16];
    let mut v = m;
    for i in 0..8 {
        m[i] = V::splat(proof, key.0[i]);
        m[i + 8] = block[i];
        v[i] = h[i];
        v[i + 8] = V::splat(proof, IV[i]);
    }
    v[12] = V::splat(proof, IV[4] ^ t);
    v[14] = V::splat(proof, if last { !IV[6] } else { IV[6] });
    // Unrolled by hand: only constants index registers.
    round::<V, 0>(&mut v, &m);
    round::<V, 1>(&mut v, &m);
    round::<V, 2>(&mut v, &m);
    round::<V, 3>(&mut v, &m);
    round::<V, 4>(&mut v, &m);
    round::<V, 5>(&mut v, &m);
    round::<V, 6>(&mut v, &m);
    round::<V, 7>(&mut v, &m);
    round::<V, 8>(&mut v, &m);
    round::<V, 9>(&mut v, &m);
    round::<V, 0>(&mut v, &m);
    round::<V, 1>(&mut v, &m);
    let mut out = h;
    for i in 0..8 {
        out[i] = h[i].xor3(v[i], v[i + 8]);
    }
    out
}

#[inline(always)]
fn round<V: HashWords, const R: usize>(v: &mut [V; 16], m: &[V; 16]) {
    let s = const { SIGMA[R] };
    g(v, [0, 4, 8, 12], m[s[0]], m[s[1]]);
    g(v, [1, 5, 9, 13], m[s[2]], m[s[3]]);
    g(v, [2, 6, 10, 14], m[s[4]], m[s[5]]);
    g(v, [3, 7, 11, 15], m[s[6]], m[s[7]]);
    g(v, [0, 5, 10, 15], m[s[8]], m[s[9]]);
    g(v, [1, 6, 11, 12], m[s[10]], m[s[11]]);
    g(v, [2, 7, 8, 13], m[s[12]], m[s[13]]);
    g(v, [3, 4, 9, 14], m[s[14]], m[s[15]]);
}

/// G, section 3.1.
#[inline(always)]
fn g<V: HashWords>(v: &mut [V; 16], [a, b, c, d]: [usize; 4], x: V, y: V) {
    v[a] = v[a].add(x).add(v[b]);
    v[d] = v[d].xor(v[a]).rotate(32);
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotate(24);
    v[a] = v[a].add(y).add(v[b]);
    v[d] = v[d].xor(v[a]).rotate(16);
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotate(63);
}

impl Compression for Blake2b {
    type Block = [u8; 64];
    type Key = KeyWords;
    const ZERO: [u8; 64] = [0; 64];
    const REDUCTION: [u8; 2] = [0x01, 0x25];

    fn key(bytes: &[u8; 64]) -> KeyWords {
        let mut words = KeyWords([0; 8]);
        for i in 0..8 {
            words.0[i] = u64::read(false, &bytes[8 * i..8 * i + 8]);
        }
        words
    }

    fn one<J: HashTask<Self>>(on: HashBackend, job: J) {
        // A CPU with AVX-512 does the four G of a step side by side in scalar registers: on Zen 5
        // that takes 0.6 of the time, because its vector instructions take two cycles.
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = on.avx2_without_avx512() {
            return avx2.enter(KernelJob { kernel: RowKernel::new(avx2), job, of: PhantomData });
        }
        let _ = on;
        vector_kernel::one(HashBackend::SOFT, job);
    }

    fn lanes(on: HashBackend) -> usize {
        vector_kernel::lanes::<Self>(on)
    }

    fn many<J: HashTask<Self>>(on: HashBackend, job: J) {
        vector_kernel::many(on, job);
    }
}
