//! Setup associated data, which only Flex has, and nonces that are hidden.

use super::{AnyAead, check};
use crate::backend::Backend;
use crate::contract::dynamic::Opened;
use crate::error::{Error, Result};
use crate::family::Maker;
use crate::registry::Algorithm;

impl AnyAead {
    /// `algorithm` under `key` and setup associated data, which say together what the key is for.
    /// Only Flex takes it; [`new`](Self::new) is the same without any.
    ///
    /// ```
    /// use polyseal::{any::AnyAead, registry::Algorithm};
    ///
    /// let algorithm: Algorithm = "flex-och".parse()?;
    /// let aead = AnyAead::with_setup_ad(&algorithm, &[7; 32], b"my application, version 1")?;
    /// let nonce = [1; 32]; // never twice under one key; hidden in the ciphertext
    /// let sealed = aead.seal(&nonce, b"header", b"message")?;
    /// assert_eq!(sealed.len(), 7 + algorithm.tag_bytes());
    /// assert_eq!(aead.open(&nonce, b"header", &sealed)?, b"message");
    /// let opened = aead.open_hidden_nonce(b"header", &sealed)?;
    /// assert_eq!(opened.nonce.as_slice(), &nonce[..]);
    /// assert_eq!(opened.message.as_slice(), b"message");
    /// # Ok::<(), polyseal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoSetupAd`] for an algorithm that has none, [`Error::TooLong`] above 2^60 bytes of
    /// it; otherwise as [`new`](Self::new).
    pub fn with_setup_ad(algorithm: &Algorithm, key: &[u8], setup_ad: &[u8]) -> Result<Self> {
        Self::with_setup_ad_on(algorithm, key, setup_ad, Backend::detect())
    }

    pub(super) fn with_setup_ad_on(
        algorithm: &Algorithm,
        key: &[u8],
        setup_ad: &[u8],
        backend: Backend,
    ) -> Result<Self> {
        let make = match algorithm.family().maker {
            Maker::WithSetup(make) => make,
            Maker::Aead(_) => return Err(Error::NoSetupAd),
            _ => return Err(Error::WrongKind),
        };
        check("key", algorithm.key_bytes(), key)?;
        Ok(Self::made(algorithm, make(algorithm, key, setup_ad, backend)?))
    }

    /// Opens a message of [`seal`](Self::seal), without its nonce, which is hidden in it.
    ///
    /// # Errors
    /// [`Error::Length`] if the nonce is not hidden and has any bytes; otherwise as
    /// [`open`](Self::open).
    pub fn open_hidden_nonce(&self, ad: &[u8], sealed: &[u8]) -> Result<Opened> {
        let at = self.least(sealed)?;
        if self.lengths.head == 0 {
            check("nonce", self.lengths.nonce, &[])?;
        }
        self.check_lengths(ad, at)?;
        self.cipher.open_hidden(ad, sealed, self.lengths.tag)
    }
}
