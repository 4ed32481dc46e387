//! The F-AEAD: a key, setup associated data and a configuration chosen at run time.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use aead::inout::InOutBuf;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::config::{Config, KEY_BYTES, Profile, check_ad};
use super::engine::{AnyProfile, ExpandedKey, hash};
use super::hash::{Chaining, Domain, initial_value};
use super::parameters::{A256, A512, As320, K1600, Parameters, S256, S384, S512, S1024};
use super::session::{Ad, MAX_TAIL_BYTES, Session};
use super::setup::SetupHash;
use crate::backend::Backend;
use crate::contract::dynamic::Opened;
use crate::contract::{Core, of_one_length, open};
use crate::error::{Error, Result};

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
    engine: Box<dyn AnyProfile>,
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
        check_ad(setup_ad.len() as u64)?;
        if config.prehashes_setup_ad() {
            let hash = SetupHash::on(backend, config.profile(), setup_ad)?;
            return Self::prehashed_on(backend, config, key, &hash);
        }
        let engine = profile(config.profile()).expanded;
        Ok(Self { config, engine: engine(backend, &config, key, setup_ad) })
    }

    /// The same for a configuration that hashes setup associated data without the key, with the
    /// hash.
    ///
    /// ```
    /// use polyseal::flex::{Config, Flex, Mode, Profile, SetupHash};
    ///
    /// let config = Config::builder(Mode::Och).prehash_setup_ad().build()?;
    /// let setup = SetupHash::new(Profile::S512, b"a long description of the application")?;
    /// let [first, second] =
    ///     [[1; 32], [2; 32]].map(|key| Flex::init_prehashed(config, &key, &setup));
    /// let sealed = first?.seal(&[1; 32], b"", b"message")?;
    /// assert!(second?.open(&[], b"", &sealed).is_err());
    /// # Ok::<(), polyseal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Range`] for a key of another length; [`Error::SetupHash`] for a configuration that
    /// does not take the hash, or takes another profile's.
    pub fn init_prehashed(config: Config, key: &[u8], setup: &SetupHash) -> Result<Self> {
        Self::prehashed_on(Backend::detect(), config, key, setup)
    }

    fn prehashed_on(
        backend: Backend,
        config: Config,
        key: &[u8],
        setup: &SetupHash,
    ) -> Result<Self> {
        check_key(key)?;
        if !config.prehashes_setup_ad() || config.profile() != setup.profile() {
            return Err(Error::SetupHash);
        }
        let engine = profile(config.profile()).expanded;
        Ok(Self { config, engine: engine(backend, &config, key, setup.hash()) })
    }

    /// Fills `key` with random bytes of the operating system.
    ///
    /// # Errors
    /// [`Error::Range`] for a length that no key has, [`Error::Random`] if there are no random
    /// bytes.
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

    pub(super) fn session(&self) -> Session<'_, dyn AnyProfile> {
        Session { config: &self.config, engine: &*self.engine }
    }

    /// Seals `message` into a new vector.
    ///
    /// # Errors
    /// As [`seal_into`](Self::seal_into).
    pub fn seal(&self, nonce: &[u8], ad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        self.seal_with(nonce, Ad::Given(ad), message)
    }

    /// Opens `ciphertext` into new vectors. `nonce` is the one that it was sealed with; if it is
    /// hidden, none is given, `&[]`.
    ///
    /// # Errors
    /// As [`open_into`](Self::open_into).
    pub fn open(&self, nonce: &[u8], ad: &[u8], ciphertext: &[u8]) -> Result<Opened> {
        self.open_with(nonce, Ad::Given(ad), ciphertext)
    }

    /// Seals `message` into `ciphertext`, which has exactly
    /// [`ciphertext_bytes`](Config::ciphertext_bytes).
    ///
    /// # Errors
    /// [`Error::Length`] or [`Error::Range`] for a nonce of another length, [`Error::TooLong`]
    /// above a limit, [`Error::Buffer`] if `ciphertext` has another length.
    pub fn seal_into(
        &self,
        nonce: &[u8],
        ad: &[u8],
        message: &[u8],
        ciphertext: &mut [u8],
    ) -> Result<()> {
        self.seal_into_with(nonce, Ad::Given(ad), message, ciphertext)
    }

    /// Opens `ciphertext` into `message`, which is exactly as long as the message, and writes the
    /// hidden nonce, if it is, to `recovered`, which has exactly as many bytes as are hidden.
    ///
    /// # Errors
    /// [`Error::Unauthentic`] for a ciphertext that was not sealed so, or a nonce where one is
    /// hidden: then both have been wiped. [`Error::Length`] or [`Error::Range`] for a nonce of
    /// another length, [`Error::TooLong`] above a limit, [`Error::Buffer`] if `message` or
    /// `recovered` has another length.
    pub fn open_into(
        &self,
        nonce: &[u8],
        ad: &[u8],
        ciphertext: &[u8],
        recovered: &mut [u8],
        message: &mut [u8],
    ) -> Result<()> {
        self.open_into_with(nonce, Ad::Given(ad), ciphertext, recovered, message)
    }

    pub(super) fn seal_with(&self, nonce: &[u8], ad: Ad<'_>, message: &[u8]) -> Result<Vec<u8>> {
        self.config.check_sealing(nonce.len(), ad.bytes(), message.len() as u64)?;
        let bytes = self.config.ciphertext_bytes(message.len() as u64);
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let limit = self.config.max_message_bytes();
        let mut ciphertext = vec![0; bytes.ok_or(Error::TooLong { what: "message", limit })?];
        self.seal_into_with(nonce, ad, message, &mut ciphertext)?;
        Ok(ciphertext)
    }

    pub(super) fn seal_into_with(
        &self,
        nonce: &[u8],
        ad: Ad<'_>,
        message: &[u8],
        ciphertext: &mut [u8],
    ) -> Result<()> {
        let config = &self.config;
        config.check_sealing(nonce.len(), ad.bytes(), message.len() as u64)?;
        let expected = config.ciphertext_bytes(message.len() as u64).unwrap_or(u64::MAX);
        if ciphertext.len() as u64 != expected {
            let (expected, actual) = (expected as usize, ciphertext.len());
            return Err(Error::Buffer { expected, actual });
        }
        if config.segment_bytes().is_some() {
            return self.seal_stream(nonce, ad, message, ciphertext);
        }
        self.session().seal_whole(nonce, ad, message, ciphertext);
        Ok(())
    }

    pub(super) fn open_with(&self, nonce: &[u8], ad: Ad<'_>, ciphertext: &[u8]) -> Result<Opened> {
        let hidden = self.config.hidden_bytes();
        let bytes = self.config.check_opening(nonce.len(), ad.bytes(), ciphertext.len() as u64)?;
        let mut message = Zeroizing::new(vec![0; bytes]);
        let mut recovered = vec![0; hidden];
        self.open_into_with(nonce, ad, ciphertext, &mut recovered, &mut message)?;
        let nonce = if hidden == 0 { nonce.to_vec() } else { recovered };
        Ok(Opened { nonce, message })
    }

    pub(super) fn open_into_with(
        &self,
        nonce: &[u8],
        ad: Ad<'_>,
        ciphertext: &[u8],
        recovered: &mut [u8],
        message: &mut [u8],
    ) -> Result<()> {
        let config = &self.config;
        match config.check_opening(nonce.len(), ad.bytes(), ciphertext.len() as u64) {
            Ok(bytes) => {
                for (expected, actual) in
                    [(bytes, message.len()), (config.hidden_bytes(), recovered.len())]
                {
                    if expected != actual {
                        return Err(Error::Buffer { expected, actual });
                    }
                }
            }
            Err(error) => {
                if error == Error::Unauthentic {
                    message.fill(0);
                    recovered.fill(0);
                }
                return Err(error);
            }
        }
        if config.segment_bytes().is_some() {
            return self.open_stream(nonce, ad, ciphertext, message);
        }
        let (head, rest) = ciphertext.split_at(config.hidden_bytes());
        let (body, tail) = rest.split_at(message.len());
        self.session().open(
            nonce,
            ad,
            of_one_length(head, recovered),
            of_one_length(body, message),
            tail,
        )
    }
}

