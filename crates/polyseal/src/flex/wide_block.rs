//! ROBUST without its tag: outside Flex's guarantee, and no AEAD. It is public as
//! [`hazmat`](crate::hazmat).

use alloc::vec::Vec;

use zeroize::ZeroizeOnDrop;

use super::cipher::Flex;
use super::config::{Builder, Config};
use crate::backend::Backend;
use crate::contract::dynamic::Opened;
use crate::error::{Error, Result};
use crate::family::{ParamKind, parse_value};

/// A cipher on messages of any length, tweaked by a nonce, if there is one, and associated data.
///
/// **It does not commit**, whatever the stretch: anyone who knows two keys can make a ciphertext
/// that opens under both, and one of a [`Flex`] configuration opens here, under unrelated keys.
/// With a stretch of λ bytes it authenticates: a forgery succeeds with a probability of 2^(−8λ).
/// Without one, the default, it does not even do that: every ciphertext opens, to something. If the
/// nonce is not hidden either, as it is unless the builder is told, the ciphertext is as long as
/// the message, for sectors, fields of fixed length, and data that is authenticated elsewhere.
/// Messages of fewer than four bytes are a codebook: under one nonce and associated data, equal
/// ones are seen to be equal, and there are few.
///
/// ```
/// use polyseal::hazmat::WideBlock;
///
/// let name = WideBlock::LENGTH_PRESERVING_NO_AUTHENTICITY;
/// let cipher = WideBlock::by_name(name, &[7; 32], b"disk 1")?;
/// let sector = cipher.encipher(b"", &42_u64.to_le_bytes(), b"a sector")?;
/// assert_eq!(sector.len(), 8);
/// let opened = cipher.decipher(b"", &42_u64.to_le_bytes(), &sector)?;
/// assert_eq!(*opened.message, *b"a sector");
/// # Ok::<(), polyseal::Error>(())
/// ```
#[derive(Debug)]
pub struct WideBlock(Flex);

impl WideBlock {
    /// The name of configuration 22: a stretch of 16 bytes, a public nonce of any length. A forgery
    /// succeeds with a probability of 2^(−128), and what a changed ciphertext deciphers to is
    /// random. **It does not commit.**
    pub const ROBUST_NO_COMMITMENT: &str = "wide-block-robust-no-commitment";

    /// The name of configuration 23: no stretch, a public nonce of any length. A ciphertext is as
    /// long as its message. **Every ciphertext opens**, and it does not commit.
    pub const LENGTH_PRESERVING_NO_AUTHENTICITY: &str =
        "wide-block-length-preserving-no-authenticity";

    /// The name before `:cfg=`, of any other configuration with a stretch. **It does not commit.**
    pub const NO_COMMITMENT: &str = "wide-block-no-commitment";

    /// The name before `:cfg=`, of any other configuration without one. **Every ciphertext opens**,
    /// and it does not commit.
    pub const NO_AUTHENTICITY: &str = "wide-block-no-authenticity";

    /// The one with that name: [`ROBUST_NO_COMMITMENT`](Self::ROBUST_NO_COMMITMENT),
    /// [`LENGTH_PRESERVING_NO_AUTHENTICITY`](Self::LENGTH_PRESERVING_NO_AUTHENTICITY), or
    /// `wide-block-no-commitment:cfg=` or `wide-block-no-authenticity:cfg=` and a configuration's
    /// eight bytes in 16 hexadecimal digits; with `,allow-64-bit=1` behind them, also one of the
    /// 64-bit level.
    ///
    /// ```
    /// use polyseal::hazmat::WideBlock;
    ///
    /// let name = "wide-block-no-commitment:cfg=0300010818000000";
    /// assert_eq!(WideBlock::by_name(name, &[7; 32], b"")?.config().stretch_bytes(), 8);
    /// # Ok::<(), polyseal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownAlgorithm`] for another name, [`Error::Parameter`] for anything else behind
    /// it, or if it does not say whether there is a stretch; otherwise as [`init`](Self::init).
    pub fn by_name(name: &str, key: &[u8], setup_ad: &[u8]) -> Result<Self> {
        let cipher = Self::init(named(name)?, key, setup_ad)?;
        let promises = !name.contains("no-authenticity");
        if promises != (cipher.config().stretch_bytes() > 0) {
            return Err(Error::Parameter);
        }
        Ok(cipher)
    }

    /// With a configuration of [`Mode::Robust`](super::Mode::Robust), whose tag is left out, and a
    /// key and setup associated data as [`Flex::init`] takes them.
    ///
    /// # Errors
    /// [`Error::Config`] for another mode, or the rule that the configuration breaks; otherwise as
    /// [`Flex::init`].
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

/// The configuration that a name stands for.
fn named(name: &str) -> Result<Builder> {
    let (name, choices) = name.split_once(':').map_or((name, None), |(name, c)| (name, Some(c)));
    let fixed = match name {
        WideBlock::ROBUST_NO_COMMITMENT => Some([3, 0, 1, 16, 0xff, 0xff, 0, 0]),
        WideBlock::LENGTH_PRESERVING_NO_AUTHENTICITY => Some([3, 0, 1, 0, 0xff, 0xff, 0, 0]),
        WideBlock::NO_COMMITMENT | WideBlock::NO_AUTHENTICITY => None,
        _ => return Err(Error::UnknownAlgorithm),
    };
    let (config, allowed) = match (fixed, choices) {
        (Some(config), None) => (config, false),
        (None, Some(choices)) => {
            let (config, allowed) = match choices.strip_suffix(",allow-64-bit=1") {
                Some(config) => (config, true),
                None => (choices, false),
            };
            let digits = config.strip_prefix("cfg=").ok_or(Error::Parameter)?;
            (parse_value(ParamKind::Configuration, digits)?.to_be_bytes(), allowed)
        }
        _ => return Err(Error::Parameter),
    };
    let builder = Builder::from_bytes(config)?;
    Ok(if allowed { builder.allow_64_bits() } else { builder })
}
