//! Files that are prepared one by one, by several threads, and then changed together.

use std::collections::HashSet;
use std::path::PathBuf;

use super::{FileOutcome, FileReporter, in_order};
use crate::error::{Error, Problem, Result};
use crate::options::Options;
use crate::platform::{FileId, descriptor_limit};

/// So many files at most are in a batch, and it is full with so many bytes: a prepared file has its
/// place on the disk already, beside the old files.
const FILES: u64 = 256;
const BYTES: u64 = 256 * 1024 * 1024;
/// The descriptors that a file of a batch may need, and those that all else does.
const DESCRIPTORS_EACH: u64 = 5;
const OTHER_DESCRIPTORS: u64 = 64;

/// The result of preparing a file.
pub(crate) enum PreparedFile<C> {
    /// There is nothing to be changed.
    Unchanged(FileOutcome),
    /// A change to make, and the outcome to report after it.
    Change(C, FileOutcome),
}

/// A file of a run, or the outcome of one.
pub(crate) struct Item<T> {
    pub(crate) name: PathBuf,
    /// Its size on the disk.
    pub(crate) bytes: u64,
    /// Which file it is, as far as it could be seen.
    pub(crate) id: Option<FileId>,
    pub(crate) it: T,
}

/// Lets `before` see the files of each batch, `prepare` look at each, and `make` change those of a
/// batch that are to be changed. Tells of each in their order. `None` is not reported.
pub(crate) fn in_batches<T: Send, C: Send>(
    options: &Options<'_>,
    items: impl Iterator<Item = Result<Item<T>>>,
    report: &mut FileReporter<'_>,
    before: impl Fn(&[Item<T>]),
    prepare: impl Fn(T) -> Result<Option<PreparedFile<C>>> + Sync,
    make: impl Fn(Vec<C>) -> Vec<Result>,
) -> Result {
    let progress = options.progress;
    let mut items = items.fuse().peekable();
    let batch_size = batch_size(options);
    loop {
        let (mut files, mut bytes, mut broken) = (Vec::new(), 0, None::<Error>);
        let mut ids = HashSet::new();
        while files.len() < batch_size && bytes < BYTES && broken.is_none() {
            // One file under two names would be waited for in vain: it is locked by this batch.
            if let Some(Ok(Item { id: Some(id), .. })) = items.peek()
                && ids.contains(id)
            {
                break;
            }
            match items.next() {
                None => break,
                Some(Ok(item)) => {
                    bytes += item.bytes;
                    ids.extend(item.id);
                    files.push(item);
                }
                // A list that cannot be read any further ends the run, when the files before are
                // done.
                Some(Err(failure)) => broken = Some(failure),
            }
        }
        let Some(first) = files.first() else { return broken.map_or(Ok(()), Err) };
        if progress.cancelled() {
            return Err(Error::new(&first.name, Problem::Cancelled));
        }
        before(&files);
        let (mut changes, mut told) = (Vec::new(), Vec::new());
        in_order(
            files.into_iter(),
            options.jobs,
            progress,
            |item| (item.name, item.bytes, prepare(item.it)),
            |outcomes| {
                for (name, bytes, prepared) in outcomes {
                    let (done, changed) = match prepared {
                        Ok(None) => continue,
                        Ok(Some(PreparedFile::Unchanged(done))) => (Ok(done), false),
                        Ok(Some(PreparedFile::Change(change, done))) => {
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
            progress.bytes(bytes);
            report.file(&name, made.unwrap_or(Ok(())).and(done))?;
        }
        if let Some(failure) = broken {
            return Err(failure);
        }
    }
}

/// The most files of a batch, so that none fails because too many are open.
fn batch_size(options: &Options<'_>) -> usize {
    let others = OTHER_DESCRIPTORS + DESCRIPTORS_EACH * options.jobs.get() as u64;
    let batch_size = descriptor_limit().saturating_sub(others) / DESCRIPTORS_EACH;
    batch_size.clamp(1, FILES) as usize
}
