//! Files with one private SSH key: OpenSSH's own format, and RSA keys in PKCS #1.
//!
//! Source: RFC 7468 for the text; OpenSSH's PROTOCOL.key; RFC 8017, appendix A.1.2, for PKCS #1,
//! in DER (X.690).

use ::base64::Engine;
use ::base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

use super::cipher::{Cipher, Stretching};
use super::private_key::{PrivateKey, expect_known_type};
use super::rsa::Numbers;
use super::wire::Reader;
use crate::age::error::KeyProblem;

const DAMAGED: KeyProblem = KeyProblem::SshFormat;
const OPENSSH: &str = "OPENSSH PRIVATE KEY";
const PKCS1: &str = "RSA PRIVATE KEY";
const MAGIC: &[u8] = b"openssh-key-v1\0";

/// A private key in a file.
pub(in crate::age) enum Identity {
    Plain(PrivateKey),
    Encrypted(EncryptedKey),
}

/// A private key that is encrypted with a passphrase.
pub(in crate::age) struct EncryptedKey {
    public: Vec<u8>,
    cipher: Cipher,
    stretching: Stretching,
    sealed: Vec<u8>,
}

impl EncryptedKey {
    /// The bytes of the public key.
    pub(super) fn public(&self) -> &[u8] {
        &self.public
    }

    pub(super) fn decrypt(&self, passphrase: &str) -> Result<PrivateKey, KeyProblem> {
        let list = self.cipher.decrypt(&self.stretching, passphrase, &self.sealed);
        let list = list.ok_or(KeyProblem::WrongPassphrase)?;
        PrivateKey::from_list(&list, &self.public).map_err(|problem| match problem {
            KeyProblem::SshRsaSize => problem,
            _ => KeyProblem::WrongPassphrase,
        })
    }
}

impl Identity {
    /// The key in a file's text.
    pub(super) fn from_text(text: &str) -> Result<Self, KeyProblem> {
        if let Some(bytes) = unwrap_pem(text, OPENSSH) {
            return from_openssh(&bytes?);
        }
        let bytes = unwrap_pem(text, PKCS1).ok_or(DAMAGED)??;
        PrivateKey::from_rsa(&from_pkcs1(&bytes).ok_or(DAMAGED)?).map(Self::Plain)
    }

    /// The bytes of the public key.
    pub(super) fn public(&self) -> &[u8] {
        match self {
            Self::Plain(key) => key.public(),
            Self::Encrypted(key) => key.public(),
        }
    }
}

/// The bytes between the lines that begin and end `label`; `None` if it does not begin so.
fn unwrap_pem(text: &str, label: &str) -> Option<Result<Zeroizing<Vec<u8>>, KeyProblem>> {
    let mut lines = text.lines();
    let begins = lines.next()?.strip_prefix("-----BEGIN ")?.strip_suffix("-----")? == label;
    begins.then(|| {
        // With all the room at once it never moves, which would leave a copy behind.
        let mut digits = Zeroizing::new(String::with_capacity(text.len()));
        let end = format!("-----END {label}-----");
        loop {
            match lines.next().ok_or(DAMAGED)? {
                line if line.trim_ascii_end() == end => break,
                line => digits.push_str(line),
            }
        }
        let mut bytes = Zeroizing::new(vec![0; digits.len()]);
        let length = BASE64_STANDARD.decode_slice(digits.as_bytes(), &mut bytes);
        bytes.truncate(length.map_err(|_| DAMAGED)?);
        Ok(bytes)
    })
}

/// The key in OpenSSH's format: what encrypts it, one public key, and a list with the private one.
fn from_openssh(bytes: &[u8]) -> Result<Identity, KeyProblem> {
    let mut reader = Reader::new(bytes.strip_prefix(MAGIC).ok_or(DAMAGED)?);
    let mut next = || reader.string().ok_or(DAMAGED);
    let (cipher, kdf, options) = (next()?, next()?, next()?);
    if reader.u32() != Some(1) {
        return Err(DAMAGED);
    }
    let public = reader.string().ok_or(DAMAGED)?;
    let list = reader.string().ok_or(DAMAGED)?;
    if (cipher, kdf, options) == (b"none", b"none", b"") {
        reader.end().ok_or(DAMAGED)?;
        expect_known_type(public)?;
        return PrivateKey::from_list(list, public).map(Identity::Plain);
    }
    let stretching = Stretching::read(kdf, options).ok_or(DAMAGED)?;
    let Some(known) = Cipher::from_name(cipher) else {
        return Err(KeyProblem::SshCipher(String::from_utf8_lossy(cipher).into_owned()));
    };
    let tag = reader.take(known.tag_bytes()).ok_or(DAMAGED)?;
    reader.end().ok_or(DAMAGED)?;
    expect_known_type(public)?;
    Ok(Identity::Encrypted(EncryptedKey {
        public: public.to_vec(),
        cipher: known,
        stretching,
        sealed: [list, tag].concat(),
    }))
}

/// The numbers of a key in PKCS #1, version 0: one with two primes.
fn from_pkcs1(der: &[u8]) -> Option<Numbers<'_>> {
    const INTEGER: u8 = 2;
    const SEQUENCE: u8 = 0x30;
    let (mut inside, after) = element(der, SEQUENCE)?;
    let mut number = || {
        let (bytes, rest) = element(inside, INTEGER)?;
        inside = rest;
        match bytes {
            [0, rest @ ..] if rest.first().is_none_or(|&first| first >= 0x80) => Some(rest),
            [1..=0x7f, ..] => Some(bytes),
            _ => None,
        }
    };
    let version = number()?;
    let (n, e, d, p, q) = (number()?, number()?, number()?, number()?, number()?);
    // The exponents of the primes, and the inverse of one: all follow from the others.
    for _ in 0..3 {
        number()?;
    }
    (version.is_empty() && inside.is_empty() && after.is_empty()).then_some(Numbers {
        n,
        e,
        d,
        p,
        q,
    })
}

/// The contents of an element of this type, and what follows it.
fn element(der: &[u8], kind: u8) -> Option<(&[u8], &[u8])> {
    let (&[found, first], rest) = der.split_first_chunk::<2>()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        // In the shortest form.
        0x81 => {
            let (&[length], rest) = rest.split_first_chunk::<1>()?;
            (Some(usize::from(length)).filter(|&length| length >= 0x80)?, rest)
        }
        0x82 => {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            let length = usize::from(u16::from_be_bytes(*length));
            (Some(length).filter(|&length| length >= 0x100)?, rest)
        }
        _ => return None,
    };
    let (contents, rest) = rest.split_at_checked(length)?;
    (found == kind).then_some((contents, rest))
}
