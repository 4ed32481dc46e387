//! The search for two keys with one commitment under one nonce (FOR-KC), on the toy.
//!
//! All of the commitment's 2n bits must be the same, so it is a search for keys' birthdays among
//! 2^(2n): about 2^n keys, of four calls each. The trick for free nonces does not help here: a
//! first block that has been chosen is the encryption of something else than this nonce asks for.

use std::collections::{HashMap, HashSet};

use super::toy::{Opening, Toy, keys};

/// Calls that a key costs: K1, X1 and two blocks.
pub(crate) const CALLS_PER_KEY: u64 = 4;

fn under_one_nonce(key: u64) -> Opening {
    Opening { key, u: 1, v: 2 }
}

/// Two keys with one commitment.
pub(crate) fn two_keys(toy: &Toy, seed: u64) -> [Opening; 2] {
    let mut seen = HashMap::new();
    for opening in keys(seed).map(under_one_nonce) {
        if let Some(earlier) = seen.insert(toy.commit(opening), opening) {
            return [earlier, opening];
        }
    }
    unreachable!("more keys than values")
}

/// How a commitment is computed.
pub(crate) type Commit = fn(&Toy, Opening) -> (u32, u32);

/// In how many of `trials` the search succeeds within `q` calls.
pub(crate) fn successes(commit: Commit, n: u32, q: u64, trials: u64) -> u64 {
    let toy = Toy::new(n);
    let finds = |seed: &u64| {
        let mut seen = HashSet::new();
        let mut keys = keys(*seed).take((q / CALLS_PER_KEY) as usize);
        !keys.all(|key| seen.insert(commit(&toy, under_one_nonce(key))))
    };
    (0..trials).filter(finds).count() as u64
}

/// That q calls succeed, if the cipher is ideal: pairs of keys, over pairs of blocks that differ.
pub(crate) fn expected(n: u32, q: u64) -> f64 {
    let keys = (q / CALLS_PER_KEY) as f64;
    let blocks = f64::from(n).exp2();
    keys * (keys - 1.0) / 2.0 / (blocks * (blocks - 1.0))
}
