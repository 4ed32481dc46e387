//! XAES-256: keys from nonces by CMAC-AES256 in KBKDF's counter mode, and KC-XAES's commitment.
//!
//! Sources: the C2SP specification of XAES-256-GCM; eprint 2025/758, figures 2 and 3 and
//! specification 1. A nonce N of b bytes gives U = N[0:12] and V = N[b − 12:b], which overlap below
//! 24 bytes. Since a 20-byte nonce N and the 24-byte nonce N[0:12] ‖ N[8:20] derive the same K_U
//! and GCM nonce, the length belongs to the key: it is part of the type.

use core::marker::PhantomData;

use aead::array::ArraySize;
use aead::consts::{U16, U20, U21, U22, U23, U24};

use super::aes::{self, Aes256};
use super::blockcipher_root::BlockcipherRoot;
use super::scheme::{
    Commitment, Committable, CommittableImpl, Derived, Scheme, SchemeImpl, blocks_of,
};
use super::short::Companions;
use crate::backend::{Backend, Clmul};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::U20 {}
    impl Sealed for super::U21 {}
    impl Sealed for super::U22 {}
    impl Sealed for super::U23 {}
    impl Sealed for super::U24 {}
}

/// A nonce length: [`U20`] to [`U24`] bytes.
pub trait NonceBytes: ArraySize + sealed::Sealed + Send + Sync + 'static {}
impl NonceBytes for U20 {}
impl NonceBytes for U21 {}
impl NonceBytes for U22 {}
impl NonceBytes for U23 {}
impl NonceBytes for U24 {}

/// XAES-256 with nonces of `N` bytes; without a commitment, there is only 24.
#[derive(Debug)]
pub struct Xaes<N: NonceBytes = U24>(PhantomData<N>);

impl Scheme for Xaes {
    type NonceSize = U24;
    type TagSize = U16;
}

impl<N: NonceBytes> Committable for Xaes<N> {
    type NonceSize = N;
}

/// U and V.
#[inline(always)]
fn split(nonce: &[u8]) -> (&[u8; 12], &[u8; 12]) {
    match (nonce.first_chunk(), nonce.last_chunk()) {
        (Some(u), Some(v)) => (u, v),
        _ => unreachable!("a nonce has at least 20 bytes"),
    }
}

/// `word ‖ U` of each lane's nonce.
#[inline(always)]
fn before_u<L: Clmul>(isa: L::Isa, word: [u8; 4], nonces: &[&[u8]]) -> L {
    let word = u128::from(u32::from_le_bytes(word));
    blocks_of(isa, nonces, |nonce| (number(split(nonce).0) << 32 | word).to_le_bytes())
}

/// `V ‖ word` of each lane's nonce.
#[inline(always)]
fn behind_v<L: Clmul>(isa: L::Isa, word: [u8; 4], nonces: &[&[u8]]) -> L {
    let word = u128::from(u32::from_le_bytes(word)) << 96;
    blocks_of(isa, nonces, |nonce| {
        // CT: lengths are public. A read across two writes has to wait for both: a fresh nonce of
        // 24 bytes is read in the pieces in which it is likely to have been written.
        let v = match nonce.as_chunks() {
            ([_, middle, last], []) => {
                let (middle, last) = (u64::from_le_bytes(*middle), u64::from_le_bytes(*last));
                u128::from(last) << 32 | u128::from(middle >> 32)
            }
            _ => number(split(nonce).1),
        };
        (v | word).to_le_bytes()
    })
}

/// Twelve bytes, the first the lowest.
#[inline(always)]
fn number(bytes: &[u8; 12]) -> u128 {
    let (mut low, mut high) = ([0; 8], [0; 4]);
    low.copy_from_slice(&bytes[..8]);
    high.copy_from_slice(&bytes[8..]);
    u128::from(u32::from_le_bytes(high)) << 64 | u128::from(u64::from_le_bytes(low))
}

impl<N: NonceBytes> SchemeImpl for Xaes<N> {
    const FAST: bool = true;

    type Root = BlockcipherRoot;
    type Core = Xaes;

    fn prepare(key: &[u8; 32], backend: Backend) -> BlockcipherRoot {
        BlockcipherRoot::new(key, backend)
    }

    fn wipe(root: &mut BlockcipherRoot) {
        root.wipe();
    }

    #[inline(always)]
    fn derive<'r, L: Clmul>(
        isa: L::Isa,
        root: &'r BlockcipherRoot,
        nonces: &[&[u8]],
    ) -> Derived<'r, L> {
        let k1 = L::broadcast(isa, &root.k1);
        // K_U = AES_K((00015800 ‖ U) ⊕ K1) ‖ AES_K((00025800 ‖ U) ⊕ K1)
        let m1 = before_u::<L>(isa, [0, 1, 0x58, 0], nonces).xor(k1);
        let m2 = before_u::<L>(isa, [0, 2, 0x58, 0], nonces).xor(k1);
        let key = aes::encrypt::<Aes256, L, 2>(isa, &root.round_keys, [m1, m2]);
        let first = behind_v(isa, [0, 0, 0, 1], nonces);
        Derived { key, first, commitment: Commitment::None }
    }
}

impl<N: NonceBytes> CommittableImpl for Xaes<N> {
    type CommittableCore = Xaes;

    #[inline(always)]
    fn commit<'r, L: Clmul>(
        isa: L::Isa,
        root: &'r BlockcipherRoot,
        nonces: &[&[u8]],
    ) -> Commitment<'r, L> {
        let k1 = L::broadcast(isa, &root.k1);
        // X1 = AES_K("XCMT" ‖ U)
        let x1 = before_u(isa, *b"XCMT", nonces);
        let [x1] = aes::encrypt::<Aes256, L, 1>(isa, &root.round_keys, [x1]);
        // K_C = AES_K(X1 ⊕ (V ‖ c4) ⊕ K1) ‖ AES_K(X1 ⊕ (V ‖ c5) ⊕ K1), c = ⟨24 − b⟩ ‖ 01 00 ⟨1 or
        // 2⟩
        let short = 24 - nonces[0].len() as u8;
        let w1 = behind_v::<L>(isa, [short, 1, 0, 1], nonces).xor(x1).xor(k1);
        let w2 = behind_v::<L>(isa, [short, 1, 0, 2], nonces).xor(x1).xor(k1);
        Commitment::Pending(Companions { blocks: [w1, w2], round_keys: &root.round_keys })
    }
}
