//! AES-GCM, AES-GCM-SIV and SHA-2 of AWS-LC, and what can be put together from its AES-GCM, CMAC
//! and HMAC, through `aws-lc-rs`. The key schedule happens once, in the key.

use aws_lc_rs::aead::{
    AES_128_GCM, AES_256_GCM, AES_256_GCM_SIV, Aad, Algorithm, LessSafeKey, Nonce, UnboundKey,
};
use aws_lc_rs::{cmac, digest, hmac};

use super::ctx::{Ctx, Prf};
use super::nonce_derived::{Derivation, NonceDerived};
use super::{Digest, KC_C3, KEY};
use crate::contender::{Aead, Compress, Contender, Operation};
use crate::ring;

pub(super) fn version() -> String {
    String::from("aws-lc (aws-lc-rs 1.19.0; XAES, KC-XAES, H-AES and CTX composed from its parts)")
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    match id {
        "aes-128-gcm" => Contender::aead(id, operation, Gcm::new(16)),
        "aes-256-gcm" => Contender::aead(id, operation, Gcm::new(32)),
        "aes-256-gcm-siv" => Contender::aead(id, operation, Gcm::siv()),
        "ctx-aes-256-gcm" => Contender::aead(id, operation, ctx()),
        "xaes-256-gcm" => Contender::aead(id, operation, by_cmac(false)),
        "kc-xaes-256-gcm" => Contender::aead(id, operation, by_cmac(true)),
        KC_C3 => Contender::aead(id, operation, by_cmac_c3()),
        "h-aes-256-gcm" => Contender::aead(id, operation, by_hmac(false)),
        "h-kc-aes-256-gcm" => Contender::aead(id, operation, by_hmac(true)),
        _ => None,
    }
}

pub(super) fn compression(name: String, digest: Digest, times: u64) -> Option<Contender> {
    let algorithm = match digest {
        Digest::Sha256 => &digest::SHA256,
        Digest::Sha512 => &digest::SHA512,
        Digest::Blake2b => return None,
    };
    Some(Contender::compression(name, times, digest::Context::new(algorithm)))
}

impl Compress for digest::Context {
    #[inline]
    fn compress(&mut self, blocks: &[u8]) {
        self.update(blocks);
    }
}

pub(super) fn by_cmac(commits: bool) -> NonceDerived<Cmac, Gcm> {
    NonceDerived { derivation: Cmac(cmac_key(&KEY)), gcm: Gcm::new(32), commits }
}

pub(super) fn by_cmac_c3() -> NonceDerived<Cmac, Gcm, true> {
    NonceDerived { derivation: Cmac(cmac_key(&KEY)), gcm: Gcm::new(32), commits: true }
}

pub(super) fn by_hmac(commits: bool) -> NonceDerived<Hmac, Gcm> {
    NonceDerived { derivation: Hmac(hmac_key(&KEY)), gcm: Gcm::new(32), commits }
}

pub(super) fn ctx() -> Ctx<Hmac, Gcm> {
    Ctx { prf: Hmac(hmac_key(&KEY)), gcm: Gcm::new(32) }
}

/// AES-GCM, or AES-GCM-SIV, which has the same interface.
pub(super) struct Gcm {
    algorithm: &'static Algorithm,
    key: LessSafeKey,
}

impl Gcm {
    pub(super) fn new(key_bytes: usize) -> Self {
        let algorithm = if key_bytes == 32 { &AES_256_GCM } else { &AES_128_GCM };
        Self { algorithm, key: gcm_key(algorithm, &KEY) }
    }

    pub(super) fn siv() -> Self {
        Self { algorithm: &AES_256_GCM_SIV, key: gcm_key(&AES_256_GCM_SIV, &KEY) }
    }
}

fn gcm_key(algorithm: &'static Algorithm, key: &ring::Key) -> LessSafeKey {
    let key = UnboundKey::new(algorithm, &key[..algorithm.key_len()]);
    LessSafeKey::new(key.expect("the key has the right length"))
}

fn nonce(nonce: &ring::Nonce) -> Nonce {
    let mut short = [0; 12];
    short.copy_from_slice(&nonce[..12]);
    Nonce::assume_unique_for_key(short)
}

impl Aead for Gcm {
    #[inline(always)]
    fn rekey(&mut self, key: &ring::Key) {
        self.key = gcm_key(self.algorithm, key);
    }

    #[inline(always)]
    fn seal(&mut self, at: &ring::Nonce, ad: &[u8], message: &mut [u8], tag: &mut ring::Tag) {
        let sealed = self.key.seal_in_place_separate_tag(nonce(at), Aad::from(ad), message);
        tag[..16].copy_from_slice(sealed.expect("the message is not too long").as_ref());
    }

    #[inline(always)]
    fn open(
        &mut self,
        at: &ring::Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &ring::Tag,
        message: &mut [u8],
    ) -> bool {
        self.key.open_separate_gather(nonce(at), Aad::from(ad), sealed, &tag[..16], message).is_ok()
    }
}

/// Two calls for 32 bytes.
pub(super) struct Cmac(cmac::Key);

fn cmac_key(key: &ring::Key) -> cmac::Key {
    cmac::Key::new(cmac::AES_256, &key[..32]).expect("the key has the right length")
}

impl Derivation for Cmac {
    #[inline(always)]
    fn rekey(&mut self, key: &ring::Key) {
        self.0 = cmac_key(key);
    }

    #[inline]
    fn derive(&mut self, input: &mut [u8], counter: usize) -> [u8; 32] {
        let counter = input.len() - 16 + counter;
        let mut output = [0; 32];
        for (i, half) in output.chunks_mut(16).enumerate() {
            input[counter] = i as u8 + 1;
            cmac::sign_to_buffer(&self.0, input, half).expect("the output has room");
        }
        output
    }
}

/// One call for 32 bytes, with SHA-256.
pub(super) struct Hmac(hmac::Key);

fn hmac_key(key: &ring::Key) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, &key[..32])
}

impl Derivation for Hmac {
    #[inline(always)]
    fn rekey(&mut self, key: &ring::Key) {
        self.0 = hmac_key(key);
    }

    #[inline]
    fn derive(&mut self, input: &mut [u8], _: usize) -> [u8; 32] {
        hmac::sign(&self.0, input).as_ref().try_into().expect("SHA-256 has 32 bytes")
    }
}

impl Prf for Hmac {
    #[inline(always)]
    fn rekey(&mut self, key: &ring::Key) {
        self.0 = hmac_key(key);
    }

    #[inline]
    fn output(&self, parts: [&[u8]; 3]) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&self.0);
        parts.iter().for_each(|part| context.update(part));
        context.sign().as_ref().try_into().expect("SHA-256 has 32 bytes")
    }
}
