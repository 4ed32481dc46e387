//! Payloads without input or output: for stores, and for engines that share work out.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use polyseal_file::{
    Header, Outline as FileOutline, Payload as FilePayload, PayloadHead as FileHead, StoredLength,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyRange};

use crate::aead::detached;
use crate::errors::file_error;
use crate::key_set::KeySet;
use crate::memory::{Input, new_bytes};

fn stored(size: u64, detached: bool) -> StoredLength {
    if detached { StoredLength::Payload(size) } else { StoredLength::File(size) }
}

pub(crate) fn python_range<'py>(
    py: Python<'py>,
    range: &Range<u64>,
) -> PyResult<Bound<'py, PyRange>> {
    PyRange::new(py, isize::try_from(range.start)?, isize::try_from(range.end)?)
}

/// A payload whose header has been opened, and whose last segment has not: without it nothing says
/// that the payload has not been cut short or extended.
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct PayloadHead {
    last: Range<u64>,
    head: Mutex<Option<FileHead>>,
}

#[pymethods]
impl PayloadHead {
    #[new]
    #[pyo3(signature = (header, stored_size, *, detached = false, **key_set),
        text_signature = "(header, stored_size, *, detached=False, \
        key=None, identity=None, recipients=(), passphrase=None, context=None)")]
    fn new<'py>(
        py: Python<'py>,
        header: &Bound<'py, PyAny>,
        stored_size: u64,
        detached: bool,
        key_set: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let header = Header::parse(&Input::from_object(header)?.take()).map_err(file_error)?;
        let (key_set, stored) = (KeySet::opening(py, key_set)?, stored(stored_size, detached));
        let key_set = key_set.get();
        let identities = key_set.identities()?;
        let head = py.detach(|| key_set.decryptor(&identities).payload_head(&header, stored));
        let head = head.map_err(file_error)?;
        Ok(Self { last: head.last_range(), head: Mutex::new(Some(head)) })
    }

    /// Where the last segment is stored.
    #[getter]
    fn last_range<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyRange>> {
        python_range(py, &self.last)
    }

    /// The payload, once `stored`, the bytes of `last_range`, prove to be its end. A head is good
    /// for one payload. Raises `CorruptSegment` if they do not prove it.
    fn certain(&self, py: Python<'_>, stored: &Bound<'_, PyAny>) -> PyResult<Payload> {
        let stored = Input::from_object(stored)?.take();
        let head = self.head.lock().unwrap_or_else(PoisonError::into_inner).take();
        let head = head.ok_or_else(|| PyValueError::new_err("this head has been used"))?;
        Ok(Payload(py.detach(|| head.certain(&stored)).map_err(file_error)?))
    }

    fn __repr__(&self) -> String {
        let Range { start, end } = self.last;
        format!("<polyseal.PayloadHead: the last segment is stored from {start} to {end}>")
    }
}

/// A payload of which ranges are opened. It can be shared by threads.
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct Payload(FilePayload);

impl Payload {
    pub(crate) fn from_payload(payload: FilePayload) -> Self {
        Self(payload)
    }
}

#[pymethods]
impl Payload {
    /// Opens the payload of `header`, of which so many bytes are stored, the header's included
    /// unless it is `detached`. `fetch(start, stop)` returns stored bytes: it is called once, for
    /// the last segment, without which nothing says that the payload has not been cut short or
    /// extended. Raises what opening a file does.
    #[staticmethod]
    #[pyo3(signature = (header, stored_size, fetch, *, detached = false, **key_set),
        text_signature = "(header, stored_size, fetch, *, detached=False, \
        key=None, identity=None, recipients=(), passphrase=None, context=None)")]
    fn open<'py>(
        py: Python<'py>,
        header: &Bound<'py, PyAny>,
        stored_size: u64,
        fetch: &Bound<'py, PyAny>,
        detached: bool,
        key_set: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let head = PayloadHead::new(py, header, stored_size, detached, key_set)?;
        head.certain(py, &fetch.call1((head.last.start, head.last.end))?)
    }

    /// The length of the plaintext in bytes.
    #[getter]
    fn size(&self) -> u64 {
        self.0.plaintext_bytes()
    }

    /// The bytes of plaintext in a segment, the last excepted.
    #[getter]
    fn segment_size(&self) -> u32 {
        self.0.segment_size().bytes()
    }

    /// Where the segments are stored that hold the plaintext from `start` to `stop`, which is cut
    /// off at the end.
    fn stored_range<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        stop: u64,
    ) -> PyResult<Bound<'py, PyRange>> {
        python_range(py, &self.0.stored_range(start..stop))
    }

    /// The plaintext from `start` to `stop`, from the bytes of `stored_range(start, stop)`. Raises
    /// `CorruptSegment` if they are not authentic, and `ValueError` if their number is wrong.
    fn open_range<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        stop: u64,
        stored: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let stored = Input::from_object(stored)?.take();
        let needed = self.0.stored_range(start..stop);
        let (expected, given) = (needed.end - needed.start, stored.len() as u64);
        if expected != given {
            return Err(file_error(polyseal_file::Error::PartBytes { expected, given }));
        }
        let size = self.0.plaintext_bytes();
        let bytes = usize::try_from(stop.min(size).saturating_sub(start.min(size)))?;
        new_bytes(py, bytes, |out| {
            let open = || self.0.open_range_into(start..stop, &stored, out).map(|_| ());
            detached(py, bytes, open).map_err(file_error)
        })
    }

    fn __repr__(&self) -> String {
        let (bytes, segment) = (self.0.plaintext_bytes(), self.0.segment_size().bytes());
        format!("<polyseal.Payload: {bytes} bytes in segments of {segment}>")
    }
}

/// The sizes that the first bytes of a file give, for lists of many files. Nothing of it is
/// authenticated.
#[pyclass(frozen, eq, module = "polyseal")]
#[derive(PartialEq, Eq)]
pub(crate) struct Outline(FileOutline);

#[pymethods]
impl Outline {
    /// How many bytes it takes.
    #[classattr]
    const BYTES: usize = FileOutline::BYTES;

    /// Reads the outline from `first`, at least the first `Outline.BYTES` bytes of a file. Raises
    /// `HeaderError` if it is none of Polyseal.
    #[staticmethod]
    fn parse(first: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(FileOutline::parse(&Input::from_object(first)?.take()).map_err(file_error)?))
    }

    /// The length of the header in bytes.
    #[getter]
    fn header_size(&self) -> u64 {
        self.0.header_bytes()
    }

    /// The bytes of plaintext in a segment, the last excepted.
    #[getter]
    fn segment_size(&self) -> u32 {
        self.0.segment_size().bytes()
    }

    /// The name of the suite.
    #[getter]
    fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    /// The length of the plaintext of a file of `stored_size` bytes; `None` if no file has that
    /// length. With `detached`, of a payload whose header is kept elsewhere.
    #[pyo3(signature = (stored_size, *, detached = false))]
    fn size(&self, stored_size: u64, detached: bool) -> Option<u64> {
        self.0.plaintext_bytes(stored(stored_size, detached))
    }

    fn __repr__(&self) -> String {
        let (suite, header) = (self.0.suite(), self.0.header_bytes());
        let segment = self.0.segment_size().bytes();
        format!("<polyseal.Outline: {suite}, header of {header} bytes, segments of {segment}>")
    }
}
