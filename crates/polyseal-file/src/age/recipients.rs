//! A list of recipients, from what a user types and from files.
//!
//! Source: c2sp.org/age for the recipients' text; the files are those of the `age` program, one
//! recipient on a line among empty lines and comments that begin with `#`.
//!
//! Security claim: a list holds all that was added to it or adding it fails. So an SSH key that age
//! cannot use is an error here, where `age` passes over it; unless the caller asks for that, and
//! then the list says what was left out.
//!
//! Limit: whether recipients may be together (post-quantum ones only with their like) is known
//! when a key is wrapped, because plugins say it only then.

use std::fmt;
use std::sync::Arc;

use super::error::{KeyError, KeyProblem};
use super::identities::{Identities, IdentityLine};
use super::in_process::InProcessPlugin;
use super::{
    BoxedRecipient, Callbacks, begins_with, expect_length, hybrid, identities, lines, looks_secret,
    p256, plugin, ssh, tagpq, x25519,
};

/// Recipients of every kind, collected.
///
/// ```
/// use polyseal_file::age::RecipientList;
///
/// // What a server gives out as somebody's keys, of types that can be used and that cannot.
/// let keys = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY=
/// ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICp4N45sFsnLCHZLLnMEZW8ld0fCc8zy9/nzo/oONzuk
/// ";
/// assert!(RecipientList::new().add_file(keys.as_bytes(), None).is_err());
/// let mut list = RecipientList::new().skip_unsupported();
/// list.add_file(keys.as_bytes(), Some("their.keys"))?;
/// assert_eq!((list.len(), list.skipped().len()), (1, 1));
/// assert_eq!(list.skipped()[0].line(), Some(1));
/// # Ok::<(), polyseal_file::age::KeyError>(())
/// ```
#[derive(Default)]
pub struct RecipientList {
    skips: bool,
    skipped: Vec<KeyError>,
    built_in: Vec<BoxedRecipient>,
    plugin_recipients: Vec<plugin::Recipient>,
    plugin_identities: Vec<plugin::Identity>,
    plugins: Vec<Arc<dyn InProcessPlugin>>,
}

impl RecipientList {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out of the files that are added from now on the SSH keys that cannot be used
    /// ([`KeyProblem::SshType`], [`KeyProblem::SshRsaSize`]), instead of refusing the file. Whoever
    /// has such a key cannot open what is encrypted to the list: tell the user of those that were
    /// [`skipped`](Self::skipped).
    #[must_use]
    pub fn skip_unsupported(self) -> Self {
        Self { skips: true, ..self }
    }

    /// Has plugins that run in this process: for an identity of theirs that is added from now on no
    /// program is looked for.
    #[must_use]
    pub fn with_plugins(self, plugins: Vec<Arc<dyn InProcessPlugin>>) -> Self {
        Self { plugins, ..self }
    }

    /// The keys that were left out of the files: each says what it is, and where it stands.
    #[must_use]
    pub fn skipped(&self) -> &[KeyError] {
        &self.skipped
    }

    /// How many recipients there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.built_in.len() + self.plugin_recipients.len() + self.plugin_identities.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds one recipient: `age1…` of every kind, `ssh-ed25519 …` or `ssh-rsa …`.
    ///
    /// # Errors
    /// Saying what it is instead, or that it is damaged.
    pub fn add(&mut self, recipient: &str) -> Result<(), KeyError> {
        self.add_text(recipient).map_err(KeyError::from)
    }

    /// Adds the recipients in the contents of a file, which [`KeyError`] is to name so. It may have
    /// 1 MiB.
    ///
    /// # Errors
    /// Naming the line that is not a recipient, or if no line is one that can be used. Then nothing
    /// of it was added.
    pub fn add_file(&mut self, contents: &[u8], file: Option<&str>) -> Result<(), KeyError> {
        self.append(self.read(contents, file).map_err(|error| error.in_file(file))?);
        Ok(())
    }

    /// The list that a file has, which skips what this list skips.
    fn read(&self, contents: &[u8], file: Option<&str>) -> Result<Self, KeyError> {
        let mut read = Self::new();
        for (number, line) in lines(contents)? {
            match read.add_text(line) {
                Ok(()) => {}
                Err(problem) if self.skips && is_unsupported(&problem) => {
                    read.skipped.push(KeyError::from(problem).at_line(number).in_file(file));
                }
                Err(problem) => return Err(KeyError::from(problem).at_line(number)),
            }
        }
        match (read.is_empty(), read.skipped.is_empty()) {
            (false, _) => Ok(read),
            (true, false) => Err(KeyProblem::NoneSupported.into()),
            (true, true) => Err(KeyProblem::NoRecipients.into()),
        }
    }

