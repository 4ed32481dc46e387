//! Key stanzas: the file key, wrapped for those who may open the file.
//!
//! Version 0 has one type, for a 32-byte key: HKDF gives an identifier, a one-time pad and a MAC
//! key under a salt of the stanza's own; the wrapped key is file key ⊕ pad, and HMAC-SHA-256
//! covers the whole stanza.
//!
//! Security claim: the stanza hides the file key, and commits to both keys (a second key that
//! opens it costs 2^128). The identifier, different in every file, tells a wrong key from a damaged
//! file; it is not what authenticates.

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::error::{Error, HeaderError, Result};
use crate::kdf::{self, MAC_BYTES, STANZA_LABEL};
use crate::key::{KEY_BYTES, Key, random};

/// Type and length of the body, before every stanza.
pub(crate) const PREFIX_BYTES: usize = 4;
const KEY_FILE_TYPE: u16 = 1;
const SALT_BYTES: usize = 32;
const ID_BYTES: usize = 8;
const BODY_BYTES: usize = SALT_BYTES + ID_BYTES + KEY_BYTES + MAC_BYTES;
/// A whole key-file stanza.
pub(crate) const KEY_FILE_STANZA_BYTES: usize = PREFIX_BYTES + BODY_BYTES;

/// A file key wrapped under the key of a key file, as it stands in the header.
#[derive(Clone, Debug)]
pub(crate) struct KeyFileStanza([u8; KEY_FILE_STANZA_BYTES]);

/// What HKDF gives for a stanza: identifier ‖ pad ‖ MAC key.
struct Material(Zeroizing<[u8; ID_BYTES + KEY_BYTES + MAC_BYTES]>);

impl Material {
    fn derive(key: &Key, salt: &[u8]) -> Result<Self> {
        let mut out = Zeroizing::new([0; ID_BYTES + KEY_BYTES + MAC_BYTES]);
        kdf::derive(key.bytes(), salt, &[STANZA_LABEL], out.as_mut())?;
        Ok(Self(out))
    }

    fn id(&self) -> &[u8] {
        &self.0[..ID_BYTES]
    }

    /// `out = input ⊕ pad`.
    fn mask(&self, input: &[u8], out: &mut [u8; KEY_BYTES]) {
        let pad = &self.0[ID_BYTES..ID_BYTES + KEY_BYTES];
        for ((out, input), pad) in out.iter_mut().zip(input).zip(pad) {
            *out = input ^ pad;
        }
    }

    fn mac_key(&self) -> Zeroizing<[u8; MAC_BYTES]> {
        let mut key = Zeroizing::new([0; MAC_BYTES]);
        key.copy_from_slice(&self.0[ID_BYTES + KEY_BYTES..]);
        key
    }
}

impl KeyFileStanza {
    /// Wraps `file_key` for `key`.
    pub(crate) fn wrap(key: &Key, file_key: &Key) -> Result<Self> {
        let mut salt = [0; SALT_BYTES];
        random(&mut salt)?;
        let material = Material::derive(key, &salt)?;
        let mut wrapped = [0; KEY_BYTES];
        material.mask(file_key.bytes(), &mut wrapped);

        let mut bytes = [0; KEY_FILE_STANZA_BYTES];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        put(&KEY_FILE_TYPE.to_le_bytes());
        put(&(BODY_BYTES as u16).to_le_bytes());
        put(&salt);
        put(material.id());
        put(&wrapped);
        let (covered, tag) = bytes.split_at_mut(KEY_FILE_STANZA_BYTES - MAC_BYTES);
        tag.copy_from_slice(&kdf::mac(&material.mac_key(), &[covered]));
        Ok(Self(bytes))
    }

    /// The stanza at the beginning of `bytes`. Nothing is authenticated here.
    pub(crate) fn parse(bytes: &[u8]) -> std::result::Result<Self, HeaderError> {
        let (prefix, _) = bytes.split_first_chunk::<PREFIX_BYTES>().ok_or(HeaderError::Stanzas)?;
        let [t0, t1, l0, l1] = *prefix;
        if u16::from_le_bytes([t0, t1]) != KEY_FILE_TYPE {
            return Err(HeaderError::StanzaType);
        }
        if usize::from(u16::from_le_bytes([l0, l1])) != BODY_BYTES {
            return Err(HeaderError::Stanzas);
        }
        bytes.first_chunk().copied().map(Self).ok_or(HeaderError::Stanzas)
    }

    /// The file key, or `None` if the stanza is for another key.
    ///
    /// # Errors
    /// [`Error::HeaderNotAuthentic`] if it is for this key and has been altered.
    pub(crate) fn unwrap(&self, key: &Key) -> Result<Option<Key>> {
        let (covered, tag) = self.0.split_at(KEY_FILE_STANZA_BYTES - MAC_BYTES);
        let (_, body) = covered.split_at(PREFIX_BYTES);
        let (salt, rest) = body.split_at(SALT_BYTES);
        let (id, wrapped) = rest.split_at(ID_BYTES);
        let material = Material::derive(key, salt)?;
        if !bool::from(material.id().ct_eq(id)) {
            return Ok(None);
        }
        if !kdf::verify(&material.mac_key(), &[covered], tag) {
            return Err(Error::HeaderNotAuthentic);
        }
        let mut file_key = Key::from_bytes(&[0; KEY_BYTES]);
        material.mask(wrapped, file_key.bytes_mut());
        Ok(Some(file_key))
    }

    pub(crate) fn as_bytes(&self) -> &[u8; KEY_FILE_STANZA_BYTES] {
        &self.0
    }

    /// The identifier of the key that it is for, in this stanza only.
    pub(crate) fn id(&self) -> &[u8] {
        let start = PREFIX_BYTES + SALT_BYTES;
        &self.0[start..start + ID_BYTES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stanza_alone_is_authentic_or_refused() {
        let (key, file_key) = (Key::from_bytes(&[1; 32]), Key::from_bytes(&[2; 32]));
        let mut stanza = KeyFileStanza::wrap(&key, &file_key).unwrap();
        assert_eq!(stanza.unwrap(&key).unwrap().unwrap().bytes(), file_key.bytes());
        assert!(stanza.unwrap(&file_key).unwrap().is_none());
        for at in 0..KEY_FILE_STANZA_BYTES {
            stanza.0[at] ^= 0x20;
            match (at, stanza.unwrap(&key)) {
                // Salt and identifier decide for whom it is.
                (4..44, Ok(None)) | (0..4 | 44.., Err(Error::HeaderNotAuthentic)) => {}
                (_, other) => panic!("byte {at}: {other:?}"),
            }
            stanza.0[at] ^= 0x20;
        }
    }
}
