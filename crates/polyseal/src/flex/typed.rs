//! Configurations as types, through the RustCrypto `aead` traits and without an allocator: those
//! whose nonce is not hidden and whose ciphertext is as long as the message.

use core::marker::PhantomData;

use aead::Key;
use aead::array::typenum::Unsigned;
use aead::array::{Array, ArraySize};
use aead::common::KeySizeUser;
use aead::consts::{U12, U16, U24, U32};
use aead::inout::InOutBuf;

use super::config::{Config, MAX_AD_BYTES, Mode, check_ad};
use super::engine::{AnyProfile, Context, ExpandedKey};
use super::hash::{Chaining, Domain};
use super::parameters::S512;
use super::plaintext::Plaintext;
use super::session::{Ad, Session};
use crate::backend::Backend;
use crate::contract::{Core, LongestInputs, rustcrypto};
use crate::error::{Error, Result};

/// OCH: 32-byte key, 24-byte nonce, 32-byte tag. Nonces must not be repeated.
pub type FlexOchPublic = FlexAead<OchPublic>;
/// OCH for transport: 32-byte key, 12-byte nonce, 16-byte tag, which commits with 64 bits of
/// security. Nonces must not be repeated.
pub type FlexOchTransport = FlexAead<OchTransport>;
/// CIV: 32-byte key, 24-byte nonce, 32-byte tag. A repeated nonce shows which messages are equal.
pub type FlexCivPublic = FlexCivPublicNonce<U24>;
/// CIV with nonces of `N` bytes, of those that `aead::consts` has, U0 to U512 and some above; with
/// U0 it is deterministic. For other lengths, up to 65535:
/// [`Config::CIV_PUBLIC`](super::Config::CIV_PUBLIC).
pub type FlexCivPublicNonce<N> = FlexAead<CivPublic<N>>;
/// ROBUST: 32-byte key, 24-byte nonce, 32-byte tag. A repeated nonce shows which messages are
/// equal. It resists misuse as CIV does; robust, in the sense of the literature, it is not.
pub type FlexRobust = FlexRobustNonce<U24>;
/// ROBUST with nonces of `N` bytes, as [`FlexCivPublicNonce`] has them; with U0 it is
/// deterministic.
pub type FlexRobustNonce<N> = FlexAead<Robust<N>>;

/// ROBUST-AE: 32-byte key, 24-byte nonce, 32-byte tag. A repeated nonce shows which messages are
/// equal; a change anywhere makes the whole deciphered text random, before it is refused. It is
/// new, and not reviewed by third parties.
pub type FlexRobustAe = FlexRobustAeNonce<U24>;
/// ROBUST-AE with nonces of `N` bytes, as [`FlexCivPublicNonce`] has them; with U0 it is
/// deterministic.
pub type FlexRobustAeNonce<N> = FlexAead<RobustAe<N>>;

/// A configuration that has a type.
pub trait Preset: hidden::Configured + 'static {
    /// The nonce's length in bytes.
    type NonceSize: ArraySize;
    /// The tag's length in bytes.
    type TagSize: ArraySize;
}

mod hidden {
    pub trait Configured {
        const CONFIG: super::Config;
    }
}

