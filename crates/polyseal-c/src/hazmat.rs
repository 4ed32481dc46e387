//! Ciphers that are no AEADs, for experts.
//!
//! How inputs and outputs lie is checked as for AEADs (`prepared.rs`).

use std::ffi::{c_char, c_int};

use polyseal::hazmat::WideBlock;
use zeroize::Zeroize;

use crate::error::{Code, Failure, Result};
use crate::ffi::{
    Region, bytes, bytes_mut, catch_panic, catch_panic_or, expect_apart, expect_same_or_apart,
    hand_over, non_null, release, text,
};
use crate::prepared::expect_bytes;

/// A wide-block cipher under its key.
#[derive(Debug)]
pub struct polyseal_hazmat_wide_block(WideBlock);

// Threads may share a handle.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<polyseal_hazmat_wide_block>();
};

/// The cipher of that name under the key k, of 16 to 1024 bytes, with setup associated data, which
/// says what the key is for. Free it with polyseal_hazmat_wide_block_free.
///
/// Errors: POLYSEAL_ERR_ALGORITHM; POLYSEAL_ERR_LENGTH for a key of another length. Then *cipher is
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_hazmat_wide_block_new(
    cipher: *mut *mut polyseal_hazmat_wide_block,
    name: *const c_char,
    k: *const u8,
    klen: usize,
    setup: *const u8,
    setuplen: usize,
) -> c_int {
    // SAFETY: what C promises.
    unsafe {
        hand_over(cipher, || {
            let (key, setup) = (bytes(k, klen)?, bytes(setup, setuplen)?);
            let cipher = WideBlock::by_name(text(name, "the name")?, key, setup)?;
            Ok(polyseal_hazmat_wide_block(cipher))
        })
    }
}

/// Wipes the key and frees the handle. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_hazmat_wide_block_free(cipher: *mut polyseal_hazmat_wide_block) {
    // SAFETY: what C promises.
    unsafe { release(cipher) }
}

/// How many bytes longer than its message a ciphertext is: the stretch, and the nonce if it is
/// hidden; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_hazmat_wide_block_overheadbytes(
    cipher: *const polyseal_hazmat_wide_block,
) -> usize {
    // SAFETY: what C promises.
    catch_panic_or(0, || Ok(unsafe { non_null(cipher, "the cipher") }?.0.config().overhead_bytes()))
}

/// Enciphers m, of mlen bytes, into c, of clen bytes, which must be mlen and the overhead. The
/// nonce npub and ad are the tweak: under one tweak, equal messages are seen to be equal.
///
/// Errors: POLYSEAL_ERR_LENGTH for a nonce or an output of another length, POLYSEAL_ERR_TOO_LONG,
/// POLYSEAL_ERR_NULL, POLYSEAL_ERR_OVERLAP. Then nothing has been written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_hazmat_wide_block_encipher(
    cipher: *const polyseal_hazmat_wide_block,
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
        let (cipher, ad, nonce) =
            unsafe { (non_null(cipher, "the cipher")?, bytes(ad, adlen)?, bytes(npub, npublen)?) };
        let expected = cipher.0.config().ciphertext_bytes(mlen as u64);
        let expected = expected.and_then(|bytes| usize::try_from(bytes).ok());
        let expected = expected.ok_or_else(|| Failure::from_code(Code::TooLong))?;
        expect_bytes("the output", expected, clen)?;
        expect_lies(Region::new(c, clen), Region::new(m, mlen), ad, nonce)?;
        // SAFETY: what C promises; of the message nothing is read once it is enciphered.
        let enciphered = cipher.0.encipher(nonce, ad, unsafe { bytes(m, mlen) }?)?;
        // SAFETY: what C promises.
        unsafe { bytes_mut(c, clen) }?.copy_from_slice(&enciphered);
        Ok(())
    })
}

/// Deciphers c, of clen bytes, into m, of mlen bytes, which must be clen without the stretch. Where
/// the nonce is hidden, npublen is 0.
///
/// Without a stretch it succeeds with every c, key and tweak: it authenticates nothing.
///
/// Errors: POLYSEAL_ERR_UNAUTHENTIC if the stretch is not zeros: then m is zeros.
/// POLYSEAL_ERR_LENGTH, POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_NULL and POLYSEAL_ERR_OVERLAP: then m
/// has not been written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_hazmat_wide_block_decipher(
    cipher: *const polyseal_hazmat_wide_block,
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
        let (cipher, ad, nonce) =
            unsafe { (non_null(cipher, "the cipher")?, bytes(ad, adlen)?, bytes(npub, npublen)?) };
        let stretch = cipher.0.config().overhead_bytes();
        let expected = clen.checked_sub(stretch).ok_or_else(|| {
            let text = format!("the ciphertext has {clen} bytes, and the stretch alone {stretch}");
            Failure::new(Code::Length, text)
        })?;
        expect_bytes("the output", expected, mlen)?;
        expect_lies(Region::new(m, mlen), Region::new(c, clen), ad, nonce)?;
        // SAFETY: what C promises; of the ciphertext nothing is read once it is deciphered.
        let opened = cipher.0.decipher(nonce, ad, unsafe { bytes(c, clen) }?);
        // SAFETY: what C promises, and nothing reads the ciphertext any more.
        let output = unsafe { bytes_mut(m, mlen) }?;
        match opened {
            Ok(opened) => output.copy_from_slice(&opened.message),
            Err(polyseal::Error::Unauthentic) => {
                output.zeroize();
                return Err(polyseal::Error::Unauthentic.into());
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    })
}

/// Refuses an output that lies in an input without beginning with it, or in the tweak.
fn expect_lies(output: Region, input: Region, ad: &[u8], nonce: &[u8]) -> Result {
    expect_same_or_apart(output, input)?;
    expect_apart(output, &[Region::from_slice(ad), Region::from_slice(nonce)])
}
