//! Signed trees: who says that a sealed tree is theirs. Source: `docs/spec/statement.md`, section
//! 8.
//!
//! [`SIGNED`] in the tree has, by the file salts of what they are about: the statement about the
//! manifest, the list of all encrypted files, and the hashes of each file of more than one segment.
//! So an update writes all of these before the manifest that they belong to has its name, and a
//! reader finds those of the manifest that it has opened, whichever that is.
//!
//! Signatures are made and accepted by the caller: [`StatementSigner`], [`StatementAcceptor`].

mod accepted;
mod folder;
mod mirror;
mod sign;

use polyseal_file::statement::{Coverage, SegmentHashes, Statement, TreeVersion};
use polyseal_file::{ReadAt, Result as FileResult};

pub(super) use self::accepted::{ManifestSignature, coverage_of};
pub(super) use self::folder::SignedFolder;
pub use self::mirror::SignedTree;
pub(super) use self::sign::{TreeFiles, UnsignedTree, keep_hashes, now};

/// The directory in a sealed tree for its statement.
pub(super) const SIGNED: &str = ".polyseal-signed";

/// Someone who signs the statement about a tree, and accepts no other signatures than their own: an
/// update takes over from the manifest before what it does not encrypt, and so signs that again.
pub trait StatementSigner: StatementAcceptor {
    /// The stored form of a statement: with signatures and hashes.
    ///
    /// # Errors
    /// Why it was not signed.
    fn sign(&self, statement: &Statement, hashes: &SegmentHashes) -> FileResult<Vec<u8>>;
}

/// Someone who knows whose signatures are accepted.
pub trait StatementAcceptor: Sync {
    /// The payload that a stored statement covers, and the version of the tree that it is about, if
    /// one of its signatures is accepted.
    ///
    /// # Errors
    /// Why it is not accepted.
    fn accept(&self, stored: Box<dyn ReadAt + Send + Sync>) -> FileResult<(Coverage, TreeVersion)>;
}

/// Whether a tree that is made is signed.
#[derive(Clone, Copy)]
pub(crate) enum Signing<'a> {
    Unsigned,
    By(&'a dyn StatementSigner),
}

/// Whether a tree that is read has to be signed.
#[derive(Clone, Copy)]
pub(crate) enum SignatureRule<'a> {
    /// Nobody asked for a signature.
    NotAsked,
    Accepted(&'a dyn StatementAcceptor),
}
