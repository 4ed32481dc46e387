//! age's recipients for keys in hardware, `age1tag1…`, and their files opened by a private key that
//! is kept elsewhere; and keys of 32 bytes sealed for such a key.
//!
//! Source: c2sp.org/age, "The tagged recipient types". The stanza is `-> p256tag tag enc`, its body
//! the file key, from HPKE ([RFC 9180]) with the info below.
//!
//! Security claim: the file key stays secret as long as ECDH on P-256 is unbroken. The keeper of
//! the private key is asked for nothing but a stanza that has its tag, and a point of the curve.
//!
//! Limits: not post-quantum. A stanza shows to whoever knows the recipient that it is for it.
//! Whoever has a recipient can encrypt to it, also in a way that asks its keeper in vain.
//!
//! [RFC 9180]: https://www.rfc-editor.org/rfc/rfc9180

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use hkdf::HkdfExtract;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::bech32::{self, Hrp};
use super::dhkem::{COMPRESSED_BYTES, OpenError, POINT_BYTES, PublicKey};
use super::error::{DecryptError, EncryptError, KeyError, KeyProblem};
use super::keeper::Keeper;
use super::key_schedule::TAG_BYTES;
use super::work::{BoundedIdentity, MAX_WORK};
use super::{FILE_KEY_BYTES, FileKey, Stanza, base64, expect_length, looks_secret};
use crate::Key;
use crate::error::{Error, Result};
use crate::key::KEY_BYTES;

const STANZA: &str = "p256tag";
const INFO: &[u8] = b"age-encryption.org/p256tag";
const STANZA_TAG_BYTES: usize = 4;
const BODY_BYTES: usize = FILE_KEY_BYTES + TAG_BYTES;
/// A call may take a second, and somebody may be asked to touch a token: at most 128 for a file.
const WORK: u32 = MAX_WORK / 128;

/// A recipient as text.
const CHARACTERS: usize = 67;
const HRP: Hrp = Hrp::parse_unchecked("age1tag");

/// A key of 32 bytes that [`seal_key`] sealed, in bytes: the encapsulation, the key and a tag.
pub const SEALED_KEY_BYTES: usize = POINT_BYTES + KEY_BYTES + TAG_BYTES;

/// A public key on P-256, 67 characters as text.
#[derive(Clone, PartialEq, Eq)]
pub struct Recipient(PublicKey);

impl Recipient {
    /// From an uncompressed point: `04`, then both coordinates, 65 bytes.
    ///
    /// # Errors
    /// [`KeyProblem::NotAPoint`].
    pub fn from_point(point: &[u8; POINT_BYTES]) -> std::result::Result<Self, KeyError> {
        PublicKey::from_point(point).map(Self).ok_or_else(|| KeyProblem::NotAPoint.into())
    }

    /// From a compressed point, 33 bytes.
    ///
    /// # Errors
    /// [`KeyProblem::NotAPoint`].
    pub fn from_compressed(point: &[u8; COMPRESSED_BYTES]) -> std::result::Result<Self, KeyError> {
        PublicKey::from_compressed(point).map(Self).ok_or_else(|| KeyProblem::NotAPoint.into())
    }

    /// The point, uncompressed, 65 bytes.
    #[must_use]
    pub fn to_point(&self) -> [u8; POINT_BYTES] {
        self.0.to_point()
    }

    /// The point, compressed, 33 bytes.
    #[must_use]
    pub fn to_compressed(&self) -> [u8; COMPRESSED_BYTES] {
        self.0.to_compressed()
    }

    fn stanza_tag(&self, enc: &[u8; POINT_BYTES]) -> [u8; STANZA_TAG_BYTES] {
        stanza_tag(INFO, enc, &self.to_compressed())
    }
}

/// The tag by which a stanza with this encapsulation shows that it is for `recipient`.
pub(super) fn stanza_tag(info: &[u8], enc: &[u8], recipient: &[u8]) -> [u8; STANZA_TAG_BYTES] {
    let mut extract = HkdfExtract::<Sha256>::new(Some(info));
    extract.input_ikm(enc);
    extract.input_ikm(&Sha256::digest(recipient)[..STANZA_TAG_BYTES]);
    let mut tag = [0; STANZA_TAG_BYTES];
    tag.copy_from_slice(&extract.finalize().0[..STANZA_TAG_BYTES]);
    tag
}

