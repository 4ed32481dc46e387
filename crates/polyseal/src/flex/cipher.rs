//! The F-AEAD: a key, setup associated data and a configuration chosen at run time.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use aead::inout::InOutBuf;
use zeroize::Zeroizing;

use super::config::{Config, Mode, Profile};
use super::engine::{Engine, Keyed, hash};
use super::hash::{Chaining, Domain, initial_value};
use super::parameters::{A256, A512, As320, K1600, Parameters, S256, S384, S512, S1024};
use super::session::{Session, check_ad};
use crate::backend::Backend;
use crate::error::{Error, Result};

/// The lengths of a key in bytes: whatever lies between.
pub const KEY_BYTES: core::ops::RangeInclusive<usize> = 16..=1024;

/// Flexible authenticated encryption: one key for any configuration, each with its own subkeys.
///
/// ```
/// use polyseal::flex::{Config, Flex};
///
/// let key = [7; 32]; // 16 to 1024 bytes
/// let flex = Flex::init(Config::OCH, &key, b"my application, version 1")?;
///
/// let nonce = [1; 32]; // never twice under one key; hidden in the ciphertext
/// let ciphertext = flex.seal(&nonce, b"header", b"message")?;
/// assert_eq!(ciphertext.len(), 32 + 7 + 32);
///
/// let opened = flex.open(&[], b"header", &ciphertext)?;
/// assert_eq!(*opened.message, *b"message");
/// assert_eq!(opened.nonce, nonce);
/// # Ok::<(), polyseal::Error>(())
/// ```
pub struct Flex {
    config: Config,
    engine: Box<dyn Engine>,
}

/// What a ciphertext was made from.
#[derive(Clone, PartialEq, Eq)]
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

impl Flex {
    /// Derives the subkeys of `config` from `key`, 16 to 1024 bytes (32 are advised), and setup
    /// associated data, which says what the key is for and may be empty. On the fastest back end of
    /// this CPU.
    ///
    /// # Errors
    /// [`Error::Range`] for a key of another length; [`Error::TooLong`] above 2^60 bytes of setup
    /// associated data.
    pub fn init(config: Config, key: &[u8], setup_ad: &[u8]) -> Result<Self> {
        Self::on(Backend::detect(), config, key, setup_ad)
    }

    pub(crate) fn on(
        backend: Backend,
        config: Config,
        key: &[u8],
        setup_ad: &[u8],
    ) -> Result<Self> {
        check_key(key)?;
        check_ad(setup_ad)?;
        let profile = config.profile();
        let engine = match profile {
            Profile::S512 => keyed::<S512>,
            Profile::S256 => keyed::<S256>,
            Profile::S1024 => keyed::<S1024>,
            Profile::S384 => keyed::<S384>,
            Profile::A512 => keyed::<A512>,
            Profile::A256 => keyed::<A256>,
            Profile::K1600 => keyed::<K1600>,
            Profile::As320 => keyed::<As320>,
        };
        Ok(Self { config, engine: engine(backend, &config, key, setup_ad) })
    }

