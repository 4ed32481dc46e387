//! From the library's errors to Python's exceptions, which `polyseal/errors.py` has.
//!
//! An error about a file that was given by its name is an exception with `filename`; what the
//! system says is an `OSError` with its number, too.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use polyseal::Error;
use polyseal_file::age::KeyError;
use polyseal_file::{Class, Error as FileError, reason};
use polyseal_local::{Error as LocalError, Problem, secrets, shown};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::errno::Errno;

pyo3::import_exception!(polyseal.errors, PolysealError);
pyo3::import_exception!(polyseal.errors, InvalidTag);
pyo3::import_exception!(polyseal.errors, KeyUnavailable);
pyo3::import_exception!(polyseal.errors, NoMatchingKey);
pyo3::import_exception!(polyseal.errors, WrongPassphrase);
pyo3::import_exception!(polyseal.errors, ContextMismatch);
pyo3::import_exception!(polyseal.errors, HeaderError);
pyo3::import_exception!(polyseal.errors, NotSignedError);
pyo3::import_exception!(polyseal.errors, CorruptSegment);
pyo3::import_exception!(polyseal.errors, SourceChanged);
pyo3::import_exception!(polyseal.errors, LimitExceeded);
pyo3::import_exception!(polyseal.errors, ManifestError);
pyo3::import_exception!(polyseal.errors, TreeMismatch);
pyo3::import_exception!(polyseal.errors, IncompleteTree);

