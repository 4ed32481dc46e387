//! Stanzas for whoever knows a passphrase.
//!
//! Source: c2sp.org/age, "The scrypt recipient type". The stanza is `-> scrypt salt log2(N)`, its
//! body the file key under scrypt(passphrase, label ‖ salt, N) with r = 8 and p = 1 (RFC 7914).
//! That it is alone in its header is the header's to check.
//!
//! Security claim: each guess at the passphrase takes 2^log2(N) KiB of memory, and as much time.
//! Whoever opens a stanza says how much work it may be, before any is done.
//!
//! Limit: what scrypt computes in is not wiped.

use super::one_key::{self, BODY_BYTES, WrappingKey};
use super::{FileKey, Stanza, base64};
use crate::key::random;

const TAG: &str = "scrypt";
const LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
const SALT_BYTES: usize = 16;
/// The block size of scrypt.
const R: u32 = 8;
/// The computations of scrypt that may run side by side.
const P: u32 = 1;

/// A stanza in its one form.
pub(crate) struct ScryptStanza<'a> {
    salt: [u8; SALT_BYTES],
    work_factor: u8,
    body: &'a [u8; BODY_BYTES],
}

impl<'a> ScryptStanza<'a> {
    /// `None` if it is of another type or form.
    pub(crate) fn parse(stanza: &'a Stanza) -> Option<Self> {
        let [salt, work_factor] = stanza.args.as_slice() else { return None };
        if stanza.tag != TAG || !work_factor.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        Some(Self {
            salt: base64::decode(salt)?,
            // Without zeros before it, and so not zero.
            work_factor: work_factor.parse().ok().filter(|_| !work_factor.starts_with('0'))?,
            body: stanza.body.as_slice().try_into().ok()?,
        })
    }

    /// The logarithm of the work that it takes.
    pub(crate) fn work_factor(&self) -> u8 {
        self.work_factor
    }

    /// The file key; `None` if this is not the passphrase. The caller has looked at the work.
    pub(crate) fn unwrap(&self, passphrase: &[u8]) -> Option<FileKey> {
        let key = stretch(passphrase, &self.salt, self.work_factor)?;
        one_key::unwrap(&key, self.body)
    }
}

/// The only stanza of a file for whoever knows the passphrase.
#[cfg(any(test, feature = "passphrase"))]
pub(crate) fn wrap(
    file_key: &FileKey,
    passphrase: &[u8],
    work_factor: u8,
) -> crate::Result<Stanza> {
    let mut salt = [0; SALT_BYTES];
    random(&mut salt)?;
    let key = stretch(passphrase, &salt, work_factor)
        .ok_or(crate::Error::Cipher(polyseal::Error::Parameter))?;
    Ok(Stanza {
        tag: TAG.to_owned(),
        args: vec![base64::encode(salt), work_factor.to_string()],
        body: one_key::wrap(&key, file_key)?,
    })
}

/// `None` if the work is more than scrypt or this machine's addresses have room for.
fn stretch(passphrase: &[u8], salt: &[u8], work_factor: u8) -> Option<WrappingKey> {
    let parameters = ::scrypt::Params::new(work_factor, R, P).ok()?;
    let mut key = WrappingKey::default();
    ::scrypt::scrypt(passphrase, &[LABEL, salt].concat(), &parameters, key.as_mut_slice()).ok()?;
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stanza::age_text;

    fn stanza() -> Stanza {
        let file = include_bytes!("../../tests/age/passphrase.age");
        let mut lines = file.split_inclusive(|&byte| byte == b'\n').skip(1);
        let text = [lines.next().unwrap(), lines.next().unwrap()].concat();
        age_text::parse(&text).unwrap().remove(0)
    }

    /// With a salt, wrapping has one result.
    #[test]
    fn wraps_and_unwraps_as_the_crate_age() {
        let stanza = stanza();
        let parsed = ScryptStanza::parse(&stanza).unwrap();
        assert_eq!(parsed.work_factor(), 4);
        assert!(parsed.unwrap(b"correct hors").is_none());
        let file_key = parsed.unwrap(b"correct horse").unwrap();
        let key = stretch(b"correct horse", &parsed.salt, 4).unwrap();
        assert_eq!(one_key::wrap(&key, &file_key).unwrap(), stanza.body);
        let ours = wrap(&file_key, b"p", 1).unwrap();
        assert_eq!((ours.tag.as_str(), ours.args[1].as_str()), ("scrypt", "1"));
        assert_eq!(ScryptStanza::parse(&ours).unwrap().unwrap(b"p").unwrap(), file_key);
        assert_ne!(ours.args, wrap(&file_key, b"p", 1).unwrap().args, "a salt that is not new");
    }

    #[test]
    fn has_one_form() {
        let with = |edit: &dyn Fn(&mut Stanza)| {
            let mut stanza = stanza();
            edit(&mut stanza);
            ScryptStanza::parse(&stanza).map(|it| it.work_factor())
        };
        for factor in ["", "0", "04", "+4", "-1", " 4", "4 ", "4.", "0x4", "256", "\u{664}"] {
            assert_eq!(with(&|s| s.args[1] = factor.to_owned()), None, "{factor}");
        }
        assert_eq!(with(&|s| s.args[1] = "255".to_owned()), Some(255));
        assert_eq!(with(&|s| s.tag = "Scrypt".to_owned()), None);
        assert_eq!(with(&|s| s.args.truncate(1)), None);
        assert_eq!(with(&|s| s.args.push("4".to_owned())), None);
        assert_eq!(with(&|s| s.args[0].push('=')), None);
        assert_eq!(with(&|s| s.args[0] = base64::encode([0; 15])), None);
        assert_eq!(with(&|s| s.args[0] = base64::encode([0; 17])), None);
        assert_eq!(with(&|s| s.body.push(0)), None);
        assert_eq!(with(&|s| s.body.truncate(31)), None);
        assert!(stretch(b"", b"", 255).is_none(), "more than there are addresses");
    }
}
