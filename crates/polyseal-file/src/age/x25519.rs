//! age's first recipients and identities: `age1…` and `AGE-SECRET-KEY-1…`.
//!
//! Source: c2sp.org/age, "The X25519 recipient type". The stanza is `-> X25519 share`, its body the
//! file key under HKDF-SHA-256(shared secret, share ‖ public key, info).
//!
//! Security claim: the file key stays secret as long as X25519 is unbroken. A stanza does not show
//! for whom it is. No share and no recipient of small order is taken: the secret would be zero.
//!
//! Limits: not post-quantum. The text of an identity is encoded and decoded by way of tables, as
//! age does. Whoever has a recipient can encrypt to it.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use x25519_dalek::{PublicKey, SharedSecret, StaticSecret};
use zeroize::Zeroizing;

use super::bech32::{self, Hrp};
use super::error::{DecryptError, EncryptError};
use super::one_key::{self, BODY_BYTES, WrappingKey};
use super::work::BoundedIdentity;
use super::{FileKey, Stanza, base64};
use crate::SecretText;

const TAG: &str = "X25519";
const INFO: &[u8] = b"age-encryption.org/v1/X25519";
const SHARE_BYTES: usize = 32;

/// A recipient as text.
pub(super) const RECIPIENT_CHARACTERS: usize = 62;
/// An identity as text.
pub(super) const IDENTITY_CHARACTERS: usize = 74;

const RECIPIENT_HRP: Hrp = Hrp::parse_unchecked("age");
const IDENTITY_HRP: Hrp = Hrp::parse_unchecked("age-secret-key-");

/// A public key, 62 characters as text.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Recipient(PublicKey);

/// A secret key, 74 characters as text, wiped when dropped.
#[derive(Clone)]
pub(super) struct Identity(StaticSecret);

impl FromStr for Recipient {
    type Err = ();

    /// Takes padding that is not zero, and upper case.
    fn from_str(text: &str) -> Result<Self, ()> {
        let key = PublicKey::from(*bech32::decode::<SHARE_BYTES>(RECIPIENT_HRP, text).ok_or(())?);
        // Every scalar that X25519 takes is a multiple of the small orders, and of nothing else
        // that a point has.
        let product = StaticSecret::from([0; SHARE_BYTES]).diffie_hellman(&key);
        if product.was_contributory() { Ok(Self(key)) } else { Err(()) }
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bech32::write(f, RECIPIENT_HRP, self.0.as_bytes())
    }
}

impl super::Recipient for Recipient {
    fn wrap_file_key(
        &self,
        file_key: &FileKey,
    ) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let stanza = self.wrap(&random_secret()?, file_key)?;
        Ok((vec![stanza], HashSet::new()))
    }
}

impl Recipient {
    fn wrap(&self, ephemeral: &StaticSecret, file_key: &FileKey) -> crate::Result<Stanza> {
        let share = PublicKey::from(ephemeral);
        let key = wrapping_key(&ephemeral.diffie_hellman(&self.0), &share, &self.0, INFO)?;
        let body = one_key::wrap(&key, file_key)?;
        Ok(Stanza { tag: TAG.to_owned(), args: vec![base64::encode(share)], body })
    }
}

impl Identity {
    pub(super) fn generate() -> crate::Result<Self> {
        random_secret().map(Self)
    }

    /// The identity as text, which is secret.
    pub(super) fn to_text(&self) -> SecretText {
        bech32::encode_upper(IDENTITY_HRP, self.0.as_bytes())
    }

    /// The identity with this text; `None` if it is not in its one spelling.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let bytes = bech32::decode_upper(IDENTITY_HRP, text)?;
        Some(Self(StaticSecret::from(*bytes)))
    }

    pub(super) fn to_recipient(&self) -> Recipient {
        Recipient(PublicKey::from(&self.0))
    }
}

impl super::Identity for Identity {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        if stanza.tag != TAG {
            return None;
        }
        let Some((share, body)) = parts(stanza) else {
            return Some(Err(DecryptError::InvalidHeader));
        };
        let secret = self.0.diffie_hellman(&share);
        if !secret.was_contributory() {
            return Some(Err(DecryptError::InvalidHeader));
        }
        let key = wrapping_key(&secret, &share, &PublicKey::from(&self.0), INFO).ok()?;
        // For another, if it does not open: a stanza does not say whose it is.
        one_key::unwrap(&key, body).map(Ok)
    }
}

impl BoundedIdentity for Identity {
    fn work(&self, stanza: &Stanza) -> u32 {
        u32::from(stanza.tag == TAG)
    }
}

