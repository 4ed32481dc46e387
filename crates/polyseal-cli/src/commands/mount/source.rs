//! Where encrypted files are stored that are mounted: a directory, or a store.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{BsdFileFlags, FileAttr, FileType, INodeNo};
use polyseal_file::{AnyInspection, FormatInspection, ReadAt};
use polyseal_local::ShownNames;

/// The stored entries below the source. Paths have the names that are stored.
pub(super) trait MountSource: Send + Sync {
    /// The entries that the directory at `path` shows.
    fn entries(&self, path: &Path) -> io::Result<Arc<ShownNames>>;

    /// The entry at `path` now. An empty path is the source itself, as a directory.
    fn find(&self, path: &Path) -> io::Result<FoundEntry>;

    /// For how long the kernel may rely on an answer: stored files may be replaced.
    fn valid(&self) -> Duration;

    /// How many reads are answered at once.
    fn readers(&self) -> usize;

    /// Whether a file that was looked at is remembered, so that opening it does not look again:
    /// where that takes a request, and where reading from another version fails.
    fn keeps(&self) -> bool;
}

/// A directory, or one version of a file.
pub(super) struct FoundEntry {
    /// Without a number.
    pub(super) attributes: FileAttr,
    pub(super) file: Option<(FileVersion, EncryptedFile)>,
}

/// The encrypted file.
pub(super) type EncryptedFile = Box<dyn ReadAt + Send + Sync>;

/// Which file it is, and as of when; after a change it is another.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct FileVersion {
    /// The mark by which its place tells it from others.
    pub(super) stored: String,
    /// As its header says.
    pub(super) plaintext_bytes: u64,
}

/// The owner of an entry, its rights, and its times.
#[derive(Clone, Copy)]
pub(super) struct EntryAttributes {
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// The rights to read; those to enter a directory follow from them.
    pub(super) perm: u16,
    pub(super) accessed: SystemTime,
    pub(super) modified: SystemTime,
    pub(super) changed: SystemTime,
}

impl FoundEntry {
    pub(super) fn directory(owned: &EntryAttributes) -> Self {
        Self { attributes: owned.attributes(FileType::Directory, 0), file: None }
    }

    /// The version that `stored` names, which is read from `source`.
    pub(super) fn file(owned: &EntryAttributes, stored: String, source: EncryptedFile) -> Self {
        let plaintext_bytes = plaintext_bytes(&source);
        let attributes = owned.attributes(FileType::RegularFile, plaintext_bytes);
        Self { attributes, file: Some((FileVersion { stored, plaintext_bytes }, source)) }
    }
}

impl EntryAttributes {
    fn attributes(&self, kind: FileType, size: u64) -> FileAttr {
        const BLOCK: u64 = 512;
        let &Self { uid, gid, perm, accessed, modified, changed } = self;
        FileAttr {
            ino: INodeNo(0),
            size,
            blocks: size.div_ceil(BLOCK),
            atime: accessed,
            mtime: modified,
            ctime: changed,
            crtime: UNIX_EPOCH,
            kind,
            // Everyone who may read the one file may enter its directory.
            perm: if kind == FileType::Directory { perm | (perm & 0o444) >> 2 } else { perm },
            nlink: 1,
            uid,
            gid,
            rdev: 0,
            blksize: 1 << 16,
            flags: BsdFileFlags::empty().bits(),
        }
    }
}

/// By the header alone, of either format; none of it is authenticated here.
fn plaintext_bytes(source: &EncryptedFile) -> u64 {
    let payload = AnyInspection::from_source(source).ok().and_then(|it| match it.file {
        FormatInspection::Polyseal(file) => file.payload,
        FormatInspection::Age(file) => file.payload,
    });
    payload.and_then(|payload| payload.plaintext_bytes).unwrap_or(0)
}
