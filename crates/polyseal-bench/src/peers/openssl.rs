//! AES-GCM of OpenSSL, through its EVP interface: a message sets the nonce of a context that holds
//! the expanded key, then updates, finishes, and reads or sets the tag.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;

use super::{Gcm, KEY};
use crate::contender::Aead;
use crate::ring::{Nonce, Tag};

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

pub(super) fn version() -> String {
    // SAFETY: selector 0 gives the version, a static string.
    let version = unsafe { CStr::from_ptr(OpenSSL_version(0)) };
    format!("openssl ({})", version.to_string_lossy())
}

/// A context for each direction.
pub(super) struct Key {
    sealing: *mut Context,
    opening: *mut Context,
}

impl Key {
    pub(super) fn new(gcm: Gcm) -> Self {
        Self { sealing: context(gcm, 1), opening: context(gcm, 0) }
    }
}

fn context(gcm: Gcm, encrypt: c_int) -> *mut Context {
    let name = match gcm {
        Gcm::Aes128 => c"AES-128-GCM",
        Gcm::Aes256 => c"AES-256-GCM",
    };
    // SAFETY: null means the default library, properties and parameters; `KEY` is long enough for
    // the cipher; the context keeps its own reference to the cipher.
    unsafe {
        let cipher = EVP_CIPHER_fetch(ptr::null_mut(), name.as_ptr(), ptr::null());
        let context = EVP_CIPHER_CTX_new();
        assert!(!cipher.is_null() && !context.is_null(), "OpenSSL has AES-GCM");
        let none = ptr::null();
        assert_eq!(
            EVP_CipherInit_ex2(context, cipher, KEY.as_ptr(), none, encrypt, none.cast()),
            1
        );
        EVP_CIPHER_free(cipher);
        context
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: both came from `EVP_CIPHER_CTX_new` and are not used again.
        unsafe {
            EVP_CIPHER_CTX_free(self.sealing);
            EVP_CIPHER_CTX_free(self.opening);
        }
    }
}

/// Sets the nonce, and turns `input` into as many bytes at `output`.
///
/// # Safety
/// `context` is one of a living [`Key`]; `input` is readable and `output` writable for `len` bytes,
/// and they are the same or do not overlap.
#[inline]
unsafe fn update(
    context: *mut Context,
    nonce: &Nonce,
    input: *const u8,
    output: *mut u8,
    len: usize,
) {
    let len = c_int::try_from(len).expect("the message is not too long");
    let mut written = 0;
    // SAFETY: null keeps the cipher and key; the nonce is longer than the 12 bytes that are read.
    // A negative direction keeps the context's own.
    let ready = unsafe {
        EVP_CipherInit_ex2(context, ptr::null(), ptr::null(), nonce.as_ptr(), -1, ptr::null())
    };
    // SAFETY: the caller vouches for both pointers.
    let done = unsafe { EVP_CipherUpdate(context, output, &raw mut written, input, len) };
    assert_eq!((ready, done, written), (1, 1, len));
}

impl Aead for Key {
    #[inline]
    fn seal(&mut self, nonce: &Nonce, message: &mut [u8], tag: &mut Tag) {
        let (data, len) = (message.as_mut_ptr(), message.len());
        let (mut nothing, mut written) = ([0; 16], 0);
        // SAFETY: `data` is readable and writable for `len` bytes.
        unsafe { update(self.sealing, nonce, data, data, len) };
        // SAFETY: GCM writes nothing at the end, and would have room for a block.
        let done =
            unsafe { EVP_CipherFinal_ex(self.sealing, nothing.as_mut_ptr(), &raw mut written) };
        let tag = tag.as_mut_ptr().cast();
        // SAFETY: the tag is longer than the bytes that are written.
        let tagged =
            unsafe { EVP_CIPHER_CTX_ctrl(self.sealing, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag) };
        assert_eq!((done, tagged), (1, 1));
    }

    #[inline]
    fn open(&mut self, nonce: &Nonce, sealed: &[u8], tag: &Tag, message: &mut [u8]) -> bool {
        assert_eq!(sealed.len(), message.len());
        let (mut nothing, mut written) = ([0; 16], 0);
        // SAFETY: `message` is writable for as many bytes as `sealed` is readable.
        unsafe {
            update(self.opening, nonce, sealed.as_ptr(), message.as_mut_ptr(), sealed.len());
        }
        let tag = tag.as_ptr().cast_mut().cast();
        // SAFETY: this control only reads the tag, which is longer than the bytes that are read.
        let tagged =
            unsafe { EVP_CIPHER_CTX_ctrl(self.opening, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag) };
        // SAFETY: as for sealing.
        let authentic =
            unsafe { EVP_CipherFinal_ex(self.opening, nothing.as_mut_ptr(), &raw mut written) };
        assert_eq!(tagged, 1);
        authentic == 1
    }
}