impl FromStr for Recipient {
    type Err = KeyError;

    /// Only in the one spelling that [`fmt::Display`] gives.
    fn from_str(text: &str) -> std::result::Result<Self, KeyError> {
        if looks_secret(text) {
            return Err(KeyProblem::SecretAsRecipient.into());
        }
        expect_length("recipient", text, CHARACTERS)?;
        let damaged = || KeyProblem::Damaged("recipient");
        let point = bech32::decode::<COMPRESSED_BYTES>(HRP, text).ok_or_else(damaged)?;
        let recipient = Self(PublicKey::from_compressed(&point).ok_or_else(damaged)?);
        // Also refuses upper case, and padding that is not zero.
        if recipient.to_string() == text { Ok(recipient) } else { Err(damaged().into()) }
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bech32::write(f, HRP, &self.to_compressed())
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipient({self})")
    }
}

impl super::Recipient for Recipient {
    fn wrap_file_key(
        &self,
        file_key: &FileKey,
    ) -> std::result::Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let mut sealed = Zeroizing::new(*file_key.expose_secret());
        let (enc, tag) = self.0.seal(INFO, sealed.as_mut_slice())?;
        let body = [&sealed[..], &tag].concat();
        let args = [&self.stanza_tag(&enc)[..], &enc].map(base64::encode);
        Ok((vec![Stanza { tag: STANZA.to_owned(), args: args.to_vec(), body }], HashSet::new()))
    }
}

/// An identity whose private key somebody keeps.
pub struct Identity<K> {
    recipient: Recipient,
    keeper: K,
}

impl<K: Keeper> Identity<K> {
    /// The key pair of `recipient`, which `keeper` has.
    pub fn new(recipient: Recipient, keeper: K) -> Self {
        Self { recipient, keeper }
    }

    /// The recipient whose files this identity opens.
    #[must_use]
    pub fn recipient(&self) -> &Recipient {
        &self.recipient
    }
}

impl<K> fmt::Debug for Identity<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity(of {})", self.recipient)
    }
}

/// The parts of a stanza, if it is in its one form.
fn parts(
    stanza: &Stanza,
) -> Option<([u8; STANZA_TAG_BYTES], [u8; POINT_BYTES], &[u8; BODY_BYTES])> {
    let [tag, enc] = stanza.args.as_slice() else { return None };
    let (tag, enc) = (base64::decode(tag)?, base64::decode(enc)?);
    // The length before anything is opened: a longer body could be made to open under several keys.
    Some((tag, enc, stanza.body.as_slice().try_into().ok()?))
}

impl<K: Keeper> super::Identity for Identity<K> {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<std::result::Result<FileKey, DecryptError>> {
        if stanza.tag != STANZA {
            return None;
        }
        let Some((tag, enc, body)) = parts(stanza) else {
            return Some(Err(DecryptError::InvalidHeader));
        };
        // First: a file for others must not cost a call, nor a touch of the token.
        if !bool::from(self.recipient.stanza_tag(&enc).ct_eq(&tag)) {
            return None;
        }
        let (sealed, tag) = body.split_at(FILE_KEY_BYTES);
        let opened = FileKey::try_init_with_mut(|file_key: &mut [u8; FILE_KEY_BYTES]| {
            file_key.copy_from_slice(sealed);
            self.recipient.0.open(&self.keeper, INFO, &enc, file_key, tag)
        });
        match opened {
            Ok(file_key) => Some(Ok(file_key)),
            Err(OpenError::Encapsulation) => Some(Err(DecryptError::InvalidHeader)),
            Err(OpenError::Keeper(error)) => Some(Err(DecryptError::Keeper(error))),
            Err(OpenError::Message) => None,
        }
    }
}

impl<K: Keeper> BoundedIdentity for Identity<K> {
    fn work(&self, stanza: &Stanza) -> u32 {
        let is_ours = stanza.tag == STANZA
            && parts(stanza)
                .is_some_and(|(tag, enc, _)| self.recipient.stanza_tag(&enc).ct_eq(&tag).into());
        if is_ours { WORK } else { 0 }
    }
}

