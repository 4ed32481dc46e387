//! Whole trees: `DIR/a/b` becomes `SEALED/a/b.polyseal`, and a manifest says which file belongs to
//! which name.
//!
//! The manifest, `SEALED/.polyseal-manifest.polyseal`, is an encrypted file like the others, for
//! the same recipients; its contents are those of [`polyseal_file::manifest`]. So a file that
//! has been taken away, added, renamed or swapped for another is noticed by whoever can open the
//! tree. That a whole tree is not the newest one is not.
//!
//! Nothing outside of the two directories is read or written, whatever links are in them: see
//! [`Directory`].

mod anew;
mod join;
mod open;
mod seal;
mod walk;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub(crate) use anew::Anew;
pub(crate) use join::{Pair, missing};
pub(crate) use open::{Sealed, decrypt, verify};
pub(crate) use seal::Sealing;

use self::walk::{Walk, What};
use super::crypt::{SUFFIX, with_suffix};
use super::many::Excluded;
use crate::args::OutputArgs;
use crate::directory::Directory;
use crate::error::{Code, Failure, Result};

/// The name of the manifest, before it is encrypted.
const MANIFEST: &str = ".polyseal-manifest";

/// A tree that is worked on, by its handle, and how it is shown.
pub(crate) struct Tree {
    root: Directory,
    shown: PathBuf,
    /// The directory that was worked in last: what comes next is often in it, too.
    last: Mutex<Option<(PathBuf, Directory)>>,
}

impl Tree {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let root = Directory::open(path).map_err(|error| Failure::io("read", path, &error))?;
        Ok(Self::of(root, path))
    }

    fn of(root: Directory, shown: &Path) -> Self {
        Self { root, shown: shown.to_owned(), last: Mutex::default() }
    }

    /// The directory in the tree that has `path` in it, and what `path` is called there.
    pub(crate) fn place(&self, path: &Path) -> io::Result<(Directory, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let directory = match &*last {
            Some((path, directory)) if path == parent => directory.clone(),
            _ => {
                let directory = self.root.beneath(parent)?;
                *last = Some((parent.to_owned(), directory.clone()));
                directory
            }
        };
        Ok((directory, name.to_owned()))
    }

    /// The regular file `path` in the tree, to be read.
    pub(crate) fn file(&self, path: &Path) -> io::Result<File> {
        let (directory, name) = self.place(path)?;
        directory.file(Path::new(&name))
    }

    /// The paths of all that is in the tree and no directory.
    pub(crate) fn paths<'a>(
        &'a self,
        excluded: &'a Excluded,
    ) -> impl Iterator<Item = Result<PathBuf>> + Send + 'a {
        Walk::new(&self.root, excluded, false).filter_map(|step| match step {
            Ok(step) if step.what == What::Directory => None,
            Ok(step) => Some(Ok(step.there)),
            Err((path, error)) => Some(Err(Failure::io("read", &self.shown(&path), &error))),
        })
    }

    pub(crate) fn shown(&self, path: &Path) -> PathBuf {
        self.shown.join(path)
    }
}

/// The one directory that is worked on.
pub(crate) fn only_one(files: &[PathBuf]) -> Result<&Path> {
    match files {
        [one] if one != Path::new("-") => Ok(one),
        _ => Err(Failure::usage("--recursive takes one directory")
            .hint("give them one after the other, each with an OUT of its own")),
    }
}

/// Where a tree goes: a new directory, or an empty one; with `-f`, any.
struct Destination<'a> {
    path: &'a Path,
    force: bool,
}

impl<'a> Destination<'a> {
    /// Looked at before anything is asked for.
    fn of(output: &'a OutputArgs) -> Result<Self> {
        let Some(path) = output.output.as_deref().filter(|path| *path != Path::new("-")) else {
            return Err(Failure::usage("--recursive needs a directory to write to")
                .hint("name a new one: -o OUT"));
        };
        let failure = |error: io::Error| match error.kind() {
            io::ErrorKind::NotADirectory => {
                Failure::usage(format!("{} is not a directory", path.display()))
            }
            _ => Failure::io("write", path, &error),
        };
        match std::fs::read_dir(path).map(|mut entries| entries.next().is_some()) {
            Ok(true) if !output.force => {
                let message = format!("{} is there, and is not empty", path.display());
                return Err(Failure::usage(message)
                    .hint("name a new directory, or use -f to replace what has the same names"));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failure(error)),
            _ => {}
        }
        Ok(Self { path, force: output.force })
    }

    fn make(&self) -> Result<Tree> {
        let make = || match Directory::open(self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (parent, name) = Directory::of(self.path)?;
                parent.make(&name)?;
                Directory::open(self.path)
            }
            opened => opened,
        };
        let root = make().map_err(|error| Failure::io("write", self.path, &error))?;
        Ok(Tree::of(root, self.path))
    }
}

/// What the encrypted file for `path` is called.
pub(crate) fn sealed(path: &Path) -> PathBuf {
    with_suffix(path, SUFFIX)
}

pub(crate) fn manifest_name() -> OsString {
    sealed(Path::new(MANIFEST)).into_os_string()
}

/// What belongs to no tree, or not to this one.
pub(crate) fn stranger(message: impl Into<String>) -> Failure {
    Failure::new(Code::Content, message)
}

fn of_manifest(error: polyseal_file::manifest::Error) -> Failure {
    use polyseal_file::manifest::Error;
    match error {
        Error::Io(source) => polyseal_file::Error::Io { what: "read the manifest", source }.into(),
        other => stranger(other.to_string()).hint("use a backup, or a newer polyseal"),
    }
}
