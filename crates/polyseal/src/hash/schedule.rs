//! SHA-512 of one input with its message schedule in vectors, two words at a time.
//!
//! The rounds are a chain of scalar instructions, and most of the time vectors have nothing to do. So
//! each pair of rounds is followed by the pair of words that is needed 16 rounds later.

use super::Kernel;
use super::sha2::{self, KeyWords, Sha2};
use super::sha512::Sha512;
use super::text::InVectors;
use crate::backend::cpu::Avx2;
use crate::backend::hashes::{Lanewise, One, Pair, pin};

type V = One<u64, Avx2>;

/// The words of 16 rounds, and their sums with the constants.
struct Words {
    proof: Avx2,
    w: [Pair; 8],
    sums: [u64; 16],
}

/// A kernel of one input.
#[derive(Clone, Copy)]
pub(super) struct Scheduled(pub(super) Avx2);

impl Scheduled {
    /// What it has in common with the text in single words.
    #[inline(always)]
    fn text(self) -> InVectors<V> {
        InVectors(self.0)
    }
}

impl Kernel<Sha512> for Scheduled {
    type Chains = [V; 8];
    type Words = [V; 8];

    const LANES: usize = 1;

    #[inline(always)]
    fn load(self, blocks: &[[u8; 64]]) -> [V; 8] {
        Kernel::<Sha512>::load(self.text(), blocks)
    }

    #[inline(always)]
    fn store(self, words: [V; 8], blocks: &mut [[u8; 64]]) {
        Kernel::<Sha512>::store(self.text(), words, blocks);
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
    fn xor_chains(self, x: [V; 8], y: [V; 8]) -> [V; 8] {
        Kernel::<Sha512>::xor_chains(self.text(), x, y)
    }

    #[inline(always)]
    fn xor_words(self, x: [V; 8], y: [V; 8]) -> [V; 8] {
        Kernel::<Sha512>::xor_words(self.text(), x, y)
    }

    #[inline(always)]
    fn compress(self, key: &KeyWords<u64>, h: [V; 8], block: [V; 8]) -> [V; 8] {
        let Self(proof) = self;
        let mut words = Words { proof, w: [Pair::load(proof, &key.words[..2]); 8], sums: [0; 16] };
        words.sums[..8].copy_from_slice(&key.sums);
        for i in 0..4 {
            words.w[i] = Pair::load(proof, &key.words[2 * i..2 * i + 2]);
            words.w[i + 4] = Pair::new(block[2 * i], block[2 * i + 1]);
            let constants = Pair::load(proof, &Sha512::K[2 * i + 8..2 * i + 10]);
            words.w[i + 4].add(constants).store(&mut words.sums[2 * i + 8..2 * i + 10]);
        }
        let mut x = h;
        pin(&mut x);
        for t in (16..80).step_by(16) {
            sixteen::<true>(&mut x, &mut words, t);
            pin(&mut x);
        }
        sixteen::<false>(&mut x, &mut words, 80);
        sha2::add(h, x)
    }
}

/// Sixteen rounds, and the words of the next, from W_t on.
#[inline(always)]
fn sixteen<const MORE: bool>(x: &mut [V; 8], words: &mut Words, t: usize) {
    // Unrolled by hand: only constants index registers.
    two::<MORE, 0, 1>(x, words, t);
    two::<MORE, 2, 3>(x, words, t);
    two::<MORE, 4, 5>(x, words, t);
    two::<MORE, 6, 7>(x, words, t);
    two::<MORE, 8, 9>(x, words, t);
    two::<MORE, 10, 11>(x, words, t);
    two::<MORE, 12, 13>(x, words, t);
    two::<MORE, 14, 15>(x, words, t);
}

#[inline(always)]
fn two<const MORE: bool, const I: usize, const J: usize>(
    x: &mut [V; 8],
    words: &mut Words,
    t: usize,
) {
    let Words { proof, w, sums } = words;
    sha2::round::<V, Sha512, I>(x, V::new(*proof, sums[I]));
    sha2::round::<V, Sha512, J>(x, V::new(*proof, sums[J]));
    if MORE {
        // W_t = σ_1(W_{t−2}) + W_{t−7} + σ_0(W_{t−15}) + W_{t−16}
        let i = const { I / 2 };
        let [i1, i4, i5, i7] = [(i + 1) % 8, (i + 4) % 8, (i + 5) % 8, (i + 7) % 8];
        let first = sha2::small::<Pair, Sha512>(0, w[i].straddle(w[i1]));
        let sum = w[i].add(first).add(w[i4].straddle(w[i5]));
        w[i] = sum.add(sha2::small::<Pair, Sha512>(1, w[i7]));
        let constants = Pair::load(*proof, &Sha512::K[t + I..t + I + 2]);
        w[i].add(constants).store(&mut sums[I..I + 2]);
    }
}
