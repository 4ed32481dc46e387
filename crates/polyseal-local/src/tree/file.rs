//! One encrypted file of a tree.

use std::io;
use std::sync::Arc;

use polyseal_file::manifest::Reason;
use polyseal_file::statement::Coverage;
use polyseal_file::{Decryptor, Opener, ReadAt};

use super::store::ManifestFile;

/// An encrypted file of a tree, whose version stays what it was.
#[derive(Debug)]
pub struct TreeFile {
    pub(super) stored: ManifestFile,
    pub(super) not_taken: Option<Reason>,
    pub(super) coverage: FileCoverage,
}

/// Whether each part of a file is compared with what was signed.
#[derive(Clone, Debug)]
pub enum FileCoverage {
    /// Nobody asked for a signature.
    NotAsked,
    /// Its tree was signed by somebody who is accepted.
    Accepted(Arc<Coverage>),
}

impl FileCoverage {
    /// The decryptor for the file, which gives out nothing else than what was signed, if the tree
    /// had to be signed.
    #[must_use]
    pub fn apply<'a>(&'a self, decryptor: Decryptor<'a>) -> Decryptor<'a> {
        match self {
            Self::NotAsked => decryptor,
            Self::Accepted(coverage) => decryptor.covered_by(coverage),
        }
    }
}

impl TreeFile {
    /// Why it is as an earlier run has taken it, if it is.
    #[must_use]
    pub fn not_taken(&self) -> Option<Reason> {
        self.not_taken
    }

    /// The signed hashes that each part of it is compared with, if that was asked for.
    #[must_use]
    pub fn coverage(&self) -> &FileCoverage {
        &self.coverage
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
