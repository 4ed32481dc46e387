//! age's post-quantum recipients for keys in hardware, `age1tagpq1…`: files are encrypted for them,
//! and opened by a plugin.
//!
//! Source: c2sp.org/age, "The tagged recipient types". The stanza is `-> mlkem768p256tag tag enc`,
//! its body the file key, from HPKE with the info below.
//!
//! Security claim: the file key stays secret as long as one of ML-KEM-768 and ECDH on P-256 is
//! unbroken.
//!
//! Limits: a stanza shows to whoever knows the recipient that it is for it. Whoever has a recipient
//! can encrypt to it.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use super::bech32::{self, Hrp};
use super::error::EncryptError;
use super::mlkem_p256::{PUBLIC_BYTES, PublicKey};
use super::{FileKey, Stanza, base64, hybrid, p256};

const STANZA: &str = "mlkem768p256tag";
const INFO: &[u8] = b"age-encryption.org/mlkem768p256tag";
const HRP: Hrp = Hrp::parse_unchecked("age1tagpq");

/// A public key.
pub(super) struct Recipient(Box<PublicKey>);

impl FromStr for Recipient {
    type Err = ();

    /// Takes padding that is not zero, and upper case.
    fn from_str(text: &str) -> Result<Self, ()> {
        let bytes = bech32::decode::<PUBLIC_BYTES>(HRP, text).ok_or(())?;
        PublicKey::from_bytes(&bytes).map(|key| Self(Box::new(key))).ok_or(())
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bech32::write(f, HRP, &self.0.to_bytes())
    }
}

impl super::Recipient for Recipient {
    fn wrap_file_key(
        &self,
        file_key: &FileKey,
    ) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let (enc, sealed) = self.0.seal(INFO, file_key.expose_secret())?;
        let tag = p256::stanza_tag(INFO, &enc, &self.0.point());
        let stanza = Stanza {
            tag: STANZA.to_owned(),
            args: vec![base64::encode(tag), base64::encode(enc)],
            body: sealed.to_vec(),
        };
        Ok((vec![stanza], HashSet::from([hybrid::LABEL.to_owned()])))
    }
}

#[cfg(test)]
mod tests {
    use super::super::mlkem_p256::tests::{open, vector};
    use super::*;
    use crate::age::Recipient as _;
    use crate::stanza::age_text;

    #[test]
    fn stanzas_are_those_of_the_crate_age() {
        let recipient = Recipient(Box::new(PublicKey::from_bytes(&vector("ek")).unwrap()));
        assert!(recipient.to_string().parse::<Recipient>().is_ok());
        let file_key = FileKey::new(Box::new([7; 16]));
        let (ours, labels) = recipient.wrap_file_key(&file_key).unwrap();
        assert_eq!(labels.into_iter().collect::<Vec<_>>(), ["postquantum"]);
        let theirs = age_text::parse(include_bytes!("../../tests/age/mlkem768p256tag.stanza"));
        for stanza in ours.iter().chain(&theirs.unwrap()) {
            assert_eq!((stanza.tag.as_str(), stanza.args.len()), (STANZA, 2));
            let enc = base64::decode(&stanza.args[1]).unwrap();
            let tag = p256::stanza_tag(INFO, &enc, &recipient.0.point());
            assert_eq!(base64::decode(&stanza.args[0]), Some(tag));
            assert_eq!(open(INFO, &enc, &stanza.body), Some([7; 16]));
        }
    }
}