/// Seals `key` for whoever has the private key of `recipient`, bound to `info`, which says what it
/// is for.
///
/// # Errors
/// [`Error::Random`] if the operating system has no random bytes.
pub fn seal_key(recipient: &Recipient, info: &[u8], key: &Key) -> Result<[u8; SEALED_KEY_BYTES]> {
    let mut message = Zeroizing::new(*key.bytes());
    let (enc, tag) = recipient.0.seal(info, message.as_mut_slice())?;
    let mut sealed = [0; SEALED_KEY_BYTES];
    let (for_enc, rest) = sealed.split_at_mut(POINT_BYTES);
    let (for_key, for_tag) = rest.split_at_mut(KEY_BYTES);
    for_enc.copy_from_slice(&enc);
    for_key.copy_from_slice(message.as_slice());
    for_tag.copy_from_slice(&tag);
    Ok(sealed)
}

/// The key that [`seal_key`] sealed for `recipient`, whose private key `keeper` has.
///
/// # Errors
/// [`Error::Keeper`] if the keeper does not do its part; [`Error::NoMatchingKey`] if it was sealed
/// for another key or with other `info`, or was altered.
pub fn open_key(
    recipient: &Recipient,
    keeper: &dyn Keeper,
    info: &[u8],
    sealed: &[u8; SEALED_KEY_BYTES],
) -> Result<Key> {
    let (enc, rest) = sealed.split_at(POINT_BYTES);
    let (message, tag) = rest.split_at(KEY_BYTES);
    let enc = <&[u8; POINT_BYTES]>::try_from(enc).map_err(|_| Error::NoMatchingKey)?;
    let mut key = Key::from_bytes(&[0; KEY_BYTES]);
    key.bytes_mut().copy_from_slice(message);
    match recipient.0.open(keeper, info, enc, key.bytes_mut(), tag) {
        Ok(()) => Ok(key),
        Err(OpenError::Keeper(error)) => Err(Error::Keeper(error)),
        Err(OpenError::Encapsulation | OpenError::Message) => Err(Error::NoMatchingKey),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::super::dhkem::tests::{Software, vector};
    use super::*;
    use crate::Class;
    use crate::age::{Identity as _, KeeperError, Recipient as _};
    use crate::stanza::age_text;

    fn recipient() -> Recipient {
        Recipient::from_point(&vector("pkRm")).unwrap()
    }

    fn identity() -> Identity<Software> {
        Identity::new(recipient(), Software::new())
    }

    fn calls(identity: &Identity<Software>) -> usize {
        identity.keeper.calls.load(Ordering::Relaxed)
    }

    fn file_key() -> FileKey {
        FileKey::new(Box::new([7; 16]))
    }

    fn stanza() -> Stanza {
        recipient().wrap_file_key(&file_key()).unwrap().0.remove(0)
    }

    #[test]
    fn what_the_crate_age_wraps_is_opened_and_the_text_is_the_same() {
        // From the crate `age`.
        let text = "age1tag1q2nf00laa9q9exfgs0zugwwkes6czu94rtmjsy3n8vq4vgwupaqt5f9yhnt";
        assert_eq!(recipient().to_string(), text);
        let theirs = age_text::parse(include_bytes!("../../tests/age/p256tag.stanza")).unwrap();
        let ours = recipient().wrap_file_key(&file_key()).unwrap();
        assert!(ours.1.is_empty());
        assert_eq!((theirs.len(), ours.0.len()), (1, 1));
        for stanza in theirs.iter().chain(&ours.0) {
            let opened = identity().unwrap_stanza(stanza).unwrap().unwrap();
            assert_eq!(opened.expose_secret(), file_key().expose_secret());
            assert_eq!(identity().work(stanza), WORK);
        }
    }

    #[test]
    fn text_has_one_spelling() {
        // From the crate `age`.
        let text = "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e";
        assert_eq!(text.parse::<Recipient>().unwrap().to_string(), text);
        assert_eq!(text.len(), CHARACTERS);
        for bad in [text.to_uppercase(), text.replace("qdj4e", "qdj4"), text.replace("2yq", "2yp")]
        {
            assert!(bad.parse::<Recipient>().is_err(), "{bad}");
        }
        let secret = "AGE-SECRET-KEY-1QQQ".parse::<Recipient>().unwrap_err();
        assert_eq!(*secret.problem(), KeyProblem::SecretAsRecipient);
    }

    #[test]
    fn a_stanza_for_others_costs_no_call() {
        let identity = identity();
        let mut other = stanza();
        other.args[0] = base64::encode([0; 4]);
        assert!(identity.unwrap_stanza(&other).is_none());
        other.tag = "X25519".to_owned();
        assert!(identity.unwrap_stanza(&other).is_none());
        assert_eq!((identity.work(&other), calls(&identity)), (0, 0));
    }

    #[test]
    fn a_stanza_that_is_not_in_its_one_form_costs_no_call() {
        let identity = identity();
        let mut forms = vec![Stanza { args: vec![], ..stanza() }];
        let with = |edit: &dyn Fn(&mut Stanza)| {
            let mut stanza = stanza();
            edit(&mut stanza);
            stanza
        };
        forms.push(with(&|s| s.args.push("x".to_owned())));
        forms.push(with(&|s| s.args.swap(0, 1)));
        forms.push(with(&|s| s.args[0].push_str("==")));
        forms.push(with(&|s| s.args[1].push('=')));
        // The last bits of 65 bytes are padding.
        forms.push(with(&|s| {
            let last = s.args[1].pop().unwrap();
            s.args[1].push(char::from(last as u8 + 1));
        }));
        forms.push(with(&|s| s.body.truncate(BODY_BYTES - 1)));
        forms.push(with(&|s| s.body.push(0)));
        // A point off the curve, with the tag that belongs to it.
        forms.push(with(&|s| {
            let mut enc: [u8; 65] = base64::decode(&s.args[1]).unwrap();
            enc[64] ^= 1;
            s.args[0] = base64::encode(recipient().stanza_tag(&enc));
            s.args[1] = base64::encode(enc);
        }));
        for form in &forms {
            let refused = identity.unwrap_stanza(form);
            assert!(matches!(refused, Some(Err(DecryptError::InvalidHeader))), "{form:?}");
        }
        assert_eq!(calls(&identity), 0);
    }

    #[test]
    fn a_body_that_was_altered_does_not_open() {
        let identity = identity();
        for at in 0..BODY_BYTES {
            let mut altered = stanza();
            altered.body[at] ^= 1;
            assert!(identity.unwrap_stanza(&altered).is_none(), "{at}");
        }
    }

    #[test]
    fn what_the_keeper_says_comes_through() {
        let keeper = Software::that_refuses();
        let says = KeeperError::new(Class::KeyUnavailable, "no").with_hint("ask");
        let sealed = seal_key(&recipient(), b"one", &Key::from_bytes(&[3; 32])).unwrap();
        let opened = open_key(&recipient(), &keeper, b"one", &sealed);
        assert!(matches!(opened, Err(Error::Keeper(error)) if error == says));
        let Some(Err(error)) = Identity::new(recipient(), keeper).unwrap_stanza(&stanza()) else {
            panic!("it was opened");
        };
        assert!(matches!(error, DecryptError::Keeper(error) if error == says));
    }

    #[test]
    fn a_key_is_bound_to_its_info_and_to_each_byte() {
        let (keeper, key) = (Software::new(), Key::from_bytes(&[3; 32]));
        let sealed = seal_key(&recipient(), b"one", &key).unwrap();
        let open = |info: &[u8], sealed: &[u8; SEALED_KEY_BYTES]| {
            open_key(&recipient(), &keeper, info, sealed)
        };
        assert_eq!(open(b"one", &sealed).unwrap().reveal(), key.reveal());
        assert!(matches!(open(b"two", &sealed), Err(Error::NoMatchingKey)));
        for at in 0..SEALED_KEY_BYTES {
            let mut altered = sealed;
            altered[at] ^= 1;
            assert!(matches!(open(b"one", &altered), Err(Error::NoMatchingKey)), "{at}");
        }
    }
}
