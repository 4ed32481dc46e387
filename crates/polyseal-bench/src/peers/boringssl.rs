//! AES-GCM of BoringSSL, through its AEAD interface: one call a message, the key schedule once.

#![allow(unsafe_code)]

use core::ptr;

use boring_sys::{
    BORINGSSL_API_VERSION, EVP_AEAD_CTX, EVP_AEAD_CTX_free, EVP_AEAD_CTX_new,
    EVP_AEAD_CTX_open_gather, EVP_AEAD_CTX_seal_scatter, EVP_aead_aes_128_gcm,
    EVP_aead_aes_256_gcm,
};

use super::{Gcm, KEY};
use crate::contender::Aead;
use crate::ring::{Nonce, Tag};

pub(super) fn version() -> String {
    format!("boringssl (API {BORINGSSL_API_VERSION}, boring-sys 5.4.0)")
}

pub(super) struct Key(*mut EVP_AEAD_CTX);

const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;

impl Key {
    pub(super) fn new(gcm: Gcm) -> Self {
        // SAFETY: these return pointers to static tables.
        let aead = unsafe {
            match gcm {
                Gcm::Aes128 => EVP_aead_aes_128_gcm(),
                Gcm::Aes256 => EVP_aead_aes_256_gcm(),
            }
        };
        // SAFETY: `KEY` is at least as long as the length that is passed with it.
        let context = unsafe { EVP_AEAD_CTX_new(aead, KEY.as_ptr(), gcm.key_bytes(), TAG_BYTES) };
        assert!(!context.is_null(), "BoringSSL has AES-GCM");
        Self(context)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the context came from `EVP_AEAD_CTX_new` and is not used again.
        unsafe { EVP_AEAD_CTX_free(self.0) };
    }
}

impl Aead for Key {
    #[inline]
    fn seal(&mut self, nonce: &Nonce, message: &mut [u8], tag: &mut Tag) {
        let (data, len) = (message.as_mut_ptr(), message.len());
        let mut tag_bytes = 0;
        // SAFETY: every pointer is valid for the length beside it, in and out may be the same, and
        // empty inputs may be null.
        let done = unsafe {
            EVP_AEAD_CTX_seal_scatter(
                self.0,
                data,
                tag.as_mut_ptr(),
                &raw mut tag_bytes,
                TAG_BYTES,
                nonce.as_ptr(),
                NONCE_BYTES,
                data,
                len,
                ptr::null(),
                0,
                ptr::null(),
                0,
            )
        };
        assert_eq!((done, tag_bytes), (1, TAG_BYTES));
    }

    #[inline]
    fn open(&mut self, nonce: &Nonce, sealed: &[u8], tag: &Tag, message: &mut [u8]) -> bool {
        assert_eq!(sealed.len(), message.len());
        // SAFETY: every pointer is valid for the length beside it, `message` is as long as
        // `sealed`, and empty inputs may be null.
        let authentic = unsafe {
            EVP_AEAD_CTX_open_gather(
                self.0,
                message.as_mut_ptr(),
                nonce.as_ptr(),
                NONCE_BYTES,
                sealed.as_ptr(),
                sealed.len(),
                tag.as_ptr(),
                TAG_BYTES,
                ptr::null(),
                0,
            )
        };
        authentic == 1
    }
}
