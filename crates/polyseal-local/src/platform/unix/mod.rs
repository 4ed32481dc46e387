//! Unix: descriptors of directories, modes, `flock`. What only Linux has is marked, and has another
//! way beside it.

mod access;
pub(crate) mod contents;
mod directory;
mod mode;
mod special;
mod status;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, Mode, Uid, fchown};
use rustix::process::{Resource, Signal, geteuid, getpid, getrlimit, kill_process, umask};

pub(crate) use self::access::{Access, allowed_mode};
pub use self::directory::Directory;
pub(crate) use self::directory::DirectoryState;
pub use self::mode::take_wider_modes;
pub use self::special::SpecialFile;
pub use self::status::FileId;
pub(crate) use self::status::FileStatus;

/// The bytes of a name. A manifest has names as bytes, too, in any encoding.
pub(crate) fn bytes(name: &OsStr) -> &[u8] {
    name.as_bytes()
}

/// The name that these bytes are.
pub(crate) fn name_from_bytes(name: &[u8]) -> Cow<'_, OsStr> {
    Cow::Borrowed(OsStr::from_bytes(name))
}

/// Refuses names that no file can have here, and says why: of those that a manifest may have,
/// nothing.
#[allow(clippy::unnecessary_wraps, reason = "other systems refuse some")]
pub(crate) fn expect_name(_name: &[u8]) -> Result<(), &'static str> {
    Ok(())
}

/// The same for a name that somebody else has chosen.
#[allow(clippy::unnecessary_wraps, reason = "other systems refuse some")]
pub(crate) fn expect_restorable_name(_name: &[u8]) -> Result<(), &'static str> {
    Ok(())
}

/// A path as a manifest has it.
pub(crate) fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(bytes(path.as_os_str()))
}

/// The path that a manifest has.
pub(crate) fn path_of_bytes(path: &[u8]) -> Cow<'_, Path> {
    Cow::Borrowed(Path::new(OsStr::from_bytes(path)))
}

/// Whether the system refuses something because of the entry that somebody has put under a name: a
/// link, no regular file, or a file that this user may not read.
pub(crate) fn is_of_what_is_there(error: &io::Error) -> bool {
    use rustix::io::Errno;

    let refused =
        [Errno::ACCESS, Errno::PERM, Errno::LOOP, Errno::NOTDIR, Errno::ISDIR, Errno::NXIO];
    Errno::from_io_error(error).is_some_and(|error| refused.contains(&error))
        || error.kind() == io::ErrorKind::InvalidInput
}

/// How many descriptors this process may have.
pub(crate) fn descriptor_limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// The permissions that this process gives to no new file: its umask.
pub(crate) fn process_mask() -> u16 {
    shown_mask().unwrap_or_else(asked_mask)
}

/// As Linux shows it.
fn shown_mask() -> Option<u16> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
    u16::from_str_radix(mask.trim(), 8).ok()
}

/// By setting it: for a moment, new files of another thread are for their owner alone.
#[allow(clippy::useless_conversion, reason = "macOS has another type")]
fn asked_mask() -> u16 {
    let mask = umask(Mode::from_raw_mode(0o077));
    umask(mask);
    u16::try_from(u32::from(mask.as_raw_mode())).unwrap_or(0o077)
}

/// Gives `new` to the owner of `of`, so that they can use it though root has made it. Only root can
/// do that; for anybody else it is theirs anyway.
pub(crate) fn owner_is_kept(of: &File, new: &File) -> io::Result<()> {
    let owner = of.metadata()?;
    if owner.uid() != geteuid().as_raw() {
        let (user, group) = (Uid::from_raw(owner.uid()), Gid::from_raw(owner.gid()));
        let _ = fchown(new, Some(user), Some(group));
    }
    Ok(())
}

/// Whether the link at `path` belongs to this user or to root.
pub(super) fn is_link_of_us(_path: &Path, seen: &Metadata) -> bool {
    [geteuid().as_raw(), 0].contains(&seen.uid())
}

/// Ends the process at once, as the system does it when memory is short.
pub(crate) fn kill_as_a_crash_does() {
    let _ = kill_process(getpid(), Signal::KILL);
}

/// The user's folder for what programs remember: `$XDG_STATE_HOME`, or `~/.local/state`.
pub(crate) fn state_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME").filter(|path| path.is_absolute());
    state.or_else(|| set("HOME").map(|home| home.join(".local/state")))
}
