//! Messages under random nonces that travel with the ciphertext, in it or in front of it.

#[cfg(feature = "getrandom")]
use alloc::{vec, vec::Vec};

use super::cipher::Flex;
use super::config::NonceForm;
use crate::contract::dynamic::Opened;
use crate::error::{Error, Result};

/// The length of a drawn nonce in bytes, where any may be taken.
const USUAL_NONCE_BYTES: usize = 24;
/// The shortest that are drawn: so that a key may have 2^48 messages.
#[cfg(feature = "getrandom")]
const MIN_NONCE_BYTES: usize = 16;

impl Flex {
    /// Seals `message` under a nonce drawn from the operating system (24 bytes, where its length is
    /// free), into a new vector that is all that opening needs beside key and associated data. A
    /// nonce that is not hidden in the ciphertext is in front of it.
    ///
    /// ```
    /// use polyseal::flex::{Config, Flex};
    ///
    /// let flex = Flex::init(Config::OCH_PUBLIC, &[7; 32], b"")?;
    /// let sealed = flex.seal_random_nonce(b"header", b"message")?;
    /// assert_eq!(sealed.len(), 24 + 7 + 32);
    /// assert_eq!(*flex.open_random_nonce(b"header", &sealed)?.message, *b"message");
    /// # Ok::<(), polyseal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::FewRandomNonces`] for nonces of fewer than 16 bytes, [`Error::Random`] if the
    /// operating system has no random bytes, [`Error::TooLong`] above a limit.
    #[cfg(feature = "getrandom")]
    pub fn seal_random_nonce(&self, ad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        let bytes = self.drawn_bytes();
        if bytes < MIN_NONCE_BYTES {
            return Err(Error::FewRandomNonces { limit: self.config().max_random_nonces(bytes) });
        }
        let mut nonce = vec![0; bytes];
        crate::random::fill(&mut nonce)?;
        let sealed = self.seal(&nonce, ad, message)?;
        let hides = self.config().hidden_bytes() > 0;
        Ok(if hides { sealed } else { [nonce, sealed].concat() })
    }

    /// Opens a message of [`seal_random_nonce`](Self::seal_random_nonce).
    ///
    /// # Errors
    /// [`Error::Unauthentic`] for a ciphertext that was not sealed so, [`Error::TooLong`] above a
    /// limit.
    pub fn open_random_nonce(&self, ad: &[u8], sealed: &[u8]) -> Result<Opened> {
        if self.config().hidden_bytes() > 0 {
            return self.open(&[], ad, sealed);
        }
        let parts = sealed.split_at_checked(self.drawn_bytes());
        let (nonce, ciphertext) = parts.ok_or(Error::Unauthentic)?;
        self.open(nonce, ad, ciphertext)
    }

    fn drawn_bytes(&self) -> usize {
        match self.config().nonce() {
            NonceForm::Hidden(bytes) | NonceForm::Public(bytes) => bytes.into(),
            NonceForm::AnyPublic => USUAL_NONCE_BYTES,
        }
    }
}
