//! Theorem 1 of eprint 2025/758 beside the best adversary that there is, on blocks of a few bits.

use polyseal::limits::bounds::Amount;
use polyseal::limits::bounds::commitment::for_kc;

use super::support::adversary::Game;

/// Every Δ; with two pairs the best has 2 / 2^n (2^n − 1): it guesses the answer to one question,
/// which may be right in two orders.
#[test]
fn the_best_adversary_stays_below_theorem_1() {
    for n in 2..=4 {
        let blocks = f64::from(1 << n);
        for delta in 1..1 << n {
            let best = Game::new(n, delta).best(2);
            let expected = 2.0 / (blocks * (blocks - 1.0));
            assert!((best / expected - 1.0).abs() < 1e-9, "{n} bits, Δ = {delta}: {best}");
            let bound = for_kc(Amount::from(2_u32), n).amount;
            assert!(best.log2() < bound.log2(), "{n} bits, Δ = {delta}: {best}");
        }
    }
    assert!(for_kc(Amount::from(2_u32), 4).amount.log2() < -2.4, "the theorem says something");
}

/// More pairs win more, and about as often as pairs of pairs: the paper's intuition,
/// C(q, 2) / 2^2n, is right but for a factor of two.
#[test]
fn more_pairs_win_as_often_as_pairs_of_pairs() {
    for (n, pairs, least, most) in [(2, 3, 0.439, 0.440), (3, 3, 0.110, 0.111)] {
        let best = Game::new(n, 3).best(pairs);
        assert!((least..most).contains(&best), "{n} bits, {pairs} pairs: {best}");
        assert!(best > Game::new(n, 3).best(pairs - 1));
        let blocks = f64::from(1 << n);
        let pairs_of_pairs = f64::from(pairs * (pairs - 1)) / (blocks * (blocks - 1.0));
        assert!((0.75..1.1).contains(&(best / pairs_of_pairs)), "{n} bits, {pairs} pairs: {best}");
    }
    assert_eq!(Game::new(3, 3).best(1).to_bits(), 0.0_f64.to_bits(), "one pair is one key");
}

/// The winning values are found in two ways.
#[test]
fn what_wins_is_a_collision() {
    for (n, delta, pairs) in [(2, 1, 4), (2, 3, 4), (3, 2, 3), (3, 3, 3), (4, 3, 2)] {
        Game::new(n, delta).wins_are_what_wins(pairs);
        Game::new(n, delta).collisions_are_those_of_f_com(300);
    }
}
