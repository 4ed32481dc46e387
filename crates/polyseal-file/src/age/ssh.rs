//! SSH keys as recipients and identities.
//!
//! Source: c2sp.org/age, the recipient types `ssh-ed25519` and `ssh-rsa`.
//!
//! Security claim: that of the key's type. A stanza shows for which key it is, by 32 bits of a
//! hash.
//!
//! Limits: how much work the passphrase of a private key takes is not limited. RSA is that of the
//! crate `rsa`, which had a timing leak before its version 0.10 (RUSTSEC-2023-0071): do not let
//! others measure how long it takes.

mod cipher;
mod ed25519;
mod file;
mod private_key;
mod public_key;
mod rsa;
mod wire;

use std::sync::OnceLock;

pub(super) use self::file::Identity;

use self::file::EncryptedKey;
use self::private_key::{PrivateKey, expect_known_type};
use self::public_key::PublicKey;
use super::encrypted_file::ask;
use super::error::{DecryptError, KeyError, KeyProblem};
use super::work::BoundedIdentity;
use super::{BoxedIdentity, BoxedRecipient, Callbacks, FileKey, MAX_SSH_FILE_BYTES, Stanza};

const ED25519_WORK: u32 = 2;

/// The private key in a file.
pub(super) fn read(contents: &[u8]) -> Result<Identity, KeyProblem> {
    if contents.len() > MAX_SSH_FILE_BYTES {
        return Err(KeyProblem::TooLong(MAX_SSH_FILE_BYTES));
    }
    let text = str::from_utf8(contents).map_err(|_| KeyProblem::NotText)?;
    // Parsing stops after the first key: a second would never be tried.
    let rest = text.split_once("-----END ").and_then(|(_, rest)| rest.split_once("-----"));
    if rest.is_some_and(|(_, rest)| !rest.trim_ascii().is_empty()) {
        return Err(KeyProblem::SshFileNotAlone);
    }
    Identity::from_text(text)
}

/// The identity of the private key of `file`, whose passphrase is asked for when it is needed.
pub(super) fn usable<C: Callbacks>(
    key: Identity,
    file: Option<&str>,
    callbacks: &C,
) -> Result<BoxedIdentity, KeyProblem> {
    let hint = KeyHint::new(key.public())?;
    Ok(match key {
        Identity::Plain(key) => Box::new(SshKey { key, hint }),
        Identity::Encrypted(key) => {
            let (file, callbacks) = (file.map(str::to_owned), callbacks.clone());
            Box::new(EncryptedSshKey { key, hint, file, callbacks, opened: OnceLock::new() })
        }
    })
}

/// The recipient that belongs to a private key.
pub(super) fn public(key: &Identity) -> Result<BoxedRecipient, KeyProblem> {
    Ok(Box::new(PublicKey::from_bytes(key.public())?))
}

/// The same as text: the line of a `.pub` file, without a comment.
pub(super) fn public_text(key: &Identity) -> Result<String, KeyProblem> {
    Ok(PublicKey::from_bytes(key.public())?.to_line())
}

/// A line as in a `.pub` file: type, key and perhaps a comment.
pub(super) fn recipient(text: &str) -> Result<BoxedRecipient, KeyProblem> {
    Ok(Box::new(PublicKey::from_line(text)?))
}

/// The part of a stanza that shows for which key it is.
struct KeyHint {
    kind: String,
    tag: String,
    work: u32,
}

impl KeyHint {
    fn new(public: &[u8]) -> Result<Self, KeyProblem> {
        let kind = expect_known_type(public)?.to_owned();
        let work = if kind == rsa::TYPE { rsa::work(public) } else { ED25519_WORK };
        Ok(Self { kind, tag: public_key::tag(public), work })
    }

    fn is_on(&self, stanza: &Stanza) -> bool {
        stanza.tag == self.kind && stanza.args.first() == Some(&self.tag)
    }

    fn work(&self, stanza: &Stanza) -> u32 {
        if self.is_on(stanza) { self.work } else { 0 }
    }
}

/// A private SSH key that is not encrypted.
struct SshKey {
    key: PrivateKey,
    hint: KeyHint,
}

impl super::Identity for SshKey {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        self.hint.is_on(stanza).then(|| self.key.unwrap(stanza))
    }
}

impl BoundedIdentity for SshKey {
    fn work(&self, stanza: &Stanza) -> u32 {
        self.hint.work(stanza)
    }
}

/// A private SSH key that is encrypted with a passphrase, opened when a stanza has its tag.
struct EncryptedSshKey<C> {
    key: EncryptedKey,
    hint: KeyHint,
    file: Option<String>,
    callbacks: C,
    opened: OnceLock<Result<PrivateKey, KeyError>>,
}

impl<C: Callbacks> EncryptedSshKey<C> {
    fn open(&self) -> Result<PrivateKey, KeyError> {
        let file = self.file.as_deref();
        ask(&self.callbacks, "SSH key", file)
            .and_then(|passphrase| Ok(self.key.decrypt(passphrase.reveal())?))
            .map_err(|error| error.in_file(file))
    }
}

impl<C: Callbacks> super::Identity for EncryptedSshKey<C> {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        self.hint.is_on(stanza).then(|| match self.opened.get_or_init(|| self.open()) {
            Ok(key) => key.unwrap(stanza),
            Err(error) => Err(DecryptError::Key(error.clone())),
        })
    }
}

impl<C: Callbacks> BoundedIdentity for EncryptedSshKey<C> {
    fn work(&self, stanza: &Stanza) -> u32 {
        self.hint.work(stanza)
    }
}
