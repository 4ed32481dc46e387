//! Sealing a stream of unknown length. Segments are sealed in batches, by several threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

use polyseal_file::statement::PendingStatement;
use polyseal_file::{Piece, Result, StreamSealer as Sealer};
use polyseal_local::StatementSigner;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use zeroize::Zeroizing;

use crate::errors::file_error;
use crate::files::{FormatOptions, some_threads};
use crate::key_set::KeySet;
use crate::memory::Input;
use crate::statements::{SigningKey, now};

/// Bytes of plaintext that a thread seals at once.
const BATCH: usize = 1 << 20;

/// Seals one file from its beginning to its end: store `header`, then what `write` returns, then
/// what `finish` returns. With `sign`, there is a `statement` then.
///
/// >>> import polyseal
/// >>> key = polyseal.SecretKey.generate()
/// >>> sealer = polyseal.StreamSealer(key=key)
/// >>> stored = sealer.header + sealer.write(b"attack at ") + sealer.finish(b"dawn")
/// >>> import io
/// >>> polyseal.open(io.BytesIO(stored), key=key).read()
/// b'attack at dawn'
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct StreamSealer {
    header: Vec<u8>,
    batch: usize,
    segment: usize,
    threads: usize,
    state: Mutex<Option<State>>,
    signing: Mutex<Option<(Py<SigningKey>, PendingStatement)>>,
}

struct State {
    sealer: Sealer,
    /// The bytes that wait until there is a batch, or the end.
    pending: Zeroizing<Vec<u8>>,
}

#[pymethods]
impl StreamSealer {
    #[new]
    #[pyo3(signature = (*, suite = None, segment_size = None, header_size = 0, threads = 1,
        sign = None, **key_set),
        text_signature = "(*, suite=None, segment_size=None, header_size=0, threads=1, sign=None, \
        key=None, identity=None, recipients=(), \
        passphrase=None, context=None)")]
    fn new<'py>(
        py: Python<'py>,
        suite: Option<&str>,
        segment_size: Option<u64>,
        header_size: usize,
        threads: usize,
        sign: Option<Bound<'py, SigningKey>>,
        key_set: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let threads = some_threads(threads)?.get();
        let (format, key_set) =
            (FormatOptions::new(suite, segment_size, header_size)?, KeySet::sealing(py, key_set)?);
        let key_set = key_set.get();
        let recipients = key_set.recipients()?;
        let encryptor = format.encryptor(&recipients, key_set);
        let (sealer, signing) = match sign {
            None => (encryptor.stream_sealer().map_err(file_error)?, None),
            Some(key) => {
                let (sealer, pending) = encryptor.stated_stream_sealer().map_err(file_error)?;
                (sealer, Some((key.unbind(), pending)))
            }
        };
        let segment = sealer.segment_size().bytes() as usize;
        let batch = BATCH.max(segment) * threads;
        let pending = Zeroizing::new(Vec::new());
        let header = sealer.header().as_bytes().to_vec();
        let state = Mutex::new(Some(State { sealer, pending }));
        Ok(Self { header, batch, segment, threads, state, signing: Mutex::new(signing) })
    }

    /// The header: the first bytes of the file.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.header)
    }

    /// Takes more plaintext. Returns the next bytes to store, which may be none yet. Raises
    /// `ValueError` once the file is finished.
    fn write<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let data = Input::from_object(data)?;
        let stored = py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.as_mut().map(|state| self.take(state, &data))
        });
        Ok(PyBytes::new(py, &stored.ok_or_else(finished)?.map_err(file_error)?))
    }

    /// Takes the last of the plaintext. Returns the end of the file. Raises `ValueError` once it is
    /// finished.
    #[pyo3(signature = (data = None))]
    fn finish<'py>(
        &self,
        py: Python<'py>,
        data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let data = Input::from_optional(data)?;
        let stored = py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let mut state = state.take()?;
            Some(self.take(&mut state, &data).and_then(|mut stored| {
                let State { sealer, pending } = state;
                stored.extend(sealer.finish(&[&pending[..]])?);
                Ok(stored)
            }))
        });
        Ok(PyBytes::new(py, &stored.ok_or_else(finished)?.map_err(file_error)?))
    }

    /// The signed statement about the file, once it is finished, for a sealer that was made with
    /// `sign`: store it beside the file, as `NAME.sig`. Raises `ValueError` before, and the second
    /// time.
    fn statement<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let is_finished = self.state.lock().unwrap_or_else(PoisonError::into_inner).is_none();
        let mut signing = self.signing.lock().unwrap_or_else(PoisonError::into_inner);
        let (key, pending) = signing.take_if(|_| is_finished).ok_or_else(|| {
            PyValueError::new_err("there is one statement, of a finished file that is signed")
        })?;
        let signed = py.detach(|| {
            let (statement, hashes) = pending.finish(now())?;
            key.get().sign(&statement, &hashes)
        });
        Ok(PyBytes::new(py, &signed.map_err(file_error)?))
    }

    fn __repr__(&self) -> String {
        let (header, segment) = (self.header.len(), self.segment);
        format!("<polyseal.StreamSealer: header of {header} bytes, segments of {segment}>")
    }
}

