//! HPKE in base mode for one message, with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and
//! ChaCha20-Poly1305, where the private key may be kept elsewhere.
//!
//! Source: RFC 9180, section 4.1 for the KEM, 7.1.4 for the checks of points; SEC 1 for points.
//!
//! Security claim: IND-CCA2 as long as the gap Diffie-Hellman problem on P-256 is hard. No point
//! that is not on the curve goes to the keeper, which might show its key by the answer.
//!
//! Limits: no authentication of the sender, no forward secrecy, not post-quantum.

use ::p256::ecdh::diffie_hellman;
use ::p256::elliptic_curve::sec1::ToSec1Point;
use ::p256::{PublicKey as P256Point, SecretKey};
use zeroize::{Zeroize, Zeroizing};

use super::keeper::{Keeper, KeeperError};
use super::key_schedule::{OneMessage, TAG_BYTES, labeled_expand, labeled_extract};

/// A point, uncompressed: `04`, then both coordinates.
pub(super) const POINT_BYTES: usize = 65;
pub(super) const COMPRESSED_BYTES: usize = 33;

/// "KEM", number 0x0010.
const KEM: &[u8] = b"KEM\x00\x10";
/// "HPKE", KEM 0x0010, KDF 1, AEAD 3.
const SUITE: &[u8] = b"HPKE\x00\x10\x00\x01\x00\x03";
/// One of 2^32 random numbers is no private key.
const ATTEMPTS: usize = 8;

/// Why nothing was opened.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OpenError {
    /// The encapsulation is not a point of the curve.
    Encapsulation,
    /// The keeper's refusal.
    Keeper(KeeperError),
    /// Not for this key, or altered.
    Message,
}

/// A point of the curve other than the identity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct PublicKey(P256Point);

impl PublicKey {
    /// `None` if it is not an uncompressed point of the curve.
    pub(super) fn from_point(point: &[u8; POINT_BYTES]) -> Option<Self> {
        P256Point::from_sec1_bytes(point).ok().map(Self)
    }

    /// `None` if it is not a compressed point of the curve.
    pub(super) fn from_compressed(point: &[u8; COMPRESSED_BYTES]) -> Option<Self> {
        // Decoding also takes 05, which leaves out one of the coordinates' signs.
        let is_compressed = matches!(point, [2 | 3, ..]);
        P256Point::from_sec1_bytes(point).ok().filter(|_| is_compressed).map(Self)
    }

    pub(super) fn to_point(self) -> [u8; POINT_BYTES] {
        let mut bytes = [0; POINT_BYTES];
        bytes.copy_from_slice(self.0.to_sec1_point(false).as_bytes());
        bytes
    }

    pub(super) fn to_compressed(self) -> [u8; COMPRESSED_BYTES] {
        let mut bytes = [0; COMPRESSED_BYTES];
        bytes.copy_from_slice(self.0.to_sec1_point(true).as_bytes());
        bytes
    }

    /// Encrypts `message` in place for this key, and gives the encapsulation and the tag.
    pub(super) fn seal(
        self,
        info: &[u8],
        message: &mut [u8],
    ) -> crate::Result<([u8; POINT_BYTES], [u8; TAG_BYTES])> {
        let (enc, shared_secret) = self.encapsulate(&ephemeral()?);
        let tag = OneMessage::new(SUITE, &shared_secret, info).seal(message)?;
        Ok((enc, tag))
    }

    /// Decrypts in place the `message` that was sealed for this key, whose private key has
    /// `keeper`.
    pub(super) fn open(
        self,
        keeper: &dyn Keeper,
        info: &[u8],
        enc: &[u8; POINT_BYTES],
        message: &mut [u8],
        tag: &[u8],
    ) -> Result<(), OpenError> {
        Self::from_point(enc).ok_or(OpenError::Encapsulation)?;
        let product = keeper.derive(enc).map_err(OpenError::Keeper)?;
        let shared_secret = self.extract_and_expand(product.as_slice(), enc);
        OneMessage::new(SUITE, &shared_secret, info).open(message, tag).ok_or(OpenError::Message)
    }

    fn encapsulate(self, ephemeral: &SecretKey) -> ([u8; POINT_BYTES], Zeroizing<[u8; 32]>) {
        let (enc, product) = self.diffie_hellman(ephemeral);
        let shared_secret = self.extract_and_expand(product.as_slice(), &enc);
        (enc, shared_secret)
    }

    /// The public key of `ephemeral`, and the first coordinate of its product with this.
    pub(super) fn diffie_hellman(
        self,
        ephemeral: &SecretKey,
    ) -> ([u8; POINT_BYTES], Zeroizing<[u8; 32]>) {
        let mut scalar = ephemeral.to_nonzero_scalar();
        let shared = diffie_hellman(&scalar, self.0.as_affine());
        scalar.zeroize();
        let mut product = Zeroizing::new([0; 32]);
        product.copy_from_slice(shared.raw_secret_bytes());
        (Self(ephemeral.public_key()).to_point(), product)
    }

