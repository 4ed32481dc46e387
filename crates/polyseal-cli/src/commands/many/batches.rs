//! Files that are prepared one by one, by several threads, and then changed together.

use std::collections::HashSet;
use std::path::PathBuf;

use rustix::process::{Resource, getrlimit};

use super::{Done, Report, in_order};
use crate::args::ManyArgs;
use crate::error::{Failure, Result};
use crate::file_io::FileId;
use crate::progress::Progress;

/// So many files at most are in a batch, and it is full with so many bytes: what is prepared has
/// its place on the disk already, beside the old files.
const FILES: u64 = 256;
const BYTES: u64 = 256 * 1024 * 1024;
/// The descriptors that a file of a batch may need, and those that all else does.
const DESCRIPTORS_EACH: u64 = 5;
const OTHER_DESCRIPTORS: u64 = 64;

/// What came of preparing a file.
pub(crate) enum Prepared<C> {
    /// There is nothing to be changed.
    Done(Done),
    /// What is to be changed, and what is told of it then.
    Change(C, Done),
}

/// A file of a run, or what is told of one.
pub(crate) struct Item<T> {
    pub(crate) name: PathBuf,
    /// What it takes on the disk.
    pub(crate) bytes: u64,
    /// Which file it is, as far as it could be seen.
    pub(crate) id: Option<FileId>,
    pub(crate) it: T,
}

/// Lets `before` see the files of each batch, `prepare` look at each, and `make` change those of a
/// batch that are to be changed. Tells of each in their order, and ends with the gravest failure.
/// Of what `prepare` gives nothing for, nothing is told.
pub(crate) fn in_batches<T: Send, C: Send>(
    many: &ManyArgs,
    items: impl Iterator<Item = Result<Item<T>>>,
    bar: Option<&Progress>,
    before: impl Fn(&[Item<T>]),
    prepare: impl Fn(T) -> Result<Option<Prepared<C>>> + Sync,
    make: impl Fn(Vec<C>) -> Vec<Result>,
) -> Result {
    let mut report = Report::new(many.json, bar);
    let mut items = items.fuse().peekable();
    let most = most(many);
    loop {
        let (mut files, mut bytes, mut broken) = (Vec::new(), 0, None::<Failure>);
        let mut ids = HashSet::new();
        while files.len() < most && bytes < BYTES && broken.is_none() {
            // One file under two names would be waited for in vain: it is locked by this batch.
            let is_twice = |id: &FileId| ids.contains(id);
            if matches!(items.peek(), Some(Ok(item)) if item.id.as_ref().is_some_and(is_twice)) {
                break;
            }
            match items.next() {
                None => break,
                Some(Ok(item)) => {
                    bytes += item.bytes;
                    ids.extend(item.id);
                    files.push(item);
                }
                // A list that cannot be read any further ends the run, when what it had is done.
                Some(Err(failure)) => broken = Some(failure),
            }
        }
        if files.is_empty() {
            return broken.map_or_else(|| report.end(), Err);
        }
        before(&files);
        let (mut changes, mut told) = (Vec::new(), Vec::new());
        in_order(
            files.into_iter(),
            many.jobs(),
            |item| (item.name, item.bytes, prepare(item.it)),
            |outcomes| {
                for (name, bytes, prepared) in outcomes {
                    let (done, changed) = match prepared {
                        Ok(None) => continue,
                        Ok(Some(Prepared::Done(done))) => (Ok(done), false),
                        Ok(Some(Prepared::Change(change, done))) => {
                            changes.push(change);
                            (Ok(done), true)
                        }
                        Err(failure) => (Err(failure), false),
                    };
                    told.push((name, bytes, done, changed));
                }
            },
        );
        let mut made = make(changes).into_iter();
        for (name, bytes, done, changed) in told {
            let made = if changed { made.next() } else { None };
            bar.iter().for_each(|bar| bar.add(bytes));
            report.file(&name, made.unwrap_or(Ok(())).and(done))?;
        }
        if let Some(failure) = broken {
            return Err(failure);
        }
    }
}

/// How many files a batch may have: none is to fail because too many are open.
fn most(many: &ManyArgs) -> usize {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let others = OTHER_DESCRIPTORS + DESCRIPTORS_EACH * many.jobs().get() as u64;
    let most = limit.saturating_sub(others) / DESCRIPTORS_EACH;
    most.clamp(1, FILES) as usize
}
