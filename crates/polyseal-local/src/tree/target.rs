//! Where a tree goes.
//!
//! The directory is resolved once. One that is there is opened when it is looked at, before any key
//! is read; one that is not is made where it was looked for, and nothing that has appeared there
//! meanwhile is used. Without leave to overwrite it is empty, belongs to this user, and nobody else
//! gives names in it. With it, what is written to one that others can reach is for its owner alone.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Tree;
use crate::error::{Error, ErrorContext, Problem, Result};
use crate::new_file::NewFile;
use crate::options::Options;
use crate::platform::Directory;

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

/// Who may be given access to what is written to a tree.
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
}

impl WritableTree {
    /// Begins a file of the tree.
    pub(super) fn create(&self, path: &Path, options: &Options<'_>) -> Result<NewFile> {
        let place = self.tree.place(path, "write")?;
        NewFile::create_in(place, self.overwrite, options.forbidden)
    }

    /// Makes a directory of the tree, which may be there.
    pub(super) fn make(&self, path: &Path) -> Result {
        let made = self.tree.root.of_beneath(path).and_then(|(at, name)| at.make(&name));
        made.cannot("write", &self.tree.shown(path))
    }
}

impl NewTree {
    /// The directory `path`: a new one, or an empty one; with `overwrite`, any. It is looked at
    /// now, and made when the work begins.
    ///
    /// # Errors
    /// [`Problem::NotEmpty`], [`Problem::NotADirectory`], [`Problem::NotOurs`], or what the system
    /// says.
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

    /// Refuses to write the tree in `from` into itself.
    ///
    /// # Errors
    /// [`Problem::Nested`], or what the system says.
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
        let root = match place {
            Target::Existing(directory) => directory,
            Target::In(parent, name) => {
                parent.make_new(&name).map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => Error::new(&path, Problem::Appeared),
                    _ => Error::io("write", &path, error),
                })?;
                // What was put in its place since is a link, and not followed, or not ours, or not
                // new. An access control list it may have from its folder.
                let root = parent.beneath(Path::new(&name)).cannot("write", &path)?;
                let is_new = |root: &Directory| Ok(root.is_ours()? && root.names()?.is_empty());
                if !is_new(&root).cannot("write", &path)? {
                    return Err(Error::new(&path, Problem::Appeared));
                }
                root
            }
        };
        let reach = if root.is_for_us() { AccessRule::Permissions } else { AccessRule::OwnerOnly };
        Ok(WritableTree { tree: Tree::new(root, &path), overwrite, reach })
    }
}
