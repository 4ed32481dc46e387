//! New encrypted files of a tree that is updated, before they have their names in it: in
//! [`UPDATE`], beside the coming manifest. See `docs/spec/manifest.md`, section 8.
//!
//! Whoever has this directory has its lock: two updates do not meet in it. It goes when nothing is
//! left of an update.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, Kind};
use polyseal_file::{COMMITMENT_BYTES, Summary};

use super::source::NewFiles;
use super::store::NewSealedFile;
use super::{COMING, SUFFIX, Tree, UPDATE, manifest_name, sealed_name, staged_name};
use crate::error::{Error, ErrorContext, Problem, Result};
use crate::new_file::NewFile;
use crate::options::Options;
use crate::place::Place;
use crate::platform::contents::{has_no_locks, try_lock};
use crate::platform::{Access, Directory, FileId, bytes};
use crate::testing::step;

/// The file whose lock an update has.
const LOCK: &str = "lock";
/// All permissions that a replaced file may hand on.
const ALL: u16 = 0o777;

/// The place where an update of a tree puts new files first.
pub(super) struct Staging<'a> {
    tree: &'a Tree,
    directory: Directory,
    options: &'a Options<'a>,
    /// Whether it stays, so that the next update goes on.
    stays: bool,
    _lock: File,
}

impl<'a> Staging<'a> {
    /// Makes it, or takes the one that an earlier update has left.
    ///
    /// # Errors
    /// [`Problem::BusyTree`] if another update has it, or an I/O error.
    pub(super) fn begin(tree: &'a Tree, options: &'a Options<'a>) -> Result<Self> {
        let shown = tree.shown(Path::new(UPDATE));
        let make = || {
            tree.root.make(UPDATE.as_ref())?;
            let directory = tree.root.beneath(Path::new(UPDATE))?;
            let lock = match directory.create(LOCK.as_ref()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    directory.file_to_change(Path::new(LOCK))?
                }
                lock => lock?,
            };
            Ok((directory, lock))
        };
        let (directory, lock): (_, File) = make().cannot("write", &shown)?;
        match try_lock(&lock) {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(Error::new(&tree.shown, Problem::BusyTree));
            }
            Err(std::fs::TryLockError::Error(error)) if has_no_locks(&error) => {}
            Err(std::fs::TryLockError::Error(error)) => {
                return Err(Error::io("write", &shown, error));
            }
        }
        // The update that had it before may have removed it meanwhile.
        let named = directory.stat(LOCK).map(|seen| seen.id());
        if named.ok() != FileId::from_file(&lock).ok() {
            return Err(Error::new(&tree.shown, Problem::BusyTree));
        }
        Ok(Self { tree, directory, options, stays: false, _lock: lock })
    }

    /// Ends it, and leaves the directory: an update has begun there, and is not done.
    pub(super) fn leave(mut self) {
        self.stays = true;
    }

    /// Whether the file system takes names for one that differ in case alone.
    pub(super) fn folds_names(&self) -> bool {
        self.tree.root.stat(UPDATE.to_uppercase()).is_ok()
    }

    /// Removes the files of an update that did not come as far as its manifest.
    pub(super) fn clear(&self) -> Result {
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

    /// Begins the coming manifest, which takes the place of any other.
    pub(super) fn coming(&self) -> Result<NewFile> {
        NewFile::create_in(self.place(COMING.into()), true, self.options.forbidden)
    }

    /// The coming manifest that is there.
    pub(super) fn coming_file(&self) -> Option<File> {
        self.directory.file(Path::new(COMING)).ok()
    }

    /// Waits until all that is here is on disk.
    pub(super) fn sync(&self) -> Result {
        self.directory.sync_all_files().cannot("write", &self.tree.shown(Path::new(UPDATE)))
    }

    /// Gives the new file of an entry its name in the tree, if it has none yet.
    pub(super) fn give_name(&self, entry: &Entry) -> Result {
        let Kind::File { bound, .. } = &entry.kind else { return Ok(()) };
        step();
        let staged = staged_name(bound.file_salt());
        let place = self.tree.place(&sealed_name(&super::join::path_of(entry)), "write")?;
        self.rename(&staged, &place)
    }

    /// Lets the coming manifest be that of the tree.
    pub(super) fn give_manifest(&self) -> Result {
        // No name that it relies on may be lost when it is not.
        self.sync()?;
        step();
        let place = self.tree.place(Path::new(&manifest_name()), "write")?;
        self.rename(COMING.as_ref(), &place)?;
        let _ = self.tree.root.sync();
        step();
        Ok(())
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

/// It goes, if nothing else is in it.
impl Drop for Staging<'_> {
    fn drop(&mut self) {
        step();
        if self.stays {
            return;
        }
        let _ = self.directory.remove(LOCK.as_ref());
        let _ = self.tree.root.remove_directory(UPDATE.as_ref());
    }
}

impl NewFiles for Staging<'_> {
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

/// The staged file of a salt in a tree that is read, by its path in the tree.
pub(super) fn staged_path(file_salt: &[u8; COMMITMENT_BYTES]) -> PathBuf {
    Path::new(UPDATE).join(staged_name(file_salt))
}

/// The coming manifest, by its path in the tree.
pub(super) fn coming_path() -> PathBuf {
    Path::new(UPDATE).join(COMING)
}
