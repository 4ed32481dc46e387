//! Opening stored files whose bytes Python fetches: which bytes, in which version.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use polyseal_file::statement::Coverage;
use polyseal_file::{
    Answer, ByteRange, Opener as FileOpener, SegmentSize, Step, Version as FileVersion,
};
use polyseal_local::shown;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::file_error;
use crate::key_set::KeySet;
use crate::memory::Input;
use crate::payload::Payload;
use crate::statements::SignedStatement;

/// The marks of a store's file that change with its contents: its size, its entity tag, and others.
#[pyclass(frozen, eq, hash, module = "polyseal")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Version(FileVersion);

#[pymethods]
impl Version {
    #[new]
    #[pyo3(signature = (size, tag = None, marks = None))]
    fn new(size: u64, tag: Option<&str>, marks: Option<Vec<String>>) -> Self {
        let version = FileVersion::new(size).with_tag(tag);
        Self(marks.into_iter().flatten().fold(version, FileVersion::with_mark))
    }

    /// The number of stored bytes.
    #[getter]
    fn size(&self) -> u64 {
        self.0.size()
    }

    /// The entity tag.
    #[getter]
    fn tag(&self) -> Option<&str> {
        self.0.tag()
    }

    /// The tag to send in `If-Match`; `None` if it is a weak one.
    #[getter]
    fn if_match(&self) -> Option<&str> {
        self.0.if_match()
    }

    /// Whether the store tells anything but the size.
    #[getter]
    fn is_told(&self) -> bool {
        self.0.is_told()
    }

    /// The same as text: empty if nothing but the size is told.
    #[getter]
    fn text(&self) -> String {
        self.0.to_string()
    }

    /// Whether what was told at another time is told of the same version.
    fn is_same(&self, other: &Self) -> bool {
        self.0.is_same(&other.0)
    }

    fn __repr__(&self) -> String {
        let told = self.0.tag().map_or_else(|| self.0.to_string(), str::to_owned);
        let separator = if told.is_empty() { "" } else { ", " };
        format!("<polyseal.Version: {} bytes{separator}{}>", self.0.size(), shown(&told))
    }
}

/// A stored file that is being opened. `wanted` says which bytes are to be fetched, `take` takes
/// them; when none are wanted any more, there is the `payload`. With a `statement`, nothing is
/// opened that it does not cover.
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct Opener {
    version: FileVersion,
    coverage: Option<Arc<Coverage>>,
    opener: Mutex<Option<FileOpener>>,
}

#[pymethods]
impl Opener {
    #[new]
    #[pyo3(signature = (version, *, segment_size = None, statement = None))]
    fn new(
        version: &Bound<'_, Version>,
        segment_size: Option<u64>,
        statement: Option<&Bound<'_, SignedStatement>>,
    ) -> PyResult<Self> {
        let version = version.get().0.clone();
        let mut opener = FileOpener::for_version(version.clone());
        if let Some(bytes) = segment_size {
            opener = opener.segment_size(SegmentSize::new(bytes).map_err(file_error)?);
        }
        let coverage = statement.map(|statement| Arc::clone(statement.get().coverage()));
        if coverage.is_some() {
            // It tells the end: the last segment is not needed.
            opener = opener.sequential();
        }
        Ok(Self { version, coverage, opener: Mutex::new(Some(opener)) })
    }

    /// The stored bytes that are wanted next, as pairs of their first and the one behind their
    /// last: they can be fetched at once. As soon as the header is there it is unlocked with these
    /// keys. None are wanted when the file can be opened. Raises `NoMatchingKey`, `WrongPassphrase`
    /// and `ContextMismatch` if they do not fit, and `HeaderError` if there is no file to open.
    #[pyo3(signature = (**key_set),
        text_signature = "($self, *, key=None, identity=None, recipients=(), \
        passphrase=None, context=None)")]
    fn wanted<'py>(
        &self,
        py: Python<'py>,
        key_set: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<(u64, u64)>> {
        let mut opener = self.locked(py);
        let opener = opener.as_mut().ok_or_else(used_up)?;
        loop {
            match opener.step() {
                Step::Fetch(wanted) => {
                    let range = |wanted: &ByteRange| {
                        let range = wanted.range(self.version.size());
                        (range.start, range.end)
                    };
                    return Ok(wanted.iter().map(range).collect());
                }
                Step::Unlock => {
                    let key_set = KeySet::opening(py, key_set)?;
                    let key_set = key_set.get();
                    let identities = key_set.identities()?;
                    let mut decryptor = key_set.decryptor(&identities);
                    if let Some(coverage) = &self.coverage {
                        decryptor = decryptor.covered_by(coverage);
                    }
                    py.detach(|| opener.unlock(&decryptor)).map_err(file_error)?;
                }
                Step::Open => return Ok(Vec::new()),
            }
        }
    }

    /// Takes the bytes from `start` to `stop`, which were wanted. Raises `HeaderError` and
    /// `CorruptSegment` if they are not those of a file.
    fn take(
        &self,
        py: Python<'_>,
        start: u64,
        stop: u64,
        stored: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let bytes = Input::from_object(stored)?.take().to_vec();
        let mut opener = self.locked(py);
        let opener = opener.as_mut().ok_or_else(used_up)?;
        let answer = Answer { version: self.version.clone(), start, bytes };
        opener.take(&ByteRange::Range(start..stop), answer).map_err(file_error)
    }

    /// The payload, whose length is certain now; and the stored bytes at the end of the file that
    /// have been fetched, with where they begin. An opener is good for one payload. Raises
    /// `CorruptSegment` if the file has been cut short, extended or altered at its end.
    fn payload<'py>(&self, py: Python<'py>) -> PyResult<(Payload, u64, Bound<'py, PyBytes>)> {
        let opener = self.locked(py).take().ok_or_else(used_up)?;
        let opened = py.detach(|| opener.open()).map_err(file_error)?;
        let end = PyBytes::new(py, &opened.end);
        Ok((Payload::from_payload(opened.payload), opened.end_start, end))
    }

    fn __repr__(&self) -> String {
        let bytes = self.version.size();
        format!("<polyseal.Opener: a file of {bytes} stored bytes>")
    }
}

impl Opener {
    /// Whoever waits for it lets Python run: the one who has it may be resolving a key.
    fn locked(&self, py: Python<'_>) -> MutexGuard<'_, Option<FileOpener>> {
        self.opener.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

fn used_up() -> PyErr {
    PyValueError::new_err("this opener has been used")
}
