//! Encrypting a tree into a place of its own.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use polyseal_file::manifest::Lineage;
use polyseal_file::{Commitment, Encryptor, Error as FileError};

use super::new_manifest::{Manifest, WrittenManifest};
use super::signed::{SignedFolder, Signing};
use super::source::{EntrySealer, NewFiles, source_names};
use super::staging;
use super::store::{NewSealedFile, OverwriteRule, Store, TreeStorage};
use super::target::{NewTree, WritableTree};
use super::walk::{Walk, WalkEntry};
use super::{Tree, is_reserved, manifest_name, sealed_name};
use crate::error::{Error, Problem, Result, file};
use crate::many::{OnFile, Total, in_order};
use crate::options::Options;
use crate::platform::{EntryKind, bytes, expect_name};
use crate::watch::watched;

/// A tree that is to be encrypted into another directory.
#[derive(Debug)]
pub struct TreeSealer {
    from: Tree,
    to: Destination,
    first_run: FirstRun,
}

/// Whether a directory says by [`UPDATE`](super::UPDATE) that it is being made by an update: the
/// next one may then replace what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstRun {
    OfUpdate,
    Alone,
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

    fn storage(&self) -> TreeStorage {
        match self {
            Self::Directory(to) => {
                TreeStorage::Directory(Tree::new(to.tree.root.clone(), &to.tree.shown))
            }
            Self::Store(store, _) => TreeStorage::Store(Arc::clone(store)),
        }
    }

    /// A store has files alone.
    fn make_directory(&self, path: &Path) -> Result {
        match self {
            Self::Directory(to) => to.make(path).map(drop),
            Self::Store(..) => Ok(()),
        }
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

/// The destination, with the options of the run.
struct NewTreeFiles<'a> {
    to: &'a OpenDestination,
    options: &'a Options<'a>,
    first_run: FirstRun,
}

impl NewFiles for NewTreeFiles<'_> {
    fn create(&self, path: &Path, bytes: u64) -> Result<NewSealedFile> {
        Ok(match self.to {
            OpenDestination::Directory(to) => NewSealedFile::File(to.create(path, self.options)?),
            OpenDestination::Store(store, overwrite) => {
                if self.first_run == FirstRun::OfUpdate && *overwrite == OverwriteRule::Anything {
                    expect_encrypted(store.as_ref(), path)?;
                }
                NewSealedFile::Stored(store.create(path, *overwrite, Some(bytes))?)
            }
        })
    }
}

/// Refuses to replace something that no first run has left.
fn expect_encrypted(store: &dyn Store, path: &Path) -> Result {
    let shown = store.shown(path);
    match store.open(path).map(|found| found.header()) {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error @ FileError::Io { .. })) => Err(file(&shown)(error)),
        Ok(Err(_)) => Err(Error::new(&shown, Problem::Exists)),
        Err(error) if error.is_not_found() => Ok(()),
        Err(error) => Err(error),
    }
}

impl TreeSealer {
    /// Looks at both directories, and at every name in the first: names that cannot be told apart
    /// when they are encrypted are refused before anything is written.
    ///
    /// # Errors
    /// [`Problem::Nested`], [`Problem::ReservedName`], [`Problem::SameName`], or an I/O error.
    pub fn new(from: &Path, to: NewTree, options: &Options<'_>) -> Result<Self> {
        let tree = Tree::open(from)?;
        to.expect_outside(from)?;
        let first_run = FirstRun::Alone;
        let sealer = Self { from: tree, to: Destination::Directory(to), first_run };
        sealer.expect_distinct_names(options)?;
        Ok(sealer)
    }

    /// The path that it goes to.
    pub(super) fn shown(&self) -> PathBuf {
        match &self.to {
            Destination::Directory(to) => to.shown().to_owned(),
            Destination::Store(store, _) => store.shown(Path::new("")),
        }
    }

    pub(super) fn store(&self) -> Option<&Arc<dyn Store>> {
        match &self.to {
            Destination::Directory(_) => None,
            Destination::Store(store, _) => Some(store),
        }
    }

    /// The same as the first run of an update.
    pub(super) fn of_update(mut self) -> Self {
        self.first_run = FirstRun::OfUpdate;
        self
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
        let first_run = FirstRun::Alone;
        let sealer = Self { from, to: Destination::Store(store, overwrite), first_run };
        sealer.expect_distinct_names(options)?;
        Ok(sealer)
    }

    fn expect_distinct_names(&self, options: &Options<'_>) -> Result {
        expect_distinct_names(&self.from, self.store().map(AsRef::as_ref), options)
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
        let (total, _) = self.seal_with_copy(encryptor, options, &mut io::sink(), tell)?;
        Ok(total)
    }

