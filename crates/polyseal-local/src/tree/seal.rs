//! Encrypting a tree. The manifest is written as the files are done, and appears last.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use polyseal_file::manifest::{Entry, FileBinding, Kind, Writer, context};
use polyseal_file::{Encryptor, Input, Output, Summary};

use super::store::{NewSealedFile, OverwriteRule, Store};
use super::target::{NewTree, WritableTree};
use super::walk::{UnreadDirectory, Walk, WalkEntry};
use super::{MANIFEST, Tree, manifest_name, sealed_name};
use crate::error::{Error, ErrorContext, Problem, Result, manifest_error, sealing, unwrapped};
use crate::many::{FileOutcome, FileReporter, OnFile, Total, in_order};
use crate::options::Options;
use crate::place::Place;
use crate::platform::{EntryKind, bytes, expect_name, name_key, path_bytes};
use crate::watch::watched;

/// A tree that is to be encrypted into another directory.
#[derive(Debug)]
pub struct TreeSealer {
    from: Tree,
    to: Destination,
}

/// Where the tree goes.
#[derive(Debug)]
enum Destination {
    Directory(NewTree),
    Store(Arc<dyn Store>, OverwriteRule),
}

/// The same, when the work has begun.
enum OpenDestination {
    Directory(WritableTree),
    Store(Arc<dyn Store>, OverwriteRule),
}

impl OpenDestination {
    fn shown(&self, path: &Path) -> PathBuf {
        match self {
            Self::Directory(to) => to.tree.shown(path),
            Self::Store(store, _) => store.shown(path),
        }
    }

    /// A store has files alone.
    fn make_directory(&self, path: &Path) -> Result {
        match self {
            Self::Directory(to) => to.make(path).map(drop),
            Self::Store(..) => Ok(()),
        }
    }

    fn create(&self, path: &Path, bytes: u64, options: &Options<'_>) -> Result<NewSealedFile> {
        Ok(match self {
            Self::Directory(to) => NewSealedFile::File(to.create(path, options)?),
            Self::Store(store, overwrite) => {
                NewSealedFile::Stored(store.create(path, *overwrite, Some(bytes))?)
            }
        })
    }

    /// Begun before any file is: of two runs into one store, one ends without a manifest.
    fn manifest(&self, options: &Options<'_>) -> Result<NewSealedFile> {
        let path = PathBuf::from(manifest_name());
        Ok(match self {
            Self::Directory(to) => NewSealedFile::File(to.create(&path, options)?),
            Self::Store(store, overwrite) => {
                let overwrite = if *overwrite == OverwriteRule::Nothing {
                    OverwriteRule::Nothing
                } else {
                    OverwriteRule::AsSeen
                };
                NewSealedFile::Stored(store.create(&path, overwrite, None)?)
            }
        })
    }
}

/// The result for a name: its entry, if it has one, and the outcome to report.
pub(super) type SealResult = (PathBuf, Result<(Option<Entry>, Option<FileOutcome>)>);

impl TreeSealer {
    /// Looks at both directories, and at every name in the first: names that cannot be told apart
    /// when they are encrypted are refused before anything is written.
    ///
    /// # Errors
    /// [`Problem::Nested`], [`Problem::ReservedName`], [`Problem::SameName`], or an I/O error.
    pub fn new(from: &Path, to: NewTree, options: &Options<'_>) -> Result<Self> {
        let tree = Tree::open(from)?;
        to.expect_outside(from)?;
        let sealer = Self { from: tree, to: Destination::Directory(to) };
        sealer.expect_distinct_names(options)?;
        Ok(sealer)
    }

    /// The same, into a store. Without `overwrite`, there must be nothing.
    ///
    /// # Errors
    /// [`Problem::Occupied`], [`Problem::ReservedName`], [`Problem::SameName`], a name that the
    /// store cannot have, or an error of the system or the store.
    pub fn to_store(
        from: &Path,
        store: Arc<dyn Store>,
        overwrite: bool,
        options: &Options<'_>,
    ) -> Result<Self> {
        let from = Tree::open(from)?;
        if !overwrite && let Some(path) = store.any()? {
            let there = store.shown(&path);
            return Err(Error::new(&store.shown(Path::new("")), Problem::Occupied(there)));
        }
        let overwrite = if overwrite { OverwriteRule::Anything } else { OverwriteRule::Nothing };
        let sealer = Self { from, to: Destination::Store(store, overwrite) };
        sealer.expect_distinct_names(options)?;
        Ok(sealer)
    }

