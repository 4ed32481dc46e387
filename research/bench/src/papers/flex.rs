//! The tables behind `research/papers/flex.md`: each mode of Flex against what does the
//! same work.

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
struct Mode {
    name: &'static str,
    /// Ours; the others are compared with the first.
    suites: &'static [&'static str],
    /// Theirs, by algorithm.
    rivals: &'static [(&'static str, &'static [Peer])],
    /// How many times every block goes through the permutation.
    passes: u32,
}

const MODES: [Mode; 3] = [
    Mode {
        name: "OCH",
        suites: &["flex-och", "flex-och-public", "aes-256-gcm", "ctx-aes-256-gcm"],
        rivals: &[
            ("aes-256-gcm", &[Peer::AwsLc, Peer::Boringssl, Peer::Openssl, Peer::Ring]),
            ("ocb3", &[Peer::Openssl, Peer::Rustcrypto]),
            ("ctx-aes-256-gcm", &[Peer::AwsLc, Peer::Boringssl, Peer::Openssl, Peer::Ring]),
        ],
        passes: 1,
    },
    Mode {
        name: "CIV",
        suites: &["flex-civ", "flex-civ-public", "aes-256-gcm"],
        rivals: &[(
            "aes-256-gcm-siv",
            &[Peer::AwsLc, Peer::Boringssl, Peer::Openssl, Peer::Rustcrypto],
        )],
        passes: 2,
    },
    Mode {
        name: "ROBUST",
        suites: &["flex-robust", "flex-robust-ae", "aes-256-gcm"],
        rivals: &[
            ("hctr2", &[Peer::Rustcrypto, Peer::Hctr2Rs]),
            ("aez", &[Peer::Zears, Peer::Aez]),
        ],
        passes: 2,
    },
];

/// Everyone above.
pub(super) const PEERS: [Peer; 8] = [
    Peer::AwsLc,
    Peer::Boringssl,
    Peer::Openssl,
    Peer::Ring,
    Peer::Rustcrypto,
    Peer::Hctr2Rs,
    Peer::Zears,
    Peer::Aez,
];

/// The paper's.
const SIZES: [usize; 17] = [
    256, 512, 768, 1024, 1280, 1536, 1792, 2048, 4096, 8192, 16384, 32768, 65536, 131_072, 262_144,
    524_288, 1_048_576,
];

/// The paper's.
const AD_BYTES: usize = 16;

/// AES rounds of the permutation, and the bytes that it permutes: Simpira v2 with b = 4.
const ROUNDS: f64 = 60.0;
const BLOCK_BYTES: f64 = 64.0;

/// Writes every table.
pub(super) fn tables(options: &Options, log: &mut Log<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut options = options.clone();
    options.ad.get_or_insert(AD_BYTES);
    if options.sizes.is_empty() {
        options.sizes = SIZES.to_vec();
    }
    writeln!(
        out,
        "Cycles per byte, and ratios with quartiles: their time divided by that of the mode, above \
         1 it is faster. {} interleaved rounds; {}. The limit is that of the AES instructions of \
         the permutation S512, {ROUNDS} for {BLOCK_BYTES} bytes, once for OCH and twice for CIV \
         and ROBUST. Opening CTX needs a tag that no library gives out: it is handed to them. \
         HCTR2 and AEZ only encipher and decipher; they have no tags, and opening refuses \
         nothing.\n",
        options.rounds,
        options.describe()
    )?;
    for backend in backends(&options) {
        let round = log.aes_round(backend, options.rounds)?;
        let title =
            |mode: &Mode, operation| format!("{}, {operation} on {}", mode.name, backend.name());
        for mode in &MODES {
            for operation in [Operation::Seal, Operation::Open] {
                let measured = mode.measure(operation, backend, &options, log)?;
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
struct TimingTable {
    names: Vec<String>,
    timings: Vec<Vec<Timing>>,
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
        let place = ContestId { paper: "flex", table: self.name, backend, operation };
        let run = |bytes| log.contest(place, &mut contenders, options, bytes);
        let timings = options.sizes().into_iter().map(run).collect::<io::Result<_>>()?;
        let names = contenders.into_iter().map(|contender| contender.name).collect();
        Ok(TimingTable { names, timings })
    }

    /// Cycles per byte that the permutation's AES rounds take, at `round` cycles each.
    fn limit(&self, round: f64) -> f64 {
        f64::from(self.passes) * ROUNDS / BLOCK_BYTES * round
    }

    /// The tables of everyone's times; and of the others relative to the first of our suites, if it
    /// is there.
    fn tables(&self, title: &str, measured: &TimingTable, limit: Option<f64>) -> Vec<Table> {
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

#[cfg(test)]
mod tests;