/// The exception for an error of a message.
#[cold]
pub(crate) fn message_error(error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Unauthentic => InvalidTag::new_err(()),
        Error::TooLong { .. } | Error::Limit { .. } | Error::FewRandomNonces { .. } => {
            LimitExceeded::new_err(text)
        }
        Error::WrongKind => PyTypeError::new_err(text),
        Error::Random | Error::SelfTest => PolysealError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// The exception for an error of this class, with the message `text`.
///
/// The error of a key's keeper is never an `OSError`: a store of chunks takes that for a missing
/// chunk.
#[cold]
pub(crate) fn exception(class: Class, text: String) -> PyErr {
    use Class as C;

    match class {
        C::Io | C::Exists | C::Appeared | C::NotADirectory | C::NotOurs | C::Busy => {
            match errno(class) {
                Some(error) => PyOSError::new_err((error.number(), text)),
                None => PyOSError::new_err(text),
            }
        }
        C::Memory => PyMemoryError::new_err(text),
        C::NotEncrypted | C::Armored | C::Unsuitable | C::Version | C::Header | C::Armor => {
            HeaderError::new_err(text)
        }
        C::NoMatchingKey | C::PassphraseNeeded => NoMatchingKey::new_err(text),
        C::WrongPassphrase => WrongPassphrase::new_err(text),
        C::Context => ContextMismatch::new_err(text),
        C::Corrupt | C::Truncated => CorruptSegment::new_err((None::<u64>, true, text)),
        C::Changed | C::Grew => SourceChanged::new_err(text),
        C::TooLong | C::TooMuchWork | C::TooManyTries => LimitExceeded::new_err(text),
        C::Manifest | C::UnboundManifest => ManifestError::new_err(text),
        C::Incomplete => IncompleteTree::new_err(text),
        C::Missing => TreeMismatch::new_err(("missing", text)),
        C::Added => TreeMismatch::new_err(("added", text)),
        C::OtherFile => TreeMismatch::new_err(("other", text)),
        C::OtherContents => TreeMismatch::new_err(("contents", text)),
        C::KeyUnavailable | C::KeeperFailed => KeyUnavailable::new_err(text),
        C::NotSigned => NotSignedError::new_err(text),
        C::KeyRefused | C::RecipientRefused | C::PluginFailed | C::Random | C::Defect => {
            PolysealError::new_err(text)
        }
        C::Usage
        | C::Forbidden
        | C::BadPassphrase
        | C::BadContext
        | C::Recipients
        | C::Length
        | C::Suite
        | C::KeyFile
        | C::KeyAltered
        | C::Cancelled => PyValueError::new_err(text),
    }
}

/// The number that the system has for a class.
fn errno(class: Class) -> Option<Errno> {
    match class {
        Class::Exists | Class::Appeared => Some(Errno::EXIST),
        Class::NotADirectory => Some(Errno::NOTDIR),
        Class::NotOurs => Some(Errno::ACCESS),
        Class::Busy => Some(Errno::TIMEDOUT),
        _ => None,
    }
}

/// The exception for an error of a file that has no name.
#[cold]
pub(crate) fn file_error(error: FileError) -> PyErr {
    let text = error.to_string();
    match error {
        FileError::Io { source, .. } => io_error(source, None, text),
        error => format_error(&error, text),
    }
}

/// The exception for an error of a file, if it has this name.
#[cold]
pub(crate) fn named_error(name: Option<&Path>, error: FileError) -> PyErr {
    match name {
        Some(name) => local_error(LocalError::new(name, Problem::File(error))),
        None => file_error(error),
    }
}

/// The exception for an error of the file format, with the message `text`.
#[cold]
fn format_error(error: &FileError, text: String) -> PyErr {
    match *error {
        FileError::Corrupt { segment, last } => {
            CorruptSegment::new_err((Some(segment), last, text))
        }
        // Not of a tree, but of a file and its statement.
        FileError::NotAsSigned { .. } => NotSignedError::new_err(text),
        FileError::Statement(_) if error.class() == Class::OtherContents => {
            NotSignedError::new_err(text)
        }
        _ => exception(error.class(), text),
    }
}

/// The exception for an error of a file or tree by its name.
#[cold]
pub(crate) fn local_error(error: LocalError) -> PyErr {
    let (path, class, text) = (error.path().to_owned(), error.class(), error.to_string());
    let words = os_words(&error);
    let text = match error.problem() {
        Problem::NotAFile => format!("{text}; give a file object that is open for writing"),
        Problem::Changed | Problem::ChangedLength => format!("{text}; nothing was done to it"),
        Problem::Nested(_) | Problem::ReservedName => {
            format!("{text}: {}", error.hint().unwrap_or_default())
        }
        _ => text,
    };
    let system = |error: Errno| PyOSError::new_err((error.number(), words, OsString::from(&path)));
    let raised = match error.into_problem() {
        Problem::Io { source, .. } | Problem::Torn(source) => {
            return io_error(source, Some(&path), text);
        }
        Problem::File(error) | Problem::Sealing(error) => match error {
            FileError::Io { source, .. } => return io_error(source, Some(&path), text),
            error => format_error(&error, text),
        },
        Problem::Caller(error) => match error.downcast::<PyErr>() {
            Ok(raised) => return *raised,
            Err(_) => PolysealError::new_err(text),
        },
        Problem::NotAFile if path.is_dir() => return system(Errno::ISDIR),
        _ => match errno(class) {
            Some(error) => return system(error),
            None => exception(class, text),
        },
    };
    with_name(raised, &path)
}

/// The words of an `OSError`, which puts the name of the file behind them.
fn os_words(error: &LocalError) -> String {
    let sentence = error.sentence("it");
    match error.problem() {
        Problem::Exists => "File exists".to_owned(),
        Problem::NoSuchDirectory | Problem::NotADirectory => "Not a directory".to_owned(),
        Problem::NotAFile => "Is a directory".to_owned(),
        Problem::Interrupted => sentence + ", which polyseal rekey --restore undoes",
        Problem::NotOurs => {
            sentence + "; with overwrite=True, what is written there is for its owner alone"
        }
        _ => sentence,
    }
}

/// The exception with the name of the file that it is about.
#[cold]
fn with_name(raised: PyErr, path: &Path) -> PyErr {
    Python::attach(|py| match raised.value(py).setattr("filename", path.as_os_str()) {
        Ok(()) => raised,
        Err(other) => other,
    })
}

/// The exception for the system's error on the file at `path`.
#[cold]
pub(crate) fn system_error(path: &Path, source: io::Error) -> PyErr {
    local_error(LocalError::io("open", path, source))
}

/// An error of the system keeps its number; one that a file object raised is raised again; and what
/// the library says through a reader is its own error.
#[cold]
fn io_error(error: io::Error, path: Option<&Path>, text: String) -> PyErr {
    // Python makes a number of C of one of Windows.
    #[cfg(windows)]
    if let Some(code) = error.raw_os_error() {
        let path = path.map(OsString::from);
        return PyOSError::new_err((0, words_of(code), path, code));
    }
    if let Some(code) = error.raw_os_error().or_else(|| number_of(error.kind())) {
        let Some(path) = path else { return PyOSError::new_err((code, text)) };
        return PyOSError::new_err((code, words_of(code), OsString::from(path)));
    }
    let raised = match error.into_inner() {
        None => PyOSError::new_err(text),
        Some(inner) => match inner.downcast::<PyErr>() {
            Ok(raised) => return *raised,
            Err(inner) => match inner.downcast::<FileError>() {
                Ok(inner) => return named_error(path, *inner),
                Err(inner) => match inner.downcast::<LocalError>() {
                    Ok(inner) => return local_error(*inner),
                    Err(_) => PyOSError::new_err(text),
                },
            },
        },
    };
    match path {
        Some(path) => with_name(raised, path),
        None => raised,
    }
}

/// The number for an error that Rust has found, and not the system.
fn number_of(kind: ErrorKind) -> Option<i32> {
    let error = match kind {
        ErrorKind::NotFound => Errno::NOENT,
        ErrorKind::PermissionDenied => Errno::ACCESS,
        ErrorKind::AlreadyExists => Errno::EXIST,
        ErrorKind::NotADirectory => Errno::NOTDIR,
        ErrorKind::IsADirectory => Errno::ISDIR,
        ErrorKind::InvalidInput => Errno::INVAL,
        _ => return None,
    };
    Some(error.number())
}

/// The system's words for a number, as Python has them.
fn words_of(code: i32) -> String {
    reason(&io::Error::from_raw_os_error(code))
}

/// The exception for an invalid key of age.
#[cold]
pub(crate) fn key_error(error: &KeyError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The exception for invalid identities, from the file of this name.
#[cold]
pub(crate) fn identity_error(file: Option<&str>, error: &KeyError) -> PyErr {
    match file {
        Some(_) => KeyUnavailable::new_err(error.to_string()),
        None => key_error(error),
    }
}

/// Whether a key stands in a text that should say where a key is. No message may repeat it then:
/// messages are logged.
#[pyfunction]
pub(crate) fn has_secret(text: PathBuf) -> bool {
    secrets::has_secret(&text.to_string_lossy())
}

/// A text that somebody else has chosen, such as a name, for messages: control characters and marks
/// of direction are spelt out, and keys are withheld.
#[pyfunction]
pub(crate) fn printable(text: PathBuf) -> String {
    shown(&text.to_string_lossy())
}
