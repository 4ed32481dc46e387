//! The tables behind the pages of `papers/`.

mod aegis;
mod flex;
mod kc_xaes;
mod log;
mod mode;
mod och;
mod omd;
mod report;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use polyseal::registry::Algorithm;
use polyseal::testing::Backend;

use self::log::{Log, Record};
use crate::compare::{absent, versions};
use crate::contender::{Contender, Operation};
use crate::machine::Machine;
use crate::options::Options;
use crate::ours;
use crate::peer_limit::PeerLimit;
use crate::peers::Peer;
use crate::table;

/// Which papers' tables to measure, and how.
#[derive(Args, Clone, Debug)]
pub struct Papers {
    /// The papers; all of them unless some are named
    #[arg(value_enum)]
    pub papers: Vec<Paper>,

    /// Write the tables as CSV into directories of this one, named as the papers
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "json")]
    pub pages: Option<PathBuf>,

    /// Measure everything on every back end, for the report, and write the contests into this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pages", "json", "backends"])]
    pub report: Option<PathBuf>,

    /// Fewer and shorter rounds, for a first look
    #[arg(long, conflicts_with_all = ["rounds", "slice"])]
    pub quick: bool,

    /// The selection; suites and operations are the papers'
    #[command(flatten)]
    pub options: Options,

    /// How this program is told to measure a back end
    #[arg(skip)]
    pub command: PaperCommand,
}

/// The command line with which this program measures papers, and how a paper is named there.
#[derive(Clone, Copy, Debug)]
pub struct PaperCommand {
    /// The arguments that come first.
    pub command: &'static [&'static str],
    /// The option before a paper's name, if it is no argument of its own.
    pub option: Option<&'static str>,
}

impl Default for PaperCommand {
    fn default() -> Self {
        Self { command: &["papers"], option: None }
    }
}

/// A page of `papers/` that has measured tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Paper {
    /// Parallel lanes of AEGIS.
    Aegis,
    /// AES-GCM under keys derived from nonces, and what a commitment adds.
    KcXaes,
    /// The modes of Flex, and what does their work elsewhere.
    Flex,
    /// OMD, and the compression functions below it.
    Omd,
    /// OCH as its authors have it, mended.
    Och,
}

impl Paper {
    const ALL: [Self; 5] = [Self::Aegis, Self::KcXaes, Self::Flex, Self::Omd, Self::Och];

    const fn peers(self) -> &'static [Peer] {
        match self {
            Self::Aegis => &aegis::PEERS,
            Self::KcXaes => &[kc_xaes::PEER],
            Self::Flex => &flex::PEERS,
            Self::Omd => &omd::PEERS,
            Self::Och => &och::PEERS,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Aegis => "aegis",
            Self::KcXaes => "kc-xaes",
            Self::Flex => "flex",
            Self::Omd => "omd",
            Self::Och => "och",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Aegis => "AEGIS",
            Self::KcXaes => "KC-XAES",
            Self::Flex => "Flex",
            Self::Omd => "OMD",
            Self::Och => "OCH",
        }
    }

    fn tables(self, options: &Options, log: &mut Log<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Aegis => aegis::tables(options, log, out),
            Self::KcXaes => kc_xaes::tables(options, log, out),
            Self::Flex => flex::tables(options, log, out),
            Self::Omd => omd::tables(options, log, out),
            Self::Och => och::tables(options, log, out),
        }
    }
}

impl Papers {
    /// The back end to which the peers have to be held, if there is one.
    #[must_use]
    pub fn backend(&self) -> Option<Backend> {
        match self.options.backends[..] {
            [backend] => Some(backend),
            _ => None,
        }
    }

    fn named(&self) -> &[Paper] {
        if self.papers.is_empty() { &Paper::ALL } else { &self.papers }
    }

    fn peers(&self) -> Vec<Peer> {
        let within = |peer: &Peer| self.named().iter().any(|paper| paper.peers().contains(peer));
        Peer::ALL.into_iter().filter(within).collect()
    }

    fn options(&self) -> Options {
        let options = self.options.clone();
        if self.quick { Options { rounds: QUICK.0, slice: QUICK.1, ..options } } else { options }
    }
}

/// Rounds, and milliseconds of a slice.
const QUICK: (u32, u64) = (7, 1);

/// Measures and writes every table, as Markdown or into files as CSV, or every contest, as JSON.
///
/// # Errors
/// As `out` and the files have them.
pub fn run(papers: &Papers, out: &mut dyn Write) -> io::Result<()> {
    if let Some(file) = &papers.report {
        return report::measure(papers, file);
    }
    let options = &papers.options();
    if options.json {
        return lines(papers, options, out);
    }
    if let Some(directory) = &papers.pages {
        for paper in papers.named() {
            let directory = directory.join(paper.name());
            fs::create_dir_all(&directory)?;
            let (title, name) = (paper.title(), paper.name());
            let mut page = Vec::new();
            writeln!(page, "{title}: the tables of one run")?;
            writeln!(
                page,
                "Written by `polyseal-bench papers {name}`; `research/papers/{name}.md` says what \
                 they mean."
            )?;
            introduce(&Papers { papers: vec![*paper], ..papers.clone() }, &mut page)?;
            paper.tables(options, &mut Log::None, &mut page)?;
            let csv = table::csv(&String::from_utf8_lossy(&page));
            fs::write(directory.join("tables.csv"), csv)?;
        }
        return Ok(());
    }
    introduce(papers, out)?;
    for paper in papers.named() {
        paper.tables(options, &mut Log::None, out)?;
    }
    Ok(())
}

