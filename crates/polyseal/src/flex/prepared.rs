//! Associated data that stays the same, hashed once.
//!
//! With a hidden nonce, K1' is of the associated data alone (section 5), and is kept here. With a
//! public one it is of associated data and nonce. The specification allows to keep the chaining
//! value behind the whole blocks of associated data then; this is not done, and such calls are the
//! plain ones.

use alloc::vec::Vec;
use core::fmt;

use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::cipher::Flex;
use super::config::{NonceForm, check_ad};
use super::hash::Chaining;
use super::session::Ad;
use crate::contract::dynamic::Opened;
use crate::error::Result;

/// A key with associated data: [`Flex::with_ad`].
///
/// Where the nonce is hidden, sealing and opening do not hash the associated data again. Where it
/// is public, they do. The kept state is wiped on drop.
pub struct Prepared<'f> {
    flex: &'f Flex,
    ad: PreparedAd<'f>,
}

enum PreparedAd<'f> {
    /// K1'.
    Hash(Zeroizing<Chaining>),
    Ad(&'f [u8]),
}

impl Flex {
    /// This key with `ad`, for many messages with the same associated data.
    ///
    /// ```
    /// use polyseal::flex::{Config, Flex};
    ///
    /// let flex = Flex::init(Config::OCH, &[7; 32], b"")?;
    /// let prepared = flex.with_ad(b"a long header")?;
    /// let nonce = [1; 32]; // never twice under one key
    /// let sealed = prepared.seal(&nonce, b"message")?;
    /// assert_eq!(sealed, flex.seal(&nonce, b"a long header", b"message")?);
    /// assert_eq!(*prepared.open(&[], &sealed)?.message, *b"message");
    /// # Ok::<(), polyseal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLong`](crate::Error::TooLong) above 2^60 bytes.
    pub fn with_ad<'f>(&'f self, ad: &'f [u8]) -> Result<Prepared<'f>> {
        check_ad(ad.len() as u64)?;
        let ad = match self.config().nonce() {
            NonceForm::Hidden(_) => {
                let mut key = Zeroizing::new([0; 32]);
                self.session().context_key(&[], Ad::Given(ad), &mut key);
                PreparedAd::Hash(key)
            }
            NonceForm::Public(_) | NonceForm::AnyPublic => PreparedAd::Ad(ad),
        };
        Ok(Prepared { flex: self, ad })
    }
}

impl Prepared<'_> {
    fn ad(&self) -> Ad<'_> {
        match &self.ad {
            PreparedAd::Hash(key) => Ad::Hashed(key),
            PreparedAd::Ad(ad) => Ad::Given(ad),
        }
    }

    /// As [`Flex::seal`].
    ///
    /// # Errors
    /// As [`Flex::seal`].
    pub fn seal(&self, nonce: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        self.flex.seal_with(nonce, self.ad(), message)
    }

    /// As [`Flex::open`].
    ///
    /// # Errors
    /// As [`Flex::open`].
    pub fn open(&self, nonce: &[u8], ciphertext: &[u8]) -> Result<Opened> {
        self.flex.open_with(nonce, self.ad(), ciphertext)
    }

    /// As [`Flex::seal_into`].
    ///
    /// # Errors
    /// As [`Flex::seal_into`].
    pub fn seal_into(&self, nonce: &[u8], message: &[u8], ciphertext: &mut [u8]) -> Result<()> {
        self.flex.seal_into_with(nonce, self.ad(), message, ciphertext)
    }

    /// As [`Flex::open_into`].
    ///
    /// # Errors
    /// As [`Flex::open_into`].
    pub fn open_into(
        &self,
        nonce: &[u8],
        ciphertext: &[u8],
        recovered: &mut [u8],
        message: &mut [u8],
    ) -> Result<()> {
        self.flex.open_into_with(nonce, self.ad(), ciphertext, recovered, message)
    }
}

impl ZeroizeOnDrop for Prepared<'_> {}

impl fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("config", self.flex.config()).finish_non_exhaustive()
    }
}
