//! Sealing a message that arrives in pieces.
//!
//! A handle is one message's and is used by one thread at a time. After its end it takes no more.

use std::ffi::{c_char, c_int};
use std::fmt;

use crate::error::{Code, Failure, Result};
use crate::ffi::{
    Region, bytes, bytes_mut, catch_panic, expect_same_or_apart, hand_over, non_null_mut, release,
    text, transfer,
};
use crate::pieces::{self, PieceSealer, Start};

/// A message on its way.
pub struct polyseal_encryptor(Option<Box<dyn PieceSealer>>);

impl fmt::Debug for polyseal_encryptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("polyseal_encryptor").finish_non_exhaustive()
    }
}

/// The state, unless the message has ended.
pub(crate) fn ongoing<T>(state: Option<T>) -> Result<T> {
    state.ok_or_else(|| Failure::from_code(Code::Finished))
}

/// Begins to seal a message that arrives in pieces, under a key of klen bytes and a nonce of
/// npublen bytes, which is never used twice under one key. Free it with polyseal_encryptor_free.
///
/// Errors: POLYSEAL_ERR_UNSUPPORTED for an algorithm that takes no pieces;
/// POLYSEAL_ERR_ALGORITHM, POLYSEAL_ERR_LENGTH. Then *encryptor is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_encryptor_new(
    encryptor: *mut *mut polyseal_encryptor,
    name: *const c_char,
    k: *const u8,
    klen: usize,
    npub: *const u8,
    npublen: usize,
    ad: *const u8,
    adlen: usize,
) -> c_int {
    // SAFETY: what C promises.
    unsafe {
        hand_over(encryptor, || {
            let (key, nonce, ad) = (bytes(k, klen)?, bytes(npub, npublen)?, bytes(ad, adlen)?);
            let started = pieces::seal(text(name, "the name")?, Start { key, nonce, ad })?;
            Ok(polyseal_encryptor(Some(started)))
        })
    }
}

/// Seals the next piece, m of mlen bytes, into as many bytes of c, which may be m itself.
///
/// Errors: POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_OVERLAP, POLYSEAL_ERR_NULL: then nothing of the
/// piece has been taken. POLYSEAL_ERR_FINISHED after polyseal_encryptor_final.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_encryptor_update(
    encryptor: *mut polyseal_encryptor,
    c: *mut u8,
    m: *const u8,
    mlen: usize,
) -> c_int {
    catch_panic(|| {
        expect_same_or_apart(Region::new(c, mlen), Region::new(m, mlen))?;
        // SAFETY: what C promises, and how they lie has been checked.
        let (encryptor, buffer) =
            unsafe { (non_null_mut(encryptor, "encryptor")?, transfer(m, c, mlen)?) };
        Ok(ongoing(encryptor.0.as_mut())?.update(buffer)?)
    })
}

/// Writes the tag, of maclen bytes, to mac, and ends the message.
///
/// Errors: POLYSEAL_ERR_LENGTH for a tag of another length: then nothing has been written, and the
/// message has ended all the same. POLYSEAL_ERR_FINISHED the second time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_encryptor_final(
    encryptor: *mut polyseal_encryptor,
    mac: *mut u8,
    maclen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (encryptor, mac) =
            unsafe { (non_null_mut(encryptor, "encryptor")?, bytes_mut(mac, maclen)?) };
        ongoing(encryptor.0.take())?.finish(mac)
    })
}

/// Wipes the rest of the state and frees the handle. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_encryptor_free(encryptor: *mut polyseal_encryptor) {
    // SAFETY: what C promises.
    unsafe { release(encryptor) }
}
