//! Prepared keys: an algorithm by its name, and its key, expanded once.
//!
//! A handle is read-only after it has been made, so that threads can share one. Here C says every
//! length, and each is checked: whose name is known only at run time has no fixed sizes.

use std::ffi::{c_char, c_int};

use crate::error::Result;
use crate::ffi::{
    Region, bytes, bytes_mut, catch_panic, catch_panic_or, expect_apart, expect_same_or_apart,
    hand_over, non_null, non_null_mut, release, text,
};
use crate::one_shot::{end_of, message_len};
use crate::prepared::expect_bytes;
pub use crate::prepared::polyseal_aead;

/// The handle, the associated data and the nonce.
///
/// # Safety
/// `aead` is null or a live handle, and the others lead to as many bytes as are said, during `'a`.
#[inline(always)]
unsafe fn read_inputs<'a>(
    aead: *const polyseal_aead,
    ad: *const u8,
    adlen: usize,
    npub: *const u8,
    npublen: usize,
) -> Result<(&'a polyseal_aead, &'a [u8], &'a [u8])> {
    // SAFETY: the caller's promise.
    unsafe { Ok((non_null(aead, "aead")?, bytes(ad, adlen)?, bytes(npub, npublen)?)) }
}

/// Prepares the key k, of klen bytes, for the algorithm of that name: a name of the list above,
/// with other sizes or parameters behind it if need be, as in
/// "omd-sha256:key=16,nonce=12,tag=16". Free it with polyseal_aead_free. Calls with a const handle
/// may come from several threads at once.
///
/// Errors: POLYSEAL_ERR_ALGORITHM; POLYSEAL_ERR_LENGTH for a key of another length;
/// POLYSEAL_ERR_UNSUPPORTED for a MAC. Then *aead is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_new(
    aead: *mut *mut polyseal_aead,
    name: *const c_char,
    k: *const u8,
    klen: usize,
) -> c_int {
    // SAFETY: what C promises.
    unsafe {
        hand_over(aead, || {
            polyseal_aead::new(&text(name, "the name")?.parse()?, bytes(k, klen)?, b"")
        })
    }
}

/// The same with setup associated data, which says what the key is for. Only Flex takes it: with
/// other algorithms, more than 0 bytes of it are POLYSEAL_ERR_UNSUPPORTED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_new_with_setup(
    aead: *mut *mut polyseal_aead,
    name: *const c_char,
    k: *const u8,
    klen: usize,
    setup: *const u8,
    setuplen: usize,
) -> c_int {
    // SAFETY: what C promises.
    unsafe {
        hand_over(aead, || {
            let (key, setup) = (bytes(k, klen)?, bytes(setup, setuplen)?);
            polyseal_aead::new(&text(name, "the name")?.parse()?, key, setup)
        })
    }
}

/// Wipes the key and frees the handle. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_free(aead: *mut polyseal_aead) {
    // SAFETY: what C promises.
    unsafe { release(aead) }
}

/// The length in bytes of the output of polyseal_aead_seal for a message of mlen bytes, in *clen:
/// mlen and a tag; with an algorithm that cuts into segments, a tag for each.
///
/// Errors: POLYSEAL_ERR_TOO_LONG above the algorithm's limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_sealedbytes(
    aead: *const polyseal_aead,
    mlen: usize,
    clen: *mut usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (aead, clen) = unsafe { (non_null(aead, "aead")?, non_null_mut(clen, "clen")?) };
        *clen = aead.sealed_bytes(mlen)?;
        Ok(())
    })
}

/// The length in bytes of the message in the clen bytes that polyseal_aead_seal wrote, in *mlen.
///
/// Errors: POLYSEAL_ERR_LENGTH if no message has that length once it is sealed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_openedbytes(
    aead: *const polyseal_aead,
    clen: usize,
    mlen: *mut usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (aead, mlen) = unsafe { (non_null(aead, "aead")?, non_null_mut(mlen, "mlen")?) };
        *mlen = aead.message_bytes(clen)?;
        Ok(())
    })
}

/// Seals m, of mlen bytes, into c, of clen bytes, which must be as many as
/// polyseal_aead_sealedbytes says. npub is the nonce: never twice under one key.
///
/// Errors: POLYSEAL_ERR_LENGTH for a nonce or an output of another length, POLYSEAL_ERR_TOO_LONG,
/// POLYSEAL_ERR_NULL, POLYSEAL_ERR_OVERLAP. Then nothing has been sealed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_seal(
    aead: *const polyseal_aead,
    c: *mut u8,
    clen: usize,
    m: *const u8,
    mlen: usize,
    ad: *const u8,
    adlen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        unsafe {
            let (aead, ad, nonce) = read_inputs(aead, ad, adlen, npub, npublen)?;
            aead.seal(c, clen, m, mlen, ad, nonce)
        }
    })
}

/// Opens c, of clen bytes, into m, of mlen bytes, which must be as many as
/// polyseal_aead_openedbytes says: clen without the tag. Where the algorithm hides the nonce,
/// npublen may be 0: it is in c.
///
/// Errors: POLYSEAL_ERR_UNAUTHENTIC: then m is zeros. POLYSEAL_ERR_LENGTH, POLYSEAL_ERR_TOO_LONG,
/// POLYSEAL_ERR_NULL and POLYSEAL_ERR_OVERLAP: then m has not been written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_open(
    aead: *const polyseal_aead,
    m: *mut u8,
    mlen: usize,
    c: *const u8,
    clen: usize,
    ad: *const u8,
    adlen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        unsafe {
            let (aead, ad, nonce) = read_inputs(aead, ad, adlen, npub, npublen)?;
            aead.open(m, mlen, c, clen, ad, nonce)
        }
    })
}

