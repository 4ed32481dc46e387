//! MACs with a nonce, AEGISMAC: one-shot, prepared, and of messages in pieces.

use std::ffi::{c_char, c_int};
use std::fmt;

use polyseal::any::AnyMac;
use polyseal::registry::Algorithm;

use crate::algorithms::{Row, RowKind, sizes};
use crate::encryptor::ongoing;
use crate::error::Result;
use crate::ffi::{
    Region, bytes, bytes_mut, catch_panic, expect_apart, hand_over, non_null, non_null_mut,
    release, text,
};
use crate::library::fill;
use crate::pieces::{self, PieceHasher, Start};
use crate::prepared::expect_bytes;

macro_rules! macs {
    ($($c:ident = $name:literal [$($size:literal),*];)*) => {
        /// The MACs that have functions of their own.
        pub(crate) const MACS: &[Row] = &[$(Row {
            c: stringify!($c),
            name: $name,
            sizes: [$($size),*],
            kind: RowKind::Mac,
        },)*];

        $(mod $c {
            use super::*;

            sizes!($c, $($size),*);

            #[unsafe(export_name = concat!("polyseal_", stringify!($c)))]
            unsafe extern "C" fn mac(
                mac: *mut u8,
                m: *const u8,
                mlen: usize,
                npub: *const u8,
                k: *const u8,
            ) -> c_int {
                // SAFETY: what C promises.
                catch_panic(|| unsafe { one_shot($name, mac, m, mlen, npub, k) })
            }

            #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_verify"))]
            unsafe extern "C" fn verify(
                mac: *const u8,
                m: *const u8,
                mlen: usize,
                npub: *const u8,
                k: *const u8,
            ) -> c_int {
                // SAFETY: what C promises.
                catch_panic(|| unsafe { one_shot_verify($name, mac, m, mlen, npub, k) })
            }
        })*
    };
}

macs! {
    aegis128l_mac = "aegis-128l-mac" [16, 16, 16];
    aegis128l_mac_tag32 = "aegis-128l-mac:tag=32" [16, 16, 32];
    aegis128x2_mac = "aegis-128x2-mac" [16, 16, 16];
    aegis128x2_mac_tag32 = "aegis-128x2-mac:tag=32" [16, 16, 32];
    aegis128x4_mac = "aegis-128x4-mac" [16, 16, 16];
    aegis128x4_mac_tag32 = "aegis-128x4-mac:tag=32" [16, 16, 32];
    aegis256_mac = "aegis-256-mac" [32, 32, 16];
    aegis256_mac_tag32 = "aegis-256-mac:tag=32" [32, 32, 32];
    aegis256x2_mac = "aegis-256x2-mac" [32, 32, 16];
    aegis256x2_mac_tag32 = "aegis-256x2-mac:tag=32" [32, 32, 32];
    aegis256x4_mac = "aegis-256x4-mac" [32, 32, 16];
    aegis256x4_mac_tag32 = "aegis-256x4-mac:tag=32" [32, 32, 32];
}

/// # Safety
/// The pointers lead to as many bytes as are said, or as the algorithm needs.
unsafe fn one_shot(
    name: &str,
    mac: *mut u8,
    m: *const u8,
    mlen: usize,
    npub: *const u8,
    k: *const u8,
) -> Result {
    let algorithm: Algorithm = name.parse()?;
    // SAFETY: the caller's promise.
    unsafe {
        let key = bytes(k, algorithm.key_bytes())?;
        let nonce = bytes(npub, algorithm.nonce_bytes())?;
        expect_apart(Region::new(mac, algorithm.tag_bytes()), &[Region::from_slice(key)])?;
        polyseal_mac::new(&algorithm, key)?.compute(mac, algorithm.tag_bytes(), m, mlen, nonce)
    }
}

/// # Safety
/// As [`one_shot`].
unsafe fn one_shot_verify(
    name: &str,
    mac: *const u8,
    m: *const u8,
    mlen: usize,
    npub: *const u8,
    k: *const u8,
) -> Result {
    let algorithm: Algorithm = name.parse()?;
    // SAFETY: the caller's promise.
    let (key, nonce, message, tag) = unsafe {
        (
            bytes(k, algorithm.key_bytes())?,
            bytes(npub, algorithm.nonce_bytes())?,
            bytes(m, mlen)?,
            bytes(mac, algorithm.tag_bytes())?,
        )
    };
    Ok(AnyMac::new(&algorithm, key)?.verify(nonce, message, tag)?)
}

/// A key, prepared for one MAC.
#[derive(Debug)]
pub struct polyseal_mac(AnyMac);

// Threads may share a handle.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<polyseal_mac>();
};

impl polyseal_mac {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self> {
        Ok(Self(AnyMac::new(algorithm, key)?))
    }

