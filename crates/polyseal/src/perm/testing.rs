//! For tests and benchmarks: every permutation, on a back end of the caller's choice.

use core::marker::PhantomData;

use super::{Areion256, Areion512, AsconP12, KeccakP12, Permutation as Inner, Simpira, States};
use crate::backend::{Backend, Isa, Task};

/// A permutation, to be applied to blocks in memory.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    /// What its designers call it.
    pub name: &'static str,
    /// How many bytes a block has.
    pub bytes: usize,
    apply: fn(Backend, Direction, Width, &mut [u8]),
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The permutation.
    Forward,
    /// Its inverse.
    Backward,
}

/// How many states are permuted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One after the other.
    One,
    /// Four vectors of them.
    Many,
}

impl Permutation {
    /// Every one of them.
    pub const ALL: [Self; 8] = [
        Self::of::<Simpira<2>>(),
        Self::of::<Simpira<3>>(),
        Self::of::<Simpira<4>>(),
        Self::of::<Simpira<8>>(),
        Self::of::<Areion256>(),
        Self::of::<Areion512>(),
        Self::of::<KeccakP12>(),
        Self::of::<AsconP12>(),
    ];

    const fn of<P: Inner>() -> Self {
        Self { name: P::NAME, bytes: P::BYTES, apply: apply::<P> }
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

fn apply<P: Inner>(backend: Backend, direction: Direction, width: Width, blocks: &mut [u8]) {
    match width {
        Width::One => backend.run(Ones::<P>(direction, blocks, PhantomData)),
        Width::Many => backend.run(Manies::<P>(direction, blocks, PhantomData)),
    }
}

struct Ones<'a, P>(Direction, &'a mut [u8], PhantomData<P>);
struct Manies<'a, P>(Direction, &'a mut [u8], PhantomData<P>);

impl<P: Inner> Task for Ones<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        groups::<P::One<I>, 1>(isa, self.0, self.1);
    }
}

impl<P: Inner> Task for Manies<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        groups::<P::Many<I>, 4>(isa, self.0, self.1);
    }
}

/// In groups of `N` vectors, of which the last may be incomplete.
#[inline(always)]
fn groups<S: States, const N: usize>(isa: S::Isa, direction: Direction, blocks: &mut [u8]) {
    for group in blocks.chunks_mut(N * S::BYTES) {
        let mut states = [S::load_partial(isa, &[]); N];
        for (states, bytes) in states.iter_mut().zip(group.chunks(S::BYTES)) {
            *states = match bytes.len() == S::BYTES {
                true => S::load(isa, bytes),
                false => S::load_partial(isa, bytes),
            };
        }
        states = match direction {
            Direction::Forward => S::permute(isa, states),
            Direction::Backward => S::invert(isa, states),
        };
        for (states, bytes) in states.iter().zip(group.chunks_mut(S::BYTES)) {
            match bytes.len() == S::BYTES {
                true => states.store(bytes),
                false => states.store_partial(bytes),
            }
        }
    }
}
