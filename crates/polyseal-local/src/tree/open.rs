//! Decrypting a tree, and verifying it. The whole manifest is read, and found to be one, before
//! anything else is done.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polyseal_file::manifest::{
    Entry, FileBinding, Kind, Lineage, Problem as ManifestProblem, State,
};
use polyseal_file::{
    COMMITMENT_BYTES, Commitment, Context, Decryptor, Error as FileError, Header, Identities,
    Input, Output, ReadAt, Summary,
};

use super::choice::Chosen;
use super::decrypted::DecryptedTree;
use super::file::{FileCoverage, TreeFile};
use super::join::{Join, Pair, path_of, unread_error};
use super::names::TreeNames;
use super::sealed_manifest::{Entries, SealedManifest};
use super::settled::{Settled, Staged};
use super::signed::{ManifestSignature, SignatureRule, SignedFolder, coverage_of};
use super::staging::{self, coming_path, staged_path};
use super::store::{ManifestFile, Store, StoredInput, TreeStorage};
use super::target::{AccessRule, NewTree};
use super::update::SameContents;
use super::{Tree, manifest_name, sealed_name};
use crate::error::{Error, ErrorContext, Problem, Result, file, manifest_error};
use crate::many::{FileOutcome, FileReporter, OnFile, Total, in_order};
use crate::options::{Choice, Options};
use crate::place::Place;
use crate::platform::{NAMES_MAY_BE_ONE, contents, process_mask};
use crate::rekey::backup;
use crate::watch::watched;

/// Entries, whichever manifest they are of.
pub(super) type BoxedEntries<'a> = Box<dyn Iterator<Item = Result<Entry>> + Send + 'a>;

/// A sealed tree whose manifest has been read, to its end.
pub struct SealedTree<'a> {
    storage: TreeStorage,
    manifest: SealedManifest,
    /// The tree's own, where an update was interrupted: the other is then the coming one.
    earlier: Option<SealedManifest>,
    options: Options<'a>,
    decryptor: Decryptor<'a>,
    files: u64,
    bytes: u64,
}

impl<'a> SealedTree<'a> {
    /// Opens the tree in the directory `path`. If an update of it was interrupted, it is as that
    /// would have left it.
    ///
    /// # Errors
    /// [`Problem::NoManifest`], [`Problem::Manifest`], [`Problem::File`] if the manifest does not
    /// open, or an I/O error.
    pub fn open(path: &Path, decryptor: Decryptor<'a>, options: &Options<'a>) -> Result<Self> {
        Self::open_storage(TreeStorage::Directory(Tree::open(path)?), decryptor, options)
    }

    /// Opens the tree in a store.
    ///
    /// # Errors
    /// As [`open`](Self::open), or the store's error.
    pub fn open_in(
        store: Arc<dyn Store>,
        decryptor: Decryptor<'a>,
        options: &Options<'a>,
    ) -> Result<Self> {
        Self::open_storage(TreeStorage::Store(store), decryptor, options)
    }

    fn open_storage(
        storage: TreeStorage,
        decryptor: Decryptor<'a>,
        options: &Options<'a>,
    ) -> Result<Self> {
        let current = Self::open_current(storage, decryptor, options)?;
        match current.coming()? {
            Some(coming) => current.updated(coming),
            None => Ok(current),
        }
    }

    /// The same, as the tree is without an update that was interrupted.
    pub(super) fn open_current(
        storage: TreeStorage,
        decryptor: Decryptor<'a>,
        options: &Options<'a>,
    ) -> Result<Self> {
        let name = PathBuf::from(manifest_name());
        let manifest = storage
            .manifest(&name)?
            .ok_or_else(|| Error::new(&storage.shown(&name), Problem::NoManifest))?;
        let shown = storage.shown(&name);
        let header = manifest.header().map_err(file(&shown))?;
        let signature = ManifestSignature::read(&storage, &header, options)?;
        let manifest = SealedManifest::open(manifest, shown, signature, &decryptor, options)?;
        let (earlier, options, files, bytes) = (None, *options, 0, 0);
        let sealed = Self { storage, manifest, earlier, options, decryptor, files, bytes };
        sealed.read_to_end()
    }

