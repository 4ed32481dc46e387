//! How likely an adversary is to find a ciphertext that two keys open, by his work.
//!
//! Sources: eprint 2025/758, theorem 1 and section 5.1; else the birthday bound on the commitment.

use super::{Amount, birthday};

/// Larger ones are never the best where the bound says anything.
const MAX_BETA: u32 = 64;

/// A bound that holds for every β, and the β for which it is least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForKc {
    /// The bound.
    pub amount: Amount,
    /// With how many other keys no key shall share both blocks of some commitment.
    pub beta: u32,
}

/// Theorem 1: two keys, one nonce, and the same commitment of two blocks (FOR-KC), after `q` calls
/// of an ideal cipher with blocks of `n` bits, q < 2^(n − 1).
///
/// adv(q, n) = min over β of q C(q − 1, β) / (2^n − 2q)^β + 4 (β − 1) q / (2^n − 2q), and 3 C(q, 2)
/// / (2^n − 2q)² more. The first term is lemma 2: some key partly collides with β others. The
/// second is lemma 3: a call completes one of at most β − 1 partial collisions. The lemmas' proofs
/// add up to 6 C(q, 2) in the last term and not 3, which changes no figure here.
#[must_use]
pub fn for_kc(q: Amount, n: u32) -> ForKc {
    let left = 1.0 - (q.log2() + 1.0 - f64::from(n)).exp2();
    if left <= 0.0 {
        return ForKc { amount: Amount::ONE, beta: 1 };
    }
    let values = Amount::power_of_two(f64::from(n) + left.log2());
    let forward = Amount::from(3_u32) * choose(q, 0, 2) / values.pow(2);
    let at = |beta: u32| {
        let partial = q * choose(q, 1, beta) / values.pow(beta);
        let complete = Amount::from(4 * (beta - 1)) * q / values;
        ForKc { amount: partial + complete + forward, beta }
    };
    let less = |best: ForKc, next: ForKc| if next.amount < best.amount { next } else { best };
    (2..=MAX_BETA).map(at).fold(at(1), less)
}

/// C(q − `less`, k).
fn choose(q: Amount, less: u32, k: u32) -> Amount {
    let factor = |i: u32| match 1.0 - f64::from(less + i) * (-q.log2()).exp2() {
        share if share > 0.0 => q * Amount::power_of_two(share.log2()),
        _ => Amount::ZERO,
    };
    (0..k).map(factor).fold(Amount::ONE, |product, x| product * x) / Amount::factorial(k)
}

/// Two keys, each with a nonce of the adversary's choice, where the nonce does not travel with the
/// ciphertext (CMT-1): it takes about 2^(n / 2) calls, so q of them have q² / 2^(n + 1).
#[must_use]
pub fn implied_nonce(q: Amount, n: u32) -> Amount {
    birthday::collision(q, n)
}

/// One known key and two nonces of `b` bytes, where the nonce does not travel with the ciphertext:
/// the cheapest way to break CMT-2, which section 2 defines by (K, N) ≠ (K', N').
///
/// V can correct all of X1 but its last 28 − b bytes, so q calls have q² / 2^(8 (28 − b) + 1).
/// `research/papers/kc-xaes.md` does it. With nonces of 28 bytes or more V could correct
/// everything.
#[must_use]
pub fn one_key_implied_nonces(q: Amount, b: u32) -> Amount {
    birthday::collision(q, 8 * 28_u32.saturating_sub(b))
}

/// Two keys with the same commitment, which takes 2^`bits` calls to find: q² / 2^(2 bits + 1).
#[must_use]
pub fn generic(q: Amount, bits: u32) -> Amount {
    birthday::collision(q, bits.saturating_mul(2))
}
