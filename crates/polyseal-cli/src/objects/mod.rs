//! Objects in stores, where a file is taken: `s3://bucket/key`, `gs://`, `az://`, and `https://`,
//! which can only be read.
//!
//! They are read and written by the crate `object_store`, with the feature `stores`; without it
//! they are refused. An object is read as one version of itself, by its ETag, and one that is
//! written appears whole or not at all. Credentials and endpoints come from the environment, as for
//! other programs: `AWS_…`, `GOOGLE_…`, `AZURE_…`.

#[cfg(all(feature = "stores", feature = "mount"))]
mod ahead;
#[cfg(feature = "stores")]
mod reader;
#[cfg(feature = "stores")]
mod s3;
#[cfg(feature = "stores")]
mod store;
#[cfg(feature = "stores")]
mod writer;

use std::path::Path;

use crate::error::{Failure, Result};

#[cfg(feature = "stores")]
pub(crate) use self::{reader::ObjectReader, s3::S3, store::wait, writer::ObjectWriter};

#[cfg(all(feature = "stores", feature = "mount"))]
pub(crate) use self::{ahead::Ahead, reader::Pinned, store::Object};

const SCHEMES: [&str; 6] = ["s3", "gs", "az", "abfss", "http", "https"];

/// Whether this names an object, and no file.
pub(crate) fn is_object(path: &Path) -> bool {
    let scheme = path.to_str().and_then(|text| text.split_once("://")).map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| SCHEMES.contains(&scheme))
}

/// Refuses an object where only a file will do.
pub(crate) fn expect_file(path: &Path) -> Result {
    if !is_object(path) {
        return Ok(());
    }
    let failure = Failure::usage(format!("{} is an object in a store", path.display()));
    Err(if cfg!(feature = "stores") {
        failure.hint("a file is needed here")
    } else {
        failure.hint("this polyseal was built without the feature `stores`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_an_object() {
        for object in ["s3://bucket/key", "gs://b/k", "az://c/k", "https://example.org/k"] {
            assert!(is_object(Path::new(object)), "{object}");
            assert!(expect_file(Path::new(object)).is_err());
        }
        for file in ["s3", "s3:/a", "./s3://a", "ftp://a/b", "file:///a", "-", "a://b"] {
            assert!(!is_object(Path::new(file)), "{file}");
            assert!(expect_file(Path::new(file)).is_ok());
        }
    }
}
