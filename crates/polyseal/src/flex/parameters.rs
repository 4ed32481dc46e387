//! The profiles as types (`docs/spec/flex.md`, section 2): a permutation with its sizes, its field and
//! what the key holds for it.

use super::config::Profile;
use super::field;
use crate::backend::Isa;
use crate::perm::{Areion256, Areion512, AsconP12, KeccakP12, Permutation, Simpira};

/// An array of bytes.
pub(super) trait Bytes: AsRef<[u8]> + AsMut<[u8]> + Copy + Send + Sync {
    const ZERO: Self;
}

impl<const N: usize> Bytes for [u8; N] {
    const ZERO: Self = [0; N];
}

/// A profile.
pub(super) trait Parameters: Copy + Send + Sync + 'static {
    /// π.
    type Permutation: Permutation;
    /// B bytes.
    type Block: Bytes;
    /// [`GROUP`] vectors of blocks, on the back end with the widest vectors.
    type Group: Bytes;

    const PROFILE: Profile;
    /// What x^n is worth in GF(2^n).
    const REDUCTION: u64;

    /// The bytes of a block.
    const B: usize = Self::PROFILE.block_bytes();
    /// The bytes of a chaining value, and of the longest tag.
    const T: usize = Self::PROFILE.tag_bytes();
    /// r, the bytes that a call of the hash takes.
    const R: usize = Self::B - Self::T;
    /// Whether n ≥ 2τ.
    const WIDE: bool = Self::B >= 2 * Self::T;

    /// x · `block`.
    fn double(block: &mut Self::Block) {
        field::double(block.as_mut(), Self::REDUCTION);
    }
}

/// How many vectors of blocks are in flight.
pub(super) const GROUP: usize = 4;

/// A single block in registers.
pub(super) type One<P, I> = <<P as Parameters>::Permutation as Permutation>::One<I>;
/// As many blocks as there are lanes.
pub(super) type Many<P, I> = <<P as Parameters>::Permutation as Permutation>::Many<I>;

/// A state of zeros and more.
#[inline(always)]
pub(super) fn zero<P: Parameters, I: Isa>(isa: I) -> One<P, I> {
    use crate::perm::States;

    One::<P, I>::load_partial(isa, &[])
}

macro_rules! profiles {
    ($($name:ident: $permutation:ty, $bytes:literal, group $group:literal, $reduction:literal;)*) => {$(
        #[doc = concat!("Profile ", stringify!($name), ".")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Parameters for $name {
            type Permutation = $permutation;
            type Block = [u8; $bytes];
            type Group = [u8; $group];

            const PROFILE: Profile = Profile::$name;
            const REDUCTION: u64 = $reduction;
        }
    )*};
}

profiles! {
    S512: Simpira<4>, 64, group 1024, 0x125;
    S256: Simpira<2>, 32, group 512, 0x425;
    S1024: Simpira<8>, 128, group 2048, 0x8_0043;
    S384: Simpira<3>, 48, group 768, 0x100d;
    A512: Areion512, 64, group 1024, 0x125;
    A256: Areion256, 32, group 512, 0x425;
    K1600: KeccakP12, 200, group 6400, 0x4803;
    As320: AsconP12, 40, group 1280, 0x1b;
}
