//! XAES-256: keys from nonces by CMAC-AES256 in KBKDF's counter mode, and KC-XAES's commitment.
//!
//! Sources: the C2SP specification of XAES-256-GCM; eprint 2025/758, figures 2 and 3 and
//! specification 1. A nonce N of b bytes gives U = N[0:12] and V = N[b − 12:b], which overlap below
//! 24 bytes. Since a 20-byte nonce N and the 24-byte nonce N[0:12] ‖ N[8:20] derive the same K_U and
//! GCM nonce, the length belongs to the key: it is part of the type.

use core::marker::PhantomData;

use aead::array::ArraySize;
use aead::consts::{U16, U20, U21, U22, U23, U24};

use super::aes::{self, Aes256};
use super::engine;
use super::nonce_derived::{
    BlockcipherRoot, Commitment, Committable, CommittableImpl, Derived, Scheme, SchemeImpl,
};
use super::short::Companions;
use crate::backend::{Backend, Isa, Lanes};

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

/// `word ‖ rest`, or `rest ‖ word`.
#[inline(always)]
fn block<I: Isa>(isa: I, word: Word, rest: &[u8; 12]) -> I::X1 {
    let (mut low, mut high) = ([0; 8], [0; 4]);
    low.copy_from_slice(&rest[..8]);
    high.copy_from_slice(&rest[8..]);
    let rest = u128::from(u32::from_le_bytes(high)) << 64 | u128::from(u64::from_le_bytes(low));
    let block = match word {
        Word::Before(word) => rest << 32 | u128::from(u32::from_le_bytes(word)),
        Word::Behind(word) => rest | u128::from(u32::from_le_bytes(word)) << 96,
    };
    I::X1::load(isa, &block.to_le_bytes())
}

enum Word {
    Before([u8; 4]),
    Behind([u8; 4]),
}

impl<N: NonceBytes> SchemeImpl for Xaes<N> {
    const FAST: bool = true;

    type Root = BlockcipherRoot;

    fn prepare(key: &[u8; 32], backend: Backend) -> BlockcipherRoot {
        BlockcipherRoot::new(key, backend)
    }

    fn wipe(root: &mut BlockcipherRoot) {
        root.wipe();
    }

    #[inline(always)]
    fn derive<'r, I: Isa>(isa: I, root: &'r BlockcipherRoot, nonce: &[u8]) -> Derived<'r, I> {
        let (u, v) = split(nonce);
        let k1 = I::X1::load(isa, &root.k1);
        // K_U = AES_K((00015800 ‖ U) ⊕ K1) ‖ AES_K((00025800 ‖ U) ⊕ K1)
        let m1 = block(isa, Word::Before([0, 1, 0x58, 0]), u).xor(k1);
        let m2 = block(isa, Word::Before([0, 2, 0x58, 0]), u).xor(k1);
        let key = aes::encrypt::<Aes256, I::X1, 2>(isa, &root.round_keys, [m1, m2]);
        Derived { key, first: engine::first_counter(isa, v), commitment: Commitment::None }
    }
}

impl<N: NonceBytes> CommittableImpl for Xaes<N> {
    #[inline(always)]
    fn commit<'r, I: Isa>(isa: I, root: &'r BlockcipherRoot, nonce: &[u8]) -> Commitment<'r, I> {
        let (u, v) = split(nonce);
        let k1 = I::X1::load(isa, &root.k1);
        // X1 = AES_K("XCMT" ‖ U)
        let x1 = block(isa, Word::Before(*b"XCMT"), u);
        let [x1] = aes::encrypt::<Aes256, I::X1, 1>(isa, &root.round_keys, [x1]);
        // K_C = AES_K(X1 ⊕ (V ‖ c4) ⊕ K1) ‖ AES_K(X1 ⊕ (V ‖ c5) ⊕ K1), c = ⟨24 − b⟩ ‖ 01 00 ⟨1 or 2⟩
        let short = 24 - nonce.len() as u8;
        let w1 = block(isa, Word::Behind([short, 1, 0, 1]), v).xor(x1).xor(k1);
        let w2 = block(isa, Word::Behind([short, 1, 0, 2]), v).xor(x1).xor(k1);
        Commitment::Pending(Companions { blocks: [w1, w2], round_keys: &root.round_keys })
    }
}
