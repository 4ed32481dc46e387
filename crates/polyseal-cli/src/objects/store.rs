//! From a URL to a store and a path in it; and what stores say, in the words of this tool.

use std::env;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use object_store::path::Path as Key;
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt, parse_url_opts};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::error::{Code, Failure, Result, shown};

/// An object that is named: it may be there or not.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) key: Key,
    pub(crate) name: PathBuf,
}

impl Object {
    /// The object with this URL. Nothing is asked of the store yet.
    pub(crate) fn named(path: &Path) -> Result<Self> {
        let object = Self::or_prefix(path)?;
        if object.key.as_ref().is_empty() {
            return Err(names_none(path, &"there is no key"));
        }
        Ok(object)
    }

    /// The same, or what the keys of several begin with: a bucket is that of all of them.
    pub(crate) fn or_prefix(path: &Path) -> Result<Self> {
        let wrong = |error: &dyn std::fmt::Display| names_none(path, error);
        let text = path.to_str().ok_or_else(|| wrong(&"it is not UTF-8"))?;
        let url = Url::parse(text).map_err(|error| wrong(&error))?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong(&"a query or fragment is not understood"));
        }
        // Who writes http:// means it: what is read is authenticated all the same.
        let plain = (url.scheme() == "http").then(|| ("allow_http".to_owned(), "true".to_owned()));
        // The builders look for certificates and for credentials in the file system.
        let _entered = runtime()?.enter();
        let (store, key) =
            parse_url_opts(&url, builder_options().chain(plain)).map_err(|error| wrong(&error))?;
        Ok(Self { store: store.into(), key, name: path.to_owned() })
    }

    /// Whether it can be written to.
    pub(crate) fn expect_writable(&self) -> Result {
        match self.name.to_str() {
            Some(text) if text.starts_with("http") => {
                let message = format!("{} can only be read", self.name.display());
                Err(Failure::usage(message).hint("write to s3://, gs:// or az://"))
            }
            _ => Ok(()),
        }
    }

    /// What the store says of it; `None` if it is not there.
    pub(crate) fn meta(&self) -> Result<Option<ObjectMeta>> {
        match wait(self.store.head(&self.key)) {
            Ok(Ok(meta)) => Ok(Some(meta)),
            Ok(Err(Error::NotFound { .. })) => Ok(None),
            Ok(Err(error)) => Err(self.failure("look at", &error)),
            Err(error) => Err(Failure::io("look at", &self.name, &error)),
        }
    }

    pub(crate) fn failure(&self, what: &str, error: &Error) -> Failure {
        let message = format!("cannot {what} {}: {}", self.name.display(), reason(error));
        let failure = Failure::new(Code::Io, message);
        match error {
            Error::NotFound { .. } => failure.hint("check the bucket and the key"),
            Error::Unauthenticated { .. } | Error::PermissionDenied { .. } => {
                failure.hint("credentials come from the environment: AWS_…, GOOGLE_… or AZURE_…")
            }
            _ => failure,
        }
    }

    /// The same where an [`io::Error`] is wanted.
    pub(crate) fn io_error(&self, error: &Error) -> io::Error {
        let kind = match error {
            Error::NotFound { .. } => io::ErrorKind::NotFound,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, format!("{}: {}", self.name.display(), reason(error)))
    }
}

fn names_none(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    let message = format!("{} names no object: {error}", shown(&path.to_string_lossy()));
    Failure::usage(message).hint("use scheme://bucket/key; see docs/stores.md")
}

/// What the environment says, as the builders' `from_env` take it, and no other variables.
pub(crate) fn builder_options() -> impl Iterator<Item = (String, String)> {
    let ours = |name: &str| ["AWS_", "AZURE_", "GOOGLE_"].iter().any(|p| name.starts_with(p));
    env::vars_os().filter_map(move |(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        ours(&name).then_some((name, value))
    })
}

/// In a line: the answers of servers have many.
fn reason(error: &Error) -> String {
    let text = match error {
        Error::NotFound { .. } => "there is no such object".to_owned(),
        Error::Precondition { .. } => "the object was replaced meanwhile".to_owned(),
        Error::AlreadyExists { .. } => "there is an object already".to_owned(),
        Error::Unauthenticated { .. } => "the store does not accept the credentials".to_owned(),
        Error::PermissionDenied { .. } => "the store does not permit it".to_owned(),
        other => other.to_string(),
    };
    // What a server says in XML is in there.
    let said = text.split_once("<Message>").and_then(|(_, said)| said.split_once("</Message>"));
    let line = said.map_or(text.lines().next().unwrap_or_default(), |(said, _)| said);
    let mut line = shown(line.trim());
    if let Some((at, _)) = line.char_indices().nth(300) {
        line.truncate(at);
        line.push('…');
    }
    line
}

/// Started when the first object is named: nothing else has to wait for it.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<io::Result<Runtime>> = OnceLock::new();
    let runtime =
        RUNTIME.get_or_init(|| Builder::new_multi_thread().worker_threads(2).enable_all().build());
    runtime.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}

pub(crate) fn wait<F: Future>(work: F) -> io::Result<F::Output> {
    Ok(runtime()?.block_on(work))
}

/// Lets it be done while something else is.
#[cfg(feature = "mount")]
pub(crate) fn spawn<F>(work: F) -> io::Result<tokio::task::JoinHandle<F::Output>>
where
    F: Future<Output: Send> + Send + 'static,
{
    Ok(runtime()?.spawn(work))
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(Code::Io, format!("cannot reach a store: {error}"))
    }
}
