//! One block, portable: whole AES, and products of GHASH's field elements in constant time.
//!
//! Carry-less products are made of integer products whose operands have holes, bits three of four
//! zero, so that no carry reaches a bit that counts (the technique of BearSSL's `ghash_ctmul64`).
//! The low half of a product comes so; the high half as the low half of the reversed operands'.

use super::super::lanes::{Clmul, one_block};
use super::{Block, Soft, bitslice};

impl Clmul for Block {
    one_block!();

    #[inline(always)]
    fn aes_last_rounds<const N: usize>(x: [Self; N], mut round_keys: [Self; N]) -> [Self; N] {
        Self::bitsliced(&x, &mut round_keys, bitslice::aes_last_rounds_without_key);
        round_keys
    }

    #[inline(always)]
    fn aes<const N: usize>(_: Soft, mut x: [Self; N], round_keys: &[[u8; 16]]) -> [Self; N] {
        Self::encrypted(&mut x, round_keys);
        x
    }

    #[inline(always)]
    fn spread_rotated(self) -> Self {
        Self(u128::from(((self.0 >> 96) as u32).rotate_right(8)) * EVERY_WORD)
    }

    #[inline(always)]
    fn spread(self) -> Self {
        Self((self.0 >> 96) * EVERY_WORD)
    }

    #[inline(always)]
    fn running_sums(self) -> Self {
        let pairs = self.0 ^ self.0 << 32;
        Self(pairs ^ pairs << 64)
    }

    #[inline(always)]
    fn with_first_word<const W: usize>(self, words: Self) -> Self {
        let word = (words.0 >> (32 * W)) as u32;
        Self(self.0 >> 32 << 32 | u128::from(word))
    }

    #[inline(always)]
    fn diagonal(self) -> Self {
        let mut diagonal = 0;
        for i in 0..4 {
            diagonal |= u32::from((self.0 >> (40 * i)) as u8) << (8 * i);
        }
        Self(u128::from(diagonal) * EVERY_WORD)
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        Self(self.0.swap_bytes())
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        let mut sum = 0;
        for i in 0..4 {
            let word = |x: u128| (x >> (32 * i)) as u32;
            sum |= u128::from(word(self.0).wrapping_add(word(other.0))) << (32 * i);
        }
        Self(sum)
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        Self(self.0.rotate_right(64))
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        Self(self.0 & u128::from(u64::MAX) | other.0 << 64)
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        Self(self.0 >> 64 | other.0 >> 64 << 64)
    }

    #[inline(always)]
    fn clmul<const A: usize, const B: usize>(self, other: Self) -> Self {
        Self(product((self.0 >> (64 * A)) as u64, (other.0 >> (64 * B)) as u64))
    }

    #[inline(always)]
    fn fold(self) -> Self {
        let low = u128::from(self.0 as u64);
        Self(low << 63 ^ low << 62 ^ low << 57)
    }

    #[inline(always)]
    fn double(self) -> Self {
        let reduction = (self.0.cast_signed() >> 127).cast_unsigned();
        Self(self.0 << 1 ^ (reduction & (0xc2 << 120 | 1)))
    }
}

/// Ones where a block's words begin.
const EVERY_WORD: u128 = 0x00000001_00000001_00000001_00000001;

/// The carry-less product. A function of its own: it is long, and called from everywhere.
#[inline(never)]
pub(in super::super) fn product(a: u64, b: u64) -> u128 {
    let low = low_product(a, b);
    let high = low_product(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    u128::from(high) << 64 | u128::from(low)
}

/// Its lower 64 bits.
#[inline(always)]
fn low_product(a: u64, b: u64) -> u64 {
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let mut product = 0;
    for shift in 0..4 {
        let mut sum = 0;
        for i in 0..4 {
            let j = (4 + shift - i) % 4;
            sum ^= (a & EVERY_FOURTH << i).wrapping_mul(b & EVERY_FOURTH << j);
        }
        product |= sum & EVERY_FOURTH << shift;
    }
    product
}
