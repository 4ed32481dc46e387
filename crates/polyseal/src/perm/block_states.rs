//! States of 16-byte words, for permutations made of AES rounds.
//!
//! A state is `W` words as they follow each other in memory, each an AES block.

use core::marker::PhantomData;
use core::ops::Range;

use super::{Polynomials, States};
use crate::backend::StateLanes;

/// A permutation of `W` AES blocks. `x[w][n]` is word `w` of the states in the lanes of vector `n`.
pub(crate) trait BlockRounds<const W: usize>: Copy {
    /// Whether states lie turned (see [`StateLanes`]). So they can where `W` is 4 and the steps are
    /// the same if a state's halves are exchanged, with the constants in another order.
    const TURNED: bool = false;
    /// Whether there is [`stagger`](Self::stagger).
    const STAGGERS: bool = false;

    /// The permutation.
    fn permute<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; W]);
    /// Its inverse.
    fn invert<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; W]);
    /// See [`States::beside`].
    #[inline(always)]
    fn beside<L: StateLanes, const N: usize, const K: usize>(
        isa: L::Isa,
        inverse: bool,
        x: &mut [[L; N]; W],
        others: &mut [[L::X1; K]; W],
    ) {
        match inverse {
            false => Self::permute(isa, x),
            true => Self::invert(isa, x),
        }
        Self::permute(isa, others);
    }
    /// See [`States::stagger`].
    #[inline(always)]
    fn stagger<L: StateLanes>(isa: L::Isa, inverse: bool, x: &mut [[L; 4]; W]) {
        let _ = (isa, inverse, x);
        unreachable!("only where it is said to pay");
    }
}

/// One state of `W` words of the permutation `P` in each lane of `L`.
#[derive(Clone, Copy)]
pub(crate) struct BlockStates<P, L, const W: usize>([L; W], PhantomData<P>);

/// The share of vector `k` in `bytes` bytes.
#[inline(always)]
fn share<L: StateLanes>(k: usize, bytes: usize) -> Range<usize> {
    (k * L::BYTES).min(bytes)..((k + 1) * L::BYTES).min(bytes)
}

impl<P: BlockRounds<W>, L: StateLanes, const W: usize> BlockStates<P, L, W> {
    /// From the order of words to that of the lanes, or back.
    #[inline(always)]
    fn turn(words: [L; W]) -> [L; W] {
        match P::TURNED {
            true => L::turn(words),
            false => words,
        }
    }

    /// Word by word instead of state by state.
    #[inline(always)]
    fn words<const N: usize>(x: [Self; N]) -> [[L; N]; W] {
        let mut words = [[x[0].0[0]; N]; W];
        for w in 0..W {
            words[w][0] = x[0].0[w];
            if const { N > 1 } {
                for n in 1..N {
                    words[w][n] = x[n].0[w];
                }
            }
        }
        words
    }

    /// The inverse of [`words`](Self::words), into `x`.
    #[inline(always)]
    fn set<const N: usize>(x: &mut [Self; N], words: [[L; N]; W]) {
        for w in 0..W {
            x[0].0[w] = words[w][0];
            if const { N > 1 } {
                for n in 1..N {
                    x[n].0[w] = words[w][n];
                }
            }
        }
    }
}

impl<P: BlockRounds<W>, L: StateLanes, const W: usize> States for BlockStates<P, L, W> {
    type Isa = L::Isa;
    type SingleState = BlockStates<P, L::X1, W>;

    const STAGGERS: bool = P::STAGGERS && L::BLOCKS == 4;
    const COUNT: usize = L::BLOCKS;
    const BYTES: usize = W * L::BYTES;

    #[inline(always)]
    fn load(isa: L::Isa, source: &[u8]) -> Self {
        assert!(source.len() == Self::BYTES);
        let mut words = [L::broadcast(isa, &[0; 16]); W];
        if P::TURNED {
            words.copy_from_slice(&L::load_turned(isa, source));
            return Self(words, PhantomData);
        }
        for k in 0..W {
            words[k] = L::load(isa, &source[k * L::BYTES..(k + 1) * L::BYTES]);
        }
        Self(L::gather(words), PhantomData)
    }

