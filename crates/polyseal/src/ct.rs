//! Constant-time comparison of tags, and wiping on failure: the two things that every opening ends
//! with.

use subtle::ConstantTimeEq;

#[cfg(feature = "memcheck")]
use crate::backend::memcheck;
use crate::error::{Error, Result};

/// Accepts `actual` if it equals `expected`; the time depends on the lengths only.
pub(crate) fn verify(expected: &[u8], actual: &[u8]) -> Result<()> {
    let equal = expected.ct_eq(actual);
    // CT: the verdict is public, and memcheck has to be told.
    #[cfg(feature = "memcheck")]
    let equal = subtle::Choice::from(memcheck::public(equal.unwrap_u8()));
    if bool::from(equal) { Ok(()) } else { Err(Error::Unauthentic) }
}
