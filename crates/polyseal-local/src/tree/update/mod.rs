//! Updating a sealed tree: what has changed in the source is encrypted, and nothing else is read.
//!
//! Source: `docs/spec/manifest.md`, section 8. At every moment each file of the tree opens and
//! belongs to its entry, as before or as after: new files are [staged](super::staging) until the
//! coming manifest is on disk. An update that was interrupted is finished by the next one, and
//! nothing is encrypted twice under one key.
//!
//! A file has not changed if its size, the time of its last change and its stamp are those of its
//! entry. Limits: a program that changes a file and puts all of these back is not noticed, unless
//! [contents are compared](UpdateRules::checksum).

mod before;
mod merge;

use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use polyseal_file::manifest::{Entry, Kind, NO_STAMP, State};
use polyseal_file::{COMMITMENT_BYTES, Commitment, Decryptor, Encryptor, Output, stored_payload};

use self::before::Before;
use self::merge::{Merge, Turn};
use super::join::{Join, Pair, path_of};
use super::new_manifest::{Manifest, WrittenManifest};
use super::open::SealedTree;
use super::seal::{TreeSealer, expect_distinct_names, while_counting};
use super::sealed_manifest::ManifestBytes;
use super::signed::{SignedFolder, Signing, keep_hashes};
use super::source::{EntrySealer, SealResult, SourceName, failed, is_kept, reason, source_names};
use super::staging::{self, Staging, coming_path, has_begun};
use super::state::{NewState, TreeState, state_file, state_of_directory};
use super::store::{ManifestFile, Store, TreeStorage};
use super::target::NewTree;
use super::walk::Walk;
use super::{Tree, manifest_name, sealed_name};
use crate::error::{Error, ErrorContext, Problem, Result};
use crate::many::{FileOutcome, OnFile, Total, in_order};
use crate::options::Options;
use crate::platform::{Directory, EntryKind, FileStatus, contents::FileExt, path_bytes};
use crate::progress::Notice;
use crate::testing::step;
use crate::watch::watched;

/// A tree that is to be encrypted again, into the directory that has an earlier one.
#[derive(Debug)]
pub struct TreeUpdater {
    from: Tree,
    to: UpdatePlace,
}

#[derive(Debug)]
enum UpdatePlace {
    /// There is nothing yet.
    First(TreeSealer),
    Existing(TreeStorage),
}

/// How the manifest that is there is known.
#[derive(Clone, Copy, Debug)]
pub enum KnownBy<'a> {
    /// It is opened.
    Keys(Decryptor<'a>),
    /// It cannot be opened: what the last run has written to this file. If that is not of the
    /// manifest which is there, everything is encrypted anew, and [`Notice::AllAnew`] says why.
    State(&'a Path),
}

/// Choices about an update, none of which it makes by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateRules {
    /// Encrypted files whose files have been deleted stay, with entries that say so.
    pub keep_deleted: bool,
    /// Contents are read and compared. That takes [`KnownBy::Keys`].
    pub checksum: bool,
    /// The source may have no file at all, where the tree has some.
    pub allow_empty: bool,
}

impl TreeUpdater {
    /// Looks at both directories, and at every name in the first, as [`TreeSealer::new`] does. The
    /// second may have an encrypted tree; if it has none, it must be empty or not there.
    ///
    /// # Errors
    /// Those of [`TreeSealer::new`] and [`NewTree::new`].
    pub fn new(from: &Path, to: &Path, options: &Options<'_>) -> Result<Self> {
        let tree = Tree::open(from)?;
        let there = Directory::open(to).ok().map(|root| Tree::new(root, to));
        let to = match there {
            Some(there) if there.root.stat(manifest_name()).is_ok() => {
                NewTree::new(to, true)?.expect_outside(from)?;
                expect_distinct_names(&tree, None, options)?;
                UpdatePlace::Existing(TreeStorage::Directory(there))
            }
            there => {
                // The first run may have been killed: then it has left files without a manifest.
                let there = there.map(TreeStorage::Directory);
                let was_begun = there.as_ref().map_or(Ok(false), has_begun)?;
                let sealer = TreeSealer::new(from, NewTree::new(to, was_begun)?, options)?;
                UpdatePlace::First(sealer.of_update())
            }
        };
        Ok(Self { from: tree, to })
    }

