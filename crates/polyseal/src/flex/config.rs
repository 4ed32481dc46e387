//! What a key is used for: mode, nonce, tag and permutation, in eight bytes that the key derivation
//! hashes.
//!
//! Source: `docs/spec/flex.md`, section 4. There is no way to a [`Config`] that the specification
//! does not allow: [`Builder::build`] and [`Config::from_bytes`] name the rule that is broken. Two
//! kinds have to be allowed explicitly, because they give less than Flex promises: profiles of the
//! 64-bit level, and encipherment that does not commit, which has a type of its own.

use core::fmt;

/// The way in which a message is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// One pass, parallel. Nonces must not be repeated.
    Och,
    /// Two passes, parallel. A repeated nonce shows which messages are equal, and nothing else.
    Civ,
    /// A wide-block cipher over the message and as many zeros as wanted, and a tag that commits.
    Robust,
}

/// A permutation and its security level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// Simpira v2 on 64 bytes: the default.
    S512,
    /// Simpira v2 on 32 bytes, of the 64-bit level.
    S256,
    /// Simpira v2 on 128 bytes.
    S1024,
    /// Simpira v2 on 48 bytes: experimental.
    S384,
    /// Areion on 64 bytes: low latency, as hardware has it.
    A512,
    /// Areion on 32 bytes, of the 64-bit level.
    A256,
    /// Keccak-p with 12 rounds, on 200 bytes: for CPUs without AES instructions.
    K1600,
    /// Ascon-p with 12 rounds, on 40 bytes: for small hardware, of the 64-bit level.
    As320,
}

impl Profile {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::S512,
        Self::S256,
        Self::S1024,
        Self::S384,
        Self::A512,
        Self::A256,
        Self::K1600,
        Self::As320,
    ];

    /// The name in the specification.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::S512 => "S512",
            Self::S256 => "S256",
            Self::S1024 => "S1024",
            Self::S384 => "S384",
            Self::A512 => "A512",
            Self::A256 => "A256",
            Self::K1600 => "K1600",
            Self::As320 => "AS320",
        }
    }

    /// B, the bytes of a block.
    #[must_use]
    pub const fn block_bytes(self) -> usize {
        match self {
            Self::S256 | Self::A256 => 32,
            Self::As320 => 40,
            Self::S384 => 48,
            Self::S512 | Self::A512 => 64,
            Self::S1024 => 128,
            Self::K1600 => 200,
        }
    }

    /// t, the longest tag in bytes. A commitment has half as many bits of security.
    #[must_use]
    pub const fn tag_bytes(self) -> usize {
        match self {
            Self::S256 | Self::A256 | Self::As320 => 16,
            _ => 32,
        }
    }

    const fn number(self) -> u8 {
        self as u8 + 1
    }
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

/// NL of a free nonce length.
const ANY: u16 = 0xffff;
/// The flags.
const HIDES_NONCE: u8 = 1;
const PREHASHES: u8 = 2;
const COMMITS: u8 = 4;
const STREAMS: u8 = 8;

/// The rule that a configuration breaks. Lengths are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// There is no mode of this number.
    Mode(u8),
    /// A flag is set that means nothing: bits 4 to 7.
    Flags(u8),
    /// There is no profile of this number.
    Profile(u8),
    /// The committing tag is a choice for [`Mode::Robust`] only.
    CommitsAlways,
    /// Only [`Mode::Och`] and [`Mode::Civ`] go in segments, and with a nonce that is not hidden.
    Stream,
    /// Segments have 2^8 to 2^24 bytes; without segments the number is zero.
    Segment(u16),
    /// A tag is at least 16 bytes long, and no longer than the profile's.
    Tag {
        /// The profile's.
        longest: usize,
        /// The length that was asked for.
        actual: usize,
    },
    /// A stretch has at most 255 bytes.
    Stretch(usize),
    /// A hidden nonce has at least 1 byte, and fewer than a block.
    HiddenNonce {
        /// The profile's longest.
        longest: usize,
        /// The length that was asked for.
        actual: usize,
    },
    /// A public nonce has at most 1024 bytes, unless its length is free.
    PublicNonce(u16),
    /// A nonce of [`Mode::Och`] has at least 8 bytes.
    ShortNonce(u16),
    /// A [`WideBlock`](super::WideBlock) is [`Mode::Robust`] without its tag, and nothing else.
    Commits,
    /// [`Mode::Robust`] without its tag does not commit to anything: see
    /// [`WideBlock`](super::WideBlock).
    NotCommitting,
    /// The profile is of the 64-bit level, which has to be allowed.
    SixtyFourBits(Profile),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mode(number) => write!(f, "mode {number} does not exist: there are 1, 2 and 3"),
            Self::Flags(flags) => write!(f, "flags {flags:#04x}: bits 4 to 7 must be zero"),
            Self::Profile(number) => write!(f, "profile {number} does not exist: 1 to 8 do"),
            Self::CommitsAlways => f.write_str(
                "the committing tag is a choice for the robust mode: others commit always",
            ),
            Self::Stream => f.write_str("only OCH and CIV go in segments, with a public nonce"),
            Self::Segment(log2) => {
                write!(
                    f,
                    "segments have 2^8 to 2^24 bytes, and there are none without a stream: {log2}"
                )
            }
            Self::Tag { longest, actual } => {
                write!(f, "a tag of this profile has 16 to {longest} bytes, not {actual}")
            }
            Self::Stretch(bytes) => write!(f, "a stretch has at most 255 bytes, not {bytes}"),
            Self::HiddenNonce { longest, actual } => {
                write!(f, "a hidden nonce of this profile has 1 to {longest} bytes, not {actual}")
            }
            Self::PublicNonce(bytes) => {
                write!(f, "a public nonce has at most 1024 bytes, or a free length, not {bytes}")
            }
            Self::ShortNonce(bytes) => {
                write!(
                    f,
                    "a nonce of OCH has at least 8 bytes, not {bytes}: it would soon be repeated"
                )
            }
            Self::Commits => f.write_str(
                "a wide-block cipher is the robust mode without its tag, and nothing else",
            ),
            Self::NotCommitting => f.write_str(
                "the robust mode without its tag does not commit: that is a `WideBlock`",
            ),
            Self::SixtyFourBits(profile) => {
                write!(f, "profile {} is of the 64-bit level: it must be allowed", profile.name())
            }
        }
    }
}

