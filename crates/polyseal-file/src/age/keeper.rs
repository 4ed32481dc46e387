//! A private key that is kept elsewhere, in a token or a service, and the words of its keeper.

use std::fmt;

use zeroize::Zeroizing;

/// Anything that holds a private key on the curve P-256 and does not give it out.
pub trait Keeper: Send + Sync {
    /// The secret that the private key shares with `point`: the first coordinate of the product, 32
    /// bytes. The point is on the curve and uncompressed, 65 bytes.
    ///
    /// # Errors
    /// The keeper's, if it does not do it.
    fn derive(&self, point: &[u8; 65]) -> Result<Zeroizing<[u8; 32]>, KeeperError>;
}

/// The kind of a failure, for exit codes and exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeeperErrorClass {
    /// The request cannot be done.
    Usage,
    /// The system or the network is to blame; it may go another time.
    System,
    /// The key is not to be had.
    NoKey,
    /// A file is not what it should be, perhaps altered.
    Content,
}

/// A keeper's refusal, when it was asked for the key of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeeperError {
    class: KeeperErrorClass,
    message: String,
    hint: Option<String>,
}

impl KeeperError {
    /// A refusal in these words, which have nothing secret.
    pub fn new(class: KeeperErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), hint: None }
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The kind of the failure.
    #[must_use]
    pub fn class(&self) -> KeeperErrorClass {
        self.class
    }

    /// The words of the keeper.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Advice, if there is some.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for KeeperError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for KeeperError {}
