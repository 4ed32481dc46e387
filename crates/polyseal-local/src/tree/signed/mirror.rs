//! A sealed tree that is known by its signed list alone: no key is needed.

use std::path::Path;
use std::sync::Arc;

use polyseal_file::manifest::{Entry, FileBinding, Kind, NO_STAMP, State, Timestamp};
use polyseal_file::statement::{Coverage, FileList, ListedFile, Presence};
use polyseal_file::{Header, PayloadRoot};

use super::accepted::{AcceptedTree, ManifestSignature, coverage_of};
use super::folder::{Part, SignedFolder};
use super::sign::hashes_of;
use super::{SignatureRule, StatementAcceptor};
use crate::error::{Error, ErrorContext, Problem, Result, file};
use crate::many::{FileOutcome, FileReporter, OnFile, Total, in_order};
use crate::options::{Choice, Options};
use crate::platform::path_bytes;
use crate::tree::choice::Chosen;
use crate::tree::join::{Join, Pair, path_of, unread_error};
use crate::tree::store::{ManifestFile, Store, TreeStorage};
use crate::tree::{SUFFIX, Tree, manifest_name};

/// A sealed tree whose statement was accepted. Its encrypted files are compared with the list that
/// goes with that: whether they open, and to what, is not known then, and nor is anything of their
/// headers but the salts.
pub struct SignedTree<'a> {
    storage: TreeStorage,
    manifest: ManifestFile,
    accepted: AcceptedTree,
    list: FileList,
    options: Options<'a>,
}

impl<'a> SignedTree<'a> {
    /// Opens the tree in the directory `path`. An update of it that was interrupted is not looked
    /// at: the files that it has replaced are others then.
    ///
    /// # Errors
    /// [`Problem::NoManifest`], [`Problem::NotSigned`], why its statement is not accepted, or an
    /// I/O error.
    pub fn open(
        path: &Path,
        acceptor: &'a dyn StatementAcceptor,
        options: &Options<'a>,
    ) -> Result<Self> {
        Self::open_storage(TreeStorage::Directory(Tree::open(path)?), acceptor, options)
    }

    /// Opens the tree in a store.
    ///
    /// # Errors
    /// As [`open`](Self::open), or the store's error.
    pub fn open_in(
        store: Arc<dyn Store>,
        acceptor: &'a dyn StatementAcceptor,
        options: &Options<'a>,
    ) -> Result<Self> {
        Self::open_storage(TreeStorage::Store(store), acceptor, options)
    }

    fn open_storage(
        storage: TreeStorage,
        acceptor: &'a dyn StatementAcceptor,
        options: &Options<'a>,
    ) -> Result<Self> {
        let name = manifest_name();
        let shown = storage.shown(Path::new(&name));
        let manifest = storage.manifest(Path::new(&name))?;
        let manifest = manifest.ok_or_else(|| Error::new(&shown, Problem::NoManifest))?;
        let header = manifest.header().map_err(file(&shown))?;
        let options = Options { signature: SignatureRule::Accepted(acceptor), ..*options };
        let ManifestSignature::Accepted(accepted) =
            ManifestSignature::read(&storage, &header, &options)?
        else {
            return Err(Error::new(&shown, Problem::NotSigned));
        };
        let list = accepted.read_list(&header, &SignedFolder::new(&storage, &options))?;
        Ok(Self { storage, manifest, accepted, list, options })
    }

