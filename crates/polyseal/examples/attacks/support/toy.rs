//! KC-XAES's commitment over a toy block cipher of n bits, small enough to break.
//!
//! Everything is to scale: three quarters of a block for U and V, a quarter for the constants. The
//! cipher is a Feistel network of twelve rounds whose round function is a 64-bit mixer of key,
//! round and half block. It would not do for secrets, but the attacks ask only whether outputs are
//! equal, never how the cipher works: all that counts is that outputs under different keys, and at
//! different points, are distributed as independent permutations are, which the tests check where
//! it matters, against the probabilities of an ideal cipher.

use std::cell::Cell;
use std::collections::HashMap;

/// A cipher of n bits that counts its calls.
pub(crate) struct Toy {
    n: u32,
    calls: Cell<u64>,
}

/// A key with its nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    pub(crate) key: u64,
    pub(crate) u: u32,
    pub(crate) v: u32,
}

/// The counterparts of ⟨24 − b⟩ ‖ 01 00 01 and ⟨24 − b⟩ ‖ 01 00 02.
const C4: u32 = 1;
const C5: u32 = 2;

impl Toy {
    pub(crate) fn new(n: u32) -> Self {
        Self { n, calls: Cell::new(0) }
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.get()
    }

    pub(crate) fn encrypt(&self, key: u64, x: u32) -> u32 {
        let (left, right) = (0..12).fold(self.halves(x), |(left, right), round| {
            (right, left ^ self.round(key, round, right))
        });
        left << (self.n / 2) | right
    }

    pub(crate) fn decrypt(&self, key: u64, y: u32) -> u32 {
        let (left, right) = (0..12).rev().fold(self.halves(y), |(left, right), round| {
            (right ^ self.round(key, round, left), left)
        });
        left << (self.n / 2) | right
    }

    fn halves(&self, x: u32) -> (u32, u32) {
        self.calls.set(self.calls.get() + 1);
        (x >> (self.n / 2), x & self.mask(self.n / 2))
    }

    fn round(&self, key: u64, round: u64, half: u32) -> u32 {
        let z = mix(key ^ mix(round << 32 | u64::from(half)));
        (z >> 40) as u32 & self.mask(self.n / 2)
    }

    fn mask(&self, bits: u32) -> u32 {
        (1 << bits) - 1
    }

    /// How many bits of a block are a constant.
    fn word(&self) -> u32 {
        self.n / 4
    }

    /// K1 = x · AES_K(0), in the field of 2^n elements.
    fn k1(&self, key: u64) -> u32 {
        let reduction = match self.n {
            8 | 24 => 0x1b,
            10 | 12 | 18 | 20 => 0x09,
            16 => 0x2b,
            22 => 0x03,
            n => panic!("no toy of {n} bits"),
        };
        let l = self.encrypt(key, 0);
        let carry = if l >> (self.n - 1) == 1 { reduction } else { 0 };
        (l << 1 & self.mask(self.n)) ^ carry
    }

    /// X1 = AES_K("XCMT" ‖ U), where all ones stand for the letters.
    fn x1(&self, key: u64, u: u32) -> u32 {
        let letters = self.mask(self.word()) << (self.n - self.word());
        self.encrypt(key, letters | u)
    }

    /// K_C.
    pub(crate) fn commit(&self, Opening { key, u, v }: Opening) -> (u32, u32) {
        let w = self.x1(key, u) ^ self.k1(key) ^ v << self.word();
        (self.encrypt(key, w ^ C4), self.encrypt(key, w ^ C5))
    }

    /// K_C with U in the second half's last block: `nonces::bound`.
    pub(crate) fn commit_bound(&self, Opening { key, u, v }: Opening) -> (u32, u32) {
        let w = self.x1(key, u) ^ self.k1(key);
        let halves = [v << self.word() ^ C4, (u ^ v) << self.word() ^ C5];
        (self.encrypt(key, w ^ halves[0]), self.encrypt(key, w ^ halves[1]))
    }

