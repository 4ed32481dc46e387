//! A private key that is kept elsewhere, in a token or a service, and the words of its keeper.

use std::fmt;

use zeroize::Zeroizing;

use crate::class::Class;

/// Anything that holds a private key on the curve P-256 and does not give it out.
pub trait Keeper: Send + Sync {
    /// The secret that the private key shares with `point`: the first coordinate of the product, 32
    /// bytes. The point is on the curve and uncompressed, 65 bytes.
    ///
    /// # Errors
    /// The keeper's, if it does not do it.
    fn derive(&self, point: &[u8; 65]) -> Result<Zeroizing<[u8; 32]>, KeeperError>;
}

/// A keeper's refusal, when it was asked for the key of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeeperError {
    class: Class,
    message: String,
    hint: Option<String>,
}

impl KeeperError {
    /// A refusal in these words, which have nothing secret.
    pub fn new(class: Class, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), hint: None }
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The class of the error.
    #[must_use]
    pub fn class(&self) -> Class {
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
