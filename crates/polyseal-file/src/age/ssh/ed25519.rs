//! Keys of type `ssh-ed25519`.
//!
//! Source: c2sp.org/age, "The ssh-ed25519 recipient type": the X25519 stanza with the key's point
//! on Curve25519, multiplied by a tweak that is derived from the key.
//!
//! Security claim: as X25519, but the stanza shows for whom it is.

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use sha2::{Digest, Sha512};
use x25519_dalek::{PublicKey, SharedSecret, StaticSecret};
use zeroize::Zeroize;

use super::public_key::tag;
use super::wire::{Reader, put_string};
use crate::age::error::DecryptError;
use crate::age::one_key::{self, BODY_BYTES};
use crate::age::x25519::{random_secret, wrapping_key};
use crate::age::{FileKey, Stanza, base64};

/// The type of the key, and of its stanzas.
pub(super) const TYPE: &str = "ssh-ed25519";
const INFO: &[u8] = b"age-encryption.org/v1/ssh-ed25519";
const POINT_BYTES: usize = 32;

/// The point of a public key, on Curve25519.
pub(super) struct Public(PublicKey);

impl Public {
    /// Reads what follows the type. `None` if it is no point, or one of small order: the shared
    /// secret would be zero.
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let point = CompressedEdwardsY::from_slice(reader.string()?).ok()?.decompress()?;
        let curve25519 = PublicKey::from(point.to_montgomery().to_bytes());
        (!point.is_small_order()).then_some(Self(curve25519))
    }

    /// A stanza for the key with these bytes.
    pub(super) fn wrap(&self, public: &[u8], file_key: &FileKey) -> crate::Result<Stanza> {
        let ephemeral = random_secret()?;
        let share = PublicKey::from(&ephemeral);
        let secret = tweak(public, &ephemeral.diffie_hellman(&self.0))?;
        let key = wrapping_key(&secret, &share, &self.0, INFO)?;
        let args = vec![tag(public), base64::encode(share)];
        Ok(Stanza { tag: TYPE.to_owned(), args, body: one_key::wrap(&key, file_key)? })
    }
}

/// The scalar of a private key.
pub(super) struct Private(StaticSecret);

impl Private {
    /// Reads what follows the type: the public key, and the seed with the public key behind it.
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<(Self, Vec<u8>)> {
        let (point, private) = (reader.string()?, reader.string()?);
        let (seed, after) = private.split_at_checked(32)?;
        if point.len() != POINT_BYTES || after != point {
            return None;
        }
        let mut hash = Sha512::digest(seed);
        let mut scalar = [0; 32];
        scalar.copy_from_slice(&hash[..32]);
        let secret = StaticSecret::from(scalar);
        // Whoever has only the file encrypts to the point: it must be this scalar's.
        let ours = EdwardsPoint::mul_base_clamped(scalar).compress();
        hash.as_mut_slice().zeroize();
        scalar.zeroize();
        if ours.as_bytes() != point {
            return None;
        }
        let mut public = Vec::new();
        put_string(&mut public, TYPE.as_bytes());
        put_string(&mut public, point);
        Some((Self(secret), public))
    }

    /// The file key in a stanza that has the tag of the key with these bytes.
    pub(super) fn unwrap(&self, public: &[u8], stanza: &Stanza) -> Result<FileKey, DecryptError> {
        let (share, body) = parts(stanza).ok_or(DecryptError::InvalidHeader)?;
        let product = self.0.diffie_hellman(&share);
        if !product.was_contributory() {
            return Err(DecryptError::InvalidHeader);
        }
        let open = || {
            let secret = tweak(public, &product).ok()?;
            let key = wrapping_key(&secret, &share, &PublicKey::from(&self.0), INFO).ok()?;
            one_key::unwrap(&key, body)
        };
        open().ok_or(DecryptError::DecryptionFailed)
    }
}

/// The parts of a stanza after its tag, if it is in its one form.
fn parts(stanza: &Stanza) -> Option<(PublicKey, &[u8; BODY_BYTES])> {
    let [_, share] = stanza.args.as_slice() else { return None };
    let share = PublicKey::from(base64::decode::<POINT_BYTES>(share)?);
    Some((share, stanza.body.as_slice().try_into().ok()?))
}

/// The product, which is secret, multiplied by the tweak that is derived from the public key.
fn tweak(public: &[u8], product: &SharedSecret) -> crate::Result<SharedSecret> {
    let tweak = StaticSecret::from(*one_key::derive(b"", public, INFO)?);
    let mut point = PublicKey::from(product.to_bytes());
    let secret = tweak.diffie_hellman(&point);
    point.zeroize();
    Ok(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(seed: &[u8; 32], point: &[u8; 32]) -> bool {
        let mut text = Vec::new();
        put_string(&mut text, point);
        put_string(&mut text, &[*seed, *point].concat());
        Private::read(&mut Reader::new(&text)).is_some()
    }

    #[test]
    fn a_public_key_that_is_not_the_private_ones_is_refused() {
        // RFC 8032, section 7.1, test 1, and the public key of test 2.
        let bytes = |text| {
            let mut bytes = [0; 32];
            base16ct::lower::decode(text, &mut bytes).unwrap();
            bytes
        };
        let seed = bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
        let ours = bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
        let other = bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
        assert!(read(&seed, &ours));
        assert!(!read(&seed, &other));
    }
}
