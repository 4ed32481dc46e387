//! Operations on the contents of open files: share them, find their holes, lock them, set a mode.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::MetadataExt;

use polyseal_file::manifest::Timestamp;
use rustix::io::Errno;

pub(crate) use std::os::unix::fs::FileExt;

use super::mode::{set_mode, set_modified};

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner(u32);

impl Owner {
    /// The owner of `file`.
    pub(crate) fn from_file(file: &File) -> io::Result<Self> {
        Ok(Self(file.metadata()?.uid()))
    }

    /// Whether it is the user of this process.
    pub(crate) fn is_us(&self) -> bool {
        self.0 == rustix::process::geteuid().as_raw()
    }
}

/// Locks a file until it is closed, unless another has locked it.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Whether another has locked a file. If not, nobody locks it until it is closed.
pub(crate) fn is_locked(file: &File) -> bool {
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Gives a file this mode and this time.
pub(crate) fn set(file: &File, mode: u16, modified: Timestamp) -> io::Result<()> {
    set_modified(file, modified)?;
    set_mode(file, mode)
}

/// Whether the file system now lets `to`, which was empty, share the contents of `from`.
pub(crate) fn share(from: &File, to: &File) -> bool {
    #[cfg(target_os = "linux")]
    return rustix::fs::ioctl_ficlone(to, from).is_ok();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (from, to);
        false
    }
}

/// The first bytes within `range` that are no hole; all of it where the file system does not tell.
#[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
pub(crate) fn next_data(file: &File, range: Range<u64>) -> io::Result<Option<Range<u64>>> {
    if range.is_empty() {
        return Ok(None);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{SeekFrom, seek};

        match seek(file, SeekFrom::Data(range.start)) {
            Ok(start) if start >= range.end => return Ok(None),
            Ok(start) => {
                let end = seek(file, SeekFrom::Hole(start))?.min(range.end);
                return Ok(Some(start..end));
            }
            Err(Errno::NXIO) => return Ok(None),
            Err(Errno::INVAL | Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Some(range))
}

/// The error for a file that does not exist.
pub(crate) fn not_there() -> io::Error {
    Errno::NOENT.into()
}

/// Whether `error` says that the file system has no locks, or that the server of a remote one keeps
/// none.
pub(crate) fn has_no_locks(error: &io::Error) -> bool {
    let no_lock = [Errno::NOLCK, Errno::BADF, Errno::NOSYS, Errno::INVAL].map(Errno::raw_os_error);
    error.kind() == ErrorKind::Unsupported
        || error.raw_os_error().is_some_and(|error| no_lock.contains(&error))
}
