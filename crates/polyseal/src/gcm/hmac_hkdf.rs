//! AES-256-GCM under keys from HMAC-SHA256 or HKDF-SHA-512: what blockcipher-based derivation is
//! compared with.
//!
//! Sources: section 6 of eprint 2025/758, HMAC-SHA256 in the place of CMAC; that one call takes the
//! place of two, with the first one's input, is ours. The AWS Encryption SDK's algorithm
//! suite 0x0478 for HKDF: the nonce is HKDF's salt, GCM's nonce is zero.
//!
//! HMAC is RustCrypto's. Both commit to key and nonce by a collision-resistant hash.

use aead::consts::{U16, U24, U32};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha512};
use zeroize::{Zeroize, Zeroizing};

use super::counters::FIRST_COUNTER;
use super::scheme::{
    Commitment, Committable, CommittableImpl, Derived, Scheme, SchemeImpl, blocks_of,
};
use crate::backend::{Backend, Clmul, Lanes, wipe_stack};

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

/// As much as HKDF-SHA-512 leaves on the stack, which needs most.
const STACK_BYTES: usize = 3 << 10;

/// The output of `derive` for each lane's nonce, as two blocks. Nothing else remains of it, if it
/// is a call.
#[inline(always)]
fn blocks<L: Clmul>(
    isa: L::Isa,
    nonces: &[&[u8]],
    derive: impl Fn(&[u8], &mut [u8; 32]),
) -> [L; 2] {
    let mut blocks = [[L::X1::broadcast(isa, &[0; 16]); 4]; 2];
    let mut bytes = Zeroizing::new([0; 32]);
    for (lane, nonce) in nonces.iter().enumerate() {
        derive(nonce, &mut bytes);
        blocks[0][lane] = L::X1::load(isa, &bytes[..16]);
        blocks[1][lane] = L::X1::load(isa, &bytes[16..]);
    }
    // RustCrypto leaves padded keys and outputs there.
    wipe_stack::<STACK_BYTES>();
    [L::join(blocks[0]), L::join(blocks[1])]
}

/// HMAC of `parts`.
#[inline(never)]
fn hmac(root: &Hmac<Sha256>, parts: &[&[u8]], output: &mut [u8; 32]) {
    let mut prf = root.clone();
    parts.iter().for_each(|part| prf.update(part));
    output.copy_from_slice(&prf.finalize().into_bytes());
}

impl SchemeImpl for HmacDerived {
    /// HMAC's state once it has taken the key; wipes itself.
    type Root = Hmac<Sha256>;
    type Core = Self;

    fn prepare(key: &[u8; 32], _: Backend) -> Hmac<Sha256> {
        let Ok(root) = Hmac::new_from_slice(key) else { unreachable!("HMAC takes any key") };
        root
    }

    fn wipe(_: &mut Hmac<Sha256>) {}

    #[inline(always)]
    fn derive<'r, L: Clmul>(
        isa: L::Isa,
        root: &'r Hmac<Sha256>,
        nonces: &[&[u8]],
    ) -> Derived<'r, L> {
        let key =
            blocks(isa, nonces, |nonce, key| hmac(root, &[&[0, 1, 0x58, 0], &nonce[..12]], key));
        let first = blocks_of(isa, nonces, |nonce| {
            let mut counter = FIRST_COUNTER;
            counter[..12].copy_from_slice(&nonce[12..]);
            counter
        });
        Derived { key, first, commitment: Commitment::None }
    }
}

impl CommittableImpl for HmacDerived {
    type CommittableCore = Self;

    #[inline(always)]
    fn commit<'r, L: Clmul>(
        isa: L::Isa,
        root: &'r Hmac<Sha256>,
        nonces: &[&[u8]],
    ) -> Commitment<'r, L> {
        Commitment::Ready(blocks(isa, nonces, |nonce, k_c| {
            hmac(root, &[b"XCMT", nonce, &[0, 1, 0, 1]], k_c);
        }))
    }
}

/// Key and commitment by HKDF-SHA-512 from the key and a salt of 32 bytes, which is the nonce.
#[derive(Debug)]
pub struct HkdfDerived;

impl Committable for HkdfDerived {
    type NonceSize = U32;
}

/// Without its own commitment there is room for another one, which wants nonces of this length.
impl Scheme for HkdfDerived {
    type NonceSize = U24;
    type TagSize = U16;
}

/// The key, before its extraction.
#[derive(Clone)]
pub struct InputKey(Zeroizing<[u8; 32]>);

impl core::fmt::Debug for InputKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("InputKey").finish_non_exhaustive()
    }
}

/// HKDF-SHA-512's first 32 bytes (RFC 5869), which are the beginning of its first block.
#[inline(never)]
fn hkdf(key: &InputKey, salt: &[u8], info: &[u8], output: &mut [u8; 32]) {
    let hmac = |key: &[u8], parts: &[&[u8]]| {
        let Ok(mut prf) = Hmac::<Sha512>::new_from_slice(key) else {
            unreachable!("HMAC takes any key")
        };
        parts.iter().for_each(|part| prf.update(part));
        Zeroizing::new(<[u8; 64]>::from(prf.finalize().into_bytes()))
    };
    // PRK = HMAC(salt, IKM), T(1) = HMAC(PRK, info ‖ 01)
    let prk = hmac(salt, &[&*key.0]);
    let t = hmac(&*prk, &[info, &[1]]);
    output.copy_from_slice(&t[..32]);
}

impl SchemeImpl for HkdfDerived {
    type Root = InputKey;
    type Core = Self;

    fn prepare(key: &[u8; 32], _: Backend) -> InputKey {
        InputKey(Zeroizing::new(*key))
    }

    fn wipe(root: &mut InputKey) {
        root.0.zeroize();
    }

    #[inline(always)]
    fn derive<'r, L: Clmul>(isa: L::Isa, root: &'r InputKey, nonces: &[&[u8]]) -> Derived<'r, L> {
        let key = blocks(isa, nonces, |nonce, key| hkdf(root, nonce, b"\x04\x78DERIVEKEY", key));
        let first = L::broadcast(isa, &FIRST_COUNTER);
        Derived { key, first, commitment: Commitment::None }
    }
}

impl CommittableImpl for HkdfDerived {
    type CommittableCore = Self;

    #[inline(always)]
    fn commit<'r, L: Clmul>(
        isa: L::Isa,
        root: &'r InputKey,
        nonces: &[&[u8]],
    ) -> Commitment<'r, L> {
        let commit = |nonce: &[u8], k_c: &mut _| hkdf(root, nonce, b"COMMITKEY", k_c);
        Commitment::Ready(blocks(isa, nonces, commit))
    }
}
