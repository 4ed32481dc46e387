//! Comparison in constant time.
//!
//! `contract/open.rs` is the only place that acts on the result.

use subtle::{Choice, ConstantTimeEq};

/// Whether these are equal; the time depends on the lengths only.
#[inline(always)]
pub(crate) fn equal(expected: &[u8], actual: &[u8]) -> Choice {
    let ((words, rest), (actual_words, actual_rest)) =
        (expected.as_chunks::<8>(), actual.as_chunks::<8>());
    let mut difference = (expected.len() ^ actual.len()) as u64;
    for (word, actual) in words.iter().zip(actual_words) {
        difference |= u64::from_le_bytes(*word) ^ u64::from_le_bytes(*actual);
    }
    for (byte, actual) in rest.iter().zip(actual_rest) {
        difference |= u64::from(byte ^ actual);
    }
    difference.ct_eq(&0)
}
