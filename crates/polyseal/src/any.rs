//! An algorithm chosen at run time by its registry name.
//!
//! [`AnyAead`] and [`AnyMac`] check lengths and limits, dispatch once, and call the same code as
//! the typed ciphers.
//!
//! ```
//! use polyseal::{any::AnyAead, registry::Algorithm};
//!
//! let algorithm: Algorithm = "aegis-256x2".parse()?;
//! let key = [7; 32];
//! let nonce = [1; 32]; // never twice under one key
//! let aead = AnyAead::new(&algorithm, &key)?;
//! let sealed = aead.seal(&nonce, b"header", b"message")?; // ciphertext, then tag
//! assert_eq!(sealed.len(), 7 + algorithm.tag_bytes());
//! assert_eq!(aead.open(&nonce, b"header", &sealed)?, b"message");
//! # Ok::<(), polyseal::Error>(())
//! ```

#[cfg(feature = "flex")]
mod flex;

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use aead::inout::InOutBuf;

use crate::backend::Backend;
use crate::contract::batch::{Batch, Message};
#[cfg(feature = "flex")]
pub use crate::contract::dynamic::Opened;
#[cfg(feature = "getrandom")]
use crate::contract::dynamic::inout;
use crate::contract::dynamic::{BoxedAead, BoxedMac};
use crate::contract::{LongestInputs, verify};
use crate::error::{Error, Result};
use crate::family::Maker;
#[cfg(feature = "getrandom")]
use crate::limits::Limits;
#[cfg(feature = "getrandom")]
use crate::random_nonce;
use crate::registry::Algorithm;

/// An AEAD chosen at run time, with its key.
pub struct AnyAead {
    algorithm: Algorithm,
    lengths: Lengths,
    cipher: BoxedAead,
}

/// An algorithm's lengths in bytes. They are kept, because every message is checked against them,
/// and some follow from parameters.
struct Lengths {
    nonce: usize,
    tag: usize,
    longest: LongestInputs,
    #[cfg(feature = "flex")]
    head: usize,
    #[cfg(feature = "flex")]
    whole: bool,
}

impl Lengths {
    fn new(algorithm: &Algorithm) -> Self {
        let (message, ad) = (algorithm.max_message_bytes(), algorithm.family().limits.max_ad_bytes);
        Self {
            nonce: algorithm.nonce_bytes(),
            tag: algorithm.tag_bytes(),
            longest: LongestInputs { message, ad },
            #[cfg(feature = "flex")]
            head: algorithm.head_bytes(),
            #[cfg(feature = "flex")]
            whole: algorithm.is_whole(),
        }
    }
}

impl AnyAead {
    /// `algorithm` under `key`, on the fastest back end of this CPU.
    ///
    /// # Errors
    /// [`Error::Length`] for a key of another length, [`Error::WrongKind`] for a MAC.
    pub fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self> {
        Self::on(algorithm, key, Backend::detect())
    }

    pub(crate) fn on(algorithm: &Algorithm, key: &[u8], backend: Backend) -> Result<Self> {
        let make = match algorithm.family().maker {
            Maker::Aead(make) => make,
            #[cfg(feature = "flex")]
            Maker::WithSetup(_) => return Self::with_setup_ad_on(algorithm, key, b"", backend),
            _ => return Err(Error::WrongKind),
        };
        check("key", algorithm.key_bytes(), key)?;
        Ok(Self::made(algorithm, make(algorithm, key, backend)))
    }

    /// The same for an algorithm that takes setup associated data: only those of Flex do, which
    /// this build was made without.
    ///
    /// # Errors
    /// [`Error::NoSetupAd`].
    #[cfg(not(feature = "flex"))]
    pub fn with_setup_ad(_: &Algorithm, _: &[u8], _: &[u8]) -> Result<Self> {
        Err(Error::NoSetupAd)
    }

