//! HPKE in base mode for one message, with MLKEM768-X25519, HKDF-SHA256 and ChaCha20-Poly1305.
//!
//! Source: RFC 9180; draft-ietf-hpke-pq for the KEM, which is X-Wing
//! (draft-connolly-cfrg-xwing-kem); FIPS 203.
//!
//! Security claim: IND-CCA2 as long as one of ML-KEM-768 and X25519 is unbroken.
//!
//! Limits: no authentication of the sender, no forward secrecy.
//!
//! Letters: `m` is of ML-KEM, `x` of X25519; `pk`, `ct`, `ss` are public key, ciphertext and shared
//! secret.

use shake::{ExtendableOutput, Shake256, Update, XofReader};
use x25519_dalek::{PublicKey as X25519Public, StaticSecret};
use zeroize::{Zeroize, Zeroizing};

use super::hybrid_kem::{
    M_CIPHERTEXT_BYTES, M_PUBLIC_BYTES, M_RANDOM_BYTES, M_SEED_BYTES, MlKemPublic, MlKemSecret,
    Secret, combine,
};
use super::key_schedule::{OneMessage, TAG_BYTES};

const X_BYTES: usize = 32;

pub(super) const PUBLIC_BYTES: usize = M_PUBLIC_BYTES + X_BYTES;
pub(super) const SEED_BYTES: usize = 32;
/// The length of the random bits of an encapsulation, in bytes.
const RANDOM_BYTES: usize = M_RANDOM_BYTES + X_BYTES;
pub(super) const ENC_BYTES: usize = M_CIPHERTEXT_BYTES + X_BYTES;
pub(super) const MESSAGE_BYTES: usize = 16;
pub(super) const SEALED_BYTES: usize = MESSAGE_BYTES + TAG_BYTES;

/// "HPKE", KEM 0x647a, KDF 1, AEAD 3.
const SUITE: &[u8] = b"HPKE\x64\x7a\x00\x01\x00\x03";
const XWING: &[u8] = br"\.//^\";

/// Why nothing was opened.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OpenError {
    /// No honest sender makes this encapsulation.
    Encapsulation,
    /// Not for this key, or altered.
    Message,
}

#[derive(Clone, PartialEq)]
pub(super) struct PublicKey {
    m: MlKemPublic,
    x: X25519Public,
}

impl PublicKey {
    /// `None` if it is none: FIPS 203 calls for the check of the first part, RFC 9180 for that of
    /// the second.
    pub(super) fn from_bytes(bytes: &[u8; PUBLIC_BYTES]) -> Option<Self> {
        let (m, x) = bytes.split_at(M_PUBLIC_BYTES);
        let x = X25519Public::from(<[u8; X_BYTES]>::try_from(x).ok()?);
        let key = Self { m: MlKemPublic::from_bytes(m)?, x };
        // Every scalar that X25519 takes is a multiple of the small orders, and of nothing else
        // that a point has.
        let contributes = StaticSecret::from([0; X_BYTES]).diffie_hellman(&key.x);
        contributes.was_contributory().then_some(key)
    }

    pub(super) fn to_bytes(&self) -> [u8; PUBLIC_BYTES] {
        let mut bytes = [0; PUBLIC_BYTES];
        bytes[..M_PUBLIC_BYTES].copy_from_slice(&self.m.to_bytes());
        bytes[M_PUBLIC_BYTES..].copy_from_slice(self.x.as_bytes());
        bytes
    }

    /// Seals the message for this key.
    pub(super) fn seal(
        &self,
        info: &[u8],
        message: &[u8; MESSAGE_BYTES],
    ) -> crate::Result<([u8; ENC_BYTES], [u8; SEALED_BYTES])> {
        let mut random = Zeroizing::new([0; RANDOM_BYTES]);
        crate::key::random(random.as_mut_slice())?;
        let (enc, ss) = self.encapsulate(&random);
        let mut sealed = [0; SEALED_BYTES];
        let (body, tag) = sealed.split_at_mut(MESSAGE_BYTES);
        body.copy_from_slice(message);
        tag.copy_from_slice(&OneMessage::new(SUITE, &ss, info).seal(body)?);
        Ok((enc, sealed))
    }

    fn encapsulate(&self, random: &[u8; RANDOM_BYTES]) -> ([u8; ENC_BYTES], Secret) {
        let (mut for_m, mut for_x) = ([0; M_RANDOM_BYTES], [0; X_BYTES]);
        for_m.copy_from_slice(&random[..M_RANDOM_BYTES]);
        for_x.copy_from_slice(&random[M_RANDOM_BYTES..]);
        let ephemeral = StaticSecret::from(for_x);
        let (ct_x, ss_x) = (X25519Public::from(&ephemeral), ephemeral.diffie_hellman(&self.x));
        let (ct_m, ss_m) = self.m.encapsulate(&for_m);
        // ss = SHA3-256(ss_m ‖ ss_x ‖ ct_x ‖ pk_x ‖ label)
        let (pk_x, ct_x) = (self.x.as_bytes(), ct_x.as_bytes());
        let ss = combine(&[ss_m.as_slice(), ss_x.as_bytes(), ct_x, pk_x, XWING]);
        let mut enc = [0; ENC_BYTES];
        enc[..M_CIPHERTEXT_BYTES].copy_from_slice(&ct_m);
        enc[M_CIPHERTEXT_BYTES..].copy_from_slice(ct_x);
        for_m.zeroize();
        for_x.zeroize();
        (enc, ss)
    }
}

