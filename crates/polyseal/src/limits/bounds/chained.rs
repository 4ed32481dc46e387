//! A keyed compression function with chaining values of n bits, as OMD has it.
//!
//! Source: section 8 of `docs/spec/omd.md`, without what the function itself is worth.
//!
//! L is the length of one message with its associated data, and s that of all, in the mode's
//! blocks; v forgeries are refused; t is the tag's length in bits.

use super::Amount;

/// L of messages of `message_bytes` with `ad_bytes` of associated data: blocks of `chain_bytes`,
/// and of twice as many. An empty input is a block.
#[must_use]
pub fn blocks(message_bytes: u64, ad_bytes: u64, chain_bytes: u64) -> Amount {
    let message = message_bytes.div_ceil(chain_bytes).max(1);
    let ad = ad_bytes.div_ceil(2 * chain_bytes).max(1);
    (u128::from(message) + u128::from(ad)).into()
}

/// Distinguishing, and all of forging but guessing, one key: 3 s² / 2^n.
#[must_use]
pub fn collision(s: Amount, n: u32) -> Amount {
    Amount::from(3_u32) * s.pow(2) / Amount::power_of_two(n.into())
}

/// Forgery by guessing a chaining value or the tag: v (L / 2^n + 1 / 2^t).
#[must_use]
pub fn guessing(v: Amount, l: Amount, n: u32, t: u32) -> Amount {
    v * l / Amount::power_of_two(n.into()) + v / Amount::power_of_two(t.into())
}
