//! The machine that the modes run on: the vectors of a back end, or memory.
//!
//! The profiles that are meant to be fast, S512 and A512, have the whole of every mode compiled for
//! every back end, with its states in registers. For the others that would be megabytes. Their
//! modes are compiled once, on states in memory, and only π runs on the back end.

use super::field;
use super::parameters::{Bytes, Fast, MOST_LANES, Many, Parameters};
use crate::backend::{Backend, Isa, Task};
use crate::perm::{self, Polynomials, States};

/// Something that states of a profile can be on.
pub(super) trait Machine<P: Parameters>: Copy {
    /// Whether states are in memory. Then what is done in many places is a function of its own: one
    /// copy for each caller would gain nothing.
    const IN_MEMORY: bool;
    /// A state of π.
    type SingleState: States<Isa = Self, SingleState = Self::SingleState>;
    /// As many as are done together.
    type Many: Polynomials<Isa = Self, SingleState = Self::SingleState>;
}

impl<P: Fast, I: Isa> Machine<P> for I {
    const IN_MEMORY: bool = false;
    type SingleState = P::SingleState<I>;
    type Many = P::Many<I>;
}

/// Writes whole vectors of `blocks` in the order of the lanes.
#[inline(always)]
pub(super) fn write_lanes<P: Parameters, M: Machine<P>>(
    machine: M,
    blocks: &[u8],
    lanes: &mut [u8],
) {
    let vectors = blocks.chunks_exact(Many::<P, M>::BYTES);
    for (blocks, lanes) in vectors.zip(lanes.chunks_exact_mut(Many::<P, M>::BYTES)) {
        Many::<P, M>::load(machine, blocks).write_lanes(lanes);
    }
}

/// A computation on any machine.
pub(super) trait StateTask<P: Parameters> {
    /// The result.
    type Output;

    /// The computation. Implementations mark it `#[inline(always)]`.
    fn run<M: Machine<P>>(self, machine: M) -> Self::Output;
}

/// Runs on the vectors of `backend`.
#[inline(always)]
pub(super) fn in_registers<P: Fast, W: StateTask<P>>(backend: Backend, work: W) -> W::Output {
    backend.run(InRegisters::<P, W>(backend, work, core::marker::PhantomData))
}

struct InRegisters<P, W>(Backend, W, core::marker::PhantomData<P>);

impl<P: Fast, W: StateTask<P>> Task for InRegisters<P, W> {
    type Output = W::Output;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> W::Output {
        // The portable back end has nothing to gain.
        match const { I::REGISTERS > 8 } {
            true => self.1.run(isa),
            false => in_memory(self.0, self.1),
        }
    }
}

/// Runs on memory.
#[inline(never)]
pub(super) fn in_memory<P: Parameters, W: StateTask<P>>(backend: Backend, work: W) -> W::Output {
    work.run(Memory(backend))
}

/// States in memory; π runs on the back end.
#[derive(Clone, Copy)]
pub(super) struct Memory(Backend);

impl<P: Parameters> Machine<P> for Memory {
    const IN_MEMORY: bool = true;
    type SingleState = Stored<P, 1>;
    type Many = Stored<P, MOST_LANES>;
}

/// `COUNT` states in memory.
#[derive(Clone, Copy)]
pub(super) struct Stored<P: Parameters, const COUNT: usize>([P::Block; COUNT]);

impl<P: Parameters, const COUNT: usize> Stored<P, COUNT> {
    const ZERO: Self = Self([P::Block::ZERO; COUNT]);

    fn bytes(&self) -> &[u8] {
        P::Block::flatten(&self.0)
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        P::Block::flatten_mut(&mut self.0)
    }

    /// π or its inverse, of all of them.
    #[inline(never)]
    fn apply<const N: usize>(
        memory: Memory,
        direction: perm::Direction,
        x: [Self; N],
    ) -> [Self; N] {
        let mut states = x.map(|x| x.0);
        let bytes = P::Block::flatten_mut(states.as_flattened_mut());
        perm::apply::<P::Permutation>(memory.0, direction, bytes);
        states.map(Self)
    }
}

/// Nothing here is inlined: it is called from everywhere.
impl<P: Parameters, const COUNT: usize> States for Stored<P, COUNT> {
    type Isa = Memory;
    type SingleState = Stored<P, 1>;

    const COUNT: usize = COUNT;
    const BYTES: usize = COUNT * P::B;

    #[inline(never)]
    fn load(_: Memory, source: &[u8]) -> Self {
        let mut x = Self::ZERO;
        x.bytes_mut().copy_from_slice(source);
        x
    }

    #[inline(never)]
    fn load_partial(_: Memory, source: &[u8]) -> Self {
        let mut x = Self::ZERO;
        x.bytes_mut()[..source.len()].copy_from_slice(source);
        x
    }

    #[inline(never)]
    fn store(self, target: &mut [u8]) {
        target.copy_from_slice(self.bytes());
    }

    #[inline(never)]
    fn store_partial(self, target: &mut [u8]) {
        target.copy_from_slice(&self.bytes()[..target.len()]);
    }

    #[inline(never)]
    fn splat(_: Memory, one: Self::SingleState) -> Self {
        Self([one.0[0]; COUNT])
    }

    #[inline(never)]
    fn xor(mut self, other: Self) -> Self {
        for (x, y) in self.bytes_mut().iter_mut().zip(other.bytes()) {
            *x ^= y;
        }
        self
    }

    #[inline(never)]
    fn left(mut self, bytes: usize) -> Self {
        for state in &mut self.0 {
            state.as_mut()[bytes..].fill(0);
        }
        self
    }

    #[inline(never)]
    fn right(mut self, bytes: usize) -> Self {
        for state in &mut self.0 {
            let state = state.as_mut();
            state.copy_within(..P::B - bytes, bytes);
            state[..bytes].fill(0);
        }
        self
    }

    #[inline(never)]
    fn after(mut self, bytes: usize) -> Self {
        for state in &mut self.0 {
            let state = state.as_mut();
            state.copy_within(bytes.., 0);
            state[P::B - bytes..].fill(0);
        }
        self
    }

    #[inline(never)]
    fn cut(self, _: Memory, bytes: usize) -> Self {
        self.left(bytes.min(P::B))
    }

    #[inline(never)]
    fn first(mut self, states: usize) -> Self {
        for state in &mut self.0[states.min(COUNT)..] {
            *state = Bytes::ZERO;
        }
        self
    }

    #[inline(never)]
    fn xor_states(self) -> Self::SingleState {
        let mut sum = Stored([P::Block::ZERO]);
        for state in self.0 {
            sum = sum.xor(Stored([state]));
        }
        sum
    }

    #[inline(never)]
    fn read_lanes(memory: Memory, source: &[u8]) -> Self {
        Self::load(memory, source)
    }

    #[inline(never)]
    fn write_lanes(self, target: &mut [u8]) {
        self.store(target);
    }

    #[inline(never)]
    fn permute<const N: usize>(memory: Memory, x: [Self; N]) -> [Self; N] {
        Self::apply(memory, perm::Direction::Forward, x)
    }

    #[inline(never)]
    fn invert<const N: usize>(memory: Memory, x: [Self; N]) -> [Self; N] {
        Self::apply(memory, perm::Direction::Backward, x)
    }
}

impl<P: Parameters, const COUNT: usize> Polynomials for Stored<P, COUNT> {
    #[inline(never)]
    fn times_x16(mut self, _: Memory, reduction: u64) -> Self {
        for state in &mut self.0 {
            field::times_x16(state.as_mut(), reduction);
        }
        self
    }
}
