//! The errors of objects, as `object_store`'s [`Error`].
//!
//! A defect of the contents is an [`Error::Generic`] whose source is an [`ObjectError`]: to try
//! again would give the same, so nothing here does. An error of the store stays as the store gave
//! it; its own client has tried again where that helps.

use std::error::Error as StdError;
use std::fmt;

use object_store::Error;
use object_store::path::Path;

/// Its name in errors.
pub(crate) const STORE: &str = "Polyseal";

/// An object that was not sealed or opened, and why.
#[derive(Debug)]
pub struct ObjectError {
    location: Path,
    error: polyseal_file::Error,
}

impl ObjectError {
    pub(crate) fn at(location: &Path, error: polyseal_file::Error) -> Error {
        let source = Self { location: location.clone(), error };
        Error::Generic { store: STORE, source: Box::new(source) }
    }

    /// Where the object is.
    #[must_use]
    pub fn location(&self) -> &Path {
        &self.location
    }

    /// The defect.
    #[must_use]
    pub fn error(&self) -> &polyseal_file::Error {
        &self.error
    }
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.error)
    }
}

impl StdError for ObjectError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.error)
    }
}

/// The defect that Polyseal found in an object; `None` if `error` is about something else.
///
/// ```
/// # use std::sync::Arc;
/// use object_store::{ObjectStoreExt, memory::InMemory, path::Path};
/// use polyseal_file::{Error, Identities, Key, Recipients};
/// use polyseal_object_store::{PolysealStore, file_error};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (inner, key, path) = (Arc::new(InMemory::new()), Key::generate()?, Path::from("a"));
/// inner.put(&path, "not encrypted".into()).await?;
/// let store = PolysealStore::new(inner, Recipients::from(&key), Identities::from(&key));
/// let refused = store.get(&path).await.unwrap_err();
/// assert!(matches!(file_error(&refused), Some(Error::NotAPolysealFile)));
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn file_error(error: &Error) -> Option<&polyseal_file::Error> {
    match error {
        Error::Generic { source, .. } => source.downcast_ref().map(ObjectError::error),
        _ => None,
    }
}

/// The source of the [`Error::Precondition`] of a read that was begun on one version of an object
/// and came upon another: nothing of the other is given out. To read it, begin anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced;

impl Replaced {
    pub(crate) fn at(location: &Path) -> Error {
        Error::Precondition { path: location.to_string(), source: Box::new(Self) }
    }

    pub(crate) fn is_in(error: &Error) -> bool {
        matches!(error, Error::Precondition { source, .. } if source.is::<Self>())
    }
}

impl fmt::Display for Replaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the object was replaced while it was read")
    }
}

impl StdError for Replaced {}

pub(crate) fn generic(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
    Error::Generic { store: STORE, source: source.into() }
}
