//! All contests of the report, back end by back end, each in a process whose peers are held to it.

use std::env;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use indicatif::{ProgressBar, ProgressStyle};
use polyseal::testing::Backend;
use serde_json::Value;

use super::{Paper, Papers};

/// The papers that are measured without AES instructions: only AEGIS's speaks of that.
const SOFT: [Paper; 1] = [Paper::Aegis];

/// Measures, and writes the records of all back ends into `file`, one a line.
pub(super) fn measure(papers: &Papers, file: &Path) -> io::Result<()> {
    let measured = |backend: &Backend| measured_papers(papers, *backend).next().is_some();
    let mut backends: Vec<Backend> = Backend::available().filter(measured).collect();
    backends.reverse();
    let bar = ProgressBar::new(0).with_style(style());
    // Written when all is measured: a report that broke off leaves the last one as it was.
    let mut records = Vec::new();
    for (at, backend) in backends.iter().enumerate() {
        bar.set_message(backend.name());
        let mut child = command(papers, *backend)?.spawn()?;
        let output = child.stdout.take().expect("it is piped");
        for line in BufReader::new(output).lines() {
            let line = line?;
            let record: Value = serde_json::from_str(&line)?;
            let work = record["work"].as_u64().unwrap_or(0);
            if record["kind"] == "run" {
                // The others' times are not known before they start: about as much, and less
                // without AES instructions.
                let left = backends[at + 1..].iter().map(|other| share(*other)).sum::<f64>();
                let expected = work as f64 * (1.0 + left / share(*backend));
                bar.set_length(bar.position() + expected as u64);
            } else {
                bar.inc(work);
            }
            records.push(line);
        }
        if !child.wait()?.success() {
            return Err(io::Error::other(format!("measuring on {} failed", backend.name())));
        }
    }
    bar.finish_and_clear();
    let mut out = File::create(file)?;
    records.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn command(papers: &Papers, backend: Backend) -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.args(papers.command.command).args(["--json", "--backend", backend.name()]);
    if papers.quick {
        command.arg("--quick");
    } else {
        let (rounds, slice) = (papers.options.rounds, papers.options.slice);
        command.args(["--rounds", &rounds.to_string(), "--slice", &slice.to_string()]);
    }
    let (layouts, patience) = (papers.options.layouts, papers.options.patience);
    command.args(["--layouts", &layouts.to_string(), "--patience", &patience.to_string()]);
    if papers.options.busy {
        command.arg("--busy");
    }
    for bytes in &papers.options.sizes {
        command.args(["--size", &bytes.to_string()]);
    }
    for paper in measured_papers(papers, backend) {
        command.args(papers.command.option).arg(paper.name());
    }
    command.stdout(Stdio::piped());
    Ok(command)
}

fn measured_papers(papers: &Papers, backend: Backend) -> impl Iterator<Item = Paper> {
    let within = move |paper: &Paper| !is_soft(backend) || SOFT.contains(paper);
    papers.named().iter().copied().filter(within)
}

fn is_soft(backend: Backend) -> bool {
    backend.name() == "soft"
}

fn share(backend: Backend) -> f64 {
    if is_soft(backend) { 0.3 } else { 1.0 }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{msg:8} {bar:40} {percent:>3} %, {eta} left")
        .expect("the template is well-formed")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        papers: Papers,
    }

    #[test]
    fn what_was_asked_for_is_handed_on() {
        let asked =
            ["", "omd", "--rounds", "3", "--slice", "5", "--layouts", "7", "--patience", "9"];
        let asked = [&asked[..], &["--size", "64", "--busy"]].concat();
        let Program { papers } = Program::parse_from(asked);
        let command = command(&papers, Backend::detect()).unwrap();
        let handed: Vec<_> = command.get_args().map(|it| it.to_str().unwrap()).collect();
        for pair in [
            ["--rounds", "3"],
            ["--slice", "5"],
            ["--layouts", "7"],
            ["--patience", "9"],
            ["--size", "64"],
        ] {
            assert!(handed.windows(2).any(|it| it == pair), "{pair:?} in {handed:?}");
        }
        assert!(handed.contains(&"--busy"), "{handed:?}");
    }
}
