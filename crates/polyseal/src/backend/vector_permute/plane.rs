//! A register as a bit plane, or as a block.

use core::ops::{BitAnd, BitXor, Not};

use super::super::planes::{Bits, Plane};
use super::tables::{NEXT_ROW, NEXT_ROW_BUT_ONE, SHIFT_ROWS_OF_ROWS, TURN};
use super::{Bytes, Permuted};

impl<B: Bytes> BitAnd for Permuted<B> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0.and(other.0))
    }
}

impl<B: Bytes> BitXor for Permuted<B> {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0.xor(other.0))
    }
}

impl<B: Bytes> Not for Permuted<B> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        self ^ self.splat(0xff)
    }
}

impl<B: Bytes> Bits for Permuted<B> {
    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        Self(B::load(self.0.isa(), &[byte; 16]))
    }

    #[inline(always)]
    fn up<const BITS: i32>(self) -> Self {
        Self(self.0.up::<BITS>())
    }

    #[inline(always)]
    fn down<const BITS: i32>(self) -> Self {
        Self(self.0.down::<BITS>())
    }
}

impl<B: Bytes> Plane for Permuted<B> {
    #[inline(always)]
    fn bit(self, b: usize) -> Self {
        let bit = self.splat(1 << b);
        Self((self & bit).0.equal(bit.0))
    }

    #[inline(always)]
    fn turn(self) -> Self {
        self.at(&TURN)
    }

    #[inline(always)]
    fn shift_rows(self) -> Self {
        self.at(&SHIFT_ROWS_OF_ROWS)
    }

    #[inline(always)]
    fn next_row(self) -> Self {
        self.at(&NEXT_ROW)
    }

    #[inline(always)]
    fn next_row_but_one(self) -> Self {
        self.at(&NEXT_ROW_BUT_ONE)
    }
}
