//! SSH keys as recipients and identities.
//!
//! Source: the stanzas `ssh-ed25519` and `ssh-rsa` of c2sp.org/age, as the `age` crate has them.
//!
//! Limits: how much work the passphrase of a private key takes is not limited. RSA is that of the
//! crate `rsa`, which is not in constant time (RUSTSEC-2023-0071): do not let others measure how
//! long it takes.

use std::sync::OnceLock;

use ::age::ssh::{EncryptedKey, ParseRecipientKeyError, Recipient, UnsupportedKey};
use ::age::{Callbacks, DecryptError};
use age_core::format::{FileKey, Stanza};
use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use sha2::{Digest, Sha256};

use super::error::{KeyError, KeyProblem};
use super::identities::{ask, unusable};
use super::work::BoundedIdentity;
use super::{BoxedIdentity, BoxedRecipient, MAX_SSH_FILE_BYTES};

pub(super) use ::age::ssh::Identity;

/// The work for a stanza of an RSA key that has 4096 bits.
const RSA_WORK: u32 = 256;
/// The same of one that has 8192.
const LONG_RSA_WORK: u32 = 8 * RSA_WORK;
const ED25519_WORK: u32 = 2;

/// The private key in a file.
pub(super) fn read(contents: &[u8], file: Option<&str>) -> Result<Identity, KeyProblem> {
    if contents.len() > MAX_SSH_FILE_BYTES {
        return Err(KeyProblem::TooLong(MAX_SSH_FILE_BYTES));
    }
    let text = str::from_utf8(contents).map_err(|_| KeyProblem::NotText)?;
    // Parsing stops after the first key: a second would never be tried.
    let rest = text.split_once("-----END ").and_then(|(_, rest)| rest.split_once("-----"));
    if rest.is_some_and(|(_, rest)| !rest.trim_ascii().is_empty()) {
        return Err(KeyProblem::SshFileNotAlone);
    }
    match Identity::from_buffer(contents, file.map(str::to_owned)) {
        Ok(Identity::Unsupported(UnsupportedKey::EncryptedSsh(cipher))) => {
            Err(KeyProblem::SshCipher(cipher))
        }
        Ok(Identity::Unsupported(UnsupportedKey::Hardware(kind) | UnsupportedKey::Type(kind))) => {
            Err(KeyProblem::SshType(kind))
        }
        Ok(Identity::Unsupported(_)) | Err(_) => Err(KeyProblem::SshFormat),
        Ok(identity) => Ok(identity),
    }
}

/// What opens with the private key of `file`, whose passphrase is asked for when it is needed.
pub(super) fn usable<C: Callbacks>(
    key: Identity,
    file: Option<&str>,
    callbacks: &C,
) -> Result<BoxedIdentity, KeyProblem> {
    Ok(match key {
        Identity::Encrypted(key) => Box::new(EncryptedSshKey::new(key, file, callbacks)?),
        key => {
            let mark = match Recipient::try_from(key.clone()) {
                Ok(public) => KeyHint::from_recipient(&public),
                // An RSA key that is longer than those that files are encrypted to.
                Err(_) => KeyHint { kind: "ssh-rsa", tag: None, work: LONG_RSA_WORK },
            };
            Box::new(SshKey { key, mark })
        }
    })
}

/// What a stanza shows of the key that it is for.
struct KeyHint {
    kind: &'static str,
    /// `None` if it is not known: then it may be any.
    tag: Option<String>,
    work: u32,
}

impl KeyHint {
    fn from_recipient(public: &Recipient) -> Self {
        let (kind, work, bytes) = match public {
            Recipient::SshRsa(bytes, _) => ("ssh-rsa", RSA_WORK, bytes),
            Recipient::SshEd25519(bytes, _) => ("ssh-ed25519", ED25519_WORK, bytes),
        };
        let digest = Sha256::digest(bytes);
        Self { kind, tag: Some(BASE64_STANDARD_NO_PAD.encode(&digest[..4])), work }
    }

    fn is_on(&self, stanza: &Stanza) -> bool {
        let same = |tag| stanza.args.first() == Some(tag);
        stanza.tag == self.kind && self.tag.as_ref().is_none_or(same)
    }

    fn work(&self, stanza: &Stanza) -> u32 {
        if self.is_on(stanza) { self.work } else { 0 }
    }
}

/// A private SSH key that is not encrypted.
struct SshKey {
    key: Identity,
    mark: KeyHint,
}

impl ::age::Identity for SshKey {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        self.key.unwrap_stanza(stanza)
    }
}

impl BoundedIdentity for SshKey {
    fn work(&self, stanza: &Stanza) -> u32 {
        self.mark.work(stanza)
    }
}

/// What encrypts to a private key.
pub(super) fn public(key: Identity) -> Result<BoxedRecipient, KeyProblem> {
    Ok(Box::new(Recipient::try_from(key).map_err(problem)?))
}

/// A line as in a `.pub` file: type, key and perhaps a comment.
pub(super) fn recipient(text: &str) -> Result<BoxedRecipient, KeyProblem> {
    let recipient: Recipient = text.parse().map_err(problem)?;
    // Parsing stops where it has a key.
    match text.strip_prefix(&recipient.to_string()) {
        Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t']) => Ok(Box::new(recipient)),
        _ => Err(KeyProblem::Damaged("SSH key")),
    }
}

fn problem(error: ParseRecipientKeyError) -> KeyProblem {
    match error {
        ParseRecipientKeyError::RsaModulusTooLarge | ParseRecipientKeyError::RsaModulusTooSmall => {
            KeyProblem::SshRsaSize
        }
        ParseRecipientKeyError::Unsupported(kind) => KeyProblem::SshType(kind),
        _ => KeyProblem::Damaged("SSH key"),
    }
}

/// A private SSH key that is encrypted with a passphrase, opened when a stanza has its tag.
struct EncryptedSshKey<C> {
    key: EncryptedKey,
    mark: KeyHint,
    file: Option<String>,
    callbacks: C,
    opened: OnceLock<Result<Identity, KeyError>>,
}

impl<C: Callbacks> EncryptedSshKey<C> {
    fn new(key: EncryptedKey, file: Option<&str>, callbacks: &C) -> Result<Self, KeyProblem> {
        let public = Recipient::try_from(Identity::from(key.clone())).map_err(problem)?;
        let mark = KeyHint::from_recipient(&public);
        let (file, callbacks) = (file.map(str::to_owned), callbacks.clone());
        Ok(Self { key, mark, file, callbacks, opened: OnceLock::new() })
    }
}

impl<C: Callbacks> ::age::Identity for EncryptedSshKey<C> {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        // The crate asks for the passphrase at every stanza, whosever it is.
        if !self.mark.is_on(stanza) {
            return None;
        }
        let open = || {
            let passphrase = ask(&self.callbacks, "SSH key", self.file.as_deref())?;
            match self.key.decrypt(passphrase) {
                Ok(key) => Ok(Identity::from(key)),
                Err(_) => Err(KeyProblem::WrongPassphrase.into()),
            }
        };
        match self.opened.get_or_init(open) {
            Ok(identity) => identity.unwrap_stanza(stanza),
            Err(error) => Some(Err(unusable(&error.clone().in_file(self.file.as_deref())))),
        }
    }
}

impl<C: Callbacks> BoundedIdentity for EncryptedSshKey<C> {
    fn work(&self, stanza: &Stanza) -> u32 {
        self.mark.work(stanza)
    }
}
