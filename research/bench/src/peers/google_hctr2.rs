//! HCTR2 with AES-256 by its authors, in C and in Linux's assembly, if the build was told where the
//! sources are. It enciphers, and neither lengthens a message nor refuses one. The tweak is the
//! nonce and the associated data; what depends on its length alone is computed beforehand, as its
//! authors have it.

#![allow(unsafe_code)]

use core::ffi::c_int;

use super::KEY;
use crate::contender::{Aead, Contender, Operation};
use crate::ring::{self, Nonce, Tag};

unsafe extern "C" {
    #[link_name = "google_polyseal_bench_hctr2_setkey"]
    fn set_key(context: *mut Context, key: *const u8);
    #[link_name = "google_polyseal_bench_hctr2_tweak_bytes"]
    fn set_tweak_bytes(context: *mut Context, bytes: usize);
    #[link_name = "google_polyseal_bench_hctr2"]
    fn crypt(
        context: *const Context,
        output: *mut u8,
        input: *const u8,
        len: usize,
        tweak: *const u8,
        tweak_len: usize,
        encrypt: c_int,
    );
}

pub(super) fn version() -> String {
    format!("google-hctr2 ({}, AES-256, enciphers only)", env!("GOOGLE_HCTR2"))
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    (id == "hctr2").then(|| Contender::aead(id, operation, Hctr2::new()))?
}

/// Room for `struct hctr2_ctx`.
#[repr(C, align(64))]
struct Context([u8; 1024]);

pub(super) struct Hctr2 {
    context: Box<Context>,
    tweak: Vec<u8>,
    /// Length of a tweak for which the context is prepared.
    tweak_bytes: usize,
}

const NONCE_BYTES: usize = 12;
const BLOCK: usize = 16;

impl Hctr2 {
    pub(super) fn new() -> Self {
        let context = Box::new(Context([0; 1024]));
        let mut new = Self { context, tweak: Vec::new(), tweak_bytes: 0 };
        new.rekey(&KEY);
        new
    }

    /// # Safety
    /// `len` bytes can be read from `input` and written to `output`, which may be the same.
    #[inline]
    unsafe fn crypt(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        (output, input, len): (*mut u8, *const u8, usize),
        encrypt: bool,
    ) {
        self.tweak.clear();
        self.tweak.extend_from_slice(&nonce[..NONCE_BYTES]);
        self.tweak.extend_from_slice(ad);
        let (tweak, tweak_bytes) = (self.tweak.as_ptr(), self.tweak.len());
        if self.tweak_bytes != tweak_bytes {
            // SAFETY: the context has a key.
            unsafe { set_tweak_bytes(&raw mut *self.context, tweak_bytes) };
            self.tweak_bytes = tweak_bytes;
        }
        assert!(len >= BLOCK, "HCTR2 begins at a block");
        let context = &raw const *self.context;
        // SAFETY: the context has a key; the rest is promised. Every block is read before it is
        // written, and the first one is written last.
        unsafe { crypt(context, output, input, len, tweak, tweak_bytes, encrypt.into()) };
    }
}

impl Aead for Hctr2 {
    #[inline(always)]
    fn rekey(&mut self, key: &ring::Key) {
        // SAFETY: the key is longer than the 32 bytes that are read, and the context has room.
        unsafe { set_key(&raw mut *self.context, key.as_ptr()) };
        // `set_key` prepares it for tweaks of a block.
        self.tweak_bytes = BLOCK;
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], _: &mut Tag) {
        let data = message.as_mut_ptr();
        // SAFETY: the message is that long.
        unsafe { self.crypt(nonce, ad, (data, data, message.len()), true) };
    }

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        _: &Tag,
        message: &mut [u8],
    ) -> bool {
        assert_eq!(sealed.len(), message.len());
        let text = (message.as_mut_ptr(), sealed.as_ptr(), sealed.len());
        // SAFETY: both are that long.
        unsafe { self.crypt(nonce, ad, text, false) };
        true
    }
}
