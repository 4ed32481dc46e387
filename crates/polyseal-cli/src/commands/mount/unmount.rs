//! Unmounting while files are in use: the directory is free at once, and open files stay open.
//!
//! That is what libfuse does. Root asks the kernel; for anyone else `fusermount3` does it, which is
//! setuid.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::io::Errno;
use rustix::mount::{UnmountFlags, unmount as system_unmount};

/// The use of a mount that has been unmounted.
#[derive(Clone, Copy, Debug)]
pub(super) enum UnmountResult {
    Nothing,
    /// Files in it are still open.
    Open,
}

/// Unmounts the file system at `mountpoint`, an absolute path without links.
pub(super) fn unmount(mountpoint: &Path) -> io::Result<UnmountResult> {
    // No link that was put in its place is followed.
    let flags = UnmountFlags::NOFOLLOW;
    match system_unmount(mountpoint, flags) {
        Ok(()) => Ok(UnmountResult::Nothing),
        Err(Errno::BUSY) => {
            system_unmount(mountpoint, flags | UnmountFlags::DETACH)?;
            Ok(UnmountResult::Open)
        }
        Err(Errno::PERM) => {
            if fusermount(mountpoint, &["-u", "-q"]).is_ok() {
                return Ok(UnmountResult::Nothing);
            }
            fusermount(mountpoint, &["-u", "-q", "-z"])?;
            Ok(UnmountResult::Open)
        }
        // Somebody else was faster.
        Err(Errno::INVAL) => Ok(UnmountResult::Nothing),
        Err(error) => Err(error.into()),
    }
}

fn fusermount(mountpoint: &Path, options: &[&str]) -> io::Result<()> {
    let run = |program| {
        let mut command = Command::new(program);
        command.args(options).arg("--").arg(mountpoint);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()
    };
    let status = run("fusermount3").or_else(|_| run("fusermount"))?;
    if status.success() { Ok(()) } else { Err(Errno::BUSY.into()) }
}

/// The command that frees the directory.
pub(super) fn command(mountpoint: &Path) -> String {
    let root = rustix::process::geteuid().is_root();
    let how = if root { "umount -l" } else { "fusermount3 -uz" };
    format!("{how} {}", mountpoint.display())
}
