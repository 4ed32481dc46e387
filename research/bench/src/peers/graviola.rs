//! AES-GCM of graviola. It opens in place only, so that a message is copied first, as its users do.

use graviola::aead::AesGcm;

use super::KEY;
use crate::contender::{Aead, Contender, Operation};
use crate::ring::{Key, Nonce, Tag};

pub(super) fn version() -> String {
    String::from("graviola (0.4.4)")
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    match id {
        "aes-128-gcm" => Contender::aead(id, operation, Gcm::new(16)),
        "aes-256-gcm" => Contender::aead(id, operation, Gcm::new(32)),
        _ => None,
    }
}

pub(super) struct Gcm {
    key_bytes: usize,
    key: AesGcm,
}

impl Gcm {
    pub(super) fn new(key_bytes: usize) -> Self {
        Self { key_bytes, key: AesGcm::new(&KEY[..key_bytes]) }
    }
}

fn nonce(nonce: &Nonce) -> &[u8; 12] {
    nonce.first_chunk().expect("a nonce is longer")
}

impl Aead for Gcm {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.key = AesGcm::new(&key[..self.key_bytes]);
    }

    #[inline(always)]
    fn seal(&mut self, at: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        let tag = tag.first_chunk_mut().expect("a tag is longer");
        self.key.encrypt(nonce(at), ad, message, tag);
    }

    #[inline(always)]
    fn open(
        &mut self,
        at: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        message.copy_from_slice(sealed);
        self.key.decrypt(nonce(at), ad, message, &tag[..16]).is_ok()
    }
}
