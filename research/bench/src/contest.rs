//! Interleaved rounds.
//!
//! In a round every contender runs for one short slice, and the next round begins with another one.
//! A disturbance that lasts longer than a slice slows all of them alike, and a shorter one is gone
//! in the median. Another hardware thread on the same core lasts, and slows short messages more
//! than long ones: such rounds are repeated, as long as there is patience; or all others, if every
//! round is to have such a thread beside it. And the places of messages are dealt anew for several
//! layouts, the same for all.

use core::time::Duration;
use std::time::Instant;

use serde::Serialize;

use crate::clock;
use crate::contender::Contender;
use crate::layout::Layout;
use crate::ring::{Lengths, Ring};
use crate::sharing;
use crate::stats::Summary;

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// How many rounds, over all layouts; each layout has at least [`ROUNDS_A_LAYOUT`] if there are
    /// several.
    pub rounds: u32,
    /// How long each contender runs in a round.
    pub slice: Duration,
    /// How many layouts.
    pub layouts: u32,
    /// The other load on the core.
    pub core: Core,
    /// How long a contest may take in addition, to repeat rounds on another core than that.
    pub patience: Duration,
}

/// The load that a round is to have beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Core {
    /// A core for itself.
    Alone,
    /// One whose other hardware thread is busy: all other CPUs are kept busy.
    Shared,
}

impl Core {
    /// Whether it is that now, as far as [`sharing`] can tell.
    #[must_use]
    pub fn is_as_asked(self) -> bool {
        sharing::is_alone() == (self == Self::Alone)
    }
}

/// Enough for a median.
pub const ROUNDS_A_LAYOUT: u32 = 5;

impl Default for Effort {
    fn default() -> Self {
        Self {
            rounds: 25,
            slice: Duration::from_millis(2),
            layouts: 1,
            core: Core::Alone,
            patience: Duration::from_secs(1),
        }
    }
}

impl Effort {
    fn rounds_a_layout(self) -> u32 {
        let rounds = self.rounds.div_ceil(self.layouts.max(1)).max(1);
        if self.layouts > 1 { rounds.max(ROUNDS_A_LAYOUT) } else { rounds }
    }
}

/// The times of one contender with messages of one length.
#[derive(Clone, Debug)]
pub struct Timing {
    /// The length of a message.
    pub bytes: usize,
    /// Core cycles a message, in each round.
    pub cycles: Vec<f64>,
    /// Seconds a message, in each round.
    pub seconds: Vec<f64>,
    /// How many rounds each layout has, one after the other.
    pub rounds_a_layout: usize,
    /// In how many of the rounds the [`Core`] was not as asked for.
    pub not_as_asked: u32,
}

impl Timing {
    /// Without a round yet.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self { bytes, cycles: Vec::new(), seconds: Vec::new(), rounds_a_layout: 1, not_as_asked: 0 }
    }

    /// The timing of one round.
    #[must_use]
    pub fn once(bytes: usize, cycles: f64, seconds: f64) -> Self {
        Self { cycles: vec![cycles], seconds: vec![seconds], ..Self::new(bytes) }
    }

    /// Core cycles a message in each layout, median of its rounds.
    #[must_use]
    pub fn layouts(&self) -> Vec<f64> {
        let layouts = self.cycles.chunks(self.rounds_a_layout);
        let medians = layouts.filter_map(|rounds| Summary::from_values(rounds.iter().copied()));
        medians.map(|layout| layout.median).collect()
    }

    /// The cycles, summarised.
    ///
    /// # Panics
    /// If there was no round; [`run`] makes at least one.
    #[must_use]
    pub fn summary(&self) -> Figures {
        let of = |values: &[f64]| Summary::from_values(values.iter().copied());
        let (cycles, seconds) = of(&self.cycles).zip(of(&self.seconds)).expect("a round");
        Figures {
            bytes: self.bytes,
            cycles_per_message: cycles,
            worst_cycles: self.layouts().into_iter().fold(0.0, f64::max),
            cycles_per_byte: (self.bytes > 0).then(|| cycles.median / self.bytes as f64),
            nanoseconds_per_message: seconds.median * 1e9,
            gigabytes_per_second: self.bytes as f64 / seconds.median / 1e9,
            not_as_asked: f64::from(self.not_as_asked) / self.cycles.len() as f64,
        }
    }
}

