//! Kernels of a compression function's text, in the vectors of the back end.

use core::marker::PhantomData;

use super::{Block, Compression, HashTask, Kernel, KernelJob};
use crate::backend::hashes::{HashBackend, HashWords, Integer, OneWord, Proof, WordTask};

/// A compression function in vectors of words.
pub(crate) trait Vectorised: Compression {
    /// A single word.
    type Word: Integer;
    /// As many words as a register holds.
    type Many<P: Proof>: HashWords<Proof = P, Word = Self::Word>;
    /// Whether a word's first byte is its most significant.
    const BIG_ENDIAN: bool;

    /// The function, of as many inputs as there are lanes.
    fn compress<V: HashWords<Word = Self::Word>>(
        proof: V::Proof,
        key: &Self::Key,
        chain: [V; 8],
        block: [V; 8],
    ) -> [V; 8];
}

/// The text in the vectors `V`.
pub(crate) struct VectorLanes<V: HashWords>(pub(crate) V::Proof);

impl<V: HashWords> Clone for VectorLanes<V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: HashWords> Copy for VectorLanes<V> {}

impl<T: Vectorised, V: HashWords<Word = T::Word>> Kernel<T> for VectorLanes<V> {
    type Chains = [V; 8];
    type Words = [V; 8];

    const LANES: usize = V::LANES;

    #[inline(always)]
    fn load(self, blocks: &[T::Block]) -> [V; 8] {
        V::load(T::BIG_ENDIAN, self.0, T::Block::flat(blocks))
    }

    #[inline(always)]
    fn store(self, words: [V; 8], blocks: &mut [T::Block]) {
        V::store(T::BIG_ENDIAN, words, T::Block::flat_mut(blocks));
    }

    #[inline(always)]
    fn xor(self, x: [V; 8], y: [V; 8]) -> [V; 8] {
        xor(x, y)
    }

    #[inline(always)]
    fn chains(self, words: [V; 8]) -> [V; 8] {
        words
    }

    #[inline(always)]
    fn words(self, chains: [V; 8]) -> [V; 8] {
        chains
    }

    #[inline(always)]
    fn mask(self, chains: [V; 8], words: [V; 8]) -> [V; 8] {
        xor(chains, words)
    }

    #[inline(always)]
    fn compress(self, key: &T::Key, chains: [V; 8], words: [V; 8]) -> [V; 8] {
        T::compress(self.0, key, chains, words)
    }
}

#[inline(always)]
fn xor<V: HashWords>(x: [V; 8], y: [V; 8]) -> [V; 8] {
    let mut sum = x;
    for i in 0..8 {
        sum[i] = x[i].xor(y[i]);
    }
    sum
}

/// A job of one input.
struct Single<T, J>(J, PhantomData<T>);

impl<T: Vectorised, J: HashTask<T>> WordTask for Single<T, J> {
    type Output = ();

    #[inline(always)]
    fn run<P: Proof>(self, proof: P) {
        let kernel = VectorLanes::<OneWord<T::Word, P>>(proof);
        proof.enter(KernelJob { kernel, job: self.0, of: self.1 });
    }
}

/// A job of as many inputs as a register has words.
struct Several<T, J>(J, PhantomData<T>);

impl<T: Vectorised, J: HashTask<T>> WordTask for Several<T, J> {
    type Output = ();

    #[inline(always)]
    fn run<P: Proof>(self, proof: P) {
        let kernel = VectorLanes::<T::Many<P>>(proof);
        proof.enter(KernelJob { kernel, job: self.0, of: self.1 });
    }
}

/// How many words a register has.
struct Lanes<T>(PhantomData<T>);

impl<T: Vectorised> WordTask for Lanes<T> {
    type Output = usize;

    #[inline(always)]
    fn run<P: Proof>(self, _: P) -> usize {
        T::Many::<P>::LANES
    }
}

pub(super) fn one<T: Vectorised, J: HashTask<T>>(on: HashBackend, job: J) {
    on.run(Single(job, PhantomData::<T>));
}

pub(super) fn lanes<T: Vectorised>(on: HashBackend) -> usize {
    on.run(Lanes(PhantomData::<T>))
}

pub(super) fn many<T: Vectorised, J: HashTask<T>>(on: HashBackend, job: J) {
    on.run(Several(job, PhantomData::<T>));
}
