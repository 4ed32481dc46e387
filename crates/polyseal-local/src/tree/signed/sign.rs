//! The statement about a tree that is made, or that is there.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use polyseal_file::manifest::{Entry, FileBinding, Kind, Lineage, State};
use polyseal_file::statement::{NewList, Presence, SegmentHashes, Statement, TreeVersion};
use polyseal_file::{COMMITMENT_BYTES, Commitment, Header, PayloadRoot};

use super::folder::{Part, SignedFolder};
use super::{Signing, StatementSigner};
use crate::error::{Error, Problem, Result, file, sealing};
use crate::many::{FileOutcome, OnFile, Total, in_order};
use crate::tree::join::{Pair, path_of};
use crate::tree::open::SealedTree;
use crate::tree::sealed_manifest::ManifestBytes;
use crate::tree::staging;
use crate::tree::store::{StoredInput, TreeStorage};
use crate::tree::{manifest_name, sealed_name};

/// Seconds since 1970.
pub(in crate::tree) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The files of a tree, as its list will have them.
#[derive(Debug, Default)]
pub(in crate::tree) struct TreeFiles {
    list: NewList,
    salts: HashSet<[u8; COMMITMENT_BYTES]>,
}

impl TreeFiles {
    /// Adds an entry of the manifest, if it is of a file that is bound by its contents.
    pub(in crate::tree) fn push(&mut self, entry: &Entry) {
        let Some(commitment) = commitment(entry) else { return };
        let presence = match entry.state {
            State::Deleted => Presence::Deleted,
            State::New | State::Unchanged | State::Failed(_) => Presence::Required,
        };
        self.list.push(presence, &entry.path, commitment);
        self.salts.insert(commitment.file_salt);
    }
}

fn commitment(entry: &Entry) -> Option<&Commitment> {
    match &entry.kind {
        Kind::File { bound: FileBinding::Contents(commitment), .. } => Some(commitment),
        _ => None,
    }
}

/// All that a statement about a tree has, but a signature.
#[derive(Debug)]
pub(in crate::tree) struct UnsignedTree {
    pub(in crate::tree) statement: Statement,
    pub(in crate::tree) hashes: SegmentHashes,
    pub(in crate::tree) files: TreeFiles,
}

impl UnsignedTree {
    /// The same of the tree whose manifest the statement is about.
    pub(in crate::tree) fn new(
        statement: Statement,
        hashes: SegmentHashes,
        lineage: &Lineage,
        files: TreeFiles,
    ) -> Self {
        let previous = lineage
            .previous
            .map_or([0; COMMITMENT_BYTES], |previous| *previous.payload_root.as_bytes());
        let version = TreeVersion {
            number: lineage.number,
            previous,
            list_bytes: files.list.as_bytes().len() as u64,
            list: files.list.hash(),
        };
        Self { statement: statement.about_tree(version), hashes, files }
    }

    /// Signs it. It counts as soon as its manifest has its name.
    pub(in crate::tree) fn sign(
        &self,
        signer: &dyn StatementSigner,
        folder: &SignedFolder<'_>,
    ) -> Result {
        let salt = &self.statement.file_salt;
        let shown = folder.shown(Part::Statement, salt);
        let signed = signer.sign(&self.statement, &self.hashes).map_err(sealing(&shown))?;
        folder.write(Part::List, salt, self.files.list.as_bytes())?;
        folder.write(Part::Statement, salt, &signed)
    }

    /// Removes those of these names that are of earlier versions than that with this manifest.
    pub(in crate::tree) fn sweep(
        &self,
        folder: &SignedFolder<'_>,
        manifest: &[u8; COMMITMENT_BYTES],
        names: &[OsString],
    ) {
        folder.sweep(names, |salt| salt == manifest || self.files.salts.contains(salt));
    }
}

/// Keeps the hashes of an encrypted file that is there; nothing, if that has been deleted.
pub(in crate::tree) fn keep_hashes(
    storage: &TreeStorage,
    folder: &SignedFolder<'_>,
    entry: &Entry,
) -> Result {
    let Some(commitment) = commitment(entry) else { return Ok(()) };
    let path = sealed_name(&path_of(entry));
    let shown = storage.shown(&path);
    let hashes = match storage.input(&path) {
        Err(error) if error.is_not_found() && entry.state == State::Deleted => return Ok(()),
        input => hashes_of(input?, &shown)?,
    };
    let (header, hashes) = hashes;
    // The manifest has it already: a statement of the same must not fit another payload.
    if header.file_salt() != commitment.file_salt
        || commitment.payload_root != PayloadRoot::Tree(hashes.root())
    {
        return Err(Error::new(&shown, Problem::OtherContents));
    }
    folder.keep(&commitment.file_salt, &hashes)
}

