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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::age::hybrid_kem::{M_SEED_BYTES, MlKemSecret};

    pub(in crate::age) fn vector<const N: usize>(name: &str) -> [u8; N] {
        let lines = include_str!("../../tests/age/mlkem-p256-vector").lines();
        let digits = lines.filter_map(|line| line.split_once(' ')).find(|line| line.0 == name);
        let mut bytes = [0; N];
        assert_eq!(base16ct::lower::decode(digits.unwrap().1, &mut bytes).unwrap().len(), N);
        bytes
    }

    /// Opens what was sealed for the key of the vector.
    pub(in crate::age) fn open(
        info: &[u8],
        enc: &[u8; ENC_BYTES],
        sealed: &[u8],
    ) -> Option<[u8; FILE_KEY_BYTES]> {
        let ss = decapsulate(enc);
        let (body, tag) = sealed.split_at(FILE_KEY_BYTES);
        let mut message = <[u8; FILE_KEY_BYTES]>::try_from(body).unwrap();
        OneMessage::new(SUITE, &ss, info).open(&mut message, tag).map(|()| message)
    }

    fn decapsulate(enc: &[u8; ENC_BYTES]) -> Secret {
        let m = MlKemSecret::from_seed(&vector::<M_SEED_BYTES>("dk_pq"));
        let t = SecretKey::from_slice(&vector::<32>("dk_t")).unwrap();
        let (ct_m, ct_t) = enc.split_at(M_CIPHERTEXT_BYTES);
        let ss_m = m.decapsulate(ct_m.try_into().unwrap());
        let point = dhkem::PublicKey::from_point(ct_t.try_into().unwrap()).unwrap();
        let (pk_t, ss_t) = point.diffie_hellman(&t);
        combine(&[ss_m.as_slice(), ss_t.as_slice(), ct_t, &pk_t, LABEL])
    }

    #[test]
    fn the_vector_of_the_draft() {
        let public = PublicKey::from_bytes(&vector("ek")).unwrap();
        assert_eq!(public.to_bytes(), vector("ek"));
        let random = vector::<128>("randomness");
        let ephemeral = SecretKey::from_slice(&random[32..64]).unwrap();
        let (enc, ss) = public.encapsulate(random.first_chunk().unwrap(), &ephemeral);
        assert_eq!(enc, vector("ct"));
        assert_eq!(*ss, vector("ss"));
        assert_eq!(decapsulate(&enc), ss);
    }

    #[test]
    fn a_public_key_that_is_none() {
        let good: [u8; PUBLIC_BYTES] = vector("ek");
        // Twelve bits of ones, which are no number modulo q; a point off the curve, and one that is
        // said to be compressed.
        let edits: [fn(&mut [u8; PUBLIC_BYTES]); 3] = [
            |bytes| (bytes[0], bytes[1]) = (0xff, bytes[1] | 0xf),
            |bytes| bytes[PUBLIC_BYTES - 1] ^= 1,
            |bytes| bytes[M_PUBLIC_BYTES] = 2,
        ];
        for (number, edit) in edits.iter().enumerate() {
            let mut bytes = good;
            edit(&mut bytes);
            assert!(PublicKey::from_bytes(&bytes).is_none(), "{number}");
        }
    }
}
