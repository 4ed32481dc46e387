//! A passphrase, and a context: the two inputs that people think of themselves.

use std::fmt;

use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// A passphrase of 1 to 4096 bytes, wiped when dropped.
#[derive(Clone)]
pub struct Passphrase(Zeroizing<Vec<u8>>);

impl Passphrase {
    /// The longest passphrase in bytes.
    pub const MAX_BYTES: usize = 4096;

    /// The passphrase with these bytes; text is taken as UTF-8, without an end of line.
    ///
    /// # Errors
    /// [`Error::Passphrase`] if it is empty or too long.
    pub fn new(bytes: impl Into<Zeroizing<Vec<u8>>>) -> Result<Self> {
        let bytes = bytes.into();
        if (1..=Self::MAX_BYTES).contains(&bytes.len()) {
            Ok(Self(bytes))
        } else {
            Err(Error::Passphrase)
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(secret)")
    }
}

/// A value that a file is bound to beside its keys: 1 to 65535 bytes such as a name or a purpose.
/// The file opens only with the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context(Vec<u8>);

impl Context {
    /// The longest context in bytes.
    pub const MAX_BYTES: usize = 65535;

    /// The context with these bytes.
    ///
    /// # Errors
    /// [`Error::Context`] if it is empty or too long.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self> {
        let bytes = bytes.into();
        if (1..=Self::MAX_BYTES).contains(&bytes.len()) {
            Ok(Self(bytes))
        } else {
            Err(Error::Context)
        }
    }

    /// Its bytes, which are no secret.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
