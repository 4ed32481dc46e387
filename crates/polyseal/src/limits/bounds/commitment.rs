//! How likely an adversary is to find a ciphertext that two keys open, by his work.
//!
//! Sources: eprint 2025/758, theorem 1 and section 5.1; else the birthday bound on the commitment.

use super::{Amount, birthday};

/// Larger ones are never the best.
const MAX_BETA: u32 = 64;

/// A bound that holds for every β, and the β for which it is least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForKc {
    /// The bound.
    pub amount: Amount,
    /// How many values that a query may hit are allowed for.
    pub beta: u32,
}

/// Theorem 1: two keys, one nonce, and the same commitment of two blocks (FOR-KC), after `q` calls
/// of an ideal cipher with blocks of `n` bits.
///
/// adv(q, n) ≤ min over β of C(q, β + 1) / 2^(nβ) + 4 β q / (2^n − q): either some β + 1
/// intermediate values are the same, or one of q calls, in one of its four places (the subkey, X1
/// and the two blocks of the commitment), hits one of at most β values.
///
/// It is reconstructed from what is said of it, that n = 128 and q = 2^80 give less than 2^-44 with
/// β = 3: this gives 2^-44.4. In the place of 4 that leaves what is between 8/3 and 16/3.
#[must_use]
pub fn for_kc(q: Amount, n: u32) -> ForKc {
    let left = 1.0 - (q.log2() - f64::from(n)).exp2();
    if left <= 0.0 {
        return ForKc { amount: Amount::ONE, beta: 1 };
    }
    let others = Amount::power_of_two(f64::from(n) + left.log2());
    let at = |beta: u32| {
        let hit = Amount::from(4 * beta) * q / others;
        ForKc { amount: birthday::multicollision(q, beta + 1, n) + hit, beta }
    };
    let less = |best: ForKc, next: ForKc| if next.amount < best.amount { next } else { best };
    (2..=MAX_BETA).map(at).fold(at(1), less)
}

/// Two keys, each with a nonce of the adversary's choice, where the nonce does not travel with the
/// ciphertext (CMT-1): it takes about 2^(n / 2) calls, so q of them have q² / 2^(n + 1).
#[must_use]
pub fn implied_nonce(q: Amount, n: u32) -> Amount {
    birthday::collision(q, n)
}

/// One known key and two nonces of `b` bytes, where the nonce does not travel with the ciphertext
/// (the cheapest way to break CMT-2): V can correct all of X1 but its last 28 − b bytes, so q calls
/// have q² / 2^(8 (28 − b) + 1). `papers/kc-xaes.md` does it. Of nonces of 28 bytes or more V could
/// correct everything.
#[must_use]
pub fn one_key_implied_nonces(q: Amount, b: u32) -> Amount {
    birthday::collision(q, 8 * 28_u32.saturating_sub(b))
}

/// Two keys with the same commitment, which takes 2^`bits` calls to find: q² / 2^(2 bits + 1).
#[must_use]
pub fn generic(q: Amount, bits: u32) -> Amount {
    birthday::collision(q, bits.saturating_mul(2))
}
