//! Objects in stores, where a file is taken: `s3://bucket/key`, `gs://`, `az://`, and `https://`,
//! which can only be read.
//!
//! [`polyseal_object_store::remote`] does the work, with the feature `stores`; without it they are
//! refused. Here are the messages.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use polyseal_local::Store;

use crate::error::{Failure, Result};

const SCHEMES: [&str; 6] = ["s3", "gs", "az", "abfss", "http", "https"];

/// Whether this names an object, and no file.
pub(crate) fn is_object(path: &Path) -> bool {
    let scheme = path.to_str().and_then(|text| text.split_once("://")).map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| SCHEMES.iter().any(|it| it.eq_ignore_ascii_case(scheme)))
}

/// Refuses an object where only a file will do.
pub(crate) fn expect_file(path: &Path) -> Result {
    if !is_object(path) {
        return Ok(());
    }
    let failure = Failure::usage(format!("{} is an object in a store", path.display()));
    Err(if cfg!(feature = "stores") {
        failure.hint("a file or a directory is needed here")
    } else {
        failure.hint("this polyseal was built without the feature `stores`")
    })
}

/// Whether this names all objects whose keys begin with it, as a directory its files: it ends in
/// `/`, or is a bucket.
pub(crate) fn is_prefix(path: &Path) -> bool {
    let rest = path.to_str().filter(|_| is_object(path)).and_then(|text| text.split_once("://"));
    rest.is_some_and(|(_, rest)| rest.ends_with('/') || !rest.contains('/'))
}

/// The name of an object below a prefix.
pub(crate) fn below(prefix: &Path, name: &Path) -> Result<PathBuf> {
    #[cfg(feature = "stores")]
    return of_stores::below(prefix, name);
    #[cfg(not(feature = "stores"))]
    expect_file(prefix).map(|()| name.to_owned())
}

/// The store that has a tree of this name, if it is not in a directory.
pub(crate) fn tree(path: &Path) -> Result<Option<Arc<dyn Store>>> {
    #[cfg(feature = "stores")]
    if is_object(path) {
        return of_stores::tree(path).map(Some);
    }
    expect_file(path).map(|()| None)
}

#[cfg(all(feature = "stores", feature = "mount"))]
pub(crate) use of_stores::{connected, url};
#[cfg(feature = "stores")]
pub(crate) use of_stores::{named, open, write};

#[cfg(feature = "stores")]
mod of_stores {
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex, PoisonError};

    use polyseal_local::Store;
    use polyseal_object_store::remote::{
        Bucket, Notice, Object, ObjectReader, ObjectUrl, ObjectWriter, OnNotice, Prefix, Scheme,
    };

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
    pub(crate) fn named(path: &Path) -> Result<Object> {
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
        let bucket =
            Bucket::connect(url, &notices()).map_err(|error| store_failure("use", &error))?;
        if url.scheme() != Scheme::Web {
            buckets.push((of, Arc::clone(&bucket)));
        }
        Ok(bucket)
    }

    pub(super) fn below(prefix: &Path, name: &Path) -> Result<PathBuf> {
        let below =
            Prefix::below(&url(prefix)?, name).map_err(|error| store_failure("use", &error))?;
        Ok(below.to_string().into())
    }

    pub(super) fn tree(path: &Path) -> Result<Arc<dyn Store>> {
        let url = url(path)?;
        let prefix = Prefix::in_bucket(connected(&url)?, &url);
        Ok(Arc::new(prefix.map_err(|error| store_failure("use", &error))?))
    }

    pub(crate) fn open(path: &Path) -> Result<ObjectReader> {
        ObjectReader::open(&named(path)?).map_err(|error| store_failure("read", &error))
    }

    pub(crate) fn write(path: &Path, replace: bool) -> Result<ObjectWriter> {
        let writer = ObjectWriter::create(named(path)?, replace, None);
        writer.map_err(|error| store_failure("write", &error))
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_an_object() {
        for object in ["s3://bucket/key", "gs://b/k", "az://c/k", "HTTPS://example.org/k"] {
            assert!(is_object(Path::new(object)), "{object}");
            assert!(expect_file(Path::new(object)).is_err());
        }
        for prefix in ["s3://bucket", "s3://bucket/", "gs://b/k/"] {
            assert!(is_prefix(Path::new(prefix)), "{prefix}");
        }
        for other in ["s3://bucket/key", "s3:/a/", "a/"] {
            assert!(!is_prefix(Path::new(other)), "{other}");
        }
        for file in ["s3", "s3:/a", "./s3://a", "ftp://a/b", "file:///a", "-", "a://b"] {
            assert!(!is_object(Path::new(file)), "{file}");
            assert!(expect_file(Path::new(file)).is_ok());
        }
    }
}
