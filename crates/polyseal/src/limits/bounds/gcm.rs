//! GCM with AES: what its advantage over a random function grows with.
//!
//! Source: draft-irtf-cfrg-aead-limits-13, with its letters; and, for nonces that are hashed,
//! theorem 3 of Niwa, Ohashi, Minematsu and Iwata, GCM Security Bounds Reconsidered (eprint
//! 2015/214).
//!
//! q messages are sealed and v forgeries are refused; L is the length of one message with its
//! associated data, and s that of all, in blocks; t is the tag's length in bits.

use super::Amount;

/// L of messages of `message_bytes` with `ad_bytes` of associated data.
#[must_use]
pub fn blocks(message_bytes: u64, ad_bytes: u64) -> Amount {
    (u128::from(message_bytes.div_ceil(16)) + u128::from(ad_bytes.div_ceil(16))).into()
}

/// Distinguishing, one key: CA ≤ (s + q + 1)² / 2^129 (6.2.1).
#[must_use]
pub fn confidentiality(q: Amount, s: Amount) -> Amount {
    (s + q + Amount::ONE).pow(2) / Amount::power_of_two(129.0)
}

/// Forgery, one key: IA ≤ 2 v (L + 1) / 2^t (6.2.2, where t is 128). It is linear in v, so that
/// many keys have as much altogether as one with all their v: the sum that section 7 allows where
/// there is no better bound, and for forgery alone it knows none.
#[must_use]
pub fn integrity(v: Amount, l: Amount, t: u32) -> Amount {
    Amount::power_of_two(1.0) * v * (l + Amount::ONE) / Amount::power_of_two(t.into())
}

/// Whether [`integrity`] bounds anything: s + q + v < 2^64, for each key (6.2.2).
#[must_use]
pub fn integrity_is_bounded(q: Amount, s: Amount, v: Amount) -> bool {
    s + q + v < Amount::power_of_two(64.0)
}

/// Distinguishing, many keys, q counting the messages of all, and no key encrypting more than `b`
/// blocks: CA ≤ q L (B + 98) / 2^127 (7.1.2), an empty message counting one block.
#[must_use]
pub fn many_keys(q: Amount, l: Amount, b: Amount) -> Amount {
    q * l.max(Amount::ONE) * (b + Amount::from(98_u32)) / Amount::power_of_two(127.0)
}

/// Two messages meet in a counter, one key, nonces not of 12 bytes but of `nonce_bytes`, which are
/// hashed: 32 (q + v) (s + q + 1) (ℓ + 1) / 2^128, ℓ the nonce's length in blocks.
#[must_use]
pub fn hashed_nonces(q: Amount, v: Amount, s: Amount, nonce_bytes: u64) -> Amount {
    let nonce_blocks = Amount::from(nonce_bytes.div_ceil(16));
    Amount::from(32_u32) * (q + v) * (s + q + Amount::ONE) * (nonce_blocks + Amount::ONE)
        / Amount::power_of_two(128.0)
}
