//! Other recipients for a whole tree.
//!
//! The manifest comes last: it opens with the old keys until all else is done that can be. Files
//! that somebody else has added, removed, altered, locked or replaced are reported, and do not keep
//! the rest and the manifest from being rekeyed: otherwise anyone who can write to the tree could
//! keep a key from being removed. Errors of the system do, such as a full disk. Either way the run
//! is repeated.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use polyseal_file::Header;
use polyseal_file::manifest::{Entry, FileBinding, Kind};

use super::backup::{self, Trust};
use super::batch::{Change, make};
use super::many::{expect_recovered, is_no_key, prepare_restore, recover};
use super::stored::rekey_version;
use super::{ExpectedFile, OldHeader, PreparedRekey, RekeyMode, RekeyPlan, RekeySource, make_one};
use crate::error::{Error, Problem, Result};
use crate::many::{FileOutcome, FileReporter, Item, OnFile, PreparedFile, Total, in_batches};
use crate::options::Options;
use crate::place::Place;
use crate::tree::{ManifestFile, Pair, SealedTree, Store, Tree, TreeStorage, manifest_name};

/// Gives the tree in the directory `path` other recipients, and tells of each file in their order.
/// Files that are done already are left as they are: an interrupted run is run again.
pub(super) fn rekey_tree(
    path: &Path,
    plan: &RekeyPlan<'_>,
    options: &Options<'_>,
    tell: OnFile<'_>,
) -> Result<Total> {
    let report = FileReporter::new(tell, options.progress);
    let tree = Tree::open(path)?;
    let name = PathBuf::from(manifest_name());
    let manifest = tree.place(&name, "read")?;
    if manifest.status().is_ok() {
        expect_recovered(&manifest, plan, options)?;
    }
    let sealed = match SealedTree::open(path, plan.decryptor(), options) {
        // It has the new recipients. Files that were missing then may be back.
        Err(error) if is_no_key(&error) && plan.opens(&manifest) => {
            SealedTree::open(path, plan.decryptor_when_done(), options)?
        }
        opened => opened?,
    };
    sealed.rekey_all(plan, report)
}

/// The same for a tree in a store: the header of each object is replaced on the condition that the
/// object has not changed since it was read.
pub(super) fn rekey_stored_tree(
    store: Arc<dyn Store>,
    plan: &RekeyPlan<'_>,
    options: &Options<'_>,
    tell: OnFile<'_>,
) -> Result<Total> {
    let report = FileReporter::new(tell, options.progress);
    if plan.how != RekeyMode::Header {
        return Err(Error::new(&store.shown(Path::new("")), Problem::InAStore));
    }
    let open = |decryptor| SealedTree::open_in(Arc::clone(&store), decryptor, options);
    let sealed = match open(plan.decryptor()) {
        // It may have the new recipients. Files that were missing then may be back.
        Err(error) if is_no_key(&error) => open(plan.decryptor_when_done())
            .map_err(|second| if is_no_key(&second) { error } else { second })?,
        opened => opened?,
    };
    sealed.rekey_all(plan, report)
}

impl SealedTree<'_> {
    fn rekey_all(&self, plan: &RekeyPlan<'_>, mut report: FileReporter<'_>) -> Result<Total> {
        let _out = self.keep_updates_out()?;
        self.rekey_files(plan, &mut report)?;
        if report.total.failed == report.strangers {
            let name = PathBuf::from(manifest_name());
            let done = prepare_entry(self, plan, &name, None);
            let done = done.and_then(|prepared| match prepared {
                PreparedFile::Change(change, done) => make_one(change).map(|()| done),
                PreparedFile::Unchanged(done) => Ok(done),
            });
            // Nobody waits for the manifest: it is told of only if it fails.
            if let Err(error) = done {
                report.file(&self.shown(&name), Err(error))?;
            }
        }
        report.end(&self.shown(Path::new("")))
    }

    fn rekey_files(&self, plan: &RekeyPlan<'_>, report: &mut FileReporter<'_>) -> Result {
        let options = self.options();
        self.expect();
        let items = self.pairs()?.map(|pair| {
            let pair = pair?;
            let bytes = match &pair {
                Pair::File(Entry { kind: Kind::File { plaintext_bytes, .. }, .. }) => {
                    *plaintext_bytes
                }
                _ => 0,
            };
            // One file under two names is that of one entry at most.
            Ok(Item { name: self.shown(&pair.path()), bytes, id: None, it: pair })
        });
        in_batches(
            options,
            items,
            report,
            |files| self.recover_files(files, plan),
            |pair| self.prepare_pair(pair, plan),
            make,
        )
    }

    fn recover_files(&self, files: &[Item<Pair>], plan: &RekeyPlan<'_>) {
        let TreeStorage::Directory(tree) = self.storage() else { return };
        let places = files.iter().filter_map(|file| match &file.it {
            pair @ Pair::File(_) => tree.place(&pair.path(), "read").ok(),
            _ => None,
        });
        recover(places, plan, self.options());
    }

    fn prepare_pair(
        &self,
        pair: Pair,
        plan: &RekeyPlan<'_>,
    ) -> Result<Option<PreparedFile<Change>>> {
        match pair {
            Pair::File(ref entry) => prepare_entry(self, plan, &pair.path(), Some(entry)).map(Some),
            Pair::Plain(_) | Pair::Gone(_) => Ok(None),
            Pair::Missing(_) => Err(Error::new(&self.shown(&pair.path()), Problem::Missing)),
            Pair::Added(path) => {
                Ok(unlisted_outcome(self.storage(), &path).map(PreparedFile::Unchanged))
            }
            Pair::AddedUnread(_) => Ok(Some(PreparedFile::Unchanged(FileOutcome::Left))),
            Pair::UnreadDirectory(path, error) => Err(Error::io("read", &self.shown(&path), error)),
        }
    }
}

