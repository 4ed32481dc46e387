//! SHA-512 of one input with its message schedule in vectors, two words at a time.
//!
//! The rounds are a chain of scalar instructions, and most of the time vectors have nothing to do:
//! the words that are needed 16 rounds later cost nothing beside them ([`rounds`]).

use super::Kernel;
use super::sha2::{self, KeyWords};
use super::sha512::{K, Sha512};
use crate::backend::cpu::Avx2;
use crate::backend::hashes::{Lanewise, MessageSchedule, OneWord, Pair, pin, rounds};

type V = OneWord<u64, Avx2>;

/// A kernel of one input: the chaining value in single words, and the rest in pairs.
#[derive(Clone, Copy)]
pub(super) struct Scheduled(pub(super) Avx2);

impl Kernel<Sha512> for Scheduled {
    type Chains = [V; 8];
    type Words = [Pair; 4];

    const LANES: usize = 1;

    #[inline(always)]
    fn load(self, blocks: &[[u8; 64]]) -> [Pair; 4] {
        let mut words = [Pair::load_big_endian(self.0, &blocks[0][..16]); 4];
        for i in 1..4 {
            words[i] = Pair::load_big_endian(self.0, &blocks[0][16 * i..16 * i + 16]);
        }
        words
    }

    #[inline(always)]
    fn store(self, words: [Pair; 4], blocks: &mut [[u8; 64]]) {
        for i in 0..4 {
            words[i].store_big_endian(&mut blocks[0][16 * i..16 * i + 16]);
        }
    }

    #[inline(always)]
    fn xor(self, x: [Pair; 4], y: [Pair; 4]) -> [Pair; 4] {
        let mut sum = x;
        for i in 0..4 {
            sum[i] = x[i].xor(y[i]);
        }
        sum
    }

    #[inline(always)]
    fn chains(self, words: [Pair; 4]) -> [V; 8] {
        self.mask([V::new(self.0, 0); 8], words)
    }

    #[inline(always)]
    fn words(self, chains: [V; 8]) -> [Pair; 4] {
        let mut words = [Pair::new(chains[0], chains[1]); 4];
        for i in 1..4 {
            words[i] = Pair::new(chains[2 * i], chains[2 * i + 1]);
        }
        words
    }

    #[inline(always)]
    fn mask(self, chains: [V; 8], words: [Pair; 4]) -> [V; 8] {
        let (words, mut sum) = (Pair::singles(words), chains);
        for i in 0..8 {
            sum[i] = chains[i].xor(words[i]);
        }
        pin(&mut sum);
        sum
    }

    #[inline(always)]
    fn compress(self, key: &KeyWords<u64>, h: [V; 8], block: [Pair; 4]) -> [V; 8] {
        let Self(proof) = self;
        let mut schedule = MessageSchedule { w: [block[0]; 8], sums: [0; 16] };
        let MessageSchedule { w, sums } = &mut schedule;
        for i in 0..4 {
            let (first, second) = (2 * i..2 * i + 2, 2 * i + 8..2 * i + 10);
            w[i] = Pair::load(proof, &key.words[first.clone()]);
            w[i + 4] = block[i];
            Pair::load(proof, &key.sums[first.clone()]).store(&mut sums[first]);
            block[i].add(Pair::load(proof, &K[second.clone()])).store(&mut sums[second]);
        }
        let mut x = h;
        rounds(proof, &mut x, &mut schedule, &K);
        x = sha2::add(h, x);
        pin(&mut x);
        x
    }
}
