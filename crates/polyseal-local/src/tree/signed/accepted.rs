//! The statement about a manifest that is opened.

use std::path::Path;
use std::sync::Arc;

use polyseal_file::statement::{Coverage, FileList, TreeVersion};
use polyseal_file::{Commitment, Decryptor, Header, ReadAt};

use super::SignatureRule;
use super::folder::{Part, SignedFolder};
use crate::error::{Error, Problem, Result, file};
use crate::options::Options;
use crate::tree::store::TreeStorage;

/// The finding about the statement of a manifest.
pub(in crate::tree) enum ManifestSignature {
    /// Nobody asked for one.
    NotAsked,
    Accepted(AcceptedTree),
}

/// A tree whose signer was accepted.
pub(in crate::tree) struct AcceptedTree {
    pub(in crate::tree) coverage: Arc<Coverage>,
    pub(in crate::tree) version: TreeVersion,
}

impl ManifestSignature {
    /// That of the manifest with this header, if one has to be accepted.
    ///
    /// # Errors
    /// [`Problem::NotSigned`], or why it is not accepted.
    pub(in crate::tree) fn read(
        storage: &TreeStorage,
        header: &Header,
        options: &Options<'_>,
    ) -> Result<Self> {
        let SignatureRule::Accepted(acceptor) = options.signature else {
            return Ok(Self::NotAsked);
        };
        let folder = SignedFolder::new(storage, options);
        let salt = header.file_salt();
        let shown = folder.shown(Part::Statement, &salt);
        let tree = storage.shown(Path::new(""));
        let stored = folder.open(Part::Statement, &salt)?;
        let stored = stored.ok_or_else(|| Error::new(&tree, Problem::NotSigned))?;
        let accepted = acceptor.accept(Box::new(stored)).map_err(file(&shown))?;
        let (coverage, version) = accepted;
        coverage.expect_header(header).map_err(file(&shown))?;
        Ok(Self::Accepted(AcceptedTree { coverage: Arc::new(coverage), version }))
    }

    /// The decryptor for the manifest, which gives out nothing else than what was signed.
    pub(in crate::tree) fn covering<'a>(&'a self, decryptor: Decryptor<'a>) -> Decryptor<'a> {
        match self {
            Self::NotAsked => decryptor,
            Self::Accepted(AcceptedTree { coverage, .. }) => decryptor.covered_by(coverage),
        }
    }

    /// Refuses a manifest of another number than the signed one.
    pub(in crate::tree) fn expect_number(&self, number: u64, shown: &Path) -> Result {
        match self {
            Self::Accepted(AcceptedTree { version, .. }) if version.number != number => {
                Err(Error::new(shown, Problem::OtherFile))
            }
            Self::NotAsked | Self::Accepted(_) => Ok(()),
        }
    }
}

impl AcceptedTree {
    /// The list of its files, by the header of its manifest.
    pub(super) fn read_list(&self, header: &Header, folder: &SignedFolder<'_>) -> Result<FileList> {
        let salt = header.file_salt();
        let bytes = folder.read(Part::List, &salt, self.version.list_bytes)?;
        let shown = folder.shown(Part::List, &salt);
        self.version.read_list(&bytes).map_err(file(&shown))
    }
}

/// The coverage of one file of a signed tree.
///
/// # Errors
/// That its hashes are not there, or are not of this file.
pub(in crate::tree) fn coverage_of(
    folder: &SignedFolder<'_>,
    commitment: &Commitment,
    header: &Header,
    file_bytes: u64,
    shown: &Path,
) -> Result<Arc<Coverage>> {
    let hashes: Box<dyn ReadAt + Send + Sync> =
        match folder.open(Part::Hashes, &commitment.file_salt)? {
            Some(stored) => Box::new(stored),
            // One segment has none.
            None => Box::new(Vec::new()),
        };
    let coverage = Coverage::of_commitment(commitment, header, file_bytes, hashes);
    coverage.map(Arc::new).map_err(file(shown))
}
