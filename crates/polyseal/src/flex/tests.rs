//! Internals that cannot be seen from outside: F and the subkeys by their vectors, the field, and
//! the masks of blocks that are too far for a message in a test. They compile every profile for
//! every back end, so they are part of `make test-all` alone.

use alloc::vec;
use alloc::vec::Vec;

use serde_json::Value;

use super::config::Profile;
use super::engine::{ExpandedKey, hash};
use super::hash::{Chaining, Domain, initial_value, load_chaining};
use super::machine::{Machine, StateTask};
use super::parameters::{
    A256, A512, As320, Bytes, GROUP, K1600, Many, Parameters, S256, S384, S512, S1024, SingleState,
    zero,
};
use super::tweak::{Cipher, Key, STRETCH, blocks_in_group};
use crate::backend::Backend;
use crate::perm::States;

/// Calls `$function::<P>` with the profile of this name.
macro_rules! of_profile {
    ($name:expr, $function:ident($($argument:expr),*)) => {
        match $name {
            "S512" => $function::<S512>($($argument),*),
            "S256" => $function::<S256>($($argument),*),
            "S1024" => $function::<S1024>($($argument),*),
            "S384" => $function::<S384>($($argument),*),
            "A512" => $function::<A512>($($argument),*),
            "A256" => $function::<A256>($($argument),*),
            "K1600" => $function::<K1600>($($argument),*),
            "AS320" => $function::<As320>($($argument),*),
            name => panic!("no profile {name}"),
        }
    };
}

/// Calls `$function::<P>` with every profile.
macro_rules! in_every_profile {
    ($function:ident) => {
        Profile::ALL.into_iter().for_each(|profile| of_profile!(profile.name(), $function()))
    };
}

fn parts() -> Value {
    serde_json::from_str(include_str!("../../vectors/flex-parts.json")).expect("JSON")
}

fn text<'v>(test: &'v Value, name: &str) -> &'v str {
    test[name].as_str().expect(name)
}

fn bytes(test: &Value, name: &str) -> Vec<u8> {
    hex::decode(text(test, name)).expect("hexadecimal")
}

/// Bytes that look random: powers of 3 modulo 257 have no short period.
fn noise(count: usize) -> Vec<u8> {
    let next = |x: &u32| Some((x * 3) % 257);
    core::iter::successors(Some(5), next).map(|x| x as u8).take(count).collect()
}

// F and Init

fn is_f<P: Parameters>(test: &Value) {
    let domain = match test["domain"].as_u64() {
        Some(2) => Domain::Ad,
        Some(3) => Domain::NonceAndAd,
        Some(7) => Domain::Setup,
        other => panic!("no vector has domain {other:?}"),
    };
    let (from, input, expected) = (bytes(test, "H"), bytes(test, "X"), bytes(test, "out"));
    let mut chaining: Chaining = [0; 32];
    chaining[..P::T].copy_from_slice(&from);
    let cuts = [0, 1, P::R - 1, P::R, 255, 256, 257, 1024, input.len()];
    for backend in Backend::available() {
        for cut in cuts.into_iter().filter(|&cut| cut <= input.len()) {
            let (first, second) = input.split_at(cut);
            let pieces = [first, &[], second];
            let output = hash::<P>(backend, &chaining, domain, &pieces);
            let name = backend.name();
            // More than t bytes come from Init only, and are looked at there.
            assert_eq!(output[..P::T], expected[..P::T], "{test} on {name}, cut at {cut}");
        }
    }
}

/// K1 and L.
fn is_init<P: Parameters>(test: &Value) {
    let (key, setup_ad, l) = (bytes(test, "key"), bytes(test, "setupAd"), bytes(test, "L"));
    let cfg: [u8; 8] = bytes(test, "cfg").try_into().expect("eight bytes");
    for backend in Backend::available() {
        let prehashed;
        let mut expanded = ExpandedKey::<P>::empty(backend);
        let setup_ad = if cfg[1] & 2 != 0 {
            let pieces: [&[u8]; 1] = [&setup_ad];
            prehashed =
                hash::<P>(backend, &initial_value::<P>(), Domain::Setup, &pieces)[..P::T].to_vec();
            &prehashed
        } else {
            &setup_ad
        };
        expanded.init(&key, &cfg, setup_ad);
        assert_eq!(expanded.k1()[..P::T], bytes(test, "K1"), "{test} on {}", backend.name());
        assert_eq!(expanded.k1()[P::T..], [0; 32][P::T..]);

        assert_eq!(expanded.l().as_ref(), l, "{test} on {}", backend.name());
    }
}

#[test]
fn vectors_of_parts() {
    let parts = parts();
    let list = |name| parts[name].as_array().expect("a list");
    for test in list("F") {
        of_profile!(text(test, "profile"), is_f(test));
    }
    for test in list("init") {
        of_profile!(text(test, "profile"), is_init(test));
    }
    assert_eq!((list("F").len(), list("init").len()), (48, 24));
}

// The field

/// The exponents of a profile's polynomial but the first, as the specification prints them.
fn polynomial(profile: Profile) -> [usize; 4] {
    match profile {
        Profile::S512 | Profile::A512 => [8, 5, 2, 0],
        Profile::S256 | Profile::A256 => [10, 5, 2, 0],
        Profile::S1024 => [19, 6, 1, 0],
        Profile::S384 => [12, 3, 2, 0],
        Profile::K1600 => [14, 11, 1, 0],
        Profile::As320 => [4, 3, 1, 0],
    }
}

