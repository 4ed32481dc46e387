//! AEZ by one of its authors, in C, in the package `aez`, whose build compiles it for this very
//! CPU. The C functions are called directly, because the crate has no call for work in place. It
//! enciphers, and with no zeros to check it neither lengthens a message nor refuses one.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_uint};

// Links the crate's build of the C code.
use aez as _;

use super::KEY;
use crate::contender::{Aead, Contender, Operation};
use crate::ring::{self, Nonce, Tag};

pub(super) fn version() -> String {
    String::from("aez (0.0.7, AEZ v5, enciphers only; -march=native)")
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    (id == "aez").then(|| Contender::aead(id, operation, Aez::new()))?
}

/// `aez_ctx_t`, as long as the crate has it.
#[repr(C, align(16))]
struct Context([u8; 144]);

unsafe extern "C" {
    fn aez_setup(key: *const u8, key_len: c_uint, context: *mut Context);
    fn aez_encrypt(
        context: *mut Context,
        nonce: *const u8,
        nonce_len: c_uint,
        ad: *const u8,
        ad_len: c_uint,
        zeros: c_uint,
        input: *const u8,
        len: c_uint,
        output: *mut u8,
    );
    fn aez_decrypt(
        context: *mut Context,
        nonce: *const u8,
        nonce_len: c_uint,
        ad: *const u8,
        ad_len: c_uint,
        zeros: c_uint,
        input: *const u8,
        len: c_uint,
        output: *mut u8,
    ) -> c_int;
}

pub(super) struct Aez {
    context: Context,
    ad: Vec<u8>,
}

/// Keys of another length would be hashed.
const KEY_BYTES: c_uint = 48;
/// A block, AEZ's usual.
const NONCE_BYTES: c_uint = 16;

impl Aez {
    pub(super) fn new() -> Self {
        Self { context: expand(&KEY), ad: Vec::new() }
    }
}

fn expand(key: &ring::Key) -> Context {
    let mut context = Context([0; 144]);
    // SAFETY: the key is longer than the bytes that are read, and the context has room.
    unsafe { aez_setup(key.as_ptr(), KEY_BYTES, &raw mut context) };
    context
}

/// Associated data where as many whole blocks can be read: the last one is read as if it were full.
#[inline]
fn whole_blocks(ad: &[u8], copy: &mut Vec<u8>) -> *const u8 {
    if ad.len().is_multiple_of(16) {
        return ad.as_ptr();
    }
    copy.clear();
    copy.extend_from_slice(ad);
    copy.extend_from_slice(&[0; 16]);
    copy.as_ptr()
}

fn int(len: usize) -> c_uint {
    c_uint::try_from(len).expect("nothing is longer than 1 GiB")
}

impl Aead for Aez {
    #[inline(always)]
    fn rekey(&mut self, key: &ring::Key) {
        self.context = expand(key);
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], _: &mut Tag) {
        let (data, len) = (message.as_mut_ptr(), int(message.len()));
        // SAFETY: every pointer is valid for the length beside it. In and out may be the same:
        // every block is read before it is written, and the last two before anything is.
        unsafe {
            aez_encrypt(
                &raw mut self.context,
                nonce.as_ptr(),
                NONCE_BYTES,
                whole_blocks(ad, &mut self.ad),
                int(ad.len()),
                0,
                data,
                len,
                data,
            );
        }
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
        // SAFETY: every pointer is valid for the length beside it, and `message` is as long as
        // `sealed`.
        let status = unsafe {
            aez_decrypt(
                &raw mut self.context,
                nonce.as_ptr(),
                NONCE_BYTES,
                whole_blocks(ad, &mut self.ad),
                int(ad.len()),
                0,
                sealed.as_ptr(),
                int(sealed.len()),
                message.as_mut_ptr(),
            )
        };
        status == 0
    }
}
