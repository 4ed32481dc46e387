//! Whole files: encrypted, decrypted, verified, described, and given other headers.
//!
//! Names and places of outputs are Python's matter (`polyseal/files.py`): here an output is an
//! empty file that is there, or a file object.

use std::num::NonZeroUsize;

use polyseal_file::{
    Encryptor, Existing, Header, Input, Inspection, SegmentSize, Suite, Summary as Done,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::of_file;
use crate::memory::Input as Buffer;
use crate::streams::{self, Output};
use crate::watch::Watched;
use crate::who::Who;

/// Plaintext bytes, stored bytes, and the salt of the file.
type Summary<'py> = (u64, u64, Option<Bound<'py, PyBytes>>);

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(encrypt, module)?)?;
    module.add_function(wrap_pyfunction!(decrypt, module)?)?;
    module.add_function(wrap_pyfunction!(verify, module)?)?;
    module.add_function(wrap_pyfunction!(inspect, module)?)?;
    module.add_function(wrap_pyfunction!(inspect_header, module)?)?;
    module.add_function(wrap_pyfunction!(rekey_header, module)?)
}

/// What of an encryptor is not said by [`Who`].
pub(crate) struct Shape {
    suite: Option<Suite>,
    segment: SegmentSize,
    header_bytes: usize,
}

impl Shape {
    pub(crate) fn new(
        suite: Option<&str>,
        segment_size: Option<u64>,
        header_size: usize,
    ) -> PyResult<Self> {
        let suite = suite.map(str::parse).transpose().map_err(of_file)?;
        let segment = segment_size.map(SegmentSize::new).transpose().map_err(of_file)?;
        Ok(Self { suite, segment: segment.unwrap_or_default(), header_bytes: header_size })
    }

    pub(crate) fn encryptor<'a>(
        &self,
        recipients: &'a polyseal_file::Recipients,
        who: &'a Who,
    ) -> Encryptor<'a> {
        let mut encryptor =
            Encryptor::new(recipients).segment_size(self.segment).header_bytes(self.header_bytes);
        if let Some(suite) = self.suite {
            encryptor = encryptor.suite(suite);
        }
        match who.context() {
            Some(context) => encryptor.context(context),
            None => encryptor,
        }
    }
}

/// A number of threads.
pub(crate) fn some_threads(threads: usize) -> PyResult<NonZeroUsize> {
    NonZeroUsize::new(threads).ok_or_else(|| PyValueError::new_err("threads must be at least 1"))
}

fn summary(py: Python<'_>, done: Done) -> Summary<'_> {
    let salt = done.file_salt.map(|salt| PyBytes::new(py, &salt));
    (done.plaintext_bytes, done.file_bytes, salt)
}

/// What was done, unless the reading of the input was broken off.
fn finish(
    py: Python<'_>,
    mut watched: Watched,
    result: polyseal_file::Result<Done>,
) -> PyResult<Summary<'_>> {
    if let Some(raised) = watched.raised.take() {
        return Err(raised);
    }
    let done = result.map_err(of_file)?;
    watched.finish(py)?;
    Ok(summary(py, done))
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
fn encrypt<'py>(
    py: Python<'py>,
    src: &Bound<'py, PyAny>,
    dst: &Bound<'py, PyAny>,
    who: &Bound<'py, Who>,
    suite: Option<&str>,
    segment_size: Option<u64>,
    header_size: usize,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary<'py>> {
    let who = who.get();
    let shape = Shape::new(suite, segment_size, header_size)?;
    let threads = threads.map(some_threads).transpose()?;
    let recipients = who.recipients()?;
    let mut watched = Watched::new(streams::Input::open(src)?, progress);
    let mut output = Output::open(dst)?;
    let result = py.detach(|| {
        let mut encryptor = shape.encryptor(&recipients, who);
        if let Some(threads) = threads {
            encryptor = encryptor.threads(threads);
        }
        encryptor.encrypt(Input::Stream(&mut watched), output.as_output())
    });
    finish(py, watched, result)
}

#[pyfunction]
fn decrypt<'py>(
    py: Python<'py>,
    src: &Bound<'py, PyAny>,
    dst: &Bound<'py, PyAny>,
    who: &Bound<'py, Who>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary<'py>> {
    let output = Output::open(dst)?;
    open_all(py, src, Some(output), who, threads, progress)
}

#[pyfunction]
fn verify<'py>(
    py: Python<'py>,
    src: &Bound<'py, PyAny>,
    who: &Bound<'py, Who>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary<'py>> {
    open_all(py, src, None, who, threads, progress)
}

fn open_all<'py>(
    py: Python<'py>,
    src: &Bound<'py, PyAny>,
    mut output: Option<Output>,
    who: &Bound<'py, Who>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary<'py>> {
    let who = who.get();
    let threads = threads.map(some_threads).transpose()?;
    let identities = who.identities()?;
    let mut watched = Watched::new(streams::Input::open(src)?, progress);
    let result = py.detach(|| {
        let mut decryptor = who.decryptor(&identities);
        if let Some(threads) = threads {
            decryptor = decryptor.threads(threads);
        }
        let input = Input::Stream(&mut watched);
        match &mut output {
            Some(output) => decryptor.decrypt(input, output.as_output()),
            None => decryptor.verify(input),
        }
    });
    finish(py, watched, result)
}

/// What a file says of itself, as JSON.
#[pyfunction]
fn inspect(py: Python<'_>, src: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut input = streams::Input::open(src)?;
    let bytes = input.known_bytes();
    let inspection = py.detach(|| Inspection::read(&mut input, bytes)).map_err(of_file)?;
    json(&inspection)
}

/// What a header says of its file, of which so many bytes are stored, as JSON.
#[pyfunction]
fn inspect_header(header: &Bound<'_, PyAny>, stored_size: Option<u64>) -> PyResult<String> {
    let header = Header::parse(&Buffer::of(header)?.take()).map_err(of_file)?;
    let payload = stored_size.map(|bytes| bytes.saturating_sub(header.payload_offset()));
    json(&Inspection::of(&header, payload))
}

fn json(inspection: &Inspection) -> PyResult<String> {
    serde_json::to_string(inspection).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The header, of the same length, for other recipients.
#[pyfunction]
fn rekey_header<'py>(
    py: Python<'py>,
    header: &Bound<'py, PyAny>,
    who: &Bound<'py, Who>,
    new: &Bound<'py, Who>,
    remove_others: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let header = Header::parse(&Buffer::of(header)?.take()).map_err(of_file)?;
    let who = who.get();
    let (identities, recipients) = (who.identities()?, new.get().recipients()?);
    let existing = if remove_others { Existing::Remove } else { Existing::Keep };
    let rekeyed = py.detach(|| {
        let open = header.authenticate(&identities)?;
        if who.context().is_some() {
            open.expect_context(who.context())?;
        }
        open.rekey(&recipients, existing)
    });
    Ok(PyBytes::new(py, rekeyed.map_err(of_file)?.as_bytes()))
}
