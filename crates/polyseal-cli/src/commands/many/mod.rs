//! Many files in one run: where their names come from, how many are worked on at a time, and the
//! report on each.
//!
//! Names are taken as they come and forgotten when a file is done, so that a million of them take
//! no more memory than a few. A file that fails does not keep the others from being done.

mod names;
mod report;

use std::num::NonZeroUsize;
use std::path::PathBuf;

pub(crate) use names::Names;
use report::Report;
pub(crate) use report::{FileSuccess, Telling, describe, json_text};

use polyseal_file::RunOptions;
use polyseal_local::{OnFile, Options, Patterns, Total, cores, in_order};

use crate::args::{ManyArgs, VerifyFilesArgs, WorkArgs};
use crate::error::{Failure, Result};
use crate::keys::DecryptInputs;
use crate::progress::{Bar, Progress};

impl ManyArgs {
    /// The names of the list, if there is one.
    pub(crate) fn list(&self) -> Result<Option<Names>> {
        // clap alone would let -0 pass where there are files.
        if self.null && self.files_from.is_none() {
            return Err(Failure::usage("-0 is for a list of names").hint("use --files-from FILE"));
        }
        self.files_from.as_deref().map(|list| Names::open(list, self.null)).transpose()
    }

    /// The patterns of names that are left out.
    pub(crate) fn excluded(&self) -> Result<Patterns> {
        Patterns::new(&self.exclude).map_err(|error| Failure::usage(format!("--exclude {error}")))
    }

    /// A bar for the files of a list. How much there is to be done is known where it can be read
    /// twice.
    pub(crate) fn progress(&self, list: &Names) -> Result<Option<Progress>> {
        let Some(names) = list.reopen() else { return Ok(Progress::for_files(None, None)) };
        let excluded = self.excluded()?;
        let names = names.filter_map(Result::ok).filter(move |name| !excluded.matches(name));
        Ok(Progress::for_list(names))
    }

    pub(crate) fn telling(&self) -> Telling {
        if self.json { Telling::Json } else { Telling::Files }
    }

    /// How many files are worked on at a time.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_else(cores)
    }

    /// The run of each file: on all threads that the others leave, if `--threads` does not say.
    pub(crate) fn run_each(&self, work: &WorkArgs) -> RunOptions<'static> {
        match work.threads {
            Some(_) => work.run(),
            None => Options::new().jobs(self.jobs()).run_each(),
        }
    }
}

impl VerifyFilesArgs {
    pub(crate) fn telling(&self) -> Telling {
        match self.many.telling() {
            Telling::Files if self.quiet => Telling::Nothing,
            Telling::Files => Telling::FilesAndTotal,
            other => other,
        }
    }
}

impl WorkArgs {
    /// The run of a file that is the only one.
    pub(crate) fn run(&self) -> RunOptions<'static> {
        RunOptions::new().threads(self.threads)
    }
}

/// Does `work` for each of the files, tells of each in their order, and ends with the gravest
/// failure. `bar` counts what has been done.
pub(crate) fn for_each_file<T: Send>(
    many: &ManyArgs,
    telling: Telling,
    items: impl Iterator<Item = Result<T>> + Send,
    name: impl Fn(&T) -> PathBuf + Sync,
    bar: &Bar,
    work: impl Fn(T) -> Result<FileSuccess> + Sync,
) -> Result {
    let mut report = Report::new(telling, bar);
    in_order(
        items,
        many.jobs(),
        &(),
        |item| item.map(|item| (name(&item), work(item))),
        |outcomes| {
            for outcome in outcomes {
                // A list that cannot be read any further ends the run.
                let (name, done) = outcome?;
                bar.file();
                report.file(&name, done)?;
            }
            report.end()
        },
    )
}

/// Lets `work`, which is the library's, report each file, and ends with the gravest failure.
/// `inputs` explains why a file does not open.
pub(crate) fn run_with_report(
    telling: Telling,
    bar: &Bar,
    inputs: Option<&DecryptInputs>,
    work: impl FnOnce(OnFile<'_>) -> polyseal_local::Result<Total>,
) -> Result {
    let explain = |error| match inputs {
        Some(inputs) => inputs.explain_with_path(error),
        None => Failure::with_path(error),
    };
    let mut report = Report::new(telling, bar);
    work(&mut |path, done| report.local(path, done.map_err(explain)).map_err(Failure::into_local))
        .map_err(explain)?;
    report.end()
}
