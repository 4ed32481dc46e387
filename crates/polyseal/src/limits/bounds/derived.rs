//! Schemes that derive a key from the head U of the nonce: XAES, KC-XAES, DNDK and their relatives.
//!
//! Source: section 4.2 of eprint 2025/758. As long as no m messages have the same U, each derived
//! key encrypts at most m − 1 of them. The paper takes a fixed m; here it is the one that costs
//! least, because what m − 1 messages cost is GCM's bound for many keys.

use super::{Amount, birthday, gcm};

/// More messages under one derived key than anybody would accept.
const MAX_M: u32 = 128;

/// The m that costs least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reuse {
    /// No `m` messages shall have the same derived key.
    pub m: u32,
    /// That they have, under any of the keys.
    pub shared: Amount,
    /// The most that each derived key encrypts, in blocks.
    pub blocks: Amount,
}

/// `q` messages of `l` blocks under each of `u` keys, with heads of `head_bits` random bits.
#[must_use]
pub fn least_reuse(u: Amount, q: Amount, l: Amount, head_bits: u32) -> Reuse {
    let reuse = |m| {
        let shared = u * birthday::multicollision(q, m, head_bits);
        let blocks = Amount::from(m - 1) * l.max(Amount::ONE);
        (shared + gcm::many_keys(u * q, l, blocks), Reuse { m, shared, blocks })
    };
    (3..=MAX_M).map(reuse).fold(reuse(2), |best, next| if next.0 < best.0 { next } else { best }).1
}

/// The longest message in bytes, if a derived key may encrypt `x` bytes and has at most m − 1
/// messages: min(X / (m − 1), 2^36 − 32).
#[must_use]
pub fn longest_message(x: u64, m: u32) -> u64 {
    (x / u64::from(m.saturating_sub(1).max(1))).min((1 << 36) - 32)
}

/// That `calls` outputs of one permutation of 128 bits are told from random blocks, for they all
/// differ: calls² / 2^129.
#[must_use]
pub fn all_different(calls: Amount) -> Amount {
    birthday::collision(calls, 128)
}
