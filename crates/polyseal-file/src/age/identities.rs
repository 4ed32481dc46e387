//! Files of identities: age's, plain or encrypted with a passphrase, and private SSH keys.
//!
//! Source: c2sp.org/age for the identities' text; the files are those of the `age` program.
//!
//! Security claim: no error shows anything of a file, and what this module itself holds of secrets
//! is wiped. A passphrase is asked for once, and not before it is needed.
//!
//! Limits: an encrypted identity file may take 2^20 units of scrypt, 1 GiB and a few seconds.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, OnceLock};

use ::age::armor::ArmoredReader;
use ::age::{Callbacks, DecryptError, Decryptor, Identity, scrypt, x25519};
use age_core::format::{FileKey, Stanza};
use age_core::secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::error::{KeyError, KeyProblem};
use super::in_process::{self, InProcessPlugin};
use super::recipients::RecipientList;
use super::work::BoundedIdentity;
use super::{
    BoxedIdentity, BoxedRecipient, MAX_KEYS_FILE_BYTES, expect_length, hybrid, lines,
    looks_like_identity, plugin, ssh,
};
use crate::key::without_mark;

/// The logarithm of the most work that the passphrase of an identity file may take.
pub const MAX_WORK_FACTOR: u8 = 20;

/// An X25519 identity as text.
const X25519_CHARACTERS: usize = 74;

/// What a file is, as far as it can be read without a passphrase.
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
        Ok(match read(contents, file, plugins)? {
            ParsedFile::Lines(identities) => usable(identities, callbacks)?,
            ParsedFile::Encrypted => vec![Box::new(EncryptedFile {
                contents: contents.to_vec(),
                file: file.map(str::to_owned),
                callbacks: callbacks.clone(),
                plugins: plugins.to_vec(),
                opened: OnceLock::new(),
            })],
            ParsedFile::Ssh(identity) => vec![ssh::usable(identity, file, callbacks)?],
        })
    };
    parse().map_err(|error| error.in_file(file))
}

/// What encrypts to the identities in the contents of a file, as [`RecipientList::add_identities`]
/// takes it.
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
    pub file: Zeroizing<String>,
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
            let identity = x25519::Identity::generate();
            (identity.to_string(), identity.to_public().to_string())
        }
        IdentityKind::Hybrid => {
            let identity = hybrid::Identity::generate()?;
            (identity.to_string(), identity.to_recipient().to_string())
        }
    };
    let created = created.map_or_else(String::new, |time| format!("# created: {time}\n"));
    let public = format!("# public key: {recipient}\n");
    let secret = secret.expose_secret();
    let mut file =
        Zeroizing::new(String::with_capacity(created.len() + public.len() + secret.len() + 1));
    for part in [&created, &public, secret, "\n"] {
        file.push_str(part);
    }
    Ok(NewIdentity { file, recipient })
}

pub(super) fn read(
    contents: &[u8],
    file: Option<&str>,
    plugins: &[Arc<dyn InProcessPlugin>],
) -> Result<ParsedFile, KeyError> {
    if contents.len() > MAX_KEYS_FILE_BYTES {
        return Err(KeyProblem::TooLong(MAX_KEYS_FILE_BYTES).into());
    }
    let bare = without_blanks_before(contents);
    let armored = bare.starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----");
    if armored || bare.starts_with(b"age-encryption.org/") {
        return open(contents).map(|_| ParsedFile::Encrypted);
    }
    if bare.starts_with(b"-----BEGIN ") {
        return ssh::read(bare, file).map(ParsedFile::Ssh).map_err(KeyError::from);
    }
    read_lines(contents, plugins).map(ParsedFile::Lines)
}

/// What follows a byte order mark and empty lines, as [`lines`] passes them over.
fn without_blanks_before(contents: &[u8]) -> &[u8] {
    without_mark(contents).trim_ascii_start()
}