/// The seed; the keys that come of it are made when they are needed.
#[derive(Clone)]
pub(super) struct SecretKey(Zeroizing<[u8; SEED_BYTES]>);

impl SecretKey {
    pub(super) fn from_seed(seed: Zeroizing<[u8; SEED_BYTES]>) -> Self {
        Self(seed)
    }

    pub(super) fn seed(&self) -> &[u8; SEED_BYTES] {
        &self.0
    }

    pub(super) fn public_key(&self) -> PublicKey {
        let (m, x) = self.expand();
        PublicKey { m: m.public_key(), x: X25519Public::from(&x) }
    }

    /// Opens what was sealed for this key, into `message`.
    pub(super) fn open(
        &self,
        info: &[u8],
        enc: &[u8; ENC_BYTES],
        sealed: &[u8; SEALED_BYTES],
        message: &mut [u8; MESSAGE_BYTES],
    ) -> Result<(), OpenError> {
        let ss = self.decapsulate(enc).ok_or(OpenError::Encapsulation)?;
        let (body, tag) = sealed.split_at(MESSAGE_BYTES);
        message.copy_from_slice(body);
        OneMessage::new(SUITE, &ss, info).open(message, tag).ok_or(OpenError::Message)
    }

    /// SHAKE256(seed) = d ‖ z ‖ x
    fn expand(&self) -> (MlKemSecret, StaticSecret) {
        let mut shake = Shake256::default();
        shake.update(self.0.as_slice());
        let mut xof = shake.finalize_xof();
        let (mut m, mut x) = ([0; M_SEED_BYTES], [0; X_BYTES]);
        xof.read(&mut m);
        xof.read(&mut x);
        let keys = (MlKemSecret::from_seed(&m), StaticSecret::from(x));
        m.zeroize();
        x.zeroize();
        keys
    }

    /// `None` if X25519 gives zero.
    fn decapsulate(&self, enc: &[u8; ENC_BYTES]) -> Option<Secret> {
        let (m, x) = self.expand();
        let (ct_m, ct_x) = enc.split_at(M_CIPHERTEXT_BYTES);
        let ct_x = X25519Public::from(<[u8; X_BYTES]>::try_from(ct_x).ok()?);
        let (ss_m, ss_x) = (m.decapsulate(ct_m.try_into().ok()?), x.diffie_hellman(&ct_x));
        let (pk_x, ct_x) = (X25519Public::from(&x), ct_x.as_bytes());
        let ss = combine(&[ss_m.as_slice(), ss_x.as_bytes(), ct_x, pk_x.as_bytes(), XWING]);
        ss_x.was_contributory().then_some(ss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector<const N: usize>(name: &str) -> [u8; N] {
        let lines = include_str!("../../tests/age/hpke-vector").lines();
        let digits = lines.filter_map(|line| line.split_once(' ')).find(|line| line.0 == name);
        let mut bytes = [0; N];
        assert_eq!(base16ct::lower::decode(digits.unwrap().1, &mut bytes).unwrap().len(), N);
        bytes
    }

    #[test]
    fn the_vector_of_the_draft() {
        let secret = SecretKey::from_seed(Zeroizing::new(vector("skRm")));
        let public = PublicKey::from_bytes(&vector("pkRm")).unwrap();
        assert!(secret.public_key() == public);
        assert_eq!(public.to_bytes(), vector("pkRm"));
        let (enc, ss) = public.encapsulate(&vector("ikmE"));
        assert_eq!(enc, vector("enc"));
        assert_eq!(*ss, vector("shared_secret"));
        assert_eq!(secret.decapsulate(&enc).unwrap(), ss);
        let keys = OneMessage::new(SUITE, &ss, &vector::<40>("info"));
        assert_eq!(*keys.key, vector("key"));
        assert_eq!(*keys.nonce, vector("base_nonce"));
    }

    #[test]
    fn a_public_key_that_is_none() {
        let good: [u8; PUBLIC_BYTES] = vector("pkRm");
        // The first coefficient is 12 bits: q = 3329 = 0xd01 is the smallest that is not reduced.
        for (low, high, ok) in [(0x00, 0xd, true), (0x01, 0xd, false), (0xff, 0xf, false)] {
            let mut bytes = good;
            (bytes[0], bytes[1]) = (low, bytes[1] & 0xf0 | high);
            assert_eq!(PublicKey::from_bytes(&bytes).is_some(), ok, "{high:x}{low:02x}");
        }
        for x in [[0; 32], {
            let mut one = [0; 32];
            one[0] = 1;
            one
        }] {
            let mut bytes = good;
            bytes[M_PUBLIC_BYTES..].copy_from_slice(&x);
            assert!(PublicKey::from_bytes(&bytes).is_none());
        }
    }

    #[test]
    fn info_is_bound() {
        let secret = SecretKey::from_seed(Zeroizing::new([7; 32]));
        let (enc, sealed) = secret.public_key().seal(b"one", &[9; 16]).unwrap();
        let mut message = [0; 16];
        assert_eq!(secret.open(b"one", &enc, &sealed, &mut message), Ok(()));
        assert_eq!(message, [9; 16]);
        assert_eq!(secret.open(b"two", &enc, &sealed, &mut message), Err(OpenError::Message));
    }
}
