//! The use of a key: mode, nonce, tag and permutation, in eight bytes that the key derivation
//! hashes.
//!
//! Source: `docs/spec/flex.md`, section 4. There is no way to a [`Config`] that the specification
//! does not allow: [`Builder::build`] and [`Config::from_bytes`] name the rule that is broken. Two
//! kinds have to be allowed explicitly, because they give less than Flex promises: profiles of the
//! 64-bit level, and encipherment that does not commit, which has a type of its own.

mod builder;
mod bytes;
mod lengths;
mod limits;
mod profile;
#[cfg(test)]
mod tests;

pub use crate::error::ConfigError;
pub use builder::Builder;
pub use lengths::KEY_BYTES;
pub(super) use lengths::{MAX_AD_BYTES, check_ad};
pub use profile::Profile;

/// The way in which a message is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// One pass, parallel. Nonces must not be repeated.
    Och,
    /// Two passes, parallel. A repeated nonce shows which messages are equal, and nothing else; but
    /// in segments nonces must not be repeated.
    Civ,
    /// A wide-block cipher over the message and as many zeros as wanted, and a tag that commits.
    /// It is no robust authenticated encryption, in spite of its name: [`RobustAe`](Self::RobustAe)
    /// is meant to be.
    Robust,
    /// A wide-block cipher whose inner half has a key that is made of the tag: a change anywhere in
    /// a ciphertext makes the whole deciphered text random, before it is refused. It commits. That
    /// it does both is a sketch, and **not reviewed by third parties**.
    RobustAe,
}

/// Where the nonce is, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NonceForm {
    /// Encrypted at the beginning of the ciphertext: that many bytes, fewer than a block has.
    Hidden(u16),
    /// Beside the ciphertext, that many bytes, at most 1024.
    Public(u16),
    /// Beside the ciphertext, of any length up to 65535 bytes.
    AnyPublic,
}

/// A configuration that the specification allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    mode: Mode,
    profile: Profile,
    nonce: NonceForm,
    prehashes: bool,
    /// For [`Mode::Robust`]: whether there is a tag that commits.
    commits: bool,
    /// TL: the tag's length, or the stretch.
    tag: u8,
    /// With segments, the logarithm of their length.
    segment: Option<u8>,
}

impl Config {
    /// OCH with a hidden nonce of 32 bytes, 0x01: the one to take where nonces do not repeat.
    pub const OCH: Self = Self::named(Mode::Och, NonceForm::Hidden(32), 32, None);
    /// OCH with a public nonce of 24 bytes, 0x02.
    pub const OCH_PUBLIC: Self = Self::named(Mode::Och, NonceForm::Public(24), 32, None);
    /// OCH for transport, 0x03: a public nonce of 12 bytes, and a tag of 16, which commits with 64
    /// bits of security.
    pub const OCH_TRANSPORT: Self = Self::named(Mode::Och, NonceForm::Public(12), 16, None);
    /// CIV with a hidden nonce of 32 bytes, 0x11: the one to take where nonces may repeat.
    pub const CIV: Self = Self::named(Mode::Civ, NonceForm::Hidden(32), 32, None);
    /// CIV with any public nonce, 0x12: without one, deterministic encryption.
    pub const CIV_PUBLIC: Self = Self::named(Mode::Civ, NonceForm::AnyPublic, 32, None);
    /// The wide-block mode with any public nonce, 0x21: 32 bytes of tag that commits, no stretch.
    /// In spite of its name it is not robust: a change of the tag alone leaves the deciphered
    /// message as it is.
    pub const ROBUST: Self = Self::named(Mode::Robust, NonceForm::AnyPublic, 0, None);
    /// The robust mode that commits, with any public nonce, 0x24.
    pub const ROBUST_AE: Self = Self::named(Mode::RobustAe, NonceForm::AnyPublic, 32, None);
    /// OCH in segments of 64 KiB, with a public nonce of 24 bytes, 0x31.
    pub const OCH_STREAM: Self = Self::named(Mode::Och, NonceForm::Public(24), 32, Some(16));
    /// CIV in segments of 64 KiB, with a public nonce of 24 bytes, 0x32.
    ///
    /// **Not misuse resistant**: with a repeated nonce and associated data, segments of one index
    /// can be exchanged between the streams, and are seen to be equal.
    pub const CIV_STREAM: Self = Self::named(Mode::Civ, NonceForm::Public(24), 32, Some(16));

    /// Those with a name: the specification's byte, the registry's name, and the configuration.
    pub const NAMED: &[(u8, &str, Self)] = &[
        (0x01, "flex-och", Self::OCH),
        (0x02, "flex-och-public", Self::OCH_PUBLIC),
        (0x03, "flex-och-transport", Self::OCH_TRANSPORT),
        (0x11, "flex-civ", Self::CIV),
        (0x12, "flex-civ-public", Self::CIV_PUBLIC),
        (0x21, "flex-robust", Self::ROBUST),
        (0x24, "flex-robust-ae", Self::ROBUST_AE),
        (0x31, "flex-och-stream", Self::OCH_STREAM),
        (0x32, "flex-civ-stream", Self::CIV_STREAM),
    ];

    const fn named(mode: Mode, nonce: NonceForm, tag: u8, segment: Option<u8>) -> Self {
        let profile = Profile::S512;
        Self { mode, profile, nonce, prehashes: false, commits: true, tag, segment }
    }

    /// The one that the specification's byte names, if it commits.
    ///
    /// ```
    /// use polyseal::flex::Config;
    ///
    /// assert_eq!(Config::from_id(0x11), Some(Config::CIV));
    /// assert_eq!(Config::from_id(0x22), None); // does not commit
    /// ```
    #[must_use]
    pub const fn from_id(id: u8) -> Option<Self> {
        let mut at = 0;
        while at < Self::NAMED.len() {
            if Self::NAMED[at].0 == id {
                return Some(Self::NAMED[at].2);
            }
            at += 1;
        }
        None
    }

    /// Another configuration of `mode`, from the profile's longest tag and a hidden nonce of 32
    /// bytes, or the longest that can be hidden.
    ///
    /// ```
    /// use polyseal::flex::{Config, ConfigError, Mode, NonceForm};
    ///
    /// const CONFIG: Result<Config, ConfigError> =
    ///     Config::builder(Mode::Civ).nonce(NonceForm::Public(16)).build();
    /// assert_eq!(CONFIG?.overhead_bytes(), 32);
    /// # Ok::<(), ConfigError>(())
    /// ```
    pub const fn builder(mode: Mode) -> Builder {
        Builder::new(mode)
    }

    /// The mode.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The profile.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// Where the nonce is.
    #[must_use]
    pub const fn nonce(&self) -> NonceForm {
        self.nonce
    }

    /// Whether setup associated data is hashed without the key, so that its hash can be kept: see
    /// [`SetupHash`](super::SetupHash).
    #[must_use]
    pub const fn prehashes_setup_ad(&self) -> bool {
        self.prehashes
    }

    /// Whether a ciphertext commits to key, configuration, setup associated data, nonce, associated
    /// data and message.
    #[must_use]
    pub const fn commits(&self) -> bool {
        self.commits
    }
}
