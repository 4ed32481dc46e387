//! A directory that is updated: new encrypted files are in [`UPDATE`], beside the coming manifest.
//!
//! Whoever has this directory has its lock: two updates do not meet in it. It goes when nothing is
//! left of an update.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, Kind, State};
use polyseal_file::{COMMITMENT_BYTES, Header, Summary};

use super::Staging;
use super::lock_file::LockFile;
use crate::error::{Error, ErrorContext, Problem, Result};
use crate::new_file::NewFile;
use crate::options::Options;
use crate::place::Place;
use crate::platform::{Access, Directory, EntryKind, bytes};
use crate::testing::step;
use crate::tree::join::path_of;
use crate::tree::open::BoxedEntries;
use crate::tree::signed::SIGNED;
use crate::tree::source::NewFiles;
use crate::tree::store::NewSealedFile;
use crate::tree::walk::Walk;
use crate::tree::{COMING, SUFFIX, Tree, UPDATE, manifest_name, sealed_name, staged_name};

/// The file whose lock an update has.
const LOCK: &str = "lock";
/// All permissions that a replaced file may hand on.
const ALL: u16 = 0o777;

/// The place where an update of a tree puts new files first.
pub(super) struct Staged<'a> {
    tree: &'a Tree,
    directory: Directory,
    options: &'a Options<'a>,
    /// Whether it stays, so that the next update goes on.
    stays: bool,
    lock: LockFile,
}

impl<'a> Staged<'a> {
    /// Makes it, or takes the one that an earlier update has left.
    ///
    /// # Errors
    /// [`Problem::BusyTree`] if another update has it, or an I/O error.
    pub(super) fn begin(tree: &'a Tree, options: &'a Options<'a>) -> Result<Self> {
        let shown = tree.shown(Path::new(UPDATE));
        let make = || {
            tree.root.make(UPDATE.as_ref())?;
            tree.root.beneath(Path::new(UPDATE))
        };
        let directory: Directory = make().cannot("write", &shown)?;
        let lock = LockFile::lock(&directory, LOCK.as_ref(), &shown, &tree.shown)?;
        Ok(Self { tree, directory, options, stays: false, lock })
    }

    /// Gives the new file of an entry its name in the tree, if it has none yet.
    fn give_name(&self, entry: &Entry) -> Result {
        let Kind::File { bound, .. } = &entry.kind else { return Ok(()) };
        step();
        let staged = staged_name(bound.file_salt());
        let place = self.tree.place(&sealed_name(&path_of(entry)), "write")?;
        self.rename(&staged, &place)
    }

    /// Whether there can be such a name is asked where nothing has it.
    fn expect_name(&self, path: &Path, shown: &Path) -> Result {
        match self.tree.root.stat(path.file_name().unwrap_or_default()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::io("write", shown, error))
            }
            _ => Ok(()),
        }
    }

    fn rename(&self, staged: &OsStr, place: &Place) -> Result {
        let Place { directory, name, shown, .. } = place;
        let file = match self.directory.file(Path::new(staged)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file.cannot("read", shown)?,
        };
        let replaced = place.status().ok();
        if let Some(seen) = &replaced {
            let access = Access::from_status(directory, seen);
            access.carry_over(directory, name, &file, ALL).cannot("write", shown)?;
        }
        directory.take(&self.directory, staged, name, replaced.is_some()).cannot("write", shown)
    }

    fn place(&self, name: OsString) -> Place {
        let shown = self.tree.shown(Path::new(UPDATE)).join(&name);
        Place::new(self.directory.clone(), name, shown)
    }
}

