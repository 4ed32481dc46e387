//! A tree that is updated: where new encrypted files wait until all of them are there, and how they
//! get their names. Source: `docs/spec/manifest.md`, section 8.
//!
//! In a [directory] they are in [`UPDATE`], beside the coming manifest. A [store] has no files that
//! can be renamed: there they are held back by the program.

mod directory;
mod lease;
mod lock_file;
mod store;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use polyseal_file::COMMITMENT_BYTES;

use super::open::BoxedEntries;
use super::source::NewFiles;
use super::store::{NewSealedFile, TreeStorage};
use super::walk::Walk;
use super::{COMING, UPDATE, staged_name};
use crate::error::Result;
use crate::options::Options;

/// The place of one update, which nobody else has as long as this lives. All paths are those in the
/// encrypted tree.
pub(super) trait Staging: NewFiles {
    /// Whether new files that an interrupted update has left are there.
    fn keeps_files(&self) -> bool;

    /// Whether names are taken for one that differ in case alone.
    fn folds_names(&self) -> bool;

    /// The names of the tree.
    fn walk(&self) -> Result<Walk<'static>>;

    /// The names in the directory for its statement, as far as it has one.
    fn signed_names(&self) -> Result<Vec<OsString>>;

    /// Refuses a name that the tree cannot have, and one that somebody else's file has: a new file
    /// is given its name when there is no way back.
    fn expect_place(&self, path: &Path, is_ours: bool) -> Result;

    /// Refuses a directory that the tree cannot have.
    fn expect_directory(&self, path: &Path) -> Result;

    /// Removes the files of an update that did not come as far as its manifest.
    fn clear(&self) -> Result;

    /// Begins the coming manifest, which takes the place of any other.
    fn coming(&self) -> Result<NewSealedFile>;

    /// Waits until all that is here is durable, and the place still is that of this update.
    fn sync(&self) -> Result;

    /// Makes the directories of the coming manifest, and gives each new file its name.
    fn give_names(&self, coming: BoxedEntries<'_>) -> Result;

    /// Lets the coming manifest be that of the tree.
    fn give_manifest(&self) -> Result;

    /// Deletes files of the tree, and directories that are empty then, each before the one that it
    /// is in.
    fn delete(&self, files: Vec<PathBuf>, directories: Vec<PathBuf>) -> Result;

    /// Ends it, and lets it be seen that an update has begun there and is not done.
    fn leave(self: Box<Self>);
}

/// Begins an update of a tree, or goes on where an earlier one was interrupted.
///
/// # Errors
/// [`Problem::BusyTree`](crate::error::Problem::BusyTree) if another update has it, or an error of
/// the system or the store.
pub(super) fn begin<'a>(
    tree: &'a TreeStorage,
    options: &'a Options<'a>,
) -> Result<Box<dyn Staging + 'a>> {
    Ok(match tree {
        TreeStorage::Directory(tree) => Box::new(directory::Staged::begin(tree, options)?),
        TreeStorage::Store(store) => Box::new(store::Held::begin(store, options)?),
    })
}

/// Whether an update has begun in a tree, and has not ended.
pub(super) fn has_begun(tree: &TreeStorage) -> Result<bool> {
    match tree {
        TreeStorage::Directory(tree) => Ok(tree.root.stat(UPDATE).is_ok()),
        TreeStorage::Store(store) => lease::is_there(store.as_ref()),
    }
}

/// The staged file of a salt in a tree that is read, by its path in the tree.
pub(super) fn staged_path(file_salt: &[u8; COMMITMENT_BYTES]) -> PathBuf {
    Path::new(UPDATE).join(staged_name(file_salt))
}

/// The coming manifest, by its path in the tree.
pub(super) fn coming_path() -> PathBuf {
    Path::new(UPDATE).join(COMING)
}
