//! The builds of libaegis: the one of the `aegis` crate, the one that the build script makes with
//! clang for this very CPU, and those without the instructions of better CPUs. The C functions are
//! called directly, without the crate's checks.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};

// Links the crate's build of the C library.
use aegis as _;

use super::KEY;
use crate::contender::{Aead, Contender, Mac, Operation};
use crate::peer_limit::PeerLimit;
use crate::ring::{self, Nonce, Tag};

/// The functions of one variant; the other half of this is `build/libaegis.c`.
#[repr(C)]
struct Variant {
    encrypt_detached: unsafe extern "C" fn(
        c: *mut u8,
        mac: *mut u8,
        maclen: usize,
        m: *const u8,
        mlen: usize,
        ad: *const u8,
        adlen: usize,
        npub: *const u8,
        k: *const u8,
    ) -> c_int,
    decrypt_detached: unsafe extern "C" fn(
        m: *mut u8,
        c: *const u8,
        clen: usize,
        mac: *const u8,
        maclen: usize,
        ad: *const u8,
        adlen: usize,
        npub: *const u8,
        k: *const u8,
    ) -> c_int,
    mac_init: unsafe extern "C" fn(state: *mut c_void, k: *const u8, npub: *const u8),
    mac_update: unsafe extern "C" fn(state: *mut c_void, m: *const u8, mlen: usize) -> c_int,
    mac_final: unsafe extern "C" fn(state: *mut c_void, mac: *mut u8, maclen: usize) -> c_int,
}

/// The order of the C tables.
const VARIANTS: [&str; 6] =
    ["aegis-128l", "aegis-128x2", "aegis-128x4", "aegis-256", "aegis-256x2", "aegis-256x4"];

const TAG_BYTES: usize = 16;

unsafe extern "C" {
    static libaegis_variants: [Variant; VARIANTS.len()];
    fn libaegis_start() -> c_int;
    #[cfg(libaegis_native)]
    static native_libaegis_variants: [Variant; VARIANTS.len()];
    #[cfg(libaegis_native)]
    fn native_libaegis_start() -> c_int;
    static aesni_libaegis_variants: [Variant; VARIANTS.len()];
    fn aesni_libaegis_start() -> c_int;
    static vaes256_libaegis_variants: [Variant; VARIANTS.len()];
    fn vaes256_libaegis_start() -> c_int;
}

/// A build of the library.
pub(super) struct Build {
    pub(super) name: &'static str,
    compiler: &'static str,
    variants: &'static [Variant; VARIANTS.len()],
}

/// Every build in this program.
pub(super) fn builds() -> Vec<Build> {
    // SAFETY: starting is idempotent, chooses the code for this CPU, and happens before any other
    // call; the tables are constants.
    let default = unsafe {
        assert_eq!(libaegis_start(), 0);
        Build {
            name: "libaegis",
            compiler: "the default build of the crate aegis 0.9.20",
            variants: &libaegis_variants,
        }
    };
    // SAFETY: as above.
    #[cfg(libaegis_native)]
    let native = unsafe {
        assert_eq!(native_libaegis_start(), 0);
        Build {
            name: "libaegis-native",
            compiler: concat!(env!("LIBAEGIS_NATIVE"), ", sources of the crate aegis 0.9.20"),
            variants: &native_libaegis_variants,
        }
    };
    vec![
        default,
        #[cfg(libaegis_native)]
        native,
    ]
}

/// The build that has no better instructions than a back end of ours.
fn held_build(backend: &str) -> Option<Build> {
    let compiler = env!("LIBAEGIS_HELD");
    // SAFETY: as in `builds`.
    unsafe {
        match backend {
            "aesni" => {
                assert_eq!(aesni_libaegis_start(), 0);
                let variants = &aesni_libaegis_variants;
                Some(Build { name: "libaegis-aesni", compiler, variants })
            }
            "vaes256" => {
                assert_eq!(vaes256_libaegis_start(), 0);
                let variants = &vaes256_libaegis_variants;
                Some(Build { name: "libaegis-vaes256", compiler, variants })
            }
            _ => None,
        }
    }
}

pub(super) fn versions() -> Vec<String> {
    let peer_limit = ["aesni", "vaes256"].into_iter().filter_map(held_build);
    let line = |build: &Build| format!("{} ({})", build.name, build.compiler);
    builds().iter().chain(&peer_limit.collect::<Vec<_>>()).map(line).collect()
}

pub(super) fn contenders(id: &str, operation: Operation, peer_limit: PeerLimit) -> Vec<Contender> {
    let contender = |build: &Build| {
        let key = build.key(id)?;
        match operation {
            Operation::Mac => Some(Contender::mac(build.name, key)),
            _ => Contender::aead(build.name, operation, key),
        }
    };
    let builds = match peer_limit {
        PeerLimit::Unlimited => builds(),
        PeerLimit::BackEnd(backend) => held_build(backend).into_iter().collect(),
    };
    builds.iter().filter_map(contender).collect()
}

impl Build {
    /// The variant's functions with a key.
    pub(super) fn key(&self, id: &str) -> Option<Key> {
        let at = VARIANTS.iter().position(|variant| *variant == id)?;
        Some(Key { variant: &self.variants[at], key: KEY })
    }
}

/// libaegis has no key object: every call takes the key's bytes.
pub(super) struct Key {
    variant: &'static Variant,
    key: ring::Key,
}

impl Aead for Key {
    #[inline(always)]
    fn rekey(&mut self, key: &ring::Key) {
        self.key = *key;
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        let (data, len) = (message.as_mut_ptr(), message.len());
        // SAFETY: every pointer is valid for the length beside it, in and out may be the same;
        // nonce and key are as long as the longest variant's.
        let status = unsafe {
            (self.variant.encrypt_detached)(
                data,
                tag.as_mut_ptr(),
                TAG_BYTES,
                data,
                len,
                ad.as_ptr(),
                ad.len(),
                nonce.as_ptr(),
                self.key.as_ptr(),
            )
        };
        assert_eq!(status, 0);
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
        // SAFETY: as for sealing; `message` is as long as `sealed`.
        let status = unsafe {
            (self.variant.decrypt_detached)(
                message.as_mut_ptr(),
                sealed.as_ptr(),
                sealed.len(),
                tag.as_ptr(),
                TAG_BYTES,
                ad.as_ptr(),
                ad.len(),
                nonce.as_ptr(),
                self.key.as_ptr(),
            )
        };
        status == 0
    }
}

/// Room for the MAC state of every variant; the C side checks that it suffices.
#[repr(C, align(64))]
struct MacState([u8; 2048]);

impl Mac for Key {
    #[inline(always)]
    fn mac(&mut self, nonce: &Nonce, data: &[u8], tag: &mut Tag) {
        let mut state = core::mem::MaybeUninit::<MacState>::uninit();
        let state = state.as_mut_ptr().cast();
        // SAFETY: the state has room and is initialised first; the other pointers are valid as for
        // sealing.
        let status = unsafe {
            (self.variant.mac_init)(state, self.key.as_ptr(), nonce.as_ptr());
            let updated = (self.variant.mac_update)(state, data.as_ptr(), data.len());
            updated | (self.variant.mac_final)(state, tag.as_mut_ptr(), TAG_BYTES)
        };
        assert_eq!(status, 0);
    }
}
