//! Every failure: the message, the key, and the hint.

use std::fmt;

use polyseal_file::Class;
use polyseal_file::age::KeeperError;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure with a key that is kept elsewhere. No message shows a key, a PIN, a token or a wrapped
/// secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    problem: Problem,
    uri: Option<String>,
}

/// The kinds of failures.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The text is not the URI of a key, and why.
    Uri(String),
    /// The encryption context is invalid, and why.
    Context(String),
    /// This program was built without the provider: the feature's name.
    NotBuilt(&'static str),
    /// The provider has no such operation: which.
    Unsupported(&'static str),
    /// A file names this, which only the user may: an attribute that loads code, or says where a
    /// PIN is.
    NotFromFile(String),
    /// A provider is not configured: which variable or program is missing, and for what.
    Setting(String),
    /// There are no credentials, or the service does not take them: its message.
    Credentials(String),
    /// The caller may not use the key: the service's message.
    Denied(String),
    /// The key is disabled, or will be deleted: the service's message.
    Disabled(String),
    /// There is no such key, token or entry.
    NotFound(String),
    /// The keeper does not unwrap it: another key wrapped it, with another encryption context, or
    /// it was altered.
    Refused(String),
    /// The unwrapped key is not the one that the file was made with, or a field of the file was
    /// altered.
    Check,
    /// The service wants fewer requests, also after they were tried again.
    Throttled(String),
    /// The service was not reached, or broke off.
    Unreachable(String),
    /// The service says that this machine's clock is wrong.
    Clock(String),
    /// The PIN is wrong. It was not tried again.
    Pin,
    /// The token takes no PIN any more.
    PinLocked,
    /// The token wants a PIN, and none was given.
    NoPin,
    /// The token is not there, or was pulled.
    Token(String),
    /// The public key that the keeper shows does not belong to its private key.
    OtherPublicKey,
    /// An invalid answer, or another error: the keeper's message.
    Service(String),
    /// An invalid wrapped key file: its defect.
    File(String),
    /// The operating system gave no random bytes.
    Random,
}

impl Error {
    /// An error that is not yet of a certain key.
    #[must_use]
    pub fn new(problem: Problem) -> Self {
        Self { problem, uri: None }
    }

    /// The same, of the key with this URI.
    #[must_use]
    pub fn with_uri(mut self, uri: &str) -> Self {
        self.uri.get_or_insert_with(|| uri.to_owned());
        self
    }

    /// The kind of failure, with its details.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The URI of the key, if it is known.
    #[must_use]
    pub fn uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }

    /// The class of the error.
    #[must_use]
    pub fn class(&self) -> Class {
        match &self.problem {
            Problem::Uri(_)
            | Problem::Context(_)
            | Problem::NotBuilt(_)
            | Problem::Unsupported(_)
            | Problem::Setting(_) => Class::Usage,
            Problem::Throttled(_)
            | Problem::Unreachable(_)
            | Problem::Clock(_)
            | Problem::Service(_)
            | Problem::Random => Class::KeeperFailed,
            Problem::Credentials(_)
            | Problem::Denied(_)
            | Problem::Disabled(_)
            | Problem::NotFound(_)
            | Problem::Refused(_)
            | Problem::Pin
            | Problem::PinLocked
            | Problem::NoPin
            | Problem::Token(_)
            | Problem::OtherPublicKey => Class::KeyUnavailable,
            Problem::NotFromFile(_) | Problem::Check | Problem::File(_) => Class::KeyAltered,
        }
    }

    /// A hint on what to do about it, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match &self.problem {
            Problem::NotBuilt(_) => "build it with the feature kms, or with the provider's own",
            Problem::NotFromFile(_) => {
                "whoever wrote the file chose this: set it in the environment if it is right"
            }
            Problem::Credentials(_) => {
                "the page on keys that live elsewhere says where they are looked for"
            }
            Problem::Denied(_) => "ask whoever manages the key for the right to use it",
            Problem::Disabled(_) => "nothing opens until somebody enables the key again",
            Problem::Refused(_) => {
                "the encryption context and the key must be those that it was wrapped with"
            }
            Problem::Check => "take the file from a copy that nobody else could write to",
            Problem::Clock(_) => "set the clock: services refuse requests from another time",
            Problem::Pin => "tokens lock after a few wrong PINs: check it before you try again",
            Problem::PinLocked => "its security officer can set a new PIN",
            Problem::OtherPublicKey => {
                "somebody may have put theirs in its place: encrypt by the recipient or the \
                 identity file, which have the right one"
            }
            Problem::NoPin => "set PKCS11_PIN or PKCS11_PIN_FILE, or run it at a terminal",
            Problem::Throttled(_) => "wait, then run it again",
            _ => return None,
        })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uri(why) => write!(f, "not the URI of a key: {why}"),
            Self::Context(why) => write!(f, "not an encryption context: {why}"),
            Self::NotBuilt(feature) => write!(f, "this program was built without {feature}"),
            Self::Unsupported(what) => write!(f, "this keeper of keys cannot {what}"),
            Self::NotFromFile(what) => write!(f, "the file names {what}, which it may not"),
            Self::Setting(what) => f.write_str(what),
            Self::Credentials(says) => write!(f, "no credentials that are taken: {says}"),
            Self::Denied(says) => write!(f, "access was denied: {says}"),
            Self::Disabled(says) => write!(f, "the key cannot be used now: {says}"),
            Self::NotFound(says) => write!(f, "there is no such key: {says}"),
            Self::Refused(says) => write!(
                f,
                "it was wrapped by another key or with another context, or was altered: {says}"
            ),
            Self::Check => {
                f.write_str("the check value is wrong: it holds another key, or a line was altered")
            }
            Self::Throttled(says) => write!(f, "there were too many requests: {says}"),
            Self::Unreachable(says) => write!(f, "the keeper of the key was not reached: {says}"),
            Self::Clock(says) => write!(f, "the clocks differ: {says}"),
            Self::Pin => f.write_str("the PIN is wrong"),
            Self::PinLocked => f.write_str("the token is locked after wrong PINs"),
            Self::NoPin => f.write_str("the token wants a PIN"),
            Self::Token(says) => write!(f, "the token cannot be used: {says}"),
            Self::OtherPublicKey => {
                f.write_str("the public key that is shown does not belong to the private one")
            }
            Self::Service(says) => write!(f, "the keeper of the key failed: {says}"),
            Self::File(why) => write!(f, "not a wrapped key file: {why}"),
            Self::Random => f.write_str("the operating system gave no random bytes"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.uri {
            Some(uri) => write!(f, "{uri}: {}", self.problem),
            None => self.problem.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::new(problem)
    }
}

impl From<&Error> for KeeperError {
    fn from(error: &Error) -> Self {
        let said = Self::new(error.class(), error.to_string());
        match error.hint() {
            Some(hint) => said.with_hint(hint),
            None => said,
        }
    }
}
