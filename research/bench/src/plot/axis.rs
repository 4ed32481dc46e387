//! The scales of a plot: where a value lies, and which values are written.

use core::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::draw::number;

/// A scale.
#[derive(Clone)]
pub(super) struct Axis {
    /// Whether a value lies at its logarithm.
    log: bool,
    range: Range<f64>,
    /// The values that are written.
    ticks: Vec<f64>,
}

impl Axis {
    /// Powers of two from `low` to `high`.
    pub(super) fn log(low: f64, high: f64) -> Self {
        let exponents = low.log2().ceil() as i32..=high.log2().floor() as i32;
        let ticks = exponents.map(|exponent| f64::from(exponent).exp2()).collect();
        Self { log: true, range: low..high, ticks }
    }

    /// From zero to `high`, with a label at every 1, 2 or 5 times a power of ten.
    fn linear(high: f64) -> Self {
        let magnitude = 10_f64.powf((high / MAX_TICKS).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * magnitude);
        let step = steps.into_iter().find(|step| high / step <= MAX_TICKS).unwrap_or(high);
        let ticks = (0..=(high / step) as u32).map(|tick| f64::from(tick) * step).collect();
        Self { log: false, range: 0.0..high, ticks }
    }

    /// For costs from `low` to `high`: from zero, unless that would press most of them flat.
    pub(super) fn of_costs(low: f64, high: f64) -> Self {
        if high / low > MAX_LINEAR {
            Self::log(low / MARGIN, high * MARGIN)
        } else {
            Self::linear(high * MARGIN)
        }
    }

    /// How many values are written.
    pub(super) fn labels(&self) -> usize {
        self.ticks.len()
    }

    /// How far along the axis `value` lies, between 0 and 1.
    fn place(&self, value: f64) -> f64 {
        let at = |value: f64| if self.log { value.log2() } else { value };
        (at(value) - at(self.range.start)) / (at(self.range.end) - at(self.range.start))
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        start + (self.place(*value) * f64::from(end - start)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl From<Axis> for Range<f64> {
    fn from(axis: Axis) -> Self {
        axis.range
    }
}

impl ValueFormatter<f64> for Axis {
    fn format(value: &f64) -> String {
        number(*value)
    }
}

/// Labels on a linear axis.
const MAX_TICKS: f64 = 10.0;
/// How many times the least cost the greatest may be on a linear axis.
const MAX_LINEAR: f64 = 6.0;
/// How much longer the axis is than the costs need.
const MARGIN: f64 = 1.06;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_has_the_powers_of_two() {
        let axis = Axis::log(256.0, 1024.0);
        assert_eq!(axis.ticks, [256.0, 512.0, 1024.0]);
        assert_eq!([256.0, 512.0, 1024.0].map(|v| axis.map(&v, (100, 300))), [100, 200, 300]);
        assert_eq!(Axis::log(0.3, 5.0).ticks, [0.5, 1.0, 2.0, 4.0]);
    }

    #[test]
    fn a_linear_axis_has_round_numbers() {
        assert_eq!(Axis::linear(3.1).ticks, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]);
        assert_eq!(Axis::linear(0.9).ticks.len(), 10);
        assert_eq!(Axis::linear(60.0).ticks[1], 10.0);
        // Upwards, as heights go.
        assert_eq!(Axis::linear(4.0).map(&1.0, (400, 0)), 300);
    }

    #[test]
    fn costs_far_apart_take_a_logarithmic_axis() {
        let (far, near) = (Axis::of_costs(0.3, 3.0), Axis::of_costs(0.3, 1.0));
        assert!(far.log && !near.log);
        assert!(far.range.contains(&0.3) && far.range.contains(&3.0));
        assert!(near.range.contains(&0.0) && near.range.contains(&1.0));
    }
}
