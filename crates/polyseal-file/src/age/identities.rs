//! Files of identities: age's, plain or encrypted with a passphrase, and private SSH keys.
//!
//! Source: c2sp.org/age for the identities' text; the files are those of the `age` program.
//!
//! Security claim: no error shows anything of a file, and what this module itself holds of secrets
//! is wiped. A passphrase is asked for once, and not before it is needed.
//!
//! Limits: an encrypted identity file may take 2^20 units of scrypt, 1 GiB and a few seconds.

use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::encrypted_file::{self, EncryptedFile};
use super::error::{KeyError, KeyProblem};
use super::in_process::{self, InProcessPlugin};
use super::recipients::RecipientList;
use super::{
    BoxedIdentity, BoxedRecipient, Callbacks, MAX_KEYS_FILE_BYTES, expect_length, hybrid, lines,
    looks_like_identity, plugin, ssh, x25519,
};
use crate::SecretText;
use crate::key::without_mark;

/// The logarithm of the most work that the passphrase of an identity file may take.
pub const MAX_WORK_FACTOR: u8 = 20;

/// The contents of a file, as far as they can be read without a passphrase.
pub(super) enum ParsedFile {
    Lines(Vec<IdentityLine>),
    Encrypted,
    Ssh(ssh::Identity),
}

/// One line of an identity file.
pub(super) enum IdentityLine {
    X25519(x25519::Identity),
    Hybrid(hybrid::Identity),
    Plugin(plugin::Identity),
    InProcess(in_process::Identity),
}

/// The identities in the contents of a file, which [`KeyError`] and questions to the user are to
/// name so: lines with `AGE-SECRET-KEY-…` and `AGE-PLUGIN-…`, the same encrypted with a passphrase,
/// armoured or not (up to 1 MiB), or one private SSH key (up to 16 KiB). Passphrases are asked for
/// by way of `callbacks`, when an identity is used.
///
/// # Errors
/// Naming the line that is not an identity, or saying what the file is instead; or if a plugin is
/// not installed.
pub fn parse_identities<C: Callbacks>(
    contents: &[u8],
    file: Option<&str>,
    callbacks: &C,
) -> Result<Vec<BoxedIdentity>, KeyError> {
    parse_identities_with(contents, file, callbacks, &[])
}

/// The same, with plugins that run in this process: for an identity of theirs no program is looked
/// for.
///
/// # Errors
/// As [`parse_identities`], and [`KeyProblem::Refused`].
pub fn parse_identities_with<C: Callbacks>(
    contents: &[u8],
    file: Option<&str>,
    callbacks: &C,
    plugins: &[Arc<dyn InProcessPlugin>],
) -> Result<Vec<BoxedIdentity>, KeyError> {
    let parse = || -> Result<Vec<BoxedIdentity>, KeyError> {
        Ok(match read(contents, plugins)? {
            ParsedFile::Lines(identities) => usable(identities, callbacks)?,
            ParsedFile::Encrypted => {
                vec![Box::new(EncryptedFile::new(contents, file, callbacks, plugins))]
            }
            ParsedFile::Ssh(identity) => vec![ssh::usable(identity, file, callbacks)?],
        })
    };
    parse().map_err(|error| error.in_file(file))
}

/// The recipients of the identities in the contents of a file, as
/// [`RecipientList::add_identities`] takes it.
///
/// # Errors
/// As [`parse_identities`].
pub fn to_recipients<C: Callbacks>(
    contents: &[u8],
    file: Option<&str>,
    callbacks: &C,
) -> Result<Vec<BoxedRecipient>, KeyError> {
    let mut list = RecipientList::new();
    list.add_identities(contents, file, callbacks)?;
    list.into_recipients(callbacks).map_err(|error| error.in_file(file))
}

