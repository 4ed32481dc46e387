//! Progress reports to a caller, and how Ctrl-C and exceptions end the work.
//!
//! Python runs the handlers of signals in its main thread only, and `progress` is called in the
//! thread that has called us. That thread is one of the workers of a file's pipeline, or it waits
//! for the results of others and asks ten times a second: it comes by here again and again. An
//! exception raised in it, or by a callback in another thread, is kept, ends the work everywhere,
//! and is raised at the end instead of the work's own error.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use polyseal_local::{Notice, Progress, shown};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

use crate::errors::local_error;

/// Bytes, and time, between two looks.
const EVERY_BYTES: u64 = 4 << 20;
const EVERY: Duration = Duration::from_millis(50);

/// The arguments that `progress` is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgressKind {
    /// The bytes that have been read, and those that there are, if that is known.
    File,
    /// Files that are done or have failed, those that there are, and the same of bytes.
    Tree,
}

#[derive(Clone, Copy, Default)]
struct State {
    files: u64,
    bytes: u64,
    /// The files and bytes that there are.
    all: Option<(u64, u64)>,
    /// Files and bytes when there was a look, and the time.
    looked: Option<(u64, u64, Instant)>,
}

pub(crate) struct Callbacks {
    home: ThreadId,
    kind: ProgressKind,
    progress: Option<Py<PyAny>>,
    state: Mutex<State>,
    stopped: AtomicBool,
    raised: Mutex<Option<PyErr>>,
    warnings: Mutex<Vec<String>>,
}

impl Callbacks {
    /// `progress` is called in this thread.
    pub(crate) fn new(kind: ProgressKind, progress: Option<Py<PyAny>>) -> Self {
        Self {
            home: thread::current().id(),
            kind,
            progress,
            state: Mutex::default(),
            stopped: AtomicBool::new(false),
            raised: Mutex::default(),
            warnings: Mutex::default(),
        }
    }

    /// Ends the work by what was raised; the first counts.
    pub(crate) fn stop(&self, raised: PyErr) {
        lock(&self.raised).get_or_insert(raised);
        self.stopped.store(true, Ordering::Release);
    }

    /// Whether something was raised, in whatever thread this is asked.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// One more file of a tree is done, or has failed.
    pub(crate) fn done(&self) {
        lock(&self.state).files += 1;
        self.look();
    }

    pub(crate) fn warn(&self, text: String) {
        lock(&self.warnings).push(text);
    }

    /// Raises the exception that was kept, or returns the result of the work.
    pub(crate) fn finish<T>(
        &self,
        py: Python<'_>,
        result: polyseal_local::Result<T>,
    ) -> PyResult<T> {
        self.finish_with(py, result.map_err(local_error))
    }

    pub(crate) fn finish_with<T>(&self, py: Python<'_>, result: PyResult<T>) -> PyResult<T> {
        if let Some(raised) = lock(&self.raised).take() {
            return Err(raised);
        }
        let done = result?;
        let mut state = *lock(&self.state);
        // Not all that there is to be read goes through the pipeline: a header does not.
        if let (ProgressKind::File, Some((_, all))) = (self.kind, state.all) {
            state.bytes = state.bytes.max(all);
        }
        if state.looked.is_none_or(|(files, bytes, _)| (files, bytes) != (state.files, state.bytes))
        {
            self.tell(py, &state)?;
        }
        for text in lock(&self.warnings).drain(..) {
            let text = CString::new(text.replace('\0', ""))?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
        }
        Ok(done)
    }

    fn tell(&self, py: Python<'_>, state: &State) -> PyResult<()> {
        py.check_signals()?;
        let Some(progress) = &self.progress else { return Ok(()) };
        match self.kind {
            ProgressKind::File => {
                progress.call1(py, (state.bytes, state.all.map(|(_, bytes)| bytes)))?
            }
            ProgressKind::Tree => {
                // As long as they have not been counted, there are as many as have been seen.
                let (files, bytes) = state.all.unwrap_or_default();
                let bytes = if state.all.is_some() { bytes } else { state.bytes };
                let done = state.bytes.min(bytes);
                progress.call1(py, (state.files, files.max(state.files), done, bytes))?
            }
        };
        Ok(())
    }

    /// In the thread that has called us: looks for signals, and calls `progress`.
    pub(crate) fn look(&self) {
        if thread::current().id() != self.home || self.stopped() {
            return;
        }
        let mut state = lock(&self.state);
        let is_due = state.looked.is_none_or(|(files, bytes, time)| {
            let files_changed = self.progress.is_some() && state.files != files;
            files_changed || state.bytes - bytes >= EVERY_BYTES || time.elapsed() >= EVERY
        });
        if !is_due {
            return;
        }
        state.looked = Some((state.files, state.bytes, Instant::now()));
        let now = *state;
        // The callback may take as long as it likes.
        drop(state);
        if let Err(raised) = Python::attach(|py| self.tell(py, &now)) {
            self.stop(raised);
        }
    }
}

impl Progress for Callbacks {
    fn wants_total(&self) -> bool {
        self.progress.is_some()
    }

    fn expect(&self, files: u64, bytes: u64) {
        lock(&self.state).all = Some((files, bytes));
    }

    fn bytes(&self, more: u64) {
        lock(&self.state).bytes += more;
        self.look();
    }

    fn notice(&self, notice: Notice<'_>) {
        let text = match notice {
            Notice::NotLocked(path) => {
                format!(
                    "{}: it cannot be locked where it is: let no other program rekey it now",
                    path.display()
                )
            }
            Notice::BadBackup(path) => {
                format!("{}: it is no copy of a header, and was left as it is", path.display())
            }
            Notice::AllAnew(path, why) => {
                format!("{}: everything is encrypted anew: {why}", path.display())
            }
            Notice::StatementEnds(path) => {
                format!("{}: it does not fit the rekeyed file any more", path.display())
            }
            Notice::NoLongerSigned(path) => {
                format!("{}: it was signed, and is not any more", path.display())
            }
            _ => return,
        };
        self.warn(shown(&text));
    }

    fn cancelled(&self) -> bool {
        self.look();
        self.stopped()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
