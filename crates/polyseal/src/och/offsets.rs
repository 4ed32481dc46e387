//! The offsets (section 4): E, the table of L(j), and R of a nonce.
//!
//! Z of block i is R with L(j) for each bit j of the Gray code of i. That code is linear: so blocks
//! are counted in windows of [`WINDOW`], and Z is the sum of the window's offset and of one in a
//! table that serves them all.

use super::{BLOCK, Block, MAX_MESSAGE_BYTES};
use crate::backend::{Isa, wipe};
use crate::perm::{Areion256, Permutation, States};

/// A block in registers.
pub(super) type Single<I> = <Areion256 as Permutation>::SingleState<I>;
/// As many blocks as there are lanes.
pub(super) type Many<I> = <Areion256 as Permutation>::Many<I>;

/// How many blocks a window has.
pub(super) const WINDOW: usize = 16;
/// The place of L(j) for a window's number that is odd.
const FIRST_OF_WINDOWS: usize = WINDOW.trailing_zeros() as usize;

/// How many L(j) there are: those of the longest message, and of a hidden nonce before it.
const TABLE: usize = 46;
const _: () = assert!(MAX_MESSAGE_BYTES / (BLOCK as u64) < 1 << TABLE);

/// E, by the offset.
#[inline(always)]
pub(super) fn encipher<I: Isa>(isa: I, z: Single<I>, x: Single<I>) -> Single<I> {
    let [y] = Single::<I>::permute(isa, [x.xor(z)]);
    y.xor(z)
}

/// The inverse of E.
#[inline(always)]
pub(super) fn decipher<I: Isa>(isa: I, z: Single<I>, y: Single<I>) -> Single<I> {
    let [x] = Single::<I>::invert(isa, [y.xor(z)]);
    x.xor(z)
}

/// KE, and all offsets that depend on it alone.
pub(super) struct Offsets {
    ke: Block,
    /// L*.
    star: Block,
    /// L(0), L(1), …
    l: [Block; TABLE],
    /// Z of the blocks 0 to 15, without R.
    window: [Block; WINDOW],
}

impl Offsets {
    /// Without a key.
    pub(super) const EMPTY: Self = Self {
        ke: [0; BLOCK],
        star: [0; BLOCK],
        l: [[0; BLOCK]; TABLE],
        window: [[0; BLOCK]; WINDOW],
    };

    /// Those of `ke`.
    #[inline(always)]
    pub(super) fn fill<I: Isa>(&mut self, isa: I, ke: &Block) {
        self.ke = *ke;
        let zero = Single::<I>::load_partial(isa, &[]);
        encipher(isa, Single::<I>::load(isa, &self.ke), zero).store(&mut self.star);
        let mut words = from_big_endian(&self.star);
        double(&mut words);
        for l in &mut self.l {
            double(&mut words);
            for (bytes, word) in l.as_chunks_mut().0.iter_mut().zip(words) {
                *bytes = word.to_be_bytes();
            }
        }
        for i in 1..WINDOW {
            for k in 0..BLOCK {
                self.window[i][k] = self.window[i - 1][k] ^ self.l[ntz(i as u64)][k];
            }
        }
    }

    #[inline(always)]
    fn l<I: Isa>(&self, isa: I, j: usize) -> Single<I> {
        Single::<I>::load(isa, &self.l[j])
    }

    /// L*.
    #[inline(always)]
    pub(super) fn star<I: Isa>(&self, isa: I) -> Single<I> {
        Single::<I>::load(isa, &self.star)
    }

    /// Z_1(R(0)), R(0) being L*.
    #[inline(always)]
    pub(super) fn of_hidden_nonce<I: Isa>(&self, isa: I) -> Single<I> {
        self.star(isa).xor(self.l(isa, 0))
    }

    /// Z of a window's blocks, without the window's offset.
    #[inline(always)]
    pub(super) fn window(&self) -> &[u8] {
        self.window.as_flattened()
    }

    /// R of `nonce`.
    #[inline(always)]
    fn r<I: Isa>(&self, isa: I, nonce: Single<I>) -> Single<I> {
        let mut block = [0; BLOCK];
        nonce.store(&mut block);
        let n = block[BLOCK - 1] & 0x3f;
        block[BLOCK - 1] &= 0xc0;
        let x = encipher(isa, Single::<I>::load(isa, &self.ke), Single::<I>::load(isa, &block));
        x.store(&mut block);
        shift_left(&mut block, n.into());
        let r = Single::<I>::load(isa, &block);
        wipe(&mut block);
        r
    }

    pub(super) fn wipe(&mut self) {
        wipe(&mut self.ke);
        wipe(&mut self.star);
        wipe(self.l.as_flattened_mut());
        wipe(self.window.as_flattened_mut());
    }
}

/// The offsets of a message's blocks, one after another.
pub(super) struct Blocks<'a, I: Isa> {
    isa: I,
    pub(super) offsets: &'a Offsets,
    /// Z of the first block of the window that the last block is in.
    pub(super) base: Single<I>,
    /// The number of the next block.
    next: u64,
}

impl<'a, I: Isa> Blocks<'a, I> {
    /// Those under `nonce` from block `first` on, 1 or 2.
    #[inline(always)]
    pub(super) fn new(isa: I, offsets: &'a Offsets, nonce: Single<I>, first: u64) -> Self {
        Self { isa, offsets, base: offsets.r(isa, nonce), next: first }
    }

