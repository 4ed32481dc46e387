//! The defects of a manifest, and the errors of reading or writing one.

use std::fmt;
use std::io;

/// The defect of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It does not begin as one.
    NotAManifest,
    /// It is of a version that this crate does not know.
    Version(u16),
    /// It is of version 1, which does not bind the contents of files, and that was not
    /// [allowed](super::Reader::with_unbound_contents); or such an entry was to be written.
    UnboundContents,
    /// It ends before its end, or goes on behind it.
    Length,
    /// An entry is of an unknown type.
    Type,
    /// A path or a link's target is empty, too long or has a NUL, or a path is not one from the
    /// root: absolute, or with a name that is empty, `.` or `..`.
    Path,
    /// An entry is not behind the one before it: out of order, or there twice.
    Order,
    /// An entry's parent is not a directory.
    Parent,
    /// There are more mode bits than those of permissions, or a link or what is absent has some.
    Mode,
    /// There are 10^9 nanoseconds or more, or what is absent has a time.
    Time,
    /// There are not as many entries as it says, or not as many that failed.
    Count,
    /// Its number is 0.
    Number,
    /// Something of its kind, or in its directory, has no such state; or a state has no such
    /// reason.
    State,
    /// A payload root of version 2 was to be written.
    ListedRoot,
}

/// An error in reading or writing a manifest.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// An error of the input or the output.
    Io(io::Error),
    /// An invalid manifest.
    Invalid(Problem),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAManifest => "it does not begin as a manifest",
            Self::Version(version) => return write!(f, "version {version} is not known"),
            Self::UnboundContents => {
                "it is of version 1, which does not bind the contents of files to their names"
            }
            Self::Length => "it ends too early, or goes on behind its end",
            Self::Type => "an entry is of an unknown type",
            Self::Path => "a path or a target is none",
            Self::Order => "an entry is out of order, or there twice",
            Self::Parent => "an entry's parent is not a directory",
            Self::Mode => "a mode is none",
            Self::Time => "a time is none",
            Self::Count => "there are not as many entries as it says",
            Self::Number => "its number is 0",
            Self::State => "an entry has a state that it cannot have",
            Self::ListedRoot => "a payload root is that of version 2",
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read or write the manifest: {error}"),
            Self::Invalid(problem) => write!(f, "the manifest is damaged: {problem}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Invalid(_) => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Invalid(Problem::Length),
            _ => Self::Io(error),
        }
    }
}