    /// Fills `key` with random bytes of the operating system.
    ///
    /// # Errors
    /// [`Error::Range`] for a length that no key has, [`Error::Random`] if there are no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn generate_key(key: &mut [u8]) -> Result<()> {
        check_key(key)?;
        crate::random::fill(key)
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    pub(super) fn session(&self) -> Session<'_, dyn Engine> {
        Session { config: &self.config, engine: &*self.engine }
    }

    /// Seals `message` into a new vector.
    ///
    /// # Errors
    /// As [`seal_into`](Self::seal_into).
    pub fn seal(&self, nonce: &[u8], ad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        self.session().check(nonce, ad, message.len())?;
        let bytes = self.config.ciphertext_bytes(message.len() as u64);
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let limit = self.config.max_message_bytes();
        let mut ciphertext = vec![0; bytes.ok_or(Error::TooLong { what: "message", limit })?];
        self.seal_into(nonce, ad, message, &mut ciphertext)?;
        Ok(ciphertext)
    }

    /// Opens `ciphertext` into new vectors. `nonce` is the one that it was sealed with; if it is
    /// hidden, none is given, `&[]`.
    ///
    /// # Errors
    /// As [`open_into`](Self::open_into).
    pub fn open(&self, nonce: &[u8], ad: &[u8], ciphertext: &[u8]) -> Result<Opened> {
        let hidden = self.config.hidden_bytes();
        let bytes = self.message_bytes(nonce, ad, ciphertext)?;
        let mut message = Zeroizing::new(vec![0; bytes]);
        let mut recovered = vec![0; hidden];
        self.open_into(nonce, ad, ciphertext, &mut recovered, &mut message)?;
        let nonce = if hidden == 0 { nonce.to_vec() } else { recovered };
        Ok(Opened { nonce, message })
    }

    /// Seals `message` into `ciphertext`, which has exactly
    /// [`ciphertext_bytes`](Config::ciphertext_bytes).
    ///
    /// # Errors
    /// [`Error::Length`] or [`Error::Range`] for a nonce of another length, [`Error::TooLong`] above
    /// a limit, [`Error::Buffer`] if `ciphertext` has another length.
    pub fn seal_into(
        &self,
        nonce: &[u8],
        ad: &[u8],
        message: &[u8],
        ciphertext: &mut [u8],
    ) -> Result<()> {
        let (config, session) = (&self.config, self.session());
        session.check(nonce, ad, message.len())?;
        let expected = config.ciphertext_bytes(message.len() as u64).unwrap_or(u64::MAX);
        if ciphertext.len() as u64 != expected {
            let (expected, actual) = (expected as usize, ciphertext.len());
            return Err(Error::Buffer { expected, actual });
        }
        if let Some(segment_bytes) = config.segment_bytes() {
            let stream = Zeroizing::new(session.stream_key(nonce, ad));
            let count = message.len().div_ceil(segment_bytes).max(1);
            let mut pieces = message.chunks(segment_bytes);
            let sealed = ciphertext.chunks_mut(segment_bytes + config.tag_bytes());
            for (index, sealed) in sealed.enumerate() {
                let piece = pieces.next().unwrap_or_default();
                let (text, tag) = sealed.split_at_mut(piece.len());
                let position = (index as u64, index + 1 == count);
                session.seal_segment(&stream, position, inout(piece, text), tag);
            }
            return Ok(());
        }
        let (head, rest) = ciphertext.split_at_mut(config.hidden_bytes());
        let (body, tail) = rest.split_at_mut(message.len());
        if config.mode() == Mode::Robust {
            body.copy_from_slice(message);
            session.seal_robust(nonce, ad, ciphertext);
        } else {
            session.seal(nonce, ad, head, inout(message, body), tail);
        }
        Ok(())
    }

    /// Opens `ciphertext` into `message`, which is exactly as long as the message, and writes the
    /// hidden nonce, if it is, to `recovered`, which has exactly as many bytes as are hidden.
    ///
    /// # Errors
    /// [`Error::Unauthentic`] for what was not sealed so, or a nonce where one is hidden: then both
    /// have been wiped. [`Error::Length`] or [`Error::Range`] for a nonce of another length,
    /// [`Error::TooLong`] above a limit, [`Error::Buffer`] if `message` or `recovered` has another
    /// length.
    pub fn open_into(
        &self,
        nonce: &[u8],
        ad: &[u8],
        ciphertext: &[u8],
        recovered: &mut [u8],
        message: &mut [u8],
    ) -> Result<()> {
        let (config, session) = (&self.config, self.session());
        let opened = self.message_bytes(nonce, ad, ciphertext).and_then(|bytes| {
            for (expected, actual) in
                [(bytes, message.len()), (config.hidden_bytes(), recovered.len())]
            {
                if expected != actual {
                    return Err(Error::Buffer { expected, actual });
                }
            }
            Ok(())
        });
        if let Err(error) = opened {
            if error == Error::Unauthentic {
                message.fill(0);
                recovered.fill(0);
            }
            return Err(error);
        }
        if config.segment_bytes().is_some() {
            return self.open_stream(nonce, ad, ciphertext, message);
        }
        let (head, rest) = ciphertext.split_at(config.hidden_bytes());
        let (body, tail) = rest.split_at(message.len());
        if config.mode() == Mode::Robust {
            let mut x = Zeroizing::new(ciphertext.to_vec());
            if let Err(error) = session.open_robust(nonce, ad, &mut x) {
                message.fill(0);
                recovered.fill(0);
                return Err(error);
            }
            recovered.copy_from_slice(&x[..head.len()]);
            message.copy_from_slice(&x[head.len()..][..body.len()]);
            return Ok(());
        }
        recovered.copy_from_slice(head);
        session.open(nonce, ad, recovered, inout(body, message), tail)
    }

    fn open_stream(
        &self,
        nonce: &[u8],
        ad: &[u8],
        ciphertext: &[u8],
        message: &mut [u8],
    ) -> Result<()> {
        let (config, session) = (&self.config, self.session());
        let Some(segment_bytes) = config.segment_bytes() else { return Err(Error::Unauthentic) };
        let stream = Zeroizing::new(session.stream_key(nonce, ad));
        let unit = segment_bytes + config.tag_bytes();
        let count = ciphertext.len().div_ceil(unit);
        for (index, sealed) in ciphertext.chunks(unit).enumerate() {
            let (text, tag) = sealed.split_at(sealed.len() - config.tag_bytes());
            let out = &mut message[index * segment_bytes..][..text.len()];
            let position = (index as u64, index + 1 == count);
            if session.open_segment(&stream, position, inout(text, out), tag).is_err() {
                message.fill(0);
                return Err(Error::Unauthentic);
            }
        }
        Ok(())
    }

    /// Checks what opening is given; the message's length in bytes.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    fn message_bytes(&self, nonce: &[u8], ad: &[u8], ciphertext: &[u8]) -> Result<usize> {
        check_ad(ad)?;
        let session = self.session();
        if self.config.hidden_bytes() == 0 {
            session.check_nonce(nonce)?;
        } else if !nonce.is_empty() {
            return Err(Error::Unauthentic);
        }
        session.check_message(ciphertext.len().saturating_sub(self.config.overhead_bytes()))?;
        let bytes = self.config.message_bytes(ciphertext.len() as u64).ok_or(Error::Unauthentic)?;
        usize::try_from(bytes).map_err(|_| Error::Unauthentic)
    }
}

impl fmt::Debug for Flex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flex").field("config", &self.config).finish_non_exhaustive()
    }
}

fn check_key(key: &[u8]) -> Result<()> {
    if KEY_BYTES.contains(&key.len()) {
        return Ok(());
    }
    let (shortest, longest) = KEY_BYTES.into_inner();
    Err(Error::Range { what: "key", shortest, longest, actual: key.len() })
}

fn keyed<P: Parameters>(
    backend: Backend,
    config: &Config,
    key: &[u8],
    setup_ad: &[u8],
) -> Box<dyn Engine> {
    let bytes = config.to_bytes();
    let mut keyed = Box::new(Keyed::<P>::empty(backend));
    if config.prehashes_setup_ad() {
        let hashed: Chaining =
            hash::<P>(backend, &initial_value::<P>(), Domain::Setup, &[setup_ad]);
        keyed.init(key, &bytes, &hashed[..P::T]);
    } else {
        keyed.init(key, &bytes, setup_ad);
    }
    keyed
}

fn inout<'i, 'o>(input: &'i [u8], output: &'o mut [u8]) -> InOutBuf<'i, 'o, u8> {
    InOutBuf::new(input, output).expect("of one length")
}
