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

mod merge;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use polyseal_file::manifest::{Entry, Error as ManifestError, Kind, Lineage, NO_STAMP, State};
use polyseal_file::{Commitment, Decryptor, Encryptor, Header, Output, stored_payload};

use self::merge::{Merge, Turn};
use super::join::{Join, Pair, path_of};
use super::new_manifest::Manifest;
use super::open::SealedTree;
use super::seal::{TreeSealer, expect_distinct_names, while_counting};
use super::source::{EntrySealer, SealResult, SourceName, failed, is_kept, reason, source_names};
use super::staging::Staging;
use super::state::{NewState, TreeState};
use super::store::TreeStorage;
use super::target::NewTree;
use super::walk::Walk;
use super::{Tree, UPDATE, manifest_name, sealed_name};
use crate::error::{Error, ErrorContext, Problem, Result, manifest_error};
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
    Existing(Tree),
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
        let manifest = manifest_name();
        let existing = Directory::open(to).ok().filter(|root| root.stat(&manifest).is_ok());
        let to = match existing {
            Some(root) => {
                NewTree::new(to, true)?.expect_outside(from)?;
                expect_distinct_names(&tree, None, options)?;
                UpdatePlace::Existing(Tree::new(root, to))
            }
            None => {
                // The first run may have been killed: then it has left files without a manifest.
                let was_begun = Directory::open(to).is_ok_and(|root| root.stat(UPDATE).is_ok());
                let sealer = TreeSealer::new(from, NewTree::new(to, was_begun)?, options)?;
                UpdatePlace::First(sealer.of_update())
            }
        };
        Ok(Self { from: tree, to })
    }

    /// Encrypts what has changed, and tells of each file, in their order.
    ///
    /// # Errors
    /// [`Problem::BusyTree`], [`Problem::EmptySource`], an error of a manifest or of `tell`, which
    /// ends the run; or that it was cancelled. Then the tree is as before, or as after.
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
                    let update = Update { from: &from, to: &to, known, encryptor, rules, options };
                    update.run(tell)
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

/// The manifest that is there, as the update knows it.
enum Before<'a> {
    Sealed(Box<SealedTree<'a>>),
    State(TreeState),
    /// It is not known, except which file it is.
    Unknown(Commitment),
}

