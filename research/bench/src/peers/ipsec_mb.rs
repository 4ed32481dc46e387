//! AES-GCM of Intel's library for IPsec, one message a call. The library leaves it to its user to
//! compare tags.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use subtle::ConstantTimeEq;

use super::KEY;
use crate::contender::{Aead, Contender, Operation};
use crate::ring;

type Crypt = unsafe extern "C" fn(
    key: *const KeyData,
    context: *mut Context,
    out: *mut u8,
    input: *const u8,
    len: u64,
    nonce: *const u8,
    ad: *const u8,
    ad_len: u64,
    tag: *mut u8,
    tag_len: u64,
);

/// The functions for one length of keys; the other half of this is `build/ipsec_mb.c`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Functions {
    pre: unsafe extern "C" fn(key: *const c_void, data: *mut KeyData),
    enc: Crypt,
    dec: Crypt,
}

/// Room for an expanded key; the C side checks that it suffices.
#[repr(C, align(64))]
struct KeyData([u8; 4096]);

/// Room for the state of a message that is under way, checked likewise.
#[repr(C, align(64))]
struct Context([u8; 256]);

unsafe extern "C" {
    fn polyseal_bench_ipsec_mb(table: *mut [Functions; 2]) -> *const c_char;
}

/// The version, and the functions for keys of 16 and 32 bytes.
fn library() -> &'static (String, [Functions; 2]) {
    static LIBRARY: OnceLock<(String, [Functions; 2])> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let mut table = core::mem::MaybeUninit::uninit();
        // SAFETY: the table has room for both; if the version is not null, it is a static string
        // and the table was filled.
        unsafe {
            let version = polyseal_bench_ipsec_mb(table.as_mut_ptr());
            assert!(!version.is_null(), "ipsec-mb has memory for its manager");
            (CStr::from_ptr(version).to_string_lossy().into_owned(), table.assume_init())
        }
    })
}

pub(super) fn version() -> String {
    format!("ipsec-mb ({})", library().0)
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    match id {
        "aes-128-gcm" => Contender::aead(id, operation, Gcm::new(16)),
        "aes-256-gcm" => Contender::aead(id, operation, Gcm::new(32)),
        _ => None,
    }
}

pub(super) struct Gcm {
    functions: Functions,
    key: Box<KeyData>,
    context: Box<Context>,
}

const TAG_BYTES: usize = 16;

impl Gcm {
    pub(super) fn new(key_bytes: usize) -> Self {
        let functions = library().1[usize::from(key_bytes == 32)];
        let (key, context) = (Box::new(KeyData([0; 4096])), Box::new(Context([0; 256])));
        let mut gcm = Self { functions, key, context };
        gcm.rekey(&KEY);
        gcm
    }

    /// # Safety
    /// `input` is readable and `out` writable for `len` bytes, and they are the same or do not
    /// overlap.
    #[inline]
    unsafe fn crypt(
        &mut self,
        crypt: Crypt,
        nonce: &ring::Nonce,
        ad: &[u8],
        input: *const u8,
        out: *mut u8,
        len: usize,
    ) -> [u8; TAG_BYTES] {
        let mut tag = [0; TAG_BYTES];
        // SAFETY: the key was expanded, the context has room, the nonce is longer than the 12 bytes
        // that are read, and the caller vouches for the message.
        unsafe {
            crypt(
                &raw const *self.key,
                &raw mut *self.context,
                out,
                input,
                len as u64,
                nonce.as_ptr(),
                ad.as_ptr(),
                ad.len() as u64,
                tag.as_mut_ptr(),
                TAG_BYTES as u64,
            );
        }
        tag
    }
}

impl Aead for Gcm {
    #[inline(always)]
    fn rekey(&mut self, key: &ring::Key) {
        // SAFETY: the key is as long as the longest, and the expanded one has room.
        unsafe { (self.functions.pre)(key.as_ptr().cast(), &raw mut *self.key) };
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &ring::Nonce, ad: &[u8], message: &mut [u8], tag: &mut ring::Tag) {
        let (data, len) = (message.as_mut_ptr(), message.len());
        // SAFETY: the message is readable and writable.
        let computed = unsafe { self.crypt(self.functions.enc, nonce, ad, data, data, len) };
        tag[..TAG_BYTES].copy_from_slice(&computed);
    }

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &ring::Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &ring::Tag,
        message: &mut [u8],
    ) -> bool {
        assert_eq!(sealed.len(), message.len());
        let (out, len) = (message.as_mut_ptr(), message.len());
        // SAFETY: `message` is writable for as many bytes as `sealed` is readable.
        let computed =
            unsafe { self.crypt(self.functions.dec, nonce, ad, sealed.as_ptr(), out, len) };
        computed.ct_eq(&tag[..TAG_BYTES]).into()
    }
}
