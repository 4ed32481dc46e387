//! A server's misbehaviour, as errors in the chain of sources of an `object_store::Error`.
//!
//! None of them has a query of a URL in it: that of a signed URL is a credential.

use std::error::Error;
use std::fmt;
use std::io;
use std::iter::successors;

use object_store::client::{HttpError, HttpErrorKind};

/// The first error of type `T` among `error` and its sources.
#[must_use]
pub fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    successors(Some(error), |&error| {
        // An `io::Error` names the source of the error in it, and not that error.
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(carried) => Some(carried),
            None => error.source(),
        }
    })
    .find_map(<dyn Error>::downcast_ref)
}

/// More came than was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExcessBytes {
    /// The bytes that there may be.
    pub asked: u64,
}

/// A part of an object was asked for, and the server gives the whole object only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRanges {
    /// The object's bytes, if the server says it.
    pub size: Option<u64>,
}

/// A part of an object was asked for, and the object has no bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmptyObject {
    /// Which version of the object that is.
    pub e_tag: Option<String>,
}

/// The server redirects to where nothing is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirected {
    /// Scheme, host and port; `None` if the server says none.
    pub to: Option<String>,
    /// The bucket's region, which an S3 says to who asked in another one.
    pub region: Option<String>,
}

/// A URL with `http:` where that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpNotAllowed {
    /// Where it would have been sent.
    pub host: String,
}

/// A list that cannot be trusted to be one, or to be complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadList(pub(super) String);

/// A credential, or the token to get one, that no request can be made with, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableCredential(pub(super) String);

/// No answer came, or not all of one.
#[derive(Debug)]
pub struct NoAnswer {
    /// The server.
    pub host: String,
    /// Why, in a few words.
    pub message: String,
    kind: HttpErrorKind,
    source: Option<HttpError>,
}

impl fmt::Display for ExcessBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server sent more than the {} bytes that it was asked for", self.asked)
    }
}

impl fmt::Display for NoRanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server gives no parts of objects")
    }
}

impl fmt::Display for EmptyObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the object is empty")
    }
}

impl fmt::Display for Redirected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.to {
            Some(to) => write!(f, "the server redirects to {to}, which is not followed")?,
            None => write!(f, "the server redirects, and does not say where to")?,
        }
        match &self.region {
            Some(region) => write!(f, "; the bucket's region is {region}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for HttpNotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} would be asked without TLS, which is not allowed", self.host)
    }
}

impl fmt::Display for BadList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server sent no valid list of objects: {}", self.0)
    }
}

impl fmt::Display for UnusableCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no whole answer from {}: {}", self.host, self.message)
    }
}

impl Error for ExcessBytes {}
impl Error for NoRanges {}
impl Error for EmptyObject {}
impl Error for Redirected {}
impl Error for HttpNotAllowed {}
impl Error for BadList {}
impl Error for UnusableCredential {}

impl Error for NoAnswer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// One that to ask again does not help against.
pub(super) fn refused(error: impl Error + Send + Sync + 'static) -> HttpError {
    HttpError::new(HttpErrorKind::Unknown, error)
}

impl NoAnswer {
    /// The root cause of `error`, and no more: the rest says that something was sent.
    pub(super) fn because(host: &str, error: HttpError) -> Self {
        let first: &(dyn Error + 'static) = &error;
        let root = successors(Some(first), |&error| error.source()).last();
        let message = root.map(ToString::to_string).unwrap_or_default();
        Self { host: host.to_owned(), message, kind: error.kind(), source: Some(error) }
    }

    pub(super) fn new(host: &str, kind: HttpErrorKind, message: String) -> Self {
        Self { host: host.to_owned(), message, kind, source: None }
    }
}

impl From<NoAnswer> for HttpError {
    fn from(error: NoAnswer) -> Self {
        Self::new(error.kind, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_io_error_carries_is_found() {
        let carried = io::Error::other(refused(ExcessBytes { asked: 7 }));
        assert_eq!(find(&carried), Some(&ExcessBytes { asked: 7 }));
        let direct = io::Error::other(ExcessBytes { asked: 8 });
        assert_eq!(find(&direct), Some(&ExcessBytes { asked: 8 }));
        assert_eq!(find::<NoRanges>(&direct), None);
    }
}
