//! Interleaved rounds.
//!
//! In a round every contender runs for one short slice, and the next round begins with another
//! one. Whatever slows the machine down for longer than a slice slows all of them alike, and
//! what is shorter is gone in the median.

use core::time::Duration;

use serde::Serialize;

use crate::clock;
use crate::contender::Contender;
use crate::ring::{Lengths, Ring};
use crate::stats::Summary;

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// How many rounds.
    pub rounds: u32,
    /// How long each contender runs in a round.
    pub slice: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Self { rounds: 25, slice: Duration::from_millis(2) }
    }
}

/// What one contender did with messages of one length.
#[derive(Clone, Debug)]
pub struct Timing {
    /// The length of a message.
    pub bytes: usize,
    /// Core cycles a message, in each round.
    pub cycles: Vec<f64>,
    /// Seconds a message, in each round.
    pub seconds: Vec<f64>,
}

impl Timing {
    /// The cycles, summarised.
    ///
    /// # Panics
    /// If there was no round; [`run`] makes at least one.
    #[must_use]
    pub fn summary(&self) -> Figures {
        let of = |values: &[f64]| Summary::of(values.iter().copied());
        let (cycles, seconds) = of(&self.cycles).zip(of(&self.seconds)).expect("a round");
        Figures {
            bytes: self.bytes,
            cycles_per_message: cycles,
            cycles_per_byte: (self.bytes > 0).then(|| cycles.median / self.bytes as f64),
            nanoseconds_per_message: seconds.median * 1e9,
            gigabytes_per_second: self.bytes as f64 / seconds.median / 1e9,
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
    /// Core cycles a byte, from the median; none for the empty message.
    pub cycles_per_byte: Option<f64>,
    /// Time a message, median.
    pub nanoseconds_per_message: f64,
    /// Throughput, from the median time; 10⁹ bytes are a gigabyte.
    pub gigabytes_per_second: f64,
}

/// Measures `contenders` on messages of these lengths, in their order.
pub fn run(contenders: &mut [Contender], lengths: Lengths, effort: Effort) -> Vec<Timing> {
    let mut ring = Ring::new(lengths);
    let messages: Vec<u32> =
        contenders.iter_mut().map(|c| messages_a_slice(c, &mut ring, effort.slice)).collect();
    let blank = Timing { bytes: lengths.message, cycles: Vec::new(), seconds: Vec::new() };
    let mut timings = vec![blank; contenders.len()];
    for round in 0..effort.rounds.max(1) {
        let hertz = clock::frequency();
        for turn in 0..contenders.len() {
            let at = (turn + round as usize) % contenders.len();
            let seconds = slice(&mut contenders[at], &mut ring, messages[at]);
            timings[at].seconds.push(seconds);
            timings[at].cycles.push(seconds * hertz);
        }
    }
    timings
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

    #[test]
    fn every_contender_has_every_round() {
        let toy = |operation| Contender::aead("toy", operation, ToyAead::HONEST).unwrap();
        let mut toys = [toy(Operation::Seal), toy(Operation::Open), toy(Operation::Seal)];
        let effort = Effort { rounds: 5, slice: Duration::from_micros(200) };
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
        let timing = Timing { bytes: 1000, cycles: vec![500.0], seconds: vec![1e-7] };
        let figures = timing.summary();
        assert_eq!(figures.cycles_per_byte, Some(0.5));
        assert!((figures.gigabytes_per_second - 10.0).abs() < 1e-9);
        assert!((figures.nanoseconds_per_message - 100.0).abs() < 1e-9);
    }

    #[test]
    fn no_rounds_means_one() {
        let mut toy = [Contender::aead("toy", Operation::Seal, ToyAead::HONEST).unwrap()];
        let effort = Effort { rounds: 0, slice: Duration::from_micros(50) };
        assert_eq!(run(&mut toy, Lengths::message(16), effort)[0].cycles.len(), 1);
    }
}
