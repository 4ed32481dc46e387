//! The tables behind the pages of `papers/`.

mod aegis;
mod flex;
mod kc_xaes;
mod omd;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use polyseal::registry::Algorithm;
use polyseal::testing::Backend;

use crate::compare::{absent, versions};
use crate::contender::{Contender, Operation};
use crate::machine::Machine;
use crate::options::Options;
use crate::ours;
use crate::peers::Peer;
use crate::table;

/// Which papers' tables to print, and how to measure.
#[derive(Args, Clone, Debug)]
pub struct Papers {
    /// The papers; all of them unless some are named
    #[arg(value_enum)]
    pub papers: Vec<Paper>,

    /// Write plots as SVG files into directories of this one, named as the papers
    #[arg(long, value_name = "DIRECTORY")]
    pub svg: Option<PathBuf>,

    /// What to measure; suites and operations are the papers'
    #[command(flatten)]
    pub options: Options,
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
}

impl Paper {
    const ALL: [Self; 4] = [Self::Aegis, Self::KcXaes, Self::Flex, Self::Omd];

    const fn peers(self) -> &'static [Peer] {
        match self {
            Self::Aegis => &aegis::PEERS,
            Self::KcXaes => &[kc_xaes::PEER],
            Self::Flex => &flex::PEERS,
            Self::Omd => &omd::PEERS,
        }
    }
}

/// Measures and writes every table, as Markdown.
///
/// # Errors
/// As `out` has them.
pub fn run(papers: &Papers, out: &mut dyn Write) -> io::Result<()> {
    let options = &papers.options;
    let svg = |paper: &str| papers.svg.as_ref().map(|directory| directory.join(paper));
    let named = if papers.papers.is_empty() { &Paper::ALL[..] } else { &papers.papers };
    let within = |peer: &Peer| named.iter().any(|paper| paper.peers().contains(peer));
    let peers: Vec<Peer> = Peer::ALL.into_iter().filter(within).collect();
    writeln!(out, "{}\n", Machine::detect().line())?;
    for line in versions(&peers) {
        writeln!(out, "- {line}")?;
    }
    for line in absent(&peers) {
        writeln!(out, "- absent: {line}")?;
    }
    writeln!(out)?;
    for paper in named {
        match paper {
            Paper::Aegis => aegis::tables(options, out)?,
            Paper::KcXaes => kc_xaes::tables(options, out)?,
            Paper::Flex => flex::tables(options, svg("flex").as_deref(), out)?,
            Paper::Omd => omd::tables(options, svg("omd").as_deref(), out)?,
        }
    }
    Ok(())
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

    #[test]
    fn only_the_papers_that_were_named() {
        let options = Options { sizes: vec![32], rounds: 1, slice: 0, ..Options::default() };
        let mut out = Vec::new();
        run(&Papers { papers: vec![Paper::KcXaes], svg: None, options }, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains("AEGIS"), "{text}");
        assert!(text.contains("aws-lc") && !text.contains("boringssl"), "{text}");
    }
}
