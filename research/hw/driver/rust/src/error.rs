//! The errors of the driver.

use core::fmt;

/// The failure that a [`Bus`](crate::Bus) answers instead of a word.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault<E> {
    /// The device refused the access (SLVERR). Nothing has changed.
    Refused,
    /// The bus itself failed.
    Bus(E),
}

/// Why a [`Link`](crate::Link) could not do something.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Error<E> {
    /// The bus failed.
    Bus(E),
    /// The device refused an access that this step needs, for example because there is a session.
    Refused {
        /// The offset of the register.
        offset: u16,
    },
    /// There is no `omd_link` on this bus: the word that it begins with is another.
    NoDevice {
        /// The word that was read.
        magic: u32,
    },
    /// A version of the packet format or of the registers that this driver does not know.
    Version {
        /// The register `version`.
        found: u32,
    },
    /// A master key of another length than the device's suite has.
    KeyLength {
        /// The given length, in bytes.
        given: usize,
        /// The needed length, in bytes.
        needed: usize,
    },
    /// Both identifiers have the same random bytes: what came is this end's own.
    EqualIdentifiers,
    /// The other end has other keys: another master key, the same role, or an identifier was
    /// altered on its way. The session's keys are erased.
    WrongConfirmation,
    /// The device did not come to an end in the time that it can take at most.
    Stuck,
    /// The operating system has no randomness to give.
    Randomness,
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bus(error) => write!(f, "the bus failed: {error}"),
            Self::Refused { offset } => write!(f, "the device refused the access to {offset:03x}"),
            Self::NoDevice { magic } => {
                write!(f, "no omd_link is here: it begins with 4f4d444c, this with {magic:08x}")
            }
            Self::Version { found } => write!(f, "version {found:04x} is unknown to this driver"),
            Self::KeyLength { given, needed } => {
                write!(f, "a master key of {given} bytes where {needed} are needed")
            }
            Self::EqualIdentifiers => {
                f.write_str("the other end's identifier is this end's own, or drawn alike")
            }
            Self::WrongConfirmation => f.write_str("the other end has other keys"),
            Self::Stuck => f.write_str("the device does not come to an end"),
            Self::Randomness => f.write_str("the operating system gives no randomness"),
        }
    }
}

#[cfg(feature = "std")]
impl<E: fmt::Debug + fmt::Display> std::error::Error for Error<E> {}
