//! Parts of the two hybrid KEMs, which put ML-KEM-768 and a curve together.
//!
//! Source: FIPS 203 for ML-KEM; draft-irtf-cfrg-concrete-hybrid-kems for the combiner.
//!
//! Letters: `m` is of ML-KEM; `ct`, `ss` are ciphertext and shared secret.

use ml_kem::array::Array;
use ml_kem::ml_kem_768::{Ciphertext, DecapsulationKey, EncapsulationKey};
use ml_kem::{Decapsulate, Key, KeyExport};
use sha3::{Digest, Sha3_256};
use zeroize::{Zeroize, Zeroizing};

pub(super) const M_PUBLIC_BYTES: usize = 1184;
pub(super) const M_CIPHERTEXT_BYTES: usize = 1088;
/// The length of the random bits of an encapsulation, in bytes.
pub(super) const M_RANDOM_BYTES: usize = 32;
/// The length of the seed of a secret key, in bytes.
pub(super) const M_SEED_BYTES: usize = 64;

/// A shared secret of either part, and of both.
pub(super) type Secret = Zeroizing<[u8; 32]>;

/// A public key of ML-KEM-768.
#[derive(Clone, PartialEq)]
pub(super) struct MlKemPublic(EncapsulationKey);

impl MlKemPublic {
    /// `None` if a number in it is not reduced: FIPS 203 calls for that check.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes = Key::<EncapsulationKey>::try_from(bytes).ok()?;
        let key = EncapsulationKey::new(&bytes).ok()?;
        (key.to_bytes() == bytes).then_some(Self(key))
    }

    pub(super) fn to_bytes(&self) -> [u8; M_PUBLIC_BYTES] {
        self.0.to_bytes().into()
    }

    pub(super) fn encapsulate(
        &self,
        random: &[u8; M_RANDOM_BYTES],
    ) -> ([u8; M_CIPHERTEXT_BYTES], Secret) {
        let mut random = Array(*random);
        let (ct, mut ss) = self.0.encapsulate_deterministic(&random);
        random.as_mut_slice().zeroize();
        let mut secret = Secret::default();
        secret.copy_from_slice(&ss);
        ss.as_mut_slice().zeroize();
        (ct.into(), secret)
    }
}

/// A secret key of ML-KEM-768, wiped when dropped.
pub(super) struct MlKemSecret(DecapsulationKey);

impl MlKemSecret {
    /// seed = d ‖ z
    pub(super) fn from_seed(seed: &[u8; M_SEED_BYTES]) -> Self {
        Self(DecapsulationKey::from_seed(Array(*seed)))
    }

    pub(super) fn public_key(&self) -> MlKemPublic {
        MlKemPublic(self.0.encapsulation_key().clone())
    }

    /// Always a secret: another one than the sender's, if the ciphertext was altered.
    pub(super) fn decapsulate(&self, ct: &[u8; M_CIPHERTEXT_BYTES]) -> Secret {
        let mut ss = self.0.decapsulate(&Ciphertext::from(*ct));
        let mut secret = Secret::default();
        secret.copy_from_slice(&ss);
        ss.as_mut_slice().zeroize();
        secret
    }
}

/// ss = SHA3-256(parts, one after the other)
pub(super) fn combine(parts: &[&[u8]]) -> Secret {
    let mut hash = Sha3_256::new();
    for part in parts {
        hash.update(part);
    }
    let mut ss = Secret::default();
    hash.finalize_into((&mut *ss).into());
    ss
}