    /// The same for a tree in a store.
    ///
    /// # Errors
    /// Those of [`TreeSealer::to_store`].
    pub fn in_store(from: &Path, store: Arc<dyn Store>, options: &Options<'_>) -> Result<Self> {
        let tree = Tree::open(from)?;
        let there = TreeStorage::Store(Arc::clone(&store));
        let to = if there.manifest(Path::new(&manifest_name()))?.is_some() {
            expect_distinct_names(&tree, Some(store.as_ref()), options)?;
            UpdatePlace::Existing(there)
        } else {
            let was_begun = has_begun(&there)?;
            let sealer = TreeSealer::to_store(from, store, was_begun, options)?;
            UpdatePlace::First(sealer.of_update())
        };
        Ok(Self { from: tree, to })
    }

    /// The file of its state by default: in the user's folder for such files, by a hash of the path
    /// or URL of the encrypted tree. The folder is made.
    ///
    /// # Errors
    /// [`Problem::NoStateFolder`], or an I/O error.
    pub fn default_state(&self) -> Result<PathBuf> {
        let (store, shown) = match &self.to {
            UpdatePlace::First(sealer) => (sealer.store(), sealer.shown()),
            UpdatePlace::Existing(TreeStorage::Store(store)) => (Some(store), PathBuf::new()),
            UpdatePlace::Existing(TreeStorage::Directory(to)) => (None, to.shown.clone()),
        };
        match store {
            Some(store) => state_file(&store.id(), "state"),
            None => state_of_directory(&shown),
        }
    }

    /// Encrypts what has changed, and tells of each file, in their order.
    ///
    /// # Errors
    /// [`Problem::BusyTree`], [`Problem::EmptySource`], an error of a manifest or of `tell`, which
    /// ends the run; or that it was cancelled. Then the tree is as before, or as after. With a
    /// signer and [`KnownBy::Keys`], also why the manifest that is there is not signed by the same.
    pub fn update(
        self,
        known: KnownBy<'_>,
        encryptor: Encryptor<'_>,
        rules: UpdateRules,
        options: &Options<'_>,
        tell: OnFile<'_>,
    ) -> Result<Total> {
        let Self { from, to } = self;
        match to {
            UpdatePlace::First(sealer) => first(sealer, known, encryptor, options, tell),
            UpdatePlace::Existing(to) => {
                watched(options.progress, encryptor.run_options(), |run| {
                    let encryptor = encryptor.running(run);
                    let staging = staging::begin(&to, options)?;
                    let staging = staging.as_ref();
                    let (from, to) = (&from, &to);
                    Update { from, to, staging, known, encryptor, rules, options }.run(tell)
                })
            }
        }
    }
}

fn first(
    sealer: TreeSealer,
    known: KnownBy<'_>,
    encryptor: Encryptor<'_>,
    options: &Options<'_>,
    tell: OnFile<'_>,
) -> Result<Total> {
    let KnownBy::State(path) = known else { return sealer.seal(encryptor, options, tell) };
    let mut state = NewState::create(path, encryptor.bound_to(), options)?;
    if path.exists() {
        return Err(Error::new(path, Problem::TreeIsGone(sealer.shown())));
    }
    let (total, commitment) = sealer.seal_with_copy(encryptor, options, &mut state, tell)?;
    state.commit(&commitment)?;
    Ok(total)
}

struct Update<'a> {
    from: &'a Tree,
    to: &'a TreeStorage,
    staging: &'a dyn Staging,
    known: KnownBy<'a>,
    encryptor: Encryptor<'a>,
    rules: UpdateRules,
    options: &'a Options<'a>,
}

