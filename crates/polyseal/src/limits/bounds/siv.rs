//! AES-GCM-SIV: a hash and counter mode under keys that are derived from the whole nonce.
//!
//! Source: "AES-GCM-SIV" in `docs/limits.md`, which derives these bounds.
//!
//! They hold while nonces do not repeat: then every derived key has one message. q messages are
//! sealed and v forgeries are refused; L is the length of one message with its associated data, in
//! blocks.

use super::Amount;

/// Distinguishing what is derived: `halves` halves of outputs of a permutation of 128 bits for each
/// of q messages are told from random ones, (halves q) / 2^96.
#[must_use]
pub fn derivation(q: Amount, halves: u32) -> Amount {
    Amount::from(halves) * q / Amount::power_of_two(96.0)
}

/// Distinguishing, q keys with a message of `l` blocks each: q (L + 1)² / 2^129, for the blocks of
/// a message and its tag are outputs of one permutation.
#[must_use]
pub fn confidentiality(q: Amount, l: Amount) -> Amount {
    q * (l + Amount::ONE).pow(2) / Amount::power_of_two(129.0)
}

/// Forgery: 2 v (L + 2) / 2^128.
#[must_use]
pub fn integrity(v: Amount, l: Amount) -> Amount {
    Amount::power_of_two(1.0) * v * (l + Amount::from(2_u32)) / Amount::power_of_two(128.0)
}
