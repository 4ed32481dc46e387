//! AES-GCM, OCB3 and AES-GCM-SIV of OpenSSL, through its EVP interface: a message sets the nonce of
//! a context that holds the expanded key, then updates, finishes, and reads or sets the tag. And
//! what can be put together from that, its AES in ECB mode, and its SHA-256. Its digests through
//! EVP as well.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;

use super::ctx::{Ctx, Hash, Hmac};
use super::nonce_derived::{Blocks, Cmac, NonceDerived};
use super::{Digest, KEY};
use crate::contender::{Aead, Compress, Contender, Operation};
use crate::ring::{Key, Nonce, Tag};

/// `EVP_CIPHER_CTX`, which is opaque.
enum Context {}
/// `EVP_CIPHER`, which is opaque.
enum Cipher {}
/// `EVP_MD_CTX`, which is opaque.
enum DigestContext {}
/// `EVP_MD`, which is opaque.
enum Md {}

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
    #[link_name = "openssl_EVP_MD_fetch"]
    fn EVP_MD_fetch(
        library: *mut c_void,
        algorithm: *const c_char,
        properties: *const c_char,
    ) -> *mut Md;
    #[link_name = "openssl_EVP_MD_free"]
    fn EVP_MD_free(digest: *mut Md);
    #[link_name = "openssl_EVP_MD_CTX_new"]
    fn EVP_MD_CTX_new() -> *mut DigestContext;
    #[link_name = "openssl_EVP_MD_CTX_free"]
    fn EVP_MD_CTX_free(context: *mut DigestContext);
    #[link_name = "openssl_EVP_DigestInit_ex2"]
    fn EVP_DigestInit_ex2(
        context: *mut DigestContext,
        digest: *const Md,
        parameters: *const c_void,
    ) -> c_int;
    #[link_name = "openssl_EVP_DigestUpdate"]
    fn EVP_DigestUpdate(context: *mut DigestContext, input: *const c_void, len: usize) -> c_int;
    #[link_name = "openssl_SHA256_Init"]
    fn SHA256_Init(state: *mut Sha256State) -> c_int;
    #[link_name = "openssl_SHA256_Update"]
    fn SHA256_Update(state: *mut Sha256State, input: *const c_void, len: usize) -> c_int;
    #[link_name = "openssl_SHA256_Final"]
    fn SHA256_Final(output: *mut u8, state: *mut Sha256State) -> c_int;
}

const EVP_CTRL_AEAD_GET_TAG: c_int = 0x10;
const EVP_CTRL_AEAD_SET_TAG: c_int = 0x11;
const TAG_BYTES: c_int = 16;
const BLOCK: usize = 16;

/// `EVP_CipherInit_ex2`'s number for a direction.
const SEAL: c_int = 1;
const OPEN: c_int = 0;

pub(super) fn version() -> String {
    // SAFETY: selector 0 gives the version, a static string.
    let version = unsafe { CStr::from_ptr(OpenSSL_version(0)) };
    let version = version.to_string_lossy();
    format!("openssl ({version}; XAES, KC-XAES and CTX composed from its parts)")
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    match id {
        "aes-128-gcm" => Contender::aead(id, operation, Evp::gcm(16)),
        "aes-256-gcm" => Contender::aead(id, operation, Evp::gcm(32)),
        "ocb3" => Contender::aead(id, operation, Evp::ocb3()),
        "aes-256-gcm-siv" => Contender::aead(id, operation, Evp::gcm_siv()),
        "ctx-aes-256-gcm" => Contender::aead(id, operation, ctx()),
        "xaes-256-gcm" => Contender::aead(id, operation, by_cmac(false)),
        "kc-xaes-256-gcm" => Contender::aead(id, operation, by_cmac(true)),
        _ => None,
    }
}

pub(super) fn compression(name: String, digest: Digest, times: u64) -> Contender {
    let evp = match digest {
        Digest::Sha256 => c"SHA2-256",
        Digest::Sha512 => c"SHA2-512",
        Digest::Blake2b => c"BLAKE2B-512",
    };
    Contender::compression(name, times, Hashing::new(evp))
}

pub(super) fn by_cmac(commits: bool) -> NonceDerived<Cmac<Aes>, Evp> {
    NonceDerived { derivation: Cmac::new(Aes::new()), gcm: Evp::gcm(32), commits }
}

pub(super) fn ctx() -> Ctx<Hmac<Sha256>, Evp> {
    Ctx { prf: Hmac::new(&KEY), gcm: Evp::gcm(32) }
}

/// A context that hashes.
struct Hashing(*mut DigestContext);

