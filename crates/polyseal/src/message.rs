//! A message of a batch.

use crate::error::{Error, Result};

/// One of many messages: its nonce, associated data, message or ciphertext (in place), and tag.
#[derive(Debug)]
pub struct Message<'a> {
    /// The nonce, as long as the algorithm's.
    pub nonce: &'a [u8],
    /// The associated data.
    pub ad: &'a [u8],
    /// The message, to be sealed in place, or the ciphertext, to be opened in place.
    pub buffer: &'a mut [u8],
    /// The tag, to be written or to be verified: as long as the algorithm's.
    pub tag: &'a mut [u8],
    /// Whether it was authentic: set by opening, [`Error::Unauthentic`] if not. Then `buffer` has
    /// been wiped.
    pub outcome: Result<()>,
}

impl<'a> Message<'a> {
    /// A message that nothing has been done with.
    #[must_use]
    pub fn new(nonce: &'a [u8], ad: &'a [u8], buffer: &'a mut [u8], tag: &'a mut [u8]) -> Self {
        Self { nonce, ad, buffer, tag, outcome: Ok(()) }
    }

    /// Checks lengths in bytes against the algorithm's: nonce, tag, longest message and longest
    /// associated data.
    pub(crate) fn check(&self, nonce: usize, tag: usize, message: u64, ad: u64) -> Result<()> {
        for (what, expected, actual) in
            [("nonce", nonce, self.nonce.len()), ("tag", tag, self.tag.len())]
        {
            if expected != actual {
                return Err(Error::Length { what, expected, actual });
            }
        }
        for (what, bytes, limit) in
            [("message", self.buffer.len(), message), ("associated data", self.ad.len(), ad)]
        {
            if bytes as u64 > limit {
                return Err(Error::TooLong { what, limit });
            }
        }
        Ok(())
    }
}
