//! Status of a directory entry, or of an open file.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use polyseal_file::manifest::{NO_STAMP, STAMP_BYTES, Stamp, Timestamp};
use rustix::fs::{FileType, Stat};
use rustix::process::geteuid;

use crate::platform::EntryKind;

/// Two changes within so long may have one time: a kernel takes that of its last tick.
const GRAIN: Duration = Duration::from_millis(100);
/// The same of a file system that counts seconds, or two at a time.
const COARSE_GRAIN: Duration = Duration::from_secs(3);

/// The permission bits of a mode.
const PERMISSIONS: u32 = 0o777;

/// Which file it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// The identity of the file with this metadata.
    #[must_use]
    pub fn from_metadata(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    /// The identity of an open file.
    ///
    /// # Errors
    /// An I/O error.
    pub fn from_file(file: &File) -> io::Result<Self> {
        Ok(Self::from_metadata(&file.metadata()?))
    }

    /// The identity of the file at `path`, through every link.
    ///
    /// # Errors
    /// An I/O error.
    pub fn from_path(path: &Path) -> io::Result<Self> {
        Ok(Self::from_metadata(&fs::metadata(path)?))
    }
}

impl EntryKind {
    pub(super) fn from_file_type(kind: FileType) -> Self {
        match kind {
            FileType::Directory => Self::Directory,
            FileType::RegularFile => Self::File,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// Status of a directory entry; of a link, the link's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileStatus(pub(super) Stat);

impl FileStatus {
    /// Which file it is.
    #[allow(clippy::unnecessary_cast, reason = "macOS has another type")]
    pub(crate) fn id(&self) -> FileId {
        FileId { device: self.0.st_dev as u64, inode: self.0.st_ino }
    }

    /// The kind of entry.
    pub(crate) fn kind(&self) -> EntryKind {
        EntryKind::from_file_type(FileType::from_raw_mode(self.0.st_mode))
    }

    /// Its length in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        u64::try_from(self.0.st_size).unwrap_or_default()
    }

    /// Its permissions, at most 0o777.
    #[allow(clippy::useless_conversion, reason = "macOS has another type")]
    pub(crate) fn mode(&self) -> u16 {
        u16::try_from(u32::from(self.0.st_mode) & PERMISSIONS).unwrap_or_default()
    }

    /// When it was modified.
    pub(crate) fn modified(&self) -> Timestamp {
        let nanoseconds = u32::try_from(self.0.st_mtime_nsec).unwrap_or_default();
        Timestamp { seconds: self.0.st_mtime, nanoseconds }
    }

    /// By which a file is told that has changed since: its inode, and when that was changed, which
    /// no program sets. None is given if another change in this moment might not be seen.
    #[allow(clippy::useless_conversion, reason = "other systems have other types")]
    pub(crate) fn stamp(&self) -> Stamp {
        let seconds = i64::from(self.0.st_ctime);
        let nanoseconds = i64::try_from(self.0.st_ctime_nsec).unwrap_or_default();
        let grain = if nanoseconds == 0 { COARSE_GRAIN } else { GRAIN };
        let changed = UNIX_EPOCH + Duration::from_secs(seconds.try_into().unwrap_or_default());
        let changed = changed + Duration::from_nanos(nanoseconds.try_into().unwrap_or_default());
        // A time to come tells nothing: a clock was set, or is another machine's.
        if SystemTime::now().duration_since(changed).map_or(true, |since| since < grain) {
            return NO_STAMP;
        }
        let changed = seconds.wrapping_mul(1_000_000_000).wrapping_add(nanoseconds);
        let mut stamp = [0; STAMP_BYTES];
        stamp[..8].copy_from_slice(&self.0.st_ino.to_le_bytes());
        stamp[8..].copy_from_slice(&changed.to_le_bytes());
        stamp
    }

    /// Whether it belongs to the user of this process.
    pub(crate) fn is_ours(&self) -> bool {
        self.0.st_uid == geteuid().as_raw()
    }

    /// The same, or to root.
    pub(crate) fn is_ours_or_roots(&self) -> bool {
        self.is_ours() || self.0.st_uid == 0
    }
}
