//! AEADs whose tag can be had on opening too, before it is compared: what a transform of tags
//! needs.

use aead::inout::InOutBuf;
use aead::{AeadCore, KeyInit};

use crate::backend::Backend;

/// An AEAD with a 16-byte tag that others may put something in the place of.
///
/// Lengths are the caller's to check, as is the verdict: what opening writes is unverified.
pub trait InnerAead: InnerAeadImpl + AeadCore + KeyInit {}

pub(crate) use hidden::InnerAeadImpl;

mod hidden {
    use super::{Backend, InOutBuf};

    pub trait InnerAeadImpl: Sized {
        /// The longest message in bytes.
        const MAX_MESSAGE_BYTES: u64;
        /// The longest associated data in bytes.
        const MAX_AD_BYTES: u64;
        /// Under a key of the right length, on a back end of the caller's choice.
        fn on(key: &[u8], backend: Backend) -> Self;
        /// Seals; returns the tag.
        fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> [u8; 16];
        /// Decrypts; returns the tag that the ciphertext should have had.
        fn open(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> [u8; 16];
    }
}
