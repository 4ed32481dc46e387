//! AES-GCM of OpenSSL, through its EVP interface: a message sets the nonce of a context that holds
//! the expanded key, then updates, finishes, and reads or sets the tag. And what can be put together
//! from that and its AES in ECB mode.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;

use super::KEY;
use super::nonce_derived::{Blocks, Cmac, NonceDerived};
use crate::contender::{Aead, Contender, Operation};
use crate::ring::{Key, Nonce, Tag};

/// `EVP_CIPHER_CTX`, which is opaque.
enum Context {}
/// `EVP_CIPHER`, which is opaque.
enum Cipher {}

// The names carry the prefix that the build script has put before them.
unsafe extern "C" {
    #[link_name = "openssl_OpenSSL_version"]
    fn OpenSSL_version(what: c_int) -> *const c_char;
    #[link_name = "openssl_EVP_CIPHER_fetch"]
    fn EVP_CIPHER_fetch(
        library: *mut c_void,
        algorithm: *const c_char,
        properties: *const c_char,
    ) -> *mut Cipher;
    #[link_name = "openssl_EVP_CIPHER_free"]
    fn EVP_CIPHER_free(cipher: *mut Cipher);
    #[link_name = "openssl_EVP_CIPHER_CTX_new"]
    fn EVP_CIPHER_CTX_new() -> *mut Context;
    #[link_name = "openssl_EVP_CIPHER_CTX_free"]
    fn EVP_CIPHER_CTX_free(context: *mut Context);
    #[link_name = "openssl_EVP_CIPHER_CTX_set_padding"]
    fn EVP_CIPHER_CTX_set_padding(context: *mut Context, padding: c_int) -> c_int;
    #[link_name = "openssl_EVP_CIPHER_CTX_ctrl"]
    fn EVP_CIPHER_CTX_ctrl(
        context: *mut Context,
        command: c_int,
        number: c_int,
        pointer: *mut c_void,
    ) -> c_int;
    #[link_name = "openssl_EVP_CipherInit_ex2"]
    fn EVP_CipherInit_ex2(
        context: *mut Context,
        cipher: *const Cipher,
        key: *const u8,
        nonce: *const u8,
        encrypt: c_int,
        parameters: *const c_void,
    ) -> c_int;
    #[link_name = "openssl_EVP_CipherUpdate"]
    fn EVP_CipherUpdate(
        context: *mut Context,
        output: *mut u8,
        output_len: *mut c_int,
        input: *const u8,
        input_len: c_int,
    ) -> c_int;
    #[link_name = "openssl_EVP_CipherFinal_ex"]
    fn EVP_CipherFinal_ex(context: *mut Context, output: *mut u8, output_len: *mut c_int) -> c_int;
}

const EVP_CTRL_AEAD_GET_TAG: c_int = 0x10;
const EVP_CTRL_AEAD_SET_TAG: c_int = 0x11;
const TAG_BYTES: c_int = 16;

/// What `EVP_CipherInit_ex2` calls a direction.
const SEAL: c_int = 1;
const OPEN: c_int = 0;

pub(super) fn version() -> String {
    // SAFETY: selector 0 gives the version, a static string.
    let version = unsafe { CStr::from_ptr(OpenSSL_version(0)) };
    format!("openssl ({}; XAES and KC-XAES composed from its parts)", version.to_string_lossy())
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    match id {
        "aes-128-gcm" => Contender::aead(id, operation, Gcm::new(16)),
        "aes-256-gcm" => Contender::aead(id, operation, Gcm::new(32)),
        "xaes-256-gcm" => Contender::aead(id, operation, by_cmac(false)),
        "kc-xaes-256-gcm" => Contender::aead(id, operation, by_cmac(true)),
        _ => None,
    }
}

pub(super) fn by_cmac(commits: bool) -> NonceDerived<Cmac<Aes>, Gcm> {
    NonceDerived { derivation: Cmac::new(Aes::new()), gcm: Gcm::new(32), commits }
}

/// A context that has a cipher and a key.
struct Keyed(*mut Context);

impl Keyed {
    fn new(name: &CStr) -> Self {
        // SAFETY: null means the default library, properties and parameters; `KEY` is long enough
        // for every cipher; the context keeps its own reference to the cipher.
        unsafe {
            let cipher = EVP_CIPHER_fetch(ptr::null_mut(), name.as_ptr(), ptr::null());
            let context = EVP_CIPHER_CTX_new();
            assert!(!cipher.is_null() && !context.is_null(), "OpenSSL has {name:?}");
            let (key, none) = (KEY.as_ptr(), ptr::null());
            assert_eq!(EVP_CipherInit_ex2(context, cipher, key, none, SEAL, none.cast()), 1);
            EVP_CIPHER_free(cipher);
            Self(context)
        }
    }

    /// Sets what is given, and the direction; what is not given stays.
    #[inline]
    fn set(&self, key: Option<&Key>, nonce: Option<&Nonce>, direction: c_int) {
        let key = key.map_or(ptr::null(), |key| key.as_ptr());
        let nonce = nonce.map_or(ptr::null(), |nonce| nonce.as_ptr());
        let (cipher, parameters) = (ptr::null(), ptr::null());
        // SAFETY: null keeps the cipher, the key or the nonce; key and nonce are longer than what is
        // read of them.
        let done = unsafe { EVP_CipherInit_ex2(self.0, cipher, key, nonce, direction, parameters) };
        assert_eq!(done, 1);
    }

