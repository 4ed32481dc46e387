//! Status of a directory entry, or of an open file.
//!
//! Windows has no permission bits. The owner's rights stand for them: 0600, or 0400 of a file that
//! is marked as read-only, and 0700 of a directory.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsHandle;
use std::path::Path;

use polyseal_file::manifest::{NO_STAMP, Stamp, Timestamp};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_DEVICE, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_READONLY,
    FILE_ATTRIBUTE_REPARSE_POINT, FILE_FLAG_BACKUP_SEMANTICS, FILE_READ_ATTRIBUTES,
};

use super::SECURITY_IDENTIFICATION;
use super::security::{self, Sid};
use super::sys;
use crate::platform::EntryKind;

/// Which file it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    volume: u64,
    file: [u8; 16],
}

impl FileId {
    /// The identity of an open file.
    ///
    /// # Errors
    /// An I/O error.
    pub fn from_file(file: &File) -> io::Result<Self> {
        Self::from_handle(file)
    }

    /// The identity of the file at `path`, through every link.
    ///
    /// # Errors
    /// An I/O error.
    pub fn from_path(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.access_mode(FILE_READ_ATTRIBUTES).custom_flags(FILE_FLAG_BACKUP_SEMANTICS);
        options.security_qos_flags(SECURITY_IDENTIFICATION);
        Self::from_handle(&options.open(path)?)
    }

    pub(super) fn from_handle(file: &impl AsHandle) -> io::Result<Self> {
        let (volume, file) = sys::id(file)?;
        Ok(Self { volume, file })
    }
}

impl EntryKind {
    pub(super) fn new(attributes: u32, reparse_tag: u32) -> Self {
        // Set in the tags of all that stands for another name.
        const NAME_SURROGATE: u32 = 0x2000_0000;
        let is_reparse_point = attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0;
        match () {
            () if is_reparse_point && reparse_tag & NAME_SURROGATE != 0 => Self::Link,
            () if attributes & FILE_ATTRIBUTE_DIRECTORY != 0 => Self::Directory,
            () if attributes & FILE_ATTRIBUTE_DEVICE != 0 => Self::Other,
            () => Self::File,
        }
    }
}

/// Status of a directory entry; of a link, the link's own.
#[derive(Clone, Debug)]
pub(crate) struct FileStatus {
    id: FileId,
    kind: EntryKind,
    is_read_only: bool,
    bytes: u64,
    modified: i64,
    changed: i64,
    owner: Option<Sid>,
}

impl FileStatus {
    pub(super) fn from_handle(file: &impl AsHandle) -> io::Result<Self> {
        let basic = sys::basic(file)?;
        let is_reparse_point = basic.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT != 0;
        let tag = if is_reparse_point { sys::reparse_tag(file)? } else { 0 };
        Ok(Self {
            id: FileId::from_handle(file)?,
            kind: EntryKind::new(basic.FileAttributes, tag),
            is_read_only: basic.FileAttributes & FILE_ATTRIBUTE_READONLY != 0,
            bytes: sys::length(file)?,
            modified: basic.LastWriteTime,
            changed: basic.ChangeTime,
            owner: security::owner(file).ok(),
        })
    }

    /// Which file it is.
    pub(crate) fn id(&self) -> FileId {
        self.id
    }

    /// The kind of entry.
    pub(crate) fn kind(&self) -> EntryKind {
        self.kind
    }

    /// Its length in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The owner's rights, as a Unix mode.
    pub(crate) fn mode(&self) -> u16 {
        match (self.kind, self.is_read_only) {
            (EntryKind::Directory, _) => 0o700,
            (_, true) => 0o400,
            (_, false) => 0o600,
        }
    }

    /// When it was modified.
    pub(crate) fn modified(&self) -> Timestamp {
        timestamp(self.modified)
    }

    /// By which a file is told that has changed since: when it was changed, which counts tenths of
    /// microseconds. None is given where the file system does not say.
    pub(crate) fn stamp(&self) -> Stamp {
        let mut stamp = NO_STAMP;
        stamp[..8].copy_from_slice(&self.changed.to_le_bytes());
        stamp
    }

    /// Whether it belongs to the user of this process.
    pub(crate) fn is_ours(&self) -> bool {
        self.owner.as_ref().is_some_and(Sid::is_us)
    }

    /// The same, or to the system.
    pub(crate) fn is_ours_or_roots(&self) -> bool {
        self.is_ours() || self.owner.as_ref().is_some_and(Sid::is_system)
    }
}

/// A time of Windows: tenths of microseconds since 1601.
pub(super) fn timestamp(time: i64) -> Timestamp {
    const SECOND: i64 = 10_000_000;
    const TO_1970: i64 = 11_644_473_600;
    let nanoseconds = time.rem_euclid(SECOND) * 100;
    Timestamp {
        seconds: time.div_euclid(SECOND) - TO_1970,
        nanoseconds: u32::try_from(nanoseconds).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_windows() {
        let of = |time| (timestamp(time).seconds, timestamp(time).nanoseconds);
        assert_eq!(of(116_444_736_000_000_000), (0, 0));
        assert_eq!(of(116_444_736_000_000_001), (0, 100));
        assert_eq!(of(116_444_735_999_999_999), (-1, 999_999_900));
    }
}