fn read_lines(
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
        expect_length("identity", line, X25519_CHARACTERS)?;
        let identity: x25519::Identity = line.parse().map_err(|_| DAMAGED)?;
        // Parsing alone takes padding that is not zero.
        let same = identity.to_string().expose_secret().as_bytes().ct_eq(line.as_bytes());
        if bool::from(same) { Ok(IdentityLine::X25519(identity)) } else { Err(DAMAGED) }
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
fn usable<C: Callbacks>(
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

/// An identity file that is encrypted with a passphrase, opened when it is first used.
struct EncryptedFile<C> {
    contents: Vec<u8>,
    file: Option<String>,
    callbacks: C,
    plugins: Vec<Arc<dyn InProcessPlugin>>,
    opened: OnceLock<Result<Vec<BoxedIdentity>, KeyError>>,
}

impl<C: Callbacks> EncryptedFile<C> {
    /// What is in it. The passphrase is asked for once.
    fn identities(&self) -> Result<&[BoxedIdentity], &KeyError> {
        let open = || {
            decrypt(&self.contents, self.file.as_deref(), &self.callbacks, &self.plugins)
                .and_then(|identities| usable(identities, &self.callbacks))
                .map_err(|error| error.in_file(self.file.as_deref()))
        };
        self.opened.get_or_init(open).as_deref()
    }

    fn first<T>(
        &self,
        opens: impl Fn(&dyn BoundedIdentity) -> Option<Result<T, DecryptError>>,
    ) -> Option<Result<T, DecryptError>> {
        let identities = match self.identities() {
            Ok(identities) => identities,
            Err(error) => return Some(Err(unusable(error))),
        };
        // As in a plain file: what one of them refuses matters only if no other opens it.
        let mut refused = None;
        for identity in identities {
            match opens(identity.as_ref()) {
                None => {}
                Some(Err(error)) => refused = Some(Err(error)),
                opened => return opened,
            }
        }
        refused
    }
}

impl<C: Callbacks> Identity for EncryptedFile<C> {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        self.first(|identity| identity.unwrap_stanza(stanza))
    }

    fn unwrap_stanzas(&self, stanzas: &[Stanza]) -> Option<Result<FileKey, DecryptError>> {
        self.first(|identity| identity.unwrap_stanzas(stanzas))
    }
}

impl<C: Callbacks> BoundedIdentity for EncryptedFile<C> {
    fn work(&self, stanza: &Stanza) -> u32 {
        let identities = self.identities().unwrap_or_default().iter();
        identities.map(|identity| identity.work(stanza)).fold(0, u32::saturating_add)
    }
}

impl BoundedIdentity for x25519::Identity {
    fn work(&self, stanza: &Stanza) -> u32 {
        u32::from(stanza.tag == "X25519")
    }
}

/// The reader of an age file for a passphrase.
fn open(contents: &[u8]) -> Result<Decryptor<impl Read>, KeyError> {
    let armored = ArmoredReader::new(without_blanks_before(contents));
    let decryptor = Decryptor::new(armored).map_err(|_| KeyProblem::EncryptedDamaged)?;
    if decryptor.is_scrypt() { Ok(decryptor) } else { Err(KeyProblem::NotForPassphrase.into()) }
}

/// What is in an identity file that is encrypted with a passphrase, which is asked for.
pub(super) fn decrypt<C: Callbacks>(
    contents: &[u8],
    file: Option<&str>,
    callbacks: &C,
    plugins: &[Arc<dyn InProcessPlugin>],
) -> Result<Vec<IdentityLine>, KeyError> {
    let decryptor = open(contents)?;
    let mut identity = scrypt::Identity::new(ask(callbacks, "identity file", file)?);
    identity.set_max_work_factor(MAX_WORK_FACTOR);
    let mut reader = decryptor.decrypt([&identity as &dyn Identity].into_iter()).map_err(
        |error| match error {
            DecryptError::DecryptionFailed
            | DecryptError::KeyDecryptionFailed
            | DecryptError::NoMatchingKeys => KeyProblem::WrongPassphrase,
            DecryptError::ExcessiveWork { required, .. } => {
                KeyProblem::WorkFactor { required, limit: MAX_WORK_FACTOR }
            }
            _ => KeyProblem::EncryptedDamaged,
        },
    )?;
    // The text is shorter than the file: with all the room at once it never moves, which would
    // leave a copy behind.
    let mut text = Zeroizing::new(vec![0; contents.len()]);
    let mut length = 0;
    loop {
        let room = text.get_mut(length..).unwrap_or_default();
        match reader.read(room) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(KeyProblem::EncryptedDamaged.into()),
        }
    }
    read_lines(text.get(..length).unwrap_or_default(), plugins)
}

pub(super) fn ask<C: Callbacks>(
    callbacks: &C,
    what: &str,
    file: Option<&str>,
) -> Result<SecretString, KeyError> {
    let question = match file {
        Some(file) => format!("Passphrase of the {what} {file}"),
        None => format!("Passphrase of the {what}"),
    };
    callbacks.request_passphrase(&question).ok_or_else(|| KeyProblem::NoPassphrase.into())
}

/// The error, as far as age's own type has room for it.
pub(super) fn unusable(error: &KeyError) -> DecryptError {
    DecryptError::Io(io::Error::other(error.clone()))
}