impl Before<'_> {
    /// Which the next one is.
    fn next(&self) -> Result<Lineage> {
        Ok(match self {
            Self::Sealed(sealed) => Lineage::after(sealed.number(), sealed.commitment()?),
            Self::State(state) => Lineage::after(state.lineage.number, state.commitment),
            Self::Unknown(previous) => Lineage::after(0, *previous),
        })
    }

    fn entries(
        &self,
    ) -> Result<Box<dyn Iterator<Item = Result<Entry, ManifestError>> + Send + '_>> {
        Ok(match self {
            Self::Sealed(sealed) => Box::new(sealed.entries()?),
            Self::State(state) => Box::new(state.entries()?),
            Self::Unknown(_) => Box::new(std::iter::empty()),
        })
    }

    fn shown(&self) -> PathBuf {
        match self {
            Self::Sealed(sealed) => sealed.manifest_shown(),
            Self::State(state) => state.path().to_owned(),
            Self::Unknown(_) => PathBuf::new(),
        }
    }

    /// Its entries, and the encrypted files that are there.
    fn pairs(&self, tree: &Tree) -> Result<Box<dyn Iterator<Item = Result<Pair>> + Send + '_>> {
        let walk = Walk::new(&tree.root, &|_| false, true);
        Ok(match self {
            Self::Unknown(_) => Box::new(std::iter::empty()),
            known => Box::new(Join::new(known.entries()?, known.shown(), walk, &|_| false)),
        })
    }

    fn has_files(&self) -> Result<bool> {
        for entry in self.entries()? {
            let entry = entry.map_err(manifest_error(&self.shown()))?;
            if matches!(entry.kind, Kind::File { .. }) && entry.state != State::Deleted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

struct Update<'a> {
    from: &'a Tree,
    to: &'a Tree,
    known: KnownBy<'a>,
    encryptor: Encryptor<'a>,
    rules: UpdateRules,
    options: &'a Options<'a>,
}

/// The findings of a pass, beside the total.
#[derive(Default)]
struct Found {
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
            return Err(Error::new(&self.to.shown, Problem::ChecksumNeedsKey));
        }
        let staging = Staging::begin(self.to, self.options)?;
        let done = self.run_in(&staging, tell);
        // Without a coming manifest, nothing there is of use.
        if done.is_err() && staging.coming_file().is_none() {
            let _ = staging.clear();
        }
        done
    }

    fn run_in(&self, staging: &Staging<'_>, tell: OnFile<'_>) -> Result<Total> {
        let before = self.before(staging)?;
        let had_files = self.is_unknown(&before) || before.has_files()?;
        if !self.rules.allow_empty && had_files && is_empty(self.from, self.options)? {
            return Err(Error::new(&self.from.shown, Problem::EmptySource));
        }
        let (mut total, waiting) = self.pass(before, staging, tell)?;
        if waiting {
            // By now nothing is in the way.
            let before = self.before(staging)?;
            let mut tell = |path: &Path, done: Result<FileOutcome>| match done {
                Ok(FileOutcome::Unchanged { .. }) => Ok(()),
                done => tell(path, done),
            };
            let (second, _) = self.pass(before, staging, &mut tell)?;
            let unchanged = second.unchanged.saturating_sub(total.files);
            total.files += second.files;
            total.bytes += second.bytes;
            total.grew += second.grew;
            total.deleted += second.deleted;
            (total.unchanged, total.failed) = (unchanged, second.failed);
            (total.directories, total.links) = (second.directories, second.links);
        }
        staging.clear()?;
        Ok(total)
    }

    /// The manifest that is there, after an update that was interrupted has been finished.
    fn before(&self, staging: &Staging<'_>) -> Result<Before<'_>> {
        match self.known {
            KnownBy::Keys(decryptor) => {
                let current = self.sealed(decryptor)?;
                let Some(coming) = current.coming()? else {
                    staging.clear()?;
                    return Ok(Before::Sealed(Box::new(current)));
                };
                self.finish(&Before::Sealed(Box::new(current.updated(coming)?)), staging, &[])?;
                Ok(Before::Sealed(Box::new(self.sealed(decryptor)?)))
            }
            KnownBy::State(path) => self.before_by_state(path, staging),
        }
    }

    fn sealed<'b>(&'b self, decryptor: Decryptor<'b>) -> Result<SealedTree<'b>> {
        let tree = Tree::new(self.to.root.clone(), &self.to.shown);
        let options = self.options.exclude(&|_| false);
        SealedTree::open_current(TreeStorage::Directory(tree), decryptor, &options)
    }

    fn before_by_state(&self, path: &Path, staging: &Staging<'_>) -> Result<Before<'_>> {
        let coming_path = coming_state(path);
        let context = self.encryptor.bound_to();
        let (state, coming) =
            (TreeState::read(path, context)?, TreeState::read(&coming_path, context)?);
        let open = || self.to.file(Path::new(&manifest_name()));
        let (now, next) = (state.as_ref().ok(), coming.as_ref().ok());
        let is_now = now.is_some()
            && now.zip(Some(open()?)).is_some_and(|(it, mut file)| it.is_of(&mut file));
        let is_next = next.is_some()
            && next.zip(Some(open()?)).is_some_and(|(it, mut file)| it.is_of(&mut file));
        let follows = is_now
            && now.zip(next).is_some_and(|(now, next)| {
                next.lineage.follows(now.lineage.number, &now.commitment)
                    && staging.coming_file().is_some_and(|mut file| next.is_of(&mut file))
            });
        match (state, coming) {
            (_, Ok(coming)) if follows || is_next => {
                let coming = Before::State(coming);
                self.finish(&coming, staging, &[])?;
                take_state(path)?;
                TreeState::read(path, context)?.map(Before::State).or_else(|_| self.unknown())
            }
            (Ok(state), _) if is_now => {
                staging.clear()?;
                Ok(Before::State(state))
            }
            (state, _) => {
                let why = state.err().unwrap_or("the state of it on this host is of another one");
                self.options.progress.notice(Notice::AllAnew(&self.to.shown, why));
                self.unknown()
            }
        }
    }

    /// The manifest as it is known without a key and without a state.
    fn unknown(&self) -> Result<Before<'_>> {
        let name = manifest_name();
        let shown = self.to.shown(Path::new(&name));
        let (file_salt, payload_root) = stored_payload(&mut self.to.file(Path::new(&name))?)
            .map_err(crate::error::file(&shown))?;
        Ok(Before::Unknown(Commitment { file_salt, key: Default::default(), payload_root }))
    }

    /// Makes the next manifest, if it is another one, and puts everything in its place. Returns
    /// whether something has to wait for the next pass.
    fn pass(
        &self,
        before: Before<'_>,
        staging: &Staging<'_>,
        tell: OnFile<'_>,
    ) -> Result<(Total, bool)> {
        let found = Found::default();
        let lineage = before.next()?;
        let mut output = staging.coming()?;
        let state = match self.known {
            KnownBy::Keys(_) => None,
            KnownBy::State(path) => {
                let context = self.encryptor.bound_to();
                Some(NewState::create(&coming_state(path), context, self.options)?)
            }
        };
        let mut state = state;
        let manifest = Manifest {
            of: self.from,
            options: self.options,
            encryptor: self.encryptor,
            lineage,
            shown: output.shown().to_owned(),
        };
        let names = Walk::new(&self.from.root, self.options.exclude, false);
        let names = Box::new(source_names(self.from, names, |_| Ok(())));
        let turns = Merge::new(names, before.pairs(self.to)?, staging.folds_names());
        let one = EntrySealer { from: self.from, to: staging, encryptor: self.encryptor };
        let (total, commitment) = while_counting(self.from, self.options, || {
            in_order(
                turns,
                self.options.jobs,
                self.options.progress,
                |turn| turn.map(|turn| self.take(turn, &one, &before, &found)),
                |results| {
                    let mut copy: Box<dyn Write + Send> = match &mut state {
                        Some(state) => Box::new(state),
                        None => Box::new(io::sink()),
                    };
                    let output = Output::File(output.file());
                    // Those that have no entry and no outcome are not told of.
                    manifest.write_to(output, results, &mut copy, tell)
                },
            )
        })?;
        if !found.changed.load(Ordering::Relaxed) {
            return Ok((total, false));
        }
        output.sync()?;
        staging.sync()?;
        step();
        output.commit()?;
        step();
        let coming = match self.known {
            KnownBy::Keys(decryptor) => {
                let current = self.sealed(decryptor)?;
                let coming = current.coming()?;
                let coming = coming.ok_or_else(|| Error::new(&self.to.shown, Problem::BusyTree))?;
                Before::Sealed(Box::new(current.updated(coming)?))
            }
            KnownBy::State(path) => {
                let coming_path = coming_state(path);
                state.map(|state| state.commit(&commitment)).transpose()?;
                let coming = TreeState::read(&coming_path, self.encryptor.bound_to())?;
                coming
                    .map(Before::State)
                    .map_err(|_| Error::new(&self.to.shown, Problem::BusyTree))?
            }
        };
        drop(before);
        let in_the_way = std::mem::take(&mut *lock(&found.in_the_way));
        self.finish(&coming, staging, &in_the_way)?;
        if !self.rules.keep_deleted {
            lock(&found.unlisted).iter().try_for_each(|path| self.delete(path))?;
        }
        if let KnownBy::State(path) = self.known {
            take_state(path)?;
        }
        Ok((total, !in_the_way.is_empty()))
    }

    /// Gives all new files their names, then the manifest; and deletes what is not to be kept.
    fn finish(&self, coming: &Before<'_>, staging: &Staging<'_>, in_the_way: &[Vec<u8>]) -> Result {
        let shown = coming.shown();
        staging.sync()?;
        for entry in coming.entries()? {
            let entry = entry.map_err(manifest_error(&shown))?;
            match (&entry.kind, entry.state) {
                (_, State::Deleted) => {}
                (Kind::Directory, _) => {
                    let place = self.to.place(&path_of(&entry), "write")?;
                    place.directory.make(&place.name).cannot("write", &place.shown)?;
                }
                (Kind::File { .. }, State::New) => staging.give_name(&entry)?,
                _ => {}
            }
        }
        staging.give_manifest()?;
        let mut directories = Vec::new();
        for entry in coming.entries()? {
            let entry = entry.map_err(manifest_error(&shown))?;
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
                Kind::File { .. } => self.delete(&path_of(&entry))?,
                _ => directories.push(path_of(&entry)),
            }
        }
        for path in directories.iter().rev() {
            // One with something that is not of the tree stays.
            if let Ok((directory, name)) = self.to.resolve(path) {
                let _ = directory.remove_directory(&name);
            }
        }
        Ok(())
    }

    fn delete(&self, path: &Path) -> Result {
        step();
        let name = sealed_name(path);
        let removed = self.to.resolve(&name).and_then(|(folder, name)| folder.remove(&name));
        match removed {
            // An update that was interrupted has done it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.cannot("delete", &self.to.shown(&name)),
        }
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
        let (old, result) = match turn {
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
                    lock(&found.unlisted).push(path_of(old));
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
        if name.step.kind == EntryKind::Directory && name.begun.is_ok() {
            let there = self.to.root.stat(path.file_name().unwrap_or_default());
            if let Err(error) = there
                && error.kind() != io::ErrorKind::NotFound
            {
                let begun = Err(Error::io("write", &self.to.shown(&path), error));
                return one.seal(SourceName { begun, ..name }, old);
            }
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
        match self.expect_place(&sealed_name(&path), is_there || self.is_unknown(before)) {
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

    /// Refuses a name that the tree cannot have, and one that somebody else's file has: a new file
    /// is given its name when there is no way back.
    fn expect_place(&self, name: &Path, is_ours: bool) -> Result {
        let shown = self.to.shown(name);
        let last = name.file_name().unwrap_or_default();
        // Whether there can be such a name is asked where nothing has it.
        match self.to.root.stat(last) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io("write", &shown, error));
            }
            _ => {}
        }
        let Ok((folder, last)) = self.to.resolve(name) else { return Ok(()) };
        match folder.stat(&last) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("write", &shown, error)),
            Ok(seen) if seen.kind() == EntryKind::File => {
                // One that no manifest knows is of an update whose state has been lost.
                let is_sealed = || {
                    let file = folder.file(Path::new(&last));
                    file.is_ok_and(|file| Header::read(&mut &file).is_ok())
                };
                if is_ours || is_sealed() {
                    Ok(())
                } else {
                    Err(Error::new(&shown, Problem::Exists))
                }
            }
            Ok(_) => Err(Error::new(&shown, Problem::Exists)),
        }
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

/// The state of a coming manifest.
fn coming_state(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".coming");
    name.into()
}

/// Lets the state of the coming manifest be the state.
fn take_state(path: &Path) -> Result {
    let coming = coming_state(path);
    step();
    let (folder, name) = Directory::parent_and_name(path).cannot("write", path)?;
    let (_, coming) = Directory::parent_and_name(&coming).cannot("write", path)?;
    folder.take(&folder, &coming, &name, true).cannot("write", path)?;
    // The name, too, should survive a power failure; not every file system can say so.
    let _ = folder.sync();
    Ok(())
}
