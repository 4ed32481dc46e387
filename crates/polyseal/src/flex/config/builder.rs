//! A configuration on its way: choices, and the rules that they have to keep.

use super::bytes::ANY;
use super::{Config, ConfigError, Mode, NonceForm, Profile};

/// A configuration on its way; see [`Config::builder`].
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Builder {
    pub(super) mode: Mode,
    pub(super) profile: Profile,
    pub(super) nonce: Option<NonceForm>,
    pub(super) prehashes: bool,
    /// For [`Mode::Robust`], if it was set: whether there is a tag that commits.
    pub(super) commits: Option<bool>,
    pub(super) tag: Option<usize>,
    pub(super) stretch: Option<usize>,
    pub(super) segment: Option<usize>,
    pub(super) allows_64_bits: bool,
}

impl Builder {
    pub(super) const fn new(mode: Mode) -> Self {
        Self {
            mode,
            profile: Profile::S512,
            nonce: None,
            prehashes: false,
            commits: None,
            tag: None,
            stretch: None,
            segment: None,
            allows_64_bits: false,
        }
    }

    /// With another permutation.
    pub const fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// With a nonce of this form.
    pub const fn nonce(mut self, form: NonceForm) -> Self {
        self.nonce = Some(form);
        self
    }

    /// With a tag of `bytes` bytes, 16 to the profile's. It cannot be chosen for [`Mode::Robust`].
    ///
    /// A commitment to a tag of n bytes costs 2^(4n) to break: with 16 bytes, 2^64.
    pub const fn tag_bytes(mut self, bytes: usize) -> Self {
        self.tag = Some(bytes);
        self
    }

    /// For [`Mode::Robust`]: with a stretch of `bytes` zeros, at most 255, which are enciphered
    /// behind the message. There are none unless this is set.
    pub const fn stretch_bytes(mut self, bytes: usize) -> Self {
        self.stretch = Some(bytes);
        self
    }

    /// In segments of `bytes` bytes that open one by one, with a public nonce: a power of two, 2^8
    /// to 2^24.
    ///
    /// **Nonces must not be repeated**, with [`Mode::Civ`] neither: segments of one index can be
    /// exchanged between two streams with one nonce and one associated data.
    pub const fn segment_bytes(mut self, bytes: usize) -> Self {
        self.segment = Some(bytes);
        self
    }

    /// With setup associated data that is hashed without the key, by
    /// [`SetupHash`](super::super::SetupHash) once for many keys.
    pub const fn prehash_setup_ad(mut self) -> Self {
        self.prehashes = true;
        self
    }

    /// Allows profiles of the 64-bit level: a commitment that 2^64 work breaks, and fewer messages
    /// to a key.
    pub const fn allow_64_bits(mut self) -> Self {
        self.allows_64_bits = true;
        self
    }

    /// The configuration.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub const fn build(self) -> Result<Config, ConfigError> {
        let commits = !matches!(self.commits, Some(false));
        match self.keep_rules(commits) {
            Ok(_) if !commits => Err(ConfigError::NotCommitting),
            Ok(config) => self.at_its_level(config),
            Err(error) => Err(error),
        }
    }

    /// The same without the tag that commits.
    #[cfg(feature = "alloc")]
    pub(in super::super) const fn build_not_committing(self) -> Result<Config, ConfigError> {
        if !matches!((self.mode, self.commits), (Mode::Robust, None | Some(false))) {
            return Err(ConfigError::Commits);
        }
        match self.keep_rules(false) {
            Ok(config) => self.at_its_level(config),
            Err(error) => Err(error),
        }
    }

    /// `config`, if its level has been allowed.
    const fn at_its_level(self, config: Config) -> Result<Config, ConfigError> {
        if self.profile.has_64_bits() && !self.allows_64_bits {
            return Err(ConfigError::SixtyFourBits(self.profile.name()));
        }
        Ok(config)
    }

    /// The configuration, whatever it gives.
    const fn keep_rules(self, commits: bool) -> Result<Config, ConfigError> {
        let Self { mode, profile, prehashes, .. } = self;
        let segment = match self.segment {
            None => None,
            Some(bytes) => match bytes.is_power_of_two() && 1 << 8 <= bytes && bytes <= 1 << 24 {
                true => Some(bytes.ilog2() as u8),
                false => return Err(ConfigError::SegmentBytes(bytes)),
            },
        };
        let nonce = match (self.nonce, segment) {
            (Some(nonce), _) => nonce,
            (None, Some(_)) => NonceForm::Public(24),
            (None, None) if profile.block_bytes() > 32 => NonceForm::Hidden(32),
            (None, None) => NonceForm::Hidden(31),
        };
        let wide = matches!(mode, Mode::Robust | Mode::RobustAe);
        if segment.is_some() && (wide || matches!(nonce, NonceForm::Hidden(_))) {
            return Err(ConfigError::Stream);
        }
        let tag = match self.tag_or_stretch() {
            Ok(tag) => tag,
            Err(error) => return Err(error),
        };
        let bytes = match nonce {
            NonceForm::Hidden(bytes) => {
                let (longest, actual) = (profile.block_bytes() - 1, bytes as usize);
                if actual == 0 || actual > longest {
                    return Err(ConfigError::HiddenNonce { longest, actual });
                }
                bytes
            }
            NonceForm::Public(bytes) if bytes > 1024 => {
                return Err(ConfigError::PublicNonce(bytes));
            }
            NonceForm::Public(bytes) => bytes,
            NonceForm::AnyPublic => ANY,
        };
        if matches!(mode, Mode::Och) && bytes < super::lengths::MIN_OCH_NONCE {
            return Err(ConfigError::ShortNonce(bytes));
        }
        Ok(Config { mode, profile, nonce, prehashes, commits, tag, segment })
    }

    /// TL.
    const fn tag_or_stretch(&self) -> Result<u8, ConfigError> {
        let longest = self.profile.tag_bytes();
        match (self.mode, self.tag, self.stretch) {
            (Mode::Robust, Some(_), _) => Err(ConfigError::RobustTag),
            (Mode::Robust, None, None) => Ok(0),
            (Mode::Robust, None, Some(bytes)) if bytes > 255 => Err(ConfigError::Stretch(bytes)),
            (Mode::Robust, None, Some(bytes)) => Ok(bytes as u8),
            (_, _, Some(_)) => Err(ConfigError::NoStretch),
            (_, None, None) => Ok(longest as u8),
            (_, Some(actual), None) if actual < 16 || actual > longest => {
                Err(ConfigError::Tag { longest, actual })
            }
            (_, Some(bytes), None) => Ok(bytes as u8),
        }
    }
}
