//! The access rights of a file that replaces another: those who could read the old one can read the
//! new one, and nobody else.
//!
//! Mode and group go over only if the very file that was seen when the output was opened still
//! stands there and belongs to this user. Otherwise somebody else has put it there, or keeps it,
//! and the new file stays as it was made, with mode 0600. So it does where another user can rename
//! anything on the way to it. Where the group cannot be carried over, the new file has
//! no bits for the group, and none for others that the group did not have. Where either file has an
//! access control list, only its owner has any.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{Gid, Stat, fchown, fstat};
use rustix::process::{getegid, geteuid};

use super::mode::set_mode;
use super::{Directory, FileId, FileStatus};
use crate::platform::EntryKind;

const OWNER: u32 = 0o700;
const GROUP: u32 = 0o070;
const OTHERS: u32 = 0o007;

/// The access that a regular file gives, as it was seen before it is replaced.
#[derive(Debug)]
pub(crate) struct Access {
    id: FileId,
    mode: u32,
    /// Whether only this user and root, or the group of the folder, can have given it the name.
    named_by_us: bool,
}

impl Access {
    /// The access rights of the file that was seen under a name in `folder`.
    pub(crate) fn from_status(folder: &Directory, seen: &FileStatus) -> Self {
        Self { id: seen.id(), mode: seen.mode().into(), named_by_us: is_for_us(folder) }
    }

    /// Notes that a link in `folder` has led to the file: anyone who can write there has chosen it.
    pub(crate) fn add_link_folder(&mut self, folder: &Directory) {
        self.named_by_us = self.named_by_us && is_for_us(folder);
    }

    /// Another user has chosen which file it is.
    pub(crate) fn distrust_name(&mut self) {
        self.named_by_us = false;
    }

    /// Gives `new` the mode and the group of the file `name` in `directory`, as far as that is
    /// safe, and at most the mode `most`.
    pub(crate) fn carry_over(
        &self,
        directory: &Directory,
        name: &OsStr,
        new: &File,
        most: u16,
    ) -> io::Result<()> {
        let Ok(old) = directory.stat(name) else { return Ok(()) };
        let is_the_same = old.kind() == EntryKind::File && old.id() == self.id && old.is_ours();
        if !is_the_same || !self.named_by_us {
            return Ok(());
        }
        // Permissions that have been taken away meanwhile are not given back.
        let mut mode = self.mode & u32::from(old.mode()) & u32::from(most);
        let denied = !(self.mode & u32::from(old.mode()));
        let same_group = new.metadata()?.gid() == old.0.st_gid
            || fchown(new, None, Some(Gid::from_raw(old.0.st_gid))).is_ok();
        if access_list::on_name(directory, name) || access_list::on_file(new) {
            // The list may have denied some users the rights that it gave to all others.
            mode &= OWNER;
        } else if !same_group {
            // Group bits may have denied access, too.
            mode &= !GROUP & !(OTHERS & (denied >> 3));
        }
        set_mode(new, u16::try_from(mode).unwrap_or_default())
    }
}

/// Masks `mode` for a new file or directory in `folder`: only its owner has access if somebody else
/// gives names there, or if the folder has given it an access control list; and its group only if
/// that is the group of this user, not one that the folder has given it.
pub(crate) fn allowed_mode(folder: &Directory, new: &impl AsFd, mode: u16) -> io::Result<u16> {
    const OWNER: u16 = 0o700;
    const GROUP: u16 = 0o070;
    let is_own_group = fstat(new)?.st_gid == getegid().as_raw();
    if !is_for_us(folder) || access_list::is_inherited(new) {
        return Ok(mode & OWNER);
    }
    Ok(if is_own_group { mode } else { mode & !GROUP })
}

/// Whether nobody but this user and root can give `entry`, which is in `folder`, another name, or
/// its name to something else. Members of this user's own group are taken for this user: where each
/// user has a group, that group can write to all that they make.
#[allow(clippy::useless_conversion, reason = "macOS has another type")]
pub(super) fn keeps(folder: &Directory, entry: &FileStatus) -> bool {
    const STICKY: u32 = 0o1000;
    let Ok(seen) = folder.status() else { return false };
    let mode = u32::from(seen.0.st_mode);
    let is_own_group = || seen.0.st_gid == getegid().as_raw() && !access_list::on_directory(folder);
    // An access control list lets nobody write whom the bits of the group do not.
    let is_for_others = mode & 0o002 != 0 || (mode & 0o020 != 0 && !is_own_group());
    let is_kept = !is_for_others || (mode & STICKY != 0 && entry.is_ours_or_roots());
    seen.is_ours_or_roots() && is_kept
}

/// The same of `directory` in the one above, of that in the next, and so on to the root.
pub(super) fn is_kept_from_above(directory: &Directory) -> bool {
    let mut below = directory.clone();
    loop {
        let (Ok(above), Ok(entry)) = (below.above(), below.status()) else { return false };
        match above.id() {
            Ok(id) if id == entry.id() => return true,
            Ok(_) if above.keeps(&entry) => below = above,
            _ => return false,
        }
    }
}

/// Whether nobody but this user, root and the folder's group can give files names in it. An access
/// control list may let others do so.
pub(super) fn is_for_us(folder: &Directory) -> bool {
    let is_ours = |s: Stat| [geteuid().as_raw(), 0].contains(&s.st_uid) && s.st_mode & 0o002 == 0;
    fstat(folder).is_ok_and(is_ours) && !access_list::on_directory(folder)
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

    use super::Directory;

    const NAME: &str = "system.posix_acl_access";

    pub(super) fn on_name(directory: &Directory, name: &OsStr) -> bool {
        // By the only path that leads to a handle.
        let fd = directory.as_fd().as_raw_fd();
        let path = Path::new("/proc/self/fd").join(fd.to_string()).join(name);
        is_there(lgetxattr(path, NAME, &mut [0_u8; 1]))
    }

    pub(super) fn on_file(file: &File) -> bool {
        is_there(fgetxattr(file, NAME, &mut [0_u8; 1]))
    }

    /// Whether something new has got one from its folder.
    pub(super) fn is_inherited(new: &impl AsFd) -> bool {
        is_there(fgetxattr(new, NAME, &mut [0_u8; 1]))
    }

    pub(super) fn on_directory(directory: &Directory) -> bool {
        match fgetxattr(directory, NAME, &mut [0_u8; 1]) {
            // One that was opened to be entered, and not to be listed.
            Err(Errno::BADF) => on_name(directory, OsStr::new(".")),
            length => is_there(length),
        }
    }

    /// The length, or that there is no room for so much: then there is a list.
    fn is_there(length: Result<usize>) -> bool {
        !matches!(length, Ok(0) | Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS))
    }
}

/// Not implemented elsewhere: assume a list.
#[cfg(not(target_os = "linux"))]
mod access_list {
    use std::ffi::OsStr;
    use std::fs::File;

    use super::Directory;

    pub(super) fn on_name(_: &Directory, _: &OsStr) -> bool {
        true
    }

    pub(super) fn on_file(_: &File) -> bool {
        true
    }

    pub(super) fn is_inherited<T>(_: &T) -> bool {
        false
    }

    pub(super) fn on_directory(_: &Directory) -> bool {
        true
    }
}
