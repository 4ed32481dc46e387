//! Stanzas: the file key, wrapped for those who may open the file.
//!
//! Source: `docs/spec/file-format.md`, section 4. Every stanza wraps in the same way, under a
//! wrapping key and a salt of its own; types differ in how the wrapping key is come by: it is the
//! key of a key file, it is stretched from a passphrase, or age wraps it.
//!
//! Security claim: a stanza hides the file key, and commits to it, to the wrapping key (a second
//! key that opens it costs 2^128) and to the header's fixed fields, so that nobody puts it in front
//! of another file. The id, another one in every stanza, tells a wrong key from a damaged file; it
//! is not what authenticates.

mod age_group;
pub(crate) mod age_text;
mod passphrase;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

pub(crate) use age_group::AgeGroup;
#[cfg(feature = "age")]
pub(crate) use age_group::{AgeKey, unwrap_with, wrap_for_all};
#[cfg(feature = "age")]
pub use age_text::AgeStanza;
pub(crate) use passphrase::Cost;

use crate::error::{Error, HeaderError, Result};
use crate::kdf::{self, MAC_BYTES, STANZA_LABEL};
use crate::key::{KEY_BYTES, Key, random};

const SALT_BYTES: usize = 32;
const ID_BYTES: usize = 8;
// Offsets in a stanza; the bytes of the type follow the wrapped key, the tag is at the end.
const SALT_AT: usize = 4;
const ID_AT: usize = SALT_AT + SALT_BYTES;
const WRAPPED_AT: usize = ID_AT + ID_BYTES;
const SPECIFIC_AT: usize = WRAPPED_AT + KEY_BYTES;

/// A salt, drawn before the wrapping key is known: a passphrase is stretched with it.
#[derive(Clone, Copy)]
pub(crate) struct Salt([u8; SALT_BYTES]);

impl Salt {
    pub(crate) fn random() -> Result<Self> {
        let mut salt = [0; SALT_BYTES];
        random(&mut salt)?;
        Ok(Self(salt))
    }

    pub(crate) fn as_bytes(&self) -> &[u8; SALT_BYTES] {
        &self.0
    }
}

/// Types from here on may be passed over by readers that do not know them.
const FIRST_OPTIONAL: u16 = 0x8000;

/// How the wrapping key is come by.
#[derive(Clone, Debug)]
pub(crate) enum Method {
    KeyFile,
    Passphrase(Cost),
    Age(AgeGroup),
    /// In a way that a later version of this program knows.
    Unknown(u16),
}

/// F, to which a stanza is bound: all of the header before the stanzas but their number.
#[derive(Clone, Copy)]
pub(crate) struct Binding<'a>(pub(crate) [&'a [u8]; 2]);

/// The result of trying a wrapping key on a stanza.
pub(crate) enum UnwrapResult {
    /// Nothing: the stanza is for another.
    OtherKey,
    /// The stanza is for it, and is not as it was written.
    Altered,
    /// It gives a file key.
    FileKey(Key),
}

impl Method {
    fn code(&self) -> u16 {
        match self {
            Self::KeyFile => 1,
            Self::Passphrase(_) => 2,
            Self::Age(_) => 3,
            Self::Unknown(code) => *code,
        }
    }

    fn parse(code: u16, specific: &[u8]) -> std::result::Result<Self, HeaderError> {
        match code {
            1 if specific.is_empty() => Ok(Self::KeyFile),
            1 => Err(HeaderError::Stanzas),
            2 => Cost::parse(specific).map(Self::Passphrase),
            3 => AgeGroup::parse(specific).map(Self::Age),
            _ => Err(HeaderError::StanzaType),
        }
    }

    fn specific(&self) -> Vec<u8> {
        match self {
            Self::KeyFile | Self::Unknown(_) => Vec::new(),
            Self::Passphrase(cost) => cost.to_bytes().to_vec(),
            Self::Age(group) => group.as_bytes().to_vec(),
        }
    }
}

/// A file key wrapped under one wrapping key, as it stands in the header.
#[derive(Clone, Debug)]
pub(crate) struct Stanza {
    method: Method,
    bytes: Vec<u8>,
}

/// The output of HKDF for a stanza: id ‖ pad ‖ MAC key.
struct KeyMaterial(Zeroizing<[u8; ID_BYTES + KEY_BYTES + MAC_BYTES]>);