/// The findings of a pass, beside the total.
#[derive(Default)]
struct Found {
    /// Whether files of the tree have no hashes yet: it was not signed before.
    lacks_hashes: bool,
    /// Whether the coming manifest is another than the one that is there.
    changed: AtomicBool,
    /// Paths whose encrypted files are in the way of something of another kind.
    in_the_way: Mutex<Vec<Vec<u8>>>,
    /// Deleted files of a version whose entries no new manifest can have.
    unlisted: Mutex<Vec<PathBuf>>,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Update<'_> {
    fn run(&self, tell: OnFile<'_>) -> Result<Total> {
        if self.rules.checksum && matches!(self.known, KnownBy::State(_)) {
            return Err(self.failed(Problem::ChecksumNeedsKey));
        }
        let done = self.run_in(tell);
        // Without a coming manifest, nothing there is of use.
        if done.is_err() && self.to.manifest(&coming_path()).is_ok_and(|coming| coming.is_none()) {
            let _ = self.staging.clear();
        }
        done
    }

    /// An error of the whole tree.
    fn failed(&self, problem: Problem) -> Error {
        Error::new(&self.to.shown(Path::new("")), problem)
    }

    fn run_in(&self, tell: OnFile<'_>) -> Result<Total> {
        let before = self.before()?;
        let had_files = self.is_unknown(&before) || before.has_files()?;
        if !self.rules.allow_empty && had_files && is_empty(self.from, self.options)? {
            return Err(Error::new(&self.from.shown, Problem::EmptySource));
        }
        let before = if before.is_interrupted() {
            // The tree's own manifest gets all that it has put before any of that is replaced: else
            // a file that has changed again would be of neither.
            self.pass(before, true, &mut |_, _| Ok(()))?;
            self.before()?
        } else {
            before
        };
        let (mut total, waiting) = self.pass(before, false, tell)?;
        if waiting {
            // By now nothing is in the way.
            let before = self.before()?;
            let mut tell = |path: &Path, done: Result<FileOutcome>| match done {
                Ok(FileOutcome::Unchanged { .. }) => Ok(()),
                done => tell(path, done),
            };
            let (second, _) = self.pass(before, false, &mut tell)?;
            let unchanged = second.unchanged.saturating_sub(total.files);
            total.files += second.files;
            total.bytes += second.bytes;
            total.grew += second.grew;
            total.deleted += second.deleted;
            (total.unchanged, total.failed) = (unchanged, second.failed);
            (total.directories, total.links) = (second.directories, second.links);
        }
        self.staging.clear()?;
        Ok(total)
    }

