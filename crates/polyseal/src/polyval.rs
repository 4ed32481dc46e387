//! Products in POLYVAL's field (RFC 8452): GF(2^128), each times x^-128.
//!
//! A sum of products is computed unreduced and reduced once.

use crate::backend::Clmul;

/// A product before its reduction, in units of x^0, x^64 and x^128.
///
/// `middle` lacks `low ⊕ high` where Karatsuba's formula was used.
#[derive(Clone, Copy)]
pub(crate) struct Product<L> {
    low: L,
    middle: L,
    high: L,
}

impl<L: Clmul> Product<L> {
    #[inline(always)]
    pub(crate) fn zero(isa: L::Isa) -> Self {
        let zero = L::broadcast(isa, &[0; 16]);
        Self { low: zero, middle: zero, high: zero }
    }

    /// Adds `x · y`, by four products.
    #[inline(always)]
    pub(crate) fn add(&mut self, x: L, y: L) {
        self.low = self.low.xor(x.clmul::<0, 0>(y));
        self.high = self.high.xor(x.clmul::<1, 1>(y));
        self.middle = self.middle.xor(x.clmul::<0, 1>(y).xor(x.clmul::<1, 0>(y)));
    }

    /// Adds `x · y`, by three products; `sums` has the sum of `y`'s halves.
    #[inline(always)]
    pub(crate) fn add_karatsuba(&mut self, x: L, y: L, sums: L) {
        self.low = self.low.xor(x.clmul::<0, 0>(y));
        self.high = self.high.xor(x.clmul::<1, 1>(y));
        self.middle = self.middle.xor(sum_of_halves(x).clmul::<0, 0>(sums));
    }

    /// Adds `x[0] · y[0] ⊕ x[1] · y[1]` in the same way; `sums` has `y[0]`'s in its lower halves
    /// and `y[1]`'s in its upper ones.
    #[inline(always)]
    pub(crate) fn add_two_karatsuba(&mut self, x: [L; 2], y: [L; 2], sums: L) {
        let low = x[0].clmul::<0, 0>(y[0]).xor(x[1].clmul::<0, 0>(y[1]));
        let high = x[0].clmul::<1, 1>(y[0]).xor(x[1].clmul::<1, 1>(y[1]));
        let sums_of_x = x[0].low_halves(x[1]).xor(x[0].high_halves(x[1]));
        let first = sums_of_x.clmul::<0, 0>(sums);
        let second = sums_of_x.clmul::<1, 1>(sums);
        self.low = self.low.xor(low);
        self.high = self.high.xor(high);
        self.middle = self.middle.xor(first.xor(second));
    }

    /// The missing sum of Karatsuba's formula.
    #[inline(always)]
    pub(crate) fn karatsuba(mut self) -> Self {
        self.middle = self.middle.xor(self.low.xor(self.high));
        self
    }

    /// The sum over all lanes.
    #[inline(always)]
    pub(crate) fn sum(self) -> Product<L::X1> {
        Product {
            low: self.low.xor_blocks(),
            middle: self.middle.xor_blocks(),
            high: self.high.xor_blocks(),
        }
    }

    /// The product times x^-128, lane by lane. Each step clears the lowest 64 bits by adding a
    /// multiple of the modulus.
    #[inline(always)]
    pub(crate) fn reduce(self) -> L {
        let middle = self.middle.xor(self.low.swap_halves()).xor(self.low.fold());
        self.high.xor(middle.swap_halves()).xor(middle.fold())
    }
}

/// The sum of each block's halves, twice.
#[inline(always)]
pub(crate) fn sum_of_halves<L: Clmul>(x: L) -> L {
    x.xor(x.swap_halves())
}

/// The product of field elements, lane by lane.
#[inline(always)]
pub(crate) fn multiply<L: Clmul>(isa: L::Isa, x: L, y: L) -> L {
    let mut product = Product::zero(isa);
    product.add(x, y);
    product.reduce()
}

/// `h^B, …, h` for the `B` blocks of a register.
#[inline(always)]
pub(crate) fn first_powers<L: Clmul>(isa: L::Isa, h: L::X1) -> L {
    match const { L::BLOCKS } {
        1 => L::splat(h),
        2 => L::join([multiply(isa, h, h), h, h, h]),
        _ => {
            let h2 = multiply(isa, h, h);
            L::join([multiply(isa, h2, h2), multiply(isa, h2, h), h2, h])
        }
    }
}
