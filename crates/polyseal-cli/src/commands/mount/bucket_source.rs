//! Objects in a store: one, or all that a prefix has, as directories of files.
//!
//! A prefix is listed a level at a time. Whatever is looked at is asked for by its first bytes,
//! which say its version and how long it is decrypted. An open one is read as that version: if it
//! is replaced meanwhile, reading it is an error, and never another's bytes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use polyseal_object_store::remote::{Bucket, Error, ObjectUrl, Problem, StoredObject, key_below};
use rustix::process::{getgid, getuid};

use polyseal_local::{ShownNames, alone, is_hidden, short_name, shown_names};

use super::source::{EntryAttributes, FoundEntry, MountSource};
use crate::error::{Code, Failure, Result, store_failure};
use crate::objects::stores::{connected, url};

/// For how long answers are relied on, and lists.
const VALID: Duration = Duration::from_secs(10);
/// Reads that wait for a store at once: they take no CPU.
const READERS: usize = 16;
/// The longest name that the kernel takes; no store has a longer key.
const NAME_BYTES: usize = 1024;
/// The most directories whose names are kept.
const KEPT: usize = 64;

/// When it was listed, and its names.
type CachedList = (Instant, Arc<ShownNames>);

struct BucketSource {
    bucket: Arc<Bucket>,
    url: ObjectUrl,
    /// By which name it is shown, if it is one object.
    alone: Option<OsString>,
    lists: Mutex<HashMap<String, Arc<Mutex<Option<CachedList>>>>>,
    begun: SystemTime,
}

/// The objects that `path` names.
pub(super) fn open(path: &Path) -> Result<Box<dyn MountSource>> {
    Ok(Box::new(BucketSource::open(path)?))
}

impl BucketSource {
    fn open(path: &Path) -> Result<Self> {
        let url = url(path)?;
        let bucket = connected(&url)?;
        let failed = |error| store_failure("read", &error);
        let one = if url.is_prefix() {
            None
        } else {
            let named = bucket.object(&url).map_err(failed)?;
            match StoredObject::look(&named) {
                Ok(_) => named.name(),
                Err(error) if matches!(error.problem(), Problem::NotFound) => None,
                Err(error) => return Err(failed(error)),
            }
        };
        let alone = one.map(OsString::from);
        let alone = alone.map(|name| short_name(&name).map_or(name.clone(), Cow::into_owned));
        let begun = SystemTime::now();
        let objects = Self { bucket, url, alone, lists: Mutex::default(), begun };
        if objects.alone.is_none() {
            let names = objects.list(objects.url.key().to_owned()).map_err(failed)?;
            if names.is_empty() && !objects.url.is_prefix() {
                let message = format!("cannot read {}: there is no such object", objects.url);
                return Err(Failure::new(Code::Io, message).hint("check the bucket and the key"));
            }
        }
        Ok(objects)
    }

    /// The key of the entry that is shown at `path`.
    fn key(&self, path: &Path) -> io::Result<String> {
        let below = path.to_str().ok_or(io::ErrorKind::NotFound)?;
        if below.is_empty() {
            return Ok(self.url.key().to_owned());
        }
        key_below(self.url.key(), below).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn list(&self, prefix: String) -> std::result::Result<Arc<ShownNames>, Error> {
        let list = {
            let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
            if lists.len() >= KEPT && !lists.contains_key(&prefix) {
                lists.clear();
            }
            Arc::clone(lists.entry(prefix.clone()).or_default())
        };
        // A second request for the same list waits for it here, and does not ask again; others do
        // not wait.
        let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, names)) = list.as_ref().filter(|(when, _)| when.elapsed() < VALID) {
            return Ok(Arc::clone(names));
        }
        let level = self.bucket.level(&prefix)?;
        let (directories, mut files) = (fit(level.prefixes), fit(level.objects));
        files.retain(|name| short_name(name).is_some());
        let names = Arc::new(shown_names(directories, files));
        *list = Some((Instant::now(), Arc::clone(&names)));
        Ok(names)
    }

    /// Whether the entry at `path` is a directory: it is if the one above shows it as one.
    fn is_directory(&self, path: &Path) -> io::Result<bool> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(true);
        };
        if self.alone.is_some() {
            return Ok(false);
        }
        let names = self.list(self.key(parent)?)?;
        Ok(names.get(name).is_some_and(|entry| entry.is_directory))
    }
}

/// The names that a directory can show.
fn fit(names: Vec<String>) -> Vec<OsString> {
    let fit = names.into_iter().filter(|name| name.len() <= NAME_BYTES);
    fit.map(OsString::from).filter(|name| !is_hidden(name)).collect()
}

impl MountSource for BucketSource {
    fn entries(&self, path: &Path) -> io::Result<Arc<ShownNames>> {
        match &self.alone {
            Some(name) => Ok(alone(name)),
            None => Ok(self.list(self.key(path)?)?),
        }
    }

    fn find(&self, path: &Path) -> io::Result<FoundEntry> {
        if self.is_directory(path)? {
            return Ok(FoundEntry::directory(&entry_attributes(0o400, self.begun)));
        }
        let object = match &self.alone {
            Some(name) if path == Path::new(name) => self.bucket.object(&self.url)?,
            Some(_) => return Err(io::ErrorKind::NotFound.into()),
            None => self.bucket.object(&self.url.with_key(&self.key(path)?))?,
        };
        let stored = StoredObject::look(&object)?;
        let last_modified = stored.meta().last_modified;
        let seconds = u64::try_from(last_modified.timestamp()).unwrap_or(0);
        let owned = entry_attributes(0o400, UNIX_EPOCH + Duration::from_secs(seconds));
        Ok(FoundEntry::file(&owned, stored.version().to_string(), Box::new(stored)))
    }

    fn valid(&self) -> Duration {
        VALID
    }

    fn readers(&self) -> usize {
        READERS
    }

    fn keeps(&self) -> bool {
        true
    }
}

/// Ours alone.
fn entry_attributes(perm: u16, modified: SystemTime) -> EntryAttributes {
    EntryAttributes {
        uid: getuid().as_raw(),
        gid: getgid().as_raw(),
        perm,
        accessed: modified,
        modified,
        changed: modified,
    }
}
