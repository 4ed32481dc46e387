//! An integer as a bit plane, or as a block.

use super::super::planes::{Bits, Plane};

impl Bits for u64 {
    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        Self::from_ne_bytes([byte; 8])
    }

    #[inline(always)]
    fn up<const BITS: i32>(self) -> Self {
        self << BITS
    }

    #[inline(always)]
    fn down<const BITS: i32>(self) -> Self {
        self >> BITS
    }
}

impl Bits for u128 {
    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        Self::from_ne_bytes([byte; 16])
    }

    #[inline(always)]
    fn up<const BITS: i32>(self) -> Self {
        left(self, BITS.cast_unsigned())
    }

    #[inline(always)]
    fn down<const BITS: i32>(self) -> Self {
        right(self, BITS.cast_unsigned())
    }
}

impl Plane for u128 {
    #[inline(always)]
    fn bit(self, b: usize) -> Self {
        // Each byte's bit alone in it, times 255.
        let ones = right(self, b as u32) & self.splat(1);
        by_halves(ones, |half| (half << 8).wrapping_sub(half))
    }

    #[inline(always)]
    fn turn(self) -> Self {
        // Transposes 2×2 bytes, and then 2×2 of those squares.
        let x = exchange::<24>(self, 0x00000000_ff00ff00_00000000_ff00ff00);
        exchange::<48>(x, 0x00000000_00000000_ffff0000_ffff0000)
    }

    #[inline(always)]
    fn shift_rows(self) -> Self {
        let mut out = 0;
        for r in 0..4 {
            let row = (self >> (32 * r)) as u32;
            out |= Self::from(row.rotate_right(8 * r)) << (32 * r);
        }
        out
    }

    #[inline(always)]
    fn next_row(self) -> Self {
        self.rotate_right(32)
    }

    #[inline(always)]
    fn next_row_but_one(self) -> Self {
        self.rotate_right(64)
    }
}

/// Exchanges the bits in `low` with those `DISTANCE` places above.
#[inline(always)]
fn exchange<const DISTANCE: i32>(x: u128, low: u128) -> u128 {
    let t = ((x >> DISTANCE) ^ x) & low;
    x ^ t ^ t << DISTANCE
}

/// Each 64-bit half moved up: no CPU shifts 128 bits at once, and some take long over it.
#[inline(always)]
pub(super) fn left(x: u128, bits: u32) -> u128 {
    by_halves(x, |half| half << bits)
}

/// Each 64-bit half moved down.
#[inline(always)]
pub(super) fn right(x: u128, bits: u32) -> u128 {
    by_halves(x, |half| half >> bits)
}

#[inline(always)]
fn by_halves(x: u128, change: impl Fn(u64) -> u64) -> u128 {
    u128::from(change((x >> 64) as u64)) << 64 | u128::from(change(x as u64))
}
