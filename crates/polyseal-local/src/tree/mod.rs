//! Whole trees: `DIR/a/b` becomes `SEALED/a/b.polyseal`, and a manifest says which file belongs to
//! which name.
//!
//! The manifest, `SEALED/.polyseal-manifest.polyseal`, is an encrypted file like the others, for
//! the same recipients; [`polyseal_file::manifest`] describes its contents. So anyone who can open
//! the tree notices a file that has been taken away, added, renamed or swapped for another. Only
//! who knows the number of a newer manifest notices that a whole tree is not the newest one.
//!
//! A sealed tree can also be in a [`Store`], as objects with the same paths.
//!
//! Nothing outside of the two directories is read or written, whatever links are in them: see
//! [`Directory`].

mod bind;
mod byte_pipe;
mod choice;
mod cursor;
mod decrypted;
mod file;
mod join;
mod names;
mod new_manifest;
mod open;
mod reencrypt;
mod seal;
mod sealed_manifest;
mod settled;
mod signed;
mod source;
mod staging;
mod state;
mod store;
mod target;
mod update;
mod walk;

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use polyseal_file::COMMITMENT_BYTES;

pub use self::file::{FileCoverage, TreeFile};
pub(crate) use self::join::Pair;
pub use self::open::SealedTree;
pub use self::seal::TreeSealer;
pub(crate) use self::signed::{SignatureRule, Signing};
pub use self::signed::{SignedTree, StatementAcceptor, StatementSigner};
pub(crate) use self::store::{ManifestFile, TreeStorage};
pub use self::store::{NewStoredFile, OverwriteRule, Store, StoredFile, VersionCheck, stored_name};
pub use self::target::NewTree;
pub use self::update::{KnownBy, TreeUpdater, UpdateRules};

use self::cursor::Cursor;
use self::signed::SIGNED;
use self::walk::Walk;
use crate::error::{Error, ErrorContext, Result};
use crate::options::Options;
use crate::place::Place;
use crate::platform::{Directory, EntryKind, joined, name_key};

/// The suffix of encrypted files.
pub const SUFFIX: &str = ".polyseal";

/// The name of the manifest, before it is encrypted.
const MANIFEST: &str = ".polyseal-manifest";

/// The directory in a sealed tree that an update has.
const UPDATE: &str = ".polyseal-update";

/// The coming manifest there.
const COMING: &str = "manifest.polyseal";

/// The paths at the root of a tree that are no paths of its files.
fn is_reserved(path: &Path) -> bool {
    let manifest = manifest_name();
    let names = [OsStr::new(MANIFEST), OsStr::new(UPDATE), OsStr::new(SIGNED), &manifest];
    let mut names = names.into_iter();
    names.any(|name| name_key(path.as_os_str()) == name_key(name))
}

/// A name by a file salt.
fn salt_name(file_salt: &[u8; COMMITMENT_BYTES], suffix: &str) -> OsString {
    let mut name = String::with_capacity(2 * COMMITMENT_BYTES + suffix.len());
    for byte in file_salt {
        let _ = write!(name, "{byte:02x}");
    }
    (name + suffix).into()
}

/// The new encrypted file of this file salt, before it has its name in the tree.
fn staged_name(file_salt: &[u8; COMMITMENT_BYTES]) -> OsString {
    salt_name(file_salt, SUFFIX)
}

/// A tree that is worked on, by its handle, and how it is shown.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: Directory,
    pub(crate) shown: PathBuf,
    cursor: Mutex<Cursor>,
}

impl Tree {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Ok(Self::new(Directory::open(path).cannot("read", path)?, path))
    }

    fn new(root: Directory, shown: &Path) -> Self {
        Self { cursor: Mutex::new(Cursor::new(root.clone())), root, shown: shown.to_owned() }
    }

    /// The directory in the tree that has `path` in it, and the name of `path` there.
    pub(crate) fn resolve(&self, path: &Path) -> io::Result<(Directory, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let mut cursor = self.cursor.lock().unwrap_or_else(PoisonError::into_inner);
        let directory = cursor.directory(parent)?;
        Ok((directory, name.to_owned()))
    }

    /// The same, as a place; `what` is to be done there.
    pub(crate) fn place(&self, path: &Path, what: &'static str) -> Result<Place> {
        let shown = self.shown(path);
        let (directory, name) = self.resolve(path).cannot(what, &shown)?;
        Ok(Place::new(directory, name, shown))
    }

    /// The regular file `path` in the tree, to be read.
    pub(crate) fn file(&self, path: &Path) -> Result<File> {
        let place = self.place(path, "read")?;
        place.file().cannot("read", place.shown())
    }

    /// The paths of all that is in the tree and no directory.
    pub(crate) fn paths<'a>(
        &'a self,
        options: &Options<'a>,
    ) -> impl Iterator<Item = Result<PathBuf>> + Send + 'a {
        Walk::new(&self.root, options.exclude, false).filter_map(|step| match step {
            Ok(step) if step.kind == EntryKind::Directory => None,
            Ok(step) => Some(Ok(step.disk_path)),
            Err((path, error)) => Some(Err(Error::io("read", &self.shown(&path), error))),
        })
    }

    pub(crate) fn shown(&self, path: &Path) -> PathBuf {
        if path.as_os_str().is_empty() { self.shown.clone() } else { joined(&self.shown, path) }
    }
}

/// The name of the encrypted file for `path`.
pub(crate) fn sealed_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    name.into()
}

/// The name of the manifest in a sealed tree.
pub(crate) fn manifest_name() -> OsString {
    sealed_name(Path::new(MANIFEST)).into_os_string()
}
