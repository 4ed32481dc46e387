//! Against other libraries, in one interleaved run.

use std::io::{self, Write};

use clap::Args;
use polyseal::registry::Algorithm;
use polyseal::testing::Backend;
use serde::Serialize;

use crate::contender::{Contender, Operation};
use crate::contest::{self, Core, Figures};
use crate::machine::Machine;
use crate::options::Options;
use crate::ours;
use crate::peer_limit::PeerLimit;
use crate::peers::{Peer, rivals};
use crate::stats::Summary;
use crate::survey::{cost, speed};
use crate::table::{self, Style, Table};

/// The parameters of a comparison.
#[derive(Args, Clone, Debug)]
pub struct Comparison {
    /// The selection; the default back end is the one that the library selects
    #[command(flatten)]
    pub options: Options,

    /// The libraries; all of them unless some are named
    #[arg(long, value_enum, value_delimiter = ',')]
    pub against: Vec<Peer>,

    /// Write Markdown
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
}

impl Comparison {
    /// The back end of ours: the one that is selected, unless one was named.
    ///
    /// # Errors
    /// For several: the peers are held to one.
    pub fn backend(&self) -> io::Result<Backend> {
        match self.options.backends[..] {
            [] => Ok(Backend::detect()),
            [backend] => Ok(backend),
            _ => Err(io::Error::other("one back end at a time: the peers are held to it")),
        }
    }
}

/// One implementation on messages of one length.
#[derive(Serialize)]
struct Record {
    suite: String,
    operation: Operation,
    backend: &'static str,
    implementation: String,
    #[serde(flatten)]
    figures: Figures,
    /// Core cycles a message in each layout.
    layouts: Vec<f64>,
    /// This implementation's time divided by ours, of the same round.
    ratio: Option<Summary>,
}

#[derive(Serialize)]
struct Report {
    machine: Machine,
    rounds: u32,
    ad_bytes: usize,
    core: Core,
    peers: Vec<String>,
    absent: Vec<String>,
    /// The instructions that the peers are held to.
    peer_limit: Option<String>,
    records: Vec<Record>,
}

/// Compares and writes to `out`.
///
/// # Errors
/// As `out` has them.
pub fn run(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let options = &comparison.options;
    let against =
        if comparison.against.is_empty() { &Peer::ALL[..] } else { &comparison.against[..] };
    let style = if comparison.markdown { Style::Markdown } else { Style::Plain };
    let mut report = Report {
        machine: Machine::detect(),
        rounds: options.rounds,
        ad_bytes: options.lengths(0).ad,
        core: options.core(),
        peers: versions(against),
        absent: absent(against),
        peer_limit: None,
        records: Vec::new(),
    };
    let backend = comparison.backend()?;
    let peer_limit = PeerLimit::for_backend(backend);
    report.peer_limit = peer_limit.line();
    if !options.json {
        introduce(&report, &options.describe(), out)?;
    }
    for suite in options.suites() {
        for operation in options.operations() {
            let Some(ours) = ours::contender(&suite, operation, backend) else {
                continue;
            };
            let mut contenders = vec![ours];
            let rivals = rivals(suite.family().identity.id, suite.key_bytes());
            for peer in against.iter().filter(|peer| peer_limit.holds(**peer)) {
                let theirs = |id: &&str| peer.contenders(id, operation, peer_limit);
                contenders.extend(rivals.iter().flat_map(theirs));
            }
            let pairing = Pairing { suite, operation, backend };
            let table = pairing.measure(&mut contenders, options, &mut report.records);
            if !options.json {
                table.write(out, style)?;
                out.flush()?;
            }
        }
    }
    if options.json {
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    }
    Ok(())
}

/// A line for every build or version of `peers` in this program.
pub(crate) fn versions(peers: &[Peer]) -> Vec<String> {
    peers.iter().flat_map(|peer| peer.versions()).collect()
}

/// A line for each of `peers` of which something is missing.
pub(crate) fn absent(peers: &[Peer]) -> Vec<String> {
    let line = |peer: &Peer| Some(format!("{}: {}", peer.name(), peer.absence()?));
    peers.iter().filter_map(line).collect()
}

fn introduce(report: &Report, ad: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", report.machine.line())?;
    for peer in &report.peers {
        writeln!(out, "- {peer}")?;
    }
    for absence in &report.absent {
        writeln!(out, "- absent: {absence}")?;
    }
    if let Some(peer_limit) = &report.peer_limit {
        writeln!(out, "\n{peer_limit}")?;
    }
    writeln!(
        out,
        "\nCycles and throughput: median of {} interleaved rounds; {ad}. Ratio: \
         median and quartiles of their time divided by ours in the same round; above 1, ours is \
         faster.\n",
        report.rounds
    )
}

