//! AES-GCM of AWS-LC, through `aws-lc-rs`. The key schedule happens once, in the key.

use aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

use super::{Gcm, KEY};
use crate::contender::Aead;
use crate::ring;

pub(super) fn version() -> String {
    String::from("aws-lc (aws-lc-rs 1.19.0)")
}

pub(super) struct Key(LessSafeKey);

impl Key {
    pub(super) fn new(gcm: Gcm) -> Self {
        let algorithm = match gcm {
            Gcm::Aes128 => &AES_128_GCM,
            Gcm::Aes256 => &AES_256_GCM,
        };
        let key = UnboundKey::new(algorithm, &KEY[..gcm.key_bytes()]);
        Self(LessSafeKey::new(key.expect("the key has the right length")))
    }
}

fn nonce(nonce: &ring::Nonce) -> Nonce {
    let mut short = [0; 12];
    short.copy_from_slice(&nonce[..12]);
    Nonce::assume_unique_for_key(short)
}

impl Aead for Key {
    #[inline]
    fn seal(&mut self, at: &ring::Nonce, message: &mut [u8], tag: &mut ring::Tag) {
        let sealed = self.0.seal_in_place_separate_tag(nonce(at), Aad::empty(), message);
        tag[..16].copy_from_slice(sealed.expect("the message is not too long").as_ref());
    }

    #[inline]
    fn open(
        &mut self,
        at: &ring::Nonce,
        sealed: &[u8],
        tag: &ring::Tag,
        message: &mut [u8],
    ) -> bool {
        self.0.open_separate_gather(nonce(at), Aad::empty(), sealed, &tag[..16], message).is_ok()
    }
}
