//! One rekey of a file at a time, and none of what it does not know.
//!
//! A rekey reads a header, makes another of it, and writes that: what has happened to the file in
//! between would be undone, a revoked key among it. So from the moment when every key has been read
//! until the file is changed it is locked (`flock`, which other programs may ignore), and it is
//! changed only if it is still the file, with the header, that was read.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::commands::note;
use crate::directory::Directory;
use crate::error::{Code, Failure, Result, shown};
use crate::file_io::FileId;

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

/// What is locked is not what was read, or not what `path` names any more.
pub(super) fn changed(path: &Path) -> Failure {
    Failure::new(Code::Io, format!("{} has been changed meanwhile", path.display()))
        .hint("nothing was done to it: see who can open it now, and run it again")
}

/// What gives a file its name.
enum Named {
    /// Links in a path that the user has given are followed.
    Path,
    In(Directory, OsString),
}

/// A file that is locked, and as it was read.
pub(super) struct Lock {
    named: Named,
    shown: PathBuf,
    file: File,
    id: FileId,
    header: Vec<u8>,
}

impl Lock {
    /// Locks the file at `path`, which is to be `read`, with the header `header`.
    pub(super) fn take(path: &Path, read: &File, header: &[u8]) -> Result<Self> {
        let failure = |error| Failure::io("read", path, &error);
        // A remote file system may ask that it can be written, too.
        let writable = OpenOptions::new().read(true).write(true).open(path);
        let file = writable.or_else(|_| File::open(path)).map_err(failure)?;
        let id = FileId::of(&read.metadata().map_err(failure)?);
        Self::on(Named::Path, path, file, id, header)
    }

    /// Locks `file`, which is called `name` in `directory`, and has the header `header`.
    pub(super) fn take_in(
        directory: &Directory,
        name: &OsStr,
        shown: &Path,
        file: File,
        header: &[u8],
    ) -> Result<Self> {
        let named = Named::In(directory.clone(), name.to_owned());
        let id = FileId::of(&file.metadata().map_err(|e| Failure::io("read", shown, &e))?);
        Self::on(named, shown, file, id, header)
    }

    fn on(named: Named, shown: &Path, file: File, id: FileId, header: &[u8]) -> Result<Self> {
        lock(shown, &file)?;
        let lock = Self { named, shown: shown.to_owned(), file, id, header: header.to_owned() };
        lock.expect_unchanged()?;
        Ok(lock)
    }

    pub(super) fn id(&self) -> FileId {
        self.id
    }

    /// Refuses to go on if the name means another file by now, or the file has another header.
    pub(super) fn expect_unchanged(&self) -> Result {
        let failure = |error| Failure::io("read", &self.shown, &error);
        let named = match &self.named {
            Named::Path => FileId::of(&fs::metadata(&self.shown).map_err(failure)?),
            Named::In(directory, name) => FileId::of_stat(&directory.stat(name).map_err(failure)?),
        };
        let locked = FileId::of(&self.file.metadata().map_err(failure)?);
        let mut header = vec![0; self.header.len()];
        let same_header = self.file.read_exact_at(&mut header, 0).is_ok() && header == self.header;
        if named == self.id && locked == self.id && same_header {
            return Ok(());
        }
        Err(changed(&self.shown))
    }
}
