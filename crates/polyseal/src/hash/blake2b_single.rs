//! BLAKE2b of one input with the state in four vectors, its rows, so that the four G of a step are
//! one.
//!
//! A round's second step takes diagonals. Here row b stays where it is and the others turn: b is
//! what the next step waits for, and they are there before.

use super::Kernel;
use super::blake2b::{Blake2b, IV, KeyWords, SIGMA};
use crate::backend::cpu::Avx2;
use crate::backend::hashes::{Lanewise, Row};

/// A kernel of one input.
#[derive(Clone, Copy)]
pub(super) struct RowKernel(Avx2);

impl RowKernel {
    #[inline(always)]
    pub(super) fn new(proof: Avx2) -> Self {
        Self(proof)
    }
}

impl Kernel<Blake2b> for RowKernel {
    type Chains = [Row; 2];
    type Words = [Row; 2];

    const LANES: usize = 1;

    #[inline(always)]
    fn load(self, blocks: &[[u8; 64]]) -> [Row; 2] {
        let (low, high) = blocks[0].split_at(32);
        [Row::load_row(self.0, low), Row::load_row(self.0, high)]
    }

    #[inline(always)]
    fn store(self, words: [Row; 2], blocks: &mut [[u8; 64]]) {
        let (low, high) = blocks[0].split_at_mut(32);
        words[0].store_row(low);
        words[1].store_row(high);
    }

    #[inline(always)]
    fn chains(self, words: [Row; 2]) -> [Row; 2] {
        words
    }

    #[inline(always)]
    fn words(self, chains: [Row; 2]) -> [Row; 2] {
        chains
    }

    #[inline(always)]
    fn mask(self, chains: [Row; 2], words: [Row; 2]) -> [Row; 2] {
        [chains[0].xor(words[0]), chains[1].xor(words[1])]
    }

    #[inline(always)]
    fn xor(self, x: [Row; 2], y: [Row; 2]) -> [Row; 2] {
        [x[0].xor(y[0]), x[1].xor(y[1])]
    }

    #[inline(always)]
    fn compress(self, key: &KeyWords, h: [Row; 2], block: [Row; 2]) -> [Row; 2] {
        let Self(proof) = self;
        let m = MessageWords::new(proof, key, block);
        let [i0, i1, i2, i3, i4, i5, i6, i7] = IV;
        let [c, d] = [Row::row(proof, [i0, i1, i2, i3]), Row::row(proof, [i4, i5, i6, i7])];
        let mut v = [h[0].add(m.row([0, 2, 4, 6])), h[1], c, d];
        // Unrolled by hand: only constants index the message.
        round::<0, 1>(&mut v, &m);
        round::<1, 2>(&mut v, &m);
        round::<2, 3>(&mut v, &m);
        round::<3, 4>(&mut v, &m);
        round::<4, 5>(&mut v, &m);
        round::<5, 6>(&mut v, &m);
        round::<6, 7>(&mut v, &m);
        round::<7, 8>(&mut v, &m);
        round::<8, 9>(&mut v, &m);
        round::<9, 0>(&mut v, &m);
        round::<0, 1>(&mut v, &m);
        round::<1, NONE>(&mut v, &m);
        [h[0].xor(v[0]).xor(v[2]), h[1].xor(v[3]).xor(v[1])]
    }
}

/// The next round, after the last one.
const NONE: usize = SIGMA.len();

/// Round R, with `a` that has its first words of the message, and gets those of round NEXT.
#[inline(always)]
fn round<const R: usize, const NEXT: usize>(v: &mut [Row; 4], m: &MessageWords) {
    let s = const { SIGMA[R] };
    let y = m.row([s[1], s[3], s[5], s[7]]);
    g(v, y, Some(m.row([s[8], s[10], s[12], s[14]])));
    // b stays, so that the last diagonal comes first.
    let [a, b, c, d] = *v;
    *v = [a.turn_3(), b, c.turn_1(), d.turn_2()];
    let y = m.row([s[15], s[9], s[11], s[13]]);
    if NEXT == NONE {
        g(v, y, None);
    } else {
        let s = const { SIGMA[NEXT % NONE] };
        g(v, y, Some(m.row([s[6], s[0], s[2], s[4]])));
    }
    let [a, b, c, d] = *v;
    *v = [a.turn_1(), b, c.turn_3(), d.turn_2()];
}

/// Four times G, section 3.1, with `a` that has x already. It gets the next x, in its present
/// place, before it turns: that takes as long as b, which everything waits for.
#[inline(always)]
fn g(v: &mut [Row; 4], y: Row, next: Option<Row>) {
    let [a, b, c, d] = v;
    *a = a.add(*b);
    *d = d.xor(*a).rotate(32);
    *c = c.add(*d);
    *b = b.xor(*c).rotate(24);
    let sum = a.add(y).first();
    *a = sum.add(*b);
    *d = d.xor(*a).rotate(16);
    *c = c.add(*d);
    if let Some(x) = next {
        *a = sum.add(x).first().add(*b);
    }
    *b = b.xor(*c).rotate(63);
}

/// The words of a block, in memory: a row is gathered from four places.
struct MessageWords {
    proof: Avx2,
    words: [u64; 16],
}

impl MessageWords {
    #[inline(always)]
    fn new(proof: Avx2, key: &KeyWords, block: [Row; 2]) -> Self {
        let mut words = [0; 16];
        words[..8].copy_from_slice(&key.0);
        block[0].store_words(&mut words[8..12]);
        block[1].store_words(&mut words[12..]);
        Self { proof, words }
    }

    #[inline(always)]
    fn row(&self, [a, b, c, d]: [usize; 4]) -> Row {
        Row::gather(self.proof, &self.words, [a, b, c, d])
    }
}
