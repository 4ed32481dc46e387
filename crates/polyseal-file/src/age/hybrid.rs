//! age's post-quantum recipients and identities: `age1pq1…` and `AGE-SECRET-KEY-PQ-1…`.
//!
//! Source: c2sp.org/age, "The mlkem768x25519 recipient type". The stanza is
//! `-> mlkem768x25519 enc`, its body the file key, both from HPKE with the info below.
//!
//! Security claim: the file key stays secret as long as one of ML-KEM-768 and X25519 is unbroken.
//! A stanza does not show for whom it is. Anyone who cannot open two stanzas cannot tell whether
//! they are for the same recipient.
//!
//! Limits: the text of an identity is encoded and decoded by way of tables, as age does; the rest
//! is in constant time, as far as the crates below it are. Whoever has a recipient can encrypt to
//! it.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use zeroize::Zeroizing;

use super::bech32::{self, Hrp};
use super::error::{DecryptError, EncryptError, KeyError, KeyProblem};
use super::hpke::{
    ENC_BYTES, OpenError, PUBLIC_BYTES, PublicKey, SEALED_BYTES, SEED_BYTES, SecretKey,
};
use super::work::BoundedIdentity;
use super::{FileKey, Stanza, base64, looks_secret};
use crate::SecretText;

const TAG: &str = "mlkem768x25519";
const WORK: u32 = 3;
const INFO: &[u8] = b"age-encryption.org/mlkem768x25519";
/// age's name for the recipients that may be together.
pub(super) const LABEL: &str = "postquantum";

/// A recipient as text.
pub(super) const RECIPIENT_CHARACTERS: usize = 1959;
/// An identity as text.
pub(super) const IDENTITY_CHARACTERS: usize = 77;

const RECIPIENT_HRP: Hrp = Hrp::parse_unchecked("age1pq");
const IDENTITY_HRP: Hrp = Hrp::parse_unchecked("age-secret-key-pq-");

/// A hybrid public key, 1959 characters as text.
#[derive(Clone)]
pub struct Recipient(Box<PublicKey>);

/// A hybrid secret key, 77 characters as text, wiped when dropped.
#[derive(Clone)]
pub struct Identity(SecretKey);

impl FromStr for Recipient {
    type Err = KeyError;

    /// Only in the one spelling that [`fmt::Display`] gives.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        if looks_secret(text) {
            return Err(KeyProblem::SecretAsRecipient.into());
        }
        let damaged = || KeyProblem::Damaged("recipient");
        let bytes = bech32::decode::<PUBLIC_BYTES>(RECIPIENT_HRP, text).ok_or_else(damaged)?;
        let recipient = Self(Box::new(PublicKey::from_bytes(&bytes).ok_or_else(damaged)?));
        // Also refuses upper case, and padding that is not zero.
        if recipient.to_string() == text { Ok(recipient) } else { Err(damaged().into()) }
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bech32::write(f, RECIPIENT_HRP, &self.0.to_bytes())
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipient({self})")
    }
}

impl PartialEq for Recipient {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Recipient {}

impl super::Recipient for Recipient {
    fn wrap_file_key(
        &self,
        file_key: &FileKey,
    ) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let (enc, sealed) = self.0.seal(INFO, file_key.expose_secret())?;
        let stanza =
            Stanza { tag: TAG.to_owned(), args: vec![base64::encode(enc)], body: sealed.to_vec() };
        Ok((vec![stanza], HashSet::from([LABEL.to_owned()])))
    }
}

impl Identity {
    /// A fresh random identity.
    ///
    /// # Errors
    /// [`KeyProblem::Random`] if the operating system has no random bytes.
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = Zeroizing::new([0; SEED_BYTES]);
        crate::key::random(seed.as_mut_slice()).map_err(|_| KeyProblem::Random)?;
        Ok(Self(SecretKey::from_seed(seed)))
    }

    /// The identity as text, which is secret.
    #[must_use]
    pub fn to_string(&self) -> SecretText {
        bech32::encode_upper(IDENTITY_HRP, self.0.seed())
    }

    /// The recipient whose files this identity opens.
    #[must_use]
    pub fn to_recipient(&self) -> Recipient {
        Recipient(Box::new(self.0.public_key()))
    }
}

impl FromStr for Identity {
    type Err = KeyError;

    /// Only in the one spelling that [`Identity::to_string`] gives.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let seed = bech32::decode_upper::<SEED_BYTES>(IDENTITY_HRP, text);
        let seed = seed.ok_or(KeyProblem::Damaged("identity"))?;
        Ok(Self(SecretKey::from_seed(seed)))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(secret)")
    }
}

impl super::Identity for Identity {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        if stanza.tag != TAG {
            return None;
        }
        let Some((enc, sealed)) = parts(stanza) else {
            return Some(Err(DecryptError::InvalidHeader));
        };
        match FileKey::try_init_with_mut(|file_key| self.0.open(INFO, &enc, sealed, file_key)) {
            Ok(file_key) => Some(Ok(file_key)),
            Err(OpenError::Encapsulation) => Some(Err(DecryptError::InvalidHeader)),
            Err(OpenError::Message) => None,
        }
    }
}

/// The encapsulated key and the sealed file key, if the stanza is in its one form.
fn parts(stanza: &Stanza) -> Option<([u8; ENC_BYTES], &[u8; SEALED_BYTES])> {
    let [enc] = stanza.args.as_slice() else { return None };
    let enc = base64::decode::<ENC_BYTES>(enc)?;
    // The length before anything is opened: a longer body could be made to open under several keys.
    Some((enc, stanza.body.as_slice().try_into().ok()?))
}

impl BoundedIdentity for Identity {
    fn work(&self, stanza: &Stanza) -> u32 {
        if stanza.tag == TAG { WORK } else { 0 }
    }
}
