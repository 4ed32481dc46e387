//! Objects, read and written by [`polyseal_object_store::remote`].

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use polyseal_file::ReadAt;
use polyseal_local::{Store, StoredFile};
use polyseal_object_store::remote::{
    Bucket, Notice, Object, ObjectReader, ObjectUrl, ObjectWriter, OnNotice, Prefix, Problem,
    Scheme, StoredObject,
};

use super::{ObjectInput, ObjectOutput};
use crate::error::{Failure, Result, shown, store_failure};
use crate::messages::note;

/// The URL of an object, or of a prefix of several.
pub(crate) fn url(path: &Path) -> Result<ObjectUrl> {
    let text = path.to_str().ok_or_else(|| {
        let message = format!("{} names no object: it is not UTF-8", path.display());
        Failure::usage(message)
    })?;
    ObjectUrl::parse(text).map_err(|error| store_failure("use", &error))
}

/// The object of that name.
fn named(path: &Path) -> Result<Object> {
    let url = url(path)?;
    connected(&url)?.object(&url).map_err(|error| store_failure("use", &error))
}

/// The bucket of that name. Many objects in one bucket share its connections.
pub(crate) fn connected(url: &ObjectUrl) -> Result<Arc<Bucket>> {
    static BUCKETS: Mutex<Vec<(ObjectUrl, Arc<Bucket>)>> = Mutex::new(Vec::new());
    let mut buckets = BUCKETS.lock().unwrap_or_else(PoisonError::into_inner);
    let of = url.with_key("");
    if let Some((_, bucket)) = buckets.iter().find(|(url, _)| *url == of) {
        return Ok(Arc::clone(bucket));
    }
    let bucket = Bucket::connect(url, &notices()).map_err(|error| store_failure("use", &error))?;
    if url.scheme() != Scheme::Web {
        buckets.push((of, Arc::clone(&bucket)));
    }
    Ok(bucket)
}

pub(super) fn below(prefix: &Path, name: &Path) -> Result<PathBuf> {
    let below = Prefix::below(&url(prefix)?, name).map_err(|error| store_failure("use", &error))?;
    Ok(below.to_string().into())
}

pub(super) fn tree(path: &Path) -> Result<Arc<dyn Store>> {
    let url = url(path)?;
    let prefix = Prefix::in_bucket(connected(&url)?, &url);
    Ok(Arc::new(prefix.map_err(|error| store_failure("use", &error))?))
}

pub(super) fn open(path: &Path) -> Result<Box<dyn ObjectInput>> {
    let reader = ObjectReader::open(&named(path)?);
    Ok(Box::new(reader.map_err(|error| store_failure("read", &error))?))
}

pub(super) fn write(path: &Path, replace: bool) -> Result<Box<dyn ObjectOutput>> {
    let writer = ObjectWriter::create(named(path)?, replace, None);
    Ok(Box::new(writer.map_err(|error| store_failure("write", &error))?))
}

pub(super) fn replaceable(path: &Path) -> Result<Box<dyn StoredFile>> {
    let stored = StoredObject::open_to_rekey(&named(path)?);
    Ok(Box::new(stored.map_err(|error| store_failure("rekey", &error))?))
}

pub(super) fn at_offsets(path: &Path) -> Result<Option<Box<dyn StoredFile>>> {
    match StoredObject::look(&named(path)?) {
        Ok(stored) => Ok(Some(Box::new(stored))),
        Err(error) if matches!(error.problem(), Problem::NotFound) => Ok(None),
        Err(error) => Err(store_failure("read", &error)),
    }
}

impl ObjectInput for ObjectReader {
    fn name(&self) -> String {
        Self::name(self)
    }

    fn size(&self) -> u64 {
        self.meta().size
    }

    fn pinned(self: Box<Self>) -> Result<Box<dyn ReadAt>> {
        let pinned = Self::pinned(*self);
        Ok(Box::new(pinned.map_err(|error| store_failure("read", &error))?))
    }
}

impl ObjectOutput for ObjectWriter {
    fn expect_bytes(&mut self, bytes: u64) {
        Self::expect_bytes(self, bytes);
    }

    fn commit(self: Box<Self>) -> Result {
        Self::commit(*self).map_err(|error| store_failure("write", &error))
    }
}

/// How many keys that were left out are told.
const TOLD: usize = 20;
static SKIPPED: AtomicUsize = AtomicUsize::new(0);

/// Prints notices about a store that is waited for, on standard error.
fn notices() -> OnNotice {
    Arc::new(|notice| match notice {
        Notice::Outage(outage) => note(&shown(&format!(
            "{} does not answer ({}); it is asked again, for up to a minute",
            outage.host, outage.message
        ))),
        Notice::Skipped(key) => match SKIPPED.fetch_add(1, Ordering::Relaxed) {
            0..TOLD => {
                let key = shown(key);
                note(&format!("left out an object whose key this tool cannot name: {key}"));
            }
            TOLD => note("left out more objects whose keys this tool cannot name"),
            _ => {}
        },
        _ => {}
    })
}