macro_rules! presets {
    ($(
        $(#[$doc:meta])*
        $name:ident $(<$nonce:ident>)?: $config:ident, $nonce_size:ty, $tag_size:ty;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name $(<$nonce>)? ($(PhantomData<$nonce>)?);

        impl $(<$nonce: ArraySize>)? hidden::Configured for $name $(<$nonce>)? {
            const CONFIG: Config = Config::$config;
        }

        impl $(<$nonce: ArraySize>)? Preset for $name $(<$nonce>)? {
            type NonceSize = $nonce_size;
            type TagSize = $tag_size;
        }
    )*};
}

presets! {
    /// The configuration of [`FlexOchPublic`].
    OchPublic: OCH_PUBLIC, U24, U32;
    /// The configuration of [`FlexOchTransport`].
    OchTransport: OCH_TRANSPORT, U12, U16;
    /// The configuration of [`FlexCivPublicNonce`].
    CivPublic<N>: CIV_PUBLIC, N, U32;
    /// The configuration of [`FlexRobustNonce`].
    Robust<N>: ROBUST, N, U32;
    /// The configuration of [`FlexRobustAeNonce`].
    RobustAe<N>: ROBUST_AE, N, U32;
}

/// A key in the profile S512. It is not generic: so its code stands in this crate, and not in each
/// that uses one of the types.
struct ExpandedKey512(ExpandedKey<S512>);

impl ExpandedKey512 {
    fn init(&mut self, key: &[u8], config: &Config, setup_ad: &[u8]) {
        self.0.init(key, &config.to_bytes(), setup_ad);
    }
}

impl AnyProfile for ExpandedKey512 {
    fn key(&self) -> &Chaining {
        self.0.key()
    }

    fn hash(&self, from: Option<&Chaining>, domain: Domain, pieces: &[&[u8]]) -> Chaining {
        self.0.hash(from, domain, pieces)
    }

    fn seal(
        &self,
        mode: Mode,
        context: &Context<'_>,
        text: &mut Plaintext<'_, '_>,
        tag: &mut [u8],
    ) {
        self.0.seal(mode, context, text, tag);
    }

    fn open(
        &self,
        mode: Mode,
        context: &Context<'_>,
        text: &mut Plaintext<'_, '_>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        self.0.open(mode, context, text, tag, expected);
    }

    fn wipe_stack(&self) {
        self.0.wipe_stack();
    }
}

/// Flex in a configuration of the profile S512, under one key.
///
/// [`FlexOchPublic`], [`FlexOchTransport`], [`FlexCivPublic`] and [`FlexRobust`] are its names. The
/// key is wiped on drop. It lies in the cipher itself, so that making one takes up to 48 KiB of
/// stack.
///
/// ```
/// use polyseal::aead::{AeadInOut, KeyInit};
/// use polyseal::flex::FlexOchPublic;
///
/// let cipher = FlexOchPublic::new(&[7; 32].into());
/// let nonce = [1; 24].into(); // never twice under one key
/// let mut buffer = *b"attack at dawn";
/// let tag = cipher.encrypt_inout_detached(&nonce, b"header", buffer.as_mut_slice().into())?;
/// cipher.decrypt_inout_detached(&nonce, b"header", buffer.as_mut_slice().into(), &tag)?;
/// assert_eq!(&buffer, b"attack at dawn");
/// # Ok::<(), polyseal::aead::Error>(())
/// ```
pub struct FlexAead<S: Preset> {
    expanded: ExpandedKey512,
    preset: PhantomData<fn() -> S>,
}

impl<S: Preset> FlexAead<S> {
    const CONFIG: Config = {
        assert!(S::CONFIG.takes_nonce_of(S::NonceSize::USIZE), "no nonce has this length");
        assert!(S::CONFIG.overhead_bytes() == S::TagSize::USIZE, "the tag is all that is longer");
        S::CONFIG
    };

    /// Under a key and setup associated data, which says what the key is for, as
    /// [`Flex::init`](super::Flex::init) takes it. [`KeyInit::new`](aead::KeyInit::new) is the same
    /// without any.
    ///
    /// ```
    /// use polyseal::aead::AeadInOut;
    /// use polyseal::flex::FlexOchPublic;
    ///
    /// let cipher = FlexOchPublic::with_setup_ad(&[7; 32], b"my application, version 1")?;
    /// let mut buffer = *b"attack at dawn";
    /// let nonce = [1; 24].into(); // never twice under one key
    /// let tag = cipher.encrypt_inout_detached(&nonce, b"", buffer.as_mut_slice().into())?;
    /// # assert_eq!(tag.len(), 32);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if `key` has not 32 bytes, [`Error::TooLong`] above 2^60 bytes of setup
    /// associated data.
    pub fn with_setup_ad(key: &[u8], setup_ad: &[u8]) -> Result<Self> {
        let key = <&Key<Self>>::try_from(key).map_err(|_| Error::Length {
            what: "key",
            expected: Self::key_size(),
            actual: key.len(),
        })?;
        check_ad(setup_ad.len() as u64)?;
        Ok(Self::with(key, setup_ad, Backend::detect()))
    }

    fn on(key: &Key<Self>, backend: Backend) -> Self {
        Self::with(key, b"", backend)
    }

    fn with(key: &Key<Self>, setup_ad: &[u8], backend: Backend) -> Self {
        let mut cipher =
            Self { expanded: ExpandedKey512(ExpandedKey::empty(backend)), preset: PhantomData };
        cipher.expanded.init(key, &Self::CONFIG, setup_ad);
        cipher
    }

    fn session(&self) -> Session<'_, ExpandedKey512> {
        Session { config: const { &Self::CONFIG }, engine: &self.expanded }
    }
}

impl<S: Preset> Core for FlexAead<S> {
    type Tag = Array<u8, S::TagSize>;

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        self.session().seal(nonce, Ad::Given(ad), &mut [], buffer, tag);
    }

    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        let no_head = [].as_mut_slice().into();
        self.session().decrypt(nonce, Ad::Given(ad), no_head, buffer, tag, expected);
    }

    fn wipe_workspace(&self) {
        self.expanded.wipe_stack();
    }
}

rustcrypto! {
    impl [S: Preset] FlexAead<S> {
        name: "FlexAead", key: U32, nonce: S::NonceSize, tag: S::TagSize,
        longest: LongestInputs { message: Self::CONFIG.max_message_bytes(), ad: MAX_AD_BYTES }
    }
}
