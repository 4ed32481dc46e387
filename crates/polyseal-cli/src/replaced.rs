//! Who may read a file that replaces another: those who could read the old one, and nobody else.
//!
//! Mode and group go over only if the very file that was seen when the output was opened still
//! stands there and belongs to this user. Otherwise somebody else has put it there, or keeps it,
//! and the new file stays as it was made, with mode 0600. Where the group cannot be carried over,
//! or either file has an access control list, in which the mode's bits for the group mean something
//! else, the new file has no bits for the group.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Gid, fchown};
use rustix::process::geteuid;

use crate::file_io::FileId;

/// The bits of a mode that are carried over, and those of the group.
const MODE: u32 = 0o777;
const GROUP: u32 = 0o070;

/// A regular file as it was seen.
pub(crate) struct Replaced {
    id: FileId,
    mode: u32,
}

impl Replaced {
    pub(crate) fn new(seen: &Metadata) -> Self {
        Self { id: FileId::of(seen), mode: seen.mode() & MODE }
    }

    /// Gives `new` the mode and the group of `old`, which stands at `path`, as far as that is safe.
    pub(crate) fn carry_over(&self, path: &Path, old: &Metadata, new: &File) -> io::Result<()> {
        if !old.is_file() || FileId::of(old) != self.id || old.uid() != geteuid().as_raw() {
            return Ok(());
        }
        // What has been taken away meanwhile is not given back.
        let mut mode = self.mode & old.mode();
        let same_group = new.metadata()?.gid() == old.gid()
            || fchown(new, None, Some(Gid::from_raw(old.gid()))).is_ok();
        if !same_group || access_list::of_path(path) || access_list::of_file(new) {
            mode &= !GROUP;
        }
        new.set_permissions(Permissions::from_mode(mode))
    }
}

/// Whether a file has an access control list beside its mode. In doubt it has one.
#[cfg(target_os = "linux")]
mod access_list {
    use std::fs::File;
    use std::path::Path;

    use rustix::fs::{fgetxattr, lgetxattr};
    use rustix::io::{Errno, Result};

    const NAME: &str = "system.posix_acl_access";

    pub(super) fn of_path(path: &Path) -> bool {
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
    use std::fs::File;
    use std::path::Path;

    pub(super) fn of_path(_: &Path) -> bool {
        true
    }

    pub(super) fn of_file(_: &File) -> bool {
        true
    }
}