    /// Turns `input` into as many bytes at `output`.
    ///
    /// # Safety
    /// `input` is readable and `output` null or writable for `len` bytes, and they are the same or do
    /// not overlap.
    #[inline]
    unsafe fn update(&self, input: *const u8, output: *mut u8, len: usize) {
        let len = c_int::try_from(len).expect("the message is not too long");
        let mut written = 0;
        // SAFETY: the caller vouches for both pointers.
        let done = unsafe { EVP_CipherUpdate(self.0, output, &raw mut written, input, len) };
        assert_eq!((done, written), (1, len));
    }

    /// Takes associated data. None of it is not a call, as in whoever has none.
    #[inline]
    fn authenticate(&self, ad: &[u8]) {
        if !ad.is_empty() {
            // SAFETY: `ad` is readable, and an output of null means associated data.
            unsafe { self.update(ad.as_ptr(), ptr::null_mut(), ad.len()) };
        }
    }

    /// Ends the message; false if its tag was wrong.
    #[inline]
    fn finish(&self) -> bool {
        let (mut nothing, mut written) = ([0; 16], 0);
        // SAFETY: GCM writes nothing at the end, and would have room for a block.
        let done = unsafe { EVP_CipherFinal_ex(self.0, nothing.as_mut_ptr(), &raw mut written) };
        done == 1
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        // SAFETY: the context came from `EVP_CIPHER_CTX_new` and is not used again.
        unsafe { EVP_CIPHER_CTX_free(self.0) };
    }
}

pub(super) struct Gcm(Keyed);

impl Gcm {
    pub(super) fn new(key_bytes: usize) -> Self {
        Self(Keyed::new(if key_bytes == 32 { c"AES-256-GCM" } else { c"AES-128-GCM" }))
    }

    #[inline]
    fn encrypt(&self, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        self.0.authenticate(ad);
        let data = message.as_mut_ptr();
        // SAFETY: the message is readable and writable.
        unsafe { self.0.update(data, data, message.len()) };
        assert!(self.0.finish());
        let tag = tag.as_mut_ptr().cast();
        // SAFETY: the tag is longer than the bytes that are written.
        let tagged =
            unsafe { EVP_CIPHER_CTX_ctrl(self.0.0, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag) };
        assert_eq!(tagged, 1);
    }

    #[inline]
    fn decrypt(&self, ad: &[u8], sealed: &[u8], tag: &Tag, message: &mut [u8]) -> bool {
        assert_eq!(sealed.len(), message.len());
        self.0.authenticate(ad);
        // SAFETY: `message` is writable for as many bytes as `sealed` is readable.
        unsafe { self.0.update(sealed.as_ptr(), message.as_mut_ptr(), sealed.len()) };
        let tag = tag.as_ptr().cast_mut().cast();
        // SAFETY: this control only reads the tag, which is longer than the bytes that are read.
        let tagged =
            unsafe { EVP_CIPHER_CTX_ctrl(self.0.0, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag) };
        assert_eq!(tagged, 1);
        self.0.finish()
    }
}

/// Key and nonce are set in one call where both are new, which saves OpenSSL some work.
impl Aead for Gcm {
    #[inline]
    fn rekey(&mut self, key: &Key) {
        self.0.set(Some(key), None, SEAL);
    }

    #[inline]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        self.0.set(None, Some(nonce), SEAL);
        self.encrypt(ad, message, tag);
    }

    #[inline]
    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        self.0.set(None, Some(nonce), OPEN);
        self.decrypt(ad, sealed, tag, message)
    }

    #[inline]
    fn seal_once(
        &mut self,
        key: &Key,
        nonce: &Nonce,
        ad: &[u8],
        message: &mut [u8],
        tag: &mut Tag,
    ) {
        self.0.set(Some(key), Some(nonce), SEAL);
        self.encrypt(ad, message, tag);
    }

    #[inline]
    fn open_once(
        &mut self,
        key: &Key,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        self.0.set(Some(key), Some(nonce), OPEN);
        self.decrypt(ad, sealed, tag, message)
    }
}

pub(super) struct Aes(Keyed);

impl Aes {
    fn new() -> Self {
        let keyed = Keyed::new(c"AES-256-ECB");
        // SAFETY: the context lives.
        assert_eq!(unsafe { EVP_CIPHER_CTX_set_padding(keyed.0, 0) }, 1);
        Self(keyed)
    }
}

impl Blocks for Aes {
    #[inline]
    fn rekey(&mut self, key: &Key) {
        self.0.set(Some(key), None, SEAL);
    }

    #[inline]
    fn encrypt(&mut self, blocks: &mut [u8]) {
        let data = blocks.as_mut_ptr();
        // SAFETY: the blocks are readable and writable.
        unsafe { self.0.update(data, data, blocks.len()) };
    }
}
