//! Private SSH keys, as they stand in a file once it is decrypted.
//!
//! Source: OpenSSH's PROTOCOL.key, and OpenSSH's `sshkey.c` for the parts of a key.

use super::public_key::key_type;
use super::wire::Reader;
use super::{ed25519, rsa};
use crate::age::error::{DecryptError, KeyProblem};
use crate::age::{FileKey, Stanza};

/// A private key, and the bytes of its public key.
pub(in crate::age) struct PrivateKey {
    public: Vec<u8>,
    key: Kind,
}

enum Kind {
    Ed25519(ed25519::Private),
    Rsa(rsa::Private),
}

impl PrivateKey {
    /// The only key of a list: twice the same number, which shows a wrong passphrase; the key, a
    /// comment, and padding.
    pub(super) fn from_list(list: &[u8], public: &[u8]) -> Result<Self, KeyProblem> {
        const DAMAGED: KeyProblem = KeyProblem::SshFormat;
        let mut reader = Reader::new(list);
        let check = reader.u32().ok_or(DAMAGED)?;
        let kind = (reader.u32() == Some(check)).then(|| reader.string()).flatten();
        let (key, of_private) = match kind.ok_or(DAMAGED)? {
            kind if kind == ed25519::TYPE.as_bytes() => {
                let (key, public) = ed25519::Private::read(&mut reader).ok_or(DAMAGED)?;
                (Kind::Ed25519(key), public)
            }
            kind if kind == rsa::TYPE.as_bytes() => {
                let (key, public) = rsa::Private::read(&mut reader)?;
                (Kind::Rsa(key), public)
            }
            _ => return Err(DAMAGED),
        };
        let _comment = reader.string().ok_or(DAMAGED)?;
        let mut padding = reader.rest().iter().enumerate();
        if padding.any(|(at, &byte)| usize::from(byte) != at + 1) || of_private != public {
            return Err(DAMAGED);
        }
        Ok(Self { public: of_private, key })
    }

    /// An RSA key of its own.
    pub(super) fn from_rsa(numbers: &rsa::Numbers<'_>) -> Result<Self, KeyProblem> {
        let (key, public) = rsa::Private::from_numbers(numbers)?;
        Ok(Self { public, key: Kind::Rsa(key) })
    }

    /// The bytes of the public key.
    pub(super) fn public(&self) -> &[u8] {
        &self.public
    }

    /// The file key in a stanza that has the tag of this key.
    pub(super) fn unwrap(&self, stanza: &Stanza) -> Result<FileKey, DecryptError> {
        match &self.key {
            Kind::Ed25519(key) => key.unwrap(&self.public, stanza),
            Kind::Rsa(key) => key.unwrap(stanza),
        }
    }
}

/// Refuses a type of key that age does not encrypt to.
pub(super) fn expect_known_type(public: &[u8]) -> Result<&str, KeyProblem> {
    match key_type(public).map_err(|_| KeyProblem::SshFormat)? {
        known @ (ed25519::TYPE | rsa::TYPE) => Ok(known),
        other => Err(KeyProblem::SshType(other.to_owned())),
    }
}
