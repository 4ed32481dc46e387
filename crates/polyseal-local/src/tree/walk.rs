//! The entries of a tree, in the order of a manifest: each directory, then its contents, by names.
//!
//! No link is followed. A directory is read when its turn comes; in a sealed tree, names are sorted
//! without their suffix.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use super::cursor::Cursor;
use super::signed::SIGNED;
use super::{SUFFIX, UPDATE, sealed_name};
use crate::leftovers;
use crate::platform::{Directory, EntryKind, bytes, joined, name_from_bytes, name_key};

/// One name.
pub(super) struct WalkEntry {
    /// The path from the root; in a sealed tree, without the suffix of a file.
    pub(super) path: PathBuf,
    /// As it is on disk.
    pub(super) disk_path: PathBuf,
    /// In a sealed tree, all that has no suffix and is no directory is of another kind.
    pub(super) kind: EntryKind,
}

/// A directory that could not be read, and why.
pub(super) type UnreadDirectory = (PathBuf, io::Error);

/// Lists the names in the directories of a tree.
pub(super) trait DirectoryNames: Send {
    /// The names in one directory, each with its kind.
    fn names(&mut self, directory: &Path) -> io::Result<Vec<(OsString, EntryKind)>>;
}

impl DirectoryNames for Cursor {
    fn names(&mut self, directory: &Path) -> io::Result<Vec<(OsString, EntryKind)>> {
        self.directory(directory)?.names()
    }
}

pub(super) struct Walk<'a> {
    source: Box<dyn DirectoryNames>,
    exclude: &'a (dyn Fn(&Path) -> bool + Sync),
    sealed: bool,
    /// For each directory on the way, the entries still to come, the last first.
    open: Vec<(PathBuf, Vec<Name>)>,
    /// The directory that is read next.
    next: Option<PathBuf>,
    /// The last file whose encrypted name a directory beside it has.
    clash: Option<PathBuf>,
}

struct Name {
    name: OsString,
    kind: EntryKind,
    /// So many bytes of it are the key by which names are sorted.
    key_bytes: usize,
}

impl Name {
    fn key(&self) -> &[u8] {
        &bytes(&self.name)[..self.key_bytes]
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        root: &Directory,
        exclude: &'a (dyn Fn(&Path) -> bool + Sync),
        sealed: bool,
    ) -> Self {
        Self::from_names(Box::new(Cursor::new(root.clone())), exclude, sealed)
    }

    pub(super) fn from_names(
        source: Box<dyn DirectoryNames>,
        exclude: &'a (dyn Fn(&Path) -> bool + Sync),
        sealed: bool,
    ) -> Self {
        Self { source, exclude, sealed, open: Vec::new(), next: Some(PathBuf::new()), clash: None }
    }

    /// A file whose encrypted name a directory beside it has, if one has been passed.
    pub(super) fn clash(&self) -> Option<&Path> {
        self.clash.as_deref()
    }

    fn names(&mut self, path: &Path) -> io::Result<Vec<Name>> {
        let mut found = self.source.names(path)?;
        if self.sealed {
            // Where every output has a name, so have the unfinished files of this tree.
            let pending = leftovers::pending();
            let is_at_root = path == Path::new("");
            let is_own = |name: &OsString| is_at_root && (name == UPDATE || name == SIGNED);
            found.retain(|(name, _)| !pending.contains(name) && !is_own(name));
        }
        let found = found.into_iter().map(|(name, kind)| {
            let (key_bytes, kind) = self.ordered(&name, kind);
            Name { name, kind, key_bytes }
        });
        let mut names: Vec<_> = found.collect();
        let mut at = path.to_owned();
        names.retain(|name| {
            at.push(&*name_from_bytes(name.key()));
            let is_out = (self.exclude)(&at);
            at.pop();
            !is_out
        });
        names.sort_unstable_by(|a, b| (b.key(), b.kind).cmp(&(a.key(), a.kind)));
        if !self.sealed {
            self.clash = clash(&names).map(|file| path.join(file)).or(self.clash.take());
        }
        Ok(names)
    }

    /// The bytes of the key by which a name is sorted.
    fn ordered(&self, name: &OsStr, kind: EntryKind) -> (usize, EntryKind) {
        let name = bytes(name);
        if !self.sealed || kind == EntryKind::Directory {
            return (name.len(), kind);
        }
        match name.strip_suffix(SUFFIX.as_bytes()) {
            Some(short) if !matches!(short, b"" | b"." | b"..") && kind == EntryKind::File => {
                (short.len(), kind)
            }
            _ => (name.len(), EntryKind::Other),
        }
    }
}

/// A file among the names of a directory whose encrypted name is that of a directory among them.
fn clash(names: &[Name]) -> Option<&OsStr> {
    let suffix = name_key(OsStr::new(SUFFIX));
    let of_kind = |wanted| {
        names.iter().filter(move |name| name.kind == wanted).map(|name| name.name.as_os_str())
    };
    let directories = of_kind(EntryKind::Directory).map(name_key);
    let suffixed = directories.filter(|key| bytes(key).ends_with(bytes(&suffix)));
    let suffixed: HashSet<_> = suffixed.collect();
    if suffixed.is_empty() {
        return None;
    }
    of_kind(EntryKind::File)
        .find(|name| suffixed.contains(&name_key(sealed_name(Path::new(name)).as_os_str())))
}

impl Iterator for Walk<'_> {
    type Item = Result<WalkEntry, UnreadDirectory>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(path) = self.next.take() {
            match self.names(&path) {
                Ok(names) => self.open.push((path, names)),
                Err(error) => return Some(Err((path, error))),
            }
        }
        loop {
            let (directory, names) = self.open.last_mut()?;
            let Some(name) = names.pop() else {
                self.open.pop();
                continue;
            };
            let path = joined(directory, &*name_from_bytes(name.key()));
            let is_short = name.key_bytes < bytes(&name.name).len();
            let disk_path = if is_short { joined(directory, &name.name) } else { path.clone() };
            let step = WalkEntry { path, disk_path, kind: name.kind };
            if step.kind == EntryKind::Directory {
                self.next = Some(step.path.clone());
            }
            return Some(Ok(step));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leftovers::Temporary;

    #[test]
    fn what_is_being_written_to_a_sealed_tree_is_no_stranger_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = Directory::open(folder.path()).unwrap();
        let names = |sealed| {
            let walk = Walk::new(&root, &|_| false, sealed);
            walk.collect::<Result<Vec<_>, _>>().unwrap().len()
        };
        let (temporary, _file) = Temporary::new(&root, |name| root.create(name)).unwrap();
        assert_eq!((names(true), names(false)), (0, 1));
        let left = temporary.name().to_owned();
        drop(temporary);
        std::fs::write(folder.path().join(left), b"").unwrap();
        assert_eq!(names(true), 1);
    }
}
