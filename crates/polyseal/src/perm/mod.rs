//! Public permutations of 32 to 200 bytes, forward and backward: Simpira v2, Areion, Keccak-p and
//! Ascon-p.
//!
//! Source: each permutation's own file. Claim: a permutation is a public function without a key; a
//! mode that treats it as ideal says so itself. Each permutation is fast without branches or
//! indices that depend on data, on every back end.
//!
//! A mode is generic over a [`Permutation`] and works on [`States`]: as many states as the lanes of
//! a vector hold, in the permutation's own order of words. So masks can be added and sums taken
//! between permutations without going through memory. [`Permutation::SingleState`] has the shortest
//! latency; [`Permutation::Many`] is a register's worth of states.
//!
//! It has no keys, no masks, and no choice of how many states to have in flight (see
//! [`States::permute`]).

mod areion;
mod ascon;
mod block_states;
mod in_memory;
mod keccak;
mod simpira;
#[cfg(feature = "testing")]
pub(crate) mod testing;
#[cfg(all(test, feature = "long-tests"))]
mod tests;
mod vectors;
mod word_states;

pub(crate) use areion::{Areion256, Areion512};
pub(crate) use ascon::AsconP12;
pub(crate) use in_memory::{Direction, apply};
pub(crate) use keccak::KeccakP12;
pub(crate) use simpira::Simpira;
pub(crate) use vectors::{Sum, add, load, store};

use crate::backend::Isa;

/// A permutation of [`BYTES`](Self::BYTES) bytes.
pub(crate) trait Permutation: Copy {
    /// The designers' name for it.
    #[cfg_attr(not(feature = "testing"), allow(dead_code))]
    const NAME: &'static str;
    /// How many bytes a state has.
    const BYTES: usize;

    /// A single state on the instruction set `I`.
    type SingleState<I: Isa>: States<Isa = I, SingleState = Self::SingleState<I>>;
    /// As many states as fit side by side into the registers of `I`.
    type Many<I: Isa>: States<Isa = I, SingleState = Self::SingleState<I>>;
}

/// Several states side by side, as vectors: vector `k` has word `k` of each state.
pub(crate) trait States: Copy {
    /// The instruction set of the states, as far as they are vectors.
    type Isa: Copy;
    /// One of the states.
    type SingleState: States<Isa = Self::Isa, SingleState = Self::SingleState>;

    /// Whether there is [`stagger`](Self::stagger), because it pays.
    const STAGGERS: bool = false;
    /// How many states there are.
    const COUNT: usize;
    /// How many bytes they have together.
    const BYTES: usize;

    /// The states that follow each other in exactly [`BYTES`](Self::BYTES) bytes.
    fn load(isa: Self::Isa, source: &[u8]) -> Self;
    /// The same of at most [`BYTES`](Self::BYTES) bytes, then zeros.
    fn load_partial(isa: Self::Isa, source: &[u8]) -> Self;
    /// Writes exactly [`BYTES`](Self::BYTES) bytes.
    fn store(self, target: &mut [u8]);
    /// Writes the first `target.len()` bytes, at most [`BYTES`](Self::BYTES).
    fn store_partial(self, target: &mut [u8]);
    /// The same state in every place.
    fn splat(isa: Self::Isa, one: Self::SingleState) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// `self` ⊕ `a` ⊕ `b`.
    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        self.xor(a).xor(b)
    }
    /// The first `bytes` bytes of each state, a number of whole words, then zeros.
    fn left(self, bytes: usize) -> Self;
    /// Each state's bytes, `bytes` further back, a number of whole words; zeros before them.
    fn right(self, bytes: usize) -> Self;
    /// The inverse of [`right`](Self::right), without the first `bytes` bytes: zeros at the end.
    fn after(self, bytes: usize) -> Self;
    /// The first `bytes` bytes of each state, any number of them, then zeros.
    fn cut(self, isa: Self::Isa, bytes: usize) -> Self;
    /// The first `states` states, then zeros.
    fn first(self, states: usize) -> Self;
    /// The exclusive or of all states.
    fn xor_states(self) -> Self::SingleState;

    /// Reads the output of [`write_lanes`](Self::write_lanes).
    fn read_lanes(isa: Self::Isa, source: &[u8]) -> Self;
    /// Writes exactly [`BYTES`](Self::BYTES) bytes in the order of the lanes, not of the states:
    /// only [`read_lanes`](Self::read_lanes) can read them.
    fn write_lanes(self, target: &mut [u8]);

    /// The permutation of every state.
    ///
    /// The more there are in flight, the better the latency of each is hidden, until the registers
    /// are full. `N = 4` is best or close to it for every permutation on every back end, but for
    /// eight words of Simpira, which want 2. (Keccak-p goes through them one by one.)
    fn permute<const N: usize>(isa: Self::Isa, x: [Self; N]) -> [Self; N];
    /// The inverse permutation of every state.
    fn invert<const N: usize>(isa: Self::Isa, x: [Self; N]) -> [Self; N];
    /// The permutation of every state in `x`, or its inverse, and the permutation of those in
    /// `others`: side by side, where that pays. A CPU that finds a chain of rounds in its way does
    /// not look far beyond it.
    #[inline(always)]
    fn beside<const N: usize, const K: usize>(
        isa: Self::Isa,
        inverse: bool,
        x: [Self; N],
        others: [Self::SingleState; K],
    ) -> ([Self; N], [Self::SingleState; K]) {
        let x = if inverse { Self::invert(isa, x) } else { Self::permute(isa, x) };
        (x, Self::SingleState::permute(isa, others))
    }
    /// The way through the permutation, or its inverse, in quarters: `x[n]` has come `n` of them
    /// far, and each comes one further. The work on the first and the last of them falls among
    /// rounds of the others. Only where [`STAGGERS`](Self::STAGGERS) says so.
    #[inline(always)]
    fn stagger(isa: Self::Isa, inverse: bool, x: [Self; 4]) -> [Self; 4] {
        let _ = (isa, inverse, x);
        unreachable!("only where it is said to pay");
    }
}

/// States as polynomials over GF(2): the coefficient of x^i is bit i of the state, bit 0 being the
/// lowest of the first byte.
pub(crate) trait Polynomials: States {
    /// x^16 times each state, where x^n, n being the number of a state's bits, is worth
    /// `reduction`, a polynomial of degree less than 48 with the constant term 1.
    fn times_x16(self, isa: Self::Isa, reduction: u64) -> Self;
}