impl core::error::Error for ConfigError {}

/// What gives less than Flex promises and is allowed all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Allowed {
    pub(super) not_committing: bool,
    pub(super) sixty_four_bits: bool,
}

/// A configuration that the specification allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    mode: Mode,
    profile: Profile,
    nonce: NonceForm,
    prehashes: bool,
    /// Of [`Mode::Robust`]: whether there is a tag that commits.
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
    /// The robust mode with any public nonce, 0x21: 32 bytes of tag that commits, and no stretch.
    pub const ROBUST: Self = Self::named(Mode::Robust, NonceForm::AnyPublic, 0, None);
    /// OCH in segments of 64 KiB, with a public nonce of 24 bytes, 0x31.
    pub const OCH_STREAM: Self = Self::named(Mode::Och, NonceForm::Public(24), 32, Some(16));
    /// CIV in segments of 64 KiB, with a public nonce of 24 bytes, 0x32.
    pub const CIV_STREAM: Self = Self::named(Mode::Civ, NonceForm::Public(24), 32, Some(16));

    const fn named(mode: Mode, nonce: NonceForm, tag: u8, segment: Option<u8>) -> Self {
        let profile = Profile::S512;
        Self { mode, profile, nonce, prehashes: false, commits: true, tag, segment }
    }

    /// Another configuration of `mode`, from the profile's longest tag and a hidden nonce of 32
    /// bytes, or the longest that can be hidden.
    pub const fn builder(mode: Mode) -> Builder {
        Builder {
            mode,
            profile: Profile::S512,
            nonce: None,
            prehashes: false,
            tag: None,
            segment: None,
            allowed: Allowed { not_committing: false, sixty_four_bits: false },
        }
    }

    /// The configuration that these eight bytes describe. Profiles of the 64-bit level are allowed:
    /// who has the bytes has decided.
    ///
    /// # Errors
    /// The rule that they break.
    pub fn from_bytes(bytes: [u8; 8]) -> Result<Self, ConfigError> {
        Self::parse(bytes, Allowed { not_committing: false, sixty_four_bits: true })
    }

    pub(super) fn parse(bytes: [u8; 8], allowed: Allowed) -> Result<Self, ConfigError> {
        let [mode, flags, profile, tag, nl0, nl1, aux0, aux1] = bytes;
        let (nonce, aux) = (u16::from_le_bytes([nl0, nl1]), u16::from_le_bytes([aux0, aux1]));
        let mode = match mode {
            1 => Mode::Och,
            2 => Mode::Civ,
            3 => Mode::Robust,
            number => return Err(ConfigError::Mode(number)),
        };
        if flags & 0xf0 != 0 {
            return Err(ConfigError::Flags(flags));
        }
        let number = usize::from(profile);
        let profile =
            *Profile::ALL.get(number.wrapping_sub(1)).ok_or(ConfigError::Profile(profile))?;
        if flags & COMMITS != 0 && mode != Mode::Robust {
            return Err(ConfigError::CommitsAlways);
        }
        let segment = match (flags & STREAMS != 0, aux) {
            (false, 0) => None,
            (true, 8..=24) => Some(aux as u8),
            _ => return Err(ConfigError::Segment(aux)),
        };
        let config = Self {
            mode,
            profile,
            nonce: match (flags & HIDES_NONCE != 0, nonce) {
                (true, bytes) => NonceForm::Hidden(bytes),
                (false, ANY) => NonceForm::AnyPublic,
                (false, bytes) => NonceForm::Public(bytes),
            },
            prehashes: flags & PREHASHES != 0,
            commits: mode != Mode::Robust || flags & COMMITS != 0,
            tag,
            segment,
        };
        config.check(allowed)?;
        Ok(config)
    }

    /// Itself, if it is one without commitment.
    #[cfg(feature = "alloc")]
    pub(super) fn not_committing(self) -> Result<Self, ConfigError> {
        if self.commits { Err(ConfigError::Commits) } else { Ok(self) }
    }

    fn check(&self, allowed: Allowed) -> Result<(), ConfigError> {
        let (block, longest) = (self.profile.block_bytes(), self.profile.tag_bytes());
        let tag = usize::from(self.tag);
        let hides = matches!(self.nonce, NonceForm::Hidden(_));
        if self.segment.is_some() && (self.mode == Mode::Robust || hides) {
            return Err(ConfigError::Stream);
        }
        if self.mode != Mode::Robust && !(16..=longest).contains(&tag) {
            return Err(ConfigError::Tag { longest, actual: tag });
        }
        let bytes = match self.nonce {
            NonceForm::Hidden(bytes) if !(1..block).contains(&usize::from(bytes)) => {
                let (longest, actual) = (block - 1, usize::from(bytes));
                return Err(ConfigError::HiddenNonce { longest, actual });
            }
            NonceForm::Public(bytes) if bytes > 1024 => {
                return Err(ConfigError::PublicNonce(bytes));
            }
            NonceForm::Hidden(bytes) | NonceForm::Public(bytes) => bytes,
            NonceForm::AnyPublic => ANY,
        };
        if self.mode == Mode::Och && bytes < MIN_OCH_NONCE {
            return Err(ConfigError::ShortNonce(bytes));
        }
        if !self.commits && !allowed.not_committing {
            return Err(ConfigError::NotCommitting);
        }
        if longest == 16 && !allowed.sixty_four_bits {
            return Err(ConfigError::SixtyFourBits(self.profile));
        }
        Ok(())
    }

    /// The eight bytes that the key derivation hashes.
    #[must_use]
    pub const fn to_bytes(&self) -> [u8; 8] {
        let mode = match self.mode {
            Mode::Och => 1,
            Mode::Civ => 2,
            Mode::Robust => 3,
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

    /// Whether setup associated data is hashed without the key, so that its hash can be kept.
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

    /// The tag's length in bytes; for [`Mode::Robust`], that of the tag that commits, or 0.
    #[must_use]
    pub const fn tag_bytes(&self) -> usize {
        match (self.mode, self.commits) {
            (Mode::Robust, true) => self.profile.tag_bytes(),
            (Mode::Robust, false) => 0,
            _ => self.tag as usize,
        }
    }

    /// λ, how many zeros are enciphered behind a message of [`Mode::Robust`]; 0 for the others.
    #[must_use]
    pub const fn stretch_bytes(&self) -> usize {
        match self.mode {
            Mode::Robust => self.tag as usize,
            _ => 0,
        }
    }

    /// With segments, their length in bytes.
    #[must_use]
    pub const fn segment_bytes(&self) -> Option<usize> {
        match self.segment {
            Some(log2) => Some(1 << log2),
            None => None,
        }
    }

    /// How many bytes of nonce a ciphertext begins with.
    #[must_use]
    pub const fn hidden_bytes(&self) -> usize {
        match self.nonce {
            NonceForm::Hidden(bytes) => bytes as usize,
            _ => 0,
        }
    }

    /// How much longer than its message a ciphertext is, or a segment than its part of it.
    #[must_use]
    pub const fn overhead_bytes(&self) -> usize {
        self.hidden_bytes() + self.stretch_bytes() + self.tag_bytes()
    }

    /// The longest message, or segment, in bytes.
    #[must_use]
    pub const fn max_message_bytes(&self) -> u64 {
        match (self.mode, self.segment) {
            (_, Some(_)) => u64::MAX,
            (Mode::Robust, _) => 1 << 40,
            _ => 1 << 50,
        }
    }

    /// The ciphertext's length for a message of `message` bytes; `None` beyond the limit.
    #[must_use]
    pub fn ciphertext_bytes(&self, message: u64) -> Option<u64> {
        let overhead = self.overhead_bytes() as u64;
        let pieces = match self.segment_bytes() {
            Some(bytes) => message.div_ceil(bytes as u64).max(1),
            None if message > self.max_message_bytes() => return None,
            None => 1,
        };
        pieces.checked_mul(overhead)?.checked_add(message)
    }

    /// The message's length for a ciphertext of `ciphertext` bytes; `None` if no ciphertext has that
    /// length.
    #[must_use]
    pub fn message_bytes(&self, ciphertext: u64) -> Option<u64> {
        let overhead = self.overhead_bytes() as u64;
        let Some(segment) = self.segment_bytes() else {
            let message = ciphertext.checked_sub(overhead)?;
            return (message <= self.max_message_bytes()).then_some(message);
        };
        let pieces = ciphertext.div_ceil(segment as u64 + overhead).max(1);
        let message = ciphertext.checked_sub(pieces.checked_mul(overhead)?)?;
        // None but the only segment is empty.
        (self.ciphertext_bytes(message) == Some(ciphertext)).then_some(message)
    }

    /// The shortest and the longest nonce in bytes.
    #[must_use]
    pub const fn nonce_range(&self) -> (usize, usize) {
        match (self.nonce, self.mode) {
            (NonceForm::Hidden(fixed) | NonceForm::Public(fixed), _) => {
                (fixed as usize, fixed as usize)
            }
            (NonceForm::AnyPublic, Mode::Och) => (MIN_OCH_NONCE as usize, u16::MAX as usize),
            (NonceForm::AnyPublic, _) => (0, u16::MAX as usize),
        }
    }

    /// Whether a nonce may have `bytes` bytes.
    #[must_use]
    pub const fn takes_nonce_of(&self, bytes: usize) -> bool {
        let (shortest, longest) = self.nonce_range();
        shortest <= bytes && bytes <= longest
    }
}

/// The shortest nonce of [`Mode::Och`] in bytes.
const MIN_OCH_NONCE: u16 = 8;

/// A configuration on its way; see [`Config::builder`].
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Builder {
    mode: Mode,
    profile: Profile,
    nonce: Option<NonceForm>,
    prehashes: bool,
    tag: Option<usize>,
    segment: Option<u8>,
    allowed: Allowed,
}

impl Builder {
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

    /// With a tag of `bytes` bytes; for [`Mode::Robust`], with a stretch of so many zeros, which is
    /// 0 unless it is set.
    pub const fn tag_bytes(mut self, bytes: usize) -> Self {
        self.tag = Some(bytes);
        self
    }

    /// In segments of 2^`log2` bytes that open one by one, 8 to 24, with a public nonce.
    pub const fn segments(mut self, log2: u8) -> Self {
        self.segment = Some(log2);
        self
    }

    /// With setup associated data that is hashed without the key.
    pub const fn prehash_setup_ad(mut self) -> Self {
        self.prehashes = true;
        self
    }

    /// Allows profiles of the 64-bit level: a commitment that 2^64 work breaks, and fewer messages to
    /// a key.
    pub const fn allow_64_bits(mut self) -> Self {
        self.allowed.sixty_four_bits = true;
        self
    }

    /// The configuration.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn build(self) -> Result<Config, ConfigError> {
        self.build_with(true)
    }

    /// The same without the tag that commits.
    #[cfg(feature = "alloc")]
    pub(super) fn build_not_committing(mut self) -> Result<Config, ConfigError> {
        if self.mode != Mode::Robust {
            return Err(ConfigError::Commits);
        }
        self.allowed.not_committing = true;
        self.build_with(false)
    }

    fn build_with(self, commits: bool) -> Result<Config, ConfigError> {
        let robust = self.mode == Mode::Robust;
        let longest = self.profile.tag_bytes();
        let tag = self.tag.unwrap_or(if robust { 0 } else { longest });
        let tag = match u8::try_from(tag) {
            Ok(tag) => tag,
            Err(_) if robust => return Err(ConfigError::Stretch(tag)),
            Err(_) => return Err(ConfigError::Tag { longest, actual: tag }),
        };
        let hidden = (self.profile.block_bytes() - 1).min(32) as u16;
        let nonce = match (self.nonce, self.segment) {
            (Some(nonce), _) => nonce,
            (None, None) => NonceForm::Hidden(hidden),
            (None, Some(_)) => NonceForm::Public(24),
        };
        if nonce == NonceForm::Public(ANY) {
            return Err(ConfigError::PublicNonce(ANY));
        }
        if let Some(log2) = self.segment
            && !(8..=24).contains(&log2)
        {
            return Err(ConfigError::Segment(log2.into()));
        }
        let Self { mode, profile, prehashes, segment, allowed, .. } = self;
        let config = Config { mode, profile, nonce, prehashes, commits, tag, segment };
        config.check(allowed)?;
        Ok(config)
    }
}
