//! The interface that a family implements.

#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};

use aead::inout::InOutBuf;
#[cfg(feature = "alloc")]
use zeroize::Zeroizing;

use super::batch::Message;
#[cfg(feature = "alloc")]
use super::dynamic::{Opened, inout};
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

    /// Wipes what decryption leaves elsewhere, once a message has been refused.
    #[inline]
    fn wipe_workspace(&self) {}

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

    /// Seals into a new vector: ciphertext, then the tag of `tag_bytes` bytes. An algorithm whose
    /// ciphertext is laid out otherwise does so here and in the next two.
    #[cfg(feature = "alloc")]
    fn seal_whole(
        &self,
        nonce: &[u8],
        ad: &[u8],
        message: &[u8],
        tag_bytes: usize,
    ) -> Result<Vec<u8>>
    where
        Self: Sized,
    {
        let mut sealed = vec![0; message.len() + tag_bytes];
        let (ciphertext, tag) = sealed.split_at_mut(message.len());
        self.seal(nonce, ad, inout(message, ciphertext)?, tag);
        Ok(sealed)
    }

    /// Opens what [`seal_whole`](Self::seal_whole) gave, at least as long as the tag, into a new
    /// vector.
    #[cfg(feature = "alloc")]
    fn open_whole(
        &self,
        nonce: &[u8],
        ad: &[u8],
        sealed: &[u8],
        tag_bytes: usize,
    ) -> Result<Zeroizing<Vec<u8>>>
    where
        Self: Sized,
    {
        let (ciphertext, tag) = sealed.split_at(sealed.len() - tag_bytes);
        let mut message = Zeroizing::new(vec![0; ciphertext.len()]);
        open(self, nonce, ad, inout(ciphertext, &mut message)?, tag)?;
        Ok(message)
    }

    /// The same with the nonce hidden in it; by default there is no hidden nonce, and it has no
    /// bytes.
    #[cfg(feature = "alloc")]
    fn open_hidden(&self, ad: &[u8], sealed: &[u8], tag_bytes: usize) -> Result<Opened>
    where
        Self: Sized,
    {
        let message = self.open_whole(&[], ad, sealed, tag_bytes)?;
        Ok(Opened { nonce: Vec::new(), message })
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

/// Input and output of which the caller knows that they are of one length.
///
/// # Panics
///
/// Panics if they are not.
#[cfg(feature = "flex")]
pub(crate) fn of_one_length<'i, 'o>(input: &'i [u8], output: &'o mut [u8]) -> InOutBuf<'i, 'o, u8> {
    InOutBuf::new(input, output).expect("of one length")
}