    /// The manifest that is there, after an update that was interrupted has been finished, as far
    /// as its files are there.
    fn before(&self) -> Result<Before<'_>> {
        match self.known {
            KnownBy::Keys(decryptor) => {
                let current = self.sealed(decryptor)?;
                let Some(coming) = current.coming()? else {
                    self.staging.clear()?;
                    return Ok(Before::Sealed(Box::new(current)));
                };
                let newest = Before::Sealed(Box::new(current.updated(coming)?));
                if !self.staging.keeps_files() {
                    return Ok(newest);
                }
                self.finish(&newest, &[])?;
                Ok(Before::Sealed(Box::new(self.sealed(decryptor)?)))
            }
            KnownBy::State(path) => self.before_by_state(path),
        }
    }

    fn sealed<'b>(&'b self, decryptor: Decryptor<'b>) -> Result<SealedTree<'b>> {
        let mut options = self.options.exclude(&|_| false);
        // Anyone who can open the tree, or knows its recipients, can write a manifest.
        if let Signing::By(signer) = options.signing {
            options = options.accepting(signer);
        }
        SealedTree::open_current(self.to.clone(), decryptor, &options)
    }

    fn before_by_state(&self, path: &Path) -> Result<Before<'_>> {
        let context = self.encryptor.bound_to();
        let state = TreeState::read(path, context)?;
        let manifest = self.to.manifest(Path::new(&manifest_name()))?;
        let coming = self.to.manifest(&coming_path())?;
        let is_of = |state: &TreeState, manifest: &Option<ManifestFile>| {
            let Some(file) = manifest else { return Ok(false) };
            let is_of = state.is_of(&mut ManifestBytes { file, at: 0 });
            is_of.map_err(crate::error::file(&self.to.shown(Path::new(""))))
        };
        let is_now = match &state {
            Ok(state) => is_of(state, &manifest)?,
            Err(_) => false,
        };
        for next_path in coming_states(path) {
            let Ok(next) = TreeState::read(&next_path, context)? else { continue };
            let follows = match &state {
                Ok(now) if is_now => {
                    next.lineage.follows(now.lineage.number, &now.commitment)
                        && is_of(&next, &coming)?
                }
                _ => false,
            };
            if !follows && !is_of(&next, &manifest)? {
                continue;
            }
            if follows && !self.staging.keeps_files() {
                let (newest, earlier) = (Box::new(next), state.ok().map(Box::new));
                return Ok(Before::State { newest, earlier });
            }
            if follows {
                self.give(&Before::of_state(next))?;
            }
            // The next pass finds all that is still to be deleted.
            take_state(path, &next_path)?;
            let taken = TreeState::read(path, context)?;
            return taken.map(Before::of_state).or_else(|_| self.unknown());
        }
        let why = match state {
            // Files that are held back may be in their places by a manifest that nobody knows.
            Ok(ref state)
                if is_now
                    && coming.is_some()
                    && !is_of(state, &coming)?
                    && !self.staging.keeps_files() =>
            {
                "another update of it was interrupted"
            }
            Ok(state) if is_now => {
                self.staging.clear()?;
                return Ok(Before::of_state(state));
            }
            Ok(_) => "the state of it on this host is of another one",
            Err(why) => why,
        };
        let shown = self.to.shown(Path::new(""));
        self.options.progress.notice(Notice::AllAnew(&shown, why));
        self.unknown()
    }

    /// The manifest as it is known without a key and without a state.
    fn unknown(&self) -> Result<Before<'_>> {
        let name = PathBuf::from(manifest_name());
        let there = self.to.manifest(&name)?;
        let there = there.ok_or_else(|| self.failed(Problem::NoManifest))?;
        let (file_salt, payload_root) = stored_payload(&mut ManifestBytes { file: &there, at: 0 })
            .map_err(crate::error::file(&self.to.shown(&name)))?;
        Ok(Before::Unknown(Commitment { file_salt, key: Default::default(), payload_root }))
    }

    /// Its entries, and the encrypted files that are there.
    fn pairs<'b>(
        &'b self,
        before: &'b Before<'_>,
    ) -> Result<Box<dyn Iterator<Item = Result<Pair>> + Send + 'b>> {
        if self.is_unknown(before) {
            return Ok(Box::new(iter::empty()));
        }
        Ok(Box::new(Join::new(before.entries_now(self.to)?, self.staging.walk()?, &|_| false)))
    }

    /// Makes the next manifest, if it is another one, and puts everything in its place. Returns
    /// whether something has to wait for the next pass.
    fn pass(&self, before: Before<'_>, settles: bool, tell: OnFile<'_>) -> Result<(Total, bool)> {
        let lacks_hashes = self.lacks_hashes()?;
        let signed_names = match self.options.signing {
            Signing::Unsigned => Vec::new(),
            Signing::By(_) => self.staging.signed_names()?,
        };
        let changed = AtomicBool::new(before.is_interrupted() || lacks_hashes);
        let found = Found { lacks_hashes, changed, ..Found::default() };
        let lineage = before.next()?;
        let mut output = self.staging.coming()?;
        let context = self.encryptor.bound_to();
        let mut state = match (self.known, &before) {
            (KnownBy::Keys(_), _) => None,
            (KnownBy::State(path), before) => {
                // The one that is in use stays until the coming manifest is another.
                let [one, other] = coming_states(path);
                let in_use = match before {
                    Before::State { newest, earlier: Some(_) } => Some(newest.path()),
                    _ => None,
                };
                let next = if in_use == Some(&one) { other } else { one };
                Some((NewState::create(&next, context, self.options)?, next))
            }
        };
        let manifest = Manifest {
            of: self.from,
            options: self.options,
            encryptor: self.encryptor,
            lineage,
            shown: self.to.shown(&coming_path()),
        };
        let names = Walk::new(&self.from.root, self.options.exclude, false);
        let names = Box::new(source_names(self.from, names, |_| Ok(())));
        let turns: Box<dyn Iterator<Item = Result<Turn>> + Send + '_> = if settles {
            Box::new(before.entries_now(self.to)?.map(|entry| entry.map(Turn::Settled)))
        } else {
            Box::new(Merge::new(names, self.pairs(&before)?, self.staging.folds_names()))
        };
        let signed = self.options.signing.folder(self.to, self.options);
        let (from, encryptor) = (self.from, self.encryptor);
        let one = EntrySealer { from, to: self.staging, encryptor, signed };
        let written = while_counting(self.from, self.options, || {
            in_order(
                turns,
                self.options.jobs,
                self.options.progress,
                |turn| turn.map(|turn| self.take(turn, &one, &before, &found)),
                |results| {
                    let mut copy: Box<dyn Write + Send> = match &mut state {
                        Some((state, _)) => Box::new(state),
                        None => Box::new(io::sink()),
                    };
                    // Those that have no entry and no outcome are not told of.
                    manifest.write_to(output.output(), results, &mut copy, tell)
                },
            )
        })?;
        let WrittenManifest { total, commitment, unsigned } = written;
        let folder = SignedFolder::new(self.to, self.options);
        let sweep = || {
            if let (Some(unsigned), Some(manifest)) = (&unsigned, self.manifest_salt()?) {
                unsigned.sweep(&folder, &manifest, &signed_names);
            }
            Ok(())
        };
        if !found.changed.load(Ordering::Relaxed) {
            // An update that was interrupted at its end may have left some.
            sweep()?;
            return Ok((total, false));
        }
        // Before the manifest that it is about can be found.
        if let (Signing::By(signer), Some(unsigned)) = (self.options.signing, &unsigned) {
            unsigned.sign(signer, &folder)?;
        } else if self.is_signed(&folder)? {
            let tree = self.to.shown(Path::new(""));
            self.options.progress.notice(Notice::NoLongerSigned(&tree));
        }
        output.sync()?;
        self.staging.sync()?;
        // The next update has to know the coming manifest that it finds.
        let state = state.map(|(state, path)| state.commit(&commitment).map(|()| path));
        let state = state.transpose()?;
        step();
        output.commit()?;
        step();
        let gone = || self.failed(Problem::BusyTree);
        let coming = match (self.known, &state) {
            (KnownBy::Keys(decryptor), _) => {
                let current = self.sealed(decryptor)?;
                let coming = current.coming()?.ok_or_else(gone)?;
                Before::Sealed(Box::new(current.updated(coming)?))
            }
            (KnownBy::State(_), path) => {
                let state = path.as_ref().map(|path| TreeState::read(path, context)).transpose()?;
                Before::of_state(state.and_then(Result::ok).ok_or_else(gone)?)
            }
        };
        drop(before);
        let in_the_way = std::mem::take(&mut *lock(&found.in_the_way));
        self.give(&coming)?;
        let coming = match (self.known, state) {
            (KnownBy::State(path), Some(next)) => {
                drop(coming);
                take_state(path, &next)?;
                let taken = TreeState::read(path, context)?.map_err(|_| gone())?;
                Before::of_state(taken)
            }
            _ => coming,
        };
        self.delete(&coming, &in_the_way)?;
        sweep()?;
        if !self.rules.keep_deleted {
            let unlisted = std::mem::take(&mut *lock(&found.unlisted));
            self.staging.delete(unlisted, Vec::new())?;
        }
        Ok((total, !in_the_way.is_empty()))
    }

    /// The file salt of the tree's own manifest, if that has a header.
    fn manifest_salt(&self) -> Result<Option<[u8; COMMITMENT_BYTES]>> {
        let manifest = self.to.manifest(Path::new(&manifest_name()))?;
        Ok(manifest.and_then(|it| it.header().ok()).map(|header| header.file_salt()))
    }

    /// Whether there is a statement about it.
    fn is_signed(&self, folder: &SignedFolder<'_>) -> Result<bool> {
        self.manifest_salt()?.map_or(Ok(false), |salt| folder.has_statement(&salt))
    }

    /// Whether the tree is to be signed, and its files have no hashes yet: a manifest of it has no
    /// statement.
    fn lacks_hashes(&self) -> Result<bool> {
        let Some(folder) = self.options.signing.folder(self.to, self.options) else {
            return Ok(false);
        };
        for path in [PathBuf::from(manifest_name()), coming_path()] {
            let Some(manifest) = self.to.manifest(&path)? else { continue };
            // One that has no header is nothing of the tree.
            if let Ok(header) = manifest.header()
                && !folder.has_statement(&header.file_salt())?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives all new files their names, then the manifest; and deletes what is not to be kept.
    fn finish(&self, coming: &Before<'_>, in_the_way: &[Vec<u8>]) -> Result {
        self.give(coming)?;
        self.delete(coming, in_the_way)
    }

    fn give(&self, coming: &Before<'_>) -> Result {
        self.staging.sync()?;
        self.staging.give_names(coming.entries()?)?;
        self.staging.give_manifest()
    }

    fn delete(&self, coming: &Before<'_>, in_the_way: &[Vec<u8>]) -> Result {
        let (mut files, mut directories) = (Vec::new(), Vec::new());
        for entry in coming.entries()? {
            let entry = entry?;
            let goes = !self.rules.keep_deleted
                || in_the_way.iter().any(|path| {
                    entry
                        .path
                        .strip_prefix(&path[..])
                        .is_some_and(|it| it.is_empty() || it[0] == b'/')
                });
            if entry.state != State::Deleted || !goes {
                continue;
            }
            match entry.kind {
                Kind::File { .. } => files.push(sealed_name(&path_of(&entry))),
                _ => directories.push(path_of(&entry)),
            }
        }
        directories.reverse();
        self.staging.delete(files, directories)
    }

    fn take(
        &self,
        turn: Turn,
        one: &EntrySealer<'_>,
        before: &Before<'_>,
        found: &Found,
    ) -> SealResult {
        // An interrupted update, or one that kept it, has left its encrypted file.
        let goes = !self.rules.keep_deleted
            && matches!(&turn, Turn::Deleted(Pair::File(old)) if old.state == State::Deleted);
        let (old, mut result) = match turn {
            Turn::Settled(entry) => {
                let state = match (&entry.kind, entry.state) {
                    (Kind::File { .. }, State::New) => State::Unchanged,
                    (_, state) => state,
                };
                let entry = Some(Entry { state, ..entry });
                (None, SealResult { shown: PathBuf::new(), entry, done: Ok(None) })
            }
            Turn::Source(name, pair) => {
                let (old, is_there) = match pair {
                    Some(Pair::File(entry)) => (Some(entry), true),
                    Some(Pair::Plain(entry)) => (Some(entry), false),
                    _ => (None, false),
                };
                let result = self.take_source(name, old.as_ref(), is_there, one, before);
                (old, result)
            }
            Turn::Deleted(pair) => {
                if let Pair::File(old) = &pair
                    && !is_kept(old)
                {
                    lock(&found.unlisted).push(sealed_name(&path_of(old)));
                }
                self.take_deleted(pair)
            }
            Turn::Waits(path) => {
                lock(&found.in_the_way).push(path);
                found.changed.store(true, Ordering::Relaxed);
                (None, SealResult { shown: PathBuf::new(), entry: None, done: Ok(None) })
            }
            Turn::Twin(path, other) => {
                let error = Error::new(&self.from.shown(&path), Problem::OneFile(other));
                let bytes = path_bytes(&path).into_owned();
                let entry = Some(failed(bytes, None, reason(&error)));
                (None, SealResult { shown: self.from.shown(&path), entry, done: Err(error) })
            }
            Turn::InTheWay(pair) => {
                let (old, mut result) = self.take_deleted(pair);
                // The path is told of in the next pass.
                result.done = Ok(None);
                lock(&found.in_the_way).extend(old.iter().map(|entry| entry.path.clone()));
                found.changed.store(true, Ordering::Relaxed);
                (old, result)
            }
            Turn::Unread(pair, why) => {
                let old = match pair {
                    Pair::File(entry) | Pair::Plain(entry) => Some(entry),
                    _ => None,
                };
                // The directory has been told of.
                let entry = old.as_ref().filter(|old| is_kept(old)).map(|old| match old.state {
                    State::Deleted => old.clone(),
                    _ => failed(old.path.clone(), Some(old), why),
                });
                let entry = entry.or_else(|| old.clone().filter(|old| old.kind == Kind::Absent));
                let path = old.as_ref().map(path_of).unwrap_or_default();
                (old, SealResult { shown: self.from.shown(&path), entry, done: Ok(None) })
            }
        };
        if goes || !is_same(old.as_ref(), result.entry.as_ref()) {
            found.changed.store(true, Ordering::Relaxed);
        }
        if found.lacks_hashes
            && let Some(entry) = result.entry.as_ref().filter(|entry| entry.state != State::New)
            && let Err(error) =
                keep_hashes(self.to, &SignedFolder::new(self.to, self.options), entry)
        {
            result.done = Err(error);
        }
        result
    }

    fn take_deleted(&self, pair: Pair) -> (Option<Entry>, SealResult) {
        let shown = |entry: &Entry| self.from.shown(&path_of(entry));
        match pair {
            Pair::File(old) | Pair::Plain(old)
                if is_kept(&old) && matches!(old.kind, Kind::File { .. } | Kind::Directory) =>
            {
                let is_news = old.state != State::Deleted && old.kind != Kind::Directory;
                let entry = Some(Entry { state: State::Deleted, ..old.clone() });
                let done = Ok(is_news.then_some(FileOutcome::Deleted));
                let result = SealResult { shown: shown(&old), entry, done };
                (Some(old), result)
            }
            Pair::File(old) | Pair::Plain(old) | Pair::Missing(old) | Pair::Gone(old) => {
                let result = SealResult { shown: shown(&old), entry: None, done: Ok(None) };
                (Some(old), result)
            }
            _ => (None, SealResult { shown: PathBuf::new(), entry: None, done: Ok(None) }),
        }
    }

    fn take_source(
        &self,
        name: SourceName,
        old: Option<&Entry>,
        is_there: bool,
        one: &EntrySealer<'_>,
        before: &Before<'_>,
    ) -> SealResult {
        let path = name.step.path.clone();
        if name.step.kind == EntryKind::Directory
            && name.begun.is_ok()
            && let Err(error) = self.staging.expect_directory(&path)
        {
            return one.seal(SourceName { begun: Err(error), ..name }, old);
        }
        if name.step.kind != EntryKind::File {
            return one.seal(name, old);
        }
        if let (Some(old), true) = (old, is_there)
            && is_kept(old)
            && let Some(entry) = self.unchanged(&path, old, before)
        {
            let bytes = match entry.kind {
                Kind::File { plaintext_bytes, .. } => plaintext_bytes,
                _ => 0,
            };
            self.options.progress.bytes(bytes);
            let done = Ok(Some(FileOutcome::Unchanged { bytes }));
            return SealResult { shown: self.from.shown(&path), entry: Some(entry), done };
        }
        // Where the tree is not known, whatever is there is of an earlier run.
        let old = old.filter(|_| is_there);
        let is_ours = is_there || self.is_unknown(before);
        match self.staging.expect_place(&sealed_name(&path), is_ours) {
            Ok(()) => one.seal(name, old),
            Err(error) => {
                let entry = Some(failed(path_bytes(&path).into_owned(), old, reason(&error)));
                SealResult { shown: self.from.shown(&path), entry, done: Err(error) }
            }
        }
    }

    fn is_unknown(&self, before: &Before<'_>) -> bool {
        matches!(before, Before::Unknown(_))
    }

    /// The entry of a file that has not changed since `old`.
    fn unchanged(&self, path: &Path, old: &Entry, before: &Before<'_>) -> Option<Entry> {
        let Kind::File { plaintext_bytes, bound, stamp } = &old.kind else { return None };
        let place = self.from.place(path, "read").ok()?;
        let seen: FileStatus = place.status().ok()?;
        if seen.kind() != EntryKind::File || seen.bytes() != *plaintext_bytes {
            return None;
        }
        let now = seen.stamp();
        let is_same = if self.rules.checksum {
            let Before::Sealed(sealed) = before else { return None };
            let (file, _) = place.file_and_status().ok()?;
            let mut same = SameContents { file: &file, at: 0 };
            sealed.carry(old, Output::Stream(&mut same)).is_ok()
        } else {
            *stamp != NO_STAMP && *stamp == now && old.modified == seen.modified()
        };
        is_same.then(|| Entry {
            path: old.path.clone(),
            state: State::Unchanged,
            mode: seen.mode(),
            modified: seen.modified(),
            kind: Kind::File { plaintext_bytes: *plaintext_bytes, bound: *bound, stamp: now },
        })
    }
}

/// Whether two entries say the same of a path, in two manifests.
fn is_same(old: Option<&Entry>, new: Option<&Entry>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => {
            let state = match (old.state, new.state) {
                (State::New | State::Unchanged, State::Unchanged) => new.state,
                (state, _) => state,
            };
            Entry { state, ..old.clone() } == *new
        }
        (old, new) => old.is_none() && new.is_none(),
    }
}