    /// Refuses a name that only the manifest has, a file `x` beside a directory `x.polyseal`, and a
    /// name that the store cannot have.
    fn expect_distinct_names(&self, options: &Options<'_>) -> Result {
        let mut walk = Walk::new(&self.from.root, options.exclude, false);
        while let Some(step) = walk.next() {
            if let Ok(WalkEntry { path, disk_path, kind }) = &step {
                let error = |problem| Error::new(&self.from.shown(path), problem);
                if name_key(path.as_os_str()) == name_key(MANIFEST.as_ref()) {
                    return Err(error(Problem::ReservedName));
                }
                let name = disk_path.file_name().unwrap_or_default();
                expect_name(bytes(name)).map_err(|why| error(Problem::ImpossibleName(why)))?;
                if let (Destination::Store(store, _), EntryKind::File) = (&self.to, kind) {
                    store.expect_name(&sealed_name(path))?;
                }
            }
            if let Some(file) = walk.clash() {
                let directory = self.from.shown(&sealed_name(file));
                return Err(Error::new(&self.from.shown(file), Problem::SameName(directory)));
            }
        }
        Ok(())
    }

    /// Encrypts it, and tells of each file in their order.
    ///
    /// # Errors
    /// An error of the manifest's file or of `tell`, which ends the run; or that it was cancelled.
    pub fn seal(
        self,
        encryptor: Encryptor<'_>,
        options: &Options<'_>,
        tell: OnFile<'_>,
    ) -> Result<Total> {
        watched(options.progress, encryptor.run_options(), |run| {
            self.seal_with(encryptor.running(run), options, tell)
        })
    }

    fn seal_with(
        self,
        encryptor: Encryptor<'_>,
        options: &Options<'_>,
        tell: OnFile<'_>,
    ) -> Result<Total> {
        let Self { from, to } = self;
        let to = match to {
            Destination::Directory(to) => OpenDestination::Directory(to.make()?),
            Destination::Store(store, overwrite) => OpenDestination::Store(store, overwrite),
        };
        let one = FileSealer { from: &from, to: &to, options, encryptor };
        // A directory is there before anything in it has its turn.
        let steps = Walk::new(&from.root, options.exclude, false).map(|step| {
            if let Ok(WalkEntry { path, kind: EntryKind::Directory, .. }) = &step
                && let Err(error) = to.make_directory(path)
            {
                return Err((path.clone(), error));
            }
            step.map_err(|(path, error): UnreadDirectory| {
                let error = Error::io("read", &from.shown(&path), error);
                (path, error)
            })
        });
        let stop = AtomicBool::new(false);
        let output = to.manifest(options)?;
        let shown = to.shown(Path::new(&manifest_name()));
        let manifest = Manifest { of: &from, options, encryptor, shown };
        thread::scope(|scope| {
            if options.progress.wants_total() {
                // Without the thread nobody knows how much there is.
                let _ = thread::Builder::new().spawn_scoped(scope, || count(&from, options, &stop));
            }
            let _stop = StopOnDrop(&stop);
            in_order(
                steps,
                options.jobs,
                options.progress,
                |step| match step {
                    Ok(step) => {
                        let sealed = one.seal(&step).map(|(entry, done)| (Some(entry), done));
                        (step.path, sealed)
                    }
                    Err((path, error)) => (path, Err(error)),
                },
                |outcomes| manifest.write(output, outcomes, tell),
            )
        })
    }
}

/// Tells how much there is to be done, unless all of it is done before.
fn count(from: &Tree, options: &Options<'_>, stop: &AtomicBool) {
    let (mut files, mut bytes) = (0, 0);
    // In directories of its own: the work has the one that was last used.
    for step in Walk::new(&from.root, options.exclude, false).flatten() {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        if step.kind == EntryKind::File
            && let Ok((directory, name)) = from.root.parent_and_name_beneath(&step.disk_path)
            && let Ok(seen) = directory.stat(&name)
        {
            files += 1;
            bytes += seen.bytes();
        }
    }
    options.progress.expect(files, bytes);
}

/// Ends the counting when it is dropped.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The means to encrypt one file of a tree.
struct FileSealer<'a> {
    from: &'a Tree,
    to: &'a OpenDestination,
    options: &'a Options<'a>,
    encryptor: Encryptor<'a>,
}

impl FileSealer<'_> {
    fn seal(&self, step: &WalkEntry) -> Result<(Entry, Option<FileOutcome>)> {
        let path = path_bytes(&step.path).into_owned();
        let place = self.from.place(&step.path, "read")?;
        match step.kind {
            EntryKind::Directory => {
                let seen = place.status().cannot("read", &place.shown)?;
                let (mode, modified) = (seen.mode(), seen.modified());
                Ok((Entry { path, mode, modified, kind: Kind::Directory }, None))
            }
            EntryKind::Link => {
                let seen = place.status().cannot("read", &place.shown)?;
                let target = place.directory.link_target(&place.name);
                let target = bytes(&target.cannot("read", &place.shown)?).to_vec();
                let done = FileOutcome::Recorded { bytes: target.len() as u64 };
                let (modified, kind) = (seen.modified(), Kind::Link { target });
                Ok((Entry { path, mode: 0, modified, kind }, Some(done)))
            }
            EntryKind::File => self.file(&place, step, path),
            EntryKind::Other => Err(Error::new(&place.shown, Problem::Special)),
        }
    }

    fn file(
        &self,
        place: &Place,
        step: &WalkEntry,
        path: Vec<u8>,
    ) -> Result<(Entry, Option<FileOutcome>)> {
        let (file, seen) = place.file_and_status().cannot("read", &place.shown)?;
        let (mode, modified) = (seen.mode(), seen.modified());
        let mut output = self.to.create(&sealed_name(&step.path), seen.bytes(), self.options)?;
        let summary = self.encryptor.committing().encrypt(Input::File(&file), output.output());
        let summary = summary.map_err(sealing(&place.shown))?;
        let kind = file_kind(&summary, &place.shown)?;
        output.commit()?;
        let bytes = summary.plaintext_bytes;
        let done = FileOutcome::Encrypted { bytes, grew: summary.grew };
        Ok((Entry { path, mode, modified, kind }, Some(done)))
    }
}

