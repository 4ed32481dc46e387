//! `bench`: how fast the algorithms are on this machine, without other libraries; and the
//! measurements for the report on the papers.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use polyseal_bench::papers::{self, PaperCommand, Papers};

use crate::args::BenchArgs;
use crate::error::{Failure, Result};

/// How a report measures one back end.
const AGAIN: PaperCommand = PaperCommand { command: &["bench"], option: Some("--paper") };

pub(crate) fn bench(args: BenchArgs) -> Result {
    let BenchArgs { options, report, quick, papers } = args;
    let output = |error: io::Error| Failure::io("write", Path::new("standard output"), &error);
    let mut out = io::stdout().lock();
    match report {
        Some(directory) => {
            let failure = |error: io::Error| Failure::io("write", &directory, &error);
            fs::create_dir_all(&directory).map_err(failure)?;
            let file = directory.join("measured.jsonl");
            let papers = Papers { report: Some(file.clone()), ..papers_of(papers, quick, options) };
            papers::run(&papers, &mut out).map_err(failure)?;
            let (file, directory) = (file.display(), directory.display());
            writeln!(
                out,
                "{file} has what was measured. In a source tree the page is made of it:\n  \
                 PYTHONPATH=research/papers scripts/python --in research -m report \
                 {file} {directory}"
            )
            .map_err(output)
        }
        None if papers.is_empty() => polyseal_bench::run(&options, &mut out).map_err(output),
        None => papers::run(&papers_of(papers, quick, options), &mut out).map_err(output),
    }
}

fn papers_of(papers: Vec<papers::Paper>, quick: bool, options: polyseal_bench::Options) -> Papers {
    Papers { papers, pages: None, report: None, quick, options, command: AGAIN }
}
