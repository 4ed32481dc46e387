//! What a family brings.

use aead::inout::InOutBuf;

use super::batch::Message;
use super::open::open;
use crate::error::{Error, Result};

/// The longest inputs of an algorithm, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongestInputs {
    pub(crate) message: u64,
    pub(crate) ad: u64,
}

impl LongestInputs {
    /// Refuses what is longer.
    #[inline]
    pub(crate) fn check(&self, ad: usize, message: usize) -> Result<()> {
        if ad as u64 > self.ad {
            return Err(Error::TooLong { what: "associated data", limit: self.ad });
        }
        if message as u64 > self.message {
            return Err(Error::TooLong { what: "message", limit: self.message });
        }
        Ok(())
    }
}

/// An AEAD under a key. The caller has checked all lengths: nothing here can fail.
pub(crate) trait Core {
    const LONGEST: LongestInputs;

    /// Room for the longest tag.
    type Tag: Default + AsMut<[u8]>;

    /// Seals from `buffer`'s input to its output, and writes the tag.
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]);

    /// Decrypts what `tag` came with, and writes to `expected` the tag that there should be: as
    /// long, and equal if and only if all of it is authentic.
    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
        expected: &mut [u8],
    );

    /// Seals or opens every message and sets its outcome. An algorithm that processes many side by
    /// side does so here.
    fn process_batch(&self, seals: bool, messages: &mut [Message<'_>])
    where
        Self: Sized,
    {
        for message in messages {
            process_one(self, seals, message);
        }
    }
}

/// Seals or opens a message of a batch and sets its outcome.
#[inline]
pub(crate) fn process_one<C: Core>(core: &C, seals: bool, message: &mut Message<'_>) {
    let Message { nonce, ad, buffer, tag, outcome } = message;
    let buffer: InOutBuf<'_, '_, u8> = (&mut **buffer).into();
    *outcome = if seals {
        core.seal(nonce, ad, buffer, tag);
        Ok(())
    } else {
        open(core, nonce, ad, buffer, tag)
    };
}