/// The header and hashes of an encrypted file, which is read to its end.
pub(super) fn hashes_of(input: StoredInput, shown: &Path) -> Result<(Header, SegmentHashes)> {
    let mut reader = match input {
        StoredInput::File(file) => Box::new(file),
        StoredInput::Stream(stream) => stream,
    };
    let header = Header::read(&mut reader).map_err(file(shown))?;
    let hashes = SegmentHashes::read(&header, &mut reader).map_err(file(shown))?;
    Ok((header, hashes))
}

impl SealedTree<'_> {
    /// Signs the tree as it is: each encrypted file is read, and none is changed. It tells of each
    /// file whose hashes are kept.
    ///
    /// # Errors
    /// As [`verify`](Self::verify), and those of the signer. If a file fails, nothing is signed.
    pub fn sign(&self, signer: &dyn StatementSigner, tell: OnFile<'_>) -> Result<Total> {
        self.expect_no_update()?;
        let (storage, options) = (self.storage(), self.options());
        let staging = staging::begin(storage, options)?;
        // Else the statement of an update since then would be swept as an earlier one.
        if self.was_replaced() {
            return Err(Error::new(&storage.shown(Path::new("")), Problem::UpdatedMeanwhile));
        }
        let earlier = staging.signed_names()?;
        let folder = SignedFolder::new(storage, options);
        let lineage = self.lineage()?;
        self.expect();
        let mut files = TreeFiles::default();
        let total = in_order(
            self.pairs()?,
            options.jobs,
            options.progress,
            |pair| {
                let pair = pair?;
                let kept = match &pair {
                    Pair::File(entry) => {
                        let kept = keep_hashes(storage, &folder, entry);
                        kept.map(|()| Some(FileOutcome::AsSigned { bytes: bytes_of(entry) }))
                    }
                    Pair::Plain(_) | Pair::Gone(_) | Pair::Added(_) | Pair::AddedUnread(_) => {
                        Ok(None)
                    }
                    Pair::Missing(_) => {
                        Err(Error::new(&storage.shown(&pair.path()), Problem::Missing))
                    }
                    Pair::UnreadDirectory(path, error) => {
                        let again = std::io::Error::new(error.kind(), error.to_string());
                        Err(Error::io("read", &storage.shown(path), again))
                    }
                };
                Ok((pair, kept))
            },
            |outcomes| {
                let mut report = crate::many::FileReporter::new(tell, options.progress);
                for outcome in outcomes {
                    let (pair, kept) = outcome?;
                    let shown = storage.shown(&pair.path());
                    if let Pair::File(entry) | Pair::Plain(entry) | Pair::Gone(entry) = &pair {
                        files.push(entry);
                    }
                    if let Some(kept) = kept.transpose() {
                        report.file(&shown, kept)?;
                    }
                }
                report.end(&storage.shown(Path::new("")))
            },
        )?;
        if total.failed > 0 {
            return Ok(total);
        }
        let (manifest, header) = self.manifest();
        let shown = storage.shown(Path::new(&manifest_name()));
        let opened = header.authenticate(self.identities()).map_err(file(&shown))?;
        let mut payload = ManifestBytes { file: manifest, at: header.payload_offset() };
        let (statement, hashes) =
            Statement::of_opened(&opened, &mut payload, now()).map_err(file(&shown))?;
        let unsigned = UnsignedTree::new(statement, hashes, &lineage, files);
        unsigned.sign(signer, &folder)?;
        unsigned.sweep(&folder, &header.file_salt(), &earlier);
        Ok(total)
    }
}

fn bytes_of(entry: &Entry) -> u64 {
    match &entry.kind {
        Kind::File { plaintext_bytes, .. } => *plaintext_bytes,
        _ => 0,
    }
}

impl<'a> Signing<'a> {
    /// Where a tree that is signed keeps its hashes.
    pub(in crate::tree) fn folder(
        self,
        storage: &'a TreeStorage,
        options: &'a crate::options::Options<'a>,
    ) -> Option<SignedFolder<'a>> {
        match self {
            Self::Unsigned => None,
            Self::By(_) => Some(SignedFolder::new(storage, options)),
        }
    }
}
