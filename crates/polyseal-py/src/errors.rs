//! From the library's errors to Python's exceptions, which `polyseal/errors.py` has.

use std::io;

use polyseal::Error;
use polyseal_file::Error as FileError;
use polyseal_file::age::KeyError;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;

pyo3::import_exception!(polyseal.errors, PolysealError);
pyo3::import_exception!(polyseal.errors, InvalidTag);
pyo3::import_exception!(polyseal.errors, NoMatchingKey);
pyo3::import_exception!(polyseal.errors, WrongPassphrase);
pyo3::import_exception!(polyseal.errors, ContextMismatch);
pyo3::import_exception!(polyseal.errors, HeaderError);
pyo3::import_exception!(polyseal.errors, CorruptSegment);
pyo3::import_exception!(polyseal.errors, SourceChanged);
pyo3::import_exception!(polyseal.errors, LimitExceeded);
pyo3::import_exception!(polyseal.errors, ManifestError);

/// The exception for an error of a message.
#[cold]
pub(crate) fn of_message(error: Error) -> PyErr {
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

/// The exception for an error of a file.
#[cold]
pub(crate) fn of_file(error: FileError) -> PyErr {
    use FileError as E;

    let text = error.to_string();
    match error {
        E::Io { source, .. } => of_io(source, text),
        E::InputChanged | E::OutputNotEmpty => PyOSError::new_err(text),
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
        E::SourceChanged | E::SealedOtherwise { .. } => SourceChanged::new_err(text),
        E::TooLong | E::AgeWork { .. } | E::AgeTries => LimitExceeded::new_err(text),
        E::Stretch => PyMemoryError::new_err(text),
        E::Random => PolysealError::new_err(text),
        E::Age(_) | E::AgePlugin(_) => PolysealError::new_err(text),
        E::Cipher(error) => of_message(error),
        _ => PyValueError::new_err(text),
    }
}

/// An error of the system keeps its number; one that a file object raised is raised again; and what
/// the library says through a reader is its own error.
#[cold]
fn of_io(error: io::Error, text: String) -> PyErr {
    if let Some(code) = error.raw_os_error() {
        return PyOSError::new_err((code, text));
    }
    match error.get_ref() {
        Some(inner) if inner.is::<PyErr>() => error.into(),
        Some(inner) if inner.is::<FileError>() => match error.into_inner().map(|e| e.downcast()) {
            Some(Ok(inner)) => of_file(*inner),
            _ => PyOSError::new_err(text),
        },
        _ => PyOSError::new_err(text),
    }
}

/// The exception for a key of age that is none.
#[cold]
pub(crate) fn of_key(error: &KeyError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