    /// Reads all of the manifest, so that nothing is done by a part of one.
    fn read_to_end(mut self) -> Result<Self> {
        let entries = self.entries()?;
        let lineage = entries.lineage().copied();
        let (mut files, mut bytes) = (0, 0_u64);
        for entry in entries {
            let entry = entry.map_err(manifest_error(self.manifest_shown()))?;
            if let (Kind::File { plaintext_bytes, .. }, false) =
                (&entry.kind, entry.state == State::Deleted)
            {
                files += 1;
                bytes = bytes.saturating_add(*plaintext_bytes);
            }
        }
        (self.files, self.bytes, self.manifest.lineage) = (files, bytes, lineage);
        self.manifest.expect_signed_number()?;
        Ok(self)
    }

    /// The coming manifest, if there is one that comes directly after this.
    pub(super) fn coming(&self) -> Result<Option<SealedManifest>> {
        let Some(coming) = self.storage.manifest(&coming_path())? else { return Ok(None) };
        // Anyone who can write there can leave something: it is nothing of the tree.
        let shown = self.shown(&coming_path());
        let Ok(header) = coming.header() else { return Ok(None) };
        let signature = or_unread(ManifestSignature::read(&self.storage, &header, &self.options))?;
        let Some(signature) = signature else { return Ok(None) };
        let opened = SealedManifest::open_coming(coming, shown, signature, &self.decryptor);
        let Some(coming) = or_unread(opened)? else { return Ok(None) };
        let entries = or_unread(coming.entries(self.decryptor))?;
        let lineage = entries.and_then(|it| it.lineage().copied());
        let follows = match lineage {
            Some(lineage) => {
                lineage.follows(self.number(), &self.manifest.commitment(self.decryptor)?)
            }
            None => false,
        };
        Ok(Some(coming).filter(|_| follows))
    }

    /// The tree of this coming manifest.
    pub(super) fn updated(self, coming: SealedManifest) -> Result<Self> {
        Self { earlier: Some(self.manifest), manifest: coming, ..self }.read_to_end()
    }

    /// The path of the manifest, for messages.
    pub(super) fn manifest_shown(&self) -> &Path {
        &self.manifest.shown
    }

    /// The lineage of its manifest.
    pub(super) fn lineage(&self) -> Result<Lineage> {
        let lineage = self.manifest.lineage;
        lineage.ok_or_else(|| {
            Error::new(self.manifest_shown(), Problem::Manifest(ManifestProblem::UnboundContents))
        })
    }

    /// The identities that it opens with.
    pub(super) fn identities(&self) -> &'a Identities<'a> {
        self.decryptor.identities()
    }

    /// The lineage of a manifest that comes after the tree's own.
    pub(super) fn next_lineage(&self) -> Result<Lineage> {
        let own = self.earlier.as_ref().unwrap_or(&self.manifest);
        Ok(Lineage::after(own.number(), own.commitment(self.decryptor)?))
    }