/// Room for a detached tag of any length: hidden nonce, stretch and tag.
pub(crate) struct LongestTag([u8; 200 + MAX_TAIL_BYTES]);

impl Default for LongestTag {
    #[inline]
    fn default() -> Self {
        Self([0; 200 + MAX_TAIL_BYTES])
    }
}

impl AsMut<[u8]> for LongestTag {
    #[inline]
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// Detached, a tag is `hidden nonce ‖ stretch and tag`; a whole ciphertext has the hidden nonce in
/// front.
impl Core for Flex {
    type Tag = LongestTag;

    #[inline]
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        let (head, tail) = tag.split_at_mut(self.config.hidden_bytes());
        self.session().seal(nonce, Ad::Given(ad), head, buffer, tail);
    }

    #[inline(always)]
    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        let (head, tail) = tag.split_at(self.config.hidden_bytes());
        let (recovered, expected) = expected.split_at_mut(head.len());
        let hidden = of_one_length(head, recovered);
        self.session().decrypt(nonce, Ad::Given(ad), hidden, buffer, tail, expected);
        // The head, if it hid this nonce; with another, the bits that differ are turned.
        turn(recovered, nonce, head);
    }

    fn wipe_workspace(&self) {
        self.engine.wipe_stack();
    }

    fn seal_whole(&self, nonce: &[u8], ad: &[u8], message: &[u8], _: usize) -> Result<Vec<u8>> {
        Flex::seal(self, nonce, ad, message)
    }

    fn open_whole(
        &self,
        nonce: &[u8],
        ad: &[u8],
        sealed: &[u8],
        _: usize,
    ) -> Result<Zeroizing<Vec<u8>>> {
        let hidden = self.config.hidden_bytes();
        if hidden == 0 {
            return Ok(Flex::open(self, nonce, ad, sealed)?.message);
        }
        let bytes = self.config.check_opening(0, ad.len() as u64, sealed.len() as u64)?;
        let (head, rest) = sealed.split_at(hidden);
        let (body, tail) = rest.split_at(bytes);
        let mut message = Zeroizing::new(vec![0; bytes]);
        open(self, nonce, ad, of_one_length(body, &mut message), &[head, tail].concat())?;
        Ok(message)
    }

    fn open_hidden(&self, ad: &[u8], sealed: &[u8], _: usize) -> Result<Opened> {
        Flex::open(self, &[], ad, sealed)
    }
}

