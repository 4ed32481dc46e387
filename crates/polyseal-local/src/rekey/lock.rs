//! One rekey of a file at a time, and none of what it does not know.
//!
//! A rekey reads a header, makes another of it, and writes that: what has happened to the file in
//! between would be undone, a revoked key among it. So from the moment when every key has been read
//! until the file is changed it is locked (`flock`, which other programs may ignore), and it is
//! changed only if it is still the file, with the header, that was read.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorContext, Problem, Result};
use crate::place::Place;
use crate::platform::FileId;
use crate::platform::contents::{FileExt, has_no_locks, try_lock};
use crate::progress::{Notice, Progress};
use crate::testing::wait_while_locked;

/// How long another rekey of the file is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// Locks `file`, which messages call `path`, until it is closed.
pub(super) fn lock(path: &Path, file: &File, progress: &dyn Progress) -> Result {
    let start = Instant::now();
    loop {
        match try_lock(file) {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(Error::new(path, Problem::Busy)),
            // Then the comparison below is all that there is.
            Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                progress.notice(Notice::NotLocked(path));
                return Ok(());
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", path, error)),
        }
    }
}

/// A file that is locked by the very descriptor that it was read by, and where it is.
pub(super) struct Lock {
    place: Place,
    file: File,
    id: FileId,
    header: Vec<u8>,
}

impl Lock {
    /// Locks the file that was `read`, with the header `header`, if it is still what is at `place`.
    pub(super) fn take(
        place: &Place,
        read: &File,
        header: &[u8],
        progress: &dyn Progress,
    ) -> Result<Self> {
        let file = read.try_clone().cannot("read", &place.shown)?;
        let id = FileId::of_file(read).cannot("read", &place.shown)?;
        lock(&place.shown, &file, progress)?;
        let lock = Self { place: place.clone(), file, id, header: header.to_owned() };
        lock.expect_unchanged()?;
        wait_while_locked();
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
        let named = self.place.id().cannot("read", shown)?;
        let mut header = vec![0; self.header.len()];
        let same_header = self.file.read_exact_at(&mut header, 0).is_ok() && header == self.header;
        if named == self.id && same_header {
            return Ok(());
        }
        Err(Error::new(shown, Problem::Changed))
    }
}
