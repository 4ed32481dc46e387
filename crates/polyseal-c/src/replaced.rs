//! Who may read a file that replaces another: those who could read the old one, and nobody else.
//!
//! It is the tool's rule. Mode and group go over only if the very file that was seen at the
//! beginning still stands there, belongs to this user, and is in a folder in which no other user
//! can give files their names; otherwise the new one keeps its mode, 0600. Where the group cannot
//! be carried over, the new file has no bits for it, and none for others that the group did not
//! have. Where either file has an access control list, only its owner has any. No file becomes one
//! that runs as its owner.

use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use rustix::process::geteuid;

const MODE: u32 = 0o777;
const OWNER: u32 = 0o700;
const GROUP: u32 = 0o070;
const OTHERS: u32 = 0o007;

/// Which file it is, whatever its name.
pub(crate) fn id(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Gives `new` the mode and the group of the file at `path` in `folder`, if that is the one that
/// was `seen`, as far as it is safe.
pub(crate) fn carry_over(
    seen: &Metadata,
    folder: &Path,
    path: &Path,
    new: &File,
) -> io::Result<()> {
    let Ok(old) = fs::symlink_metadata(path) else { return Ok(()) };
    let (user, folder) = (geteuid().as_raw(), fs::metadata(folder)?);
    let named_by_us = [user, 0].contains(&folder.uid()) && folder.mode() & 0o002 == 0;
    if id(&old) != id(seen) || old.uid() != user || !named_by_us {
        return Ok(());
    }
    // What has been taken away meanwhile is not given back.
    let mut mode = seen.mode() & old.mode() & MODE;
    let same_group =
        new.metadata()?.gid() == old.gid() || fchown(new, None, Some(old.gid())).is_ok();
    if access_list::of_named(path) || access_list::of_file(new) {
        // The list may have denied to some what it gave to all others.
        mode &= OWNER;
    } else if !same_group {
        // So may the group's bits have done.
        mode &= !GROUP & !(OTHERS & !(mode >> 3));
    }
    new.set_permissions(Permissions::from_mode(mode))
}

/// Whether a file has an access control list beside its mode. In doubt it has one.
#[cfg(target_os = "linux")]
mod access_list {
    use std::fs::File;
    use std::path::Path;

    use rustix::fs::{fgetxattr, lgetxattr};
    use rustix::io::{Errno, Result};

    const NAME: &str = "system.posix_acl_access";

    pub(super) fn of_named(path: &Path) -> bool {
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

    pub(super) fn of_named(_: &Path) -> bool {
        true
    }

    pub(super) fn of_file(_: &File) -> bool {
        true
    }
}