/// The same as text, as others are given it: `age1…`, or a line of `authorized_keys`. Unlike those
/// of [`to_recipients`], a plugin that is a program is asked nothing.
///
/// # Errors
/// As [`parse_identities`], and [`KeyProblem::RecipientNotTold`] of an identity whose plugin alone
/// knows its recipient.
///
/// ```
/// use polyseal_file::age::{IdentityKind, NoCallbacks, generate, recipient_texts};
///
/// let identity = generate(IdentityKind::X25519, None)?;
/// let file = identity.file.reveal().as_bytes();
/// assert_eq!(recipient_texts(file, None, &NoCallbacks, &[])?, [identity.recipient]);
/// # Ok::<(), polyseal_file::age::KeyError>(())
/// ```
pub fn recipient_texts<C: Callbacks>(
    contents: &[u8],
    file: Option<&str>,
    callbacks: &C,
    plugins: &[Arc<dyn InProcessPlugin>],
) -> Result<Vec<String>, KeyError> {
    let texts = || -> Result<Vec<String>, KeyError> {
        match read_at_once(contents, file, callbacks, plugins)? {
            Identities::Ssh(identity) => Ok(vec![ssh::public_text(&identity)?]),
            Identities::Lines(lines) => lines.iter().map(IdentityLine::recipient_text).collect(),
        }
    };
    texts().map_err(|error| error.in_file(file))
}

/// The contents of a file of identities.
pub(super) enum Identities {
    Lines(Vec<IdentityLine>),
    Ssh(ssh::Identity),
}

/// Reads a file of identities. If it is encrypted, the passphrase is asked for at once.
pub(super) fn read_at_once<C: Callbacks>(
    contents: &[u8],
    file: Option<&str>,
    callbacks: &C,
    plugins: &[Arc<dyn InProcessPlugin>],
) -> Result<Identities, KeyError> {
    Ok(match read(contents, plugins)? {
        ParsedFile::Lines(lines) => Identities::Lines(lines),
        ParsedFile::Encrypted => {
            Identities::Lines(encrypted_file::decrypt(contents, file, callbacks, plugins)?)
        }
        ParsedFile::Ssh(identity) => Identities::Ssh(identity),
    })
}

impl IdentityLine {
    fn recipient_text(&self) -> Result<String, KeyError> {
        match self {
            Self::X25519(identity) => Ok(identity.to_recipient().to_string()),
            Self::Hybrid(identity) => Ok(identity.to_recipient().to_string()),
            Self::InProcess(identity) => identity.recipient_text(),
            Self::Plugin(identity) => {
                Err(KeyProblem::RecipientNotTold(identity.plugin().to_owned()).into())
            }
        }
    }
}

/// A kind of identity that can be made here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdentityKind {
    /// X25519: `age1…`.
    X25519,
    /// ML-KEM-768 with X25519: `age1pq1…`.
    Hybrid,
}

/// A new identity, ready to be written down.
#[non_exhaustive]
pub struct NewIdentity {
    /// The contents of an identity file, which is secret.
    pub file: SecretText,
    /// Its recipient, which is public.
    pub recipient: String,
}

impl fmt::Debug for NewIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NewIdentity({})", self.recipient)
    }
}

/// A fresh random identity, in a file as `age-keygen` writes it. `created` is a time, on one line.
///
/// # Errors
/// [`KeyProblem::Random`] if the operating system has no random bytes.
pub fn generate(kind: IdentityKind, created: Option<&str>) -> Result<NewIdentity, KeyError> {
    let (secret, recipient) = match kind {
        IdentityKind::X25519 => {
            let identity = x25519::Identity::generate().map_err(|_| KeyProblem::Random)?;
            (identity.to_text(), identity.to_recipient().to_string())
        }
        IdentityKind::Hybrid => {
            let identity = hybrid::Identity::generate()?;
            (identity.to_string(), identity.to_recipient().to_string())
        }
    };
    let created = created.map_or_else(String::new, |time| format!("# created: {time}\n"));
    let secret = secret.reveal();
    let public = format!("# public key: {recipient}\n");
    let mut file =
        Zeroizing::new(String::with_capacity(created.len() + public.len() + secret.len() + 1));
    for part in [&created, &public, secret, "\n"] {
        file.push_str(part);
    }
    Ok(NewIdentity { file: file.into(), recipient })
}

