//! The errors of an object that is named by a URL, in words for the person who named it.
//!
//! A server's message is shown in one line of at most 300 characters, control characters spelt
//! out. Neither a query of a URL nor a password is ever in it.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use object_store::Error as StoreError;
use polyseal_file::{Class, reason};
use polyseal_http::cloud::answers::{NoRanges, UnusableCredential, find};
use polyseal_http::cloud::{SetupError, line, message};

use super::url::ObjectUrl;
use crate::error::file_error;

/// An error about an object.
#[derive(Debug)]
pub struct Error {
    name: String,
    problem: Problem,
}

/// The kinds of errors.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// It names no object, and why.
    NoName(String),
    /// There is a user or a password in the URL.
    Password,
    /// The environment gives no store: a setting or the credentials.
    Setup(SetupError),
    /// A web server is only read from.
    ReadOnly,
    /// There is no such object.
    NotFound,
    /// There is an object already.
    Exists,
    /// The object was replaced meanwhile.
    Replaced,
    /// The store does not accept the credentials.
    Credentials,
    /// The store does not permit it.
    Permission,
    /// The server gives no parts of objects.
    NoRanges,
    /// A web server has no lists of objects.
    NoLists,
    /// The store tells no ETag of the object.
    NoTag,
    /// The store copies no parts of objects.
    NoCopies,
    /// The store has no conditional writes.
    NoConditions,
    /// More objects are below a prefix than are listed here.
    TooMany(usize),
    /// The store's message, or its misbehaviour.
    Store(String),
    /// The operating system's error.
    Io(io::Error),
    /// The object is no file that can be opened so.
    File(polyseal_file::Error),
}

impl Error {
    /// An error about the object of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, problem: Problem) -> Self {
        Self { name: name.into(), problem }
    }

    /// Makes a store's error one about the object at `url`.
    pub(super) fn from_store(url: &ObjectUrl, error: &StoreError) -> Self {
        Self::new(url.to_string(), Problem::from_store(error))
    }

    pub(super) fn io(url: &ObjectUrl, error: io::Error) -> Self {
        Self::new(url.to_string(), Problem::Io(error))
    }

    /// The kind of error, with its details.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The class of the error.
    #[must_use]
    pub fn class(&self) -> Class {
        match &self.problem {
            Problem::NoName(_)
            | Problem::Password
            | Problem::Setup(_)
            | Problem::NoLists
            | Problem::ReadOnly
            | Problem::NoRanges
            | Problem::NoTag
            | Problem::NoCopies
            | Problem::NoConditions => Class::Usage,
            Problem::Exists => Class::Exists,
            Problem::Replaced => Class::Changed,
            Problem::File(error) => error.class(),
            Problem::NotFound
            | Problem::Credentials
            | Problem::Permission
            | Problem::TooMany(_)
            | Problem::Store(_)
            | Problem::Io(_) => Class::Io,
        }
    }

    /// Advice, if there is any, for whoever runs the tool `polyseal`: options
    /// are the tool's.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match &self.problem {
            Problem::NoName(_) => "use scheme://bucket/key; see docs/stores.md",
            Problem::Password => "credentials come from the environment",
            Problem::Setup(_) => "docs/stores.md lists the environment variables",
            Problem::NoLists => "download it, or name its files one by one",
            Problem::ReadOnly => "write to s3://, gs:// or az://",
            Problem::Exists => "use -f to replace it, or write elsewhere with -o",
            Problem::NoRanges => "decrypt all of it: polyseal decrypt",
            Problem::NoTag => {
                "without one, a write by somebody else could be lost: encrypt it again"
            }
            Problem::NoCopies | Problem::NoConditions => "decrypt it and encrypt it anew",
            Problem::NotFound => "check the bucket and the key",
            Problem::Credentials | Problem::Permission => {
                "credentials come from the environment: AWS_…, GOOGLE_… or AZURE_…"
            }
            _ => return None,
        })
    }

    /// The sentence where the object was to be used for `what`, a verb. It names the object.
    #[must_use]
    pub fn sentence(&self, what: &str) -> String {
        let name = &self.name;
        match &self.problem {
            // Before anything is done.
            Problem::NoName(why) => format!("{name} names no object: {why}"),
            Problem::Exists => format!("{name} already exists"),
            Problem::ReadOnly => format!("{name} can only be read"),
            problem => format!("cannot {what} {name}: {problem}"),
        }
    }

    /// The object's name, without the query of a URL.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Problem {
    pub(super) fn from_store(error: &StoreError) -> Self {
        if let Some(unusable) = find::<UnusableCredential>(error) {
            return Self::Setup(unusable.into());
        }
        match error {
            _ if find::<NoRanges>(error).is_some() => Self::NoRanges,
            StoreError::NotFound { .. } => Self::NotFound,
            StoreError::Precondition { .. } => Self::Replaced,
            StoreError::AlreadyExists { .. } => Self::Exists,
            StoreError::Unauthenticated { .. } => Self::Credentials,
            StoreError::PermissionDenied { .. } => Self::Permission,
            StoreError::NotImplemented { .. } => Self::NoConditions,
            error => Self::Store(line(&match file_error(error) {
                Some(error) => error.to_string(),
                None => message(error),
            })),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName(why) => write!(f, "it names no object: {why}"),
            Self::Password => f.write_str("a user and a password in a URL are not taken"),
            Self::Setup(error) => error.fmt(f),
            Self::Store(what) => f.write_str(what),
            Self::ReadOnly => f.write_str("it can only be read"),
            Self::NotFound => f.write_str("there is no such object"),
            Self::Exists => f.write_str("it already exists"),
            Self::Replaced => f.write_str("the object was replaced meanwhile"),
            Self::Credentials => f.write_str("the store does not accept the credentials"),
            Self::Permission => f.write_str("the store does not permit it"),
            Self::NoRanges => f.write_str("its server gives no parts of objects"),
            Self::NoLists => f.write_str("it cannot be a tree: a web server has no lists"),
            Self::NoTag => f.write_str("it has no ETag in its store"),
            Self::NoCopies => f.write_str("its store copies no parts of objects"),
            Self::NoConditions => f.write_str("its store has no conditional writes"),
            Self::TooMany(most) => write!(f, "there are more than {most} objects below it"),
            Self::Io(error) => f.write_str(&reason(error)),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.problem)
    }
}

impl StdError for Error {}

impl From<SetupError> for Problem {
    fn from(error: SetupError) -> Self {
        Self::Setup(error)
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error.problem {
            Problem::NotFound => io::ErrorKind::NotFound,
            Problem::Io(source) => source.kind(),
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}
