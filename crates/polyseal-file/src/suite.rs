//! Which algorithms files are encrypted with.
//!
//! An allow-list: what enters the registry does not enter the format by itself. An AEAD is on it
//! if its specification is public and stable, its tag has at least 16 bytes and its nonce has room
//! for the segment's number.

use std::fmt;

use polyseal::registry::{Algorithm, Kind};

use crate::error::{Error, Result};

/// The suite when nothing else is said.
pub const DEFAULT_SUITE: &str = "aegis-256x2";

const ALLOWED: [&str; 6] =
    ["aegis-128l", "aegis-128x2", "aegis-128x4", "aegis-256", "aegis-256x2", "aegis-256x4"];

/// The longest textual form in bytes: the header's field for it.
pub(crate) const NAME_BYTES: usize = 64;
/// The longest nonce of an allowed suite in bytes.
pub(crate) const MAX_NONCE_BYTES: usize = 32;
/// The longest key of an allowed suite in bytes.
pub(crate) const MAX_KEY_BYTES: usize = 32;
/// The longest tag of an allowed suite in bytes.
pub(crate) const MAX_TAG_BYTES: usize = 32;

/// An algorithm that files are encrypted with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Suite(Algorithm);

impl Suite {
    /// `algorithm`, if files are encrypted with it.
    ///
    /// # Errors
    /// [`Error::Suite`] if they are not.
    pub fn new(algorithm: &Algorithm) -> Result<Self> {
        let family = algorithm.family();
        let fits = family.kind == Kind::Aead
            && (16..=MAX_TAG_BYTES).contains(&algorithm.tag_bytes())
            && (16..=MAX_NONCE_BYTES).contains(&algorithm.nonce_bytes())
            && (16..=MAX_KEY_BYTES).contains(&algorithm.key_bytes())
            && algorithm.to_string().len() <= NAME_BYTES;
        if ALLOWED.contains(&family.id) && fits {
            return Ok(Self(*algorithm));
        }
        Err(Error::Suite(algorithm.to_string()))
    }

    /// The ids of the families that files are encrypted with.
    #[must_use]
    pub fn allowed() -> &'static [&'static str] {
        &ALLOWED
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> &Algorithm {
        &self.0
    }

    pub(crate) fn tag_bytes(&self) -> usize {
        self.0.tag_bytes()
    }
}

impl std::str::FromStr for Suite {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let algorithm = text.parse().map_err(|_| Error::Suite(text.to_owned()))?;
        Self::new(&algorithm)
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Suite({})", self.0)
    }
}
