//! Read, change, replace: of a file that is locked, and only if it has not changed since it was
//! read.
//!
//! A program that reads a file, makes another of it and writes that would undo all changes to the
//! file in between: a revoked key would be back. So the file is locked (`flock`, which other
//! programs may ignore), and replaced or changed only if the name still means that file and its
//! contents are still those that were read: both are compared right before. [`LockedFile`] is the
//! only place that compares them, and nothing outside of this crate can.
//!
//! Limits: changes by another program between the comparison and the rename are lost. If a file is
//! not read whole, only the part that was read is compared: the header of an encrypted file, which
//! no two files share.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::error::{Error, ErrorContext, Problem, Result};
use crate::forbidden::Forbidden;
use crate::new_file::NewFile;
use crate::options::Options;
use crate::place::Place;
use crate::platform::contents::{FileExt, has_no_locks, try_lock};
use crate::platform::{Directory, FileId};
use crate::progress::{Notice, Progress};
use crate::testing::{step, wait_while_locked};

/// How long another program's lock is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// A file that is locked by the very descriptor that it was read by, and where it is.
#[derive(Debug)]
pub struct LockedFile {
    place: Place,
    file: File,
    id: FileId,
    read: Zeroizing<Vec<u8>>,
    /// Whether that was all of it.
    whole: bool,
}

impl LockedFile {
    /// Locks the regular file at `path`, through every link, and reads it: all, or one byte more
    /// than `most`.
    ///
    /// # Errors
    /// [`Problem::Busy`], [`Problem::Changed`] if another file has taken its name, or an I/O error.
    pub fn read(path: &Path, most: usize, progress: &dyn Progress) -> Result<Self> {
        let place = Place::from_path(path)?;
        // A remote file system may ask that a locked file can be written, too.
        let file = place.file_to_change().or_else(|_| place.file()).cannot("read", path)?;
        let mut locked = Self::lock(&place, &file, progress)?;
        let length = file.metadata().cannot("read", path)?.len();
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(most.saturating_add(1));
        let mut read = Zeroizing::new(vec![0; length]);
        let filled = file.read_exact_at(&mut read, 0);
        filled.map_err(|_| Error::new(path, Problem::Changed))?;
        (locked.read, locked.whole) = (read, length <= most);
        locked.expect_unchanged()?;
        Ok(locked)
    }

    /// Locks `file`, if it is the file at `place`.
    pub(crate) fn lock(place: &Place, file: &File, progress: &dyn Progress) -> Result<Self> {
        let file = file.try_clone().cannot("read", &place.shown)?;
        let id = FileId::from_file(&file).cannot("read", &place.shown)?;
        lock(&place.shown, &file, progress)?;
        let (read, whole) = (Zeroizing::default(), false);
        let locked = Self { place: place.clone(), file, id, read, whole };
        locked.expect_unchanged()?;
        Ok(locked)
    }

    /// The same, if the file still begins with `read`, which was read before it was locked.
    pub(crate) fn beginning_with(mut self, read: &[u8]) -> Result<Self> {
        self.read = Zeroizing::new(read.to_owned());
        self.expect_unchanged()?;
        wait_while_locked();
        Ok(self)
    }

    /// The contents, as they were read.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.read
    }

    /// Lets a new file with these bytes take its place.
    ///
    /// # Errors
    /// [`Problem::Changed`] if it has changed since it was read, [`Problem::Forbidden`], or an I/O
    /// error. Then the file stays as it is.
    pub fn replace(self, bytes: &[u8], options: &Options<'_>) -> Result {
        let mut replacement = Replacement::new(self, options.forbidden)?;
        let output = replacement.output();
        output.file().write_all_at(bytes, 0).cannot("write", output.shown())?;
        replacement.ready()?;
        // The name, too, should survive a power failure; not every file system can say so.
        let _ = replacement.appear()?.sync();
        Ok(())
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Refuses another file than the one that is locked.
    pub(crate) fn expect_same(&self, opened: &File) -> Result {
        let shown = &self.place.shown;
        if FileId::from_file(opened).cannot("write", shown)? == self.id {
            return Ok(());
        }
        Err(Error::new(shown, Problem::Changed))
    }

    /// Refuses to go on if the name means another file by now, or the file has other bytes.
    pub(crate) fn expect_unchanged(&self) -> Result {
        let shown = &self.place.shown;
        let named = self.place.status().cannot("read", shown)?.id();
        let mut there = Zeroizing::new(vec![0; self.read.len()]);
        let is_read = self.file.read_exact_at(&mut there, 0).is_ok() && *there == *self.read;
        let length = self.file.metadata().cannot("read", shown)?.len();
        let is_all = !self.whole || length == self.read.len() as u64;
        if named == self.id && is_read && is_all {
            return Ok(());
        }
        Err(Error::new(shown, Problem::Changed))
    }
}

/// A whole file that takes the place of another. It is made of the other's lock: nothing is
/// replaced that is not locked, or by way of another path.
pub(crate) struct Replacement {
    output: NewFile,
    locked: LockedFile,
}

impl Replacement {
    /// Begins the file that takes the place of the one that is locked.
    pub(crate) fn new(locked: LockedFile, forbidden: &Forbidden) -> Result<Self> {
        let output = NewFile::create_from_read(locked.place().clone(), forbidden)?;
        Ok(Self { output, locked })
    }

    /// With a file that is written already.
    pub(crate) fn from_parts(locked: LockedFile, output: NewFile) -> Self {
        Self { output, locked }
    }

    pub(crate) fn output(&self) -> &NewFile {
        &self.output
    }

    /// Makes all but the name ready.
    pub(crate) fn ready(&mut self) -> Result {
        self.output.ready()
    }

    /// Takes the place, if the file there has not changed since it was read; the directory, whose
    /// names are not on disk yet.
    pub(crate) fn appear(self) -> Result<Directory> {
        self.locked.expect_unchanged()?;
        step();
        self.output.appear()
    }
}

/// Locks `file`, which messages call `path`, until it is closed.
fn lock(path: &Path, file: &File, progress: &dyn Progress) -> Result {
    let start = Instant::now();
    loop {
        match try_lock(file) {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(Error::new(path, Problem::Busy)),
            // Then the comparison is all that there is.
            Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                progress.notice(Notice::NotLocked(path));
                return Ok(());
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", path, error)),
        }
    }
}
