//! A manifest and the tree that it is of, side by side. Both come in one order, so that nothing of
//! either has to be kept.

use std::cmp::Ordering;
use std::ffi::OsString;
use std::io;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, Kind, State, compare};

use super::walk::Walk;
use super::{manifest_name, sealed_name};
use crate::error::{Error, Result};
use crate::platform::{EntryKind, path_bytes, path_of_bytes};

/// An entry of the manifest, a file on disk, or both.
pub(crate) enum Pair {
    /// A file that is there under the name that the manifest has.
    File(Entry),
    /// A directory, a link or what is absent: the manifest alone has it.
    Plain(Entry),
    /// A file that is not there, though the directory that should have it could be read.
    Missing(Entry),
    /// The same of a file that has been deleted: it need not be there.
    Gone(Entry),
    /// A file that the manifest does not have, by its path on disk.
    Added(PathBuf),
    /// A directory of the tree that could not be read. Nothing is known of its contents.
    UnreadDirectory(PathBuf, io::Error),
    /// The same of one that the manifest does not have.
    AddedUnread(PathBuf),
}

pub(super) struct Join<'a, M: Iterator<Item = Result<Entry>>> {
    /// The manifest's name in the tree.
    name: OsString,
    manifest: Peekable<M>,
    walk: Peekable<Walk<'a>>,
    exclude: &'a (dyn Fn(&Path) -> bool + Sync),
    /// A directory whose entries are passed over: it is left out, or could not be read.
    passed: Option<PathBuf>,
    /// The directories of the manifest that have begun, from the outermost on.
    directories: Vec<PathBuf>,
}

impl<'a, M: Iterator<Item = Result<Entry>>> Join<'a, M> {
    pub(super) fn new(
        manifest: M,
        walk: Walk<'a>,
        exclude: &'a (dyn Fn(&Path) -> bool + Sync),
    ) -> Self {
        let (manifest, walk) = (manifest.peekable(), walk.peekable());
        let (name, passed, directories) = (manifest_name(), None, Vec::new());
        Self { name, manifest, walk, exclude, passed, directories }
    }

    /// The next entry of the manifest that is not passed over.
    fn skip_passed(&mut self) {
        while let Some(Ok(entry)) = self.manifest.peek() {
            let path = path_of_bytes(&entry.path);
            let is_below = |out: &PathBuf| path.starts_with(out) && *path != **out;
            if !self.passed.as_ref().is_some_and(is_below) {
                if !(self.exclude)(&path) {
                    return;
                }
                self.passed = Some(path.into_owned());
            }
            self.manifest.next();
        }
    }

    /// Skips entries of the walk that need no partner: directories, and the manifest itself.
    fn skip_expected(&mut self) {
        while let Some(Ok(step)) = self.walk.peek()
            && (step.kind == EntryKind::Directory || step.disk_path.as_os_str() == self.name)
        {
            self.walk.next();
        }
    }

    fn entry(&mut self) -> Option<Result<Entry>> {
        let entry = self.manifest.next()?;
        if let Ok(Entry { kind: Kind::Directory, .. }) = &entry
            && let Ok(entry) = &entry
        {
            let path = path_of(entry);
            self.directories.retain(|outer| path.starts_with(outer));
            self.directories.push(path);
        }
        Some(entry)
    }

    /// A directory that could not be read: its entries in the manifest are not missing, but
    /// unknown.
    fn unread_error(&mut self, path: PathBuf, error: io::Error) -> Pair {
        let is_of_manifest = path.as_os_str().is_empty() || self.directories.contains(&path);
        if !is_of_manifest {
            return Pair::AddedUnread(path);
        }
        self.passed = Some(path.clone());
        Pair::UnreadDirectory(path, error)
    }
}

impl<M: Iterator<Item = Result<Entry>>> Iterator for Join<'_, M> {
    /// An error is one of the manifest, and ends it.
    type Item = Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_passed();
        self.skip_expected();
        let order = match (self.manifest.peek(), self.walk.peek()) {
            (None, None) => return None,
            (Some(Err(_)), _) => return self.entry().map(|entry| entry.map(Pair::Plain)),
            (None, Some(_)) => Ordering::Greater,
            (Some(Ok(_)), None) => Ordering::Less,
            // A directory is read right behind its entry.
            (Some(Ok(entry)), Some(Err((path, _)))) => {
                match compare(&entry.path, &path_bytes(path)) {
                    Ordering::Equal => Ordering::Less,
                    order => order,
                }
            }
            (Some(Ok(entry)), Some(Ok(step))) => {
                match compare(&entry.path, &path_bytes(&step.path)) {
                    Ordering::Equal if !matches!(entry.kind, Kind::File { .. }) => Ordering::Less,
                    Ordering::Equal if step.kind != EntryKind::File => Ordering::Greater,
                    order => order,
                }
            }
        };
        if order == Ordering::Greater {
            return self.walk.next().map(|found| match found {
                Ok(step) => Ok(Pair::Added(step.disk_path)),
                Err((path, error)) => Ok(self.unread_error(path, error)),
            });
        }
        if order == Ordering::Equal {
            self.walk.next();
        }
        self.entry().map(|entry| {
            let entry = entry?;
            Ok(match (&entry.kind, order) {
                (Kind::File { .. }, _) => Pair::of_file(entry, order == Ordering::Equal),
                _ => Pair::Plain(entry),
            })
        })
    }
}

impl Pair {
    /// An entry of a file, which is there or not.
    fn of_file(entry: Entry, is_there: bool) -> Self {
        match entry.state {
            _ if is_there => Self::File(entry),
            State::Deleted => Self::Gone(entry),
            State::New | State::Unchanged | State::Failed(_) => Self::Missing(entry),
        }
    }

    /// An entry of a tree of whose files nobody has looked which are there.
    pub(crate) fn unseen(entry: Entry) -> Self {
        match entry.kind {
            Kind::File { .. } => Self::of_file(entry, true),
            _ => Self::Plain(entry),
        }
    }

    /// The path on disk, existing or expected.
    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Self::File(entry) | Self::Missing(entry) | Self::Gone(entry) => {
                sealed_name(&path_of(entry))
            }
            Self::Plain(entry) => path_of(entry),
            Self::Added(path) | Self::UnreadDirectory(path, _) | Self::AddedUnread(path) => {
                path.clone()
            }
        }
    }
}

/// That a directory of the tree could not be read.
pub(crate) fn unread_error(path: &Path, error: io::Error) -> Error {
    Error::io("read", path, error)
}

pub(crate) fn path_of(entry: &Entry) -> PathBuf {
    path_of_bytes(&entry.path).into_owned()
}
