//! The contests behind the tables, as records for the report.
//!
//! A record is a line of JSON: a run's circumstances, what an AES round takes, or one contest. A
//! contest holds the time of every round, because ratios are taken within rounds. In a rehearsal
//! nothing is measured: it finds out how much there is to do.

use std::io::{self, Write};

use polyseal::testing::Backend;
use serde::Serialize;

use crate::contender::{Contender, Operation};
use crate::contest::{self, Core, Timing};
use crate::limits::{self, Width};
use crate::machine::Machine;
use crate::options::Options;

/// A line of the log.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(super) enum Record<'a> {
    /// Comes first.
    Run {
        machine: &'a Machine,
        backend: &'static str,
        rounds: u32,
        slice_milliseconds: u64,
        core: Core,
        peers: Vec<String>,
        absent: Vec<String>,
        peer_limit: Option<String>,
        /// How many [`Contest`](Self::Contest)s follow, weighed by their contenders.
        work: usize,
    },
    /// The result of [`Log::aes_round`].
    AesRound { backend: &'static str, cycles: f64 },
    /// All contenders on messages of one length.
    Contest {
        paper: &'static str,
        table: &'a str,
        backend: &'static str,
        operation: Operation,
        message: usize,
        ad: usize,
        work: usize,
        contenders: Vec<Times<'a>>,
    },
}

/// The times of one contender for a message.
#[derive(Serialize)]
pub(super) struct Times<'a> {
    name: &'a str,
    /// Core cycles, the median of all rounds.
    cycles: f64,
    /// Nanoseconds, round by round.
    nanoseconds: Vec<f64>,
}

/// The paper and the table that a contest belongs to.
#[derive(Clone, Copy)]
pub(super) struct ContestId<'a> {
    pub(super) paper: &'static str,
    pub(super) table: &'a str,
    pub(super) backend: Backend,
    pub(super) operation: Operation,
}

/// Where the contests go, and whether there are any.
pub(super) enum Log<'a> {
    /// They are measured for the tables only.
    None,
    /// They are measured, and written down.
    Lines(&'a mut dyn Write),
    /// They are only counted, each by its contenders.
    Rehearsal(usize),
}

impl Log<'_> {
    /// Measures `contenders`; in a rehearsal, everybody takes one nanosecond.
    pub(super) fn contest(
        &mut self,
        place: ContestId<'_>,
        contenders: &mut [Contender],
        options: &Options,
        bytes: usize,
    ) -> io::Result<Vec<Timing>> {
        let work = contenders.len();
        if let Self::Rehearsal(planned) = self {
            *planned += work;
            return Ok(vec![Timing::once(bytes, 1.0, 1e-9); work]);
        }
        let lengths = options.lengths(bytes);
        let timings = contest::run(contenders, lengths, options.effort());
        let times = |(contender, timing)| Times::new(contender, timing);
        self.write(&Record::Contest {
            paper: place.paper,
            table: place.table,
            backend: place.backend.name(),
            operation: place.operation,
            message: lengths.message,
            ad: lengths.ad,
            work,
            contenders: contenders.iter().zip(&timings).map(times).collect(),
        })?;
        Ok(timings)
    }

    /// Cycles of an AES round when as many run side by side as this CPU can run in the registers of
    /// `backend`.
    pub(super) fn aes_round(&mut self, backend: Backend, rounds: u32) -> io::Result<Option<f64>> {
        let Some(widest) = Width::for_backend(backend.name()) else { return Ok(None) };
        if matches!(self, Self::Rehearsal(_)) {
            return Ok(None);
        }
        let figures = limits::measure(rounds).into_iter();
        let within = figures.filter(|f| f.width.blocks() <= widest.blocks());
        let blocks = within.map(|f| f.per_cycle * f.width.blocks() as f64);
        let cycles = blocks.max_by(f64::total_cmp).map(|blocks| 1.0 / blocks);
        if let Some(cycles) = cycles {
            self.write(&Record::AesRound { backend: backend.name(), cycles })?;
        }
        Ok(cycles)
    }

    pub(super) fn write(&mut self, record: &Record<'_>) -> io::Result<()> {
        let Self::Lines(out) = self else { return Ok(()) };
        serde_json::to_writer(&mut **out, record)?;
        writeln!(out)?;
        out.flush()
    }
}

impl<'a> Times<'a> {
    fn new(contender: &'a Contender, timing: &Timing) -> Self {
        Self {
            name: &contender.name,
            cycles: rounded(timing.summary().cycles_per_message.median, 1e2),
            nanoseconds: timing.seconds.iter().map(|s| rounded(s * 1e9, 1e3)).collect(),
        }
    }
}

fn rounded(value: f64, to: f64) -> f64 {
    (value * to).round() / to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::tests::ToyAead;

    fn contest(log: &mut Log<'_>) -> Vec<Timing> {
        let toy = || Contender::aead("toy", Operation::Seal, ToyAead::HONEST).unwrap();
        let place = ContestId {
            paper: "flex",
            table: "OCH",
            backend: Backend::detect(),
            operation: Operation::Seal,
        };
        let options =
            Options { rounds: 3, slice: 0, patience: 0, ad: Some(16), ..Options::default() };
        log.contest(place, &mut [toy(), toy()], &options, 64).unwrap()
    }

    #[test]
    fn a_contest_is_a_line_with_every_round() {
        let mut out = Vec::new();
        let timings = contest(&mut Log::Lines(&mut out));
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count(), 1);
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&line["kind"], &line["operation"]), (&"contest".into(), &"seal".into()));
        let lengths = (&line["message"], &line["ad"], &line["work"]);
        assert_eq!(lengths, (&64.into(), &16.into(), &2.into()));
        let rounds = line["contenders"][1]["nanoseconds"].as_array().unwrap();
        assert_eq!(rounds.len(), 3);
        let last = rounds[2].as_f64().unwrap();
        assert!((last - timings[1].seconds[2] * 1e9).abs() < 1e-3, "{last}");
    }

    #[test]
    fn a_rehearsal_counts_and_measures_nothing() {
        let mut log = Log::Rehearsal(5);
        let timings = contest(&mut log);
        assert_eq!(timings[1].seconds, [1e-9]);
        assert_eq!(log.aes_round(Backend::detect(), 1).unwrap(), None);
        assert!(matches!(log, Log::Rehearsal(7)));
    }
}
