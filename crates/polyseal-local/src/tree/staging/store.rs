//! A tree in a store that is updated. New encrypted files are held back until the coming manifest
//! is there: small ones in memory, others as uploads that are not completed.
//!
//! A program that dies takes them with it. Then the next update takes each file as it is there, as
//! before or as after, and encrypts the others anew, under other keys.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use polyseal_file::Summary;

use super::Staging;
use super::coming_path;
use super::lease::{LOCK, Lease};
use crate::error::{Error, ErrorContext, Problem, Result};
use crate::many::in_order;
use crate::options::Options;
use crate::testing::step;
use crate::tree::open::BoxedEntries;
use crate::tree::signed::SIGNED;
use crate::tree::source::NewFiles;
use crate::tree::store::{
    NewSealedFile, NewStoredFile, OverwriteRule, Store, StoreListing, stored_name,
};
use crate::tree::walk::Walk;
use crate::tree::{UPDATE, manifest_name};

/// The bytes that wait in memory at most.
const IN_MEMORY: u64 = 64 << 20;
/// A file of so many bytes at most waits there.
const SMALL: u64 = 1 << 20;
/// A header, and the tags of a small file.
const MORE_THAN_PLAINTEXT: u64 = 8 << 10;

/// The place of an update in a store.
pub(super) struct Held<'a> {
    store: &'a Arc<dyn Store>,
    options: &'a Options<'a>,
    lease: Lease,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// All objects, when they were listed last.
    names: Option<Arc<Vec<String>>>,
    files: Vec<Box<dyn NewStoredFile>>,
    /// The bytes of them that are in memory.
    bytes: u64,
    /// The tree's manifest, in the place of the one that was there.
    manifest: Option<Box<dyn NewStoredFile>>,
}

impl<'a> Held<'a> {
    /// Takes the lease.
    ///
    /// # Errors
    /// [`Problem::BusyTree`], or an error of the store.
    pub(super) fn begin(store: &'a Arc<dyn Store>, options: &'a Options<'a>) -> Result<Self> {
        let lease = Lease::take(store)?;
        Ok(Self { store, options, lease, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names of all objects, in the order of their bytes.
    fn names(&self) -> Result<Arc<Vec<String>>> {
        if let Some(names) = &self.state().names {
            return Ok(Arc::clone(names));
        }
        let mut names = self.store.list()?;
        names.sort_unstable();
        Ok(Arc::clone(self.state().names.insert(Arc::new(names))))
    }

    fn is_there(&self, path: &Path) -> Result<bool> {
        let name = stored_name(path).unwrap_or_default();
        Ok(self.names()?.binary_search(&name).is_ok())
    }

    /// Does something with each, several at a time.
    fn each<T: Send>(&self, of: Vec<T>, work: impl Fn(T) -> Result + Sync) -> Result {
        let (expected, progress) = (of.len(), self.options.progress);
        let done = in_order(of.into_iter(), self.options.jobs, progress, work, |results| {
            results.map(|done| done.map(|()| 1)).sum::<Result<usize>>()
        })?;
        if done == expected {
            return Ok(());
        }
        Err(Error::new(&self.store.shown(Path::new("")), Problem::Cancelled))
    }
}

impl NewFiles for Held<'_> {
    fn create(&self, path: &Path, bytes: u64) -> Result<NewSealedFile> {
        let there = self.is_there(path)?;
        let overwrite = if there { OverwriteRule::AsSeen } else { OverwriteRule::Nothing };
        self.store.create(path, overwrite, Some(bytes)).map(NewSealedFile::Stored)
    }

    fn finish(&self, file: NewSealedFile, summary: &Summary) -> Result {
        let NewSealedFile::Stored(mut file) = file else { return file.commit() };
        let bytes = summary.plaintext_bytes.saturating_add(MORE_THAN_PLAINTEXT);
        let is_held = {
            let mut state = self.state();
            let is_held = bytes <= SMALL && state.bytes + bytes <= IN_MEMORY;
            state.bytes += if is_held { bytes } else { 0 };
            is_held
        };
        if !is_held {
            file.hold()?;
        }
        self.state().files.push(file);
        Ok(())
    }
}

impl Staging for Held<'_> {
    fn keeps_files(&self) -> bool {
        false
    }

    fn folds_names(&self) -> bool {
        false
    }

    fn walk(&self) -> Result<Walk<'static>> {
        let listing = StoreListing::sorted(self.names()?);
        Ok(Walk::from_names(Box::new(listing), &|_| false, true))
    }

    fn signed_names(&self) -> Result<Vec<OsString>> {
        let (front, names) = (format!("{SIGNED}/"), self.names()?);
        let names = names.iter().filter_map(|name| name.strip_prefix(&front));
        Ok(names.map(OsString::from).collect())
    }

    fn expect_place(&self, path: &Path, is_ours: bool) -> Result {
        if is_ours || !self.is_there(path)? {
            return Ok(());
        }
        // A manifest knows every file of this tree that is there.
        Err(Error::new(&self.store.shown(path), Problem::Exists))
    }

    /// There are none.
    fn expect_directory(&self, _path: &Path) -> Result {
        Ok(())
    }

    fn clear(&self) -> Result {
        let (front, lock) = (format!("{UPDATE}/"), format!("{UPDATE}/{LOCK}"));
        let names = self.names()?;
        let left = names.iter().filter(|name| name.starts_with(&front) && **name != lock);
        for name in left {
            // With leave to add objects alone it stays: it is no coming manifest any more.
            let _ = self.store.delete(Path::new(name));
            self.state().names = None;
        }
        Ok(())
    }

    fn coming(&self) -> Result<NewSealedFile> {
        // Begun before it is read: of another program's change, nothing is lost.
        let manifest = self.store.create(manifest_name().as_ref(), OverwriteRule::AsSeen, None)?;
        self.state().manifest = Some(manifest);
        let coming = self.store.create(&coming_path(), OverwriteRule::AsSeen, None)?;
        Ok(NewSealedFile::Stored(coming))
    }

    fn sync(&self) -> Result {
        self.lease.expect()
    }

    fn give_names(&self, _coming: BoxedEntries<'_>) -> Result {
        let files = std::mem::take(&mut self.state().files);
        self.each(files, |file| {
            step();
            file.commit()
        })
    }

    fn give_manifest(&self) -> Result {
        let Some(mut manifest) = self.state().manifest.take() else { return Ok(()) };
        step();
        let shown = self.store.shown(Path::new(""));
        let mut coming = match self.store.stream(&coming_path()) {
            Err(error) if error.is_not_found() => {
                return Err(Error::new(&shown, Problem::BusyTree));
            }
            coming => coming?,
        };
        io::copy(&mut coming, &mut manifest).cannot("write", &shown)?;
        // Another program's is not given out: with the lease, which never comes back, this one is
        // that of this update.
        self.lease.expect()?;
        manifest.commit()?;
        let mut state = self.state();
        (state.bytes, state.names) = (0, None);
        drop(state);
        step();
        Ok(())
    }

    fn delete(&self, files: Vec<PathBuf>, _directories: Vec<PathBuf>) -> Result {
        self.each(files, |path| {
            step();
            self.lease.expect()?;
            self.store.delete(&path)
        })
    }

    fn leave(self: Box<Self>) {
        self.lease.leave();
    }
}
