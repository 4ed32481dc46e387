//! AES-GCM of ring, and CTX from it and ring's HMAC, as the paper on Flex measured it. It opens in
//! place only, so that a message is copied first, as its users do.

use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, Algorithm, LessSafeKey, Nonce, Tag, UnboundKey};
use ring::hmac;

use super::KEY;
use super::ctx::{Ctx, Prf};
use crate::contender::{Aead, Contender, Operation};
use crate::ring as bench;

pub(super) fn version() -> String {
    String::from("ring (0.17.14; CTX composed from its parts)")
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    match id {
        "aes-128-gcm" => Contender::aead(id, operation, Gcm::new(16)),
        "aes-256-gcm" => Contender::aead(id, operation, Gcm::new(32)),
        "ctx-aes-256-gcm" => Contender::aead(id, operation, ctx()),
        _ => None,
    }
}

pub(super) fn ctx() -> Ctx<Hmac, Gcm> {
    Ctx { prf: Hmac(hmac_key(&KEY)), gcm: Gcm::new(32) }
}

/// ring's HMAC-SHA256.
pub(super) struct Hmac(hmac::Key);

fn hmac_key(key: &bench::Key) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, &key[..32])
}

impl Prf for Hmac {
    #[inline(always)]
    fn rekey(&mut self, key: &bench::Key) {
        self.0 = hmac_key(key);
    }

    #[inline]
    fn output(&self, parts: [&[u8]; 3]) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&self.0);
        parts.iter().for_each(|part| context.update(part));
        context.sign().as_ref().try_into().expect("SHA-256 has 32 bytes")
    }
}

pub(super) struct Gcm {
    algorithm: &'static Algorithm,
    key: LessSafeKey,
}

impl Gcm {
    pub(super) fn new(key_bytes: usize) -> Self {
        let algorithm = if key_bytes == 32 { &AES_256_GCM } else { &AES_128_GCM };
        Self { algorithm, key: less_safe(algorithm, &KEY) }
    }
}

fn less_safe(algorithm: &'static Algorithm, key: &bench::Key) -> LessSafeKey {
    let key = UnboundKey::new(algorithm, &key[..algorithm.key_len()]);
    LessSafeKey::new(key.expect("the key has the right length"))
}

fn nonce(nonce: &bench::Nonce) -> Nonce {
    Nonce::try_assume_unique_for_key(&nonce[..12]).expect("it has the right length")
}

impl Aead for Gcm {
    #[inline(always)]
    fn rekey(&mut self, key: &bench::Key) {
        self.key = less_safe(self.algorithm, key);
    }

    #[inline(always)]
    fn seal(&mut self, at: &bench::Nonce, ad: &[u8], message: &mut [u8], tag: &mut bench::Tag) {
        let sealed = self.key.seal_in_place_separate_tag(nonce(at), Aad::from(ad), message);
        tag[..16].copy_from_slice(sealed.expect("the message is not too long").as_ref());
    }

    #[inline(always)]
    fn open(
        &mut self,
        at: &bench::Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &bench::Tag,
        message: &mut [u8],
    ) -> bool {
        message.copy_from_slice(sealed);
        let tag = Tag::try_from(&tag[..16]).expect("it has the right length");
        self.key.open_in_place_separate_tag(nonce(at), Aad::from(ad), tag, message, 0..).is_ok()
    }
}
