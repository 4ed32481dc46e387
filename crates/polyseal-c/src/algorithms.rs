//! The list of algorithms that have functions of their own, and these functions.
//!
//! A name is the registry's, with its hyphens as underscores but for those before a number, `gcm`
//! and `siv`: `kc-xaes-256-gcm` is `kc_xaes256gcm`. Every row of the registry is here, and what of
//! its other sizes has a type that is much used; the rest is had by [name](crate::aead).
//! `tests/algorithms.rs` compares the list with the registry.
//!
//! Each call expands the key anew and wipes it: for more than one message under a key,
//! `polyseal_aead_new` is faster.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::LazyLock;

use polyseal::aegis::{
    Aegis128L, Aegis128LTag32, Aegis128X2, Aegis128X2Tag32, Aegis128X4, Aegis128X4Tag32, Aegis256,
    Aegis256Tag32, Aegis256X2, Aegis256X2Tag32, Aegis256X4, Aegis256X4Tag32,
};
use polyseal::gcm::{Aes128Gcm, Aes256Gcm, Aes256GcmSiv, KcXaes256Gcm, Xaes256Gcm};
use polyseal::registry::{Algorithm, Kind, families};

#[cfg(feature = "flex")]
use crate::error::{Code, Failure};
use crate::ffi::{catch_panic, catch_panic_or, non_null_mut, text};
use crate::library::fill;
use crate::one_shot::{Buffers, ByName, ByType, CallInputs, OneShot};

/// An algorithm that has functions of its own.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name in C, behind `polyseal_`.
    pub c: &'static str,
    /// Its name in the registry.
    pub name: &'static str,
    /// The lengths of key, nonce and tag in bytes.
    pub sizes: [usize; 3],
    /// Which functions it has.
    pub kind: RowKind,
}

/// Which functions an algorithm has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// All of an AEAD.
    Aead,
    /// The same without detached ones: the message is cut into segments.
    Segmented,
    /// The functions of a MAC.
    Mac,
}

/// How the algorithm is found: by its type, or by its name.
macro_rules! one_shot {
    ($cipher:ty) => { ByType<$cipher> };
    () => { ByName };
}

/// A function with a name that begins with that of the algorithm.
macro_rules! sizes {
    ($c:ident, $keybytes:literal, $npubbytes:literal, $abytes:literal) => {
        #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_keybytes"))]
        extern "C" fn keybytes() -> usize {
            $keybytes
        }

        #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_npubbytes"))]
        extern "C" fn npubbytes() -> usize {
            $npubbytes
        }

        #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_abytes"))]
        extern "C" fn abytes() -> usize {
            $abytes
        }

        #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_keygen"))]
        unsafe extern "C" fn keygen(k: *mut u8) -> c_int {
            // SAFETY: what C promises: there is room for a key.
            catch_panic(|| unsafe { fill(k, $keybytes) })
        }
    };
}

pub(crate) use sizes;

macro_rules! whole {
    ($c:ident, $name:literal, $kind:ty) => {
        #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_messagebytes_max"))]
        extern "C" fn messagebytes_max() -> usize {
            catch_panic_or(0, || {
                let longest = $name.parse::<Algorithm>()?.max_message_bytes();
                Ok(usize::try_from(longest).unwrap_or(usize::MAX))
            })
        }

        #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_encrypt"))]
        unsafe extern "C" fn encrypt(
            c: *mut u8,
            m: *const u8,
            mlen: usize,
            ad: *const u8,
            adlen: usize,
            npub: *const u8,
            k: *const u8,
        ) -> c_int {
            // SAFETY: what C promises.
            catch_panic(|| unsafe {
                let text = Buffers { output: c, input: m, len: mlen };
                <$kind>::seal_whole($name, text, CallInputs { ad, adlen, npub, k })
            })
        }

        #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_decrypt"))]
        unsafe extern "C" fn decrypt(
            m: *mut u8,
            c: *const u8,
            clen: usize,
            ad: *const u8,
            adlen: usize,
            npub: *const u8,
            k: *const u8,
        ) -> c_int {
            // SAFETY: what C promises.
            catch_panic(|| unsafe {
                let text = Buffers { output: m, input: c, len: clen };
                <$kind>::open_whole($name, text, CallInputs { ad, adlen, npub, k })
            })
        }
    };
}

