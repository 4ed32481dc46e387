//! A file that is read in parts; `polyseal/files.py` makes a file object of it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use polyseal_file::{COMMITMENT_BYTES, Error, Reader as FileReader};
use polyseal_local::{Options, SealedTree};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{local_error, named_error};
use crate::files::some_threads;
use crate::key_set::KeySet;
use crate::memory::{NewBytes, Output, PartCursor};
use crate::scratch::{KEPT, wipe, with_scratch};
use crate::statements::{TreeSigners, Wanted, WantedParts, covered};
use crate::streams::Source;

/// Bytes that a thread reads at once: few enough to stay in its core's cache until they have been
/// opened.
const PART: usize = 1 << 20;

#[pyclass(frozen, module = "polyseal._polyseal")]
pub(crate) struct Reader {
    reader: FileReader<Source>,
    /// The file's, if it was given by its name.
    name: Option<PathBuf>,
    threads: usize,
}

#[pymethods]
impl Reader {
    #[new]
    fn new(
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        key_set: &Bound<'_, KeySet>,
        threads: usize,
        wanted: Option<WantedParts<'_>>,
    ) -> PyResult<Self> {
        let threads = some_threads(threads)?.get();
        let (source, key_set) = (Source::open(file)?, key_set.get());
        let identities = key_set.identities()?;
        let name = file.extract::<PathBuf>().ok();
        let wanted = wanted.map(Wanted::new);
        let accepted = wanted.map(|wanted| wanted.accept(name.as_deref())).transpose()?;
        let decryptor = covered(key_set.decryptor(&identities), accepted.as_ref());
        let reader = py.detach(|| decryptor.reader(source));
        let reader = reader.map_err(|error| named_error(name.as_deref(), error))?;
        Ok(Self { reader, name, threads })
    }

    /// The file at `path` in the sealed tree `tree`, which must be the one that its manifest names:
    /// that with the file salt `manifest`, if one is given.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "called by the package alone")]
    fn in_tree(
        py: Python<'_>,
        tree: PathBuf,
        path: PathBuf,
        key_set: &Bound<'_, KeySet>,
        threads: usize,
        at_least: Option<u64>,
        signers: Option<WantedParts<'_>>,
        manifest: Option<[u8; COMMITMENT_BYTES]>,
    ) -> PyResult<Self> {
        let threads = some_threads(threads)?.get();
        let (key_set, signers) = (key_set.get(), TreeSigners::new(signers));
        let identities = key_set.identities()?;
        let decryptor = key_set.decryptor(&identities);
        let file = py.detach(|| {
            let sealed = SealedTree::open(&tree, decryptor, &signers.apply(Options::new()))?;
            at_least.map_or(Ok(()), |number| sealed.expect_at_least(number))?;
            manifest.map_or(Ok(()), |salt| sealed.expect_manifest(&salt))?;
            sealed.file(&path)
        });
        let file = file.map_err(local_error)?;
        let coverage = file.coverage().clone();
        let reader = py.detach(|| coverage.apply(decryptor).reader(Source::InTree(file)));
        let reader = reader.map_err(|error| named_error(Some(&path), error))?;
        Ok(Self { reader, name: Some(path), threads })
    }

    /// The length of the plaintext in bytes.
    #[getter]
    fn size(&self) -> u64 {
        self.reader.plaintext_bytes()
    }

    /// At most `size` bytes from `offset`; fewer only at the end.
    fn read_at<'py>(
        &self,
        py: Python<'py>,
        offset: u64,
        size: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let left = self.reader.plaintext_bytes().saturating_sub(offset);
        let bytes = usize::try_from(left).unwrap_or(usize::MAX).min(size);
        if bytes <= PART {
            return PyBytes::new_with(py, bytes, |out| {
                py.detach(|| self.fill(offset, out)).map_err(|error| self.raised(error))
            });
        }
        let mut parts = NewBytes::new(py, bytes)?;
        self.fill_parts(py, offset, &parts.cut(PART))?;
        Ok(parts.finish())
    }

    /// Fills `buffer` from `offset`; returns fewer bytes only at the end. If it fails, the written
    /// part is zeros.
    fn read_into(&self, py: Python<'_>, offset: u64, buffer: &Bound<'_, PyAny>) -> PyResult<usize> {
        let output = Output::from_object(buffer)?;
        let mut done = 0;
        let result = self.read_pieces(py, offset, &output, &mut done);
        if result.is_err() {
            output.wipe(done);
        }
        result.map(|()| done)
    }
}

impl Reader {
    /// Fills `output` piece by piece; `done` says how far it has come.
    fn read_pieces(
        &self,
        py: Python<'_>,
        offset: u64,
        output: &Output<'_>,
        done: &mut usize,
    ) -> PyResult<()> {
        while *done < output.len() {
            let room = KEPT.min(output.len() - *done);
            let at = *done;
            let read = |own: &mut [u8]| {
                let n = self.reader.read_at(own, offset + at as u64)?;
                output.write(at, &own[..n]);
                wipe(&mut own[..n]);
                Ok(n)
            };
            let n = py.detach(|| with_scratch(room, read)).map_err(|error| self.raised(error))?;
            *done += n;
            if n < room {
                break;
            }
            py.check_signals()?;
        }
        Ok(())
    }

    /// The exception, which says of which file it is.
    fn raised(&self, error: Error) -> PyErr {
        named_error(self.name.as_deref(), error)
    }

    fn fill(&self, offset: u64, out: &mut [u8]) -> polyseal_file::Result<()> {
        let n = self.reader.read_at(out, offset)?;
        if n == out.len() { Ok(()) } else { Err(Error::InputChanged) }
    }

    /// Fills all parts, in as many threads as there may be. The calling one looks for Ctrl-C.
    fn fill_parts(&self, py: Python<'_>, offset: u64, parts: &PartCursor<'_>) -> PyResult<()> {
        let (stop, failure) = (AtomicBool::new(false), Mutex::new(None));
        let step = || {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            let Some((at, part)) = parts.next() else { return false };
            if let Err(error) = self.fill(offset + at as u64, part) {
                stop.store(true, Ordering::Relaxed);
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
            true
        };
        let mut raised = None;
        py.detach(|| {
            thread::scope(|scope| {
                let others = self.threads.min(parts.count()) - 1;
                for _ in 0..others {
                    // A thread that cannot be started is a thread less.
                    let _ = thread::Builder::new().spawn_scoped(scope, || while step() {});
                }
                while step() {
                    if let Err(error) = Python::attach(|py| py.check_signals()) {
                        stop.store(true, Ordering::Relaxed);
                        raised = Some(error);
                    }
                }
            });
        });
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (raised, failure) {
            (Some(raised), _) => Err(raised),
            (None, Some(error)) => Err(self.raised(error)),
            (None, None) => Ok(()),
        }
    }
}