    /// Adds the recipients that belong to the identities in the contents of a file, which may be of
    /// every kind that [`parse_identities`](super::parse_identities) reads. If it is encrypted, the
    /// passphrase is asked for at once.
    ///
    /// # Errors
    /// As [`parse_identities`](super::parse_identities). Then nothing of it was added.
    pub fn add_identities<C: Callbacks>(
        &mut self,
        contents: &[u8],
        file: Option<&str>,
        callbacks: &C,
    ) -> Result<(), KeyError> {
        let read = || {
            let plugins = &self.plugins;
            let identities = match identities::read_at_once(contents, file, callbacks, plugins)? {
                Identities::Lines(identities) => identities,
                Identities::Ssh(identity) => {
                    let built_in = vec![ssh::public(&identity)?];
                    return Ok(Self { built_in, ..Self::default() });
                }
            };
            let mut added = Self::new();
            for identity in identities {
                match identity {
                    IdentityLine::X25519(identity) => {
                        added.built_in.push(Box::new(identity.to_recipient()));
                    }
                    IdentityLine::Hybrid(identity) => {
                        added.built_in.push(Box::new(identity.to_recipient()));
                    }
                    IdentityLine::InProcess(identity) => {
                        added.built_in.push(identity.to_recipient()?);
                    }
                    IdentityLine::Plugin(identity) => added.plugin_identities.push(identity),
                }
            }
            Ok(added)
        };
        self.append(read().map_err(|error: KeyError| error.in_file(file))?);
        Ok(())
    }

    /// The recipients that wrap a key for all of them. A plugin is one that stands for all of its
    /// recipients, and speaks to the user by way of `callbacks`.
    ///
    /// # Errors
    /// [`KeyProblem::Plugin`] if a plugin is not installed.
    pub fn into_recipients<C: Callbacks>(
        self,
        callbacks: &C,
    ) -> Result<Vec<BoxedRecipient>, KeyError> {
        let Self { mut built_in, plugin_recipients, plugin_identities, .. } = self;
        built_in.extend(plugin::wrapping(&plugin_recipients, &plugin_identities, callbacks)?);
        Ok(built_in)
    }

    fn append(&mut self, mut other: Self) {
        self.skipped.append(&mut other.skipped);
        self.built_in.append(&mut other.built_in);
        self.plugin_recipients.append(&mut other.plugin_recipients);
        self.plugin_identities.append(&mut other.plugin_identities);
    }

    fn add_text(&mut self, text: &str) -> Result<(), KeyProblem> {
        const DAMAGED: KeyProblem = KeyProblem::Damaged("recipient");
        if looks_secret(text) {
            return Err(KeyProblem::SecretAsRecipient);
        }
        let recipient: BoxedRecipient = if text.starts_with("age1pq1") {
            expect_length("recipient", text, hybrid::RECIPIENT_CHARACTERS)?;
            Box::new(text.parse::<hybrid::Recipient>().map_err(|error| error.problem().clone())?)
        } else if text.starts_with("age1tag1") {
            Box::new(text.parse::<p256::Recipient>().map_err(|_| DAMAGED)?)
        } else if text.starts_with("age1tagpq1") {
            Box::new(exact::<tagpq::Recipient>(text).ok_or(DAMAGED)?)
        } else if text.starts_with("age1") && text.matches('1').count() > 1 {
            // The data of Bech32 have no 1: what stands before the last is a name.
            self.plugin_recipients.push(plugin::recipient(text)?);
            return Ok(());
        } else if text.starts_with("age1") {
            expect_length("recipient", text, x25519::RECIPIENT_CHARACTERS)?;
            Box::new(exact::<x25519::Recipient>(text).ok_or(DAMAGED)?)
        } else if ["ssh-", "ecdsa-sha2-", "sk-"].iter().any(|start| text.starts_with(start)) {
            ssh::recipient(text)?
        } else if begins_with(text, "age1") {
            return Err(DAMAGED);
        } else {
            return Err(KeyProblem::NotARecipient);
        };
        self.built_in.push(recipient);
        Ok(())
    }
}

impl fmt::Debug for RecipientList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecipientList({})", self.len())
    }
}

/// Whether it is a whole SSH key, to which nothing can be encrypted.
fn is_unsupported(problem: &KeyProblem) -> bool {
    matches!(problem, KeyProblem::SshType(_) | KeyProblem::SshRsaSize)
}

/// The recipient, if this is its one spelling. Parsing alone takes padding that is not zero.
pub(super) fn exact<R: std::str::FromStr + fmt::Display>(text: &str) -> Option<R> {
    text.parse::<R>().ok().filter(|recipient| recipient.to_string() == text)
}
