//! AES-GCM and AES-GCM-SIV of BoringSSL, through its AEAD interface: one call a message, the key
//! schedule once. And what can be put together from that, its bare AES and its SHA-256.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::ptr;

use boring_sys::{
    AES_KEY, AES_encrypt, AES_set_encrypt_key, BORINGSSL_API_VERSION, EVP_AEAD, EVP_AEAD_CTX,
    EVP_AEAD_CTX_cleanup, EVP_AEAD_CTX_init, EVP_AEAD_CTX_open_gather, EVP_AEAD_CTX_seal_scatter,
    EVP_AEAD_CTX_zero, EVP_aead_aes_128_gcm, EVP_aead_aes_256_gcm, EVP_aead_aes_256_gcm_siv,
    SHA256_CTX, SHA256_Final, SHA256_Init, SHA256_Update,
};

use super::KEY;
use super::ctx::{Ctx, Hash, Hmac};
use super::nonce_derived::{Blocks, Cmac, NonceDerived};
use crate::contender::{Aead, Contender, Operation};
use crate::ring::{Key, Nonce, Tag};

pub(super) fn version() -> String {
    format!(
        "boringssl (API {BORINGSSL_API_VERSION}, boring-sys 5.4.0; XAES, KC-XAES and CTX \
         composed from its parts)"
    )
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    match id {
        "aes-128-gcm" => Contender::aead(id, operation, Gcm::new(16)),
        "aes-256-gcm" => Contender::aead(id, operation, Gcm::new(32)),
        "aes-256-gcm-siv" => Contender::aead(id, operation, Gcm::siv()),
        "ctx-aes-256-gcm" => Contender::aead(id, operation, ctx()),
        "xaes-256-gcm" => Contender::aead(id, operation, by_cmac(false)),
        "kc-xaes-256-gcm" => Contender::aead(id, operation, by_cmac(true)),
        _ => None,
    }
}

pub(super) fn by_cmac(commits: bool) -> NonceDerived<Cmac<Aes>, Gcm> {
    NonceDerived { derivation: Cmac::new(Aes::new()), gcm: Gcm::new(32), commits }
}

pub(super) fn ctx() -> Ctx<Hmac<Sha256>, Gcm> {
    Ctx { prf: Hmac::new(&KEY), gcm: Gcm::new(32) }
}

/// AES-GCM, or AES-GCM-SIV, which has the same interface.
pub(super) struct Gcm {
    aead: *const EVP_AEAD,
    key_bytes: usize,
    context: Box<EVP_AEAD_CTX>,
}

const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;

impl Gcm {
    pub(super) fn new(key_bytes: usize) -> Self {
        // SAFETY: these return pointers to static tables.
        let aead = unsafe {
            if key_bytes == 32 { EVP_aead_aes_256_gcm() } else { EVP_aead_aes_128_gcm() }
        };
        Self::from_aead(aead, key_bytes)
    }

    pub(super) fn siv() -> Self {
        // SAFETY: this returns a pointer to a static table.
        Self::from_aead(unsafe { EVP_aead_aes_256_gcm_siv() }, 32)
    }

    fn from_aead(aead: *const EVP_AEAD, key_bytes: usize) -> Self {
        let mut context = Box::<EVP_AEAD_CTX>::new_uninit();
        // SAFETY: this is how a context begins: empty, and nothing in it is left uninitialised.
        let context = unsafe {
            EVP_AEAD_CTX_zero(context.as_mut_ptr());
            context.assume_init()
        };
        let mut gcm = Self { aead, key_bytes, context };
        gcm.rekey(&KEY);
        gcm
    }
}

impl Drop for Gcm {
    fn drop(&mut self) {
        // SAFETY: the context was initialised and is not used again.
        unsafe { EVP_AEAD_CTX_cleanup(&raw mut *self.context) };
    }
}

impl Aead for Gcm {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        let context = &raw mut *self.context;
        // SAFETY: the context was initialised, so it may be cleaned up, and a clean one may be
        // initialised; the key is at least as long as the length that is passed with it, and no
        // engine is wanted.
        let done = unsafe {
            EVP_AEAD_CTX_cleanup(context);
            EVP_AEAD_CTX_init(
                context,
                self.aead,
                key.as_ptr(),
                self.key_bytes,
                TAG_BYTES,
                ptr::null_mut(),
            )
        };
        assert_eq!(done, 1, "BoringSSL has the algorithm");
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        let (data, len) = (message.as_mut_ptr(), message.len());
        let mut tag_bytes = 0;
        // SAFETY: every pointer is valid for the length beside it, in and out may be the same, and
        // what is not given may be null.
        let done = unsafe {
            EVP_AEAD_CTX_seal_scatter(
                &raw const *self.context,
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
                ad.as_ptr(),
                ad.len(),
            )
        };
        assert_eq!((done, tag_bytes), (1, TAG_BYTES));
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
        assert_eq!(sealed.len(), message.len());
        // SAFETY: every pointer is valid for the length beside it, `message` is as long as
        // `sealed`, and empty inputs may be null.
        let authentic = unsafe {
            EVP_AEAD_CTX_open_gather(
                &raw const *self.context,
                message.as_mut_ptr(),
                nonce.as_ptr(),
                NONCE_BYTES,
                sealed.as_ptr(),
                sealed.len(),
                tag.as_ptr(),
                TAG_BYTES,
                ad.as_ptr(),
                ad.len(),
            )
        };
        authentic == 1
    }
}

pub(super) struct Aes(AES_KEY);

impl Aes {
    fn new() -> Self {
        Self(expand(&KEY))
    }
}

#[inline]
fn expand(key: &Key) -> AES_KEY {
    let mut expanded = MaybeUninit::uninit();
    // SAFETY: the key is longer than the 256 bits that are read, and they are a valid length, with
    // which the expanded key is written.
    unsafe {
        assert_eq!(AES_set_encrypt_key(key.as_ptr(), 256, expanded.as_mut_ptr()), 0);
        expanded.assume_init()
    }
}

impl Blocks for Aes {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.0 = expand(key);
    }

    #[inline]
    fn encrypt(&mut self, blocks: &mut [u8]) {
        for block in blocks.as_chunks_mut::<16>().0 {
            // SAFETY: a block is read and written in place, which AES allows.
            unsafe { AES_encrypt(block.as_ptr(), block.as_mut_ptr(), &raw const self.0) };
        }
    }
}

#[derive(Clone)]
pub(super) struct Sha256(SHA256_CTX);

impl Hash for Sha256 {
    #[inline]
    fn new() -> Self {
        let mut state = MaybeUninit::uninit();
        // SAFETY: this writes the whole state.
        unsafe {
            SHA256_Init(state.as_mut_ptr());
            Self(state.assume_init())
        }
    }

    #[inline]
    fn update(&mut self, input: &[u8]) {
        // SAFETY: the state is initialised, and the pointer valid for the length beside it.
        unsafe { SHA256_Update(&raw mut self.0, input.as_ptr().cast(), input.len()) };
    }

    #[inline]
    fn finish(mut self) -> [u8; 32] {
        let mut output = [0; 32];
        // SAFETY: the state is initialised, and the output has the length that is written.
        unsafe { SHA256_Final(output.as_mut_ptr(), &raw mut self.0) };
        output
    }
}
