//! The profiles as types (`docs/spec/flex.md`, section 2): a permutation with its sizes, its field
//! and what the key holds for it.

use super::config::Profile;
use super::field;
use super::machine::{Machine, StateTask, in_memory, in_registers};
use crate::backend::{Backend, Isa, wipe, wipe_stack};
use crate::perm::{
    Areion256, Areion512, AsconP12, KeccakP12, Permutation, Polynomials, Simpira, States,
};

/// An array of bytes.
pub(super) trait Bytes: AsRef<[u8]> + AsMut<[u8]> + Copy + Send + Sync {
    const ZERO: Self;

    /// The bytes of arrays that follow each other.
    fn flatten(arrays: &[Self]) -> &[u8];
    /// The same, to be written.
    fn flatten_mut(arrays: &mut [Self]) -> &mut [u8];
}

impl<const N: usize> Bytes for [u8; N] {
    const ZERO: Self = [0; N];

    fn flatten(arrays: &[Self]) -> &[u8] {
        arrays.as_flattened()
    }

    fn flatten_mut(arrays: &mut [Self]) -> &mut [u8] {
        arrays.as_flattened_mut()
    }
}

/// A profile.
pub(super) trait Parameters: Copy + Send + Sync + 'static {
    /// π.
    type Permutation: Permutation;
    /// B bytes.
    type Block: Bytes;
    /// [`MOST_BLOCKS`] blocks.
    type Group: Bytes;
    /// [`MOST_LANES`] blocks.
    type Vector: Bytes;

    const PROFILE: Profile;
    /// The value of x^n in GF(2^n).
    const REDUCTION: u64;

    /// The bytes of a block.
    const B: usize = Self::PROFILE.block_bytes();
    /// The bytes of a chaining value, and of the longest tag.
    const T: usize = Self::PROFILE.tag_bytes();
    /// r, the bytes that a call of the hash takes.
    const R: usize = Self::B - Self::T;
    /// Whether n ≥ 2τ.
    const WIDE: bool = Self::B >= 2 * Self::T;

    /// Overwrites as much of the stack as the profile's modes may have used.
    fn wipe_stack();

    /// Runs `work` on what the profile's modes are compiled for.
    fn run<W: StateTask<Self>>(backend: Backend, work: W) -> W::Output;

    /// Writes `block`, x · `block`, … one after the other.
    fn write_powers(block: &Self::Block, out: &mut [u8]);

    /// x · `block`.
    fn double(block: &mut Self::Block);
}

/// A profile whose modes are compiled for every back end, in registers.
pub(super) trait Fast: Parameters {
    /// A state of π.
    type SingleState<I: Isa>: States<Isa = I, SingleState = Self::SingleState<I>>;
    /// As many states as there are lanes.
    type Many<I: Isa>: Polynomials<Isa = I, SingleState = Self::SingleState<I>>;
}

/// How many vectors of blocks are in flight.
pub(super) const GROUP: usize = 4;
/// The most blocks that a vector holds.
pub(super) const MOST_LANES: usize = 4;
/// The most blocks in flight.
pub(super) const MOST_BLOCKS: usize = MOST_LANES * GROUP;

/// A single block in registers.
pub(super) type SingleState<P, M> = <M as Machine<P>>::SingleState;
/// As many blocks as there are lanes.
pub(super) type Many<P, M> = <M as Machine<P>>::Many;

/// A state of zeros and more.
#[inline(always)]
pub(super) fn zero<P: Parameters, M: Machine<P>>(machine: M) -> SingleState<P, M> {
    SingleState::<P, M>::load_partial(machine, &[])
}

macro_rules! profiles {
    ($(
        $name:ident: $permutation:ty, $bytes:literal, $reduction:literal, $stack:literal,
        $run:ident;
    )*) => {$(
        #[doc = concat!("Profile ", stringify!($name), ".")]
        #[derive(Clone, Copy)]
        pub(super) struct $name;

        impl $name {
            #[inline(always)]
            fn words(block: &mut [u8; $bytes]) -> &mut [[u8; 8]; $bytes / 8] {
                let (words, _) = block.as_chunks_mut();
                words.try_into().expect("whole words")
            }
        }

        impl Parameters for $name {
            type Permutation = $permutation;
            type Block = [u8; $bytes];
            type Group = [u8; MOST_BLOCKS * $bytes];
            type Vector = [u8; MOST_LANES * $bytes];

            const PROFILE: Profile = Profile::$name;
            const REDUCTION: u64 = $reduction;

            fn write_powers(block: &Self::Block, out: &mut [u8]) {
                let mut block = *block;
                field::write_powers(Self::words(&mut block), Self::REDUCTION, out);
                wipe(&mut block);
            }

            fn double(block: &mut Self::Block) {
                field::double(Self::words(block), Self::REDUCTION);
            }

            fn wipe_stack() {
                wipe_stack::<{ $stack << 10 }>();
            }

            #[inline(always)]
            fn run<W: StateTask<Self>>(backend: Backend, work: W) -> W::Output {
                $run(backend, work)
            }
        }
    )*};
}

// Each with its block's bytes, the field's polynomial, and how many KiB of stack its modes use at
// most.
profiles! {
    S512: Simpira<4>, 64, 0x125, 24, in_registers;
    S256: Simpira<2>, 32, 0x425, 24, in_memory;
    S1024: Simpira<8>, 128, 0x8_0043, 48, in_memory;
    S384: Simpira<3>, 48, 0x100d, 24, in_memory;
    A512: Areion512, 64, 0x125, 24, in_registers;
    A256: Areion256, 32, 0x425, 24, in_memory;
    K1600: KeccakP12, 200, 0x4803, 92, in_memory;
    As320: AsconP12, 40, 0x1b, 24, in_memory;
}

impl Fast for S512 {
    type SingleState<I: Isa> = <Simpira<4> as Permutation>::SingleState<I>;
    type Many<I: Isa> = <Simpira<4> as Permutation>::Many<I>;
}

impl Fast for A512 {
    type SingleState<I: Isa> = <Areion512 as Permutation>::SingleState<I>;
    type Many<I: Isa> = <Areion512 as Permutation>::Many<I>;
}
