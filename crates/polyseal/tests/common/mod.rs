//! The tests' common parts: every instance of the registry, the lengths at its edges, and bytes
//! that look random but never change.

// Each test file compiles its own copy and uses a part of it.
#![allow(dead_code)]

use aead::{AeadCore, Key, KeySizeUser, Nonce};
use polyseal::aead;
use polyseal::registry::{Algorithm, Kind, Listed, families};
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

/// The key of `C` that `seed` stands for.
pub(crate) fn key<C: KeySizeUser>(seed: u64) -> Key<C> {
    Key::<C>::try_from(&bytes(seed, C::key_size())[..]).expect("as long as a key")
}

/// The nonce of `C` that `seed` stands for.
pub(crate) fn nonce<C: AeadCore>(seed: u64) -> Nonce<C> {
    let length = Nonce::<C>::default().len();
    Nonce::<C>::try_from(&bytes(seed, length)[..]).expect("as long as a nonce")
}

/// The portable back end: what it computes is the meaning of every other.
pub(crate) fn soft() -> Backend {
    Backend::available().find(|b| b.name() == "soft").expect("the portable back end")
}

/// Every algorithm of `kind` in the registry, with every choice of sizes and parameters; where
/// there are many nonce lengths, those around a block, the shortest and the longest.
pub(crate) fn instances(kind: Kind) -> Vec<Algorithm> {
    let of_kind = families().iter().filter(|f| f.identity.kind == kind);
    // The default comes first, and once more in its place.
    let listed = of_kind.flat_map(|f| Algorithm::instances(f).skip(1).filter(tells_more));
    let all: Vec<_> = listed.flat_map(with_other_lengths).collect();
    assert!(!all.is_empty(), "the registry has no {kind:?}");
    all
}

/// Whether an instance of a family of many shows what others do not: one of the lengths that differ
/// in kind, and not both of them unusual.
fn tells_more(algorithm: &Algorithm) -> bool {
    const NONCES: [usize; 8] = [1, 12, 13, 16, 17, 24, 27, 512];
    let family = algorithm.family();
    if family.identity.id == "flex" {
        // The others have rows of their own.
        return algorithm.choices().next().is_none();
    }
    let (nonces, nonce) = (family.sizes.nonce_bytes, algorithm.nonce_bytes());
    family.sizes.listed != Listed::All
        || nonces.count() <= 5
        || NONCES.contains(&nonce) && (nonce == nonces.default || algorithm.tag_bytes() >= 16)
}

/// `algorithm`, and where Flex leaves lengths free and the registry lists one, others: among them
/// the shortest and the longest.
fn with_other_lengths(algorithm: Algorithm) -> impl Iterator<Item = Algorithm> {
    let family = algorithm.family();
    let free = family.sizes.listed == Listed::Usual && family.sizes.nonce_bytes.accepts(0);
    let others = if free && family.sizes.params.is_empty() {
        &[(16, 0), (17, 1), (1024, 512)][..]
    } else {
        &[]
    };
    let others = others.iter().map(move |&(key, nonce)| {
        algorithm.with("key", key).and_then(|a| a.with("nonce", nonce)).expect("any length")
    });
    std::iter::once(algorithm).chain(others)
}

/// The longest group of GCM, on 512-bit registers.
const GCM_RATE: usize = 512;

/// A block of Flex.
const FLEX_RATE: usize = 64;

/// How many bytes one update of `algorithm` takes: where its edges are.
pub(crate) fn rate(algorithm: &Algorithm) -> usize {
    let id = algorithm.family().identity.id.trim_end_matches("-mac").trim_start_matches("ctx-");
    let degree = match algorithm.param("degree") {
        Some(degree) => degree as usize,
        None if id.ends_with("x4") => 4,
        None if id.ends_with("x2") => 2,
        None => 1,
    };
    match id {
        _ if id.starts_with("aegis-128") => 32 * degree,
        _ if id.starts_with("aegis-256") => 16 * degree,
        _ if id.ends_with("gcm") || id.ends_with("gcm-siv") => GCM_RATE,
        _ if id.starts_with("flex") => FLEX_RATE,
        _ if id.starts_with("och") => 32,
        // A chaining value; of associated data, two are a block.
        "omd-sha256" => 32,
        _ if id.starts_with("omd") => 64,
        _ => panic!("say what {id}'s rate is"),
    }
}

/// The lengths around a block, around one and two updates, and after many.
pub(crate) fn edges(rate: usize) -> Vec<usize> {
    let mut edges =
        vec![0, 1, 15, 16, 17, rate - 1, rate, rate + 1, 2 * rate - 1, 2 * rate + 3, 31 * rate];
    if rate == GCM_RATE {
        // Every power of two up to the rate is a group of some back end or the end of a short cut.
        edges.pop();
        let powers = [32, 64, 128, 256];
        edges.extend(powers.iter().flat_map(|&power| [power - 1, power, power + 1]));
        edges.extend([33, 48, 80, 95, 96, 97, 447, 448, 449, 2 * rate + 1, 8 * rate + 3]);
    }
    if rate == FLEX_RATE {
        // The hashed input changes at 256 bytes, a group of blocks has up to 1024, ROBUST's masks
        // 8192.
        edges.extend([31, 32, 33, 95, 96, 97, 256, 257, 1024, 1025, 1087, 8192 + 65]);
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Lengths of associated data and message: each at every edge, beside some of the other.
pub(crate) fn pairs(rate: usize) -> Vec<(usize, usize)> {
    let edges = edges(rate);
    let few = [GCM_RATE, FLEX_RATE].contains(&rate);
    let beside = if few { vec![0, 1, 16, 33] } else { edges.clone() };
    let mut pairs: Vec<_> =
        edges.iter().flat_map(|&e| beside.iter().flat_map(move |&b| [(e, b), (b, e)])).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