    /// # Safety
    /// `mac` and `m` lead to as many bytes as are said.
    unsafe fn compute(
        &self,
        mac: *mut u8,
        maclen: usize,
        m: *const u8,
        mlen: usize,
        nonce: &[u8],
    ) -> Result {
        expect_bytes("the tag", self.0.algorithm().tag_bytes(), maclen)?;
        // SAFETY: the caller's promise.
        let message = unsafe { bytes(m, mlen) }?;
        expect_apart(
            Region::new(mac, maclen),
            &[Region::from_slice(message), Region::from_slice(nonce)],
        )?;
        let tag = self.0.mac(nonce, message)?;
        // SAFETY: the caller's promise, and that nothing else lies there has been checked.
        unsafe { bytes_mut(mac, maclen) }?.copy_from_slice(&tag);
        Ok(())
    }
}

/// Prepares the key k, of klen bytes, for the MAC of that name, such as "aegis-128x2-mac:tag=32".
/// Free it with polyseal_mac_free. Calls with a const handle may come from several threads at once.
///
/// Errors: POLYSEAL_ERR_ALGORITHM, POLYSEAL_ERR_LENGTH; POLYSEAL_ERR_UNSUPPORTED for an AEAD. Then
/// *mac is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_mac_new(
    mac: *mut *mut polyseal_mac,
    name: *const c_char,
    k: *const u8,
    klen: usize,
) -> c_int {
    // SAFETY: what C promises.
    unsafe {
        hand_over(mac, || polyseal_mac::new(&text(name, "the name")?.parse()?, bytes(k, klen)?))
    }
}

/// Writes the tag of m, of mlen bytes, to tag, of taglen bytes. A nonce may be used again.
///
/// Errors: POLYSEAL_ERR_LENGTH, POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_NULL, POLYSEAL_ERR_OVERLAP.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_mac_compute(
    mac: *const polyseal_mac,
    tag: *mut u8,
    taglen: usize,
    m: *const u8,
    mlen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        unsafe { non_null(mac, "mac")?.compute(tag, taglen, m, mlen, bytes(npub, npublen)?) }
    })
}

/// Gives 0 if tag, of taglen bytes, is that of m, which it compares in constant time.
///
/// Errors: POLYSEAL_ERR_UNAUTHENTIC if it is not; otherwise as polyseal_mac_compute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_mac_verify(
    mac: *const polyseal_mac,
    tag: *const u8,
    taglen: usize,
    m: *const u8,
    mlen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (mac, nonce, message, tag) = unsafe {
            (non_null(mac, "mac")?, bytes(npub, npublen)?, bytes(m, mlen)?, bytes(tag, taglen)?)
        };
        Ok(mac.0.verify(nonce, message, tag)?)
    })
}

/// Wipes the key and frees the handle. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_mac_free(mac: *mut polyseal_mac) {
    // SAFETY: what C promises.
    unsafe { release(mac) }
}

/// A MAC of a message that comes in pieces.
pub struct polyseal_macstate(Option<Box<dyn PieceHasher>>);

impl fmt::Debug for polyseal_macstate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("polyseal_macstate").finish_non_exhaustive()
    }
}

/// Begins the MAC of a message that arrives in pieces. Free it with polyseal_macstate_free.
///
/// Errors: as polyseal_mac_new, and POLYSEAL_ERR_LENGTH for a nonce of another length. Then *state
/// is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_macstate_new(
    state: *mut *mut polyseal_macstate,
    name: *const c_char,
    k: *const u8,
    klen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    // SAFETY: what C promises.
    unsafe {
        hand_over(state, || {
            let start = Start { key: bytes(k, klen)?, nonce: bytes(npub, npublen)?, ad: b"" };
            Ok(polyseal_macstate(Some(pieces::hash(text(name, "the name")?, start)?)))
        })
    }
}

/// Takes the next piece, m of mlen bytes.
///
/// Errors: POLYSEAL_ERR_TOO_LONG; POLYSEAL_ERR_FINISHED after the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_macstate_update(
    state: *mut polyseal_macstate,
    m: *const u8,
    mlen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (state, piece) = unsafe { (non_null_mut(state, "state")?, bytes(m, mlen)?) };
        Ok(ongoing(state.0.as_mut())?.update(piece)?)
    })
}

/// Writes the tag of all pieces to tag, of taglen bytes, and ends the message.
///
/// Errors: POLYSEAL_ERR_LENGTH: then the message has ended all the same. POLYSEAL_ERR_FINISHED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_macstate_final(
    state: *mut polyseal_macstate,
    tag: *mut u8,
    taglen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (state, tag) = unsafe { (non_null_mut(state, "state")?, bytes_mut(tag, taglen)?) };
        ongoing(state.0.take())?.finish(tag)
    })
}

/// Gives 0 if tag, of taglen bytes, is that of all pieces, and ends the message.
///
/// Errors: POLYSEAL_ERR_UNAUTHENTIC if it is not; otherwise as polyseal_macstate_final.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_macstate_verify(
    state: *mut polyseal_macstate,
    tag: *const u8,
    taglen: usize,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (state, tag) = unsafe { (non_null_mut(state, "state")?, bytes(tag, taglen)?) };
        ongoing(state.0.take())?.verify(tag)
    })
}

/// Wipes the rest of the state and frees the handle. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_macstate_free(state: *mut polyseal_macstate) {
    // SAFETY: what C promises.
    unsafe { release(state) }
}
