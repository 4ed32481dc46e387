//! Problems of the keys that a user gives, with advice; and why stanzas were not made or opened.
//!
//! Security claim: nothing of a key's text is shown, not even of a recipient's, but for the type of
//! an SSH key and the name of a plugin: a user may have pasted a secret, or named the wrong file.

use std::fmt;
use std::process::ExitStatus;

use super::KeeperError;
use crate::error::{Error, HeaderError};

/// A problem of a recipient, an identity or a file of them, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError {
    file: Option<String>,
    line: Option<usize>,
    problem: KeyProblem,
}

/// A problem of a recipient, an identity or a file of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyProblem {
    /// A secret where a recipient belongs.
    SecretAsRecipient,
    /// A recipient where an identity belongs.
    RecipientAsIdentity,
    /// A Polyseal key file where an identity belongs.
    KeyFileAsIdentity,
    /// It begins as a key of this kind does, and is not as long as those are.
    Length {
        /// The kind of key that it would be.
        what: &'static str,
        /// The characters that it has.
        found: usize,
        /// The characters that each of its kind has.
        expected: usize,
    },
    /// Not the beginning of any recipient.
    NotARecipient,
    /// Not the beginning of any identity.
    NotAnIdentity,
    /// It begins as this does, but a part of it is missing, changed or in the wrong case.
    Damaged(&'static str),
    /// No recipient in the file.
    NoRecipients,
    /// Only recipients in the file that cannot be used, and were left out.
    NoneSupported,
    /// No identity in the file.
    NoIdentities,
    /// More bytes than the file may have.
    TooLong(usize),
    /// No bytes in the file.
    Empty,
    /// Text in UTF-16.
    Utf16,
    /// Not UTF-8.
    NotText,
    /// An SSH key of this type, to which nothing can be encrypted.
    SshType(String),
    /// An RSA key that has less than 2048 bits, or more than 4096.
    SshRsaSize,
    /// A private SSH key that is not in the formats of OpenSSH.
    SshFormat,
    /// A private SSH key that is encrypted with this cipher.
    SshCipher(String),
    /// Something else in the file of a private SSH key.
    SshFileNotAlone,
    /// The program `age-plugin-` with this name is not on the PATH.
    Plugin(String),
    /// A plugin that runs in this process does not take the identity.
    Refused {
        /// The plugin's name, without `age-plugin-`.
        plugin: String,
        /// Why it does not.
        why: String,
    },
    /// An identity of this plugin, which alone knows the recipient that belongs to it.
    RecipientNotTold(String),
    /// Not a point of the curve P-256.
    NotAPoint,
    /// It needs a feature of this crate that was left out when the program was built.
    Feature {
        /// The kind of key that is not understood.
        what: &'static str,
        /// The feature.
        feature: &'static str,
    },
    /// An age file that is damaged, where a file of identities belongs.
    EncryptedDamaged,
    /// An age file that is not encrypted with a passphrase, where a file of identities belongs.
    NotForPassphrase,
    /// Its passphrase takes more work than is allowed.
    WorkFactor {
        /// The logarithm of what it takes.
        required: u8,
        /// The logarithm of what is allowed.
        limit: u8,
    },
    /// Nobody can be asked for the passphrase, or nobody gave one.
    NoPassphrase,
    /// Not the passphrase.
    WrongPassphrase,
    /// The operating system gave no random bytes.
    Random,
}

impl KeyError {
    /// The problem.
    #[must_use]
    pub fn problem(&self) -> &KeyProblem {
        &self.problem
    }

    /// The file in which it is, as it was named.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The line in which it is, from 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    pub(super) fn in_file(mut self, file: Option<&str>) -> Self {
        self.file = file.map(str::to_owned);
        self
    }

    pub(super) fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }
}

impl From<KeyProblem> for KeyError {
    fn from(problem: KeyProblem) -> Self {
        Self { file: None, line: None, problem }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}, line {line}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        self.problem.fmt(f)
    }
}

