//! A file whose lock one update has.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use crate::error::{Error, ErrorContext, Problem, Result};
use crate::platform::contents::{has_no_locks, try_lock};
use crate::platform::{Directory, FileId};

pub(super) struct LockFile {
    pub(super) file: File,
    /// Whether nobody else has it: there are file systems without locks.
    pub(super) is_locked: bool,
    directory: Directory,
    name: OsString,
}

impl LockFile {
    /// Locks the file of this name, which is made if it is not there; `tree` is updated.
    ///
    /// # Errors
    /// [`Problem::BusyTree`] if another program has the lock, or an I/O error.
    pub(super) fn lock(
        directory: &Directory,
        name: &OsStr,
        shown: &Path,
        tree: &Path,
    ) -> Result<Self> {
        let open = || match directory.create(name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                directory.file_to_change(Path::new(name))
            }
            file => file,
        };
        let file = open().cannot("write", shown)?;
        let is_locked = match try_lock(&file) {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => return Err(Error::new(tree, Problem::BusyTree)),
            Err(TryLockError::Error(error)) if has_no_locks(&error) => false,
            Err(TryLockError::Error(error)) => return Err(Error::io("write", shown, error)),
        };
        // The program that had it before may have removed it meanwhile.
        let named = directory.stat(name).map(|seen| seen.id());
        if named.ok() != FileId::from_file(&file).ok() {
            return Err(Error::new(tree, Problem::BusyTree));
        }
        Ok(Self { file, is_locked, directory: directory.clone(), name: name.to_owned() })
    }

    /// Removes it. The lock lasts until this is dropped.
    pub(super) fn remove(&self) {
        let _ = self.directory.remove(&self.name);
    }
}
