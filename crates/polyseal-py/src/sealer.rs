//! Sealing one file in parts, in any order and in several processes.

use std::num::NonZeroU64;

use polyseal_file::{Sealer as FileSealer, SourceVersion};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyRange};

use crate::errors::file_error;
use crate::files::FormatOptions;
use crate::key_set::KeySet;
use crate::memory::Input;
use crate::payload::python_range;

/// Seals parts of a file of a known length; a ticket makes one in another process. Every part is of
/// one version of the source, which is named again with each.
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct Sealer(FileSealer);

fn version(source: &Bound<'_, PyAny>) -> PyResult<SourceVersion> {
    SourceVersion::new(Input::from_object(source)?.take().to_vec()).map_err(file_error)
}

#[pymethods]
impl Sealer {
    #[new]
    #[pyo3(signature = (size, source, *, suite = None, segment_size = None, header_size = 0,
        detached = false, **key_set),
        text_signature = "(size, source, *, suite=None, segment_size=None, header_size=0, \
        detached=False, key=None, identity=None, recipients=(), \
        passphrase=None, context=None)")]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new<'py>(
        py: Python<'py>,
        size: u64,
        source: &Bound<'py, PyAny>,
        suite: Option<&str>,
        segment_size: Option<u64>,
        header_size: usize,
        detached: bool,
        key_set: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let source = version(source)?;
        let (format, key_set) =
            (FormatOptions::new(suite, segment_size, header_size)?, KeySet::sealing(py, key_set)?);
        let key_set = key_set.get();
        let recipients = key_set.recipients()?;
        let encryptor = format.encryptor(&recipients, key_set);
        let sealer = match detached {
            true => encryptor.sealer_detached(size, &source),
            false => encryptor.sealer(size, &source),
        };
        Ok(Self(sealer.map_err(file_error)?))
    }

    /// The sealer of another process, from its ticket. Raises `SourceChanged` if that was made for
    /// another version of the source, and `NoMatchingKey` if these keys do not open it.
    #[staticmethod]
    #[pyo3(signature = (ticket, source, **key_set),
        text_signature = "(ticket, source, *, key=None, identity=None, recipients=(), \
        passphrase=None, context=None)")]
    fn from_ticket<'py>(
        py: Python<'py>,
        ticket: &Bound<'py, PyAny>,
        source: &Bound<'py, PyAny>,
        key_set: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let (source, key_set) = (version(source)?, KeySet::opening(py, key_set)?);
        let key_set = key_set.get();
        let ticket = Input::from_object(ticket)?.take();
        let identities = key_set.identities()?;
        let sealer = FileSealer::from_ticket(&ticket, &identities, key_set.context(), &source);
        Ok(Self(sealer.map_err(file_error)?))
    }

    /// The ticket that another process needs beside the key: nothing secret.
    fn ticket<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.ticket().map_err(file_error)?))
    }

    /// The ticket for workers that cannot open the file: these keys open the ticket alone.
    #[pyo3(signature = (**key_set),
        text_signature = "($self, *, key=None, identity=None, recipients=(), \
        passphrase=None, context=None)")]
    fn ticket_for<'py>(
        &self,
        py: Python<'py>,
        key_set: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let workers = KeySet::sealing(py, key_set)?.get().recipients()?;
        Ok(PyBytes::new(py, &self.0.ticket_for(&workers).map_err(file_error)?))
    }

    /// The header of the file.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.header().as_bytes())
    }

    /// The length of the plaintext in bytes.
    #[getter]
    fn size(&self) -> u64 {
        self.0.plaintext_bytes()
    }

    /// The number of bytes that will be stored.
    #[getter]
    fn stored_size(&self) -> u64 {
        self.0.stored_bytes()
    }

    /// The ranges of the stored bytes, in parts of `part_size` bytes but for the last.
    fn parts<'py>(&self, py: Python<'py>, part_size: u64) -> PyResult<Vec<Bound<'py, PyRange>>> {
        let bytes = NonZeroU64::new(part_size)
            .ok_or_else(|| PyValueError::new_err("a part has at least 1 byte"))?;
        self.0.parts(bytes).map(|part| python_range(py, &part)).collect()
    }

    /// Where the whole segments are stored that hold the plaintext from `start` to `stop`.
    fn stored_range<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        stop: u64,
    ) -> PyResult<Bound<'py, PyRange>> {
        python_range(py, &self.0.stored_range(start..stop))
    }

    /// The plaintext that sealing the stored bytes from `start` to `stop` takes.
    fn plaintext_range<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        stop: u64,
    ) -> PyResult<Bound<'py, PyRange>> {
        python_range(py, &self.0.plaintext_range(start..stop))
    }

    /// The stored bytes from `start` to `stop`. `plaintext` is that of `plaintext_range(start,
    /// stop)` in the version `source`. Raises `SourceChanged` for another version, or for another
    /// plaintext than this sealer has sealed there.
    fn seal<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        stop: u64,
        source: &Bound<'py, PyAny>,
        plaintext: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let source = version(source)?;
        let plaintext = Input::from_object(plaintext)?.take();
        let sealed = py.detach(|| self.0.seal_stored(start..stop, &source, &plaintext));
        Ok(PyBytes::new(py, &sealed.map_err(file_error)?))
    }

    fn __repr__(&self) -> String {
        let (plain, stored) = (self.0.plaintext_bytes(), self.0.stored_bytes());
        format!("<polyseal.Sealer: {plain} bytes, of which {stored} will be stored>")
    }
}
