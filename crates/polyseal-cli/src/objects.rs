//! Objects in stores, where a file is taken: `s3://bucket/key`, `gs://`, `az://`, and `https://`,
//! which can only be read.
//!
//! `stores` does the work. Without the feature of that name, objects are refused here.

#[cfg_attr(not(feature = "stores"), path = "objects/no_stores.rs")]
pub(crate) mod stores;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polyseal_file::ReadAt;
use polyseal_local::{Store, StoredFile};

use crate::error::{Failure, Result};

/// Whether this tool was built with stores.
const SUPPORTED: bool = cfg!(feature = "stores");

const SCHEMES: [&str; 6] = ["s3", "gs", "az", "abfss", "http", "https"];

/// Whether this names an object, and no file.
pub(crate) fn is_object(path: &Path) -> bool {
    let scheme = path.to_str().and_then(|text| text.split_once("://")).map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| SCHEMES.iter().any(|it| it.eq_ignore_ascii_case(scheme)))
}

/// The failure for an object where only a file will do.
pub(crate) fn refused(path: &Path) -> Failure {
    Failure::usage(format!("{} is an object in a store", path.display())).hint(if SUPPORTED {
        "a file or a directory is needed here"
    } else {
        "this polyseal was built without the feature `stores`"
    })
}

/// Refuses an object where only a file will do.
pub(crate) fn expect_file(path: &Path) -> Result {
    if is_object(path) { Err(refused(path)) } else { Ok(()) }
}

/// Refuses an object if this tool was built without stores.
pub(crate) fn expect_supported(path: &Path) -> Result {
    if SUPPORTED { Ok(()) } else { expect_file(path) }
}

/// Whether this names all objects whose keys begin with it, as a directory its files: it ends in
/// `/`, or is a bucket.
pub(crate) fn is_prefix(path: &Path) -> bool {
    let rest = path.to_str().filter(|_| is_object(path)).and_then(|text| text.split_once("://"));
    rest.is_some_and(|(_, rest)| rest.ends_with('/') || !rest.contains('/'))
}

/// The name of an object below a prefix.
pub(crate) fn below(prefix: &Path, name: &Path) -> Result<PathBuf> {
    stores::below(prefix, name)
}

/// An object that is open to be read.
pub(crate) trait ObjectInput: Read + Send {
    /// The name, without the query of a URL.
    fn name(&self) -> String;

    /// The size in bytes.
    fn size(&self) -> u64;

    /// The same, read at offsets.
    fn pinned(self: Box<Self>) -> Result<Box<dyn ReadAt>>;
}

/// An object that is being written. If it is dropped, it never appears.
pub(crate) trait ObjectOutput: Write + Send {
    /// Says how many bytes there will be about, before any are written.
    fn expect_bytes(&mut self, bytes: u64);

    /// Lets it appear.
    fn commit(self: Box<Self>) -> Result;
}

/// Opens what `path` names if it is an object; `None` for a file.
fn if_object<T>(path: &Path, open: impl FnOnce(&Path) -> Result<T>) -> Result<Option<T>> {
    is_object(path).then(|| open(path)).transpose()
}

/// The store that has a tree of this name; `None` for a directory.
pub(crate) fn tree(path: &Path) -> Result<Option<Arc<dyn Store>>> {
    if_object(path, stores::tree)
}

/// The object of this name, to be read; `None` for a file.
pub(crate) fn open(path: &Path) -> Result<Option<Box<dyn ObjectInput>>> {
    if_object(path, stores::open)
}

/// The object of this name, to be written; `None` for a file.
pub(crate) fn write(path: &Path, replace: bool) -> Result<Option<Box<dyn ObjectOutput>>> {
    if_object(path, |path| stores::write(path, replace))
}

/// One version of an object, read at offsets; `None` for a file, or if there is no such object.
pub(crate) fn at_offsets(path: &Path) -> Result<Option<Box<dyn StoredFile>>> {
    if_object(path, stores::at_offsets).map(Option::flatten)
}

/// The object with this suffix, beside another: in front of the query of a web server's URL.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let text = path.to_string_lossy();
    let is_web = text.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"));
    match text.split_once('?').filter(|_| is_web && is_object(path)) {
        Some((name, query)) => format!("{name}{suffix}?{query}").into(),
        None => polyseal_local::with_suffix(path, suffix),
    }
}

/// One version of an object, whose header can be replaced.
pub(crate) fn replaceable(path: &Path) -> Result<Box<dyn StoredFile>> {
    stores::replaceable(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beside_an_object() {
        for (path, beside) in [
            ("a?b", "a?b.sig"),
            ("s3://bucket/k?b", "s3://bucket/k?b.sig"),
            ("https://example.org/c", "https://example.org/c.sig"),
            ("https://example.org/c?sig=x", "https://example.org/c.sig?sig=x"),
        ] {
            assert_eq!(with_suffix(Path::new(path), ".sig"), Path::new(beside));
        }
    }

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
