//! Kernels of instructions made for one compression function: several inputs in turn, so that one
//! fills what the others wait for.

use super::sha2::{KeyWords, Sha2};
use super::{Compression, Kernel};
use crate::backend::hashes::Unit;

/// `LANES` inputs.
#[derive(Clone, Copy)]
pub(super) struct LaneByLane<U, const LANES: usize>(pub(super) U);

impl<C, U, const LANES: usize> Kernel<C> for LaneByLane<U, LANES>
where
    C: Compression<Key = KeyWords<U::Word>> + Sha2<Word = U::Word>,
    U: Unit,
{
    type Chains = [U::Chain; LANES];
    type Words = [U::Words; LANES];

    const LANES: usize = LANES;

    #[inline(always)]
    fn load(self, blocks: &[C::Block]) -> Self::Words {
        let mut words = [self.0.load(blocks[0].as_ref()); LANES];
        for i in 1..LANES {
            words[i] = self.0.load(blocks[i].as_ref());
        }
        words
    }

    #[inline(always)]
    fn store(self, words: Self::Words, blocks: &mut [C::Block]) {
        for i in 0..LANES {
            self.0.store(words[i], blocks[i].as_mut());
        }
    }

    #[inline(always)]
    fn xor(self, x: Self::Words, y: Self::Words) -> Self::Words {
        let mut sum = x;
        for i in 0..LANES {
            sum[i] = self.0.xor(x[i], y[i]);
        }
        sum
    }

    #[inline(always)]
    fn chains(self, words: Self::Words) -> Self::Chains {
        let mut chains = [self.0.chain(words[0]); LANES];
        for i in 1..LANES {
            chains[i] = self.0.chain(words[i]);
        }
        chains
    }

    #[inline(always)]
    fn words(self, chains: Self::Chains) -> Self::Words {
        let mut words = [self.0.words(chains[0]); LANES];
        for i in 1..LANES {
            words[i] = self.0.words(chains[i]);
        }
        words
    }

    #[inline(always)]
    fn mask(self, chains: Self::Chains, words: Self::Words) -> Self::Chains {
        let mut sum = chains;
        for i in 0..LANES {
            sum[i] = self.0.mask(chains[i], words[i]);
        }
        sum
    }

    #[inline(always)]
    fn compress(
        self,
        key: &KeyWords<U::Word>,
        chains: Self::Chains,
        words: Self::Words,
    ) -> Self::Chains {
        self.0.compress(C::K, &key.words, &key.sums, chains, words)
    }
}