/// The manifest's entry for a file that has been encrypted.
pub(super) fn file_kind(summary: &Summary, shown: &Path) -> Result<Kind> {
    let commitment = summary.commitment.ok_or_else(|| Error::new(shown, Problem::OtherFile))?;
    let bound = FileBinding::Contents(commitment);
    Ok(Kind::File { plaintext_bytes: summary.plaintext_bytes, bound })
}

/// The manifest of a tree that is made.
pub(super) struct Manifest<'a> {
    /// The source; outcomes are reported by its paths.
    pub(super) of: &'a Tree,
    pub(super) options: &'a Options<'a>,
    pub(super) encryptor: Encryptor<'a>,
    /// Its path, for messages.
    pub(super) shown: PathBuf,
}

impl Manifest<'_> {
    /// Tells of the outcomes, and lets the manifest of them appear.
    pub(super) fn write(
        &self,
        mut output: NewSealedFile,
        outcomes: &mut (dyn Iterator<Item = SealResult> + Send),
        tell: OnFile<'_>,
    ) -> Result<Total> {
        let total = self.write_to(output.output(), outcomes, tell)?;
        output.commit()?;
        Ok(total)
    }

    /// The same, and it does not appear yet.
    pub(super) fn write_to(
        &self,
        output: Output<'_>,
        outcomes: &mut (dyn Iterator<Item = SealResult> + Send),
        tell: OnFile<'_>,
    ) -> Result<Total> {
        let shown = &self.shown;
        let mut report = FileReporter::new(tell, self.options.progress);
        let writer = Writer::new(Vec::new()).map_err(manifest_error(shown))?;
        let mut plaintext = Plaintext {
            outcomes,
            writer: Some(writer),
            from: self.of,
            report: &mut report,
            cancelled: || self.options.progress.cancelled(),
            ready: Vec::new(),
            at: 0,
        };
        let input = Input::Stream(&mut plaintext);
        let context = context(self.encryptor.bound_to()).map_err(sealing(shown))?;
        // Nobody waits for the manifest's bytes, so they are not reported.
        let run = self.encryptor.run_options().progress(&|_| ());
        let encrypted = self.encryptor.context(&context).running(run).encrypt(input, output);
        encrypted.map_err(|error| unwrapped(error).unwrap_or_else(sealing(shown)))?;
        report.end(shown)
    }
}

/// The manifest's plaintext, made from the files' results as it is read.
struct Plaintext<'a, 'b, C> {
    outcomes: &'a mut (dyn Iterator<Item = SealResult> + Send),
    /// None when the manifest has ended.
    writer: Option<Writer<Vec<u8>>>,
    from: &'a Tree,
    report: &'a mut FileReporter<'b>,
    cancelled: C,
    ready: Vec<u8>,
    at: usize,
}

impl<C: Fn() -> bool> Plaintext<'_, '_, C> {
    /// Makes some more bytes ready.
    fn make(&mut self) -> Result {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if let Some((path, outcome)) = self.outcomes.next() {
            let shown = self.from.shown(&path);
            // A file that the manifest refuses is not of this tree.
            let done = outcome.and_then(|(entry, done)| {
                let pushed = entry.iter().try_for_each(|entry| writer.push(entry));
                pushed.map_err(manifest_error(&shown))?;
                if entry.is_some_and(|entry| entry.kind == Kind::Directory) {
                    self.report.directory();
                }
                Ok(done)
            });
            if let Some(done) = done.transpose() {
                self.report.file(&shown, done)?;
            }
            self.ready.append(writer.get_mut());
        } else if (self.cancelled)() {
            // A cancelled run leaves no manifest of only the files that are done.
            return Err(Error::new(&self.from.shown(Path::new("")), Problem::Cancelled));
        } else if let Some(writer) = self.writer.take() {
            let shown = self.from.shown(Path::new(""));
            self.ready = writer.finish().map_err(manifest_error(&shown))?;
        }
        Ok(())
    }
}

impl<C: Fn() -> bool> Read for Plaintext<'_, '_, C> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() && self.writer.is_some() {
            self.ready.clear();
            self.at = 0;
            self.make()?;
        }
        let part = (&self.ready[self.at..]).read(buffer)?;
        self.at += part;
        Ok(part)
    }
}
