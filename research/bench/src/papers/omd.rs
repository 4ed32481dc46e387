//! The tables behind `research/papers/omd.md`: each mode beside its floor, and many
//! messages at once.
//!
//! A call of the compression function takes in as many bytes of key as of message, so that a
//! message costs no less than hashing twice as much: that is its floor, at the rate of whichever
//! library hashes fastest.

use std::io::{self, Write};

use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};

use super::log::{ContestId, Log};
use super::{backends, head, many, row};
use crate::compare::ratio;
use crate::contender::{Contender, Operation};
use crate::contest::Timing;
use crate::options::Options;
use crate::peer_limit::PeerLimit;
use crate::peers::{Digest, Peer};
use crate::ring::Key;
use crate::stats::Summary;
use crate::table::{Style, Table};

const MODES: [(&str, Digest); 3] = [
    ("omd-sha256", Digest::Sha256),
    ("omd-sha512", Digest::Sha512),
    ("omd-blake2b", Digest::Blake2b),
];

/// For scale.
const SCALE: &str = "aes-256-gcm";

/// The libraries whose compression functions make the floors.
pub(super) const PEERS: [Peer; 3] = [Peer::AwsLc, Peer::Openssl, Peer::Rustcrypto];

/// Bytes that the compression function takes in for one of message.
const TIMES: u64 = 2;

const SIZES: [usize; 8] = [64, 256, 1024, 4096, 16384, 65536, 262_144, 1_048_576];

/// Messages that are sealed at once, and one at a time.
const BATCH: usize = 8;
const BATCH_BYTES: usize = 16384;
const KEY: Key = [7; 64];

/// Writes every table.
pub(super) fn tables(options: &Options, log: &mut Log<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut options = options.clone();
    if options.sizes.is_empty() {
        options.sizes = SIZES.to_vec();
    }
    writeln!(
        out,
        "Cycles per byte, and ratios with quartiles: the time of a mode divided by that of its \
         floor, 1 is the floor. {} interleaved rounds; {}. A floor is the time in which the \
         fastest library hashes {TIMES} bytes for each of message, at its rate on long inputs: \
         without a mask, a key, or what a message costs whatever its length.\n",
        options.rounds,
        options.describe()
    )?;
    for backend in backends(&options) {
        for operation in [Operation::Seal, Operation::Open] {
            let title = format!("{operation} on {}", backend.name());
            let measured = TimingTable::measure(operation, backend, &options, log)?;
            measured.costs(&title).write(out, Style::Markdown)?;
            measured.distances(&title).write(out, Style::Markdown)?;
            if operation == Operation::Seal {
                measured.rates().write(out, Style::Markdown)?;
            }
            out.flush()?;
        }
        let suites = MODES.iter().filter_map(|(id, _)| id.parse().ok());
        batches(suites, backend, &options, log)?.write(out, Style::Markdown)?;
    }
    Ok(())
}

/// Contenders' names, and for every length their timings.
struct TimingTable {
    names: Vec<String>,
    timings: Vec<Vec<Timing>>,
}

impl TimingTable {
    /// All together, length by length.
    fn measure(
        operation: Operation,
        backend: Backend,
        options: &Options,
        log: &mut Log<'_>,
    ) -> io::Result<Self> {
        let suites = MODES.map(|(id, _)| id).into_iter().chain([SCALE]).collect::<Vec<_>>();
        let peer_limit = PeerLimit::for_backend(backend);
        let peers = || PEERS.iter().filter(|peer| peer_limit.holds(**peer));
        let mut contenders = many(&suites, operation, backend);
        let digests = MODES.iter().map(|(_, digest)| *digest);
        contenders.extend(
            digests.flat_map(|digest| peers().filter_map(move |p| p.compression(digest, TIMES))),
        );
        let place = ContestId { paper: "omd", table: "modes and floors", backend, operation };
        let run = |bytes| log.contest(place, &mut contenders, options, bytes);
        let timings = options.sizes().into_iter().map(run).collect::<io::Result<_>>()?;
        let names = contenders.into_iter().map(|contender| contender.name).collect();
        Ok(Self { names, timings })
    }

