//! For tests and benchmarks: every permutation, on a back end of the caller's choice.

use super::in_memory::apply_at;
pub use super::in_memory::{Direction, Width};
use super::{Areion256, Areion512, AsconP12, KeccakP12, Permutation as Inner, Simpira};
use crate::backend::Backend;

/// A permutation, to be applied to blocks in memory.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    /// The designers' name for it.
    pub name: &'static str,
    /// How many bytes a block has.
    pub bytes: usize,
    apply: fn(Backend, Direction, Width, &mut [u8]),
}

impl Permutation {
    /// Every one of them.
    pub const ALL: [Self; 8] = [
        Self::new::<Simpira<2>>(),
        Self::new::<Simpira<3>>(),
        Self::new::<Simpira<4>>(),
        Self::new::<Simpira<8>>(),
        Self::new::<Areion256>(),
        Self::new::<Areion512>(),
        Self::new::<KeccakP12>(),
        Self::new::<AsconP12>(),
    ];

    const fn new<P: Inner>() -> Self {
        Self { name: P::NAME, bytes: P::BYTES, apply: apply_at::<P> }
    }

    /// Permutes every block of `blocks`.
    ///
    /// # Panics
    /// If `blocks` does not consist of whole blocks.
    pub fn apply(&self, backend: Backend, direction: Direction, width: Width, blocks: &mut [u8]) {
        assert!(blocks.len().is_multiple_of(self.bytes), "whole blocks");
        (self.apply)(backend, direction, width, blocks);
    }
}