pub(super) fn read(
    contents: &[u8],
    plugins: &[Arc<dyn InProcessPlugin>],
) -> Result<ParsedFile, KeyError> {
    if contents.len() > MAX_KEYS_FILE_BYTES {
        return Err(KeyProblem::TooLong(MAX_KEYS_FILE_BYTES).into());
    }
    let bare = without_blanks_before(contents);
    if encrypted_file::begins(bare) {
        return encrypted_file::check(bare).map(|()| ParsedFile::Encrypted);
    }
    if bare.starts_with(b"-----BEGIN ") {
        return ssh::read(bare).map(ParsedFile::Ssh).map_err(KeyError::from);
    }
    read_lines(contents, plugins).map(ParsedFile::Lines)
}

/// The contents after a byte order mark and empty lines, as [`lines`] passes them over.
pub(super) fn without_blanks_before(contents: &[u8]) -> &[u8] {
    without_mark(contents).trim_ascii_start()
}

pub(super) fn read_lines(
    contents: &[u8],
    plugins: &[Arc<dyn InProcessPlugin>],
) -> Result<Vec<IdentityLine>, KeyError> {
    let mut identities = Vec::new();
    for (number, line) in lines(contents)? {
        let read = read_line(line, plugins);
        identities.push(read.map_err(|problem| KeyError::from(problem).at_line(number))?);
    }
    if identities.is_empty() { Err(KeyProblem::NoIdentities.into()) } else { Ok(identities) }
}

fn read_line(line: &str, plugins: &[Arc<dyn InProcessPlugin>]) -> Result<IdentityLine, KeyProblem> {
    const DAMAGED: KeyProblem = KeyProblem::Damaged("identity");
    if line.starts_with("AGE-SECRET-KEY-PQ-1") {
        expect_length("identity", line, hybrid::IDENTITY_CHARACTERS)?;
        line.parse().map(IdentityLine::Hybrid).map_err(|_| DAMAGED)
    } else if line.starts_with("AGE-SECRET-KEY-1") {
        expect_length("identity", line, x25519::IDENTITY_CHARACTERS)?;
        x25519::Identity::from_text(line).map(IdentityLine::X25519).ok_or(DAMAGED)
    } else if let Some(plugin) = in_process::find(line, plugins) {
        in_process::Identity::read(plugin, line).map(IdentityLine::InProcess)
    } else if line.starts_with("AGE-PLUGIN-") {
        plugin::identity(line).map(IdentityLine::Plugin)
    } else if line.starts_with("age1") || line.starts_with("ssh-") {
        Err(KeyProblem::RecipientAsIdentity)
    } else if line.starts_with("polyseal-key-") {
        Err(KeyProblem::KeyFileAsIdentity)
    } else if looks_like_identity(line) {
        Err(DAMAGED)
    } else {
        Err(KeyProblem::NotAnIdentity)
    }
}

/// One plugin is one identity, in the place of its first.
pub(super) fn usable<C: Callbacks>(
    identities: Vec<IdentityLine>,
    callbacks: &C,
) -> Result<Vec<BoxedIdentity>, KeyError> {
    let of_plugins: Vec<_> = identities
        .iter()
        .filter_map(|identity| match identity {
            IdentityLine::Plugin(identity) => Some(identity.clone()),
            _ => None,
        })
        .collect();
    let mut plugins: Vec<String> = Vec::new();
    let mut usable: Vec<BoxedIdentity> = Vec::new();
    for identity in identities {
        match identity {
            IdentityLine::X25519(identity) => usable.push(Box::new(identity)),
            IdentityLine::Hybrid(identity) => usable.push(Box::new(identity)),
            IdentityLine::InProcess(identity) => usable.push(identity.usable()?),
            IdentityLine::Plugin(identity) => {
                let name = identity.plugin().to_owned();
                if !plugins.contains(&name) {
                    usable.push(plugin::usable(&name, &of_plugins, callbacks)?);
                    plugins.push(name);
                }
            }
        }
    }
    Ok(usable)
}
