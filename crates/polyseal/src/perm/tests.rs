//! States as values: what modes do with them between permutations.

use alloc::vec::Vec;

use super::{Areion512, AsconP12, KeccakP12, Permutation, Simpira, States};
use crate::backend::{Backend, Isa, Task};

/// Bytes that differ from their neighbours.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 167 + i / 251) as u8).collect()
}

/// The bytes of states. Not inlined into the test of every type, which would be compiled for
/// minutes; nor is any permutation below.
#[inline(never)]
fn stored<S: States>(states: S) -> Vec<u8> {
    let mut out = alloc::vec![0; S::BYTES];
    states.store(&mut out);
    out
}

/// The permutation of states, or its inverse.
#[inline(never)]
fn permuted<S: States>(isa: S::Isa, inverse: bool, x: S) -> Vec<u8> {
    let [x] = if inverse { S::invert(isa, [x]) } else { S::permute(isa, [x]) };
    stored(x)
}

/// The same beside the permutation of another state.
#[inline(never)]
fn beside<S: States>(isa: S::Isa, inverse: bool, x: S, other: S::SingleState) -> [Vec<u8>; 2] {
    let ([x], [other]) = S::beside(isa, inverse, [x], [other]);
    [stored(x), stored(other)]
}

/// The same of `x` by quarters, with `y` at other places of the way.
#[inline(never)]
fn staggered<S: States>(isa: S::Isa, inverse: bool, x: S, y: S) -> Vec<u8> {
    let mut quarters = [x, y, y, y];
    for q in 0..4 {
        quarters = S::stagger(isa, inverse, quarters);
        quarters[(q + 1) % 4] = quarters[q];
    }
    stored(quarters[3])
}

/// Everything but the permutations themselves, on states of `S`.
fn algebra<S: States>(isa: S::Isa, name: &str) {
    let bytes = bytes(2 * S::BYTES);
    let (first, second) = bytes.split_at(S::BYTES);
    let (x, y) = (S::load(isa, first), S::load(isa, second));
    assert_eq!(stored(x), first, "{name}");
    let sum: Vec<_> = first.iter().zip(second).map(|(a, b)| a ^ b).collect();
    assert_eq!(stored(x.xor(y)), sum, "{name}");

    let block = S::BYTES / S::COUNT;
    let mut of_states = alloc::vec![0; block];
    for state in first.chunks(block) {
        of_states.iter_mut().zip(state).for_each(|(sum, byte)| *sum ^= byte);
    }
    assert_eq!(stored(x.xor_states()), of_states, "{name}");
    let added: Vec<_> =
        sum.iter().zip(stored(y.xor(x)).iter().zip(first)).map(|(a, (b, c))| a ^ b ^ c).collect();
    assert_eq!(stored(x.xor(y).xor3(y.xor(x), x)), added, "{name}");
    for words in [16, 32].into_iter().filter(|&bytes| bytes < block) {
        let (mut left, mut right, mut after) = (first.to_vec(), first.to_vec(), first.to_vec());
        left.chunks_mut(block).for_each(|state| state[words..].fill(0));
        assert_eq!(stored(x.left(words)), left, "{name}");
        right.chunks_mut(block).for_each(|state| {
            state.copy_within(..block - words, words);
            state[..words].fill(0);
        });
        assert_eq!(stored(x.right(words)), right, "{name}");
        after.chunks_mut(block).for_each(|state| {
            state.copy_within(words.., 0);
            state[block - words..].fill(0);
        });
        assert_eq!(stored(x.after(words)), after, "{name}");
    }
    for bytes in [0, 1, 7, 8, 15, 16, 17, 31, 32, block - 1, block] {
        let mut cut = first.to_vec();
        cut.chunks_mut(block).for_each(|state| state[bytes..].fill(0));
        assert_eq!(stored(x.cut(isa, bytes)), cut, "{name}: {bytes}");
    }
    for states in 0..=S::COUNT {
        let mut leading = first.to_vec();
        leading[states * block..].fill(0);
        assert_eq!(stored(x.first(states)), leading, "{name}");
    }
    let mut lanes = alloc::vec![0; S::BYTES];
    x.write_lanes(&mut lanes);
    assert_eq!(stored(S::read_lanes(isa, &lanes)), first, "{name}");
    let single = S::SingleState::load(isa, &first[..block]);
    assert_eq!(stored(S::splat(isa, single)), first[..block].repeat(S::COUNT), "{name}");

    for inverse in [false, true] {
        let alone = permuted(isa, inverse, x);
        let [first, other] = beside(isa, inverse, x, single);
        assert_eq!(first, alone, "{name}");
        assert_eq!(other, permuted::<S::SingleState>(isa, false, single), "{name}");
        if S::STAGGERS {
            assert_eq!(staggered(isa, inverse, x, y), alone, "{name}");
        }
    }

    for length in [0, 1, 8, 15, 16, 31, block - 1, block, S::BYTES - 1, S::BYTES] {
        let length = length.min(S::BYTES);
        let mut padded = first[..length].to_vec();
        padded.resize(S::BYTES, 0);
        assert_eq!(stored(S::load_partial(isa, &first[..length])), padded, "{name}: {length}");
        let mut out = alloc::vec![0; length];
        x.store_partial(&mut out);
        assert_eq!(out, first[..length], "{name}: {length}");
    }
}

struct Algebra(&'static str);

impl Task for Algebra {
    type Output = ();

    fn run<I: Isa>(self, isa: I) {
        fn check<P: Permutation, I: Isa>(isa: I, backend: &str) {
            let name = alloc::format!("{} on {backend}", P::NAME);
            assert_eq!(<P::SingleState<I> as States>::BYTES, P::BYTES, "{name}");
            algebra::<P::SingleState<I>>(isa, &name);
            algebra::<P::Many<I>>(isa, &name);
        }
        check::<Simpira<2>, I>(isa, self.0);
        check::<Simpira<3>, I>(isa, self.0);
        check::<Simpira<4>, I>(isa, self.0);
        check::<Areion512, I>(isa, self.0);
        check::<Simpira<8>, I>(isa, self.0);
        check::<KeccakP12, I>(isa, self.0);
        check::<AsconP12, I>(isa, self.0);
    }
}

#[test]
fn states_are_loaded_added_and_stored() {
    for backend in Backend::available() {
        backend.run(Algebra(backend.name()));
    }
}