    #[inline(always)]
    fn load_partial(isa: L::Isa, source: &[u8]) -> Self {
        assert!(source.len() <= Self::BYTES);
        let mut memory = [L::broadcast(isa, &[0; 16]); W];
        for k in 0..W {
            let share = share::<L>(k, source.len());
            // CT: lengths are public. With no byte to load, the address may be invalid, and then a
            // masked load takes a thousand cycles.
            match share.len() {
                0 => {}
                bytes if bytes == L::BYTES => memory[k] = L::load(isa, &source[share]),
                _ => memory[k] = L::load_partial(isa, &source[share]),
            }
        }
        Self(Self::turn(L::gather(memory)), PhantomData)
    }

    #[inline(always)]
    fn store(self, target: &mut [u8]) {
        assert!(target.len() == Self::BYTES);
        if P::TURNED {
            let mut words = [self.0[0]; 4];
            words.copy_from_slice(&self.0);
            return L::store_turned(words, target);
        }
        let memory = L::scatter(self.0);
        for k in 0..W {
            memory[k].store(&mut target[k * L::BYTES..(k + 1) * L::BYTES]);
        }
    }

    #[inline(always)]
    fn store_partial(self, target: &mut [u8]) {
        assert!(target.len() <= Self::BYTES);
        let memory = L::scatter(Self::turn(self.0));
        for k in 0..W {
            let share = share::<L>(k, target.len());
            match share.len() {
                0 => {}
                // Bytes that were stored under a mask are not soon to be loaded again.
                bytes if bytes == L::BYTES => memory[k].store(&mut target[share]),
                _ => memory[k].store_partial(&mut target[share]),
            }
        }
    }

    #[inline(always)]
    fn splat(_: L::Isa, one: Self::SingleState) -> Self {
        let mut words = [L::splat(one.0[0]); W];
        for k in 1..W {
            words[k] = L::splat(one.0[k]);
        }
        Self(Self::turn(words), PhantomData)
    }

    #[inline(always)]
    fn xor(mut self, other: Self) -> Self {
        for k in 0..W {
            self.0[k] = self.0[k].xor(other.0[k]);
        }
        self
    }

    #[inline(always)]
    fn xor3(mut self, a: Self, b: Self) -> Self {
        for k in 0..W {
            self.0[k] = self.0[k].xor3(a.0[k], b.0[k]);
        }
        self
    }

    #[inline(always)]
    fn left(mut self, bytes: usize) -> Self {
        assert!(bytes.is_multiple_of(16));
        self.0 = Self::turn(self.0);
        for k in 0..W {
            if 16 * k >= bytes {
                self.0[k] = self.0[k].xor(self.0[k]);
            }
        }
        self.0 = Self::turn(self.0);
        self
    }

    #[inline(always)]
    fn right(mut self, bytes: usize) -> Self {
        assert!(bytes.is_multiple_of(16));
        self.0 = Self::turn(self.0);
        for k in (0..W).rev() {
            self.0[k] = match k.checked_sub(bytes / 16) {
                Some(from) => self.0[from],
                None => self.0[k].xor(self.0[k]),
            };
        }
        self.0 = Self::turn(self.0);
        self
    }

    #[inline(always)]
    fn after(mut self, bytes: usize) -> Self {
        assert!(bytes.is_multiple_of(16));
        self.0 = Self::turn(self.0);
        for k in 0..W {
            self.0[k] = match self.0.get(k + bytes / 16) {
                Some(word) => *word,
                None => self.0[k].xor(self.0[k]),
            };
        }
        self.0 = Self::turn(self.0);
        self
    }

    #[inline(always)]
    fn cut(mut self, isa: L::Isa, bytes: usize) -> Self {
        static ONES_THEN_ZEROS: [[u8; 16]; 2] = [[0xff; 16], [0; 16]];
        self.0 = Self::turn(self.0);
        for k in 0..W {
            let kept = bytes.saturating_sub(16 * k).min(16);
            let mask = &ONES_THEN_ZEROS.as_flattened()[16 - kept..][..16];
            self.0[k] = self.0[k].and(L::broadcast(isa, mask));
        }
        self.0 = Self::turn(self.0);
        self
    }

