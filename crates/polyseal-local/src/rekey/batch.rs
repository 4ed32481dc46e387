//! Several files changed at once, so that the disk is waited for once and not for each.
//!
//! Every step is taken for all files of the batch before the next is begun for any. Where a step
//! must be on disk first, all files are synchronised at the same time, by some threads: the system
//! joins their waits. So of a batch that is interrupted,
//!
//! - a file that is replaced is the old one or the new one, as if it had been alone;
//! - a file whose header is rewritten has nothing beside it, and the old header or the new one; or
//!   a copy of both headers, complete, and then its own may be the old one, the new one, or torn.
//!
//! No header is written before its copy is on disk under its name, and no copy goes before the
//! header is on disk. A file that fails does not keep the others of the batch from being done.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::backup::{HeaderRestore, copy_of};
use super::in_place::HeaderRewrite;
use crate::error::{Error, Result};
use crate::locked::Replacement;
use crate::platform::{Directory, FileId};
use crate::testing::step;

/// How many threads wait for the disk at the same time.
const WAITING: usize = 16;

/// A change to a file that has not been begun.
pub(super) enum Change {
    /// A new file takes the place of the one that is locked.
    Replace(Replacement),
    /// Its header is rewritten.
    Header(Box<HeaderRewrite>),
    /// The header that an interrupted run has saved is put back.
    Restore(HeaderRestore),
}

/// Makes all of the changes, and returns the outcome of each.
pub(super) fn make(changes: Vec<Change>) -> Vec<Result> {
    let mut outcomes: Vec<_> = changes.iter().map(|_| Ok(())).collect();
    let (mut whole, mut headers, mut saved) = (Vec::new(), Vec::new(), Vec::new());
    for (i, change) in changes.into_iter().enumerate() {
        match change {
            Change::Replace(replacement) => whole.push((i, Ok(replacement))),
            Change::Header(rewrite) => headers.push((i, Ok(*rewrite))),
            Change::Restore(restoring) => saved.push((i, Ok(restoring))),
        }
    }
    for (i, done) in [replace(whole), rewrite(headers), restore(saved)].into_iter().flatten() {
        outcomes[i] = done;
    }
    outcomes
}

/// One of the files, by its number, as far as it has come.
type Slot<T> = (usize, Result<T>);

fn replace(mut files: Vec<Slot<Replacement>>) -> Vec<Slot<()>> {
    if files.is_empty() {
        return Vec::new();
    }
    run_in_parallel(&mut files, Replacement::ready);
    let mut places = Vec::new();
    let done = files
        .into_iter()
        .map(|(i, file)| (i, file.and_then(Replacement::appear).map(|place| places.push(place))));
    let done = done.collect();
    // The names, too, should survive a power failure; not every file system can say so.
    let _ = sync_all(places.iter());
    step();
    done
}

fn rewrite(mut files: Vec<Slot<HeaderRewrite>>) -> Vec<Slot<()>> {
    if files.is_empty() {
        return Vec::new();
    }
    run_in_parallel(&mut files, HeaderRewrite::sync_copy);
    step();
    run_in_turn(&mut files, HeaderRewrite::name_copy);
    let unnamed = sync_all(places(&files));
    run_in_turn(&mut files, |file| {
        let id = file.place.directory.id().ok();
        let Some(error) = id.and_then(|id| unnamed.get(&id)) else { return Ok(()) };
        file.remove_copy()?;
        let error = io::Error::new(error.kind(), error.to_string());
        Err(Error::io("write", &copy_of(&file.place).shown, error))
    });
    step();
    run_in_turn(&mut files, HeaderRewrite::put);
    run_in_parallel(&mut files, HeaderRewrite::sync);
    step();
    run_in_turn(&mut files, HeaderRewrite::remove_copy);
    // A copy that appears again is that of the header before: it can be put back, or removed.
    let _ = sync_all(places(&files));
    step();
    files.into_iter().map(|(i, file)| (i, file.map(drop))).collect()
}

fn restore(mut files: Vec<Slot<HeaderRestore>>) -> Vec<Slot<()>> {
    if files.is_empty() {
        return Vec::new();
    }
    run_in_turn(&mut files, HeaderRestore::put);
    run_in_parallel(&mut files, HeaderRestore::sync);
    run_in_turn(&mut files, HeaderRestore::remove_copy);
    let _ = sync_all(files.iter().filter_map(|(_, it)| Some(&it.as_ref().ok()?.place().directory)));
    files.into_iter().map(|(i, file)| (i, file.map(drop))).collect()
}

fn run_in_turn<T>(files: &mut [Slot<T>], work: impl Fn(&mut T) -> Result) {
    for (_, file) in files {
        if let Ok(it) = file
            && let Err(failure) = work(it)
        {
            *file = Err(failure);
        }
        step();
    }
}

/// The same, by several threads.
fn run_in_parallel<T: Send>(files: &mut [Slot<T>], work: impl Fn(&mut T) -> Result + Sync) {
    if files.len() < 2 {
        return run_in_turn(files, work);
    }
    let count = files.len();
    let parts = Mutex::new(files.chunks_mut(count.div_ceil(WAITING)));
    let worker = || {
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(part) = next() {
            run_in_turn(part, &work);
        }
    };
    thread::scope(|scope| {
        // A thread that cannot be started is a thread less: this one does the rest.
        for _ in 1..WAITING.min(count) {
            let _ = thread::Builder::new().spawn_scoped(scope, worker);
        }
        worker();
    });
}

fn places(files: &[Slot<HeaderRewrite>]) -> impl Iterator<Item = &Directory> {
    files.iter().filter_map(|(_, file)| file.as_ref().ok()).map(|file| &file.place.directory)
}

/// Waits until the names in each of the directories are on disk; those where that fails.
fn sync_all<'a>(directories: impl Iterator<Item = &'a Directory>) -> BTreeMap<FileId, io::Error> {
    let distinct: BTreeMap<_, _> =
        directories.filter_map(|directory| Some((directory.id().ok()?, directory))).collect();
    let failed = Mutex::new(BTreeMap::new());
    let mut slots: Vec<_> = distinct.into_iter().map(|it| (0, Ok(it))).collect();
    run_in_parallel(&mut slots, |(id, directory)| {
        if let Err(error) = directory.sync() {
            failed.lock().unwrap_or_else(PoisonError::into_inner).insert(*id, error);
        }
        Ok(())
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}
