//! Windows: handles of directories, access lists, locks of a byte.
//!
//! Limits: these promises were tested under Wine, which keeps Unix modes and shows access lists
//! made of them. A file that is not complete has a name, which stays if the process is killed.
//! Links are not followed, not read and not made.

mod access;
pub(crate) mod contents;
mod directory;
mod names;
mod security;
mod special;
mod status;
mod sys;

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use self::access::{Access, allowed_mode};
pub use self::directory::Directory;
pub(crate) use self::directory::DirectoryState;
pub(crate) use self::names::{
    bytes, expect_name, expect_restorable_name, name_from_bytes, path_bytes, path_of_bytes,
};
pub use self::special::SpecialFile;
pub use self::status::FileId;
pub(crate) use self::status::FileStatus;

/// None: a new file has its access list from the beginning.
#[must_use]
pub fn take_wider_modes() -> usize {
    0
}

/// A pipe's maker may ask who opens it, and no more, if a name leads to that pipe.
const SECURITY_IDENTIFICATION: u32 = 1 << 16;

/// Whether the system refuses something because of the entry that somebody has put under a name: a
/// link, no regular file, or a file that this user may not read.
pub(crate) fn is_of_what_is_there(error: &io::Error) -> bool {
    use io::ErrorKind;

    // Opened by another program for itself alone, or partly; or a link or a placeholder that leads
    // nowhere.
    let of_windows = [32, 33, 1920, 4390, 4391, 4392, 4393, 4394, 4395];
    if error.raw_os_error().is_some_and(|error| of_windows.contains(&error)) {
        return true;
    }
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
    )
}

/// How many files this process may have open: the system has no such limit.
pub(crate) fn descriptor_limit() -> u64 {
    u64::MAX
}

/// The permissions that this process gives to no new file: files made here are for their owner.
pub(crate) fn process_mask() -> u16 {
    0o077
}

/// A file belongs to the user who makes it.
pub(crate) fn owner_is_kept(_of: &File, _new: &File) -> io::Result<()> {
    Ok(())
}

/// Whether the link at `path` belongs to this user or to the system.
pub(super) fn is_link_of_us(path: &Path, _seen: &Metadata) -> bool {
    let seen = Directory::parent_and_name(path).and_then(|(folder, name)| folder.stat(name));
    seen.is_ok_and(|seen| seen.is_ours_or_roots())
}

/// Ends the process at once, as the system does it when memory is short.
pub(crate) fn kill_as_a_crash_does() {
    sys::terminate();
}

/// The user's folder for what programs remember on this machine.
pub(crate) fn state_folder() -> Option<PathBuf> {
    std::env::var_os("LOCALAPPDATA").filter(|value| !value.is_empty()).map(PathBuf::from)
}
