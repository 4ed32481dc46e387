//! Measures Polyseal against itself, the CPU and other libraries.

#![forbid(unsafe_code)]

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use polyseal_bench::compare::{self, Comparison};
use polyseal_bench::leaks::{self, Selection};
use polyseal_bench::papers::{self, Papers};
use polyseal_bench::peer_limit::PeerLimit;
use polyseal_bench::{Options, limits};

/// Measure Polyseal against itself, the CPU and other libraries
#[derive(Parser)]
#[command(version)]
struct Command {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Every algorithm on every back end
    Run(Options),
    /// Against other libraries, in one interleaved run
    Compare(Comparison),
    /// How fast the AES instructions let AEGIS and AES-GCM be, and how far from that they are
    Limits(Options),
    /// Whether the time of an operation tells what is secret
    Leaks(Selection),
    /// The tables of the pages of papers/
    Papers(Papers),
}

fn main() -> ExitCode {
    let task = Command::parse().task;
    let backend = match &task {
        Task::Compare(comparison) => comparison.backend().ok(),
        Task::Papers(papers) => papers.backend(),
        Task::Run(_) | Task::Limits(_) | Task::Leaks(_) => None,
    };
    if let Some(backend) = backend
        && let Some(mut command) = PeerLimit::for_backend(backend).restart()
    {
        return match command.status() {
            Ok(status) if status.success() => ExitCode::SUCCESS,
            Ok(_) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("polyseal-bench: this program could not be started again: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let mut out = io::stdout().lock();
    let done = match task {
        Task::Run(options) => polyseal_bench::run(&options, &mut out),
        Task::Compare(comparison) => compare::run(&comparison, &mut out),
        Task::Limits(options) => limits::run(&options, &mut out),
        Task::Leaks(selection) => leaks::run(selection, &mut out),
        Task::Papers(papers) => papers::run(&papers, &mut out),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("polyseal-bench: {error}");
            ExitCode::FAILURE
        }
    }
}
