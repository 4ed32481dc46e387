//! Where a tree goes.
//!
//! The directory is resolved once. One that is there is opened when it is looked at, before any key
//! is read; one that is not is made where it was looked for, and nothing that has appeared there
//! meanwhile is used. Without leave to overwrite it is empty, belongs to this user, and nobody else
//! gives names in it. With it, files written to one that others can reach are for their owner
//! alone. One that was made for nothing is removed.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Tree;
use crate::error::{Error, ErrorContext, Problem, Result};
use crate::leftovers::Temporary;
use crate::new_file::NewFile;
use crate::options::Options;
use crate::place::Place;
use crate::platform::Directory;
use crate::platform::contents::Owner;
use crate::written::Written;

/// A directory for a tree, which need not be there yet.
#[derive(Debug)]
pub struct NewTree {
    path: PathBuf,
    /// Where it lies, through every link, as far as that is there.
    canonical: PathBuf,
    place: Target,
    overwrite: bool,
}

#[derive(Debug)]
enum Target {
    Existing(Directory),
    /// It is to be called so in this one.
    In(Directory, OsString),
}

/// The access that files written to a tree may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessRule {
    /// As its permissions say.
    Permissions,
    /// The owner alone: others can give names in the directory.
    OwnerOnly,
}

/// A tree that is written to.
#[derive(Debug)]
pub(super) struct WritableTree {
    pub(super) tree: Tree,
    pub(super) overwrite: bool,
    pub(super) reach: AccessRule,
    made: Option<MadeDirectory>,
    written: Arc<Written>,
    /// Directories that the file system takes for others, and those.
    refused: Mutex<Vec<(PathBuf, PathBuf)>>,
}

/// A directory that was made for a tree. When it is dropped it goes, if it is empty and not to be
/// kept so.
#[derive(Debug)]
struct MadeDirectory {
    parent: Directory,
    name: OsString,
    root: Directory,
    kept: AtomicBool,
}

impl MadeDirectory {
    /// Makes it in `parent`, where nothing has its name.
    fn new(parent: Directory, name: OsString, shown: &Path) -> Result<Self> {
        parent.make_new(&name).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::new(shown, Problem::Appeared),
            _ => Error::io("write", shown, error),
        })?;
        // An entry put in its place since is a link, and not followed, or not ours, or not new. It
        // may have an access control list from its folder.
        let root = parent.beneath(Path::new(&name)).cannot("write", shown)?;
        let made = Self { parent, name, root, kept: AtomicBool::new(false) };
        if made.is_ours_and_new().cannot("write", shown)? {
            return Ok(made);
        }
        made.kept.store(true, Ordering::Relaxed);
        Err(Error::new(shown, Problem::Appeared))
    }

    fn is_ours_and_new(&self) -> io::Result<bool> {
        let is_ours = self.root.is_ours()? || belongs_as_what_we_make(&self.root, &self.parent)?;
        Ok(is_ours && self.root.names()?.is_empty())
    }
}

