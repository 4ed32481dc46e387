//! AES by shuffles of bytes: what back ends share whose CPUs have no AES instructions.
//!
//! A vector is one block. An instruction set brings a register of 16 bytes ([`Bytes`]); everything
//! that algorithms ask of vectors is written once on top of it. AES rounds are long, and so are
//! calls ([`rounds`]). Constant time: an index into a table is one of a shuffle between registers,
//! and decides no address.

mod clmul;
mod plane;
mod rounds;
mod state_lanes;
mod tables;

pub(super) use rounds::Round;
use rounds::{Last, Middle};
use tables::Tables;

use super::lanes::{Isa, Lanes, mask_bytes};
use super::partial;
use super::planes;

/// A register of 16 bytes.
pub trait Bytes: Copy {
    /// The instruction set.
    type Isa: Isa<X1 = Permuted<Self>>;

    /// Whether AES of eight blocks is faster bitsliced: where a shuffle takes several instructions.
    const SLICED: bool;

    /// The proof that the CPU has it.
    fn isa(self) -> Self::Isa;
    /// `tables` where the compiler does not know what is in them, if that is better.
    #[inline(always)]
    fn unknown<T>(tables: &T) -> &T {
        tables
    }
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
    /// For each of `indices` the byte of `self` there; 0 for an index of 128 or more. None lies
    /// between 16 and 127.
    fn shuffle(self, indices: Self) -> Self;
    /// Each 16-bit little-endian word `BITS` places up.
    fn up<const BITS: i32>(self) -> Self;
    /// Each 16-bit little-endian word `BITS` places down.
    fn down<const BITS: i32>(self) -> Self;
    /// All ones in each byte that is the same in `other`, and zero elsewhere.
    fn equal(self, other: Self) -> Self;
    /// The sum of the 32-bit little-endian words, each modulo 2^32.
    fn add_words(self, other: Self) -> Self;
    /// [`each`] in a function of its own, which is compiled for the instruction set.
    fn call_rounds<R: Round>(x: &[Permuted<Self>], out: &mut [Permuted<Self>]);
    /// [`encrypt`] in a function of its own, which is compiled for the instruction set.
    fn encrypt(isa: Self::Isa, x: &mut [Permuted<Self>], round_keys: &[[u8; 16]]);
    /// The carry-less product.
    fn product(a: u64, b: u64) -> u128;
}

/// One AES block.
#[derive(Clone, Copy)]
pub struct Permuted<B>(B);

/// The round of each block, with the round key that is in its place in `out`.
#[inline(always)]
pub(super) fn each<R: Round, B: Bytes>(x: &[Permuted<B>], out: &mut [Permuted<B>]) {
    let Some(first) = x.first() else { return };
    let tables = Tables::load(first.0.isa());
    for (out, x) in out.iter_mut().zip(x) {
        out.0 = R::round(x.0, out.0, &tables);
    }
}

/// AES of each block of `x`.
#[inline(always)]
pub(super) fn encrypt<B: Bytes>(isa: B::Isa, x: &mut [Permuted<B>], round_keys: &[[u8; 16]]) {
    let load = |key: &[u8; 16]| Permuted(B::load(isa, key));
    let mut rest = x;
    if const { B::SLICED } {
        let eights;
        (eights, rest) = rest.as_chunks_mut::<8>();
        for blocks in eights {
            *blocks = planes::encrypt(*blocks, round_keys, load);
        }
    }
    let (rounds, tables) = (round_keys.len() - 1, Tables::load(isa));
    for x in rest.iter_mut() {
        *x = x.xor(load(&round_keys[0]));
    }
    // Round by round, because the blocks' rounds are computed at once.
    for key in &round_keys[1..rounds] {
        for x in rest.iter_mut() {
            x.0 = Middle::round(x.0, load(key).0, &tables);
        }
    }
    for x in rest.iter_mut() {
        x.0 = Last::round(x.0, load(&round_keys[rounds]).0, &tables);
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
        Self(B::load(isa, &partial::load(source).to_le_bytes()))
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
        let mut block = [0; 16];
        self.0.store(&mut block);
        partial::store(u128::from_le_bytes(block), target);
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
        B::call_rounds::<Middle>(&x, &mut round_keys);
        round_keys
    }
}
