//! One encrypted file of a tree.

use std::io;

use polyseal_file::manifest::Reason;
use polyseal_file::{Opener, ReadAt};

use super::store::ManifestFile;

/// An encrypted file of a tree, whose version stays what it was.
#[derive(Debug)]
pub struct TreeFile {
    pub(super) stored: ManifestFile,
    pub(super) not_taken: Option<Reason>,
}

impl TreeFile {
    /// Why it is as an earlier run has taken it, if it is.
    #[must_use]
    pub fn not_taken(&self) -> Option<Reason> {
        self.not_taken
    }
}

impl ReadAt for TreeFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.stored.read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self.stored.size()
    }

    fn opener(&self) -> io::Result<Opener> {
        self.stored.opener()
    }
}
