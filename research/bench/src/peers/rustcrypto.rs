//! AES-GCM, XAES, OCB3 and AES-GCM-SIV of RustCrypto, through the traits of the `aead` crate, and
//! its SHA-2 and BLAKE2b through those of `digest`. Which instructions they use is found at run
//! time, but what is around them is compiled for any CPU of the architecture, unless the whole
//! program is compiled for this one.

use aead::consts::U12;
use aead::inout::InOutBuf;
use aead::{AeadInOut, KeyInit};
use aes_gcm::aes::Aes256;
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use aes_gcm_siv::Aes256GcmSiv;
use blake2::Blake2b512;
use ocb3::Ocb3;
use sha2::{Sha256, Sha512};
use xaes_256_gcm::Xaes256Gcm;

use super::hctr2::Hctr2;
use super::{Digest, KEY};
use crate::contender::{Aead, Compress, Contender, Operation};
use crate::ring::{Key, Nonce, Tag, first, first_mut};

pub(super) fn version() -> String {
    let build = if cfg!(rust_native) { "-Ctarget-cpu=native" } else { "for any CPU" };
    format!(
        "rustcrypto (aes-gcm 0.11.1, aes-gcm-siv 0.12.1, ocb3 0.2.0, xaes-256-gcm 0.1.0, sha2 \
         0.11.1, blake2 0.11.0; HCTR2 composed from aes 0.9.4 and polyval 0.7.3; {build})"
    )
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    match id {
        "aes-128-gcm" => Contender::aead(id, operation, aes_128_gcm()),
        "aes-256-gcm" => Contender::aead(id, operation, aes_256_gcm()),
        "ocb3" => Contender::aead(id, operation, ocb3()),
        "aes-256-gcm-siv" => Contender::aead(id, operation, aes_256_gcm_siv()),
        "hctr2" => Contender::aead(id, operation, Hctr2::new()),
        "xaes-256-gcm" => Contender::aead(id, operation, xaes_256_gcm()),
        _ => None,
    }
}

pub(super) fn compression(name: String, digest: Digest, times: u64) -> Contender {
    match digest {
        Digest::Sha256 => Contender::compression(name, times, Hasher(Sha256::default())),
        Digest::Sha512 => Contender::compression(name, times, Hasher(Sha512::default())),
        Digest::Blake2b => Contender::compression(name, times, Hasher(Blake2b512::default())),
    }
}

struct Hasher<D>(D);

impl<D: sha2::Digest> Compress for Hasher<D> {
    #[inline]
    fn compress(&mut self, blocks: &[u8]) {
        self.0.update(blocks);
    }
}

pub(super) fn aes_128_gcm() -> Cipher<Aes128Gcm> {
    Cipher(Aes128Gcm::new(first(&KEY)))
}

pub(super) fn aes_256_gcm() -> Cipher<Aes256Gcm> {
    Cipher(Aes256Gcm::new(first(&KEY)))
}

pub(super) fn xaes_256_gcm() -> Cipher<Xaes256Gcm> {
    Cipher(Xaes256Gcm::new(first(&KEY)))
}

pub(super) fn ocb3() -> Cipher<Ocb3<Aes256, U12>> {
    Cipher(Ocb3::new(first(&KEY)))
}

pub(super) fn aes_256_gcm_siv() -> Cipher<Aes256GcmSiv> {
    Cipher(Aes256GcmSiv::new(first(&KEY)))
}

pub(super) struct Cipher<A>(pub(super) A);

impl<A: AeadInOut + KeyInit> Aead for Cipher<A> {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.0 = A::new(first(key));
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        let sealed = self.0.encrypt_inout_detached(first(nonce), ad, message.into());
        *first_mut(tag) = sealed.expect("the message is not too long");
    }

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        let buffer = InOutBuf::new(sealed, message).expect("both have one length");
        self.0.decrypt_inout_detached(first(nonce), ad, buffer, first(tag)).is_ok()
    }
}
