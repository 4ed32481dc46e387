//! Many files in one run: where their names come from, how many are worked on at a time, and what
//! is told of each.
//!
//! Names are taken as they come and forgotten when a file is done, so that a million of them take
//! no more memory than a few. What fails keeps no other from being done.

mod exclude;
mod names;
mod report;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;

pub(crate) use exclude::Excluded;
pub(crate) use names::Names;
pub(crate) use report::{Done, Report};

use polyseal_local::in_order;

use crate::args::ManyArgs;
use crate::error::{Failure, Result};
use crate::progress::{Bar, Progress};

impl ManyArgs {
    /// The names of the list, if there is one.
    pub(crate) fn list(&self) -> Result<Option<Names>> {
        // Of its own accord, clap lets -0 pass where there are files.
        if self.null && self.files_from.is_none() {
            return Err(Failure::usage("-0 is for a list of names").hint("use --files-from FILE"));
        }
        self.files_from.as_deref().map(|list| Names::open(list, self.null)).transpose()
    }

    /// A bar for the files of a list. How much there is to be done is known where it can be read
    /// twice.
    pub(crate) fn progress(&self, list: &Names) -> Result<Option<Progress>> {
        let Some(names) = list.again() else { return Ok(Progress::of_files(None, None)) };
        let excluded = Excluded::new(&self.exclude)?;
        let names = names.filter_map(Result::ok).filter(move |name| !excluded.has(name));
        Ok(Progress::of_list(names))
    }

    /// How many files are worked on at a time.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_else(cores)
    }

    /// How many threads each file has, if `--threads` does not say: all that the others leave.
    pub(crate) fn threads_each(&self) -> Option<NonZeroUsize> {
        NonZeroUsize::new(cores().get() / self.jobs().get()).or(Some(NonZeroUsize::MIN))
    }
}

fn cores() -> NonZeroUsize {
    available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Does `work` for each of the files, tells of each in their order, and ends with the gravest
/// failure. `bar` counts what has been done.
pub(crate) fn each<T: Send>(
    many: &ManyArgs,
    items: impl Iterator<Item = Result<T>> + Send,
    name: impl Fn(&T) -> PathBuf + Sync,
    bar: &Bar,
    work: impl Fn(T) -> Result<Done> + Sync,
) -> Result {
    let mut report = Report::new(many.json, bar);
    let work = |item: Result<T>| -> Result<(PathBuf, Result<Done>)> {
        let item = item?;
        let name = name(&item);
        Ok((name, work(item)))
    };
    in_order(items, many.jobs(), &(), work, |outcomes| {
        for outcome in outcomes {
            // A list that cannot be read any further ends the run.
            let (name, done) = outcome?;
            bar.file();
            report.file(&name, done)?;
        }
        report.end()
    })
}