impl Hashing {
    fn new(name: &CStr) -> Self {
        // SAFETY: null means the default library, properties and parameters; the context keeps its
        // own reference to the digest.
        unsafe {
            let digest = EVP_MD_fetch(ptr::null_mut(), name.as_ptr(), ptr::null());
            let context = EVP_MD_CTX_new();
            assert!(!digest.is_null() && !context.is_null(), "OpenSSL has {name:?}");
            assert_eq!(EVP_DigestInit_ex2(context, digest, ptr::null()), 1);
            EVP_MD_free(digest);
            Self(context)
        }
    }
}

impl Compress for Hashing {
    #[inline]
    fn compress(&mut self, blocks: &[u8]) {
        // SAFETY: the context hashes, and the pointer is valid for the length beside it.
        let done = unsafe { EVP_DigestUpdate(self.0, blocks.as_ptr().cast(), blocks.len()) };
        assert_eq!(done, 1);
    }
}

impl Drop for Hashing {
    fn drop(&mut self) {
        // SAFETY: the context came from `EVP_MD_CTX_new` and is not used again.
        unsafe { EVP_MD_CTX_free(self.0) };
    }
}

/// A context that has a cipher and a key.
struct KeyedContext(*mut Context);

impl KeyedContext {
    fn new(name: &CStr, direction: c_int) -> Self {
        // SAFETY: null means the default library, properties and parameters; `KEY` is long enough
        // for every cipher; the context keeps its own reference to the cipher.
        unsafe {
            let cipher = EVP_CIPHER_fetch(ptr::null_mut(), name.as_ptr(), ptr::null());
            let context = EVP_CIPHER_CTX_new();
            assert!(!cipher.is_null() && !context.is_null(), "OpenSSL has {name:?}");
            let (key, none) = (KEY.as_ptr(), ptr::null());
            assert_eq!(EVP_CipherInit_ex2(context, cipher, key, none, direction, none.cast()), 1);
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
        // SAFETY: null keeps the cipher, the key or the nonce; key and nonce are longer than what
        // is read of them.
        let done = unsafe { EVP_CipherInit_ex2(self.0, cipher, key, nonce, direction, parameters) };
        assert_eq!(done, 1);
    }

    /// Turns `input` into bytes at `output`, and tells how many: a mode may keep back what is less
    /// than a block.
    ///
    /// # Safety
    /// `input` is readable and `output` null or writable for `len` bytes, and they are the same or
    /// do not overlap.
    #[inline]
    unsafe fn update(&self, input: *const u8, output: *mut u8, len: usize) -> usize {
        let len = c_int::try_from(len).expect("the message is not too long");
        let mut written = 0;
        // SAFETY: the caller vouches for both pointers.
        let done = unsafe { EVP_CipherUpdate(self.0, output, &raw mut written, input, len) };
        assert!(done == 1 && (0..=len).contains(&written));
        written as usize
    }

    /// Ends the message with the bytes of `output` that are still missing; false if its tag was
    /// wrong.
    #[inline]
    fn finish(&self, output: &mut [u8]) -> bool {
        let (mut last, mut written) = ([0; BLOCK], 0);
        // SAFETY: less than a block is left, and there is room for one.
        let done = unsafe { EVP_CipherFinal_ex(self.0, last.as_mut_ptr(), &raw mut written) };
        if done == 1 {
            assert_eq!(written as usize, output.len());
            output.copy_from_slice(&last[..output.len()]);
        }
        done == 1
    }
}

impl Drop for KeyedContext {
    fn drop(&mut self) {
        // SAFETY: the context came from `EVP_CIPHER_CTX_new` and is not used again.
        unsafe { EVP_CIPHER_CTX_free(self.0) };
    }
}

/// An AEAD with nonces of 12 bytes and tags of 16.
pub(super) struct Evp {
    keyed: KeyedContext,
    /// For OCB3, which chooses its code when it takes the key: a context that seals does not open.
    opener: Option<KeyedContext>,
    /// Whether it must be told that there is no associated data, lest it keeps the last message's.
    keeps_ad: bool,
}

impl Evp {
    pub(super) fn gcm(key_bytes: usize) -> Self {
        let name = if key_bytes == 32 { c"AES-256-GCM" } else { c"AES-128-GCM" };
        Self { keyed: KeyedContext::new(name, SEAL), opener: None, keeps_ad: false }
    }

    pub(super) fn ocb3() -> Self {
        let [keyed, opener] =
            [SEAL, OPEN].map(|direction| KeyedContext::new(c"AES-256-OCB", direction));
        Self { keyed, opener: Some(opener), keeps_ad: false }
    }

    pub(super) fn gcm_siv() -> Self {
        let keyed = KeyedContext::new(c"AES-256-GCM-SIV", SEAL);
        Self { keyed, opener: None, keeps_ad: true }
    }

