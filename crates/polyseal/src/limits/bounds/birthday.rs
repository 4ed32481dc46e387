//! Random values that come out the same.
//!
//! Source: section 4.2 of eprint 2025/758. Its equation (1) is right; for m = 8, 2^(96 − 16·8) / 8!
//! is meant where the text has the factorial in the exponent.

use super::Amount;

/// Two of `q` random values of `bits` bits are the same: q² / 2 · 2^-bits.
#[must_use]
pub fn collision(q: Amount, bits: u32) -> Amount {
    multicollision(q, 2, bits)
}

/// Some `m` of `q` random values of `bits` bits are all the same: C(q, m) · 2^-bits(m − 1), with
/// q^m / m! for C(q, m).
#[must_use]
pub fn multicollision(q: Amount, m: u32, bits: u32) -> Amount {
    let rest = Amount::power_of_two(f64::from(bits) * f64::from(m.saturating_sub(1)));
    q.pow(m) / Amount::factorial(m) / rest
}
