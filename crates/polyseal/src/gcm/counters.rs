//! Counter blocks (SP 800-38D, section 6.5), one at a time or encrypted by a round already.
//!
//! Blocks whose counters differ in the last byte only have an [`Epoch`] in common: three of the
//! four columns of their state after a round (counter-mode caching: Bernstein and Schwabe, "New AES
//! software speed records", INDOCRYPT 2008). The fourth column of four such blocks is computed in
//! the four columns of one.

use super::aes::RoundKeys;
use super::ghash::{GROUP, Ghash, Powers};
use crate::backend::{Clmul, Isa, Lanes};

/// The first counter block, J_0.
#[derive(Clone, Copy)]
pub(super) enum First<X> {
    /// A nonce and a number: no secret.
    Public(X),
    /// A nonce's GHASH, which tells of the key.
    Secret(X),
}

impl<X: Clmul<X1 = X>> First<X> {
    /// The counters for a nonce of any length.
    #[inline(always)]
    pub(super) fn from_nonce(isa: X::Isa, powers: &Powers, nonce: &[u8]) -> Self
    where
        X::Isa: Isa<X1 = X>,
    {
        // CT: lengths are public.
        match nonce.try_into() {
            Ok(nonce) => Self::Public(counter_of(isa, nonce)),
            Err(_) => Self::Secret(hashed_counter(isa, powers, nonce)),
        }
    }

    #[inline(always)]
    pub(super) fn block(self) -> X {
        match self {
            Self::Public(block) | Self::Secret(block) => block,
        }
    }

    /// The counter block `blocks` behind.
    #[inline(always)]
    pub(super) fn behind(self, isa: X::Isa, blocks: u32) -> Self {
        let ahead = X::load(isa, &u128::from(blocks).to_le_bytes());
        let block = self.block().reverse_bytes().add_words(ahead).reverse_bytes();
        match self {
            Self::Public(_) => Self::Public(block),
            Self::Secret(_) => Self::Secret(block),
        }
    }
}

/// The counter block of a 12-byte nonce: `nonce ‖ 0^31 1`.
#[inline(always)]
pub(super) fn counter_of<I: Isa>(isa: I, nonce: &[u8; 12]) -> I::X1 {
    let mut low = [0; 8];
    let mut high = [0, 0, 0, 0, 0, 0, 0, 1];
    low.copy_from_slice(&nonce[..8]);
    high[..4].copy_from_slice(&nonce[8..]);
    let (low, high) = (u64::from_le_bytes(low), u64::from_le_bytes(high));
    I::X1::load(isa, &(u128::from(high) << 64 | u128::from(low)).to_le_bytes())
}

/// The counter block of a nonce of any other length: its GHASH.
#[inline(always)]
fn hashed_counter<I: Isa>(isa: I, powers: &Powers, nonce: &[u8]) -> I::X1 {
    let mut ghash = Ghash::<I::Register>::new(isa, powers);
    ghash.take_all(nonce);
    ghash.take_lengths(0, nonce.len() as u64);
    ghash.finish()
}

/// Counter blocks, from the second on: the first encrypts the tag.
pub(super) struct Counters<L> {
    /// The counter of the next register, bytes reversed: the 32-bit counter is the first word.
    next: L,
    step: L,
    /// The last byte of the next block's counter, if that is public.
    last_byte: Option<u8>,
}

/// The common part of 256 blocks.
pub(super) struct Epoch<L> {
    /// The state after the first round, but for the first column.
    state: L,
    /// The first column's input, in each word, while the counter's last byte is zero.
    diagonal: L,
    /// The first column of the round key, in each word.
    round_key: L,
}

impl<L: Clmul> Counters<L> {
    #[inline(always)]
    pub(super) fn new(isa: L::Isa, first: First<L::X1>) -> Self {
        static FROM_ONE: [[u8; 16]; 4] = words([1, 2, 3, 4]);
        static STEPS: [[u8; 16]; 5] = words([0, 1, 2, 3, 4]);
        let ahead = L::load(isa, &FROM_ONE.as_flattened()[..L::BYTES]);
        let next = L::splat(first.block().reverse_bytes()).add_words(ahead);
        let last_byte = match first {
            First::Public(first) => {
                let mut block = [0; 16];
                first.store(&mut block);
                Some(block[15].wrapping_add(1))
            }
            First::Secret(_) => None,
        };
        Self { next, step: L::broadcast(isa, &STEPS[L::BLOCKS]), last_byte }
    }

