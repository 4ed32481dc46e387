//! A trait for questions to the user.

use crate::SecretText;

/// How plugins and encrypted identities speak to the user.
pub trait Callbacks: Clone + Send + Sync + 'static {
    /// Shows a message, if there is a place to show it.
    fn display_message(&self, message: &str);

    /// Asks for one of two answers, of which the second may have no words: `Some(true)` is the
    /// first, `None` that nobody could be asked.
    fn confirm(&self, message: &str, yes: &str, no: Option<&str>) -> Option<bool>;

    /// Asks for something that is not secret; `None` if nobody could be asked.
    fn request_public_string(&self, description: &str) -> Option<String>;

    /// Asks for a passphrase or a PIN; `None` if nobody could be asked.
    fn request_passphrase(&self, description: &str) -> Option<SecretText>;
}

/// Nobody who could be asked.
#[derive(Clone, Copy, Debug)]
pub struct NoCallbacks;

impl Callbacks for NoCallbacks {
    fn display_message(&self, _: &str) {}

    fn confirm(&self, _: &str, _: &str, _: Option<&str>) -> Option<bool> {
        None
    }

    fn request_public_string(&self, _: &str) -> Option<String> {
        None
    }

    fn request_passphrase(&self, _: &str) -> Option<SecretText> {
        None
    }
}
