//! What the tests share: every instance of the registry, the lengths at its edges, and bytes that
//! look random but never change.

// Each test file compiles its own copy and uses a part of it.
#![allow(dead_code)]

use polyseal::registry::{Algorithm, Kind, families};
use polyseal::testing::Backend;

/// `count` bytes that depend on `seed` and `count` only (the generator is SplitMix64).
pub(crate) fn bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = (seed << 32) ^ count as u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut bytes: Vec<u8> = (0..count.div_ceil(8)).flat_map(|_| next().to_le_bytes()).collect();
    bytes.truncate(count);
    bytes
}

/// The portable back end: what it computes is the meaning of every other.
pub(crate) fn soft() -> Backend {
    Backend::available().find(|b| b.name() == "soft").expect("the portable back end")
}

/// Every algorithm of `kind` in the registry, with every choice of sizes and parameters.
pub(crate) fn instances(kind: Kind) -> Vec<Algorithm> {
    let mut all = Vec::new();
    for family in families().iter().filter(|f| f.kind == kind) {
        let mut of_family = vec![Algorithm::new(family)];
        for (name, sizes) in
            [("key", family.key_bytes), ("nonce", family.nonce_bytes), ("tag", family.tag_bytes)]
        {
            let values: Vec<u64> = sizes.allowed.iter().map(|&size| size as u64).collect();
            of_family = vary(&of_family, name, &values);
        }
        for param in family.params {
            of_family = vary(&of_family, param.name, param.allowed);
        }
        all.extend(of_family);
    }
    assert!(!all.is_empty(), "the registry has no {kind:?}");
    all
}

fn vary(algorithms: &[Algorithm], name: &str, values: &[u64]) -> Vec<Algorithm> {
    let with = |a: &Algorithm, value| a.with(name, value).expect("an allowed value");
    algorithms.iter().flat_map(|a| values.iter().map(move |&v| with(a, v))).collect()
}

/// How many bytes one update of `algorithm` takes: where its edges are.
pub(crate) fn rate(algorithm: &Algorithm) -> usize {
    let id = algorithm.family().id.trim_end_matches("-mac");
    let degree = match algorithm.param("degree") {
        Some(degree) => degree as usize,
        None if id.ends_with("x4") => 4,
        None if id.ends_with("x2") => 2,
        None => 1,
    };
    match id {
        _ if id.starts_with("aegis-128") => 32 * degree,
        _ if id.starts_with("aegis-256") => 16 * degree,
        _ => panic!("say what {id}'s rate is"),
    }
}

/// The lengths around a block, around one and two updates, and after many.
pub(crate) fn edges(rate: usize) -> Vec<usize> {
    let mut edges =
        vec![0, 1, 15, 16, 17, rate - 1, rate, rate + 1, 2 * rate - 1, 2 * rate + 3, 31 * rate];
    edges.sort_unstable();
    edges.dedup();
    edges
}
