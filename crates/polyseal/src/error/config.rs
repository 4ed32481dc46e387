//! Which rule a configuration of Flex breaks.

use core::fmt;

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
    /// The committing tag is a choice for `Mode::Robust` only.
    CommitsAlways,
    /// Only `Mode::Och` and `Mode::Civ` go in segments, and with a nonce that is not hidden.
    Stream,
    /// The segment field of the eight bytes: segments have 2^8 to 2^24 bytes; without segments the
    /// number is zero.
    Segment(u16),
    /// Segments have 2^8 to 2^24 bytes, a power of two.
    SegmentBytes(usize),
    /// A tag is at least 16 bytes long, and no longer than the profile's.
    Tag {
        /// The profile's.
        longest: usize,
        /// The length that was asked for.
        actual: usize,
    },
    /// The tag of `Mode::Robust` is as long as the profile's: what can be chosen is the stretch.
    RobustTag,
    /// Only `Mode::Robust` has a stretch.
    NoStretch,
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
    /// A nonce of `Mode::Och` has at least 8 bytes.
    ShortNonce(u16),
    /// A `WideBlock` is `Mode::Robust` without its tag, and nothing else.
    Commits,
    /// `Mode::Robust` without its tag does not commit to anything: see `hazmat::WideBlock`.
    NotCommitting,
    /// The profile with this name is of the 64-bit level, which has to be allowed.
    SixtyFourBits(&'static str),
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
            Self::SegmentBytes(bytes) => {
                write!(f, "segments have 2^8 to 2^24 bytes, a power of two, not {bytes}")
            }
            Self::Tag { longest, actual } => {
                write!(f, "a tag of this profile has 16 to {longest} bytes, not {actual}")
            }
            Self::RobustTag => f.write_str(
                "the tag of the robust mode is the profile's: its stretch can be chosen",
            ),
            Self::NoStretch => f.write_str("only the robust mode has a stretch"),
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
                "the robust mode without its tag does not commit: that is a `hazmat::WideBlock`",
            ),
            Self::SixtyFourBits(name) => {
                write!(f, "profile {name} is of the 64-bit level: it must be allowed")
            }
        }
    }
}

impl core::error::Error for ConfigError {}