    /// The number of its manifest: one more with each update. 0 before version 3.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.manifest.number()
    }

    /// The file salt of its manifest: that of another version, or of another tree, has another.
    #[must_use]
    pub fn manifest_salt(&self) -> [u8; COMMITMENT_BYTES] {
        self.manifest.header.file_salt()
    }

    /// Refuses a tree whose manifest is not the one with this file salt.
    ///
    /// # Errors
    /// [`Problem::UpdatedMeanwhile`].
    pub fn expect_manifest(&self, file_salt: &[u8; COMMITMENT_BYTES]) -> Result {
        if self.manifest_salt() == *file_salt {
            return Ok(());
        }
        Err(Error::new(&self.shown(Path::new("")), Problem::UpdatedMeanwhile))
    }

    /// Refuses a tree that is older than the one of this number. One whose update was interrupted
    /// counts as before: any of its files may be.
    ///
    /// # Errors
    /// [`Problem::OlderTree`].
    pub fn expect_at_least(&self, number: u64) -> Result {
        let found = self.earlier.as_ref().unwrap_or(&self.manifest).number();
        if found >= number {
            return Ok(());
        }
        Err(Error::new(&self.shown(Path::new("")), Problem::OlderTree(found)))
    }

    /// Refuses a tree whose update was interrupted: only the next one finishes it.
    pub(crate) fn expect_no_update(&self) -> Result {
        if self.is_interrupted() { Err(self.interrupted()) } else { Ok(()) }
    }

    /// The same, and keeps updates out as long as the result lives: of a tree that is written to.
    pub(crate) fn keep_updates_out(&self) -> Result<impl Sized + '_> {
        self.expect_no_update()?;
        staging::begin(&self.storage, &self.options)
    }

    /// Whether an update of it was interrupted, and is not finished.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.earlier.is_some()
    }

    fn interrupted(&self) -> Error {
        Error::new(&self.shown(Path::new("")), Problem::InterruptedUpdate)
    }

    /// Opens all of it, and keeps nothing. Every file is there, is authentic and belongs to its
    /// name, no other is there, and all of the source was taken, unless `tell` is told otherwise.
    ///
    /// # Errors
    /// An error of the manifest or of `tell`, which ends the run; or that it was cancelled.
    pub fn verify(&self, tell: OnFile<'_>) -> Result<Total> {
        self.for_each_entry(
            tell,
            |_| Ok(()),
            |_, _| Ok(()),
            |_| Ok(None),
            |entry| {
                let (summary, _) = self.carry(entry, Output::Stream(&mut io::sink()))?;
                Ok(FileOutcome::Verified { bytes: summary.plaintext_bytes })
            },
        )
    }

    /// Decrypts it into another directory. Only files appear that belong to their names.
    ///
    /// # Errors
    /// As [`verify`](Self::verify), and those of the directory; [`Problem::ImpossibleName`] and
    /// [`Problem::OneFile`] before anything is written.
    pub fn decrypt(&self, to: NewTree, tell: OnFile<'_>) -> Result<Total> {
        self.expect_names_of_here()?;
        let mask = process_mask();
        let to = DecryptedTree { to: to.make()?, options: &self.options, mask };
        let mut open = Vec::new();
        let done = self.for_each_entry(
            tell,
            |entry| if self.is_left_out(entry) { Ok(()) } else { to.directory(entry) },
            |entry, report| match entry {
                Some(entry) if self.is_left_out(entry) => Ok(()),
                entry => to.leave(&mut open, entry, report),
            },
            |entry| to.link(entry),
            |entry| {
                if self.is_left_out(entry) {
                    return Ok(FileOutcome::Deleted);
                }
                if self.options.resume
                    && let Some(bytes) = self.is_restored(entry, &to)?
                {
                    return Ok(FileOutcome::Unchanged { bytes });
                }
                let mut output = to.to.create(&path_of(entry), &self.options)?;
                let (summary, _) = self.carry(entry, Output::File(output.file()))?;
                output.set(to.mode(entry.mode), entry.modified)?;
                output.commit()?;
                Ok(FileOutcome::Decrypted { bytes: summary.plaintext_bytes })
            },
        )?;
        if done.failed == 0 {
            to.to.keep();
        }
        Ok(done)
    }

    /// Whether an entry is of something that has been deleted, and nobody wants it back.
    fn is_left_out(&self, entry: &Entry) -> bool {
        entry.state == State::Deleted && !self.options.deleted
    }

    /// Whether the file of `entry` is there, with its contents, mode and time; its length.
    fn is_restored(&self, entry: &Entry, to: &DecryptedTree<'_>) -> Result<Option<u64>> {
        let Kind::File { plaintext_bytes, .. } = &entry.kind else { return Ok(None) };
        let place = to.to.tree.place(&path_of(entry), "read")?;
        let Ok((file, seen)) = place.file_and_status() else { return Ok(None) };
        // One that others can reach may be changed by them, and has to be made anew.
        if seen.bytes() != *plaintext_bytes
            || !seen.is_ours()
            || to.to.reach == AccessRule::OwnerOnly
        {
            return Ok(None);
        }
        let mut same = SameContents { file: &file, at: 0 };
        match self.carry(entry, Output::Stream(&mut same)) {
            Ok(_) => {}
            Err(error) if is_difference(&error) => return Ok(None),
            Err(error) => return Err(error),
        }
        contents::set(&file, to.mode(entry.mode), entry.modified).cannot("write", &place.shown)?;
        Ok(Some(*plaintext_bytes))
    }

    /// Does `each` for the entries of its manifest, in their order.
    ///
    /// # Errors
    /// An error of the manifest, or of `each`.
    pub fn list(&self, each: &mut dyn FnMut(&Entry) -> Result) -> Result {
        for pair in self.listed()? {
            each(&pair?)?;
        }
        Ok(())
    }

    /// The entries of its manifest and their paths, in their order, from a tree that is needed no
    /// longer. All are there, whatever was to be left out.
    ///
    /// # Errors
    /// An error of the manifest.
    pub fn into_entries(
        self,
    ) -> Result<impl Iterator<Item = Result<(PathBuf, Entry)>> + Send + use<>> {
        let Self { manifest, decryptor, .. } = self;
        let shown = manifest.shown.clone();
        Ok(manifest.into_entries(decryptor)?.map(move |entry| {
            let entry = entry.map_err(manifest_error(&shown))?;
            Ok((path_of(&entry), entry))
        }))
    }

    fn listed(&self) -> Result<impl Iterator<Item = Result<Entry>> + '_> {
        let wanted = move |entry: &Result<Entry>| match (entry, self.options.choice) {
            (Ok(entry), Choice::Only(wanted)) => wanted(&path_of(entry)),
            _ => true,
        };
        let exclude = self.options.exclude;
        let kept = move |entry: &Result<Entry>| {
            entry.as_ref().map_or(true, |it| !path_of(it).ancestors().any(exclude))
        };
        Ok(self.entries_now()?.filter(move |entry| kept(entry) && wanted(entry)))
    }

    /// The encrypted file of the tree at `path`, which is that of its entry by salt and key. Only
    /// who reads all of it, as [`verify`](Self::verify) does, knows that its contents are.
    ///
    /// # Errors
    /// [`Problem::NotInTree`], [`Problem::OtherFile`], [`Problem::Missing`] or an I/O error.
    pub fn file(&self, path: &Path) -> Result<TreeFile> {
        let shown = self.shown(path);
        let entry = self
            .listed()?
            .find(|entry| entry.as_ref().map_or(true, |entry| path_of(entry) == path));
        let not_there = || Error::new(&shown, Problem::NotInTree);
        let entry = entry.transpose()?.ok_or_else(not_there)?;
        let Kind::File { bound, .. } = &entry.kind else { return Err(not_there()) };
        let taken = match entry.state {
            State::Deleted => return Err(not_there()),
            State::Failed(reason) => Some(reason),
            State::New | State::Unchanged => None,
        };
        let stored = self.stored(&entry, bound)?;
        let header = stored.header().map_err(file(&shown))?;
        let unlocked = header.authenticate(self.decryptor.identities()).map_err(file(&shown))?;
        match bound {
            FileBinding::Contents(commitment) => unlocked.expect(commitment),
            FileBinding::Salt(salt) if header.file_salt() == *salt => Ok(()),
            FileBinding::Salt(_) => Err(FileError::OtherFile),
        }
        .map_err(|error| match error {
            FileError::OtherFile => Error::new(&shown, Problem::OtherFile),
            error => file(&shown)(error),
        })?;
        let coverage = match (self.options.signature, bound) {
            (SignatureRule::NotAsked, _) => FileCoverage::NotAsked,
            (SignatureRule::Accepted(_), FileBinding::Contents(commitment)) => {
                let folder = SignedFolder::new(&self.storage, &self.options);
                let bytes = stored.size().cannot("read", &shown)?;
                let covered = coverage_of(&folder, commitment, &header, bytes, &shown)?;
                FileCoverage::Accepted(covered)
            }
            (SignatureRule::Accepted(_), FileBinding::Salt(_)) => {
                return Err(Error::new(&shown, Problem::NotSigned));
            }
        };
        Ok(TreeFile { stored, not_taken: taken, coverage })
    }

    fn stored(&self, entry: &Entry, bound: &FileBinding) -> Result<ManifestFile> {
        let name = sealed_name(&path_of(entry));
        let staged = match self.is_staged(entry) {
            true => self.storage.manifest(&staged_path(bound.file_salt()))?,
            false => None,
        };
        match staged {
            Some(staged) => Ok(staged),
            None => self
                .storage
                .manifest(&name)?
                .ok_or_else(|| Error::new(&self.shown(&name), Problem::Missing)),
        }
    }

    /// Refuses names that this system does not have or does not tell apart, before anything is
    /// written. Entries that are left out may have any name.
    fn expect_names_of_here(&self) -> Result {
        if !NAMES_MAY_BE_ONE {
            return Ok(());
        }
        let root = self.shown(Path::new(""));
        let (mut names, mut left_out) = (TreeNames::default(), None::<PathBuf>);
        for entry in self.entries()? {
            let entry = entry.map_err(manifest_error(self.manifest_shown()))?;
            let path = path_of(&entry);
            if left_out.as_ref().is_some_and(|out| path.starts_with(out)) {
                continue;
            }
            if (self.options.exclude)(&path) {
                left_out = Some(path);
                continue;
            }
            names.pass(&entry, &root)?;
        }
        Ok(())
    }

    /// Where its files are.
    pub(crate) fn storage(&self) -> &TreeStorage {
        &self.storage
    }

    /// The directory that it is in.
    pub(crate) fn tree(&self) -> Result<&Tree> {
        self.storage.directory()
    }

    pub(crate) fn shown(&self, path: &Path) -> PathBuf {
        self.storage.shown(path)
    }

    pub(crate) fn options(&self) -> &Options<'a> {
        &self.options
    }

    /// Tells how much there is to be done.
    pub(crate) fn expect(&self) {
        self.options.progress.expect(self.files, self.bytes);
    }

    /// The manifest's entries and the files on disk, side by side.
    pub(crate) fn pairs(&self) -> Result<Box<dyn Iterator<Item = Result<Pair>> + Send + '_>> {
        let (entries, exclude) = (self.entries_now()?, self.options.exclude);
        if let Choice::Only(wanted) = self.options.choice {
            return Ok(Box::new(Chosen::new(entries, wanted, exclude)));
        }
        Ok(Box::new(Join::new(entries, self.storage.walk(exclude)?, exclude)))
    }

    /// The manifest, and the header that it had when it was read.
    pub(crate) fn manifest(&self) -> (&ManifestFile, &Header) {
        (&self.manifest.file, &self.manifest.header)
    }

    pub(super) fn manifest_place(&self) -> Result<Place> {
        self.tree()?.place(Path::new(&manifest_name()), "write")
    }

    /// The context that the manifest is bound to; `None` for the context of the files.
    pub(crate) fn manifest_context(&self) -> Option<&Context> {
        self.manifest.context()
    }

    pub(super) fn entries(&self) -> Result<Entries<&ManifestFile>> {
        self.manifest.entries(self.decryptor)
    }

    /// The same; after an interrupted update, each file as it is there.
    fn entries_now(&self) -> Result<BoxedEntries<'_>> {
        self.entries_settled(Staged::Count)
    }

    pub(super) fn entries_settled(&self, staged: Staged) -> Result<BoxedEntries<'_>> {
        let newest = self.newest_entries()?;
        let Some(earlier) = &self.earlier else { return Ok(newest) };
        let earlier = self.entries_of(earlier)?;
        Ok(Box::new(Settled::new(newest, earlier, &self.storage, staged)))
    }

    /// The entries of the coming manifest, or of the tree's own.
    pub(super) fn newest_entries(&self) -> Result<BoxedEntries<'_>> {
        self.entries_of(&self.manifest)
    }

    fn entries_of<'b>(&'b self, manifest: &'b SealedManifest) -> Result<BoxedEntries<'b>> {
        let entries = manifest.entries(self.decryptor)?;
        Ok(Box::new(entries.map(|entry| entry.map_err(manifest_error(&manifest.shown)))))
    }

    /// Opens the file of `entry`, which must be the one that belongs to it. Nothing of it may be
    /// used before this has succeeded.
    pub(super) fn carry(&self, entry: &Entry, output: Output<'_>) -> Result<(Summary, Commitment)> {
        match self.input(entry)? {
            StoredInput::File(file) => self.carry_from(entry, Input::File(&file), output),
            StoredInput::Stream(mut stream) => {
                self.carry_from(entry, Input::Stream(&mut *stream), output)
            }
        }
    }

    /// The encrypted file of `entry`. After an interrupted update, a new one may not have its name
    /// yet.
    fn input(&self, entry: &Entry) -> Result<StoredInput> {
        let name = sealed_name(&path_of(entry));
        let Kind::File { bound, .. } = &entry.kind else { return self.storage.input(&name) };
        if !self.is_staged(entry) {
            return self.storage.input(&name);
        }
        match self.storage.input(&staged_path(bound.file_salt())) {
            Err(error) if error.is_not_found() => self.storage.input(&name),
            staged => staged,
        }
    }

    /// The same, where that file is open.
    pub(super) fn carry_from(
        &self,
        entry: &Entry,
        input: Input<'_>,
        output: Output<'_>,
    ) -> Result<(Summary, Commitment)> {
        let shown = self.shown(&sealed_name(&path_of(entry)));
        let other = |problem| Error::new(&shown, problem);
        let Kind::File { plaintext_bytes, bound, .. } = &entry.kind else {
            return Err(other(Problem::OtherFile));
        };
        let decryptor = match bound {
            FileBinding::Contents(commitment) => self.decryptor.expecting(commitment),
            // The manifest is of version 1, which the caller has allowed.
            FileBinding::Salt(_) => self.decryptor.committing(),
        };
        let opened = watched(self.options.progress, decryptor.run_options(), |run| {
            decryptor.running(run).decrypt(input, output)
        });
        let summary = match opened {
            Err(FileError::OtherFile) => return Err(other(Problem::OtherFile)),
            Err(FileError::OtherContents) => return Err(other(Problem::OtherContents)),
            opened => opened.map_err(file(&shown))?,
        };
        match summary.commitment {
            Some(found) if found.file_salt == *bound.file_salt() => {
                if summary.plaintext_bytes != *plaintext_bytes {
                    return Err(other(Problem::OtherFile));
                }
                Ok((summary, found))
            }
            _ => Err(other(Problem::OtherFile)),
        }
    }

    /// Does `work` or `links` for an entry, whose directory has been begun.
    fn work_on_pair(
        &self,
        pair: Result<(Pair, Result)>,
        links: &impl Fn(&Entry) -> Result<Option<FileOutcome>>,
        work: &impl Fn(&Entry) -> Result<FileOutcome>,
    ) -> Result<EntryResult> {
        let (pair, begun) = pair?;
        let shown = self.shown(&pair.path());
        let pair = match pair {
            // It has not got its name yet.
            Pair::Missing(entry) if self.is_staged(&entry) => Pair::File(entry),
            pair => pair,
        };
        // A part that is there is given out all the same.
        let whole = |entry: &Entry| match entry.state {
            State::Failed(reason) => {
                let kept = entry.kind != Kind::Absent;
                Err(Error::new(&shown, Problem::NotTaken { reason, kept }))
            }
            State::New | State::Unchanged | State::Deleted => Ok(()),
        };
        Ok(match pair {
            Pair::File(entry) => {
                let done = work(&entry).and_then(|done| whole(&entry).map(|()| done));
                (shown, done.map(Some), Some(entry))
            }
            Pair::Plain(entry) => {
                let done = begun.and_then(|()| match entry.kind {
                    Kind::Directory | Kind::Absent => Ok(None),
                    _ => links(&entry),
                });
                let done = done.and_then(|done| whole(&entry).map(|()| done));
                (shown, done, Some(entry))
            }
            Pair::Gone(_) => (shown, Ok(None), None),
            Pair::Missing(_) => (shown.clone(), Err(Error::new(&shown, Problem::Missing)), None),
            Pair::Added(path) => (shown, Err(self.added_error(&path)), None),
            Pair::AddedUnread(path) => (shown, Err(self.added_error(&path)), None),
            Pair::UnreadDirectory(_, error) => {
                (shown.clone(), Err(unread_error(&shown, error)), None)
            }
        })
    }

    /// Does `work` for each file of the tree, and `links` for each link. `begin` has each directory
    /// before what is in it; `leave` has each entry when it and all before it are done, then none.
    fn for_each_entry(
        &self,
        tell: OnFile<'_>,
        begin: impl Fn(&Entry) -> Result + Sync,
        mut leave: impl FnMut(Option<&Entry>, &mut FileReporter<'_>) -> Result + Send,
        links: impl Fn(&Entry) -> Result<Option<FileOutcome>> + Sync,
        work: impl Fn(&Entry) -> Result<FileOutcome> + Sync,
    ) -> Result<Total> {
        self.expect();
        let pairs = self.pairs()?.map(|pair| {
            let pair = pair?;
            let begun = match &pair {
                Pair::Plain(entry) if entry.kind == Kind::Directory => begin(entry),
                _ => Ok(()),
            };
            Ok((pair, begun))
        });
        let work = |pair| {
            let mut result = self.work_on_pair(pair, &links, &work)?;
            if let Err(error) = &result.1
                && is_of_another_tree(error)
                && self.was_replaced()
            {
                result.1 = Err(Error::new(&self.shown(Path::new("")), Problem::UpdatedMeanwhile));
            }
            Ok(result)
        };
        in_order(pairs, self.options.jobs, self.options.progress, work, |outcomes| {
            let mut report = FileReporter::new(tell, self.options.progress);
            for outcome in outcomes {
                let (path, done, entry) = outcome?;
                if let Some(entry) = &entry {
                    leave(Some(entry), &mut report)?;
                    if entry.kind == Kind::Directory {
                        report.directory();
                    }
                }
                if let Some(done) = done.transpose() {
                    report.file(&path, done)?;
                }
            }
            leave(None, &mut report)?;
            if self.is_interrupted() {
                let tree = self.shown(Path::new(""));
                report.file(&tree, Err(self.interrupted()))?;
            }
            report.end(&self.shown(Path::new("")))
        })
    }

    /// Whether another manifest is there than the one that was opened: an update, or a rekey, has
    /// ended meanwhile.
    pub(super) fn was_replaced(&self) -> bool {
        let now = |path: &Path| self.storage.manifest(path).ok()?.map(|it| it.header().ok());
        let own = self.earlier.as_ref().unwrap_or(&self.manifest);
        let is_own = |header: &Header| header.as_bytes() == own.header.as_bytes();
        !now(Path::new(&manifest_name())).flatten().is_some_and(|header| is_own(&header))
    }

    /// Whether an interrupted update may have left the file of `entry` where it put it first.
    fn is_staged(&self, entry: &Entry) -> bool {
        self.is_interrupted() && entry.state == State::New
    }

    /// The error for a file that the manifest does not have.
    fn added_error(&self, path: &Path) -> Error {
        let is_copy = backup::file_of(path).is_some();
        let problem = if is_copy { Problem::AddedCopy } else { Problem::Added };
        Error::new(&self.shown(path), problem)
    }
}

