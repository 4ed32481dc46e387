//! HiAE by its authors, in C: libhiae, if the build was told where its sources are. It finds this
//! CPU's instructions at run time, and its `HiAE_` functions have no key of their own to set up.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int};

use super::KEY;
use crate::contender::{Aead, Contender, Operation};
use crate::ring::{self, Nonce, Tag};

unsafe extern "C" {
    #[link_name = "libhiae_HiAE_init_library"]
    fn start() -> c_int;
    #[link_name = "libhiae_HiAE_get_implementation_name"]
    fn implementation() -> *const c_char;
    #[link_name = "libhiae_HiAE_encrypt"]
    fn encrypt(
        key: *const u8,
        nonce: *const u8,
        message: *const u8,
        sealed: *mut u8,
        len: usize,
        ad: *const u8,
        ad_len: usize,
        tag: *mut u8,
    ) -> c_int;
    #[link_name = "libhiae_HiAE_decrypt"]
    fn decrypt(
        key: *const u8,
        nonce: *const u8,
        message: *mut u8,
        sealed: *const u8,
        len: usize,
        ad: *const u8,
        ad_len: usize,
        tag: *const u8,
    ) -> c_int;
}

pub(super) fn version() -> String {
    let _ = Hiae::new();
    // SAFETY: the library has been started, and gives a constant that ends with a null byte.
    let implementation = unsafe { CStr::from_ptr(implementation()) };
    format!("libhiae ({}, -O3; {})", env!("LIBHIAE"), implementation.to_string_lossy())
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    (id == "hiae").then(|| Contender::aead(id, operation, Hiae::new()))?
}

pub(super) struct Hiae {
    key: ring::Key,
}

impl Hiae {
    pub(super) fn new() -> Self {
        // SAFETY: starting only finds out which instructions there are, and may be repeated.
        assert_eq!(unsafe { start() }, 0, "libhiae starts");
        Self { key: KEY }
    }
}

impl Aead for Hiae {
    #[inline(always)]
    fn rekey(&mut self, key: &ring::Key) {
        self.key = *key;
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        let (data, len) = (message.as_mut_ptr(), message.len());
        let (key, nonce) = (self.key.as_ptr(), nonce.as_ptr());
        // SAFETY: every pointer is valid for the length beside it, or for longer than a key, a
        // nonce or a tag. In and out may be the same: blocks are read before they are written.
        let status = unsafe {
            encrypt(key, nonce, data, data, len, ad.as_ptr(), ad.len(), tag.as_mut_ptr())
        };
        debug_assert_eq!(status, 0, "nothing is missing");
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
        let (key, nonce, out) = (self.key.as_ptr(), nonce.as_ptr(), message.as_mut_ptr());
        let (data, len) = (sealed.as_ptr(), sealed.len());
        // SAFETY: as above, and `message` is as long as `sealed`.
        let status =
            unsafe { decrypt(key, nonce, out, data, len, ad.as_ptr(), ad.len(), tag.as_ptr()) };
        status == 0
    }
}