impl fmt::Display for KeyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SecretAsRecipient => f.write_str(
                "this is a secret, not a recipient: give the public key that belongs to it, and \
                 make a new pair if anybody has seen this one",
            ),
            Self::RecipientAsIdentity => f.write_str(
                "this is a recipient, not an identity: give the secret key that belongs to it",
            ),
            Self::KeyFileAsIdentity => f.write_str("this is a Polyseal key file, not an identity"),
            Self::NotARecipient => {
                f.write_str("not a recipient: those begin with age1, ssh-ed25519 or ssh-rsa")
            }
            Self::NotAnIdentity => f.write_str(
                "not an identity: those begin with AGE-SECRET-KEY- or AGE-PLUGIN-, or are a file \
                 with a private SSH key or an identity file that age encrypted with a passphrase",
            ),
            Self::Damaged(what) => write!(
                f,
                "this {what} is damaged, a part of it is missing, changed or in the wrong case: \
                 copy it again, all of it and nothing else"
            ),
            Self::Length { what, found, expected } => write!(
                f,
                "this {what} has {found} characters, and each of its kind has {expected}: \
                 copy it again, all of it and nothing else"
            ),
            Self::NoRecipients => f.write_str("there is no recipient in the file"),
            Self::NoneSupported => {
                f.write_str("none of the recipients in the file can be used, so none is left")
            }
            Self::NoIdentities => f.write_str("there is no identity in the file"),
            Self::TooLong(limit) => {
                write!(f, "too long for a file of keys: it may have {limit} bytes")
            }
            Self::Empty => f.write_str("the file is empty"),
            Self::Utf16 => f.write_str("the file is text in UTF-16: save it in UTF-8"),
            Self::NotText => f.write_str("not a file of keys: it is not text in UTF-8"),
            Self::SshType(kind) => {
                write!(f, "an SSH key of type {kind:?}: only ssh-ed25519 and ssh-rsa can be used")
            }
            Self::SshRsaSize => {
                f.write_str("an RSA key of a size that cannot be used: 2048 to 4096 bits can")
            }
            Self::SshFormat => f.write_str(
                "not a private SSH key in OpenSSH's format: ssh-keygen -p -f FILE rewrites it so",
            ),
            Self::SshCipher(cipher) => write!(
                f,
                "a private SSH key that is encrypted with {cipher:?}: \
                 ssh-keygen -p -Z aes256-ctr -f FILE changes that"
            ),
            Self::SshFileNotAlone => {
                f.write_str("there is something else than one private SSH key in the file")
            }
            Self::Plugin(name) => {
                write!(f, "age-plugin-{name} was not found: install it, and have it on the PATH")
            }
            Self::Refused { plugin, why } => write!(f, "not an identity of {plugin}: {why}"),
            Self::RecipientNotTold(plugin) => write!(
                f,
                "an identity of age-plugin-{plugin}, which alone knows its recipient: \
                 look for it where the identity was made"
            ),
            Self::NotAPoint => f.write_str("not a public key on P-256: no point of that curve"),
            Self::Feature { what, feature } => {
                write!(f, "this program was built without {what}: feature {feature:?}")
            }
            Self::EncryptedDamaged => f.write_str("the encrypted identity file is damaged"),
            Self::NotForPassphrase => f.write_str(
                "this file is encrypted, but not with a passphrase: decrypt it with age first",
            ),
            Self::WorkFactor { required, limit } => write!(
                f,
                "the passphrase of the identity file takes 2^{required} units of work, and \
                 2^{limit} are allowed: decrypt it with age, and encrypt it again"
            ),
            Self::NoPassphrase => f.write_str("this identity needs its passphrase"),
            Self::WrongPassphrase => f.write_str("this is not the passphrase of the identity"),
            Self::Random => f.write_str("the operating system gave no random bytes"),
        }
    }
}

