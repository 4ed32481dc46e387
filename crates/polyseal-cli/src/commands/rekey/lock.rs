//! One rekey of a file at a time, and none of what it does not know.
//!
//! A rekey reads a header, makes another of it, and writes that: what has happened to the file in
//! between would be undone, a revoked key among it. So from the moment when every key has been read
//! until the file is changed it is locked (`flock`, which other programs may ignore), and it is
//! changed only if it is still the file, with the header, that was read.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::backup::Place;
use crate::commands::note;
use crate::error::{Code, Failure, Result, shown};
use crate::file_io::{FileId, changed};

/// How long another rekey of the file is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// Locks `file`, which `path` names, until it is closed.
pub(super) fn lock(path: &Path, file: &File) -> Result {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                let message = format!("{} is being rekeyed by another program", path.display());
                return Err(Failure::new(Code::Io, message).hint("run it again when that is done"));
            }
            Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                let path = shown(&path.display().to_string());
                note(&format!(
                    "note: {path} cannot be locked where it is: let no other program rekey it now"
                ));
                return Ok(());
            }
            Err(TryLockError::Error(error)) => return Err(Failure::io("lock", path, &error)),
        }
    }
}

/// Whether the file system has no locks, or the server of a remote one keeps none. Then the
/// comparison below is all that there is.
fn has_no_locks(error: &io::Error) -> bool {
    let no_lock = [Errno::NOLCK, Errno::BADF, Errno::NOSYS, Errno::INVAL].map(Errno::raw_os_error);
    error.kind() == ErrorKind::Unsupported
        || error.raw_os_error().is_some_and(|error| no_lock.contains(&error))
}

/// A moment for a test to look at what is locked: until it makes a file. A release build does not
/// wait.
fn wait_for_test() {
    if cfg!(debug_assertions)
        && let Some(until) = std::env::var_os("POLYSEAL_TEST_LOCKED_UNTIL")
    {
        while !Path::new(&until).exists() {
            sleep(PAUSE);
        }
    }
}

/// A file that is locked, as it was read, and where it is.
pub(super) struct Lock {
    place: Place,
    file: File,
    id: FileId,
    header: Vec<u8>,
}

impl Lock {
    /// Locks the file at `place`, which is to be the one that was `read`, with the header `header`.
    pub(super) fn take(place: &Place, read: &File, header: &[u8]) -> Result<Self> {
        let failure = |error| Failure::io("read", &place.shown, &error);
        // A remote file system may ask that it can be written, too.
        let writable = place.directory.file_to_change(Path::new(&place.name));
        let file = writable.or_else(|_| place.file()).map_err(failure)?;
        let id = FileId::of(&read.metadata().map_err(failure)?);
        lock(&place.shown, &file)?;
        let lock = Self { place: place.clone(), file, id, header: header.to_owned() };
        lock.expect_unchanged()?;
        wait_for_test();
        Ok(lock)
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    pub(super) fn id(&self) -> FileId {
        self.id
    }

    /// Refuses to go on if the name means another file by now, or the file has another header.
    pub(super) fn expect_unchanged(&self) -> Result {
        let shown = &self.place.shown;
        let failure = |error| Failure::io("read", shown, &error);
        let named = self.place.id().map_err(failure)?;
        let locked = FileId::of(&self.file.metadata().map_err(failure)?);
        let mut header = vec![0; self.header.len()];
        let same_header = self.file.read_exact_at(&mut header, 0).is_ok() && header == self.header;
        if named == self.id && locked == self.id && same_header {
            return Ok(());
        }
        Err(changed(shown))
    }
}
