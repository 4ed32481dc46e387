//! Constant-time comparison of tags.

use subtle::ConstantTimeEq;
use zeroize::Zeroize;

#[cfg(feature = "memcheck")]
use crate::backend::memcheck;
use crate::error::{Error, Result};

/// Accepts `actual` if it equals `expected`; the time depends on the lengths only.
///
/// Wipes `expected` otherwise: to a forger, the right tag of a forgery is as good as the key.
#[inline]
pub(crate) fn verify(expected: &mut [u8], actual: &[u8]) -> Result<()> {
    let ((words, rest), (actual_words, actual_rest)) =
        (expected.as_chunks::<8>(), actual.as_chunks::<8>());
    let mut difference = 0;
    for (word, actual) in words.iter().zip(actual_words) {
        difference |= u64::from_le_bytes(*word) ^ u64::from_le_bytes(*actual);
    }
    let equal =
        difference.ct_eq(&0) & rest.ct_eq(actual_rest) & expected.len().ct_eq(&actual.len());
    // CT: the verdict is public, and memcheck has to be told.
    #[cfg(feature = "memcheck")]
    let equal = subtle::Choice::from(memcheck::public(equal.unwrap_u8()));
    // CT: the verdict is public.
    if bool::from(equal) {
        return Ok(());
    }
    expected.zeroize();
    Err(Error::Unauthentic)
}