/// Refuses to be written anything else than the contents of a file.
pub(super) struct SameContents<'a> {
    pub(super) file: &'a std::fs::File,
    pub(super) at: u64,
}

impl Write for SameContents<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut there = vec![0; bytes.len().min(1 << 16)];
        let bytes = &bytes[..there.len()];
        self.file.read_exact_at(&mut there, self.at)?;
        if there != bytes {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether there is neither a file nor a link in the tree.
fn is_empty(from: &Tree, options: &Options<'_>) -> Result<bool> {
    let mut walk = Walk::new(&from.root, options.exclude, false);
    Ok(walk.all(|step| step.is_ok_and(|step| step.kind == EntryKind::Directory)))
}

/// The states of coming manifests: that of one is there until another has taken its place.
fn coming_states(path: &Path) -> [PathBuf; 2] {
    [".coming", ".coming-2"].map(|suffix| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        name.into()
    })
}

/// Lets the state of the coming manifest be the state.
fn take_state(path: &Path, coming: &Path) -> Result {
    step();
    let parent_and_name = |path: &Path| Directory::parent_and_name(path).cannot("write", path);
    let (folder, name) = parent_and_name(path)?;
    let (_, coming_name) = parent_and_name(coming)?;
    folder.take(&folder, &coming_name, &name, true).cannot("write", path)?;
    // The name, too, should survive a power failure; not every file system can say so.
    let _ = folder.sync();
    for other in coming_states(path).iter().filter(|other| *other != coming) {
        let (_, other) = parent_and_name(other)?;
        // There is seldom one.
        let _ = folder.remove(&other);
    }
    Ok(())
}
