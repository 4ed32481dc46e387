//! From the library's errors to Python's exceptions, which `polyseal/errors.py` has.
//!
//! An error about a file that was given by its name is an exception with `filename`; what the
//! system says is an `OSError` with its number, too.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use polyseal::Error;
use polyseal_file::Error as FileError;
use polyseal_file::age::{KeeperErrorClass, KeyError};
use polyseal_local::{Error as LocalError, Problem, shown};
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
pyo3::import_exception!(polyseal.errors, CorruptSegment);
pyo3::import_exception!(polyseal.errors, SourceChanged);
pyo3::import_exception!(polyseal.errors, LimitExceeded);
pyo3::import_exception!(polyseal.errors, ManifestError);
pyo3::import_exception!(polyseal.errors, TreeMismatch);

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

/// The exception for an error of a file that has no name.
#[cold]
pub(crate) fn file_error(error: FileError) -> PyErr {
    let text = error.to_string();
    match error {
        FileError::Io { source, .. } => io_error(source, None, text),
        error => format_error(error, text),
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
fn format_error(error: FileError, text: String) -> PyErr {
    use FileError as E;

    match error {
        E::OutputNotEmpty => PyOSError::new_err((Errno::EXIST.number(), text)),
        E::NotAPolysealFile
        | E::NotArmored
        | E::AgeFile
        | E::Armored
        | E::AgeVersion
        | E::UnsupportedVersion(_)
        | E::Header(_)
        | E::HeaderNotAuthentic
        | E::Armor(_) => HeaderError::new_err(text),
        E::NoMatchingKey | E::PassphraseNeeded => NoMatchingKey::new_err(text),
        E::WrongPassphrase => WrongPassphrase::new_err(text),
        E::ContextMissing | E::ContextDiffers | E::ContextUnexpected => {
            ContextMismatch::new_err(text)
        }
        E::Corrupt { segment, last } => CorruptSegment::new_err((Some(segment), last, text)),
        E::CutShort | E::Extended | E::Truncated => {
            CorruptSegment::new_err((None::<u64>, true, text))
        }
        E::InputChanged | E::Replaced | E::SourceChanged | E::SealedOtherwise { .. } => {
            SourceChanged::new_err(text)
        }
        E::TooLong | E::AgeWork { .. } | E::AgeTries => LimitExceeded::new_err(text),
        E::Stretch => PyMemoryError::new_err(text),
        E::Random => PolysealError::new_err(text),
        E::Keeper(error) => keeper_error(error.class(), text),
        E::Age(_) | E::AgePlugin(_) => PolysealError::new_err(text),
        E::Cipher(error) => message_error(error),
        _ => PyValueError::new_err(text),
    }
}

/// The exception for the error of a key's keeper. It is never an `OSError`: a store of chunks takes
/// that for a missing chunk.
#[cold]
pub(crate) fn keeper_error(class: KeeperErrorClass, text: String) -> PyErr {
    match class {
        KeeperErrorClass::NoKey | KeeperErrorClass::System => KeyUnavailable::new_err(text),
        KeeperErrorClass::Usage | KeeperErrorClass::Content => PyValueError::new_err(text),
    }
}

/// The exception for an error of a file or tree by its name.
#[cold]
pub(crate) fn local_error(error: LocalError) -> PyErr {
    let (path, text) = (error.path().to_owned(), error.to_string());
    let system = |error: Errno, why: &str| {
        let path = OsString::from(&path);
        PyOSError::new_err((error.number(), why.to_owned(), path))
    };
    let mismatch = |reason: &str| TreeMismatch::new_err((reason.to_owned(), text.clone()));
    let raised = match error.into_problem() {
        Problem::Io { source, .. } | Problem::Torn(source) => {
            return io_error(source, Some(&path), text);
        }
        Problem::File(error) | Problem::Sealing(error) => match error {
            FileError::Io { source, .. } => return io_error(source, Some(&path), text),
            error => format_error(error, text),
        },
        Problem::Exists => return system(Errno::EXIST, "File exists"),
        Problem::DanglingLink => {
            return system(Errno::EXIST, "it is a symbolic link to nothing");
        }
        Problem::NotEmpty => {
            return system(Errno::EXIST, "Directory exists, and is not empty");
        }
        Problem::Appeared => return system(Errno::EXIST, "it has appeared meanwhile"),
        Problem::Interrupted | Problem::BackupNameTaken(_) => {
            return system(
                Errno::EXIST,
                "an interrupted rekey --in-place has left it: polyseal rekey --restore, or move \
                 it away",
            );
        }
        Problem::NoSuchDirectory | Problem::NotADirectory => {
            return system(Errno::NOTDIR, "Not a directory");
        }
        Problem::NotOurs => {
            return system(
                Errno::ACCESS,
                "it belongs to another user, or others may write to it; with overwrite=True, \
                 what is written there is for its owner alone",
            );
        }
        Problem::Busy => {
            return system(Errno::TIMEDOUT, "it is being rekeyed by another program");
        }
        Problem::NotAFile if path.is_dir() => return system(Errno::ISDIR, "Is a directory"),
        Problem::NotAFile => PyValueError::new_err(format!(
            "{text}: it is not a regular file; give a file object that is open for writing"
        )),
        Problem::Changed | Problem::ChangedLength => {
            SourceChanged::new_err(format!("{text}; nothing was done to it"))
        }
        Problem::Grew => SourceChanged::new_err(text),
        Problem::NotRekeyable | Problem::MoreThanHeader | Problem::BadBackup(_) => {
            HeaderError::new_err(text)
        }
        Problem::NoManifest | Problem::Manifest(_) => ManifestError::new_err(text),
        Problem::Missing => mismatch("missing"),
        Problem::Added | Problem::AddedCopy => mismatch("added"),
        Problem::OtherFile => mismatch("other"),
        Problem::OtherContents => mismatch("contents"),
        Problem::Caller(error) => match error.downcast::<PyErr>() {
            Ok(raised) => return *raised,
            Err(_) => PolysealError::new_err(text),
        },
        Problem::Nested(_) => {
            PyValueError::new_err(format!("{text}: write to a directory outside of it"))
        }
        Problem::ReservedName => PyValueError::new_err(format!("{text}: rename it")),
        _ => PyValueError::new_err(text),
    };
    with_name(raised, &path)
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
    let text = io::Error::from_raw_os_error(code).to_string();
    text.find(" (os error ").map_or(text.clone(), |at| text[..at].to_owned())
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

/// A text that somebody else has chosen, such as a name, for messages: control characters and marks
/// of direction are spelt out, and keys are withheld.
#[pyfunction]
pub(crate) fn printable(text: PathBuf) -> String {
    shown(&text.to_string_lossy())
}