impl Staging for Staged<'_> {
    fn keeps_files(&self) -> bool {
        true
    }

    fn folds_names(&self) -> bool {
        self.tree.root.stat(UPDATE.to_uppercase()).is_ok()
    }

    fn walk(&self) -> Result<Walk<'static>> {
        Ok(Walk::new(&self.tree.root, &|_| false, true))
    }

    fn signed_names(&self) -> Result<Vec<OsString>> {
        let shown = self.tree.shown(Path::new(SIGNED));
        match self.tree.root.beneath(Path::new(SIGNED)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            folder => {
                let names = folder.and_then(|folder| folder.names()).cannot("read", &shown)?;
                Ok(names.into_iter().map(|(name, _)| name).collect())
            }
        }
    }

    fn expect_place(&self, path: &Path, is_ours: bool) -> Result {
        let shown = self.tree.shown(path);
        self.expect_name(path, &shown)?;
        let Ok((folder, last)) = self.tree.resolve(path) else { return Ok(()) };
        match folder.stat(&last) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("write", &shown, error)),
            Ok(seen) if seen.kind() == EntryKind::File => {
                // One that no manifest knows is of an update whose state has been lost.
                let is_sealed = || {
                    let file = folder.file(Path::new(&last));
                    file.is_ok_and(|file| Header::read(&mut &file).is_ok())
                };
                if is_ours || is_sealed() {
                    Ok(())
                } else {
                    Err(Error::new(&shown, Problem::Exists))
                }
            }
            Ok(_) => Err(Error::new(&shown, Problem::Exists)),
        }
    }

    fn expect_directory(&self, path: &Path) -> Result {
        self.expect_name(path, &self.tree.shown(path))
    }

    fn clear(&self) -> Result {
        let shown = self.tree.shown(Path::new(UPDATE));
        // A coming manifest relies on the others.
        match self.directory.remove(COMING.as_ref()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => {
                removed.cannot("write", &shown)?;
                let _ = self.directory.sync();
            }
        }
        step();
        for (name, _) in self.directory.names().cannot("read", &shown)? {
            if is_staged(&name) {
                self.directory.remove(&name).cannot("write", &shown)?;
            }
        }
        Ok(())
    }

    fn coming(&self) -> Result<NewSealedFile> {
        let place = self.place(COMING.into());
        NewFile::create_in(place, true, self.options.forbidden).map(NewSealedFile::File)
    }

    fn sync(&self) -> Result {
        self.directory.sync_all_files().cannot("write", &self.tree.shown(Path::new(UPDATE)))
    }

    fn give_names(&self, coming: BoxedEntries<'_>) -> Result {
        for entry in coming {
            let entry = entry?;
            match (&entry.kind, entry.state) {
                (_, State::Deleted) => {}
                (Kind::Directory, _) => {
                    let place = self.tree.place(&path_of(&entry), "write")?;
                    place.directory.make(&place.name).cannot("write", &place.shown)?;
                }
                (Kind::File { .. }, State::New) => self.give_name(&entry)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn give_manifest(&self) -> Result {
        // No name that it relies on may be lost when it is not.
        self.sync()?;
        step();
        let place = self.tree.place(Path::new(&manifest_name()), "write")?;
        self.rename(COMING.as_ref(), &place)?;
        let _ = self.tree.root.sync();
        step();
        Ok(())
    }

    fn delete(&self, files: Vec<PathBuf>, directories: Vec<PathBuf>) -> Result {
        for path in files {
            step();
            match self.tree.resolve(&path).and_then(|(folder, name)| folder.remove(&name)) {
                // An update that was interrupted has done it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.cannot("delete", &self.tree.shown(&path))?,
            }
        }
        for path in directories {
            // One with something that is not of the tree stays.
            if let Ok((directory, name)) = self.tree.resolve(&path) {
                let _ = directory.remove_directory(&name);
            }
        }
        Ok(())
    }

    fn leave(mut self: Box<Self>) {
        self.stays = true;
    }
}

/// It goes, if nothing else is in it.
impl Drop for Staged<'_> {
    fn drop(&mut self) {
        step();
        if self.stays {
            return;
        }
        self.lock.remove();
        let _ = self.tree.root.remove_directory(UPDATE.as_ref());
    }
}

impl NewFiles for Staged<'_> {
    fn create(&self, path: &Path, _bytes: u64) -> Result<NewSealedFile> {
        let place = self.place(OsString::new()).with_shown(&self.tree.shown(path));
        NewFile::create_unnamed_in(place).map(NewSealedFile::File)
    }

    fn finish(&self, file: NewSealedFile, summary: &Summary) -> Result {
        match (file, &summary.file_salt) {
            (NewSealedFile::File(mut file), Some(salt)) => {
                if !Directory::SYNCS_ALL_FILES {
                    file.sync()?;
                }
                file.set_name(staged_name(salt));
                file.commit()
            }
            (file, _) => file.commit(),
        }
    }
}

/// Whether a name is one that [`staged_name`] gives.
fn is_staged(name: &OsStr) -> bool {
    bytes(name).strip_suffix(SUFFIX.as_bytes()).is_some_and(|digits| {
        digits.len() == 2 * COMMITMENT_BYTES && digits.iter().all(u8::is_ascii_hexdigit)
    })
}
