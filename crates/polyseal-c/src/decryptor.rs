//! Opening a message that arrives in pieces, and none of it before the whole is authentic.
//!
//! The decrypted bytes stay in memory of the library until the tag has been verified: C gives its
//! buffer only then. So no pointer leads to plaintext that is not verified.

use std::ffi::{c_char, c_int};
use std::fmt;
use std::mem::ManuallyDrop;

use zeroize::Zeroize;

use crate::encryptor::ongoing;
use crate::error::{Code, Failure, Result};
use crate::ffi::{bytes, bytes_mut, catch_panic, hand_over, non_null_mut, release, text};
use crate::pieces::{self, PieceOpener, Start};
use crate::prepared::expect_bytes;

/// A message on its way.
pub struct polyseal_decryptor {
    // Dropped before the memory that it writes to.
    state: Option<Box<dyn PieceOpener>>,
    _memory: LentMemory,
    taken: usize,
}

/// Memory that is lent to what decrypts for as long as that is there.
struct LentMemory {
    start: *mut u8,
    len: usize,
}

impl LentMemory {
    fn new(len: usize) -> Result<Self> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(len).map_err(|_| Failure::from_code(Code::Memory))?;
        memory.resize(len, 0_u8);
        let mut memory = ManuallyDrop::new(memory.into_boxed_slice());
        Ok(Self { start: memory.as_mut_ptr(), len })
    }

    /// # Safety
    /// It is lent once, and is not used once this has been dropped.
    unsafe fn lend(&mut self) -> &'static mut [u8] {
        // SAFETY: a slice of that length was made in `new`; the rest is the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

impl Drop for LentMemory {
    fn drop(&mut self) {
        let slice = std::ptr::slice_from_raw_parts_mut(self.start, self.len);
        // SAFETY: it was a box, which `new` has left to this; whom it was lent to is gone.
        let mut memory = unsafe { Box::from_raw(slice) };
        memory.zeroize();
    }
}

impl fmt::Debug for polyseal_decryptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("polyseal_decryptor").finish_non_exhaustive()
    }
}

/// Begins to open a message of at most mlen_max bytes that arrives in pieces: as much memory is set
/// aside for it. Free it with polyseal_decryptor_free.
///
/// Errors: POLYSEAL_ERR_UNSUPPORTED for an algorithm that takes no pieces; POLYSEAL_ERR_ALGORITHM,
/// POLYSEAL_ERR_LENGTH, POLYSEAL_ERR_MEMORY. Then *decryptor is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_decryptor_new(
    decryptor: *mut *mut polyseal_decryptor,
    name: *const c_char,
    k: *const u8,
    klen: usize,
    npub: *const u8,
    npublen: usize,
    ad: *const u8,
    adlen: usize,
    mlen_max: usize,
) -> c_int {
    // SAFETY: what C promises.
    unsafe {
        hand_over(decryptor, || {
            let (key, nonce, ad) = (bytes(k, klen)?, bytes(npub, npublen)?, bytes(ad, adlen)?);
            let name = text(name, "the name")?;
            let mut memory = LentMemory::new(mlen_max)?;
            // Lent once: `state` is dropped before `memory`, as it is here if it cannot be made.
            let state = pieces::open(name, Start { key, nonce, ad }, memory.lend())?;
            Ok(polyseal_decryptor { state: Some(state), _memory: memory, taken: 0 })
        })
    }
}

/// Takes the next piece of the ciphertext, c of clen bytes. Nothing of the message is given yet.
///
/// Errors: POLYSEAL_ERR_LENGTH if the message becomes longer than mlen_max, POLYSEAL_ERR_TOO_LONG:
/// then nothing of the piece has been taken. POLYSEAL_ERR_FINISHED after polyseal_decryptor_final.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_decryptor_update(
    decryptor: *mut polyseal_decryptor,
    c: *const u8,
    clen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (decryptor, piece) =
            unsafe { (non_null_mut(decryptor, "decryptor")?, bytes(c, clen)?) };
        ongoing(decryptor.state.as_mut())?.update(piece)?;
        decryptor.taken += clen;
        Ok(())
    })
}

/// Writes the message to m, of mlen bytes, which are as many as all pieces had, if mac, of maclen
/// bytes, is its tag. It ends the message in any case, and wipes the library's copy of it.
///
/// Errors: POLYSEAL_ERR_UNAUTHENTIC: then m is zeros. POLYSEAL_ERR_LENGTH for a message or tag of
/// another length; POLYSEAL_ERR_FINISHED the second time. Then m has not been written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_decryptor_final(
    decryptor: *mut polyseal_decryptor,
    m: *mut u8,
    mlen: usize,
    mac: *const u8,
    maclen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let decryptor = unsafe { non_null_mut(decryptor, "decryptor") }?;
        let state = ongoing(decryptor.state.take())?;
        expect_bytes("the output", decryptor.taken, mlen)?;
        let opened = {
            // SAFETY: what C promises; it is not read any more when the output is written to.
            let tag = unsafe { bytes(mac, maclen) }?;
            state.finish(tag)
        };
        // SAFETY: what C promises; C has no pointer to the library's memory.
        let output = unsafe { bytes_mut(m, mlen) }?;
        match opened {
            Ok(message) => {
                output.copy_from_slice(message);
                message.zeroize();
                Ok(())
            }
            Err(failure) => {
                if failure.code() == Code::Unauthentic {
                    output.zeroize();
                }
                Err(failure)
            }
        }
    })
}

/// Wipes the rest of the state and frees the handle. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_decryptor_free(decryptor: *mut polyseal_decryptor) {
    // SAFETY: what C promises.
    unsafe { release(decryptor) }
}
