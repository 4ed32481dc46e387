//! An output file that appears complete or not at all, and a directory beneath which no link is
//! followed, for parts of the package that write files piece by piece.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use polyseal_local::{Error, Forbidden, NewFile as LocalFile, Place, components};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{local_error, system_error};
use crate::memory::Input;
use crate::scratch::{KEPT, wipe, with_scratch};

/// An output file that appears when it is committed, complete, or not at all.
#[pyclass(frozen, module = "polyseal._polyseal")]
pub(crate) struct NewFile(Mutex<Option<LocalFile>>);

impl NewFile {
    fn from_result(new: polyseal_local::Result<LocalFile>) -> PyResult<Self> {
        Ok(Self(Mutex::new(Some(new.map_err(local_error)?))))
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut LocalFile) -> polyseal_local::Result<T> + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| {
            let mut new = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            new.as_mut().map(work)
        });
        done.ok_or_else(finished)?.map_err(local_error)
    }

    fn take(&self, py: Python<'_>) -> Option<LocalFile> {
        py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).take())
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the file is committed or discarded")
}

#[pymethods]
impl NewFile {
    /// The file at `path`: links in it are followed.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<Self> {
        Self::from_result(py.detach(|| LocalFile::create_at(&path, overwrite, &Forbidden::NOTHING)))
    }

    /// Writes all of `data`.
    fn write(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<usize> {
        let data = Input::from_object(data)?;
        self.with(py, |new| {
            let write = |mut file: &File| match &data {
                Input::Bytes(bytes) => file.write_all(bytes),
                Input::Foreign(_) => (0..data.len()).step_by(KEPT).try_for_each(|at| {
                    with_scratch(KEPT.min(data.len() - at), |own| {
                        data.copy_range(at..at + own.len(), own);
                        let written = file.write_all(own);
                        wipe(own);
                        written
                    })
                }),
            };
            write(new.file()).map_err(|error| Error::io("write", new.shown(), error))?;
            Ok(data.len())
        })
    }

    /// Gives the file an attribute, where the file system has them.
    fn mark(&self, py: Python<'_>, name: &str, value: &str) -> PyResult<()> {
        self.with(py, |new| {
            attributes::set(new.file(), name, value.as_bytes());
            Ok(())
        })
    }

    /// A descriptor of the file that the caller closes: it tells of this very file, also when it
    /// has its name, whatever that name comes to mean.
    fn descriptor(&self, py: Python<'_>) -> PyResult<i32> {
        self.with(py, |new| {
            let own = new.file().try_clone();
            own.map_err(|error| Error::io("write", new.shown(), error))
        })
        .and_then(|own| descriptor_of(py, own))
    }

    /// All is written, and on disk: now only a commit gives it its name.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, LocalFile::sync)
    }

    /// Gives the file its name. File and name are on disk then.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        let mut new = self.take(py).ok_or_else(finished)?;
        py.detach(|| {
            new.sync()?;
            new.commit()
        })
        .map_err(local_error)
    }

    /// It does not appear.
    fn discard(&self, py: Python<'_>) {
        let new = self.take(py);
        py.detach(|| drop(new));
    }
}

/// An open directory: what is beneath it is reached through no link, whatever is put there.
#[pyclass(frozen, module = "polyseal._polyseal")]
pub(crate) struct Directory {
    directory: polyseal_local::Directory,
    path: PathBuf,
}

#[pymethods]
impl Directory {
    /// The directory `path`: links in it are followed.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let directory = py.detach(|| polyseal_local::Directory::open(&path));
        let directory = directory.map_err(|error| system_error(&path, error))?;
        Ok(Self { directory, path })
    }

    /// The same for an output: a link as its last name is followed only if this user or root has
    /// made it.
    #[staticmethod]
    fn for_output(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let directory = py.detach(|| polyseal_local::Directory::open_for_output(&path));
        let directory = directory.map_err(|error| system_error(&path, error))?;
        Ok(Self { directory, path })
    }

    /// A descriptor of the regular file `path` beneath it, to be read.
    fn file(&self, py: Python<'_>, path: PathBuf) -> PyResult<i32> {
        let file = py.detach(|| self.directory.file(&path));
        descriptor_of(py, file.map_err(|error| self.refused(&path, error))?)
    }

    /// The file `path` beneath it, to be written; directories on the way are made.
    fn new_file(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<NewFile> {
        py.detach(|| {
            let found = match components(&path) {
                Some(_) => self.directory.make_parents(&path),
                None => Err(ErrorKind::InvalidInput.into()),
            };
            let (folder, name) = found.map_err(|error| self.refused(&path, error))?;
            let place = Place::new(folder, name, self.path.join(&path));
            NewFile::from_result(LocalFile::create_in(place, overwrite, &Forbidden::NOTHING))
        })
    }
}

/// Python's descriptor of an open file. The caller closes it.
#[cfg(unix)]
fn descriptor_of(_: Python<'_>, file: File) -> PyResult<i32> {
    Ok(std::os::fd::IntoRawFd::into_raw_fd(file))
}

/// The same: C's library has a number for a handle.
#[cfg(windows)]
fn descriptor_of(py: Python<'_>, file: File) -> PyResult<i32> {
    use std::os::windows::io::{AsRawHandle, IntoRawHandle};

    const O_BINARY: i32 = 0x8000;
    let handle = file.as_raw_handle().addr();
    let number = py.import("msvcrt")?.call_method1("open_osfhandle", (handle, O_BINARY))?;
    // It belongs to the number now.
    let _ = file.into_raw_handle();
    number.extract()
}

impl Directory {
    fn refused(&self, path: &Path, error: io::Error) -> PyErr {
        system_error(&self.path.join(path), error)
    }
}

#[cfg(target_os = "linux")]
mod attributes {
    use std::fs::File;

    use rustix::fs::{XattrFlags, fsetxattr};

    /// A file system without attributes keeps none.
    pub(super) fn set(file: &File, name: &str, value: &[u8]) {
        let _ = fsetxattr(file, format!("user.{name}"), value, XattrFlags::empty());
    }
}

#[cfg(not(target_os = "linux"))]
mod attributes {
    use std::fs::File;

    pub(super) fn set(_: &File, _: &str, _: &[u8]) {}
}