/// The parts of a stanza, if it is in its one form.
fn parts(stanza: &Stanza) -> Option<(PublicKey, &[u8; BODY_BYTES])> {
    let [share] = stanza.args.as_slice() else { return None };
    let share = PublicKey::from(base64::decode::<SHARE_BYTES>(share)?);
    Some((share, stanza.body.as_slice().try_into().ok()?))
}

/// The key that wraps the file key, for a share and a recipient; `info` says for which stanza.
pub(super) fn wrapping_key(
    secret: &SharedSecret,
    share: &PublicKey,
    recipient: &PublicKey,
    info: &[u8],
) -> crate::Result<WrappingKey> {
    let salt = [share.as_bytes().as_slice(), recipient.as_bytes()].concat();
    one_key::derive(secret.as_bytes(), &salt, info)
}

/// A new secret.
pub(super) fn random_secret() -> crate::Result<StaticSecret> {
    let mut bytes = Zeroizing::new([0; SHARE_BYTES]);
    crate::key::random(bytes.as_mut_slice())?;
    Ok(StaticSecret::from(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::age::Identity as _;
    use crate::stanza::age_text;

    fn identity() -> Identity {
        let file = include_str!("../../tests/age/x25519.txt");
        Identity::from_text(file.lines().last().unwrap()).unwrap()
    }

    fn stanza() -> Stanza {
        let file = include_bytes!("../../tests/age/x25519.age");
        let mut lines = file.split_inclusive(|&byte| byte == b'\n').skip(1);
        let text = [lines.next().unwrap(), lines.next().unwrap()].concat();
        age_text::parse(&text).unwrap().remove(0)
    }

    /// With a shared secret, wrapping has one result.
    #[test]
    fn wraps_and_unwraps_as_the_program_age() {
        let (identity, stanza) = (identity(), stanza());
        let file_key = identity.unwrap_stanza(&stanza).unwrap().unwrap();
        let (share, body) = parts(&stanza).unwrap();
        let secret = identity.0.diffie_hellman(&share);
        let key = wrapping_key(&secret, &share, &identity.to_recipient().0, INFO).unwrap();
        assert_eq!(one_key::wrap(&key, &file_key).unwrap(), body);
        let ours = identity.to_recipient().wrap(&StaticSecret::from([7; 32]), &file_key).unwrap();
        assert_eq!(identity.unwrap_stanza(&ours).unwrap().unwrap(), file_key);
        assert!(Identity::generate().unwrap().unwrap_stanza(&ours).is_none());
    }

    #[test]
    fn a_stanza_of_another_form_or_of_small_order_is_refused() {
        let with = |edit: &dyn Fn(&mut Stanza)| {
            let mut stanza = stanza();
            edit(&mut stanza);
            let refused = identity().unwrap_stanza(&stanza);
            assert!(matches!(refused, Some(Err(DecryptError::InvalidHeader))), "{stanza:?}");
        };
        with(&|s| s.args.clear());
        with(&|s| s.args.push("a".to_owned()));
        with(&|s| s.args[0].push('='));
        with(&|s| s.args[0] = base64::encode([9; 31]));
        with(&|s| s.args[0] = base64::encode([9; 33]));
        with(&|s| s.body.push(0));
        with(&|s| s.body.truncate(31));
        // The points of order 1, 2, 4 and 8, and what is the same modulo 2^255 - 19.
        for low in [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ] {
            let mut share = [0; SHARE_BYTES];
            base16ct::lower::decode(low, &mut share).unwrap();
            with(&|s| s.args[0] = base64::encode(share));
            let mut text = String::new();
            bech32::write(&mut text, RECIPIENT_HRP, &share).unwrap();
            assert!(text.parse::<Recipient>().is_err(), "{low}");
        }
        let mut other = stanza();
        other.tag = "x25519".to_owned();
        assert!(identity().unwrap_stanza(&other).is_none());
        for at in 0..BODY_BYTES {
            let mut altered = stanza();
            altered.body[at] ^= 1;
            assert!(identity().unwrap_stanza(&altered).is_none(), "{at}");
        }
    }

    #[test]
    fn texts_are_those_of_age_keygen() {
        let file = include_str!("../../tests/age/x25519.txt");
        let (identity, recipient) = (identity(), identity().to_recipient().to_string());
        assert_eq!(identity.to_text().reveal(), file.lines().last().unwrap());
        assert_eq!((identity.to_text().reveal().len(), recipient.len()), (74, 62));
        assert!(file.contains(&format!("# public key: {recipient}\n")));
        assert!(recipient.parse::<Recipient>().unwrap() == identity.to_recipient());
        assert!(Identity::from_text(&identity.to_text().reveal().to_lowercase()).is_none());
        let mixed = identity.to_text().reveal().replacen("KEY", "key", 1);
        assert!(Identity::from_text(&mixed).is_none());
    }
}