    #[inline]
    fn opener(&self) -> &KeyedContext {
        self.opener.as_ref().unwrap_or(&self.keyed)
    }

    /// Takes associated data. If there is none, there is no call, as in programs without it.
    #[inline]
    fn authenticate(&self, keyed: &KeyedContext, ad: &[u8]) {
        if self.keeps_ad {
            // SAFETY: no byte of it is read.
            unsafe { keyed.update(ad.as_ptr(), ptr::null_mut(), 0) };
        }
        if !ad.is_empty() {
            // SAFETY: `ad` is readable, and an output of null means associated data.
            unsafe { keyed.update(ad.as_ptr(), ptr::null_mut(), ad.len()) };
        }
    }

    #[inline]
    fn encrypt(&self, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        self.authenticate(&self.keyed, ad);
        let data = message.as_mut_ptr();
        // SAFETY: the message is readable and writable.
        let written = unsafe { self.keyed.update(data, data, message.len()) };
        assert!(self.keyed.finish(&mut message[written..]));
        let tag = tag.as_mut_ptr().cast();
        // SAFETY: the tag is longer than the bytes that are written.
        let tagged =
            unsafe { EVP_CIPHER_CTX_ctrl(self.keyed.0, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag) };
        assert_eq!(tagged, 1);
    }

    /// The tag comes first, because AES-GCM-SIV decrypts with it.
    #[inline]
    fn decrypt(&self, ad: &[u8], sealed: &[u8], tag: &Tag, message: &mut [u8]) -> bool {
        assert_eq!(sealed.len(), message.len());
        let (keyed, tag) = (self.opener(), tag.as_ptr().cast_mut().cast());
        // SAFETY: this control only reads the tag, which is longer than the bytes that are read.
        let tagged = unsafe { EVP_CIPHER_CTX_ctrl(keyed.0, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag) };
        assert_eq!(tagged, 1);
        self.authenticate(keyed, ad);
        // SAFETY: `message` is writable for as many bytes as `sealed` is readable.
        let written = unsafe { keyed.update(sealed.as_ptr(), message.as_mut_ptr(), sealed.len()) };
        keyed.finish(&mut message[written..])
    }
}

/// Key and nonce are set in one call where both are new, which saves OpenSSL some work.
impl Aead for Evp {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.keyed.set(Some(key), None, SEAL);
        if let Some(opener) = &self.opener {
            opener.set(Some(key), None, OPEN);
        }
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        self.keyed.set(None, Some(nonce), SEAL);
        self.encrypt(ad, message, tag);
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
        self.opener().set(None, Some(nonce), OPEN);
        self.decrypt(ad, sealed, tag, message)
    }

    #[inline(always)]
    fn seal_once(
        &mut self,
        key: &Key,
        nonce: &Nonce,
        ad: &[u8],
        message: &mut [u8],
        tag: &mut Tag,
    ) {
        self.keyed.set(Some(key), Some(nonce), SEAL);
        self.encrypt(ad, message, tag);
    }

    #[inline(always)]
    fn open_once(
        &mut self,
        key: &Key,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        self.opener().set(Some(key), Some(nonce), OPEN);
        self.decrypt(ad, sealed, tag, message)
    }
}

pub(super) struct Aes(KeyedContext);

impl Aes {
    fn new() -> Self {
        let keyed = KeyedContext::new(c"AES-256-ECB", SEAL);
        // SAFETY: the context lives.
        assert_eq!(unsafe { EVP_CIPHER_CTX_set_padding(keyed.0, 0) }, 1);
        Self(keyed)
    }
}

impl Blocks for Aes {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.0.set(Some(key), None, SEAL);
    }

    #[inline]
    fn encrypt(&mut self, blocks: &mut [u8]) {
        let data = blocks.as_mut_ptr();
        // SAFETY: the blocks are readable and writable.
        let written = unsafe { self.0.update(data, data, blocks.len()) };
        assert_eq!(written, blocks.len());
    }
}

/// `SHA256_CTX`.
#[repr(C)]
#[derive(Clone)]
struct Sha256State {
    h: [u32; 8],
    bits: [u32; 2],
    data: [u32; 16],
    num: u32,
    md_len: u32,
}

#[derive(Clone)]
pub(super) struct Sha256(Sha256State);

impl Hash for Sha256 {
    #[inline]
    fn new() -> Self {
        let mut state = Sha256State { h: [0; 8], bits: [0; 2], data: [0; 16], num: 0, md_len: 0 };
        // SAFETY: the state has the layout that OpenSSL gives it.
        unsafe { SHA256_Init(&raw mut state) };
        Self(state)
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