    /// The next blocks, `most` of them or as many as are in their window: the place of the first in
    /// it, and how many.
    #[inline(always)]
    pub(super) fn take(&mut self, most: usize) -> (usize, usize) {
        // CT: a block's number is public.
        let first = (self.next % WINDOW as u64) as usize;
        if first == 0 {
            let j = FIRST_OF_WINDOWS + ntz(self.next / WINDOW as u64);
            let Self { isa, offsets, .. } = *self;
            self.base = self.base.xor3(offsets.l(isa, j), offsets.l(isa, FIRST_OF_WINDOWS - 1));
        }
        let count = most.min(WINDOW - first);
        self.next += count as u64;
        (first, count)
    }

    /// Z* of the last block, or of the first, if there is none.
    #[inline(always)]
    pub(super) fn star_of_last(&self) -> Single<I> {
        let Self { isa, offsets, base, next } = *self;
        let place = ((next - 1).max(1) % WINDOW as u64) as usize;
        let z = base.xor(Single::<I>::load(isa, &offsets.window[place]));
        z.xor(offsets.star(isa))
    }
}

/// How many zero bits `i` ends with.
#[inline(always)]
fn ntz(i: u64) -> usize {
    i.trailing_zeros() as usize
}

#[inline(always)]
fn from_big_endian(block: &Block) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u64::from_be_bytes(*bytes);
    }
    words
}

/// 2 · x in GF(2^256), the first word being the most significant.
#[inline(always)]
fn double(x: &mut [u64; 4]) {
    // CT: the highest bit becomes a word of zeros or ones.
    let carry = 0_u64.wrapping_sub(x[0] >> 63);
    for i in 0..3 {
        x[i] = x[i] << 1 | x[i + 1] >> 63;
    }
    x[3] = x[3] << 1 ^ (carry & 0x425);
}

/// 256 bits to the left by `n` < 64: four words, the first the most significant, each of them
/// little-endian.
#[inline(always)]
fn shift_left(block: &mut Block, n: u32) {
    let mut words = [0; 5];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    for i in 0..4 {
        // CT: no branch on n, which is secret where the nonce is hidden. Two shifts: one by 64 is
        // not defined.
        let from_next = (words[i + 1] >> 1).wrapping_shr(63 ^ n);
        words[i] = words[i].wrapping_shl(n) | from_next;
    }
    for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Task};

    /// By the specification's sum, block by block.
    #[test]
    fn windows_are_sums_over_all_blocks() {
        struct Sums;

        impl Task for Sums {
            type Output = ();

            #[inline(always)]
            fn run<I: Isa>(self, isa: I) {
                let mut offsets = Offsets::EMPTY;
                offsets.fill(isa, &[7; BLOCK]);
                let nonce = Single::<I>::load(isa, &[9; BLOCK]);
                let mut blocks = Blocks::new(isa, &offsets, nonce, 1);
                let (mut sum, mut z) = ([0; BLOCK], [0; BLOCK]);
                blocks.base.store(&mut sum);
                for i in 1..=2000 {
                    for (sum, l) in sum.iter_mut().zip(offsets.l[ntz(i)]) {
                        *sum ^= l;
                    }
                    let (place, count) = blocks.take(1);
                    let window = Single::<I>::load(isa, &offsets.window[place]);
                    blocks.base.xor(window).store(&mut z);
                    assert_eq!((z, count), (sum, 1), "block {i}");
                }
                let last = Single::<I>::load(isa, &sum).xor(offsets.star(isa));
                last.store(&mut sum);
                blocks.star_of_last().store(&mut z);
                assert_eq!(z, sum);
            }
        }

        Backend::available().for_each(|backend| backend.run(Sums));
    }

    #[test]
    fn a_window_is_left_at_its_end() {
        struct Places;

        impl Task for Places {
            type Output = [(usize, usize); 4];

            #[inline(always)]
            fn run<I: Isa>(self, isa: I) -> Self::Output {
                let offsets = Offsets::EMPTY;
                let zero = Single::<I>::load_partial(isa, &[]);
                let mut blocks = Blocks::new(isa, &offsets, zero, 2);
                [16, 16, 3, 16].map(|most| blocks.take(most))
            }
        }

        assert_eq!(Backend::detect().run(Places), [(2, 14), (0, 16), (0, 3), (3, 13)]);
    }

    /// Bit by bit.
    #[test]
    fn a_shift_is_that_of_256_bits() {
        let block: Block = core::array::from_fn(|i| (37 * i + 11) as u8);
        // Bit i from the left: in a word, the last byte has the highest bits.
        let bit = |block: &Block, i: usize| {
            let byte = block[i / 64 * 8 + 7 - i % 64 / 8];
            byte >> (7 - i % 8) & 1
        };
        for n in 0..64 {
            let mut shifted = block;
            shift_left(&mut shifted, n as u32);
            for i in 0..256 {
                let expected = if i + n < 256 { bit(&block, i + n) } else { 0 };
                assert_eq!(bit(&shifted, i), expected, "bit {i} by {n}");
            }
        }
    }

    /// x^8 is a shift by a byte, with what falls out times x^10 + x^5 + x^2 + 1.
    #[test]
    fn eight_doublings_are_a_shift() {
        for first in [0, 1, 0x80, 0xa5, 0xff] {
            let x = [first << 56 | 0x12_3456_789a_bcde, u64::MAX, 3, 0x8000_0000_0000_0001];
            let mut doubled = x;
            for _ in 0..8 {
                double(&mut doubled);
            }
            let fallen = (first << 10) ^ (first << 5) ^ (first << 2) ^ first;
            let mut expected = [0; 4];
            for i in 0..4 {
                expected[i] = x[i] << 8 | x.get(i + 1).map_or(0, |next| next >> 56);
            }
            expected[3] ^= fallen;
            assert_eq!(doubled, expected);
        }
    }
}
