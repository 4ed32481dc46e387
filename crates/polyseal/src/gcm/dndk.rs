//! DNDK-GCM: keys from nonces by exclusive-ors of AES blocks.
//!
//! Source: draft-gueron-cfrg-dndkgcm, version 1 of drafts 00 and 01, version 2 of 02 and 03.
//! Draft 04 (2026-03-18) was not compared.
//! Version 2 splits the nonce, padded with zeros to 27 bytes, into a head of 15 bytes, from which
//! the key is derived, and a tail of 12, GCM's nonce; a configuration byte tells nonce lengths and
//! commitment apart. Version 1 derives from all 24 bytes, and GCM's nonce is zero. The drafts'
//! limits, 2^64 bytes a root key, are in the registry.

use core::marker::PhantomData;

use aead::array::ArraySize;
use aead::consts::{U16, U24};

use super::aes::{self, Aes256};
use super::blockcipher_root::BlockcipherRoot;
use super::counters::FIRST_COUNTER;
use super::scheme::{
    Commitment, Committable, CommittableImpl, Derived, Scheme, SchemeImpl, blocks_of,
};
use crate::backend::{Backend, Clmul};

/// Version 2 with nonces of `N` bytes, 12 to 27; `KC` says whether there is a commitment.
#[derive(Debug)]
pub struct Dndk<N = U24, const KC: bool = false>(PhantomData<N>);

/// Version 1.
#[derive(Debug)]
pub struct DndkV1;

impl<N: ArraySize> Scheme for Dndk<N> {
    type NonceSize = N;
    type TagSize = U16;
}

impl<N: ArraySize> Committable for Dndk<N, true> {
    type NonceSize = N;
}

impl Scheme for DndkV1 {
    type NonceSize = U24;
    type TagSize = U16;
}

impl Committable for DndkV1 {
    type NonceSize = U24;
}

/// The nonce, padded with zeros.
fn pad(nonce: &[u8]) -> [u8; 27] {
    let mut padded = [0; 27];
    padded[..nonce.len()].copy_from_slice(nonce);
    padded
}

/// X_0 ⊕ X_i for both of `indices`, X_i = AES_K(head ‖ ConfigByte + i).
#[inline(always)]
fn differences<L: Clmul, const KC: bool>(
    isa: L::Isa,
    root: &BlockcipherRoot,
    nonces: &[&[u8]],
    indices: [u8; 2],
) -> [L; 2] {
    let mut x = [L::broadcast(isa, &[0; 16]); 3];
    for (x, i) in x.iter_mut().zip([0, indices[0], indices[1]]) {
        *x = blocks_of(isa, nonces, |nonce| {
            // ConfigByte = 128 · kc + 8 · (LN − 12)
            let configuration = 128 * u8::from(KC) + 8 * (nonce.len() as u8 - 12);
            let mut input = [configuration + i; 16];
            input[..15].copy_from_slice(&pad(nonce)[..15]);
            input
        });
    }
    let [x0, first, second] = aes::encrypt::<Aes256, L, 3>(isa, &root.round_keys, x);
    [first.xor(x0), second.xor(x0)]
}

impl<N: ArraySize, const KC: bool> SchemeImpl for Dndk<N, KC> {
    type Root = BlockcipherRoot;
    type Core = Dndk<U24, KC>;

    fn prepare(key: &[u8; 32], backend: Backend) -> BlockcipherRoot {
        const { assert!(12 <= N::USIZE && N::USIZE <= 27, "DNDK has nonces of 12 to 27 bytes") }
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
        let key = differences::<L, KC>(isa, root, nonces, [1, 2]);
        let first = blocks_of(isa, nonces, |nonce| {
            let mut counter = FIRST_COUNTER;
            counter[..12].copy_from_slice(&pad(nonce)[15..]);
            counter
        });
        Derived { key, first, commitment: Commitment::None }
    }
}

impl<N: ArraySize> CommittableImpl for Dndk<N, true> {
    type CommittableCore = Dndk<U24, true>;

    #[inline(always)]
    fn commit<'r, L: Clmul>(
        isa: L::Isa,
        root: &'r BlockcipherRoot,
        nonces: &[&[u8]],
    ) -> Commitment<'r, L> {
        Commitment::Ready(differences::<L, true>(isa, root, nonces, [3, 4]))
    }
}

/// X_0 ⊕ X_1 ⊕ X_i ⊕ X_{i+1} for `i` and `i + 2`, X_j = AES_K(j ‖ 0^24 ‖ half of the nonce), where
/// the halves alternate.
#[inline(always)]
fn differences_v1<L: Clmul>(
    isa: L::Isa,
    root: &BlockcipherRoot,
    nonces: &[&[u8]],
    i: u8,
) -> [L; 2] {
    let mut x = [L::broadcast(isa, &[0; 16]); 6];
    for (x, j) in x.iter_mut().zip([0, 1, i, i + 1, i + 2, i + 3]) {
        *x = blocks_of(isa, nonces, |nonce| {
            let mut input = [0; 16];
            input[0] = j;
            input[4..].copy_from_slice(if j % 2 == 0 { &nonce[..12] } else { &nonce[12..] });
            input
        });
    }
    let x = aes::encrypt::<Aes256, L, 6>(isa, &root.round_keys, x);
    let base = x[0].xor(x[1]);
    [base.xor(x[2]).xor(x[3]), base.xor(x[4]).xor(x[5])]
}

impl SchemeImpl for DndkV1 {
    type Root = BlockcipherRoot;
    type Core = Self;

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
        let key = differences_v1::<L>(isa, root, nonces, 2);
        let first = L::broadcast(isa, &FIRST_COUNTER);
        Derived { key, first, commitment: Commitment::None }
    }
}

impl CommittableImpl for DndkV1 {
    type CommittableCore = Self;

    #[inline(always)]
    fn commit<'r, L: Clmul>(
        isa: L::Isa,
        root: &'r BlockcipherRoot,
        nonces: &[&[u8]],
    ) -> Commitment<'r, L> {
        Commitment::Ready(differences_v1(isa, root, nonces, 6))
    }
}