    /// The number of its manifest: one more with each update.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.accepted.version.number
    }

    /// Refuses a tree that is older than the one of this number.
    ///
    /// # Errors
    /// [`Problem::OlderTree`].
    pub fn expect_at_least(&self, number: u64) -> Result {
        if self.number() >= number {
            return Ok(());
        }
        Err(Error::new(&self.storage.shown(Path::new("")), Problem::OlderTree(self.number())))
    }

    /// Reads every encrypted file and all hashes. Each file is there, is the signed one, and no
    /// other is there, unless `tell` is told otherwise.
    ///
    /// # Errors
    /// An error of the manifest or of `tell`, which ends the run; or that it was cancelled.
    pub fn verify(&self, tell: OnFile<'_>) -> Result<Total> {
        let name = self.storage.shown(Path::new(&manifest_name()));
        let options = &self.options;
        let covered = self.accepted.coverage.verify_stored(&self.manifest, options.jobs);
        covered.map_err(file(&name))?;
        options.progress.expect(self.list.files().len() as u64, 0);
        in_order(
            self.pairs()?,
            options.jobs,
            options.progress,
            |pair| {
                let pair = pair?;
                let shown = self.storage.shown(&pair.path());
                let done = self.verify_pair(pair, &shown);
                Ok((shown, done))
            },
            |outcomes| {
                let mut report = FileReporter::new(tell, options.progress);
                for outcome in outcomes {
                    let (path, done): (_, Result<Option<FileOutcome>>) = outcome?;
                    if let Some(done) = done.transpose() {
                        report.file(&path, done)?;
                    }
                }
                report.end(&self.storage.shown(Path::new("")))
            },
        )
    }

    /// Its files as entries of a manifest, beside those that are there.
    fn pairs(&self) -> Result<Box<dyn Iterator<Item = Result<Pair>> + Send + '_>> {
        let entries = self.list.files().iter().map(|listed| Ok(entry(listed)));
        let exclude = self.options.exclude;
        if let Choice::Only(wanted) = self.options.choice {
            return Ok(Box::new(Chosen::new(Box::new(entries), wanted, exclude)));
        }
        Ok(Box::new(Join::new(entries, self.storage.walk(exclude)?, exclude)))
    }

    fn verify_pair(&self, pair: Pair, shown: &Path) -> Result<Option<FileOutcome>> {
        match pair {
            Pair::File(entry) => match self.verify_file(&entry, shown) {
                Err(error) if error.is_not_found() && entry.state == State::Deleted => Ok(None),
                verified => verified.map(Some),
            },
            Pair::Plain(_) | Pair::Gone(_) => Ok(None),
            Pair::Missing(_) => Err(Error::new(shown, Problem::Missing)),
            Pair::Added(_) | Pair::AddedUnread(_) => Err(Error::new(shown, Problem::Added)),
            Pair::UnreadDirectory(_, error) => Err(unread_error(shown, error)),
        }
    }

    fn verify_file(&self, entry: &Entry, shown: &Path) -> Result<FileOutcome> {
        let Kind::File { bound: FileBinding::Contents(commitment), .. } = &entry.kind else {
            return Err(Error::new(shown, Problem::OtherFile));
        };
        let path = crate::tree::sealed_name(&path_of(entry));
        let (header, hashes) = hashes_of(self.storage.input(&path)?, shown)?;
        if header.file_salt() != commitment.file_salt {
            return Err(Error::new(shown, Problem::OtherFile));
        }
        if PayloadRoot::Tree(hashes.root()) != commitment.payload_root {
            return Err(Error::new(shown, Problem::OtherContents));
        }
        // A reader of a part relies on them.
        let folder = SignedFolder::new(&self.storage, &self.options);
        let mut expected = Vec::new();
        hashes.write(&mut expected).cannot("read", shown)?;
        if !expected.is_empty() {
            let kept = folder.read(Part::Hashes, &commitment.file_salt, expected.len() as u64)?;
            if kept != expected {
                let shown = folder.shown(Part::Hashes, &commitment.file_salt);
                return Err(Error::new(&shown, Problem::OtherContents));
            }
        }
        Ok(FileOutcome::AsSigned { bytes: hashes.payload_bytes() })
    }

    /// The coverage of the encrypted file at this path in the tree, with this header and so many
    /// bytes.
    ///
    /// # Errors
    /// [`Problem::Added`] if the list does not have it, or why it cannot be the signed one.
    pub fn coverage(&self, path: &Path, header: &Header, file_bytes: u64) -> Result<Arc<Coverage>> {
        let shown = self.storage.shown(path);
        let folder = SignedFolder::new(&self.storage, &self.options);
        let bytes = path_bytes(path);
        let found = bytes.strip_suffix(SUFFIX.as_bytes()).and_then(|path| self.list.find(path));
        let found = found.ok_or_else(|| Error::new(&shown, Problem::Added))?;
        coverage_of(&folder, &found.commitment, header, file_bytes, &shown)
    }
}

impl std::fmt::Debug for SignedTree<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignedTree")
            .field("storage", &self.storage)
            .field("version", &self.accepted.version)
            .finish_non_exhaustive()
    }
}

/// The entry of a manifest that a listed file stands for.
fn entry(listed: &ListedFile) -> Entry {
    let ListedFile { presence, path, commitment } = listed;
    let state = match presence {
        Presence::Required => State::Unchanged,
        Presence::Deleted => State::Deleted,
    };
    let bound = FileBinding::Contents(*commitment);
    let kind = Kind::File { plaintext_bytes: 0, bound, stamp: NO_STAMP };
    Entry { path: path.clone(), state, mode: 0, modified: Timestamp::ZERO, kind }
}
