//! Public SSH keys of the two types that age encrypts to.
//!
//! Source: RFC 4253, section 6.6, and RFC 8709 for the bytes; sshd(8) for the line of a `.pub`
//! file.

use std::collections::HashSet;

use ::base64::Engine;
use ::base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::wire::Reader;
use super::{ed25519, rsa};
use crate::age::error::{EncryptError, KeyProblem};
use crate::age::{FileKey, Recipient, Stanza, base64};

const DAMAGED: KeyProblem = KeyProblem::Damaged("SSH key");

/// A public key, and its bytes.
pub(super) struct PublicKey {
    bytes: Vec<u8>,
    key: Kind,
}

enum Kind {
    Ed25519(ed25519::Public),
    Rsa(rsa::Public),
}

impl PublicKey {
    /// The key in a line as in a `.pub` file: type, key and perhaps a comment.
    pub(super) fn from_line(line: &str) -> Result<Self, KeyProblem> {
        let (kind, rest) = line.split_once(' ').ok_or(DAMAGED)?;
        let digits = rest.split([' ', '\t']).next().unwrap_or_default();
        let bytes = BASE64_STANDARD.decode(digits).map_err(|_| DAMAGED)?;
        if key_type(&bytes)? == kind { Self::from_bytes(&bytes) } else { Err(DAMAGED) }
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, KeyProblem> {
        let kind = key_type(bytes)?;
        let mut reader = Reader::new(bytes);
        reader.string();
        let key = match kind {
            ed25519::TYPE => Kind::Ed25519(ed25519::Public::read(&mut reader).ok_or(DAMAGED)?),
            rsa::TYPE => Kind::Rsa(rsa::Public::read(&mut reader)?),
            other => return Err(KeyProblem::SshType(other.to_owned())),
        };
        reader.end().ok_or(DAMAGED)?;
        Ok(Self { bytes: bytes.to_vec(), key })
    }

    /// Type and key, as [`from_line`](Self::from_line) reads them.
    pub(super) fn to_line(&self) -> String {
        let kind = match self.key {
            Kind::Ed25519(_) => ed25519::TYPE,
            Kind::Rsa(_) => rsa::TYPE,
        };
        format!("{kind} {}", BASE64_STANDARD.encode(&self.bytes))
    }
}

/// The type in the bytes of a public key.
pub(super) fn key_type(bytes: &[u8]) -> Result<&str, KeyProblem> {
    Reader::new(bytes).string().and_then(|kind| str::from_utf8(kind).ok()).ok_or(DAMAGED)
}

/// The argument by which a stanza shows for which key it is.
pub(super) fn tag(public: &[u8]) -> String {
    base64::encode(&Sha256::digest(public)[..4])
}

impl Recipient for PublicKey {
    fn wrap_file_key(
        &self,
        file_key: &FileKey,
    ) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let stanza = match &self.key {
            Kind::Ed25519(key) => key.wrap(&self.bytes, file_key)?,
            Kind::Rsa(key) => key.wrap(&self.bytes, file_key)?,
        };
        Ok((vec![stanza], HashSet::new()))
    }
}
