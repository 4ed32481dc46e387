//! The manifest of a sealed tree, entry by entry: `polyseal/trees.py` does the rest.
//!
//! What a manifest may contain is the library's matter ([`polyseal_file::manifest`],
//! `docs/spec/manifest.md`): here an entry becomes a tuple and back, in the order of its fields.

use std::io::BufReader;
use std::sync::{Mutex, PoisonError};

use polyseal_file::Reader as FileReader;
use polyseal_file::manifest::{
    Entry as FileEntry, Error, Kind, Modified, Reader, Writer, stays_inside,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{ManifestError, of_file};
use crate::streams::Source;
use crate::who::Who;

/// Kind (`f`, `d`, `l`), path, mode, seconds, nanoseconds, the size of a file, and the salt of a
/// file or the target of a link.
type Entry<'py> =
    (char, Bound<'py, PyBytes>, u16, i64, u32, Option<u64>, Option<Bound<'py, PyBytes>>);

#[cold]
fn of_manifest(error: Error) -> PyErr {
    match error {
        Error::Io(source) => {
            of_file(polyseal_file::Error::Io { what: "read the manifest", source })
        }
        other => ManifestError::new_err(other.to_string()),
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the manifest has ended")
}

/// Writes a manifest: what `push` and `finish` return, one after the other, is its plaintext.
#[pyclass(frozen, module = "polyseal._polyseal")]
pub(crate) struct ManifestWriter(Mutex<Option<Writer<Vec<u8>>>>);

#[pymethods]
impl ManifestWriter {
    #[new]
    fn new() -> PyResult<Self> {
        Ok(Self(Mutex::new(Some(Writer::new(Vec::new()).map_err(of_manifest)?))))
    }

    /// Takes the next entry. One that no manifest has there raises `ManifestError`: it is left out.
    #[expect(clippy::too_many_arguments, reason = "the fields of an entry")]
    fn push<'py>(
        &self,
        py: Python<'py>,
        kind: char,
        path: Vec<u8>,
        mode: u16,
        seconds: i64,
        nanoseconds: u32,
        size: Option<u64>,
        data: Option<Vec<u8>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let kind = match (kind, size, data) {
            ('f', Some(plaintext_bytes), Some(salt)) => {
                let wrong = |_| PyValueError::new_err("a file salt has 32 bytes");
                Kind::File { plaintext_bytes, file_salt: salt.try_into().map_err(wrong)? }
            }
            ('d', None, None) => Kind::Directory,
            ('l', None, Some(target)) => Kind::Link { target },
            _ => return Err(PyValueError::new_err("no entry of a manifest")),
        };
        let entry = FileEntry { path, mode, modified: Modified { seconds, nanoseconds }, kind };
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = writer.as_mut().ok_or_else(ended)?;
        writer.push(&entry).map_err(of_manifest)?;
        Ok(PyBytes::new(py, &std::mem::take(writer.get_mut())))
    }

    /// Ends the manifest.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let writer = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let rest = writer.ok_or_else(ended)?.finish().map_err(of_manifest)?;
        Ok(PyBytes::new(py, &rest))
    }
}

/// Reads an encrypted manifest, and yields its entries. Only after the last one it is certain that
/// it is a manifest to its end.
#[pyclass(frozen, module = "polyseal._polyseal")]
pub(crate) struct ManifestReader(Mutex<Reader<BufReader<FileReader<Source>>>>);

#[pymethods]
impl ManifestReader {
    #[new]
    fn new(py: Python<'_>, file: &Bound<'_, PyAny>, who: &Bound<'_, Who>) -> PyResult<Self> {
        let (source, who) = (Source::open(file)?, who.get());
        let identities = who.identities()?;
        let reader = py.detach(|| who.decryptor(&identities).reader(source)).map_err(of_file)?;
        let buffered = BufReader::with_capacity(1 << 16, reader);
        let reader = py.detach(|| Reader::new(buffered)).map_err(of_manifest)?;
        Ok(Self(Mutex::new(reader)))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Entry<'py>>> {
        let next = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).next());
        let Some(FileEntry { path, mode, modified, kind }) =
            next.transpose().map_err(of_manifest)?
        else {
            return Ok(None);
        };
        let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
        let (kind, size, data) = match kind {
            Kind::File { plaintext_bytes, file_salt } => {
                ('f', Some(plaintext_bytes), Some(bytes(&file_salt)))
            }
            Kind::Directory => ('d', None, None),
            Kind::Link { target } => ('l', None, Some(bytes(&target))),
        };
        let Modified { seconds, nanoseconds } = modified;
        Ok(Some((kind, bytes(&path), mode, seconds, nanoseconds, size, data)))
    }
}

/// Whether the link at `path` cannot lead out of its tree.
#[pyfunction]
pub(crate) fn link_stays_inside(path: Vec<u8>, target: Vec<u8>) -> bool {
    stays_inside(&path, &target)
}
