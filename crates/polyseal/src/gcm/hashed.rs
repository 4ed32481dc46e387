//! AES-256-GCM under keys from HMAC-SHA256 or HKDF-SHA-512: what blockcipher-based derivation is
//! compared with.
//!
//! Sources: table 4 of eprint 2025/758 names HMAC variants and leaves them undefined; ours replace
//! XAES's two CMAC calls by one of HMAC and keep its inputs. The AWS Encryption SDK's algorithm suite
//! 0x0478 for HKDF: the nonce is HKDF's salt, GCM's nonce is zero.
//!
//! HMAC and HKDF are RustCrypto's. Both commit to key and nonce by a collision-resistant hash.

use aead::consts::{U16, U24, U32};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha512};
use zeroize::{Zeroize, Zeroizing};

use super::engine;
use super::nonce_derived::{Commitment, Committable, CommittableImpl, Derived, Scheme, SchemeImpl};
use crate::backend::{Backend, Isa, Lanes};

/// K_U = HMAC-SHA256(K, 00015800 ‖ U), K_C = HMAC-SHA256(K, "XCMT" ‖ N ‖ 00010001); 24-byte nonces.
#[derive(Debug)]
pub struct HmacDerived;

impl Scheme for HmacDerived {
    type NonceSize = U24;
    type TagSize = U16;
}

impl Committable for HmacDerived {
    type NonceSize = U24;
}

/// 32 bytes as two blocks. Wipes them.
#[inline(always)]
fn blocks<I: Isa>(isa: I, bytes: &mut [u8]) -> [I::X1; 2] {
    let blocks = [I::X1::load(isa, &bytes[..16]), I::X1::load(isa, &bytes[16..])];
    bytes.zeroize();
    blocks
}

impl SchemeImpl for HmacDerived {
    /// HMAC's state once it has taken the key; wipes itself.
    type Root = Hmac<Sha256>;

    fn prepare(key: &[u8; 32], _: Backend) -> Hmac<Sha256> {
        let Ok(root) = Hmac::new_from_slice(key) else { unreachable!("HMAC takes any key") };
        root
    }

    fn wipe(_: &mut Hmac<Sha256>) {}

    #[inline(always)]
    fn derive<'r, I: Isa>(isa: I, root: &'r Hmac<Sha256>, nonce: &[u8]) -> Derived<'r, I> {
        let (u, v) = nonce.split_at(12);
        let mut prf = root.clone();
        prf.update(&[0, 1, 0x58, 0]);
        prf.update(u);
        let key = blocks(isa, &mut prf.finalize().into_bytes());
        let mut iv = [0; 12];
        iv.copy_from_slice(v);
        Derived { key, first: engine::first_counter(isa, &iv), commitment: Commitment::None }
    }
}

impl CommittableImpl for HmacDerived {
    #[inline(always)]
    fn commit<'r, I: Isa>(isa: I, root: &'r Hmac<Sha256>, nonce: &[u8]) -> Commitment<'r, I> {
        let mut prf = root.clone();
        prf.update(b"XCMT");
        prf.update(nonce);
        prf.update(&[0, 1, 0, 1]);
        Commitment::Ready(blocks(isa, &mut prf.finalize().into_bytes()))
    }
}

/// Key and commitment by HKDF-SHA-512 from the key and a salt of 32 bytes, which is the nonce.
#[derive(Debug)]
pub struct HkdfDerived;

impl Committable for HkdfDerived {
    type NonceSize = U32;
}

/// The key, before its extraction.
#[derive(Clone)]
pub struct InputKey(Zeroizing<[u8; 32]>);

impl core::fmt::Debug for InputKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("InputKey").finish_non_exhaustive()
    }
}

/// HKDF-SHA-512's first 32 bytes.
#[inline(always)]
fn expand<I: Isa>(isa: I, root: &InputKey, nonce: &[u8], info: &[&[u8]]) -> [I::X1; 2] {
    let mut bytes = [0; 32];
    let expanded =
        Hkdf::<Sha512>::new(Some(nonce), root.0.as_slice()).expand_multi_info(info, &mut bytes);
    debug_assert!(expanded.is_ok(), "32 bytes are not too many");
    blocks(isa, &mut bytes)
}

impl SchemeImpl for HkdfDerived {
    type Root = InputKey;

    fn prepare(key: &[u8; 32], _: Backend) -> InputKey {
        InputKey(Zeroizing::new(*key))
    }

    fn wipe(root: &mut InputKey) {
        root.0.zeroize();
    }

    #[inline(always)]
    fn derive<'r, I: Isa>(isa: I, root: &'r InputKey, nonce: &[u8]) -> Derived<'r, I> {
        let key = expand(isa, root, nonce, &[&[0x04, 0x78], b"DERIVEKEY"]);
        Derived { key, first: engine::first_counter(isa, &[0; 12]), commitment: Commitment::None }
    }
}

impl CommittableImpl for HkdfDerived {
    #[inline(always)]
    fn commit<'r, I: Isa>(isa: I, root: &'r InputKey, nonce: &[u8]) -> Commitment<'r, I> {
        Commitment::Ready(expand(isa, root, nonce, &[b"COMMITKEY"]))
    }
}
