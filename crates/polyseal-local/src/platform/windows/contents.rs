//! Operations on the contents of open files: lock them, read and write at offsets, set a time.

use std::fs::{File, FileTimes, TryLockError};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::windows::fs::FileExt as WindowsFileExt;
use std::time::{Duration, SystemTime};

use polyseal_file::manifest::Timestamp;
use windows_sys::Win32::Foundation::{ERROR_FILE_NOT_FOUND, ERROR_INVALID_FUNCTION};

use super::security::{self, Sid};
use super::sys;

const OWNER_WRITES: u16 = 0o200;

/// Reading and writing at offsets, whole.
pub(crate) trait FileExt {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
}

impl FileExt for File {
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.seek_read(buffer, offset) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(bytes) => {
                    buffer = &mut buffer[bytes..];
                    offset += bytes as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.seek_write(bytes, offset) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => {
                    bytes = &bytes[written..];
                    offset += written as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner(Sid);

impl Owner {
    /// The owner of `file`.
    pub(crate) fn from_file(file: &File) -> io::Result<Self> {
        security::owner(file).map(Self)
    }

    /// Whether it is the user of this process.
    pub(crate) fn is_us(&self) -> bool {
        self.0.is_us()
    }
}

/// Locks a file until it is closed, unless another has locked it.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    sys::try_lock(file, true)
}

/// Whether another has locked a file. If not, nobody locks it until it is closed.
pub(crate) fn is_locked(file: &File) -> bool {
    matches!(sys::try_lock(file, false), Err(TryLockError::WouldBlock))
}

/// Gives a file this time, and marks it as read-only if its owner may not write to it.
pub(crate) fn set(file: &File, mode: u16, modified: Timestamp) -> io::Result<()> {
    set_modified(file, modified)?;
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(mode & OWNER_WRITES == 0);
    file.set_permissions(permissions)
}

/// A time that Windows does not have is not set.
pub(super) fn set_modified(file: &File, modified: Timestamp) -> io::Result<()> {
    let Timestamp { seconds, nanoseconds } = modified;
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let epoch = SystemTime::UNIX_EPOCH;
    let time = if seconds < 0 { epoch.checked_sub(whole) } else { epoch.checked_add(whole) };
    match time.and_then(|time| time.checked_add(Duration::from_nanos(nanoseconds.into()))) {
        Some(time) => match file.set_times(FileTimes::new().set_modified(time)) {
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
            set => set,
        },
        None => Ok(()),
    }
}

/// Whether the file system now lets `to`, which was empty, share the contents of `from`.
pub(crate) fn share(_from: &File, _to: &File) -> bool {
    false
}

/// The first bytes within `range` that are no hole: all of it, for this does not ask.
pub(crate) fn next_data(_file: &File, range: Range<u64>) -> io::Result<Option<Range<u64>>> {
    Ok((!range.is_empty()).then_some(range))
}

/// The error for a file that does not exist.
pub(crate) fn not_there() -> io::Error {
    io::Error::from_raw_os_error(ERROR_FILE_NOT_FOUND as i32)
}

/// Whether `error` says that the file system has no locks.
pub(crate) fn has_no_locks(error: &io::Error) -> bool {
    error.kind() == ErrorKind::Unsupported
        || error.raw_os_error() == Some(ERROR_INVALID_FUNCTION as i32)
}
