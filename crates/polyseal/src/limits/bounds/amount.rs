//! Numbers from 2^-300 to 2^300, and probabilities, by their logarithms.

use core::cmp::Ordering;
use core::f64::consts::LN_2;
use core::fmt;
use core::ops::{Add, Div, Mul};

/// A bound on rounding errors, in bits.
const SLACK: f64 = 1e-6;

/// A number that is not negative, held as its logarithm: too large or too small for anything else.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Amount {
    log2: f64,
}

impl Amount {
    /// 0.
    pub const ZERO: Self = Self { log2: f64::NEG_INFINITY };
    /// 1.
    pub const ONE: Self = Self { log2: 0.0 };

    /// `2^log2`.
    #[must_use]
    pub const fn power_of_two(log2: f64) -> Self {
        Self { log2 }
    }

    /// `n!`.
    #[must_use]
    pub fn factorial(n: u32) -> Self {
        (1..=n).fold(Self::ONE, |product, i| product * i.into())
    }

    /// The logarithm to base 2; that of 0 is negative infinity.
    #[must_use]
    pub const fn log2(self) -> f64 {
        self.log2
    }

    /// The number times itself, `n` times.
    #[must_use]
    pub fn pow(self, n: u32) -> Self {
        (0..n).fold(Self::ONE, |power, _| power * self)
    }

    /// The larger one.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    /// The smaller one.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
}

impl From<u32> for Amount {
    fn from(n: u32) -> Self {
        Self { log2: f64::from(n).log2() }
    }
}

impl From<u64> for Amount {
    fn from(n: u64) -> Self {
        u128::from(n).into()
    }
}

impl From<u128> for Amount {
    fn from(n: u128) -> Self {
        Self { log2: (n as f64).log2() }
    }
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (large, small) =
            if self < other { (other.log2, self.log2) } else { (self.log2, other.log2) };
        if small == f64::NEG_INFINITY {
            return Self { log2: large };
        }
        Self { log2: large + (small - large).exp2().ln_1p() / LN_2 }
    }
}

impl Mul for Amount {
    type Output = Self;

    #[allow(clippy::suspicious_arithmetic_impl, reason = "of logarithms")]
    fn mul(self, other: Self) -> Self {
        Self { log2: self.log2 + other.log2 }
    }
}

/// By anything but 0.
impl Div for Amount {
    type Output = Self;

    #[allow(clippy::suspicious_arithmetic_impl, reason = "of logarithms")]
    fn div(self, other: Self) -> Self {
        Self { log2: self.log2 - other.log2 }
    }
}

/// Rounded down: up to 2^20 to an integer, then to a tenth of a bit.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.log2 < 20.0 {
            return write!(f, "{:.0}", (self.log2.exp2() + SLACK).floor());
        }
        let tenths = (self.log2 * 10.0 + SLACK).floor();
        match (tenths / 10.0).fract() == 0.0 {
            true => write!(f, "2^{:.0}", tenths / 10.0),
            false => write!(f, "2^{:.1}", tenths / 10.0),
        }
    }
}

/// A probability: an [`Amount`] of at most 1. The sum of two of them bounds that of either event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probability(Amount);

impl Probability {
    /// 0.
    pub const IMPOSSIBLE: Self = Self(Amount::ZERO);
    /// 1.
    pub const CERTAIN: Self = Self(Amount::ONE);

    /// `2^log2`, or 1 if that is more.
    #[must_use]
    pub fn power_of_two(log2: f64) -> Self {
        Amount::power_of_two(log2).into()
    }

    /// The logarithm to base 2; that of 0 is negative infinity.
    #[must_use]
    pub const fn log2(self) -> f64 {
        self.0.log2
    }

    /// The same, rounded up to a tenth, as it is shown.
    #[must_use]
    pub fn log2_rounded(self) -> f64 {
        // Plus 0 makes 0 of -0.
        (self.log2() * 10.0 - SLACK).ceil() / 10.0 + 0.0
    }

    /// Whether it is no more than `other`, but for rounding errors.
    #[must_use]
    pub fn is_within(self, other: Self) -> bool {
        self.log2() <= other.log2() + SLACK
    }
}

impl From<Amount> for Probability {
    fn from(amount: Amount) -> Self {
        Self(amount.min(Amount::ONE))
    }
}

impl Add for Probability {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        (self.0 + other.0).into()
    }
}

impl PartialOrd for Probability {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }
}

/// Rounded up, to a tenth of a bit.
impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.log2_rounded() {
            f64::NEG_INFINITY => f.pad("0"),
            0.0 => f.pad("1"),
            log2 => f.pad(&alloc::format!("2^{log2:.1}")),
        }
    }
}