/// x · `block`, bit by bit.
fn double<P: Parameters>(block: &[u8]) -> Vec<u8> {
    let bit = |k: usize| block[k / 8] >> (k % 8) & 1;
    let mut doubled = vec![0; P::B];
    for k in 1..8 * P::B {
        doubled[k / 8] |= bit(k - 1) << (k % 8);
    }
    for exponent in polynomial(P::PROFILE) {
        doubled[exponent / 8] ^= bit(8 * P::B - 1) << (exponent % 8);
    }
    doubled
}

/// p ⊗ L.
fn times<P: Parameters>(p: u64, l: &[u8]) -> Vec<u8> {
    let (mut sum, mut multiple) = (vec![0; P::B], l.to_vec());
    for b in 0..u64::BITS - p.leading_zeros() {
        if p >> b & 1 == 1 {
            sum.iter_mut().zip(&multiple).for_each(|(sum, x)| *sum ^= x);
        }
        multiple = double::<P>(&multiple);
    }
    sum
}

fn doubles<P: Parameters>() {
    let mut top = vec![0; P::B];
    top[P::B - 1] = 0x80;
    for start in [vec![0xff; P::B], top, noise(P::B)] {
        let mut block = P::Block::ZERO;
        block.as_mut().copy_from_slice(&start);
        let mut expected = start;
        for _ in 0..200 {
            P::double(&mut block);
            expected = double::<P>(&expected);
            assert_eq!(block.as_ref(), expected, "{}", P::PROFILE.name());
        }
    }
}

#[test]
fn doubling_is_that_of_the_field() {
    in_every_profile!(doubles);
}

// Masks

/// That the masks of far blocks, and those that are made group by group, are what section 6 says.
struct MasksAreRight;

impl<P: Parameters> StateTask<P> for MasksAreRight {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine<P>>(self, machine: M) {
        let (l, k1): (_, Chaining) = (noise(P::B), [0x3c; 32]);
        let mut key = Key::<P>::new();
        let context = load_chaining::<P, M>(machine, &k1);
        key.fill(machine, context, SingleState::<P, M>::load(machine, &l));
        let mut e = Cipher::<P, M>::new(machine, &key, context);
        let delta = noise(P::B + 7).split_off(7);
        e.set_delta(SingleState::<P, M>::load(machine, &delta));

        let stored = |d: SingleState<P, M>| {
            let mut stored = vec![0; P::B];
            d.store(&mut stored);
            stored
        };
        let plus = |mut x: Vec<u8>, y: &[u8]| {
            x.iter_mut().zip(y).for_each(|(x, y)| *x ^= y);
            x
        };
        for i in [0, 1, 2, 15, 16, 1 << 20, (1 << 21) - 1, 1 << 21, 1 << 40, (1 << 59) + 12345] {
            for j in [1, 9, 15] {
                let d = plus(times::<P>(16 * i + j, &l), &k1[..P::T]);
                assert_eq!(stored(e.d(i, j)), d, "({i}, {j})");
                assert_eq!(stored(e.with_delta(i, j)), plus(d, &delta), "({i}, {j}) with Δ");
            }
        }

        let blocks = blocks_in_group::<P, M>();
        for with_delta in [false, true] {
            let mut masks = e.masks(3, with_delta);
            let mut far = masks.far();
            for k in 0..(1 << 13) + 2 {
                if k % STRETCH as usize == 0 {
                    far = masks.far();
                }
                let nothing = [Many::<P, M>::load_partial(machine, &[]); GROUP];
                let partial = masks.some(0).add(nothing);
                let whole = masks.next(&far).add(nothing);
                // All of the first, then those around the steps of which there are few.
                if k >= 40 && (k + 2) % 1024 > 3 {
                    continue;
                }
                for (n, (partial, whole)) in partial.into_iter().zip(whole).enumerate() {
                    let mut of = [vec![0; Many::<P, M>::BYTES], vec![0; Many::<P, M>::BYTES]];
                    partial.store(&mut of[0]);
                    whole.store(&mut of[1]);
                    for q in 0..Many::<P, M>::COUNT {
                        let place = n * Many::<P, M>::COUNT + q;
                        let i = (k * blocks + place) as u64 + 1;
                        let d = if with_delta { e.with_delta(i, 3) } else { e.d(i, 3) };
                        let d = stored(d);
                        assert_eq!(of[1][q * P::B..][..P::B], d, "block {i}");
                        // The last block of a group is there only if the group is full.
                        if place + 1 < blocks {
                            assert_eq!(of[0][q * P::B..][..P::B], d, "block {i}");
                        }
                    }
                }
            }
        }
        let zeros = stored(zero::<P, M>(machine));
        assert_eq!(zeros, vec![0; P::B]);
    }
}

fn has_right_masks<P: Parameters>() {
    Backend::available().for_each(|backend| P::run(backend, MasksAreRight));
}

/// In registers, and in memory: profiles differ in nothing else.
#[test]
fn masks_of_far_blocks() {
    has_right_masks::<S512>();
    has_right_masks::<S384>();
}
