//! The cost of attacks on commitments, measured where blocks are small.

use std::collections::HashSet;

use polyseal::limits::bounds::Amount;
use polyseal::limits::bounds::commitment::for_kc;

use super::support::forkc;
use super::support::toy::{Opening, Toy, keys, log2_cost, slope};

/// Section 5.1 of eprint 2025/758: two keys, two nonces, 2^(n / 2).
#[test]
fn free_nonces_cost_half_a_block() {
    let cost = |n| {
        let attack = |toy: &Toy, seed| {
            let [one, other] = toy.two_keys_and_nonces(seed);
            assert_ne!(one.key, other.key);
            assert_eq!(Toy::new(n).commit(one), Toy::new(n).commit(other));
        };
        (n, log2_cost(n, 256, attack))
    };
    let points: Vec<_> = [16, 18, 20, 22, 24].map(cost).to_vec();
    let slope = slope(&points);
    assert!((0.45..0.55).contains(&slope), "2^({slope:.2} n): {points:?}");
    for (n, log2) in points {
        // Two calls a key; a collision takes 2^(n / 2 + 0.08) keys in the geometric mean.
        let expected = 1.08 + f64::from(n) / 2.0;
        assert!((log2 - expected).abs() < 0.3, "{n} bits: 2^{log2:.2} and not 2^{expected:.2}");
    }
}

/// Under one nonce, 2^n.
#[test]
fn one_nonce_costs_a_block() {
    let cost = |n| {
        let attack = |toy: &Toy, seed| {
            let [one, other] = forkc::two_keys(toy, seed);
            assert_ne!(one.key, other.key);
            assert_eq!((one.u, one.v), (other.u, other.v));
            assert_eq!(Toy::new(n).commit(one), Toy::new(n).commit(other));
        };
        (n, log2_cost(n, 8, attack))
    };
    let points: Vec<_> = [16, 18, 20].map(cost).to_vec();
    let slope = slope(&points);
    assert!((0.9..1.1).contains(&slope), "2^({slope:.2} n): {points:?}");
    for (n, log2) in points {
        let theorem = for_kc(Amount::power_of_two(log2 - 2.0), n).amount;
        assert!(theorem >= Amount::ONE, "{n} bits: theorem 1 forbids a quarter of 2^{log2:.2}");
    }
}

/// The search does not succeed more often than theorem 1 allows, and as often as it would with an
/// ideal cipher.
#[test]
fn one_nonce_follows_the_theorem() {
    for (n, q, trials) in [(8, 16, 1 << 20), (10, 64, 1 << 18), (12, 256, 1 << 16)] {
        let successes = forkc::successes(Toy::commit, n, q, trials) as f64;
        let bound = for_kc(Amount::from(q), n).amount;
        assert!(bound < Amount::ONE, "the theorem says nothing here");
        assert!((successes / trials as f64).log2() <= bound.log2());
        let expected = forkc::expected(n, q) * trials as f64;
        let away = (successes - expected).abs();
        assert!(away < 3.0 * expected.sqrt(), "{n} bits: {successes} and not {expected:.1}");
    }
}

/// With U in the second half's last block, every nonce has a commitment of its own; as it is, a
/// quarter of a block decides.
#[test]
fn u_in_the_last_block_binds_the_nonce() {
    let toy = Toy::new(12);
    for key in keys(7).take(8) {
        let all = |commit: forkc::Commit| {
            let openings = (0..1 << 18).map(|uv| Opening { key, u: uv >> 9, v: uv & 511 });
            openings.map(|opening| commit(&toy, opening)).collect::<HashSet<_>>().len()
        };
        assert_eq!(all(Toy::commit_bound), 1 << 18);
        // 2^18 nonces, and a block has 2^12 values.
        assert!(all(Toy::commit) <= 1 << 12);
    }
}

/// The best that we know with two keys and nonces that are not sent stays at half a block.
#[test]
fn u_in_the_last_block_is_no_easier_with_two_keys() {
    let cost = |n| {
        let attack = |toy: &Toy, seed| {
            let [one, other] = toy.two_keys_bound(seed);
            assert_ne!(one.key, other.key);
            assert_eq!(Toy::new(n).commit_bound(one), Toy::new(n).commit_bound(other));
        };
        (n, log2_cost(n, 256, attack))
    };
    let points: Vec<_> = [16, 20].map(cost).to_vec();
    let slope = slope(&points);
    assert!((0.45..0.55).contains(&slope), "2^({slope:.2} n): {points:?}");
    assert!(points.iter().all(|&(n, log2)| log2 > 1.0 + f64::from(n) / 2.0), "{points:?}");
}

/// Under one nonce it is as often found as K_C is.
#[test]
fn u_in_the_last_block_follows_an_ideal_cipher() {
    for (n, q, trials) in [(8, 16, 1 << 20), (10, 64, 1 << 18)] {
        let successes = forkc::successes(Toy::commit_bound, n, q, trials) as f64;
        let expected = forkc::expected(n, q) * trials as f64;
        let away = (successes - expected).abs();
        assert!(away < 3.0 * expected.sqrt(), "{n} bits: {successes} and not {expected:.1}");
    }
}

#[test]
fn the_toy_is_a_permutation_that_can_be_inverted() {
    for n in [8, 10, 12, 16] {
        let toy = Toy::new(n);
        for x in 0..1 << n {
            let y = toy.encrypt(7, x);
            assert!(y < 1 << n);
            assert_eq!(toy.decrypt(7, y), x, "{n} bits");
        }
    }
}
