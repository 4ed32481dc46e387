//! Outputs that are no regular files: they are written to as they are.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::FileId;
use crate::platform::links_are_ours;

/// A FIFO or a character device, such as `/dev/null`, under a name.
#[derive(Debug)]
pub struct SpecialFile {
    path: PathBuf,
    found: Metadata,
}

impl SpecialFile {
    /// The pipe or character device at `path`; `None` for anything else.
    #[must_use]
    pub fn find(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        let kind = found.file_type();
        (kind.is_fifo() || kind.is_char_device()).then(|| Self { path: path.to_owned(), found })
    }

    /// Whether it was put there by this user or by root, and so was every link that leads to it.
    /// Another user would read the output, or it would be lost.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        [geteuid().as_raw(), 0].contains(&self.found.uid()) && links_are_ours(&self.path)
    }

    /// Opens it to be written to, unless the name has come to mean another file.
    ///
    /// # Errors
    /// An I/O error.
    pub fn open(&self) -> io::Result<Option<File>> {
        let file = OpenOptions::new().write(true).open(&self.path)?;
        let is_it = FileId::from_metadata(&file.metadata()?) == FileId::from_metadata(&self.found);
        Ok(is_it.then_some(file))
    }
}
