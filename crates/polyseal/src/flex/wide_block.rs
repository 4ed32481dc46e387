//! ROBUST without its tag: outside Flex's guarantee, and no AEAD.

use alloc::vec::Vec;

use zeroize::ZeroizeOnDrop;

use super::cipher::Flex;
use super::config::{Builder, Config};
use crate::backend::Backend;
use crate::contract::dynamic::Opened;
use crate::error::Result;

/// A cipher on messages of any length, tweaked by a nonce, if there is one, and associated data.
///
/// **It does not commit**, whatever the stretch: anyone who knows two keys can make a ciphertext
/// that opens under both, and one of a [`Flex`] configuration opens here, under unrelated keys.
/// With a stretch of λ bytes it authenticates: a forgery succeeds with a probability of 2^(−8λ).
/// Without one, the default, it does not even do that: every ciphertext opens, to something. If the
/// nonce is not hidden either, as it is unless the builder is told, the ciphertext is as long as
/// the message, which is what it is for: sectors, fields of fixed length, what is authenticated
/// elsewhere. Messages of fewer than four bytes are a codebook: under one nonce and associated
/// data, equal ones are seen to be equal, and there are few.
///
/// ```
/// use polyseal::flex::{Config, Mode, NonceForm, WideBlock};
///
/// let builder = Config::builder(Mode::Robust).nonce(NonceForm::AnyPublic);
/// let cipher = WideBlock::init(builder, &[7; 32], b"disk 1")?;
/// let sector = cipher.encipher(b"", &42_u64.to_le_bytes(), b"a sector")?;
/// assert_eq!(sector.len(), 8);
/// let opened = cipher.decipher(b"", &42_u64.to_le_bytes(), &sector)?;
/// assert_eq!(*opened.message, *b"a sector");
/// # Ok::<(), polyseal::Error>(())
/// ```
#[derive(Debug)]
pub struct WideBlock(Flex);

impl WideBlock {
    /// With a configuration of [`Mode::Robust`](super::Mode::Robust), whose tag is left out, and a
    /// key and setup associated data as [`Flex::init`] takes them.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) for another mode, or the rule that the configuration
    /// breaks; otherwise as [`Flex::init`].
    pub fn init(builder: Builder, key: &[u8], setup_ad: &[u8]) -> Result<Self> {
        Self::on(Backend::detect(), builder, key, setup_ad)
    }

    /// The same from the configuration's eight bytes. One of the 64-bit level is refused: it is
    /// allowed by way of [`Builder::from_bytes`] and [`init`](Self::init).
    ///
    /// # Errors
    /// As [`init`](Self::init).
    pub fn from_bytes(config: [u8; 8], key: &[u8], setup_ad: &[u8]) -> Result<Self> {
        Self::init(Builder::from_bytes(config)?, key, setup_ad)
    }

    pub(crate) fn on(
        backend: Backend,
        builder: Builder,
        key: &[u8],
        setup_ad: &[u8],
    ) -> Result<Self> {
        Ok(Self(Flex::on(backend, builder.build_not_committing()?, key, setup_ad)?))
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        self.0.config()
    }

    /// Enciphers `message`; the result is longer by the stretch, and by the nonce if it is hidden.
    ///
    /// # Errors
    /// As [`Flex::seal`].
    pub fn encipher(&self, nonce: &[u8], ad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        self.0.seal(nonce, ad, message)
    }

    /// Deciphers `ciphertext`.
    ///
    /// # Errors
    /// As [`Flex::open`]; without a stretch, nothing is ever found not authentic.
    pub fn decipher(&self, nonce: &[u8], ad: &[u8], ciphertext: &[u8]) -> Result<Opened> {
        self.0.open(nonce, ad, ciphertext)
    }
}

impl ZeroizeOnDrop for WideBlock {}