/// Makes room for so many bytes. The old memory is wiped: `Vec` would leave a copy.
fn grow(pending: &mut Zeroizing<Vec<u8>>, bytes: usize, most: usize) {
    if bytes > pending.capacity() {
        let room = bytes.max(2 * pending.capacity()).min(most);
        let mut larger = Zeroizing::new(Vec::with_capacity(room));
        larger.extend_from_slice(pending);
        *pending = larger;
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the file is finished")
}

impl StreamSealer {
    fn take(&self, state: &mut State, data: &Input<'_>) -> Result<Vec<u8>> {
        let (mut stored, mut at) = (Vec::new(), 0);
        while at < data.len() {
            // A byte more than a batch: so the batch is not the end.
            let room = self.batch + 1 - state.pending.len();
            let n = room.min(data.len() - at);
            let from = state.pending.len();
            grow(&mut state.pending, from + n, self.batch + 1);
            state.pending.resize(from + n, 0);
            data.copy_range(at..at + n, &mut state.pending[from..]);
            at += n;
            if state.pending.len() > self.batch {
                self.seal_batch(state, &mut stored)?;
            }
        }
        Ok(stored)
    }

    /// Seals what is held but for its last byte, in equal shares.
    fn seal_batch(&self, state: &mut State, stored: &mut Vec<u8>) -> Result<()> {
        let share = self.batch / self.threads;
        let pieces = (0..self.threads).map(|_| state.sealer.take((share / self.segment) as u64));
        let pieces = pieces.collect::<Result<Vec<_>>>()?;
        let (batch, rest) = state.pending.split_at(self.batch);
        let seal = |(piece, text): &(Mutex<Option<Piece>>, &[u8])| {
            let piece = piece.lock().unwrap_or_else(PoisonError::into_inner).take();
            piece.map_or(Ok(Vec::new()), |piece| piece.seal(&[text]))
        };
        let pieces = pieces.into_iter().map(|piece| Mutex::new(Some(piece)));
        let jobs: Vec<_> = pieces.zip(batch.chunks(share)).collect();
        let (own, others) =
            jobs.split_last().map_or((None, &[][..]), |(own, rest)| (Some(own), rest));
        let sealed = thread::scope(|scope| {
            let run = |job| (job, thread::Builder::new().spawn_scoped(scope, move || seal(job)));
            let others: Vec<_> = others.iter().map(run).collect();
            let own = own.map(seal);
            // Where no thread can be made, this one does its part.
            let joined = others.into_iter().map(|(job, thread)| match thread {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                }
                Err(_) => seal(job),
            });
            joined.chain(own).collect::<Result<Vec<_>>>()
        })?;
        sealed.into_iter().for_each(|mut sealed| stored.append(&mut sealed));
        let rest = rest.len();
        state.pending.copy_within(self.batch.., 0);
        state.pending.truncate(rest);
        Ok(())
    }
}
