//! Constant-time comparison of tags, and wiping on failure: the two things that every opening ends
//! with.

use subtle::ConstantTimeEq;

use crate::error::{Error, Result};

/// Accepts `actual` if it equals `expected`; the time depends on the lengths only.
pub(crate) fn verify(expected: &[u8], actual: &[u8]) -> Result<()> {
    if bool::from(expected.ct_eq(actual)) { Ok(()) } else { Err(Error::Unauthentic) }
}