    #[inline(always)]
    fn first(mut self, states: usize) -> Self {
        for k in 0..W {
            self.0[k] = self.0[k].truncate(16 * states);
        }
        self
    }

    #[inline(always)]
    fn read_lanes(isa: L::Isa, source: &[u8]) -> Self {
        assert!(source.len() == Self::BYTES);
        let mut words = [L::load(isa, &source[..L::BYTES]); W];
        for k in 1..W {
            words[k] = L::load(isa, &source[k * L::BYTES..(k + 1) * L::BYTES]);
        }
        Self(words, PhantomData)
    }

    #[inline(always)]
    fn write_lanes(self, target: &mut [u8]) {
        assert!(target.len() == Self::BYTES);
        for k in 0..W {
            self.0[k].store(&mut target[k * L::BYTES..(k + 1) * L::BYTES]);
        }
    }

    #[inline(always)]
    fn xor_states(self) -> Self::SingleState {
        let words = Self::turn(self.0);
        let mut sum = [words[0].xor_blocks(); W];
        for k in 1..W {
            sum[k] = words[k].xor_blocks();
        }
        BlockStates(sum, PhantomData)
    }

    #[inline(always)]
    fn permute<const N: usize>(isa: L::Isa, mut x: [Self; N]) -> [Self; N] {
        let mut words = Self::words(x);
        P::permute(isa, &mut words);
        Self::set(&mut x, words);
        x
    }

    #[inline(always)]
    fn invert<const N: usize>(isa: L::Isa, mut x: [Self; N]) -> [Self; N] {
        let mut words = Self::words(x);
        P::invert(isa, &mut words);
        Self::set(&mut x, words);
        x
    }

    #[inline(always)]
    fn beside<const N: usize, const K: usize>(
        isa: L::Isa,
        inverse: bool,
        mut x: [Self; N],
        mut others: [Self::SingleState; K],
    ) -> ([Self; N], [Self::SingleState; K]) {
        let (mut words, mut other_words) = (Self::words(x), Self::SingleState::words(others));
        P::beside(isa, inverse, &mut words, &mut other_words);
        Self::set(&mut x, words);
        Self::SingleState::set(&mut others, other_words);
        (x, others)
    }

    #[inline(always)]
    fn stagger(isa: L::Isa, inverse: bool, mut x: [Self; 4]) -> [Self; 4] {
        let mut words = Self::words(x);
        P::stagger(isa, inverse, &mut words);
        Self::set(&mut x, words);
        x
    }
}

impl<P: BlockRounds<W>, L: StateLanes, const W: usize> Polynomials for BlockStates<P, L, W> {
    #[inline(always)]
    fn times_x16(self, isa: L::Isa, reduction: u64) -> Self {
        let words = self.0;
        let zero = words[0].xor(words[0]);
        // The highest word is the first one's predecessor: what the constant term adds is in place.
        // That is so of turned states too.
        let mut shifted = words;
        for k in 0..W {
            shifted[k] = words[k].shift_in(words[(k + W - 1) % W]);
        }
        let mut rest = [0; 16];
        rest[..8].copy_from_slice(&(reduction ^ 1).to_le_bytes());
        let rest = L::broadcast(isa, &rest);
        let mut highest = words[W - 1];
        if P::TURNED {
            (highest, _) = L::exchange_odd(highest, words[W / 2 - 1]);
        }
        let added = zero.shift_in(highest).clmul::<0, 0>(rest);
        if P::TURNED {
            let (even, odd) = L::exchange_odd(added, zero);
            shifted[0] = shifted[0].xor(even);
            shifted[W / 2] = shifted[W / 2].xor(odd);
        } else {
            shifted[0] = shifted[0].xor(added);
        }
        Self(shifted, PhantomData)
    }
}
