//! Modes and times of files, on file systems that refuse to change them.
//!
//! SMB and WebDAV mounts, exFAT and FUSE mounts may answer `chmod` and `utimensat` by an error,
//! each its own: the written file is whole all the same. A time that cannot be set is left out. A
//! mode that cannot be set is let be if the file has no right that it should not have, and else
//! counted.
//!
//! Limit: the count is one for the whole process.

use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicUsize, Ordering};

use polyseal_file::manifest::Timestamp;
use rustix::fs::{Mode, Timespec, Timestamps, UTIME_OMIT, fchmod, fstat, futimens};
use rustix::io::Errno;

use super::FileStatus;

const RIGHTS: u16 = 0o777;

static WIDER: AtomicUsize = AtomicUsize::new(0);

/// Takes the count of files and directories of this process that have rights which their mode would
/// take away, since their file system does not change modes. The next call counts from zero.
#[must_use]
pub fn take_wider_modes() -> usize {
    WIDER.swap(0, Ordering::Relaxed)
}

/// Gives a file or a directory this mode, as far as its file system does.
#[allow(clippy::useless_conversion, reason = "other systems have other types")]
pub(crate) fn set_mode(file: impl AsFd, mode: u16) -> io::Result<()> {
    let refused = forced().map_or_else(|| fchmod(&file, Mode::from_raw_mode(mode.into())), Err);
    match refused {
        Err(error) if does_not_change(error) => {}
        done => return Ok(done?),
    }
    let given = FileStatus(fstat(&file)?).mode();
    if given & RIGHTS & !mode != 0 {
        WIDER.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Gives a file or a directory this time, as far as its file system does.
pub(crate) fn set_modified(file: impl AsFd, modified: Timestamp) -> io::Result<()> {
    match forced().map_or_else(|| futimens(&file, &times(modified)), Err) {
        Err(error) if does_not_change(error) => Ok(()),
        done => Ok(done?),
    }
}

/// The time of the last access is left as it is.
pub(super) fn times(modified: Timestamp) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec {
            tv_sec: modified.seconds,
            tv_nsec: modified.nanoseconds.into(),
        },
    }
}

/// Whether a file system says so that it does not change such things.
fn does_not_change(error: Errno) -> bool {
    [Errno::PERM, Errno::OPNOTSUPP, Errno::NOSYS, Errno::INVAL].contains(&error)
}

/// Tests have every change refused; a release build cannot be made to.
fn forced() -> Option<Errno> {
    let refused = cfg!(debug_assertions) && std::env::var_os("POLYSEAL_TEST_NO_MODES").is_some();
    refused.then_some(Errno::PERM)
}
