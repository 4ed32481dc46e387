//! Calls of a compression function's text, in the vectors of the back end.

use core::marker::PhantomData;

use crate::backend::hashes::{HashBackend, HashWords, Integer, OnVectors, One, Proof, Routine};

/// A compression function in vectors of words.
pub(crate) trait Text {
    /// A single word.
    type Word: Integer;
    /// A key, with all that depends on it alone.
    type Key;
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

/// A call with the vectors `V`.
struct Call<'a, V: HashWords, T: Text> {
    proof: V::Proof,
    key: &'a T::Key,
    chains: &'a mut [u8],
    blocks: &'a [u8],
}

impl<V: HashWords<Word = T::Word>, T: Text> Routine for Call<'_, V, T> {
    #[inline(always)]
    fn run(self) {
        let Self { proof, key, chains, blocks } = self;
        let (chain, block) =
            (V::load(T::BIG_ENDIAN, proof, chains), V::load(T::BIG_ENDIAN, proof, blocks));
        V::store(T::BIG_ENDIAN, T::compress(proof, key, chain, block), chains);
    }
}

/// Of one input.
struct Single<'a, T: Text> {
    key: &'a T::Key,
    chain: &'a mut [u8],
    block: &'a [u8],
}

impl<T: Text> OnVectors for Single<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<P: Proof>(self, proof: P) {
        let Self { key, chain, block } = self;
        proof.enter(Call::<One<T::Word, P>, T> { proof, key, chains: chain, blocks: block });
    }
}

/// Of as many inputs as a register has words.
struct Several<'a, T: Text> {
    key: &'a T::Key,
    chains: &'a mut [u8],
    blocks: &'a [u8],
}

impl<T: Text> OnVectors for Several<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<P: Proof>(self, proof: P) {
        let Self { key, chains, blocks } = self;
        proof.enter(Call::<T::Many<P>, T> { proof, key, chains, blocks });
    }
}

/// How many words a register has.
struct Lanes<T>(PhantomData<T>);

impl<T: Text> OnVectors for Lanes<T> {
    type Output = usize;

    #[inline(always)]
    fn run<P: Proof>(self, _: P) -> usize {
        T::Many::<P>::LANES
    }
}

pub(super) fn one<T: Text>(on: HashBackend, key: &T::Key, chain: &mut [u8], block: &[u8]) {
    on.run(Single::<T> { key, chain, block });
}

pub(super) fn lanes<T: Text>(on: HashBackend) -> usize {
    on.run(Lanes(PhantomData::<T>))
}

pub(super) fn many<T: Text, const N: usize>(
    on: HashBackend,
    key: &T::Key,
    chains: &mut [[u8; N]],
    blocks: &[[u8; N]],
) {
    let (chains, blocks) = (chains.as_flattened_mut(), blocks.as_flattened());
    on.run(Several::<T> { key, chains, blocks });
}