    fn find<'a>(&self, name: &str, timings: &'a [Timing]) -> Option<&'a Timing> {
        timings.get(self.names.iter().position(|other| other == name)?)
    }

    /// Everyone who hashes with `digest`: the library, and the time.
    fn hashing<'a>(
        &'a self,
        digest: Digest,
        at: &'a [Timing],
    ) -> impl Iterator<Item = (&'a str, &'a Timing)> {
        self.names.iter().zip(at).filter_map(move |(name, timing)| {
            let library = name.strip_prefix(digest.name())?.strip_prefix(' ')?;
            Some((library, timing))
        })
    }

    fn floor<'a>(&'a self, digest: Digest, at: &'a [Timing]) -> Option<(&'a str, &'a Timing)> {
        let seconds = |timing: &Timing| timing.summary().nanoseconds_per_message;
        self.hashing(digest, at).min_by(|(_, a), (_, b)| seconds(a).total_cmp(&seconds(b)))
    }

    /// The table of everyone's times.
    fn costs(&self, title: &str) -> Table {
        let titles = MODES.iter().flat_map(|(id, _)| [*id, "its floor"]).chain([SCALE]);
        let mut table = Table::new(format!("{title}: cycles per byte"), head(titles));
        for timings in &self.timings {
            let mode = |(id, digest): &(&str, Digest)| {
                let floor = self.floor(*digest, timings);
                [cost(self.find(id, timings)), cost(floor.map(|(_, timing)| timing))]
            };
            let cells = MODES.iter().flat_map(mode).chain([cost(self.find(SCALE, timings))]);
            table.row(row(bytes(timings), cells));
        }
        table
    }

    /// How far each mode is from its floor, and whose that is.
    fn distances(&self, title: &str) -> Table {
        let title = format!("{title}: the time of a mode divided by that of its floor");
        let mut table = Table::new(title, head(MODES.iter().map(|(id, _)| *id)));
        for timings in &self.timings {
            let distance = |(id, digest): &(&str, Digest)| {
                let (library, floor) = self.floor(*digest, timings)?;
                let mode = self.find(id, timings)?;
                let distance = Summary::from_ratios(&mode.seconds, &floor.seconds)?;
                Some(format!("{}, {library}", ratio(distance)))
            };
            table.row(row(bytes(timings), MODES.iter().map(|m| distance(m).unwrap_or_default())));
        }
        table
    }

    /// Every library's compression functions, on the longest messages.
    fn rates(&self) -> Table {
        let title = "what the floors are made of: cycles per byte that is hashed";
        let mut heads = head(MODES.iter().map(|(_, digest)| digest.name()));
        heads[0] = String::from("library");
        let mut table = Table::new(title, heads);
        let longest = self.timings.iter().max_by_key(|timings| bytes(timings));
        for (library, timings) in PEERS.iter().filter_map(|peer| Some((peer.name(), longest?))) {
            let rate = |(_, digest): &(&str, Digest)| {
                let (_, timing) =
                    self.hashing(*digest, timings).find(|(name, _)| *name == library)?;
                Some(format!("{:.3}", timing.summary().cycles_per_byte? / TIMES as f64))
            };
            let cells = MODES.iter().map(|mode| rate(mode).unwrap_or_default());
            table.row([library.to_owned()].into_iter().chain(cells));
        }
        table
    }
}

fn bytes(timings: &[Timing]) -> usize {
    timings.first().map_or(0, |timing| timing.bytes)
}

fn cost(timing: Option<&Timing>) -> String {
    let cycles = timing.and_then(|timing| timing.summary().cycles_per_byte);
    cycles.map_or_else(String::new, |cycles| format!("{cycles:.3}"))
}

/// Messages under one key, sealed in one call and one at a time.
fn batches(
    suites: impl Iterator<Item = Algorithm>,
    backend: Backend,
    options: &Options,
    log: &mut Log<'_>,
) -> io::Result<Table> {
    let size = crate::table::bytes(BATCH_BYTES);
    let mut heads = head(["one at a time", "at once", "gain"]);
    heads[0] = String::from("suite");
    let title =
        format!("{BATCH} messages of {size} on {}: cycles per byte, sealed", backend.name());
    let mut table = Table::new(title, heads);
    let suites: Vec<Algorithm> = suites.collect();
    let mut contenders: Vec<Contender> = suites
        .iter()
        .flat_map(|suite| {
            let sizes = (suite.nonce_bytes(), suite.tag_bytes());
            [("one at a time", false), ("at once", true)].map(|(how, together)| {
                let cipher = aead_on(suite, &KEY[..suite.key_bytes()], backend);
                let cipher = Box::new(cipher.expect("the length is the algorithm's"));
                Contender::batch(format!("{suite}, {how}"), cipher, sizes, BATCH, together)
            })
        })
        .collect();
    let place = ContestId { paper: "omd", table: "batches", backend, operation: Operation::Seal };
    let options = Options { ad: None, ..options.clone() };
    let timings = log.contest(place, &mut contenders, &options, BATCH_BYTES)?;
    for (suite, pair) in suites.iter().zip(timings.chunks(2)) {
        let cost = |timing: &Timing| {
            let cycles = timing.summary().cycles_per_byte.map(|cycles| cycles / BATCH as f64);
            cycles.map_or_else(String::new, |cycles| format!("{cycles:.3}"))
        };
        let gain = Summary::from_ratios(&pair[0].seconds, &pair[1].seconds);
        let gain = gain.map_or_else(String::new, ratio);
        table.row([suite.to_string(), cost(&pair[0]), cost(&pair[1]), gain]);
    }
    Ok(table)
}

#[cfg(test)]
mod tests;