/// A [`Timing`], summarised.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figures {
    /// The length of a message.
    pub bytes: usize,
    /// Core cycles a message.
    pub cycles_per_message: Summary,
    /// Core cycles a message in the slowest layout, median of its rounds.
    pub worst_cycles: f64,
    /// Core cycles a byte, from the median; none for the empty message.
    pub cycles_per_byte: Option<f64>,
    /// Time a message, median.
    pub nanoseconds_per_message: f64,
    /// Throughput, from the median time; 10⁹ bytes are a gigabyte.
    pub gigabytes_per_second: f64,
    /// The part of the rounds in which the [`Core`] was not as asked for.
    pub not_as_asked: f64,
}

/// Measures `contenders` on messages of these lengths, in their order.
pub fn run(contenders: &mut [Contender], lengths: Lengths, effort: Effort) -> Vec<Timing> {
    match effort.core {
        Core::Alone => rounds(contenders, lengths, effort),
        Core::Shared => sharing::beside_busy_threads(|| rounds(contenders, lengths, effort)),
    }
}

fn rounds(contenders: &mut [Contender], lengths: Lengths, effort: Effort) -> Vec<Timing> {
    let rounds_a_layout = effort.rounds_a_layout() as usize;
    let blank = Timing { rounds_a_layout, ..Timing::new(lengths.message) };
    let mut timings = vec![blank; contenders.len()];
    let mut patience = Patience { all: effort.patience, spent: Duration::ZERO };
    let mut messages = Vec::new();
    for number in 0..effort.layouts.max(1) {
        let layout = Layout::number(number);
        let mut ring = Ring::with_layout(lengths, layout);
        if number == 0 {
            let count = |c: &mut Contender| messages_a_slice(c, &mut ring, effort.slice);
            messages = contenders.iter_mut().map(count).collect();
        }
        for round in 0..rounds_a_layout {
            let mut times = vec![(0.0, 0.0); contenders.len()];
            let as_asked = patience.until(
                || effort.core.is_as_asked(),
                || {
                    let hertz = clock::frequency();
                    for turn in 0..contenders.len() {
                        let at = (turn + round) % contenders.len();
                        let contender = &mut contenders[at];
                        let mut seconds = 0.0;
                        layout.run(&mut || seconds = slice(contender, &mut ring, messages[at]));
                        times[at] = (seconds, seconds * hertz);
                    }
                },
            );
            for (timing, (seconds, cycles)) in timings.iter_mut().zip(times) {
                timing.seconds.push(seconds);
                timing.cycles.push(cycles);
                timing.not_as_asked += u32::from(!as_asked);
            }
        }
    }
    timings
}

/// How much longer a contest may take.
struct Patience {
    all: Duration,
    spent: Duration,
}

impl Patience {
    /// Does `round`, again while the core before or after it is not as asked for. False if it never
    /// was. Without any patience, true.
    fn until(&mut self, mut as_asked: impl FnMut() -> bool, mut round: impl FnMut()) -> bool {
        if self.all.is_zero() {
            round();
            return true;
        }
        loop {
            let start = Instant::now();
            let before = as_asked();
            let last = self.spent >= self.all;
            if before || last {
                round();
            }
            if before && as_asked() {
                return true;
            }
            if last {
                return false;
            }
            self.spent += start.elapsed();
        }
    }
}

/// Seconds a message over one slice.
fn slice(contender: &mut Contender, ring: &mut Ring, messages: u32) -> f64 {
    contender.prepare(ring);
    // The first messages pay for cold caches and predictors, which belong to the one before.
    contender.run(ring, messages.div_ceil(16));
    clock::time(|| contender.run(ring, messages)) / f64::from(messages)
}