/// Seals m into c, of as many bytes, and writes the tag, of maclen bytes, to mac.
///
/// Errors: as polyseal_aead_seal; POLYSEAL_ERR_UNSUPPORTED where messages are cut into segments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_seal_detached(
    aead: *const polyseal_aead,
    c: *mut u8,
    mac: *mut u8,
    maclen: usize,
    m: *const u8,
    mlen: usize,
    ad: *const u8,
    adlen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        unsafe {
            let (aead, ad, nonce) = read_inputs(aead, ad, adlen, npub, npublen)?;
            expect_bytes("the tag", aead.sizes().tag, maclen)?;
            aead.seal_detached(c, mac, m, mlen, ad, nonce)
        }
    })
}

/// Opens c, of clen bytes, into m, of as many, if mac is its tag.
///
/// Errors: as polyseal_aead_open; POLYSEAL_ERR_UNSUPPORTED where messages are cut into segments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_open_detached(
    aead: *const polyseal_aead,
    m: *mut u8,
    c: *const u8,
    clen: usize,
    mac: *const u8,
    maclen: usize,
    ad: *const u8,
    adlen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        unsafe {
            let (aead, ad, nonce) = read_inputs(aead, ad, adlen, npub, npublen)?;
            expect_bytes("the tag", aead.sizes().tag, maclen)?;
            aead.open_detached(m, c, clen, mac, ad, nonce)
        }
    })
}

/// The length in bytes of the output of polyseal_aead_seal_random for a message of mlen bytes, in
/// *clen: a nonce more than polyseal_aead_sealedbytes, unless the algorithm hides it.
///
/// Errors: POLYSEAL_ERR_TOO_LONG above the algorithm's limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_randombytes(
    aead: *const polyseal_aead,
    mlen: usize,
    clen: *mut usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (aead, clen) = unsafe { (non_null(aead, "aead")?, non_null_mut(clen, "clen")?) };
        *clen = aead.sealed_bytes(mlen)? + aead.nonce_in_front();
        Ok(())
    })
}

/// Seals under a nonce drawn from the operating system, which is written to c in front of the rest:
/// there is no nonce to keep or to get wrong. clen is the length from polyseal_aead_randombytes.
///
/// Errors: as polyseal_aead_seal; POLYSEAL_ERR_UNSUPPORTED for an algorithm with which a key could
/// have fewer than 2^48 messages so, such as AES-GCM; POLYSEAL_ERR_RANDOM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_seal_random(
    aead: *const polyseal_aead,
    c: *mut u8,
    clen: usize,
    m: *const u8,
    mlen: usize,
    ad: *const u8,
    adlen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (aead, ad) = unsafe { (non_null(aead, "aead")?, bytes(ad, adlen)?) };
        expect_bytes("the output", aead.sealed_bytes(mlen)? + aead.nonce_in_front(), clen)?;
        expect_same_or_apart(Region::new(c, clen), Region::new(m, mlen))?;
        expect_apart(Region::new(c, clen), &[Region::from_slice(ad)])?;
        // SAFETY: what C promises; of the message nothing is read once it is sealed.
        let sealed = aead.any().seal_random_nonce(ad, unsafe { bytes(m, mlen) }?)?;
        // SAFETY: what C promises.
        unsafe { bytes_mut(c, clen) }?.copy_from_slice(&sealed);
        Ok(())
    })
}

/// Opens a message of polyseal_aead_seal_random. mlen is as many bytes as the message has.
///
/// Errors: as polyseal_aead_open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_open_random(
    aead: *const polyseal_aead,
    m: *mut u8,
    mlen: usize,
    c: *const u8,
    clen: usize,
    ad: *const u8,
    adlen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (aead, ad) = unsafe { (non_null(aead, "aead")?, bytes(ad, adlen)?) };
        let front = aead.nonce_in_front();
        let sealed = message_len(clen, front)?;
        // SAFETY: what C promises: there are `clen` bytes, and `front` is not more.
        unsafe {
            let nonce = bytes(c, front)?;
            let message = Region::new(m, mlen);
            if message.start == c.addr() {
                // The nonce is where the message goes.
                let nonce = nonce.to_vec();
                let moved = bytes(c, clen)?[front..].to_vec();
                return aead.open(m, mlen, moved.as_ptr(), sealed, ad, &nonce);
            }
            aead.open(m, mlen, end_of(c.cast_mut(), front)?, sealed, ad, nonce)
        }
    })
}

/// The length of its nonces in bytes; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_npubbytes(aead: *const polyseal_aead) -> usize {
    // SAFETY: what C promises.
    catch_panic_or(0, || Ok(unsafe { non_null(aead, "aead") }?.sizes().nonce))
}

/// The length of its tags in bytes; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_abytes(aead: *const polyseal_aead) -> usize {
    // SAFETY: what C promises.
    catch_panic_or(0, || Ok(unsafe { non_null(aead, "aead") }?.sizes().tag))
}