    /// The same; `copy` has the manifest's plaintext, and the commitment is that to the manifest.
    pub(super) fn seal_with_copy(
        self,
        encryptor: Encryptor<'_>,
        options: &Options<'_>,
        copy: &mut (dyn Write + Send),
        tell: OnFile<'_>,
    ) -> Result<(Total, Commitment)> {
        watched(options.progress, encryptor.run_options(), |run| {
            self.seal_with(encryptor.running(run), options, copy, tell)
        })
    }

    fn seal_with(
        self,
        encryptor: Encryptor<'_>,
        options: &Options<'_>,
        copy: &mut (dyn Write + Send),
        tell: OnFile<'_>,
    ) -> Result<(Total, Commitment)> {
        let Self { from, to, first_run } = self;
        let to = match to {
            Destination::Directory(to) => OpenDestination::Directory(to.make()?),
            Destination::Store(store, overwrite) => OpenDestination::Store(store, overwrite),
        };
        let place = match first_run {
            FirstRun::OfUpdate => Some(to.storage()),
            FirstRun::Alone => None,
        };
        let begun = place.as_ref().map(|place| staging::begin(place, options)).transpose()?;
        // Another first run may have ended since this one looked.
        if let Some(place) = &place
            && place.manifest(Path::new(&manifest_name()))?.is_some()
        {
            return Err(Error::new(&to.shown(Path::new("")), Problem::BusyTree));
        }
        // The next update relies on what the manifest says is there.
        let storage = to.storage();
        let signed = options.signing.folder(&storage, options);
        let ready = |written: &WrittenManifest| {
            if let (Signing::By(signer), Some(unsigned)) = (options.signing, &written.unsigned) {
                unsigned.sign(signer, &SignedFolder::new(&storage, options))?;
            }
            begun.as_ref().map_or(Ok(()), |begun| begun.sync())
        };
        let files = NewTreeFiles { to: &to, options, first_run };
        let one = EntrySealer { from: &from, to: &files, encryptor, signed };
        let walk = Walk::new(&from.root, options.exclude, false);
        let names = source_names(&from, walk, |path| to.make_directory(path));
        let output = to.manifest(options)?;
        let shown = to.shown(Path::new(&manifest_name()));
        let manifest = Manifest { of: &from, options, encryptor, lineage: Lineage::FIRST, shown };
        let done = while_counting(&from, options, || {
            in_order(
                names,
                options.jobs,
                options.progress,
                |name| name.map(|name| one.seal(name, None)),
                |outcomes| manifest.write(output, outcomes, copy, &ready, tell),
            )
        });
        let done = done.map(|WrittenManifest { total, commitment, .. }| (total, commitment));
        match (&done, begun) {
            // The manifest and its name, before a state relies on them.
            (Ok(_), Some(begun)) => begun.sync()?,
            (Err(_), Some(begun)) => begun.leave(),
            _ => {}
        }
        done
    }
}

/// Refuses a name that only a tree's own files have, a file `x` beside a directory `x.polyseal`,
/// and a name that the store cannot have.
pub(super) fn expect_distinct_names(
    from: &Tree,
    store: Option<&dyn Store>,
    options: &Options<'_>,
) -> Result {
    let mut walk = Walk::new(&from.root, options.exclude, false);
    while let Some(step) = walk.next() {
        if let Ok(WalkEntry { path, disk_path, kind }) = &step {
            let error = |problem| Error::new(&from.shown(path), problem);
            if is_reserved(path) {
                return Err(error(Problem::ReservedName));
            }
            let name = disk_path.file_name().unwrap_or_default();
            expect_name(bytes(name)).map_err(|why| error(Problem::ImpossibleName(why)))?;
            if let (Some(store), EntryKind::File) = (store, kind) {
                store.expect_name(&sealed_name(path))?;
            }
        }
        if let Some(file) = walk.clash() {
            let directory = from.shown(&sealed_name(file));
            return Err(Error::new(&from.shown(file), Problem::SameName(directory)));
        }
    }
    Ok(())
}

/// Does `work`, while another thread counts how much there is to be done.
pub(super) fn while_counting<T>(
    from: &Tree,
    options: &Options<'_>,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        if options.progress.wants_total() {
            // Without the thread nobody knows how much there is.
            let _ = thread::Builder::new().spawn_scoped(scope, || count(from, options, &stop));
        }
        let _stop = StopOnDrop(&stop);
        work()
    })
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