/// How many messages make a slice; finding out warms up as well.
fn messages_a_slice(contender: &mut Contender, ring: &mut Ring, length: Duration) -> u32 {
    let mut messages: u32 = 1;
    loop {
        let seconds = slice(contender, ring, messages) * f64::from(messages);
        let missing = length.as_secs_f64() / seconds.max(1e-9);
        if missing < 2.0 || messages > 1 << 28 {
            return ((f64::from(messages) * missing) as u32).max(1);
        }
        messages *= if missing < 16.0 { 2 } else { 8 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::Operation;
    use crate::contender::tests::ToyAead;

    fn quick(rounds: u32, slice: u64) -> Effort {
        let (slice, patience) = (Duration::from_micros(slice), Duration::ZERO);
        Effort { rounds, slice, layouts: 1, core: Core::Alone, patience }
    }

    #[test]
    fn every_contender_has_every_round() {
        let toy = |operation| Contender::aead("toy", operation, ToyAead::HONEST).unwrap();
        let mut toys = [toy(Operation::Seal), toy(Operation::Open), toy(Operation::Seal)];
        let effort = quick(5, 200);
        let timings = run(&mut toys, Lengths { message: 64, ad: 16 }, effort);
        assert_eq!(timings.len(), 3);
        for timing in &timings {
            assert_eq!((timing.cycles.len(), timing.seconds.len()), (5, 5));
            assert!(timing.seconds.iter().all(|s| *s > 0.0));
            let figures = timing.summary();
            assert_eq!(figures.bytes, 64);
            let per_byte = figures.cycles_per_message.median / 64.0;
            assert_eq!(figures.cycles_per_byte, Some(per_byte));
        }
    }

    #[test]
    fn units_agree() {
        let figures = Timing::once(1000, 500.0, 1e-7).summary();
        assert_eq!(figures.cycles_per_byte, Some(0.5));
        assert!((figures.gigabytes_per_second - 10.0).abs() < 1e-9);
        assert!((figures.nanoseconds_per_message - 100.0).abs() < 1e-9);
    }

    #[test]
    fn no_rounds_means_one() {
        let mut toy = [Contender::aead("toy", Operation::Seal, ToyAead::HONEST).unwrap()];
        let effort = quick(0, 50);
        assert_eq!(run(&mut toy, Lengths::message(16), effort)[0].cycles.len(), 1);
    }

    #[test]
    fn every_layout_has_its_rounds() {
        let mut toy = [Contender::aead("toy", Operation::Open, ToyAead::HONEST).unwrap()];
        let effort = Effort { layouts: 3, ..quick(5, 50) };
        let timing = &run(&mut toy, Lengths { message: 100, ad: 3 }, effort)[0];
        assert_eq!(timing.rounds_a_layout as u32, ROUNDS_A_LAYOUT);
        assert_eq!(timing.cycles.len() as u32, 3 * ROUNDS_A_LAYOUT);
    }

    #[test]
    fn the_slowest_layout_is_the_worst() {
        let cycles = vec![10.0, 10.0, 90.0, 20.0, 21.0, 20.0, 12.0, 11.0, 11.0];
        let timing = Timing { seconds: cycles.clone(), cycles, ..Timing::new(1) };
        let timing = Timing { rounds_a_layout: 3, not_as_asked: 3, ..timing };
        assert_eq!(timing.layouts(), [10.0, 20.0, 11.0]);
        let figures = timing.summary();
        assert_eq!((figures.cycles_per_message.median, figures.worst_cycles), (12.0, 20.0));
        assert!((figures.not_as_asked - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn without_patience_a_round_is_run_once() {
        for milliseconds in [0, 30] {
            let all = Duration::from_millis(milliseconds);
            let mut rounds = 0;
            Patience { all, spent: all }.until(|| false, || rounds += 1);
            assert_eq!(rounds, 1);
        }
    }

    #[test]
    fn a_round_is_run_again_until_the_core_was_as_asked_for_before_and_after() {
        let mut states = [false, true, false, true, true].into_iter();
        let mut rounds = 0;
        let mut patience = Patience { all: Duration::from_secs(60), spent: Duration::ZERO };
        assert!(patience.until(|| states.next().unwrap(), || rounds += 1));
        assert_eq!((rounds, states.next()), (2, None));
        assert!(patience.spent > Duration::ZERO);
    }

    #[test]
    fn beside_busy_threads_there_is_every_round() {
        let mut toys = [Contender::aead("toy", Operation::Seal, ToyAead::HONEST).unwrap()];
        let patience = Duration::from_millis(5);
        let effort = Effort { core: Core::Shared, patience, ..quick(3, 50) };
        let timings = run(&mut toys, Lengths::message(16), effort);
        assert_eq!(timings[0].cycles.len(), 3);
    }
}
