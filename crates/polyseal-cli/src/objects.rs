//! Objects in stores, where a file is taken: `s3://bucket/key`, `gs://`, `az://`, and `https://`,
//! which can only be read.
//!
//! What is done to them is [`polyseal_object_store::remote`]'s, with the feature `stores`; without
//! it they are refused. Here is what is told.

use std::path::Path;

use crate::error::{Failure, Result};

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

#[cfg(feature = "stores")]
pub(crate) use of_stores::{connected, failure, named, open, url, write};

#[cfg(feature = "stores")]
mod of_stores {
    use std::path::Path;
    use std::sync::Arc;

    use polyseal_object_store::remote::{
        Bucket, Error, Notice, Object, ObjectReader, ObjectUrl, ObjectWriter, OnNotice, Problem,
    };

    use crate::error::{Code, Failure, Result, shown};
    use crate::say::note;

    /// The name of an object, or of what the keys of several begin with.
    pub(crate) fn url(path: &Path) -> Result<ObjectUrl> {
        let text = path.to_str().ok_or_else(|| {
            let message = format!("{} names no object: it is not UTF-8", path.display());
            Failure::usage(message)
        })?;
        ObjectUrl::parse(text).map_err(|error| failure("use", &error))
    }

    /// The object of that name.
    pub(crate) fn named(path: &Path) -> Result<Object> {
        Object::named(&url(path)?, &notices()).map_err(|error| failure("use", &error))
    }

    /// What that name lies in.
    pub(crate) fn connected(url: &ObjectUrl) -> Result<Arc<Bucket>> {
        Bucket::connect(url, &notices()).map_err(|error| failure("use", &error))
    }

    pub(crate) fn open(path: &Path) -> Result<ObjectReader> {
        ObjectReader::open(&named(path)?).map_err(|error| failure("read", &error))
    }

    pub(crate) fn write(path: &Path, replace: bool) -> Result<ObjectWriter> {
        let writer = ObjectWriter::create(named(path)?, replace, None);
        writer.map_err(|error| failure("write", &error))
    }

    /// What happens while a store is waited for, on standard error.
    fn notices() -> OnNotice {
        Arc::new(|notice| match notice {
            Notice::Trouble(trouble) => note(&shown(&format!(
                "{} does not answer ({}); it is asked again, for up to a minute",
                trouble.host, trouble.said
            ))),
            Notice::Skipped(key) => note(&format!(
                "an object is left out, whose key cannot be named here: {}",
                shown(key)
            )),
            _ => {}
        })
    }

    /// What went wrong with an object.
    pub(crate) fn failure(what: &str, error: &Error) -> Failure {
        let (code, hint) = match error.problem() {
            Problem::NoName(_) => (Code::Usage, "use scheme://bucket/key; see docs/stores.md"),
            Problem::Password => (Code::Usage, "credentials come from the environment"),
            Problem::NoCredentials(_) | Problem::NoTls(_) | Problem::Setting(_) => {
                (Code::Usage, "see docs/stores.md for what is read from the environment")
            }
            Problem::ReadOnly => (Code::Usage, "write to s3://, gs:// or az://"),
            Problem::Exists => (Code::Usage, "use -f to replace it, or write elsewhere with -o"),
            Problem::NoRanges => (Code::Usage, "decrypt all of it: polyseal decrypt"),
            Problem::NoTag => (
                Code::Usage,
                "without one, what another writes meanwhile would be lost: encrypt it anew",
            ),
            Problem::NoCopies | Problem::NoConditions => {
                (Code::Usage, "decrypt it and encrypt it anew")
            }
            Problem::NotFound => (Code::Io, "check the bucket and the key"),
            Problem::Credentials | Problem::Permission => {
                (Code::Io, "credentials come from the environment: AWS_…, GOOGLE_… or AZURE_…")
            }
            _ => (Code::Io, ""),
        };
        let message = match error.problem() {
            // Before anything is done.
            Problem::NoName(why) => format!("{} names no object: {why}", error.name()),
            Problem::Exists => format!("{} already exists", error.name()),
            Problem::ReadOnly => format!("{} can only be read", error.name()),
            _ => format!("cannot {what} {error}"),
        };
        let failure = Failure::new(code, message);
        if hint.is_empty() { failure } else { failure.hint(hint) }
    }
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