/// `bits ⊕= a ⊕ b`, all of one length: block by block, since what follows reads whole blocks.
#[inline(always)]
fn turn(bits: &mut [u8], a: &[u8], b: &[u8]) {
    const BLOCK: usize = 16;
    let mut blocks = bits.chunks_exact_mut(BLOCK);
    for ((x, a), b) in blocks.by_ref().zip(a.chunks_exact(BLOCK)).zip(b.chunks_exact(BLOCK)) {
        for i in 0..BLOCK {
            x[i] ^= a[i] ^ b[i];
        }
    }
    let rest = blocks.into_remainder();
    let at = a.len() - rest.len();
    for i in 0..rest.len() {
        rest[i] ^= a[at + i] ^ b[at + i];
    }
}

impl ZeroizeOnDrop for Flex {}

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

/// A key in a profile, from K and from AD_s, which has been hashed if it is to be.
type MakeExpandedKey = fn(Backend, &Config, &[u8], &[u8]) -> Box<dyn AnyProfile>;

/// The functions of a profile.
pub(super) struct ProfileFunctions {
    expanded: MakeExpandedKey,
    pub(super) setup_hash: fn(Backend, &[u8]) -> Chaining,
}

pub(super) fn profile(profile: Profile) -> ProfileFunctions {
    match profile {
        Profile::S512 => functions_of::<S512>(),
        Profile::S256 => functions_of::<S256>(),
        Profile::S1024 => functions_of::<S1024>(),
        Profile::S384 => functions_of::<S384>(),
        Profile::A512 => functions_of::<A512>(),
        Profile::A256 => functions_of::<A256>(),
        Profile::K1600 => functions_of::<K1600>(),
        Profile::As320 => functions_of::<As320>(),
    }
}

fn functions_of<P: Parameters>() -> ProfileFunctions {
    ProfileFunctions {
        expanded: |backend, config, key, setup_ad| {
            let mut expanded = Box::new(ExpandedKey::<P>::empty(backend));
            expanded.init(key, &config.to_bytes(), setup_ad);
            expanded
        },
        setup_hash: |backend, setup_ad| {
            hash::<P>(backend, &initial_value::<P>(), Domain::Setup, &[setup_ad])
        },
    }
}