macro_rules! aeads {
    ($($(#[$build:meta])* $c:ident = $name:literal [$($size:literal),*] $($cipher:ty)?;)*) => {
        const AEADS: &[Row] = &[$($(#[$build])* Row {
            c: stringify!($c),
            name: $name,
            sizes: [$($size),*],
            kind: RowKind::Aead,
        },)*];

        $($(#[$build])* mod $c {
            use super::*;

            type Kind = one_shot!($($cipher)?);

            sizes!($c, $($size),*);
            whole!($c, $name, Kind);

            #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_encrypt_detached"))]
            unsafe extern "C" fn encrypt_detached(
                c: *mut u8,
                mac: *mut u8,
                m: *const u8,
                mlen: usize,
                ad: *const u8,
                adlen: usize,
                npub: *const u8,
                k: *const u8,
            ) -> c_int {
                // SAFETY: what C promises.
                catch_panic(|| unsafe {
                    let text = Buffers { output: c, input: m, len: mlen };
                    Kind::seal($name, text, mac, CallInputs { ad, adlen, npub, k })
                })
            }

            #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_decrypt_detached"))]
            unsafe extern "C" fn decrypt_detached(
                m: *mut u8,
                c: *const u8,
                clen: usize,
                mac: *const u8,
                ad: *const u8,
                adlen: usize,
                npub: *const u8,
                k: *const u8,
            ) -> c_int {
                // SAFETY: what C promises.
                catch_panic(|| unsafe {
                    let text = Buffers { output: m, input: c, len: clen };
                    Kind::open($name, text, mac, CallInputs { ad, adlen, npub, k })
                })
            }
        })*
    };
}

macro_rules! segmented {
    ($($(#[$build:meta])* $c:ident = $name:literal [$($size:literal),*];)*) => {
        const SEGMENTED: &[Row] = &[$($(#[$build])* Row {
            c: stringify!($c),
            name: $name,
            sizes: [$($size),*],
            kind: RowKind::Segmented,
        },)*];

        $($(#[$build])* mod $c {
            use super::*;

            sizes!($c, $($size),*);
            whole!($c, $name, ByName);

            #[unsafe(export_name = concat!("polyseal_", stringify!($c), "_sealedbytes"))]
            extern "C" fn sealedbytes(mlen: usize) -> usize {
                catch_panic_or(0, || {
                    let sealed = $name.parse::<Algorithm>()?.ciphertext_bytes(mlen as u64);
                    let sealed = sealed.and_then(|bytes| bytes.try_into().ok());
                    sealed.ok_or_else(|| Failure::from_code(Code::TooLong))
                })
            }
        })*
    };
}

aeads! {
    aegis128l = "aegis-128l" [16, 16, 16] Aegis128L;
    aegis128l_tag32 = "aegis-128l:tag=32" [16, 16, 32] Aegis128LTag32;
    aegis128x2 = "aegis-128x2" [16, 16, 16] Aegis128X2;
    aegis128x2_tag32 = "aegis-128x2:tag=32" [16, 16, 32] Aegis128X2Tag32;
    aegis128x4 = "aegis-128x4" [16, 16, 16] Aegis128X4;
    aegis128x4_tag32 = "aegis-128x4:tag=32" [16, 16, 32] Aegis128X4Tag32;
    aegis256 = "aegis-256" [32, 32, 16] Aegis256;
    aegis256_tag32 = "aegis-256:tag=32" [32, 32, 32] Aegis256Tag32;
    aegis256x2 = "aegis-256x2" [32, 32, 16] Aegis256X2;
    aegis256x2_tag32 = "aegis-256x2:tag=32" [32, 32, 32] Aegis256X2Tag32;
    aegis256x4 = "aegis-256x4" [32, 32, 16] Aegis256X4;
    aegis256x4_tag32 = "aegis-256x4:tag=32" [32, 32, 32] Aegis256X4Tag32;
    aes128gcm = "aes-128-gcm" [16, 12, 16] Aes128Gcm;
    aes256gcm = "aes-256-gcm" [32, 12, 16] Aes256Gcm;
    xaes256gcm = "xaes-256-gcm" [32, 24, 16] Xaes256Gcm;
    kc_xaes256gcm = "kc-xaes-256-gcm" [32, 24, 48] KcXaes256Gcm;
    aes256gcmsiv = "aes-256-gcm-siv" [32, 12, 16] Aes256GcmSiv;
    dndkgcm = "dndk-gcm" [32, 24, 16];
    dndkgcm_kc = "dndk-gcm:kc=1" [32, 24, 48];
    h_aes256gcm = "h-aes-256-gcm" [32, 24, 16];
    h_kc_aes256gcm = "h-kc-aes-256-gcm" [32, 24, 48];
    hkdf_committed_aes256gcm = "hkdf-committed-aes-256-gcm" [32, 32, 48];
    padding_fix_aes256gcm = "padding-fix-aes-256-gcm" [32, 12, 48];
    ctx_aes256gcm = "ctx-aes-256-gcm" [32, 12, 32];
    ctx_aegis128l = "ctx-aegis-128l" [16, 16, 32];
    ctx_aegis128x2 = "ctx-aegis-128x2" [16, 16, 32];
    ctx_aegis128x4 = "ctx-aegis-128x4" [16, 16, 32];
    ctx_aegis256 = "ctx-aegis-256" [32, 32, 32];
    ctx_aegis256x2 = "ctx-aegis-256x2" [32, 32, 32];
    ctx_aegis256x4 = "ctx-aegis-256x4" [32, 32, 32];
    #[cfg(feature = "flex")]
    flex_och = "flex-och" [32, 32, 64];
    #[cfg(feature = "flex")]
    flex_och_public = "flex-och-public" [32, 24, 32];
    #[cfg(feature = "flex")]
    flex_och_transport = "flex-och-transport" [32, 12, 16];
    #[cfg(feature = "flex")]
    flex_civ = "flex-civ" [32, 32, 64];
    #[cfg(feature = "flex")]
    flex_civ_public = "flex-civ-public" [32, 24, 32];
    #[cfg(feature = "flex")]
    flex_robust = "flex-robust" [32, 24, 32];
    #[cfg(feature = "flex")]
    flex_robust_ae = "flex-robust-ae" [32, 24, 32];
    #[cfg(feature = "flex")]
    flex = "flex" [32, 32, 64];
    #[cfg(feature = "omd")]
    omd_sha256 = "omd-sha256" [32, 31, 32];
    #[cfg(feature = "omd")]
    omd_sha512 = "omd-sha512" [64, 32, 64];
    #[cfg(feature = "omd")]
    omd_blake2b = "omd-blake2b" [64, 32, 64];
}

segmented! {
    #[cfg(feature = "flex")]
    flex_och_stream = "flex-och-stream" [32, 24, 32];
    #[cfg(feature = "flex")]
    flex_civ_stream = "flex-civ-stream" [32, 24, 32];
}

/// Every algorithm that has functions of its own.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    AEADS.iter().chain(SEGMENTED).chain(crate::mac::MACS)
}

/// The properties of an algorithm. Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct polyseal_algorithm {
    /// The length of its keys.
    pub keybytes: usize,
    /// The length of its nonces.
    pub npubbytes: usize,
    /// The length of its tags: all that a sealed message has beside the ciphertext; of one that is
    /// cut into segments, all that a segment has.
    pub abytes: usize,
    /// How many bytes of the tag stand before the ciphertext: the nonce, encrypted, where it is
    /// hidden. Otherwise 0.
    pub headbytes: usize,
    /// The longest message.
    pub messagebytes_max: u64,
    /// 1 for a MAC, 0 for an AEAD.
    pub mac: c_int,
    /// 1 if messages are cut into segments, so that there are no detached calls; otherwise 0.
    pub segments: c_int,
    /// 1 if there are polyseal_encryptor_new and polyseal_decryptor_new, or polyseal_macstate_new,
    /// for it; otherwise 0.
    pub pieces: c_int,
}

/// Writes to *algorithm the properties of the algorithm of that name.
///
/// Errors: POLYSEAL_ERR_ALGORITHM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_algorithm_get(
    algorithm: *mut polyseal_algorithm,
    name: *const c_char,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (out, name) =
            unsafe { (non_null_mut(algorithm, "algorithm")?, text(name, "the name")?) };
        let algorithm: Algorithm = name.parse()?;
        *out = polyseal_algorithm {
            keybytes: algorithm.key_bytes(),
            npubbytes: algorithm.nonce_bytes(),
            abytes: algorithm.tag_bytes(),
            headbytes: algorithm.head_bytes(),
            messagebytes_max: algorithm.max_message_bytes(),
            mac: (algorithm.family().identity.kind == Kind::Mac).into(),
            segments: algorithm.is_whole().into(),
            pieces: crate::pieces::has(&algorithm).into(),
        };
        Ok(())
    })
}

/// The names of all families of algorithms, by their place from 0; NULL behind the last.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_algorithm_name(place: usize) -> *const c_char {
    /// With the null byte that C wants.
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let families = families().iter().filter(|family| !family.identity.papers_only);
        families.map(|family| format!("{}\0", family.identity.id)).collect()
    });
    catch_panic_or(ptr::null(), || {
        Ok(NAMES.get(place).map_or(ptr::null(), |name| name.as_ptr().cast()))
    })
}
