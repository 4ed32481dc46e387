//! Who may read a file that replaces another: those who could read the old one, and nobody else.
//!
//! Mode and group go over only if the very file that was seen when the output was opened still
//! stands there and belongs to this user. Otherwise somebody else has put it there, or keeps it,
//! and the new file stays as it was made, with mode 0600. So it does in a folder in which another
//! user can give your files other names. Where the group cannot be carried over, the new file has
//! no bits for the group, and none for others that the group did not have. Where either file has an
//! access control list, only its owner has any.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use rustix::fs::{FileType, Gid, Stat, fchown, fstat};
use rustix::process::geteuid;

use crate::directory::Directory;
use crate::file_io::FileId;

/// The bits of a mode that are carried over, and whose they are.
const MODE: u32 = 0o777;
const OWNER: u32 = 0o700;
const GROUP: u32 = 0o070;
const OTHERS: u32 = 0o007;

/// A regular file as it was seen.
pub(crate) struct Replaced {
    id: FileId,
    mode: u32,
    /// Whether only this user and root, or the group of the folder, can have given it the name.
    named_by_us: bool,
}

impl Replaced {
    /// The file that was seen under a name in `folder`.
    pub(crate) fn new(folder: &Directory, seen: &Stat) -> Self {
        let named_by_us = is_for_us(folder);
        Self { id: FileId::of_stat(seen), mode: seen.st_mode & MODE, named_by_us }
    }

    /// A link in `folder` has led to it, so that whoever can write there has chosen it.
    pub(crate) fn named_in(&mut self, folder: &Directory) {
        self.named_by_us &= is_for_us(folder);
    }

    /// Gives `new` the mode and the group of `old`, which is called `name` in `directory`, as far
    /// as that is safe.
    pub(crate) fn carry_over(
        &self,
        directory: &Directory,
        name: &OsStr,
        old: &Stat,
        new: &File,
    ) -> io::Result<()> {
        let is_file = FileType::from_raw_mode(old.st_mode) == FileType::RegularFile;
        if !is_file || FileId::of_stat(old) != self.id || old.st_uid != geteuid().as_raw() {
            return Ok(());
        }
        if !self.named_by_us {
            return Ok(());
        }
        // What has been taken away meanwhile is not given back.
        let mut mode = self.mode & old.st_mode;
        let same_group = new.metadata()?.gid() == old.st_gid
            || fchown(new, None, Some(Gid::from_raw(old.st_gid))).is_ok();
        if access_list::of_named(directory, name) || access_list::of_file(new) {
            // The list may have denied to some what it gave to all others.
            mode &= OWNER;
        } else if !same_group {
            // So may the group's bits have done.
            mode &= !GROUP & !(OTHERS & !(mode >> 3));
        }
        new.set_permissions(Permissions::from_mode(mode))
    }
}

/// Whether nobody but this user, root and the folder's group can give files names in it. An access
/// control list may let others do so.
fn is_for_us(folder: &Directory) -> bool {
    let is_ours = |s: Stat| [geteuid().as_raw(), 0].contains(&s.st_uid) && s.st_mode & 0o002 == 0;
    fstat(folder).is_ok_and(is_ours) && !access_list::of_named(folder, OsStr::new("."))
}

/// Whether a file has an access control list beside its mode. In doubt it has one.
#[cfg(target_os = "linux")]
mod access_list {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::os::fd::{AsFd, AsRawFd};
    use std::path::Path;

    use rustix::fs::{fgetxattr, lgetxattr};
    use rustix::io::{Errno, Result};

    use crate::directory::Directory;

    const NAME: &str = "system.posix_acl_access";

    pub(super) fn of_named(directory: &Directory, name: &OsStr) -> bool {
        // By the only path that leads to a handle.
        let fd = directory.as_fd().as_raw_fd();
        let path = Path::new("/proc/self/fd").join(fd.to_string()).join(name);
        is_there(lgetxattr(path, NAME, &mut [0_u8; 1]))
    }

    pub(super) fn of_file(file: &File) -> bool {
        is_there(fgetxattr(file, NAME, &mut [0_u8; 1]))
    }

    /// The length, or that there is no room for so much: then there is a list.
    fn is_there(length: Result<usize>) -> bool {
        !matches!(length, Ok(0) | Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS))
    }
}

/// Elsewhere nobody has looked how to ask.
#[cfg(not(target_os = "linux"))]
mod access_list {
    use std::ffi::OsStr;
    use std::fs::File;

    use crate::directory::Directory;

    pub(super) fn of_named(_: &Directory, _: &OsStr) -> bool {
        true
    }

    pub(super) fn of_file(_: &File) -> bool {
        true
    }
}
