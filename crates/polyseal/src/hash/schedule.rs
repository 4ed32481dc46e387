//! SHA-512 of one input with its message schedule in vectors, two words at a time.
//!
//! The rounds are a chain of scalar instructions, and most of the time vectors have nothing to do. So
//! each pair of rounds is followed by the pair of words that is needed 16 rounds later.

use super::sha2::{self, KeyWords, Sha2};
use super::sha512::Sha512;
use crate::backend::cpu::Avx2;
use crate::backend::hashes::{HashWords, Lanewise, One, Pair, Proof, Routine, pin};

/// A call.
struct Call<'a> {
    proof: Avx2,
    key: &'a KeyWords<u64>,
    chain: &'a mut [u8; 64],
    block: &'a [u8; 64],
}

/// The compression function.
pub(super) fn compress(proof: Avx2, key: &KeyWords<u64>, chain: &mut [u8; 64], block: &[u8; 64]) {
    proof.enter(Call { proof, key, chain, block });
}

type V = One<u64, Avx2>;

/// The words of 16 rounds, and their sums with the constants.
struct Words {
    proof: Avx2,
    w: [Pair; 8],
    sums: [u64; 16],
}

impl Routine for Call<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { proof, key, chain, block } = self;
        let mut words = Words { proof, w: [Pair::load(proof, &key.words[..2]); 8], sums: [0; 16] };
        words.sums[..8].copy_from_slice(&key.sums);
        for i in 0..4 {
            words.w[i] = Pair::load(proof, &key.words[2 * i..2 * i + 2]);
            words.w[i + 4] = Pair::load_big_endian(proof, &block[16 * i..16 * i + 16]);
            let constants = Pair::load(proof, &Sha512::K[2 * i + 8..2 * i + 10]);
            words.w[i + 4].add(constants).store(&mut words.sums[2 * i + 8..2 * i + 10]);
        }
        let h = V::load(true, proof, chain);
        let mut x = h;
        pin(&mut x);
        for t in (16..80).step_by(16) {
            sixteen::<true>(&mut x, &mut words, t);
            pin(&mut x);
        }
        sixteen::<false>(&mut x, &mut words, 80);
        V::store(true, sha2::add(h, x), chain);
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
