//! Files in a directory, or one file, as they are mounted.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use polyseal_local::{FileId, ShownNames, ShownPlaintexts, cores};

use super::source::{EntryAttributes, FoundEntry, MountSource};

/// For how long the kernel may rely on an answer.
pub(super) const VALID: Duration = Duration::from_secs(1);

impl MountSource for ShownPlaintexts {
    fn entries(&self, path: &Path) -> io::Result<Arc<ShownNames>> {
        self.entries(path)
    }

    fn find(&self, path: &Path) -> io::Result<FoundEntry> {
        let file = self.stored(path)?;
        let metadata = file.metadata()?;
        let owned = EntryAttributes {
            uid: metadata.uid(),
            gid: metadata.gid(),
            perm: rights(&metadata),
            accessed: metadata.accessed().unwrap_or(UNIX_EPOCH),
            modified: metadata.modified().unwrap_or(UNIX_EPOCH),
            changed: change_time(&metadata),
        };
        // The one file that was named is shown in a directory of its own.
        if path == Path::new("") || metadata.is_dir() {
            return Ok(FoundEntry::directory(&owned));
        }
        let id = FileId::from_metadata(&metadata);
        let state = (id, metadata.ctime(), metadata.ctime_nsec(), metadata.len());
        Ok(FoundEntry::file(&owned, format!("{state:?}"), Box::new(file)))
    }

    fn valid(&self) -> Duration {
        VALID
    }

    fn readers(&self) -> usize {
        cores().get()
    }

    fn keeps(&self) -> bool {
        false
    }
}

/// The rights of a shown entry: the stored one's rights to read.
fn rights(metadata: &Metadata) -> u16 {
    let mode = (metadata.permissions().mode() & 0o777) as u16;
    if metadata.is_dir() { mode & 0o555 } else { mode & 0o444 }
}

fn change_time(metadata: &Metadata) -> SystemTime {
    u64::try_from(metadata.ctime()).map_or(UNIX_EPOCH, |s| UNIX_EPOCH + Duration::from_secs(s))
}
