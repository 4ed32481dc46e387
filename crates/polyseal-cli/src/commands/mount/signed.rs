//! The statements of files that are mounted: that of the tree, if the source is a signed one, or
//! the one beside each file.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polyseal_file::{Header, ReadAt};
use polyseal_local::{Directory, FileCoverage, Options, Problem, SignedTree, Store, with_suffix};

use super::source::EncryptedFile;
use crate::error::{Failure, Result};
use crate::objects;
use crate::statements::{SignaturePolicy, Signers, at_offsets, beside};

/// Which statements the files have to have.
pub(super) enum MountSignatures<'a> {
    NotAsked,
    /// The one of the tree. It is read again when the tree has been updated.
    Tree {
        source: &'a Path,
        signers: &'a Signers,
        tree: RefCell<Box<SignedTree<'a>>>,
    },
    /// One beside each file.
    Files {
        source: Source,
        signers: &'a Signers,
    },
}

pub(super) enum Source {
    Directory(Directory),
    File(PathBuf),
    Store(Arc<dyn Store>),
}

impl<'a> MountSignatures<'a> {
    pub(super) fn new(policy: &'a SignaturePolicy, source: &'a Path) -> Result<Self> {
        let SignaturePolicy::Required(signers) = policy else { return Ok(Self::NotAsked) };
        match open(source, signers) {
            Ok(tree) => Ok(Self::Tree { source, signers, tree: RefCell::new(Box::new(tree)) }),
            // A tree without its statement is none of single files, whose names nobody signs.
            Err(error) if matches!(error.problem(), Problem::NoManifest) => {
                let source = match objects::tree(source)? {
                    Some(store) => Source::Store(store),
                    None => Directory::open(source)
                        .map_or_else(|_| Source::File(source.to_owned()), Source::Directory),
                };
                Ok(Self::Files { source, signers })
            }
            Err(error) => Err(Failure::with_path(error)),
        }
    }

    /// A warning about what the statements do not say, if there is one.
    pub(super) fn limit(&self) -> Option<&'static str> {
        match self {
            Self::Files { source: Source::Directory(_) | Source::Store(_), .. } => {
                Some("it is no signed tree: each file is signed by itself, and its name is not")
            }
            Self::Files { .. } | Self::NotAsked | Self::Tree { .. } => None,
        }
    }

    /// The coverage of the file that is stored at `path` below the source.
    pub(super) fn of(&self, path: &Path, file: &EncryptedFile) -> Result<FileCoverage> {
        match self {
            Self::NotAsked => Ok(FileCoverage::NotAsked),
            Self::Tree { source, signers, tree } => {
                let bytes = file.size().map_err(|error| Failure::io("read", path, &error))?;
                let header = Header::read_at(file)?;
                let covered = tree.borrow().coverage(path, &header, bytes);
                covered
                    .or_else(|_| {
                        let newer = open(source, signers)?;
                        newer.expect_at_least(tree.borrow().number())?;
                        let covered = newer.coverage(path, &header, bytes);
                        **tree.borrow_mut() = newer;
                        covered
                    })
                    .map(FileCoverage::Accepted)
                    .map_err(Failure::with_path)
            }
            Self::Files { source, signers } => {
                let name = with_suffix(path, polyseal_file::statement::SUFFIX);
                let missing =
                    || Failure::not_signed(format!("{} has no statement", path.display()));
                let io = |error: std::io::Error| match error.kind() {
                    std::io::ErrorKind::NotFound => missing(),
                    _ => Failure::io("read the statement", &name, &error),
                };
                let stored: Box<dyn ReadAt + Send + Sync> = match source {
                    Source::Directory(directory) => Box::new(directory.file(&name).map_err(io)?),
                    Source::File(file) => {
                        at_offsets(&beside(file), "read the statement")?.ok_or_else(missing)?
                    }
                    Source::Store(store) => match store.open(&name) {
                        Ok(stored) => Box::new(StoredStatement(stored)),
                        Err(error) if matches!(error.problem(), Problem::Missing) => {
                            return Err(missing());
                        }
                        Err(error) => return Err(Failure::with_path(error)),
                    },
                };
                signers
                    .accept_stored(stored, &name)
                    .map(|accepted| FileCoverage::Accepted(accepted.coverage))
            }
        }
    }
}

fn open<'a>(source: &Path, signers: &'a Signers) -> polyseal_local::Result<SignedTree<'a>> {
    let options = Options::new();
    match objects::tree(source) {
        Ok(Some(store)) => SignedTree::open_in(store, signers, &options),
        _ => SignedTree::open(source, signers, &options),
    }
}

/// A statement in a store.
struct StoredStatement(Box<dyn polyseal_local::StoredFile>);

impl ReadAt for StoredStatement {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn size(&self) -> std::io::Result<u64> {
        self.0.size()
    }
}
