//! AES by shuffles of bytes: what back ends share whose CPUs have no AES instructions.
//!
//! A vector is one block. An instruction set brings a register of 16 bytes ([`Bytes`]); everything
//! that algorithms ask of vectors is written once on top of it. AES rounds are long, and so are
//! calls ([`rounds`]). Constant time: an index into a table is one of a shuffle between registers,
//! and decides no address.

mod clmul;
mod rounds;
mod state_lanes;
mod tables;

use rounds::Middle;
pub(super) use rounds::Round;

use super::lanes::{Isa, Lanes, mask_bytes};

/// A register of 16 bytes.
pub trait Bytes: Copy {
    /// The instruction set.
    type Isa: Isa<X1 = Permuted<Self>>;

    /// The proof that the CPU has it.
    fn isa(self) -> Self::Isa;
    /// The bytes in memory.
    fn load(isa: Self::Isa, source: &[u8; 16]) -> Self;
    /// Writes the bytes.
    fn store(self, target: &mut [u8; 16]);
    /// From the lower half and the upper.
    fn from_halves(isa: Self::Isa, halves: [u64; 2]) -> Self;
    /// The lower half and the upper.
    fn halves(self) -> [u64; 2];
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// The lower nibble of each byte.
    fn low_nibbles(self) -> Self;
    /// The upper nibble of each byte.
    fn high_nibbles(self) -> Self;
    /// For each of `indices` the byte of `self` there; 0 for an index of 128 or more. None lies
    /// between 16 and 127.
    fn shuffle(self, indices: Self) -> Self;
    /// The sum of the 32-bit little-endian words, each modulo 2^32.
    fn add_words(self, other: Self) -> Self;
    /// [`each`] in a function of its own, which is compiled for the instruction set.
    fn apart<R: Round>(x: &[Permuted<Self>], out: &mut [Permuted<Self>]);
    /// The carry-less product.
    fn product(a: u64, b: u64) -> u128;
}

/// One AES block.
#[derive(Clone, Copy)]
pub struct Permuted<B>(B);

/// The round of each block, with the round key that is in its place in `out`.
#[inline(always)]
pub(super) fn each<R: Round, B: Bytes>(x: &[Permuted<B>], out: &mut [Permuted<B>]) {
    for (out, x) in out.iter_mut().zip(x) {
        out.0 = R::round(x.0, out.0);
    }
}

impl<B: Bytes> Permuted<B> {
    /// The byte from each of `indices`, as [`Bytes::shuffle`].
    #[inline(always)]
    fn at(self, indices: &[u8; 16]) -> Self {
        Self(self.0.shuffle(B::load(self.0.isa(), indices)))
    }
}

impl<B: Bytes> Lanes for Permuted<B> {
    type Isa = B::Isa;
    type X1 = Self;

    const BLOCKS: usize = 1;

    #[inline(always)]
    fn load(isa: B::Isa, source: &[u8]) -> Self {
        assert!(source.len() == 16);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(source);
        Self(B::load(isa, &bytes))
    }

    #[inline(always)]
    fn load_partial(isa: B::Isa, source: &[u8]) -> Self {
        let mut bytes = [0; 16];
        bytes[..source.len()].copy_from_slice(source);
        Self(B::load(isa, &bytes))
    }

    #[inline(always)]
    fn broadcast(isa: B::Isa, block: &[u8]) -> Self {
        Self::load(isa, block)
    }

    #[inline(always)]
    fn store(self, target: &mut [u8]) {
        assert!(target.len() == 16);
        let mut bytes = [0; 16];
        self.0.store(&mut bytes);
        target.copy_from_slice(&bytes);
    }

    #[inline(always)]
    fn store_partial(self, target: &mut [u8]) {
        let mut bytes = [0; 16];
        self.0.store(&mut bytes);
        target.copy_from_slice(&bytes[..target.len()]);
    }

    #[inline(always)]
    fn truncate(self, bytes: usize) -> Self {
        self.and(Self::load(self.0.isa(), mask_bytes(bytes, 16)))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0))
    }

    #[inline(always)]
    fn first_block(self) -> Self {
        self
    }

    #[inline(always)]
    fn xor_blocks(self) -> Self {
        self
    }

    #[inline(always)]
    fn aes_rounds<const N: usize>(x: [Self; N], mut round_keys: [Self; N]) -> [Self; N] {
        B::apart::<Middle>(&x, &mut round_keys);
        round_keys
    }
}