impl Drop for MadeDirectory {
    fn drop(&mut self) {
        let named = self.parent.stat(&self.name).map(|seen| seen.id());
        if !self.kept.load(Ordering::Relaxed) && named.ok() == self.root.id().ok() {
            let _ = self.parent.remove_directory(&self.name);
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a directory belongs to whomever a new file in `folder` is given to: there are file
/// systems that give all that is made to one user. A file that was just made is known by its
/// descriptor, so that nobody can put another in its place.
fn belongs_as_what_we_make(directory: &Directory, folder: &Directory) -> io::Result<bool> {
    let owner = Owner::from_file(&directory.to_file()?)?;
    let new = match folder.create_unnamed()? {
        Some(unnamed) => Owner::from_file(&unnamed)?,
        None => Owner::from_file(&Temporary::new(folder, |name| folder.create(name))?.1)?,
    };
    Ok(owner == new)
}

impl WritableTree {
    /// It stays, also if nothing is in it.
    pub(super) fn keep(&self) {
        self.made.iter().for_each(|made| made.kept.store(true, Ordering::Relaxed));
    }

    /// Begins a file of the tree.
    pub(super) fn create(&self, path: &Path, options: &Options<'_>) -> Result<NewFile> {
        let place = self.place(path)?;
        if !self.overwrite && place.is_taken() {
            return Err(self.written.exists(&place));
        }
        NewFile::create_in(place, self.overwrite, options.forbidden)?.in_run(&self.written)
    }

    /// Makes a directory of the tree, which may be there.
    pub(super) fn make(&self, path: &Path) -> Result<Place> {
        let place = self.place(path)?;
        let output = self.written.begin(&place.shown);
        let made = output
            .appear(&place, || place.directory.make(&place.name).cannot("write", &place.shown));
        made.inspect_err(|error| {
            if let Problem::OneFile(other) = error.problem() {
                lock(&self.refused).push((path.to_owned(), other.clone()));
            }
        })?;
        Ok(place)
    }

    /// Makes a symbolic link of the tree.
    pub(super) fn link(&self, path: &Path, to: &OsStr) -> Result<Place> {
        let place = self.place(path)?;
        self.written.begin(&place.shown).appear(&place, || self.make_link(&place, to))?;
        Ok(place)
    }

    fn make_link(&self, place: &Place, to: &OsStr) -> Result {
        let Place { directory, name, shown, .. } = place;
        match directory.make_link(to, name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !self.overwrite {
                    return Err(self.written.exists(place));
                }
                let made = Temporary::new(directory, |name| directory.make_link(to, name));
                let (made, ()) = made.cannot("write", shown)?;
                directory.rename(made.name(), name).cannot("write", shown)
            }
            made => made.cannot("write", shown),
        }
    }

    /// Where `path` is, if no directory that it lies in is taken for another.
    fn place(&self, path: &Path) -> Result<Place> {
        self.expect_told_apart(path)?;
        self.tree.place(path, "write")
    }

    /// Refuses what is, or lies in, a directory that is taken for another.
    pub(super) fn expect_told_apart(&self, path: &Path) -> Result {
        match lock(&self.refused).iter().find(|(above, _)| path.starts_with(above)) {
            None => Ok(()),
            Some((above, other)) => {
                Err(Error::new(&self.tree.shown(above), Problem::OneFile(other.clone())))
            }
        }
    }
}

impl NewTree {
    /// The directory `path`: a new one, or an empty one; with `overwrite`, any. It is looked at
    /// now, and made when the work begins.
    ///
    /// # Errors
    /// [`Problem::NotEmpty`], [`Problem::NotADirectory`], [`Problem::NotOurs`], or an I/O error.
    pub fn new(path: &Path, overwrite: bool) -> Result<Self> {
        let opened = match Directory::open_for_output(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(Error::new(path, Problem::NotADirectory));
            }
            opened => Some(opened.cannot("write", path)?),
        };
        let Some(directory) = opened else {
            let (parent, name) = Directory::parent_and_name(path).cannot("write", path)?;
            if parent.stat(&name).is_ok() {
                return Err(Error::new(path, Problem::DanglingLink));
            }
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder =
                fs::canonicalize(folder.unwrap_or(Path::new("."))).cannot("write", path)?;
            let canonical = folder.join(&name);
            let place = Target::In(parent, name);
            return Ok(Self { path: path.to_owned(), canonical, place, overwrite });
        };
        if !overwrite {
            if !directory.names().cannot("read", path)?.is_empty() {
                return Err(Error::new(path, Problem::NotEmpty));
            }
            if !directory.is_for_us() {
                return Err(Error::new(path, Problem::NotOurs));
            }
        }
        let canonical = fs::canonicalize(path).cannot("write", path)?;
        Ok(Self { path: path.to_owned(), canonical, place: Target::Existing(directory), overwrite })
    }

    /// Its path.
    pub(super) fn shown(&self) -> &Path {
        &self.path
    }

    /// Refuses to write the tree in `from` into itself.
    ///
    /// # Errors
    /// [`Problem::Nested`], or an I/O error.
    pub fn expect_outside(&self, from: &Path) -> Result {
        let tree = fs::canonicalize(from).cannot("read", from)?;
        if self.canonical.starts_with(tree) {
            return Err(Error::new(&self.path, Problem::Nested(from.to_owned())));
        }
        Ok(())
    }

    /// The directory, made if it was not there.
    pub(super) fn make(self) -> Result<WritableTree> {
        let Self { path, place, overwrite, .. } = self;
        let (root, made) = match place {
            Target::Existing(directory) => (directory, None),
            Target::In(parent, name) => {
                let made = MadeDirectory::new(parent, name, &path)?;
                (made.root.clone(), Some(made))
            }
        };
        let reach = if root.is_for_us() { AccessRule::Permissions } else { AccessRule::OwnerOnly };
        let tree = Tree::new(root, &path);
        let written = if overwrite { Written::new() } else { Written::where_nothing_is() };
        Ok(WritableTree { tree, overwrite, reach, made, written, refused: Mutex::default() })
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// Where files keep their owners, a directory of somebody else's is not one that we have made.
    #[test]
    fn what_is_made_belongs_to_whom_the_file_system_gives_it() {
        use std::os::unix::fs::chown;

        const SOMEBODY: u32 = 54_321;
        let folder = tempfile::tempdir().unwrap();
        let parent = Directory::open(folder.path()).unwrap();
        let made = MadeDirectory::new(parent.clone(), "made".into(), Path::new("made")).unwrap();
        assert!(belongs_as_what_we_make(&made.root, &parent).unwrap());
        drop(made);
        assert!(!folder.path().join("made").exists());
        fs::create_dir(folder.path().join("theirs")).unwrap();
        if let Err(error) = chown(folder.path().join("theirs"), Some(SOMEBODY), None) {
            assert!(std::env::var_os("CI").is_none(), "giving a folder away needs root: {error}");
            return;
        }
        let theirs = parent.beneath(Path::new("theirs")).unwrap();
        assert!(!belongs_as_what_we_make(&theirs, &parent).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