    fn made(algorithm: &Algorithm, cipher: BoxedAead) -> Self {
        Self { algorithm: *algorithm, lengths: Lengths::new(algorithm), cipher }
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> &Algorithm {
        &self.algorithm
    }

    /// Seals from `buffer`'s input to its output and writes the tag. Where the nonce is hidden, the
    /// tag is the encrypted nonce, `Algorithm::head_bytes`, and then the tag.
    ///
    /// # Errors
    /// [`Error::Length`] for a nonce or tag of another length, [`Error::TooLong`] above a limit,
    /// `Error::WholeOnly` for a configuration of Flex that has no detached calls.
    #[inline]
    pub fn seal_inout_detached(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<()> {
        self.check(nonce, ad, buffer.len(), tag)?;
        self.cipher.seal(nonce, ad, buffer, tag);
        Ok(())
    }

    /// Opens from `buffer`'s input to its output if `tag` is authentic.
    ///
    /// # Errors
    /// [`Error::Unauthentic`] if it is not, or `nonce` is not the one that is hidden: then the
    /// output has been wiped. [`Error::Length`], [`Error::TooLong`] and `Error::WholeOnly` as for
    /// sealing.
    #[inline]
    pub fn open_inout_detached(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<()> {
        self.check(nonce, ad, buffer.len(), tag)?;
        self.cipher.open(nonce, ad, buffer, tag)
    }

    /// Seals `message` into a new vector: ciphertext, then tag. An encrypted nonce is in front.
    ///
    /// # Errors
    /// As [`seal_inout_detached`](Self::seal_inout_detached).
    pub fn seal(&self, nonce: &[u8], ad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        self.check_inputs(nonce, ad, message.len())?;
        self.cipher.seal_whole(nonce, ad, message, self.lengths.tag)
    }

    /// Opens a message of [`seal`](Self::seal) into a new vector.
    ///
    /// # Errors
    /// As [`open_inout_detached`](Self::open_inout_detached); [`Error::Buffer`] if `sealed` is
    /// shorter than a tag.
    pub fn open(&self, nonce: &[u8], ad: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        self.check_inputs(nonce, ad, self.least(sealed)?)?;
        let tag_bytes = self.lengths.tag;
        let mut message = self.cipher.open_whole(nonce, ad, sealed, tag_bytes)?;
        Ok(core::mem::take(&mut *message))
    }

    /// Seals `message` under a nonce drawn from the operating system, into a new vector that is all
    /// the opener needs beside key and associated data: nonce, ciphertext, tag. A nonce that is
    /// hidden is in the ciphertext, and not in front of it.
    ///
    /// ```
    /// use polyseal::{any::AnyAead, registry::Algorithm};
    ///
    /// let algorithm: Algorithm = "kc-xaes-256-gcm".parse()?;
    /// let aead = AnyAead::new(&algorithm, &[7; 32])?;
    /// let sealed = aead.seal_random_nonce(b"header", b"message")?;
    /// assert_eq!(sealed.len(), 24 + 7 + 48);
    /// assert_eq!(aead.open_random_nonce(b"header", &sealed)?, b"message");
    /// # Ok::<(), polyseal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::FewRandomNonces`] for an algorithm with which a key may have fewer than 2^48
    /// messages under random nonces (see [`random_nonce`]), [`Error::Random`] if the operating
    /// system has no random bytes, [`Error::TooLong`] above a limit.
    #[cfg(feature = "getrandom")]
    pub fn seal_random_nonce(&self, ad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        let limit = Limits::for_algorithm(&self.algorithm).random_nonce_messages;
        if let Some(limit) = limit.filter(|&limit| limit < random_nonce::MIN_MESSAGES) {
            return Err(Error::FewRandomNonces { limit });
        }
        let nonce_bytes = self.lengths.nonce;
        #[cfg(feature = "flex")]
        if self.algorithm.layout().is_some() {
            let mut nonce = vec![0; nonce_bytes];
            crate::random::fill(&mut nonce)?;
            let sealed = self.seal(&nonce, ad, message)?;
            let hides = self.lengths.head > 0;
            return Ok(if hides { sealed } else { [nonce, sealed].concat() });
        }
        let mut sealed = vec![0; nonce_bytes + message.len() + self.lengths.tag];
        let (nonce, rest) = sealed.split_at_mut(nonce_bytes);
        crate::random::fill(nonce)?;
        let (ciphertext, tag) = rest.split_at_mut(message.len());
        self.seal_inout_detached(nonce, ad, inout(message, ciphertext)?, tag)?;
        Ok(sealed)
    }

    /// Opens `sealed` (nonce, ciphertext, tag; or with the nonce hidden) into a new vector, whoever
    /// chose the nonce, and whatever the algorithm.
    ///
    /// # Errors
    /// As [`open_inout_detached`](Self::open_inout_detached); [`Error::Buffer`] if `sealed` is
    /// shorter than a nonce and a tag.
    pub fn open_random_nonce(&self, ad: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        #[cfg(feature = "flex")]
        if self.lengths.head > 0 {
            let mut opened = self.open_hidden_nonce(ad, sealed)?;
            return Ok(core::mem::take(&mut *opened.message));
        }
        let nonce_bytes = self.lengths.nonce;
        let (expected, actual) = (nonce_bytes + self.lengths.tag, sealed.len());
        if actual < expected {
            return Err(Error::Buffer { expected, actual });
        }
        let (nonce, sealed) = sealed.split_at(nonce_bytes);
        self.open(nonce, ad, sealed)
    }

    fn process_batch(&self, seals: bool, messages: &mut [Message<'_>]) -> Result<()> {
        // Before anything else can fail: a message has to earn its `Ok`.
        for message in &mut *messages {
            message.outcome = Err(Error::Unauthentic);
        }
        messages.iter().try_for_each(|Message { nonce, ad, buffer, tag, .. }| {
            self.check(nonce, ad, buffer.len(), tag)
        })?;
        self.cipher.process_batch(seals, messages);
        // CT: verdicts are public.
        messages.iter().try_for_each(|message| message.outcome)
    }

    /// The length of `sealed` without its tag, or one of its tags.
    fn least(&self, sealed: &[u8]) -> Result<usize> {
        let (expected, actual) = (self.lengths.tag, sealed.len());
        actual.checked_sub(expected).ok_or(Error::Buffer { expected, actual })
    }

    #[inline]
    fn check(&self, nonce: &[u8], ad: &[u8], message: usize, tag: &[u8]) -> Result<()> {
        #[cfg(feature = "flex")]
        if self.lengths.whole {
            return Err(Error::WholeOnly);
        }
        check("nonce", self.lengths.nonce, nonce)?;
        check("tag", self.lengths.tag, tag)?;
        self.check_lengths(ad, message)
    }

    fn check_inputs(&self, nonce: &[u8], ad: &[u8], message: usize) -> Result<()> {
        check("nonce", self.lengths.nonce, nonce)?;
        self.check_lengths(ad, message)
    }

    #[inline]
    fn check_lengths(&self, ad: &[u8], message: usize) -> Result<()> {
        self.lengths.longest.check(ad.len(), message)
    }
}

/// Side by side where the algorithm does so by its name (OMD); others one at a time.
impl Batch for AnyAead {
    fn seal_batch(&self, messages: &mut [Message<'_>]) -> Result<()> {
        self.process_batch(true, messages)
    }

    fn open_batch(&self, messages: &mut [Message<'_>]) -> Result<()> {
        self.process_batch(false, messages)
    }
}

impl fmt::Debug for AnyAead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyAead({})", self.algorithm)
    }
}

/// A MAC chosen at run time, with its key.
pub struct AnyMac {
    algorithm: Algorithm,
    mac: BoxedMac,
}

impl AnyMac {
    /// `algorithm` under `key`, on the fastest back end of this CPU.
    ///
    /// # Errors
    /// [`Error::Length`] for a key of another length, [`Error::WrongKind`] for an AEAD.
    pub fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self> {
        Self::on(algorithm, key, Backend::detect())
    }

    pub(crate) fn on(algorithm: &Algorithm, key: &[u8], backend: Backend) -> Result<Self> {
        let Maker::Mac(make) = algorithm.family().maker else { return Err(Error::WrongKind) };
        check("key", algorithm.key_bytes(), key)?;
        Ok(Self { algorithm: *algorithm, mac: make(algorithm, key, backend) })
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> &Algorithm {
        &self.algorithm
    }

    /// The tag of `data`.
    ///
    /// # Errors
    /// [`Error::Length`] for a nonce of another length, [`Error::TooLong`] above the limit.
    pub fn mac(&self, nonce: &[u8], data: &[u8]) -> Result<Vec<u8>> {
        check("nonce", self.algorithm.nonce_bytes(), nonce)?;
        check_limit("message", data.len(), self.algorithm.family().limits.max_message_bytes)?;
        let mut tag = vec![0; self.algorithm.tag_bytes()];
        self.mac.mac(nonce, data, &mut tag);
        Ok(tag)
    }

    /// Accepts `tag` if it is the tag of `data`, comparing in constant time.
    ///
    /// # Errors
    /// [`Error::Unauthentic`] if it is not, [`Error::Length`] and [`Error::TooLong`] as for
    /// [`mac`](Self::mac).
    pub fn verify(&self, nonce: &[u8], data: &[u8], tag: &[u8]) -> Result<()> {
        check("tag", self.algorithm.tag_bytes(), tag)?;
        verify(&mut self.mac(nonce, data)?, tag)
    }
}

impl fmt::Debug for AnyMac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyMac({})", self.algorithm)
    }
}

#[inline]
fn check(what: &'static str, expected: usize, input: &[u8]) -> Result<()> {
    if input.len() == expected {
        return Ok(());
    }
    Err(Error::Length { what, expected, actual: input.len() })
}

fn check_limit(what: &'static str, bytes: usize, limit: u64) -> Result<()> {
    if bytes as u64 > limit { Err(Error::TooLong { what, limit }) } else { Ok(()) }
}
