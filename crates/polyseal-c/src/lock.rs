//! One rekey of a file at a time, and none of what it does not know.
//!
//! It is the tool's protocol, and keeps the two apart, too. A rekey reads a header, makes another
//! of it, and lets a new file take the old one's place: what has happened to that in between would
//! be undone, a revoked key among it. So it is locked (`flock`, which other programs may ignore),
//! and replaced only if it is still the file, with the header, that was read. What a rewrite in
//! place has left behind is the tool's to put back, and nothing is replaced before.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::error::{Code, Failure, Outcome};
use crate::replaced::id;

/// How long another rekey of the file is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// What the tool's copy of a header has behind the file's name.
const COPY: &str = ".header-backup";

/// A file that is locked until this is dropped, and as it was read.
pub(crate) struct Lock<'a> {
    path: &'a Path,
    file: File,
    header: &'a [u8],
}

fn cannot(error: io::Error) -> Failure {
    Failure::new(Code::Io, format!("cannot lock the file: {error}"))
}

impl<'a> Lock<'a> {
    /// Locks the file at `path` if it is the one that is `read`, with the header `header`.
    pub(crate) fn take(path: &'a Path, read: &File, header: &'a [u8]) -> Outcome<Option<Self>> {
        let seen = id(&read.metadata().map_err(cannot)?);
        if fs::metadata(path).map_or(true, |there| id(&there) != seen) {
            return Ok(None);
        }
        // A remote file system may ask that it can be written, too.
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.or_else(|_| File::open(path)).map_err(cannot)?;
        wait_for(&file)?;
        let lock = Self { path, file, header };
        lock.expect_unchanged()?;
        Ok(Some(lock))
    }

    /// Refuses to go on if the name means another file by now, or the file has another header.
    pub(crate) fn expect_unchanged(&self) -> Outcome {
        let locked = self.file.metadata().map_err(cannot)?;
        let named = fs::metadata(self.path).map_err(cannot)?;
        let mut header = vec![0; self.header.len()];
        let same = self.file.read_exact_at(&mut header, 0).is_ok() && header == self.header;
        match same && id(&named) == id(&locked) {
            true => Ok(()),
            false => Err(Failure::of(Code::Changed)),
        }
    }
}

fn wait_for(file: &File) -> Outcome {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                let text = "the file is being rekeyed by another program";
                return Err(Failure::new(Code::Changed, text));
            }
            Err(TryLockError::Error(error)) if has_no_locks(&error) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(cannot(error)),
        }
    }
}

/// Whether the file system has no locks, or the server of a remote one keeps none. Then the
/// comparison is all that there is.
fn has_no_locks(error: &io::Error) -> bool {
    let no_lock = [Errno::NOLCK, Errno::BADF, Errno::NOSYS, Errno::INVAL].map(Errno::raw_os_error);
    error.kind() == ErrorKind::Unsupported
        || error.raw_os_error().is_some_and(|error| no_lock.contains(&error))
}

/// Refuses a file beside which the tool has kept a copy of its header: a rewrite was interrupted.
pub(crate) fn expect_no_copy(path: &Path) -> Outcome {
    let Ok(path) = fs::canonicalize(path) else { return Ok(()) };
    let mut copy = OsString::from(path);
    copy.push(COPY);
    if fs::symlink_metadata(&copy).is_err() {
        return Ok(());
    }
    let text = format!(
        "{} is there: a rekey was interrupted, which polyseal rekey --restore undoes",
        copy.display()
    );
    Err(Failure::new(Code::Exists, text))
}