    /// The counters of the last of a message's first `registers` registers, then of the one before
    /// it, and so on.
    #[inline(always)]
    pub(super) fn descending(isa: L::Isa, first: L::X1, registers: usize) -> Self {
        let blocks = L::BLOCKS as u32;
        let ahead = u128::from(blocks.wrapping_mul((registers as u32).wrapping_sub(1)));
        let step = u128::from(blocks.wrapping_neg());
        let Self { next, .. } = Self::new(isa, First::Secret(first));
        let next = next.add_words(L::broadcast(isa, &ahead.to_le_bytes()));
        Self { next, step: L::broadcast(isa, &step.to_le_bytes()), last_byte: None }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> L {
        let blocks = self.next.reverse_bytes();
        self.next = self.next.add_words(self.step);
        self.last_byte = self.last_byte.map(|byte| byte.wrapping_add(L::BLOCKS as u8));
        blocks
    }

    /// The epoch of the next block; of no use if counters are secret.
    #[inline(always)]
    pub(super) fn epoch(&self, isa: L::Isa, round_keys: &RoundKeys) -> Epoch<L> {
        let last_byte = u128::from(self.last_byte.unwrap_or(0));
        let last_byte = L::broadcast(isa, &last_byte.to_le_bytes());
        let first = L::splat(self.next.xor(last_byte).block(0)).reverse_bytes();
        let state = first.xor(L::broadcast(isa, &round_keys[0]));
        let round_key = L::broadcast(isa, &round_keys[1]);
        let diagonal = state.diagonal();
        let [state] = L::aes_rounds([state], [round_key]);
        let none = L::broadcast(isa, &[0; 16]);
        Epoch { state, diagonal, round_key: none.with_first_word::<0>(round_key).running_sums() }
    }

    /// A group of registers after the first round.
    #[inline(always)]
    pub(super) fn group(
        &mut self,
        isa: L::Isa,
        round_keys: &RoundKeys,
        epoch: &mut Epoch<L>,
    ) -> [L; GROUP] {
        // CT: the byte is there if it is public.
        let within = |byte: &u8| usize::from(*byte) + GROUP * L::BLOCKS < 256;
        let Some(last_byte) = self.last_byte.filter(within) else {
            let mut x = [self.next; GROUP];
            for x in &mut x {
                *x = self.next().xor(L::broadcast(isa, &round_keys[0]));
            }
            *epoch = self.epoch(isa, round_keys);
            return L::aes_rounds(x, [L::broadcast(isa, &round_keys[1]); GROUP]);
        };
        let offsets = const { &offsets(L::BLOCKS) };
        let last_bytes = u128::from(last_byte) * (EVERY_WORD << 24);
        let last_bytes = L::broadcast(isa, &last_bytes.to_le_bytes());
        let mut columns = [last_bytes; 2];
        for (columns, offsets) in columns.iter_mut().zip(offsets) {
            let offsets = L::load(isa, &offsets.as_flattened()[..L::BYTES]);
            *columns = columns.add_words(offsets).xor(epoch.diagonal);
        }
        let [a, b] = L::aes_rounds(columns, [epoch.round_key; 2]);
        for _ in 0..GROUP {
            self.next = self.next.add_words(self.step);
        }
        self.last_byte = Some(last_byte + (GROUP * L::BLOCKS) as u8);
        let state = epoch.state;
        [
            state.with_first_word::<0>(a),
            state.with_first_word::<1>(a),
            state.with_first_word::<2>(a),
            state.with_first_word::<3>(a),
            state.with_first_word::<0>(b),
            state.with_first_word::<1>(b),
            state.with_first_word::<2>(b),
            state.with_first_word::<3>(b),
        ]
    }
}

/// The first counter block of a nonce of zeros.
pub(super) const FIRST_COUNTER: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/// Ones where a block's words begin.
const EVERY_WORD: u128 = 0x00000001_00000001_00000001_00000001;

/// How far the counters of a group's blocks are from its first: in the last byte of word `c` of
/// half `k`'s block `lane`, that of the block at `lane` in the register whose first column that
/// word becomes. ShiftRows has moved the last row by one word by then.
const fn offsets(lanes: usize) -> [[[u8; 16]; 4]; 2] {
    let mut offsets = [[[0; 16]; 4]; 2];
    let mut i = 0;
    while i < GROUP * lanes {
        let (register, lane) = (i / lanes, i % lanes);
        let word = (register + 3) % 4;
        offsets[register / 4][lane][4 * word + 3] = i as u8;
        i += 1;
    }
    offsets
}

/// Blocks whose first word is a number.
pub(super) const fn words<const N: usize>(numbers: [u8; N]) -> [[u8; 16]; N] {
    let mut blocks = [[0; 16]; N];
    let mut i = 0;
    while i < N {
        blocks[i][0] = numbers[i];
        i += 1;
    }
    blocks
}
