//! Objects in a store: one, or all that a prefix has, as directories of files.
//!
//! A prefix is listed a level at a time. Whatever is looked at is asked for by its first bytes,
//! which say its version and how long it is decrypted. An open one is read as that version: if it
//! is replaced meanwhile, reading it is an error, and never another's bytes.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use object_store::ObjectMeta;
use object_store::path::Path as Key;
use polyseal_file::{MIN_HEADER_BYTES, ReadAt};
use rustix::process::{getgid, getuid};

use polyseal_local::{ShownNames, alone, is_hidden, short_name, shown_names};

use super::place::{Found, Owned, Place};
use crate::error::{Code, Failure, Result};
use crate::objects::{Ahead, Object, Pinned, wait};

/// For how long answers are relied on, and lists.
const VALID: Duration = Duration::from_secs(10);
/// Reads that wait for a store at once: they take no CPU.
const READERS: usize = 16;
/// The most directories whose names are kept.
const KEPT: usize = 64;

pub(super) struct Objects {
    named: Object,
    /// By which name it is shown, if it is one object.
    alone: Option<OsString>,
    lists: Mutex<HashMap<Key, (Instant, Arc<ShownNames>)>>,
    begun: SystemTime,
}

impl Objects {
    pub(super) fn open(url: &Path) -> Result<Self> {
        let named = Object::or_prefix(url)?;
        let web = url.to_str().is_some_and(|url| url.starts_with("http"));
        let prefix =
            named.key.as_ref().is_empty() || url.to_str().is_some_and(|it| it.ends_with('/'));
        let one = if prefix && !web {
            None
        } else {
            match Pinned::open(&named, MIN_HEADER_BYTES)? {
                Ok(_) => named.key.filename().map(OsStr::new),
                Err(object_store::Error::NotFound { .. }) if !web => None,
                Err(error) => return Err(named.failure("read", &error)),
            }
        };
        let alone = one.map(|name| short_name(name).unwrap_or(name).to_owned());
        let objects = Self { alone, named, lists: Mutex::default(), begun: SystemTime::now() };
        if objects.alone.is_none() && objects.list(&objects.named.key)?.is_empty() && !prefix {
            let message = format!("cannot read {}: there is no such object", url.display());
            return Err(Failure::new(Code::Io, message).hint("check the bucket and the key"));
        }
        Ok(objects)
    }

    /// The key of what is shown at `path`.
    fn key(&self, path: &Path) -> io::Result<Key> {
        let below = path.to_str().ok_or(io::ErrorKind::NotFound)?;
        let prefix = self.named.key.as_ref();
        let between = if prefix.is_empty() || below.is_empty() { "" } else { "/" };
        Key::parse(format!("{prefix}{between}{below}")).map_err(|_| io::ErrorKind::NotFound.into())
    }

    fn list(&self, prefix: &Key) -> io::Result<Arc<ShownNames>> {
        // Who waits for the same list would else ask for it, too.
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, names)) = lists.get(prefix).filter(|(when, _)| when.elapsed() < VALID) {
            return Ok(Arc::clone(names));
        }
        let listed = wait(self.named.store.list_with_delimiter(Some(prefix)))?;
        let listed = listed.map_err(|error| self.named.io_error(&error))?;
        let names = |keys: &mut dyn Iterator<Item = &Key>| -> Vec<OsString> {
            let names = keys.filter_map(|key| key.filename()).map(OsString::from);
            names.filter(|name| !is_hidden(name)).collect()
        };
        let directories = names(&mut listed.common_prefixes.iter());
        let mut files = names(&mut listed.objects.iter().map(|object| &object.location));
        files.retain(|name| short_name(name).is_some());
        let names = Arc::new(shown_names(directories, files));
        if lists.len() >= KEPT {
            lists.clear();
        }
        lists.insert(prefix.clone(), (Instant::now(), Arc::clone(&names)));
        Ok(names)
    }

    /// What is at `path` is a directory if the one above shows it as one.
    fn is_directory(&self, path: &Path) -> io::Result<bool> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(true);
        };
        if self.alone.is_some() {
            return Ok(false);
        }
        let names = self.list(&self.key(parent)?)?;
        Ok(names.get(name).is_some_and(|entry| entry.is_directory))
    }
}

impl Place for Objects {
    fn entries(&self, path: &Path) -> io::Result<Arc<ShownNames>> {
        match &self.alone {
            Some(name) => Ok(alone(name)),
            None => self.list(&self.key(path)?),
        }
    }

    fn look(&self, path: &Path) -> io::Result<Found> {
        if self.is_directory(path)? {
            return Ok(Found::directory(&owned(0o400, self.begun)));
        }
        let object = match &self.alone {
            Some(name) if path == Path::new(name) => self.named.clone(),
            Some(_) => return Err(io::ErrorKind::NotFound.into()),
            None => Object {
                key: self.key(path)?,
                name: self.named.name.join(path),
                store: Arc::clone(&self.named.store),
            },
        };
        let pinned = Pinned::open(&object, MIN_HEADER_BYTES)?;
        let pinned = pinned.map_err(|error| object.io_error(&error))?;
        let ObjectMeta { last_modified, e_tag, size, .. } = pinned.meta().clone();
        // What has an ETag may have a time that some answers round to seconds.
        let state = format!("{:?}", (&e_tag, e_tag.is_none().then_some(last_modified), size));
        let seconds = u64::try_from(last_modified.timestamp()).unwrap_or(0);
        let owned = owned(0o400, UNIX_EPOCH + Duration::from_secs(seconds));
        Ok(Found::file(&owned, state, Box::new(Part::of(pinned))))
    }

    fn valid(&self) -> Duration {
        VALID
    }

    fn readers(&self) -> usize {
        READERS
    }
}

/// Ours alone.
fn owned(perm: u16, modified: SystemTime) -> Owned {
    Owned {
        uid: getuid().as_raw(),
        gid: getgid().as_raw(),
        perm,
        accessed: modified,
        modified,
        changed: modified,
    }
}

/// A version of an object, whose beginning is there, and which is read ahead.
struct Part {
    pinned: Arc<Pinned>,
    rest: Ahead,
}

impl Part {
    fn of(pinned: Pinned) -> Self {
        let (size, pinned) = (pinned.meta().size, Arc::new(pinned));
        let of = Arc::clone(&pinned);
        let fetch = move |range| {
            let of = Arc::clone(&of);
            async move { of.bytes(range).await }.boxed()
        };
        Self { pinned, rest: Ahead::new(size, Box::new(fetch)) }
    }
}

impl ReadAt for Part {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let there = (self.pinned.beginning().len() as u64).saturating_sub(offset);
        if there > 0 {
            let bytes = buffer.len().min(there as usize);
            self.pinned.read_at(&mut buffer[..bytes], offset)
        } else {
            self.rest.read_at(buffer, offset)
        }
    }

    fn size(&self) -> io::Result<u64> {
        self.pinned.size()
    }
}