/// Whether a tree with another manifest may have that file.
fn is_of_another_tree(error: &Error) -> bool {
    matches!(
        error.problem(),
        Problem::OtherFile | Problem::OtherContents | Problem::Missing | Problem::Added
    )
}

/// `None` if it is nothing of the tree; an error if nobody knows, because it could not be read.
fn or_unread<T>(opened: Result<T>) -> Result<Option<T>> {
    match opened {
        Ok(opened) => Ok(Some(opened)),
        Err(error) => match error.problem() {
            // An error of reading also has that which the reader found wrong.
            Problem::Io { source, .. } if is_refusal(source) => Ok(None),
            Problem::Io { .. } | Problem::Store { .. } | Problem::File(FileError::Io { .. }) => {
                Err(error)
            }
            _ => Ok(None),
        },
    }
}

/// Whether an error of reading is about what has been read.
fn is_refusal(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<FileError>());
    inner.is_some_and(|inner| !matches!(inner, FileError::Io { .. }))
}

/// Whether contents that were compared are others.
fn is_difference(error: &Error) -> bool {
    match error.problem() {
        Problem::File(FileError::Io { source, .. }) => {
            matches!(source.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
        }
        _ => false,
    }
}

impl std::fmt::Debug for SealedTree<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SealedTree")
            .field("storage", &self.storage)
            .field("files", &self.files)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// The path and outcome to report, and the entry if there is one.
type EntryResult = (PathBuf, Result<Option<FileOutcome>>, Option<Entry>);
