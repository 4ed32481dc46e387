//! Directories of a tree, one after the other. The next entry is often in the directory that was
//! worked in last, or beneath it: so a deep tree is not resolved from its root for each name.

use std::io;
use std::path::{Path, PathBuf};

use crate::platform::Directory;

#[derive(Debug)]
pub(super) struct Cursor {
    root: Directory,
    path: PathBuf,
    directory: Directory,
}

impl Cursor {
    pub(super) fn new(root: Directory) -> Self {
        Self { directory: root.clone(), root, path: PathBuf::new() }
    }

    /// The directory `path` in the tree.
    pub(super) fn directory(&mut self, path: &Path) -> io::Result<Directory> {
        // As bytes: another way to write it is only resolved once more.
        if path.as_os_str() != self.path.as_os_str() {
            self.directory = match path.strip_prefix(&self.path) {
                Ok(rest) => self.directory.beneath(rest)?,
                Err(_) => self.root.beneath(path)?,
            };
            path.clone_into(&mut self.path);
        }
        Ok(self.directory.clone())
    }
}
