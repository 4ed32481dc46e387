//! Binary file objects of Python as what Rust reads and writes.
//!
//! Callers hold none of Python's locks: each call takes it and gives it back. An exception comes
//! back as an [`io::Error`] with the exception in it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use polyseal_file::ReadAt;
use polyseal_local::TreeFile;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;

use crate::errors::system_error;

/// A file object that is read or written from where it stands.
pub(crate) struct Stream(Py<PyAny>);

impl Stream {
    pub(crate) fn new(file: &Bound<'_, PyAny>) -> Self {
        Self(file.clone().unbind())
    }

    fn call_read(&self, py: Python<'_>, buffer: &mut [u8]) -> PyResult<usize> {
        let read = self.0.bind(py).call_method1("read", (buffer.len(),))?;
        let read = read.cast_into::<PyBytes>().map_err(|_| {
            PyTypeError::new_err("read() gave no bytes: the file must be open in binary mode")
        })?;
        let bytes = read.as_bytes();
        let room = buffer.get_mut(..bytes.len());
        let room =
            room.ok_or_else(|| PyTypeError::new_err("read() gave more than was asked for"))?;
        room.copy_from_slice(bytes);
        Ok(bytes.len())
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(Python::attach(|py| self.call_read(py, buffer))?)
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = Python::attach(|py| -> PyResult<Option<usize>> {
            let file = self.0.bind(py);
            let written: Option<usize> =
                file.call_method1("write", (PyBytes::new(py, buffer),))?.extract()?;
            // A raw file says with `None` that it would have to wait. A file object written in
            // Python often returns nothing.
            if written.is_none() && !file.is_instance(raw(py)?)? {
                return Ok(Some(buffer.len()));
            }
            Ok(written)
        })?;
        written.filter(|&n| n <= buffer.len()).ok_or_else(|| io::ErrorKind::WouldBlock.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The base of files without a buffer.
fn raw(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static RAW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    RAW.import(py, "io", "RawIOBase")
}

/// A file by its path, or a file object that can seek.
pub(crate) enum Source {
    File(File),
    Object(Mutex<Stream>),
    /// A file of a sealed tree.
    InTree(TreeFile),
}

impl Source {
    pub(crate) fn open(file: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(path) = file.extract::<PathBuf>() {
            return file.py().detach(|| opened(&path)).map(Self::File);
        }
        Ok(Self::Object(Mutex::new(Stream::new(file))))
    }
}

impl ReadAt for Source {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read_at(buffer, offset),
            Self::InTree(file) => file.read_at(buffer, offset),
            Self::Object(stream) => {
                // Seeking and reading belong together. Nobody waits here with the interpreter's
                // lock.
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(Python::attach(|py| {
                    stream.0.bind(py).call_method1("seek", (offset,))?;
                    stream.call_read(py, buffer)
                })?)
            }
        }
    }

    fn size(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => file.size(),
            Self::InTree(file) => file.size(),
            Self::Object(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(Python::attach(|py| stream.0.bind(py).call_method1("seek", (0, 2))?.extract())?)
            }
        }
    }
}

/// An input to be read from its beginning to its end.
pub(crate) enum Input {
    File(File),
    Object(Stream),
}

impl Input {
    pub(crate) fn open(file: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(path) = file.extract::<PathBuf>() {
            return file.py().detach(|| opened(&path)).map(Self::File);
        }
        Ok(Self::Object(Stream::new(file)))
    }

    /// The file of this name. One that is a pipe is waited for.
    pub(crate) fn named(path: &Path) -> PyResult<Self> {
        opened(path).map(Self::File)
    }

    /// How long it is, where that is known.
    pub(crate) fn known_bytes(&self) -> Option<u64> {
        let Self::File(file) = self else { return None };
        file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len())
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Object(stream) => stream.read(buffer),
        }
    }

    fn read_vectored(&mut self, places: &mut [io::IoSliceMut<'_>]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read_vectored(places),
            Self::Object(stream) => {
                // The first that has room; one byte too few would look like the end.
                let place = places.iter_mut().find(|place| !place.is_empty());
                place.map_or(Ok(0), |place| stream.read(place))
            }
        }
    }
}

fn opened(path: &Path) -> PyResult<File> {
    File::open(path).map_err(|error| system_error(path, error))
}
