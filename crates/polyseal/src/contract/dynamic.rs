//! The interface of every algorithm that is chosen at run time: behind a pointer, with lengths that
//! have been checked.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use aead::inout::InOutBuf;
use zeroize::Zeroizing;

use super::batch::Message;
use super::{Core, open};
use crate::error::{Error, Result};

/// A [`Core`] behind a pointer: its calls once lengths have been checked. An opening that fails
/// wipes `buffer`.
pub(crate) trait DynAead: Send + Sync {
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]);
    fn open(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &[u8])
    -> Result<()>;
    fn process_batch(&self, seals: bool, messages: &mut [Message<'_>]);
    fn seal_whole(
        &self,
        nonce: &[u8],
        ad: &[u8],
        message: &[u8],
        tag_bytes: usize,
    ) -> Result<Vec<u8>>;
    fn open_whole(
        &self,
        nonce: &[u8],
        ad: &[u8],
        sealed: &[u8],
        tag_bytes: usize,
    ) -> Result<Zeroizing<Vec<u8>>>;
    fn open_hidden(&self, ad: &[u8], sealed: &[u8], tag_bytes: usize) -> Result<Opened>;
}

/// An AEAD behind a pointer.
pub(crate) fn boxed(aead: impl Core + Send + Sync + 'static) -> BoxedAead {
    Box::new(aead)
}

impl<C: Core + Send + Sync> DynAead for C {
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        Core::seal(self, nonce, ad, buffer, tag);
    }

    fn open(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<()> {
        open(self, nonce, ad, buffer, tag)
    }

    fn process_batch(&self, seals: bool, messages: &mut [Message<'_>]) {
        Core::process_batch(self, seals, messages);
    }

    fn seal_whole(
        &self,
        nonce: &[u8],
        ad: &[u8],
        message: &[u8],
        tag_bytes: usize,
    ) -> Result<Vec<u8>> {
        Core::seal_whole(self, nonce, ad, message, tag_bytes)
    }

    fn open_whole(
        &self,
        nonce: &[u8],
        ad: &[u8],
        sealed: &[u8],
        tag_bytes: usize,
    ) -> Result<Zeroizing<Vec<u8>>> {
        Core::open_whole(self, nonce, ad, sealed, tag_bytes)
    }

    fn open_hidden(&self, ad: &[u8], sealed: &[u8], tag_bytes: usize) -> Result<Opened> {
        Core::open_hidden(self, ad, sealed, tag_bytes)
    }
}

/// The operations of every MAC, on checked lengths.
pub(crate) trait DynMac: Send + Sync {
    fn mac(&self, nonce: &[u8], data: &[u8], tag: &mut [u8]);
}

pub(crate) type BoxedAead = Box<dyn DynAead>;
pub(crate) type BoxedMac = Box<dyn DynMac>;

/// The inputs that a ciphertext was made from.
///
/// It has no `==`, which would compare secrets byte by byte until two differ.
#[derive(Clone)]
#[non_exhaustive]
pub struct Opened {
    /// The nonce: the one that was hidden, or the one that was given.
    pub nonce: Vec<u8>,
    /// The message, which is wiped when it is dropped.
    pub message: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").finish_non_exhaustive()
    }
}

pub(crate) fn inout<'i, 'o>(input: &'i [u8], output: &'o mut [u8]) -> Result<InOutBuf<'i, 'o, u8>> {
    let (expected, actual) = (input.len(), output.len());
    InOutBuf::new(input, output).map_err(|_| Error::Buffer { expected, actual })
}