struct Pairing {
    suite: Algorithm,
    operation: Operation,
    backend: Backend,
}

impl Pairing {
    /// Measures every size; ours is the first contender.
    fn measure(
        &self,
        contenders: &mut [Contender],
        options: &Options,
        records: &mut Vec<Record>,
    ) -> Table {
        let title = format!("{} {} on {}", self.suite, self.operation, self.backend.name());
        let mut head = vec![String::from("message"), String::from("polyseal")];
        for rival in &contenders[1..] {
            head.extend([rival.name.clone(), String::from("ratio")]);
        }
        let builds = builds_of_libaegis(contenders);
        if builds.len() > 1 {
            head.push(String::from("fastest libaegis"));
        }
        let mut table = Table::new(title, head);
        for bytes in options.sizes() {
            let timings = contest::run(contenders, options.lengths(bytes), options.effort());
            let figures: Vec<Figures> = timings.iter().map(contest::Timing::summary).collect();
            let ratios: Vec<Option<Summary>> = timings
                .iter()
                .map(|theirs| Summary::from_ratios(&theirs.seconds, &timings[0].seconds))
                .collect();
            let mut row = vec![table::bytes(bytes), speed(&figures[0])];
            for at in 1..contenders.len() {
                row.extend([cost(&figures[at]), ratios[at].map_or_else(String::new, ratio)]);
            }
            if builds.len() > 1 {
                row.push(fastest(&builds, &figures, &ratios));
            }
            table.row(row);
            let layouts = timings.iter().map(contest::Timing::layouts);
            let measured = figures.into_iter().zip(layouts).zip(ratios);
            for (contender, ((figures, layouts), ratio)) in contenders.iter().zip(measured) {
                records.push(Record {
                    suite: self.suite.to_string(),
                    operation: self.operation,
                    backend: self.backend.name(),
                    implementation: contender.name.clone(),
                    figures,
                    layouts,
                    ratio,
                });
            }
        }
        table
    }
}

/// Where the builds of libaegis stand.
fn builds_of_libaegis(contenders: &[Contender]) -> Vec<usize> {
    let is_build = |at: &usize| contenders[*at].name.starts_with("libaegis");
    (0..contenders.len()).filter(is_build).collect()
}

/// The ratio to the fastest build: the strictest of them.
fn fastest(builds: &[usize], figures: &[Figures], ratios: &[Option<Summary>]) -> String {
    let median = |at: &usize| figures[*at].cycles_per_message.median;
    let fastest = builds.iter().copied().min_by(|a, b| median(a).total_cmp(&median(b)));
    fastest.and_then(|at| ratios[at]).map_or_else(String::new, |r| format!("{:.2}", r.median))
}

/// A ratio with its quartiles.
pub(crate) fn ratio(ratio: Summary) -> String {
    format!("{:.2} ({:.2}–{:.2})", ratio.median, ratio.q1, ratio.q3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(json: bool, markdown: bool) -> String {
        let options = Options {
            suites: vec!["aegis-128l".parse().unwrap()],
            sizes: vec![16, 100],
            operations: vec![Operation::Seal, Operation::Mac],
            ad: Some(16),
            rounds: 2,
            slice: 0,
            patience: 0,
            json,
            ..Options::default()
        };
        let mut out = Vec::new();
        run(&Comparison { options, against: Vec::new(), markdown }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_library_is_named_present_or_absent() {
        let report = report(false, true);
        for peer in Peer::ALL {
            assert!(
                report.contains(&format!("- {}", peer.name()))
                    || report.contains(&format!("- absent: {}", peer.name())),
                "{report}"
            );
        }
        assert!(report.contains("|"));
        assert!(report.contains("16 bytes of associated data"), "{report}");
    }

    #[test]
    fn ours_compared_with_ours_is_one() {
        let report: serde_json::Value = serde_json::from_str(&report(true, false)).unwrap();
        assert_eq!(report["ad_bytes"], 16);
        let ours = &report["records"][0];
        assert_eq!(ours["ratio"]["median"], 1.0);
        assert_eq!(ours["implementation"], Backend::detect().name());
    }

    #[test]
    fn the_strictest_build_counts() {
        let figures = |cycles: f64| contest::Timing::once(1, cycles, 1.0).summary();
        let ratio = |median| Some(Summary { q1: median, median, q3: median });
        let figures = [figures(10.0), figures(14.0), figures(12.0)];
        let ratios = [ratio(1.0), ratio(1.4), ratio(1.2)];
        assert_eq!(fastest(&[1, 2], &figures, &ratios), "1.20");
    }
}
