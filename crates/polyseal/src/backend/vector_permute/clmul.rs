//! One block: whole AES, and products of GHASH's field elements.

use super::super::lanes::{Clmul, one_block};
use super::rounds::Last;
use super::{Bytes, Permuted};

/// An index that gives 0.
const NONE: u8 = 0x80;

/// The indices that leave each byte where it is, `bytes` further back and before them none.
const fn moved_back(bytes: usize) -> [u8; 16] {
    let mut indices = [NONE; 16];
    let mut at = bytes;
    while at < 16 {
        indices[at] = (at - bytes) as u8;
        at += 1;
    }
    indices
}

/// The indices `word`, in every word.
const fn in_every_word(word: [u8; 4]) -> [u8; 16] {
    let mut indices = [0; 16];
    let mut at = 0;
    while at < 16 {
        indices[at] = word[at % 4];
        at += 1;
    }
    indices
}

/// The indices of half `from`, in half `to`, and none in the other.
const fn half(from: usize, to: usize) -> [u8; 16] {
    let mut indices = [NONE; 16];
    let mut at = 0;
    while at < 8 {
        indices[8 * to + at] = (8 * from + at) as u8;
        at += 1;
    }
    indices
}

/// The indices of word `word` as the first, and none in the others.
const fn first_word(word: usize) -> [u8; 16] {
    let mut indices = [NONE; 16];
    let mut at = 0;
    while at < 4 {
        indices[at] = (4 * word + at) as u8;
        at += 1;
    }
    indices
}

static FIRST_WORD: [[u8; 16]; 4] = [first_word(0), first_word(1), first_word(2), first_word(3)];
static HALF: [[[u8; 16]; 2]; 2] = [[half(0, 0), half(0, 1)], [half(1, 0), half(1, 1)]];
static ONE_WORD_BACK: [u8; 16] = moved_back(4);
static TWO_WORDS_BACK: [u8; 16] = moved_back(8);
static SPREAD: [u8; 16] = in_every_word([12, 13, 14, 15]);
static SPREAD_ROTATED: [u8; 16] = in_every_word([13, 14, 15, 12]);
static DIAGONAL: [u8; 16] = in_every_word([0, 5, 10, 15]);
static REVERSED: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
static ALL_BUT_FIRST_WORD: [u8; 16] = (!(u32::MAX as u128)).to_le_bytes();

impl<B: Bytes> Clmul for Permuted<B> {
    one_block!();

    #[inline(always)]
    fn aes_last_rounds<const N: usize>(x: [Self; N], mut round_keys: [Self; N]) -> [Self; N] {
        B::call_rounds::<Last>(&x, &mut round_keys);
        round_keys
    }

    #[inline(always)]
    fn aes<const N: usize>(isa: B::Isa, mut x: [Self; N], round_keys: &[[u8; 16]]) -> [Self; N] {
        B::encrypt(isa, &mut x, round_keys);
        x
    }

    #[inline(always)]
    fn spread_rotated(self) -> Self {
        self.at(&SPREAD_ROTATED)
    }

    #[inline(always)]
    fn spread(self) -> Self {
        self.at(&SPREAD)
    }

    #[inline(always)]
    fn running_sums(self) -> Self {
        let pairs = Self(self.0.xor(self.at(&ONE_WORD_BACK).0));
        Self(pairs.0.xor(pairs.at(&TWO_WORDS_BACK).0))
    }

    #[inline(always)]
    fn with_first_word<const W: usize>(self, words: Self) -> Self {
        let rest = self.0.and(B::load(self.0.isa(), &ALL_BUT_FIRST_WORD));
        Self(rest.xor(words.at(&FIRST_WORD[W]).0))
    }

    #[inline(always)]
    fn diagonal(self) -> Self {
        self.at(&DIAGONAL)
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        self.at(&REVERSED)
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        Self(self.0.add_words(other.0))
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        let [low, high] = [self.at(&HALF[0][1]), self.at(&HALF[1][0])];
        Self(low.0.xor(high.0))
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        Self(self.at(&HALF[0][0]).0.xor(other.at(&HALF[0][1]).0))
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        Self(self.at(&HALF[1][0]).0.xor(other.at(&HALF[1][1]).0))
    }

    #[inline(always)]
    fn clmul<const A: usize, const B_HALF: usize>(self, other: Self) -> Self {
        let product = B::product(self.0.halves()[A], other.0.halves()[B_HALF]);
        Self(from_integer(self.0.isa(), product))
    }

    #[inline(always)]
    fn fold(self) -> Self {
        let low = u128::from(self.0.halves()[0]);
        Self(from_integer(self.0.isa(), low << 63 ^ low << 62 ^ low << 57))
    }

    #[inline(always)]
    fn double(self) -> Self {
        let [low, high] = self.0.halves();
        let x = u128::from(high) << 64 | u128::from(low);
        let reduction = (x.cast_signed() >> 127).cast_unsigned();
        Self(from_integer(self.0.isa(), x << 1 ^ (reduction & (0xc2 << 120 | 1))))
    }
}

#[inline(always)]
fn from_integer<B: Bytes>(isa: B::Isa, x: u128) -> B {
    B::from_halves(isa, [x as u64, (x >> 64) as u64])
}
