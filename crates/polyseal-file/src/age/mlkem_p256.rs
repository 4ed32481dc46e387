//! HPKE in base mode for one message, with MLKEM768-P256, HKDF-SHA256 and ChaCha20-Poly1305, as
//! far as a sender needs it.
//!
//! Source: RFC 9180; draft-ietf-hpke-pq for the numbers, draft-irtf-cfrg-concrete-hybrid-kems for
//! the KEM; FIPS 203.
//!
//! Security claim: IND-CCA2 as long as one of ML-KEM-768 and P-256 is unbroken.
//!
//! Limits: no authentication of the sender, no forward secrecy.
//!
//! Letters: `m` is of ML-KEM, `t` of P-256; `pk`, `ct`, `ss` are public key, ciphertext and shared
//! secret.

use ::p256::SecretKey;
use zeroize::Zeroizing;

use super::FILE_KEY_BYTES;
use super::dhkem::{self, POINT_BYTES};
use super::hybrid_kem::{
    M_CIPHERTEXT_BYTES, M_PUBLIC_BYTES, M_RANDOM_BYTES, MlKemPublic, Secret, combine,
};
use super::key_schedule::{OneMessage, TAG_BYTES};

pub(super) const PUBLIC_BYTES: usize = M_PUBLIC_BYTES + POINT_BYTES;
pub(super) const ENC_BYTES: usize = M_CIPHERTEXT_BYTES + POINT_BYTES;
pub(super) const SEALED_BYTES: usize = FILE_KEY_BYTES + TAG_BYTES;

/// "HPKE", KEM 0x0050, KDF 1, AEAD 3.
const SUITE: &[u8] = b"HPKE\x00\x50\x00\x01\x00\x03";
const LABEL: &[u8] = b"MLKEM768-P256";

#[derive(Clone, PartialEq)]
pub(super) struct PublicKey {
    m: MlKemPublic,
    t: dhkem::PublicKey,
}

impl PublicKey {
    /// `None` if a part of it is no public key.
    pub(super) fn from_bytes(bytes: &[u8; PUBLIC_BYTES]) -> Option<Self> {
        let (m, t) = bytes.split_at(M_PUBLIC_BYTES);
        let t = dhkem::PublicKey::from_point(t.try_into().ok()?)?;
        Some(Self { m: MlKemPublic::from_bytes(m)?, t })
    }

    pub(super) fn to_bytes(&self) -> [u8; PUBLIC_BYTES] {
        let mut bytes = [0; PUBLIC_BYTES];
        bytes[..M_PUBLIC_BYTES].copy_from_slice(&self.m.to_bytes());
        bytes[M_PUBLIC_BYTES..].copy_from_slice(&self.point());
        bytes
    }

    /// The part on P-256, uncompressed.
    pub(super) fn point(&self) -> [u8; POINT_BYTES] {
        self.t.to_point()
    }

    /// Seals the message for this key.
    pub(super) fn seal(
        &self,
        info: &[u8],
        message: &[u8; FILE_KEY_BYTES],
    ) -> crate::Result<([u8; ENC_BYTES], [u8; SEALED_BYTES])> {
        let mut random = Zeroizing::new([0; M_RANDOM_BYTES]);
        crate::key::random(random.as_mut_slice())?;
        let (enc, ss) = self.encapsulate(&random, &dhkem::ephemeral()?);
        let mut sealed = [0; SEALED_BYTES];
        let (body, tag) = sealed.split_at_mut(FILE_KEY_BYTES);
        body.copy_from_slice(message);
        tag.copy_from_slice(&OneMessage::new(SUITE, &ss, info).seal(body)?);
        Ok((enc, sealed))
    }

    fn encapsulate(
        &self,
        random: &[u8; M_RANDOM_BYTES],
        ephemeral: &SecretKey,
    ) -> ([u8; ENC_BYTES], Secret) {
        let (ct_m, ss_m) = self.m.encapsulate(random);
        let (ct_t, ss_t) = self.t.diffie_hellman(ephemeral);
        // ss = SHA3-256(ss_m ‖ ss_t ‖ ct_t ‖ pk_t ‖ label)
        let ss = combine(&[ss_m.as_slice(), ss_t.as_slice(), &ct_t, &self.point(), LABEL]);
        let mut enc = [0; ENC_BYTES];
        enc[..M_CIPHERTEXT_BYTES].copy_from_slice(&ct_m);
        enc[M_CIPHERTEXT_BYTES..].copy_from_slice(&ct_t);
        (enc, ss)
    }
}