impl std::error::Error for KeyError {}
impl std::error::Error for KeyProblem {}

/// A plugin of age that did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginError {
    plugin: String,
    problem: PluginProblem,
    output: String,
}

/// Why a plugin did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginProblem {
    /// It could not be started, for this reason.
    Start(String),
    /// It ended before it was done, or closed its output.
    Ended(Option<ExitStatus>),
    /// It gave this, which the protocol of plugins does not have.
    Protocol(&'static str),
    /// It gave this reason.
    Refused(String),
}

impl PluginError {
    #[cfg_attr(not(feature = "plugin"), allow(dead_code))]
    pub(super) fn new(plugin: &str, problem: PluginProblem, output: String) -> Self {
        Self { plugin: plugin.to_owned(), problem, output }
    }

    /// The name of the program, `age-plugin-…`.
    #[must_use]
    pub fn plugin(&self) -> &str {
        &self.plugin
    }

    /// The problem.
    #[must_use]
    pub fn problem(&self) -> &PluginProblem {
        &self.problem
    }

    /// The end of what it wrote to standard error, at most 1 KiB. It may have any characters.
    #[must_use]
    pub fn output(&self) -> &str {
        &self.output
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plugin = &self.plugin;
        match &self.problem {
            PluginProblem::Start(reason) => write!(f, "cannot start {plugin}: {reason}")?,
            PluginProblem::Ended(None) => write!(f, "{plugin} closed its output too early")?,
            PluginProblem::Ended(Some(status)) => write!(f, "{plugin} ended too early, {status}")?,
            PluginProblem::Protocol(what) => {
                write!(f, "{plugin} does not keep to the protocol of plugins: it gave {what}")?;
            }
            PluginProblem::Refused(why) => write!(f, "{plugin}: {why}")?,
        }
        if self.output.is_empty() { Ok(()) } else { write!(f, "; it said: {}", self.output) }
    }
}

impl std::error::Error for PluginError {}

/// Why a file key was not wrapped for a recipient.
#[derive(Debug)]
#[non_exhaustive]
pub enum EncryptError {
    /// A plugin did not do it.
    Plugin(PluginError),
    /// Something else, such as [`Error::Random`].
    Failed(Error),
}

/// Why a stanza was not unwrapped by an identity.
#[derive(Debug)]
#[non_exhaustive]
pub enum DecryptError {
    /// It is not in the form of its type.
    InvalidHeader,
    /// It names this identity, and does not open.
    DecryptionFailed,
    /// The identity cannot be used: nobody gave its passphrase, say.
    Key(KeyError),
    /// A plugin did not do it.
    Plugin(PluginError),
    /// The keeper of the private key did not do it.
    Keeper(KeeperError),
}

impl From<Error> for EncryptError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<EncryptError> for Error {
    fn from(error: EncryptError) -> Self {
        match error {
            EncryptError::Plugin(error) => Self::AgePlugin(error),
            EncryptError::Failed(error) => error,
        }
    }
}

impl From<DecryptError> for Error {
    fn from(error: DecryptError) -> Self {
        match error {
            DecryptError::InvalidHeader => HeaderError::AgeStanza.into(),
            DecryptError::DecryptionFailed => Self::NoMatchingKey,
            DecryptError::Key(error) => Self::Age(error.to_string()),
            DecryptError::Plugin(error) => Self::AgePlugin(error),
            DecryptError::Keeper(error) => Self::Keeper(error),
        }
    }
}

impl fmt::Display for EncryptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plugin(error) => error.fmt(f),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for DecryptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidHeader => HeaderError::AgeStanza.fmt(f),
            Self::DecryptionFailed => Error::NoMatchingKey.fmt(f),
            Self::Key(error) => error.fmt(f),
            Self::Plugin(error) => error.fmt(f),
            Self::Keeper(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EncryptError {}
impl std::error::Error for DecryptError {}
