//! A mode of operation beside what does the same work: the tables of one contest.

use std::io::{self, Write};

use polyseal::testing::Backend;

use super::log::{ContestId, Log};
use super::{backends, head, many, peer_contenders, row};
use crate::compare::ratio;
use crate::contender::Operation;
use crate::contest::Timing;
use crate::options::Options;
use crate::peer_limit::PeerLimit;
use crate::peers::Peer;
use crate::stats::Summary;
use crate::table::{Style, Table};

/// A mode, and who else does its work.
pub(super) struct Mode {
    pub(super) paper: &'static str,
    pub(super) name: &'static str,
    /// Ours; the others are compared with the first.
    pub(super) suites: &'static [&'static str],
    /// Theirs, by algorithm.
    pub(super) rivals: &'static [(&'static str, &'static [Peer])],
    /// How many times every block goes through the permutation.
    pub(super) passes: u32,
    /// AES instructions of the permutation, and the bytes that it permutes.
    pub(super) permutation: (u32, u32),
}

/// The sizes of the paper on Flex.
const SIZES: [usize; 17] = [
    256, 512, 768, 1024, 1280, 1536, 1792, 2048, 4096, 8192, 16384, 32768, 65536, 131_072, 262_144,
    524_288, 1_048_576,
];

/// As the paper on Flex has it.
const AD_BYTES: usize = 16;

/// The options with the sizes and the associated data of the paper on Flex, unless others were
/// named.
pub(super) fn with_defaults(options: &Options) -> Options {
    let mut options = options.clone();
    options.ad.get_or_insert(AD_BYTES);
    if options.sizes.is_empty() {
        options.sizes = SIZES.to_vec();
    }
    options
}

/// Writes the tables of all `modes`, sealing and opening, on every back end.
pub(super) fn tables(
    modes: &[Mode],
    options: &Options,
    log: &mut Log<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for backend in backends(options) {
        let round = log.aes_round(backend, options.rounds)?;
        let title =
            |mode: &Mode, operation| format!("{}, {operation} on {}", mode.name, backend.name());
        for mode in modes {
            for operation in [Operation::Seal, Operation::Open] {
                let measured = mode.measure(operation, backend, options, log)?;
                let limit = round.map(|round| mode.limit(round));
                for table in mode.tables(&title(mode, operation), &measured, limit) {
                    table.write(out, Style::Markdown)?;
                }
                out.flush()?;
            }
        }
    }
    Ok(())
}

/// Contenders' names, and for every length their timings.
pub(super) struct TimingTable {
    pub(super) names: Vec<String>,
    pub(super) timings: Vec<Vec<Timing>>,
}

impl Mode {
    /// All together, length by length.
    fn measure(
        &self,
        operation: Operation,
        backend: Backend,
        options: &Options,
        log: &mut Log<'_>,
    ) -> io::Result<TimingTable> {
        let peer_limit = PeerLimit::for_backend(backend);
        let mut contenders = many(self.suites, operation, backend);
        let rivals = self.rivals.iter();
        contenders.extend(
            rivals.flat_map(|(id, peers)| peer_contenders(peers, id, operation, peer_limit)),
        );
        let place = ContestId { paper: self.paper, table: self.name, backend, operation };
        let run = |bytes| log.contest(place, &mut contenders, options, bytes);
        let timings = options.sizes().into_iter().map(run).collect::<io::Result<_>>()?;
        let names = contenders.into_iter().map(|contender| contender.name).collect();
        Ok(TimingTable { names, timings })
    }

    /// Cycles per byte that the permutation's AES rounds take, at `round` cycles each.
    pub(super) fn limit(&self, round: f64) -> f64 {
        let (rounds, bytes) = self.permutation;
        f64::from(self.passes * rounds) / f64::from(bytes) * round
    }

    /// The tables of everyone's times; and of the others relative to the first of our suites, if it
    /// is there.
    pub(super) fn tables(
        &self,
        title: &str,
        measured: &TimingTable,
        limit: Option<f64>,
    ) -> Vec<Table> {
        let names = || measured.names.iter().map(String::as_str);
        let mut costs = Table::new(
            format!("{title}: cycles per byte"),
            head(["limit"].into_iter().chain(names())),
        );
        for timings in &measured.timings {
            let bytes = timings.first().map_or(0, |timing| timing.bytes);
            let limit = limit.map_or_else(String::new, |limit| format!("{limit:.3}"));
            let cost = |timing| per_byte(timing).map_or_else(String::new, |c| format!("{c:.3}"));
            costs.row(row(bytes, [limit].into_iter().chain(timings.iter().map(cost))));
        }
        let Some(first) = names().position(|name| name == self.suites[0]) else {
            return vec![costs];
        };
        let others: Vec<usize> = (0..measured.names.len()).filter(|at| *at != first).collect();
        let mut gains = Table::new(
            format!("{title}: their time divided by that of {}", self.suites[0]),
            head(others.iter().map(|at| measured.names[*at].as_str())),
        );
        for timings in &measured.timings {
            let gain = |at: &usize| {
                Summary::from_ratios(&timings[*at].seconds, &timings[first].seconds)
                    .map_or_else(String::new, ratio)
            };
            gains.row(row(timings[first].bytes, others.iter().map(gain)));
        }
        vec![costs, gains]
    }
}

fn per_byte(timing: &Timing) -> Option<f64> {
    timing.summary().cycles_per_byte
}