    fn extract_and_expand(self, product: &[u8], enc: &[u8; POINT_BYTES]) -> Zeroizing<[u8; 32]> {
        let (_, prk) = labeled_extract(KEM, b"", b"eae_prk", product);
        let mut secret = Zeroizing::new([0; 32]);
        let context: [&[u8]; 2] = [enc, &self.to_point()];
        labeled_expand(KEM, &prk, b"shared_secret", &context, secret.as_mut_slice());
        secret
    }
}

pub(super) fn ephemeral() -> crate::Result<SecretKey> {
    let mut bytes = Zeroizing::new([0; 32]);
    for _ in 0..ATTEMPTS {
        crate::key::random(bytes.as_mut_slice())?;
        if let Ok(key) = SecretKey::from_slice(bytes.as_slice()) {
            return Ok(key);
        }
    }
    Err(crate::Error::Random)
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::Class;

    pub(in crate::age) fn vector<const N: usize>(name: &str) -> [u8; N] {
        let lines = include_str!("../../tests/age/hpke-p256-vector").lines();
        let digits = lines.filter_map(|line| line.split_once(' ')).find(|line| line.0 == name);
        let mut bytes = [0; N];
        assert_eq!(base16ct::lower::decode(digits.unwrap().1, &mut bytes).unwrap().len(), N);
        bytes
    }

    /// The private key of the vector, in this program, and how often it was asked.
    pub(in crate::age) struct Software {
        key: SecretKey,
        pub(in crate::age) calls: AtomicUsize,
        refuses: bool,
    }

    impl Software {
        pub(in crate::age) fn new() -> Self {
            let key = SecretKey::from_slice(&vector::<32>("skRm")).unwrap();
            Self { key, calls: AtomicUsize::new(0), refuses: false }
        }

        pub(in crate::age) fn that_refuses() -> Self {
            Self { refuses: true, ..Self::new() }
        }
    }

    impl Keeper for Software {
        fn derive(&self, point: &[u8; 65]) -> Result<Zeroizing<[u8; 32]>, KeeperError> {
            self.calls.fetch_add(1, Ordering::Relaxed);
            if self.refuses {
                return Err(KeeperError::new(Class::KeyUnavailable, "no").with_hint("ask"));
            }
            let point = PublicKey::from_point(point).expect("a point was not checked");
            let product = diffie_hellman(self.key.to_nonzero_scalar(), point.0.as_affine());
            Ok(Zeroizing::new((*product.raw_secret_bytes()).into()))
        }
    }

    #[test]
    fn the_vector_of_the_rfc() {
        let public = PublicKey::from_point(&vector("pkRm")).unwrap();
        let ephemeral = SecretKey::from_slice(&vector::<32>("skEm")).unwrap();
        let (enc, shared_secret) = public.encapsulate(&ephemeral);
        assert_eq!(enc, vector("enc"));
        assert_eq!(*shared_secret, vector("shared_secret"));
        let keys = OneMessage::new(SUITE, &shared_secret, &vector::<20>("info"));
        assert_eq!(*keys.key, vector("key"));
        assert_eq!(*keys.nonce, vector("base_nonce"));
        let product = Software::new().derive(&enc).unwrap();
        assert_eq!(public.extract_and_expand(product.as_slice(), &enc), shared_secret);
    }

    #[test]
    fn what_is_no_point() {
        let good: [u8; POINT_BYTES] = vector("pkRm");
        let public = PublicKey::from_point(&good).unwrap();
        assert_eq!(public.to_point(), good);
        assert!(PublicKey::from_compressed(&public.to_compressed()).unwrap() == public);
        for at in [1, 33, 64] {
            let mut bad = good;
            bad[at] ^= 1;
            assert!(PublicKey::from_point(&bad).is_none(), "{at}");
        }
        // The forms of SEC 1 that are not this one, and the identity.
        for first in [0, 2, 3, 5, 6, 7] {
            let mut bad = good;
            bad[0] = first;
            assert!(PublicKey::from_point(&bad).is_none(), "{first}");
            let mut bad = public.to_compressed();
            bad[0] = first;
            assert_eq!(PublicKey::from_compressed(&bad).is_some(), matches!(first, 2 | 3));
        }
        assert!(PublicKey::from_point(&[0; POINT_BYTES]).is_none());
        // A coordinate that is not reduced: x = p.
        let mut bad = [0; COMPRESSED_BYTES];
        bad[0] = 2;
        bad[1..5].fill(0xff);
        bad[8] = 1;
        bad[21..].fill(0xff);
        assert!(PublicKey::from_compressed(&bad).is_none());
    }

    #[test]
    fn a_point_off_the_curve_is_not_given_to_the_keeper() {
        let (software, public) = (Software::new(), PublicKey::from_point(&vector("pkRm")).unwrap());
        let mut message = [9; 16];
        let (mut enc, tag) = public.seal(b"one", &mut message).unwrap();
        enc[64] ^= 1;
        let opened = public.open(&software, b"one", &enc, &mut message, &tag);
        assert_eq!(opened, Err(OpenError::Encapsulation));
        assert_eq!(software.calls.load(Ordering::Relaxed), 0);
    }
}
