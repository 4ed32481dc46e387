//! The entries of a tree whose update was interrupted. Source: `docs/spec/manifest.md`, section 8.
//!
//! The coming manifest says which files will be there. A new file that is not there yet is taken as
//! the tree's own manifest has it: an update gives each file its name once, so one of the two is
//! there.

use std::cmp::Ordering;
use std::iter::Peekable;

use polyseal_file::COMMITMENT_BYTES;
use polyseal_file::Error as FileError;
use polyseal_file::manifest::{Entry, Kind, State, compare};

use super::join::path_of;
use super::sealed_name;
use super::staging::staged_path;
use super::store::TreeStorage;
use crate::error::{Result, file};

/// Which new files are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Staged {
    /// Also those that have not got their names yet.
    Count,
    /// Those alone that have their names.
    DoNot,
}

/// Both manifests, entry by entry.
pub(super) struct Settled<'a, C, E: Iterator<Item = Result<Entry>>> {
    coming: C,
    earlier: Peekable<E>,
    storage: &'a TreeStorage,
    staged: Staged,
}

impl<'a, C, E: Iterator<Item = Result<Entry>>> Settled<'a, C, E> {
    pub(super) fn new(coming: C, earlier: E, storage: &'a TreeStorage, staged: Staged) -> Self {
        Self { coming, earlier: earlier.peekable(), storage, staged }
    }

    /// The entry of the tree's own manifest for this path.
    fn earlier(&mut self, path: &[u8]) -> Result<Option<Entry>> {
        while let Some(next) = self.earlier.peek() {
            let order = next.as_ref().map_or(Ordering::Equal, |it| compare(&it.path, path));
            match order {
                Ordering::Less => drop(self.earlier.next()),
                Ordering::Equal => return self.earlier.next().transpose(),
                Ordering::Greater => break,
            }
        }
        Ok(None)
    }

    /// The entry by which a file is taken; `None` if it is not there, and was not before.
    fn settle(&mut self, entry: Entry) -> Result<Option<Entry>> {
        let Kind::File { bound, .. } = &entry.kind else { return Ok(Some(entry)) };
        if entry.state != State::New || self.is_there(&entry, bound.file_salt())? {
            return Ok(Some(entry));
        }
        let earlier = self.earlier(&entry.path)?;
        Ok(earlier.filter(|it| matches!(it.kind, Kind::File { .. })).map(|it| match it.state {
            State::New => Entry { state: State::Unchanged, ..it },
            _ => it,
        }))
    }

    fn is_there(&self, entry: &Entry, file_salt: &[u8; COMMITMENT_BYTES]) -> Result<bool> {
        let named = self.storage.has(&sealed_name(&path_of(entry)), file_salt)?;
        Ok(named
            || self.staged == Staged::Count
                && self.storage.has(&staged_path(file_salt), file_salt)?)
    }
}

impl<C, E> Iterator for Settled<'_, C, E>
where
    C: Iterator<Item = Result<Entry>>,
    E: Iterator<Item = Result<Entry>>,
{
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let settled = self.coming.next()?.and_then(|entry| self.settle(entry));
            if let Some(settled) = settled.transpose() {
                return Some(settled);
            }
        }
    }
}

impl TreeStorage {
    /// Whether the encrypted file with this salt has this path.
    fn has(&self, path: &std::path::Path, file_salt: &[u8; COMMITMENT_BYTES]) -> Result<bool> {
        let Some(found) = self.manifest(path)? else { return Ok(false) };
        match found.header() {
            Ok(header) => Ok(header.file_salt() == *file_salt),
            Err(error @ FileError::Io { .. }) => Err(file(&self.shown(path))(error)),
            // Anyone can put something else there.
            Err(_) => Ok(false),
        }
    }
}
