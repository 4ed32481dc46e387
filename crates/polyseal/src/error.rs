//! Errors: one opaque value for a cryptographic failure, precise ones for everything that is
//! decided by public data (lengths, names, parameters, limits).
//!
//! A failed opening says nothing about why it failed: telling a wrong tag from a wrong commitment
//! or a wrong padding apart is how decryption oracles are built.

use core::fmt;

#[cfg(feature = "flex")]
mod config;

#[cfg(feature = "flex")]
pub use config::ConfigError;

use crate::sizes::Sizes;

/// A result with Polyseal's [`Error`].
pub type Result<T> = core::result::Result<T, Error>;

/// The errors of this library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The ciphertext, associated data, nonce, tag or key is not the one that was sealed.
    ///
    /// Deliberately opaque. The output buffer has been wiped.
    Unauthentic,
    /// An algorithm was asked for with a size that it does not come in.
    Size {
        /// Which size: `"key"`, `"nonce"` or `"tag"`.
        what: &'static str,
        /// The lengths in bytes that exist.
        allowed: Sizes,
        /// The length in bytes that was asked for.
        actual: usize,
    },
    /// A key, nonce or tag is not as long as the algorithm's; or a segment that is not the last is
    /// not as long as the stream's.
    Length {
        /// Which input: `"key"`, `"nonce"`, `"tag"` or `"segment"`.
        what: &'static str,
        /// The length in bytes that is needed.
        expected: usize,
        /// The length in bytes that was given.
        actual: usize,
    },
    /// A key or nonce is shorter or longer than any of the algorithm's; or the last segment of a
    /// stream is.
    Range {
        /// Which input: `"key"`, `"nonce"` or `"segment"`.
        what: &'static str,
        /// The shortest in bytes.
        shortest: usize,
        /// The longest in bytes.
        longest: usize,
        /// The length in bytes that was given.
        actual: usize,
    },
    /// No such configuration exists.
    #[cfg(feature = "flex")]
    Config(ConfigError),
    /// An output buffer is not as long as its input, or a sealed message is shorter than its tag,
    /// or than its nonce and its tag.
    Buffer {
        /// The length in bytes that is needed.
        expected: usize,
        /// The length in bytes that was given.
        actual: usize,
    },
    /// The message, associated data or output is longer than the algorithm's limit.
    TooLong {
        /// `"message"`, `"associated data"` or, of a key derivation, `"output"`.
        what: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
    /// The key has been used as often as it may be: take another.
    Limit {
        /// The subject of the limit: `"messages with random nonces"`, `"messages"`, `"segments"`,
        /// `"bytes"` or `"failed verifications"`.
        what: &'static str,
        /// How many of them a key may have.
        limit: u128,
    },
    /// The algorithm is not for random nonces: there would be too few messages to a key.
    FewRandomNonces {
        /// How many messages a key may have under random nonces.
        limit: u128,
    },
    /// No algorithm has this name.
    UnknownAlgorithm,
    /// The algorithm exists, and this build was made without it.
    LeftOut {
        /// The feature of the crate `polyseal` that brings it, such as `"flex"`.
        feature: &'static str,
    },
    /// No need has this name.
    UnknownNeed,
    /// No AEAD leaves the message's length as it is. `hazmat::WideBlock` does.
    LengthPreserving,
    /// The algorithm has no such parameter, or does not take this value for it.
    Parameter,
    /// Parameters that exclude each other.
    ExclusiveParameters,
    /// The algorithm takes no setup associated data.
    NoSetupAd,
    /// The hash of setup associated data is another profile's, or the configuration does not take
    /// one.
    SetupHash,
    /// The configuration has no segments.
    NoSegments,
    /// A stream has fewer than 2^64 segments.
    TooManySegments,
    /// A sealed message of this algorithm is in one piece: there are no detached calls.
    WholeOnly,
    /// The algorithm is a MAC where an AEAD is needed, or the other way round.
    WrongKind,
    /// The operating system gave no random bytes.
    Random,
    /// A known-answer test gave a wrong answer: do not use this build on this machine.
    SelfTest,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unauthentic => f.write_str("not authentic: wrong key or altered data"),
            Self::Size { what, allowed, actual } => {
                write!(f, "a {what} of {actual} bytes does not exist here; {allowed} bytes do")
            }
            Self::Length { what, expected, actual } => {
                write!(f, "the {what} has {actual} bytes where {expected} are needed")
            }
            Self::Range { what, shortest, longest, actual } => {
                write!(f, "the {what} has {actual} bytes where {shortest} to {longest} are needed")
            }
            #[cfg(feature = "flex")]
            Self::Config(error) => error.fmt(f),
            Self::Buffer { expected, actual } => {
                write!(f, "the buffer has {actual} bytes where {expected} are needed")
            }
            Self::TooLong { what, limit } => {
                write!(f, "the {what} is longer than the algorithm's limit of {limit} bytes")
            }
            Self::Limit { what, limit } => {
                f.write_str("the key may have no more than ")?;
                write_count(f, *limit)?;
                write!(f, " {what}: take another key")
            }
            Self::FewRandomNonces { limit } => {
                f.write_str("with random nonces a key could have no more than ")?;
                write_count(f, *limit)?;
                f.write_str(" messages: take an algorithm with longer nonces")
            }
            Self::UnknownAlgorithm => f.write_str("unknown algorithm"),
            Self::LeftOut { feature } => {
                write!(f, "left out of this build: the feature `{feature}` brings it")
            }
            Self::UnknownNeed => f.write_str("unknown need"),
            Self::LengthPreserving => f.write_str(
                "no AEAD preserves the length, for a tag takes room; `polyseal hazmat` has what \
                 does, and authenticates nothing",
            ),
            Self::Parameter => f.write_str("unknown parameter, or a value that it does not take"),
            Self::ExclusiveParameters => {
                f.write_str("this algorithm takes one of its parameters at most")
            }
            Self::NoSetupAd => f.write_str("this algorithm takes no setup associated data"),
            Self::SetupHash => f.write_str(
                "the hash of setup associated data is another profile's, or it is not to be hashed",
            ),
            Self::NoSegments => f.write_str("the configuration has no segments"),
            Self::TooManySegments => f.write_str("a stream has fewer than 2^64 segments"),
            Self::WholeOnly => {
                f.write_str("this algorithm's ciphertext is in one piece: use seal and open")
            }
            Self::WrongKind => f.write_str("a MAC where an AEAD is needed, or the reverse"),
            Self::Random => f.write_str("the operating system gave no random bytes"),
            Self::SelfTest => f.write_str("a known-answer test failed"),
        }
    }
}

/// A large power of two as one.
fn write_count(f: &mut fmt::Formatter<'_>, count: u128) -> fmt::Result {
    match count {
        1024.. if count.is_power_of_two() => write!(f, "2^{}", count.ilog2()),
        _ => write!(f, "{count}"),
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "flex")]
impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<Error> for aead::Error {
    fn from(_: Error) -> Self {
        Self
    }
}
