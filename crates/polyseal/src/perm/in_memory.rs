//! Permutations of states in memory, on a back end of the caller's choice.

// Public with the feature `testing`.
#![cfg_attr(not(feature = "testing"), allow(unreachable_pub))]

use core::marker::PhantomData;

use super::{Permutation, States};
use crate::backend::{Backend, Isa, Task};

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
    /// Vectors of them.
    Many,
}

/// Permutes every state in `states`, whole ones.
pub(crate) fn apply<P: Permutation>(backend: Backend, direction: Direction, states: &mut [u8]) {
    let width = if states.len() == P::BYTES { Width::One } else { Width::Many };
    apply_at::<P>(backend, direction, width, states);
}

/// The same, at the width of the caller's choice.
pub(super) fn apply_at<P: Permutation>(
    backend: Backend,
    direction: Direction,
    width: Width,
    states: &mut [u8],
) {
    match width {
        Width::One => backend.run(Ones::<P>(direction, states, PhantomData)),
        Width::Many => backend.run(Manies::<P>(direction, states, PhantomData)),
    }
}
struct Ones<'a, P>(Direction, &'a mut [u8], PhantomData<P>);
struct Manies<'a, P>(Direction, &'a mut [u8], PhantomData<P>);

impl<P: Permutation> Task for Ones<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        groups::<P::SingleState<I>, 1>(isa, self.0, self.1);
    }
}

impl<P: Permutation> Task for Manies<'_, P> {
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