    /// Two keys, with a nonce each, that have this commitment, by the best way that we know, after
    /// about 2^(n / 2 + 2) calls.
    ///
    /// Both halves are the same numbers for every key, and are decrypted. Their difference is U, if
    /// its last quarter is c4 ⊕ c5; and X1 has the last quarter that it must have: half a block is
    /// left to chance, for each of two keys.
    pub(crate) fn two_keys_bound(&self, seed: u64) -> [Opening; 2] {
        let [z1, z2] = [seed, !seed].map(|z| mix(z) as u32 & self.mask(self.n));
        let mut found = keys(seed).filter_map(|key| {
            let (w1, w2) = (self.decrypt(key, z1), self.decrypt(key, z2));
            let difference = w1 ^ w2 ^ C4 ^ C5;
            if difference & self.mask(self.word()) != 0 {
                return None;
            }
            let u = difference >> self.word();
            let v = self.x1(key, u) ^ self.k1(key) ^ w1 ^ C4;
            (v & self.mask(self.word()) == 0).then(|| Opening { key, u, v: v >> self.word() })
        });
        [(); 2].map(|()| found.next().expect("keys without end"))
    }

    /// Two keys, with a nonce each, that have one commitment, after about 2^(n / 2) calls.
    ///
    /// The first block of K_C is the same number Z for every key: it is decrypted, to M. The second
    /// block is AES_K(M ⊕ c4 ⊕ c5), and two keys that agree on it are found by their birthdays.
    /// Then M = X1 ⊕ (V ‖ c4) ⊕ K1 is made by a nonce: a U that brings X1's last quarter to what it
    /// must be, which takes 2^(n / 4) calls, and the V that is left.
    pub(crate) fn two_keys_and_nonces(&self, seed: u64) -> [Opening; 2] {
        let z = mix(seed) as u32 & self.mask(self.n);
        let mut seen = HashMap::new();
        for key in keys(seed) {
            let m = self.decrypt(key, z);
            let second = self.encrypt(key, m ^ C4 ^ C5);
            if let Some(earlier) = seen.insert(second, (key, m)) {
                let openings = [earlier, (key, m)].map(|(key, m)| self.nonce_for(key, m));
                if let [Some(one), Some(other)] = openings {
                    return [one, other];
                }
            }
        }
        unreachable!("more keys than values")
    }

    /// The nonce under which `m` is encrypted to the commitment's first block; rarely `None`.
    fn nonce_for(&self, key: u64, m: u32) -> Option<Opening> {
        let wanted = m ^ self.k1(key) ^ C4;
        (0..1 << (self.n - self.word())).find_map(|u| {
            let v = self.x1(key, u) ^ wanted;
            (v & self.mask(self.word()) == 0).then(|| Opening { key, u, v: v >> self.word() })
        })
    }
}

/// Keys that look random, other ones for every seed.
pub(crate) fn keys(seed: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |i| mix(mix(seed) ^ i))
}

/// A permutation of 64 bits (SplitMix64's).
pub(crate) fn mix(x: u64) -> u64 {
    let z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The mean of the logarithm of the calls of `attack`, over many seeds.
pub(crate) fn log2_cost(n: u32, seeds: u64, attack: impl Fn(&Toy, u64)) -> f64 {
    let costs = (0..seeds).map(|seed| {
        let toy = Toy::new(n);
        attack(&toy, seed);
        (toy.calls() as f64).log2()
    });
    costs.sum::<f64>() / seeds as f64
}

/// The slope of the line that fits `points` best.
pub(crate) fn slope(points: &[(u32, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|&(x, _)| f64::from(x)).sum::<f64>() / count;
    let mean_y = points.iter().map(|&(_, y)| y).sum::<f64>() / count;
    let (mut above, mut below) = (0.0, 0.0);
    for &(x, y) in points {
        let x = f64::from(x) - mean_x;
        above += x * (y - mean_y);
        below += x * x;
    }
    above / below
}
