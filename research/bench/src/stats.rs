//! Medians and quartiles.
//!
//! A shared machine adds time in bursts and never removes any, so the mean is worthless and the
//! minimum flatters. The median of many short rounds is neither moved by a burst nor chosen by
//! luck; the distance between the quartiles says how much to believe it.

use serde::Serialize;

/// Where the middle half of some measurements lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// A quarter of the values lies below this one.
    pub q1: f64,
    /// Half of the values lies below this one.
    pub median: f64,
    /// Three quarters of the values lie below this one.
    pub q3: f64,
}

impl Summary {
    /// The quartiles of `values`; `None` if it is empty.
    #[must_use]
    pub fn from_values(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            q1: quantile(&sorted, 0.25)?,
            median: quantile(&sorted, 0.5)?,
            q3: quantile(&sorted, 0.75)?,
        })
    }

    /// How many times as long as `ours` `theirs` took, round by round: above 1, we are faster.
    ///
    /// The ratio is taken inside a round, where both met the same disturbance, and only then
    /// summarised.
    #[must_use]
    pub fn from_ratios(theirs: &[f64], ours: &[f64]) -> Option<Self> {
        Self::from_values(theirs.iter().zip(ours).map(|(theirs, ours)| theirs / ours))
    }

    /// The interquartile range.
    #[must_use]
    pub fn spread(&self) -> f64 {
        self.q3 - self.q1
    }
}

/// The quantile `at` of ascending values, interpolating between neighbours.
fn quantile(sorted: &[f64], at: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = at * last as f64;
    let (below, above) = (position.floor() as usize, position.ceil() as usize);
    let share = position - position.floor();
    Some(sorted[below] * (1.0 - share) + sorted[above] * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_interpolate() {
        let summary = Summary::from_values([4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(summary, Summary { q1: 1.75, median: 2.5, q3: 3.25 });
        assert_eq!(summary.spread(), 1.5);
    }

    #[test]
    fn one_value_is_its_own_summary() {
        assert_eq!(Summary::from_values([7.0]), Some(Summary { q1: 7.0, median: 7.0, q3: 7.0 }));
    }

    #[test]
    fn nothing_has_no_summary() {
        assert_eq!(Summary::from_values([]), None);
    }

    #[test]
    fn an_outlier_does_not_move_the_median() {
        let calm = Summary::from_values([1.0, 1.0, 1.0, 1.0, 1.0]).unwrap();
        let burst = Summary::from_values([1.0, 900.0, 1.0, 1.0, 1.0]).unwrap();
        assert_eq!(calm, burst);
    }

    /// The ratio of the medians would be 2/2 here; round by round we are twice as fast.
    #[test]
    fn ratios_are_taken_round_by_round() {
        let (theirs, ours) = ([2.0, 8.0, 2.0, 4.0, 1.0], [1.0, 4.0, 1.0, 2.0, 2.0]);
        assert_eq!(Summary::from_ratios(&theirs, &ours).unwrap().median, 2.0);
        assert_eq!(Summary::from_values(theirs).unwrap().median, 2.0);
        assert_eq!(Summary::from_values(ours).unwrap().median, 2.0);
    }
}
