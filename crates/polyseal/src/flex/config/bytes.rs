//! The eight bytes of a configuration, which the key derivation hashes (section 4).

use super::{Builder, Config, ConfigError, Mode, NonceForm, Profile};

/// NL of a free nonce length.
pub(super) const ANY: u16 = 0xffff;
/// The flags.
const HIDES_NONCE: u8 = 1;
const PREHASHES: u8 = 2;
const COMMITS: u8 = 4;
const STREAMS: u8 = 8;

impl Builder {
    /// The configuration that these eight bytes describe, on its way: what gives less than Flex
    /// promises has to be allowed here as well.
    ///
    /// ```
    /// use polyseal::flex::{Builder, Config, ConfigError, Profile};
    ///
    /// let bytes = [1, 1, 2, 16, 24, 0, 0, 0];
    /// assert_eq!(Config::from_bytes(bytes), Err(ConfigError::SixtyFourBits("S256")));
    /// let config = Builder::from_bytes(bytes)?.allow_64_bits().build()?;
    /// assert_eq!(config.to_bytes(), bytes);
    /// # Ok::<(), ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// The field that has no meaning; the other rules are [`build`](Self::build)'s.
    pub const fn from_bytes(bytes: [u8; 8]) -> Result<Self, ConfigError> {
        let [mode, flags, profile, tag, nl0, nl1, aux0, aux1] = bytes;
        let (nonce, aux) = (u16::from_le_bytes([nl0, nl1]), u16::from_le_bytes([aux0, aux1]));
        let mode = match mode {
            1 => Mode::Och,
            2 => Mode::Civ,
            3 => Mode::Robust,
            4 => Mode::RobustAe,
            number => return Err(ConfigError::Mode(number)),
        };
        if flags & 0xf0 != 0 {
            return Err(ConfigError::Flags(flags));
        }
        let Some(profile) = Profile::from_number(profile) else {
            return Err(ConfigError::Profile(profile));
        };
        let robust = matches!(mode, Mode::Robust);
        if flags & COMMITS != 0 && !robust {
            return Err(ConfigError::CommitsAlways);
        }
        let segment = match (flags & STREAMS != 0, aux) {
            (false, 0) => None,
            (true, 8..=24) => Some(1 << aux),
            _ => return Err(ConfigError::Segment(aux)),
        };
        let (tag, stretch) = match robust {
            true => (None, Some(tag as usize)),
            false => (Some(tag as usize), None),
        };
        Ok(Self {
            mode,
            profile,
            nonce: Some(match (flags & HIDES_NONCE != 0, nonce) {
                (true, bytes) => NonceForm::Hidden(bytes),
                (false, ANY) => NonceForm::AnyPublic,
                (false, bytes) => NonceForm::Public(bytes),
            }),
            prehashes: flags & PREHASHES != 0,
            commits: if robust { Some(flags & COMMITS != 0) } else { None },
            tag,
            stretch,
            segment,
            allows_64_bits: false,
        })
    }
}

impl Config {
    /// The configuration that these eight bytes describe. One of the 64-bit level is refused: it is
    /// allowed by way of [`Builder::from_bytes`].
    ///
    /// # Errors
    /// The rule that they break.
    pub const fn from_bytes(bytes: [u8; 8]) -> Result<Self, ConfigError> {
        match Builder::from_bytes(bytes) {
            Ok(builder) => builder.build(),
            Err(error) => Err(error),
        }
    }

    /// The eight bytes that the key derivation hashes.
    #[must_use]
    pub const fn to_bytes(&self) -> [u8; 8] {
        let mode = match self.mode {
            Mode::Och => 1,
            Mode::Civ => 2,
            Mode::Robust => 3,
            Mode::RobustAe => 4,
        };
        let (hides, nonce) = match self.nonce {
            NonceForm::Hidden(bytes) => (HIDES_NONCE, bytes),
            NonceForm::Public(bytes) => (0, bytes),
            NonceForm::AnyPublic => (0, ANY),
        };
        let (streams, aux) = match self.segment {
            Some(log2) => (STREAMS, log2),
            None => (0, 0),
        };
        let commits = if self.commits && matches!(self.mode, Mode::Robust) { COMMITS } else { 0 };
        let prehashes = if self.prehashes { PREHASHES } else { 0 };
        let [nl0, nl1] = nonce.to_le_bytes();
        let flags = hides | prehashes | commits | streams;
        [mode, flags, self.profile.number(), self.tag, nl0, nl1, aux, 0]
    }
}