/// Puts back every copy of a header that is in the directory `path`, whatever a manifest says.
pub(super) fn restore_tree(
    path: &Path,
    trust: Trust<'_>,
    options: &Options<'_>,
    tell: OnFile<'_>,
) -> Result<Total> {
    let tree = Tree::open(path)?;
    let mut report = FileReporter::new(tell, options.progress);
    let items = tree.paths(options).filter_map(|path| match path {
        Ok(path) => {
            let it = backup::file_of(&path)?;
            Some(Ok(Item { name: tree.shown(&it), bytes: 0, id: None, it }))
        }
        Err(error) => Some(Err(error)),
    });
    in_batches(
        options,
        items,
        &mut report,
        |_| (),
        |path| prepare_restore(&tree.place(&path, "read")?, trust, options),
        make,
    )?;
    report.end(path)
}

/// The outcome for a file that is not of the tree: `None` for a copy of a header that has been put
/// back.
fn unlisted_outcome(storage: &TreeStorage, path: &Path) -> Option<FileOutcome> {
    if let TreeStorage::Directory(tree) = storage
        && let Some(file) = backup::file_of(path)
        && let Ok(place) = tree.place(&file, "read")
        && backup::copy_of(&place).status().is_err()
    {
        return None;
    }
    Some(FileOutcome::Left)
}

/// One file of a tree, which must be that of its entry.
fn prepare_entry(
    sealed: &SealedTree<'_>,
    plan: &RekeyPlan<'_>,
    path: &Path,
    entry: Option<&Entry>,
) -> Result<PreparedFile<Change>> {
    let tree = match sealed.storage() {
        TreeStorage::Directory(tree) => tree,
        TreeStorage::Store(store) => {
            return rekey_stored_entry(sealed, store.as_ref(), plan, path, entry)
                .map(PreparedFile::Unchanged);
        }
    };
    let place: Place = tree.place(path, "read")?;
    let shown = place.shown.clone();
    expect_recovered(&place, plan, sealed.options())?;
    let opened = RekeySource::to_lock(place)?;
    let OldHeader::Polyseal(header) = &opened.header else {
        return Err(Error::new(&shown, Problem::OtherFile));
    };
    let which = expected_file(sealed, header, &shown, entry)?;
    if plan.one_is_added() && plan.opens_header(header, which) {
        return Ok(PreparedFile::Unchanged(FileOutcome::AlreadyRekeyed));
    }
    let new = match opened.contents(plan, which) {
        Err(error) if is_no_key(&error) && plan.opens_header(header, which) => {
            return Ok(PreparedFile::Unchanged(FileOutcome::AlreadyRekeyed));
        }
        new => new?,
    };
    let change = PreparedRekey { opened, new }.change(plan, sealed.options())?;
    Ok(PreparedFile::Change(change, FileOutcome::Rekeyed))
}

/// The same in a store. The manifest is the version that was read at first.
fn rekey_stored_entry(
    sealed: &SealedTree<'_>,
    store: &dyn Store,
    plan: &RekeyPlan<'_>,
    path: &Path,
    entry: Option<&Entry>,
) -> Result<FileOutcome> {
    let shown = sealed.shown(path);
    let opened;
    let version = match (sealed.manifest().0, entry) {
        (ManifestFile::Stored(manifest), None) => manifest.as_ref(),
        _ => {
            opened = store.open(path)?;
            opened.as_ref()
        }
    };
    rekey_version(
        version,
        &shown,
        plan,
        |header| expected_file(sealed, header, &shown, entry),
        sealed.options().progress,
    )
}

/// Which file one with this header has to be.
fn expected_file<'a>(
    sealed: &'a SealedTree<'_>,
    header: &Header,
    shown: &Path,
    entry: Option<&'a Entry>,
) -> Result<ExpectedFile<'a>> {
    Ok(match entry {
        Some(Entry { kind: Kind::File { bound, .. }, .. }) => {
            if header.file_salt() != *bound.file_salt() {
                return Err(Error::new(shown, Problem::OtherFile));
            }
            match bound {
                FileBinding::Contents(commitment) => ExpectedFile::Of(commitment),
                FileBinding::Salt(_) => ExpectedFile::Any,
            }
        }
        _ => sealed.manifest_context().map_or(ExpectedFile::Any, ExpectedFile::BoundTo),
    })
}