impl KeyMaterial {
    fn derive(wrapping_key: &[u8], salt: &[u8], code: [u8; 2]) -> Result<Self> {
        let mut out = Zeroizing::new([0; ID_BYTES + KEY_BYTES + MAC_BYTES]);
        kdf::derive(wrapping_key, salt, &[STANZA_LABEL, &code], out.as_mut())?;
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

/// A stanza before it is known which file it is for.
pub(crate) struct StanzaDraft {
    method: Method,
    salt: Salt,
    wrapping_key: Zeroizing<Vec<u8>>,
    /// The bytes that depend on the type.
    specific: Vec<u8>,
}

impl StanzaDraft {
    /// A stanza under `wrapping_key`; how a reader comes by that is `method`.
    pub(crate) fn new(method: Method, salt: Salt, wrapping_key: &[u8]) -> Self {
        let specific = method.specific();
        Self { method, salt, wrapping_key: Zeroizing::new(wrapping_key.to_vec()), specific }
    }

    /// The length of the stanza in bytes.
    pub(crate) fn length(&self) -> usize {
        SPECIFIC_AT + self.specific.len() + MAC_BYTES
    }

    /// Wraps `file_key`, for the file whose header is `binding`.
    pub(crate) fn seal(self, file_key: &Key, binding: Binding<'_>) -> Result<Stanza> {
        let code = self.method.code().to_le_bytes();
        let material = KeyMaterial::derive(&self.wrapping_key, &self.salt.0, code)?;
        let mut wrapped = [0; KEY_BYTES];
        material.mask(file_key.bytes(), &mut wrapped);
        // A header has no room for more than fits the field.
        let after = u16::try_from(self.length() - SALT_AT).map_err(|_| Error::TooManyRecipients)?;
        let mut bytes = Vec::with_capacity(self.length());
        for part in
            [&code, &after.to_le_bytes(), &self.salt.0[..], material.id(), &wrapped, &self.specific]
        {
            bytes.extend_from_slice(part);
        }
        let [before, behind] = binding.0;
        let tag = kdf::mac(&material.mac_key(), &[before, behind, &bytes]);
        bytes.extend_from_slice(&tag);
        Ok(Stanza { method: self.method, bytes })
    }
}

impl Stanza {
    /// The stanza at the beginning of `area`, and the rest. Nothing is authenticated here.
    pub(crate) fn parse(area: &[u8]) -> std::result::Result<(Self, &[u8]), HeaderError> {
        let (&[c0, c1, l0, l1], _) = area.split_first_chunk().ok_or(HeaderError::Stanzas)?;
        let code = u16::from_le_bytes([c0, c1]);
        if !(1..=3).contains(&code) && code < FIRST_OPTIONAL {
            return Err(HeaderError::StanzaType);
        }
        let length = SALT_AT + usize::from(u16::from_le_bytes([l0, l1]));
        let (bytes, rest) = area.split_at_checked(length).ok_or(HeaderError::Stanzas)?;
        if code >= FIRST_OPTIONAL {
            return Ok((Self { method: Method::Unknown(code), bytes: bytes.to_vec() }, rest));
        }
        let specific = length
            .checked_sub(MAC_BYTES)
            .and_then(|end| bytes.get(SPECIFIC_AT..end))
            .ok_or(HeaderError::Stanzas)?;
        let method = Method::parse(code, specific)?;
        Ok((Self { method, bytes: bytes.to_vec() }, rest))
    }

    /// Tries `wrapping_key` on the stanza, in the header that is `binding`.
    pub(crate) fn unwrap(&self, wrapping_key: &[u8], binding: Binding<'_>) -> Result<UnwrapResult> {
        let (covered, tag) = self.bytes.split_at(self.bytes.len() - MAC_BYTES);
        let code = self.method.code().to_le_bytes();
        let material = KeyMaterial::derive(wrapping_key, self.salt(), code)?;
        if !bool::from(material.id().ct_eq(self.id())) {
            return Ok(UnwrapResult::OtherKey);
        }
        let [before, behind] = binding.0;
        if !kdf::verify(&material.mac_key(), &[before, behind, covered], tag) {
            return Ok(UnwrapResult::Altered);
        }
        let mut file_key = Key::from_bytes(&[0; KEY_BYTES]);
        material.mask(&self.bytes[WRAPPED_AT..SPECIFIC_AT], file_key.bytes_mut());
        Ok(UnwrapResult::FileKey(file_key))
    }

    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    /// How many recipients it counts as.
    pub(crate) fn recipients(&self) -> usize {
        if let Method::Age(group) = &self.method { group.stanzas().len() } else { 1 }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn salt(&self) -> &[u8] {
        &self.bytes[SALT_AT..ID_AT]
    }

    /// The id of the wrapping key, in this stanza only. It is empty in a type that is not known.
    pub(crate) fn id(&self) -> &[u8] {
        if let Method::Unknown(_) = self.method { &[] } else { &self.bytes[ID_AT..WRAPPED_AT] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINDING: Binding<'_> = Binding([b"fixed", b"fields"]);

    fn seal(method: Method, salt: Salt) -> Stanza {
        StanzaDraft::new(method, salt, &[1; 32]).seal(&Key::from_bytes(&[2; 32]), BINDING).unwrap()
    }

    #[test]
    fn a_stanza_alone_is_authentic_or_refused() {
        let cost = Cost { kibibytes: 8, passes: 1, lanes: 1 };
        for method in [Method::KeyFile, Method::Passphrase(cost)] {
            let mut stanza = seal(method, Salt::random().unwrap());
            match stanza.unwrap(&[1; 32], BINDING).unwrap() {
                UnwrapResult::FileKey(key) => assert_eq!(key.bytes(), &[2; 32]),
                _ => panic!("not unwrapped"),
            }
            let other = stanza.unwrap(&[3; 32], BINDING).unwrap();
            assert!(matches!(other, UnwrapResult::OtherKey));
            let elsewhere = stanza.unwrap(&[1; 32], Binding([b"fixed", b"fieldt"])).unwrap();
            assert!(matches!(elsewhere, UnwrapResult::Altered));
            for at in 0..stanza.bytes.len() {
                stanza.bytes[at] ^= 0x20;
                match (at, stanza.unwrap(&[1; 32], BINDING).unwrap()) {
                    // Salt and id decide which key it is for.
                    (4..44, UnwrapResult::OtherKey) | (0..4 | 44.., UnwrapResult::Altered) => {}
                    _ => panic!("byte {at}"),
                }
                stanza.bytes[at] ^= 0x20;
            }
        }
    }

    /// One wrapping key in two types: what one gives is of no use in the other.
    #[test]
    fn the_type_is_part_of_the_derivation() {
        let salt = Salt([3; SALT_BYTES]);
        let cost = Cost { kibibytes: 8, passes: 1, lanes: 1 };
        let [one, other] = [Method::KeyFile, Method::Passphrase(cost)].map(|m| seal(m, salt));
        assert_ne!(one.id(), other.id());
        assert_ne!(one.bytes[WRAPPED_AT..SPECIFIC_AT], other.bytes[WRAPPED_AT..SPECIFIC_AT]);
    }
}