fn introduce(papers: &Papers, out: &mut dyn Write) -> io::Result<()> {
    let peers = papers.peers();
    writeln!(out, "{}\n", Machine::detect().line())?;
    for line in versions(&peers) {
        writeln!(out, "- {line}")?;
    }
    for line in absent(&peers) {
        writeln!(out, "- absent: {line}")?;
    }
    writeln!(out)
}

/// Every contest, and before them what they were measured on.
fn lines(papers: &Papers, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let mut rehearsal = Log::Rehearsal(0);
    for paper in papers.named() {
        paper.tables(options, &mut rehearsal, &mut io::sink())?;
    }
    let Log::Rehearsal(work) = rehearsal else { unreachable!("it stays one") };
    let backend = papers.backend().unwrap_or_else(Backend::detect);
    let (peer_limit, peers) = (PeerLimit::for_backend(backend), papers.peers());
    let mut log = Log::Lines(out);
    log.write(&Record::Run {
        machine: &Machine::detect(),
        backend: backend.name(),
        rounds: options.rounds,
        slice_milliseconds: options.slice,
        core: options.core(),
        peers: versions(&peers),
        absent: absent(&peers),
        peer_limit: peer_limit.line(),
        work,
    })?;
    for paper in papers.named() {
        paper.tables(options, &mut log, &mut io::sink())?;
    }
    Ok(())
}

/// The back ends that were named, or the one that is selected.
fn backends(options: &Options) -> Vec<Backend> {
    match options.backends[..] {
        [] => vec![Backend::detect()],
        ref named => named.to_vec(),
    }
}

/// The contenders of those `peers` that may stand beside our back end.
fn peer_contenders(
    peers: &[Peer],
    id: &str,
    operation: Operation,
    peer_limit: PeerLimit,
) -> Vec<Contender> {
    let able = peers.iter().filter(|peer| peer_limit.holds(**peer));
    able.flat_map(|peer| peer.contenders(id, operation, peer_limit)).collect()
}

/// The suites as contenders that bear the suites' names.
fn many(suites: &[&str], operation: Operation, backend: Backend) -> Vec<Contender> {
    let contender = |suite: &&str| {
        let algorithm: Algorithm = suite.parse().ok()?;
        Some(ours::contender(&algorithm, operation, backend)?.named(*suite))
    };
    suites.iter().filter_map(contender).collect()
}

fn head<'a>(titles: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    core::iter::once("message").chain(titles).map(str::to_owned).collect()
}

fn row(bytes: usize, cells: impl IntoIterator<Item = String>) -> Vec<String> {
    core::iter::once(table::bytes(bytes)).chain(cells).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn papers() -> Papers {
        let options =
            Options { sizes: vec![32], rounds: 1, slice: 0, patience: 0, ..Options::default() };
        let command = PaperCommand::default();
        Papers {
            papers: vec![Paper::KcXaes],
            pages: None,
            report: None,
            quick: false,
            options,
            command,
        }
    }

    fn written(papers: &Papers) -> String {
        let mut out = Vec::new();
        run(papers, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_the_papers_that_were_named() {
        let text = written(&papers());
        assert!(!text.contains("AEGIS"), "{text}");
        assert!(text.contains("aws-lc") && !text.contains("boringssl"), "{text}");
    }

    #[test]
    fn the_back_end_that_was_named() {
        for backend in Backend::available() {
            let mut papers = papers();
            papers.options.backends = vec![backend];
            let text = written(&papers);
            assert!(text.contains(&format!("Sealing: polyseal on {}**", backend.name())), "{text}");
        }
    }

    #[test]
    fn pages_are_files() {
        let directory = std::env::temp_dir().join(format!("polyseal-pages-{}", std::process::id()));
        let text = written(&Papers { pages: Some(directory.clone()), ..papers() });
        let page = fs::read_to_string(directory.join("kc-xaes/tables.csv"));
        fs::remove_dir_all(&directory).unwrap();
        let page = page.unwrap();
        assert!(text.is_empty());
        assert!(page.starts_with("# KC-XAES: the tables of one run\n"), "{page}");
        assert!(page.contains("\nOpening: polyseal"), "{page}");
        assert!(page.contains("\nmessage,GCM,XAES,"), "{page}");
    }

    #[test]
    fn the_rehearsal_foretells_the_contests() {
        let mut papers = papers();
        papers.papers.clear();
        papers.options.json = true;
        let text = written(&papers);
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0]["kind"], "run");
        let work = |line: &serde_json::Value| line["work"].as_u64();
        let done: u64 = lines[1..].iter().filter_map(work).sum();
        assert_eq!(work(&lines[0]), Some(done));
        for paper in Paper::ALL {
            assert!(lines.iter().any(|line| line["paper"] == paper.name()), "{text}");
        }
    }
}
