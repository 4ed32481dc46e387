//! A manifest and the tree that it is of, side by side. Both come in one order, so that nothing of
//! either has to be kept.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, Error, Kind, compare};

use super::walk::{Step, Walk, What};
use super::{MANIFEST, of_manifest, sealed, stranger};
use crate::commands::backup;
use crate::commands::many::Excluded;
use crate::error::{Failure, Result};

/// What the two have, or one of them.
pub(crate) enum Pair {
    /// A file that is there under the name that the manifest has.
    File(Entry),
    /// A directory or a link: the manifest alone has it.
    Plain(Entry),
    Missing(Entry),
    /// The path on disk.
    Added(PathBuf),
    /// A directory that could not be read.
    Unread(PathBuf, Failure),
}

/// What is read of a manifest.
type Read = std::result::Result<Entry, Error>;
type Found = std::result::Result<Step, (PathBuf, Failure)>;

pub(super) struct Join<'a, M: Iterator<Item = Read>> {
    manifest: Peekable<M>,
    walk: Peekable<Box<dyn Iterator<Item = Found> + Send + 'a>>,
    excluded: &'a Excluded,
}

impl<'a, M: Iterator<Item = Read>> Join<'a, M> {
    pub(super) fn new(manifest: M, walk: Walk<'a>, excluded: &'a Excluded) -> Self {
        let is_other = |found: &std::result::Result<Step, _>| match found {
            Ok(step) => step.what != What::Directory && step.path != Path::new(MANIFEST),
            Err(_) => true,
        };
        let failed = |found: std::result::Result<Step, (PathBuf, std::io::Error)>| {
            found.map_err(|(path, error)| {
                let failure = Failure::io("read", &path, &error);
                (path, failure)
            })
        };
        let walk: Box<dyn Iterator<Item = Found> + Send> =
            Box::new(walk.filter(is_other).map(failed));
        Self { manifest: manifest.peekable(), walk: walk.peekable(), excluded }
    }

    fn entry(&mut self) -> Option<Result<Entry>> {
        self.manifest.next().map(|entry| entry.map_err(of_manifest))
    }
}

impl<M: Iterator<Item = Read>> Iterator for Join<'_, M> {
    /// An error is one of the manifest, and ends it.
    type Item = Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        let is_out =
            |entry: &Read| entry.as_ref().is_ok_and(|entry| self.excluded.has(&path_of(entry)));
        while self.manifest.next_if(is_out).is_some() {}
        let order = match (self.manifest.peek(), self.walk.peek()) {
            (Some(Err(_)), _) => return self.entry().map(|entry| entry.map(Pair::Plain)),
            (_, Some(Err(_))) | (None, Some(Ok(_))) => Ordering::Greater,
            (Some(Ok(_)), None) => Ordering::Less,
            (Some(Ok(entry)), Some(Ok(step))) => {
                match compare(&entry.path, step.path.as_os_str().as_bytes()) {
                    Ordering::Equal if !matches!(entry.kind, Kind::File { .. }) => Ordering::Less,
                    Ordering::Equal if step.what != What::File => Ordering::Greater,
                    order => order,
                }
            }
            (None, None) => return None,
        };
        if order == Ordering::Greater {
            return self.walk.next().map(|found| {
                Ok(match found {
                    Ok(step) => Pair::Added(step.there),
                    Err((path, failure)) => Pair::Unread(path, failure),
                })
            });
        }
        if order == Ordering::Equal {
            self.walk.next();
        }
        self.entry().map(|entry| {
            let entry = entry?;
            Ok(match (&entry.kind, order) {
                (Kind::File { .. }, Ordering::Equal) => Pair::File(entry),
                (Kind::File { .. }, _) => Pair::Missing(entry),
                _ => Pair::Plain(entry),
            })
        })
    }
}

impl Pair {
    /// The path of what is there, or should be.
    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Self::File(entry) | Self::Missing(entry) => sealed(&path_of(entry)),
            Self::Plain(entry) => path_of(entry),
            Self::Added(path) | Self::Unread(path, _) => path.clone(),
        }
    }
}

/// What is said of a file that is missing.
pub(crate) fn missing() -> Failure {
    stranger("it is missing").hint("use a backup")
}

/// What is said of a file that the manifest does not have.
pub(super) fn added(path: &Path) -> Failure {
    if backup::file_of(path).is_some() {
        return stranger("it is what an interrupted rekey --in-place leaves, or looks like it")
            .hint("put the headers back first: polyseal rekey --restore --recursive DIR");
    }
    stranger("it is not of this tree: the manifest does not have it")
        .hint("if you know it, open it by itself; if not, remove it")
}

pub(crate) fn path_of(entry: &Entry) -> PathBuf {
    PathBuf::from(std::ffi::OsStr::from_bytes(&entry.path))
}
