//! What is in a tree, in the order of a manifest: each directory, then what is in it, by names.
//!
//! No link is followed. What a directory contains is read when its turn comes; of a sealed tree,
//! names are put in order as they are without their suffix.

use std::cmp::Reverse;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, FileType};

use super::super::crypt::SUFFIX;
use crate::commands::many::Excluded;
use crate::directory::Directory;

/// What is found, in the order in which those of one path come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// A device, FIFO or socket; in a sealed tree, all that is neither of the next two.
    Other,
    Link,
    File,
    Directory,
}

/// One name.
pub(super) struct Step {
    /// The path from the root; in a sealed tree, without the suffix of a file.
    pub(super) path: PathBuf,
    /// As it is on disk.
    pub(super) there: PathBuf,
    pub(super) what: What,
}

pub(super) struct Walk<'a> {
    root: &'a Directory,
    excluded: &'a Excluded,
    sealed: bool,
    /// Of each directory on the way, what is still to come, the last first.
    open: Vec<(PathBuf, Vec<Name>)>,
    /// The directory that is read next.
    next: Option<PathBuf>,
}

type Name = (Reverse<Vec<u8>>, Reverse<What>, OsString);

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a Directory, excluded: &'a Excluded, sealed: bool) -> Self {
        Self { root, excluded, sealed, open: Vec::new(), next: Some(PathBuf::new()) }
    }

    fn names(&self, path: &Path) -> io::Result<Vec<Name>> {
        let directory = self.root.beneath(path)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&directory)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => FileType::from_raw_mode(directory.stat(name)?.st_mode),
                known => known,
            };
            let what = match kind {
                FileType::Directory => What::Directory,
                FileType::RegularFile => What::File,
                FileType::Symlink => What::Link,
                _ => What::Other,
            };
            let (key, what) = self.ordered(name, what);
            if !self.excluded.has(&path.join(OsStr::from_bytes(&key))) {
                names.push((Reverse(key), Reverse(what), name.to_owned()));
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// By what a name is put in order.
    fn ordered(&self, name: &OsStr, what: What) -> (Vec<u8>, What) {
        let bytes = name.as_bytes();
        if !self.sealed || what == What::Directory {
            return (bytes.to_vec(), what);
        }
        let name = bytes.strip_suffix(SUFFIX.as_bytes()).and_then(|name| name.strip_suffix(b"."));
        match name {
            Some(name) if !matches!(name, b"" | b"." | b"..") && what == What::File => {
                (name.to_vec(), what)
            }
            _ => (bytes.to_vec(), What::Other),
        }
    }
}

impl Iterator for Walk<'_> {
    /// Of a directory that cannot be read, its path and why.
    type Item = Result<Step, (PathBuf, io::Error)>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(path) = self.next.take() {
            match self.names(&path) {
                Ok(names) => self.open.push((path, names)),
                Err(error) => return Some(Err((path, error))),
            }
        }
        loop {
            let (directory, names) = self.open.last_mut()?;
            let Some((Reverse(key), Reverse(what), name)) = names.pop() else {
                self.open.pop();
                continue;
            };
            let step = Step {
                path: directory.join(OsStr::from_bytes(&key)),
                there: directory.join(name),
                what,
            };
            if what == What::Directory {
                self.next = Some(step.path.clone());
            }
            return Some(Ok(step));
        }
    }
}
