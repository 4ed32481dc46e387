//! An input that is watched while it is read: progress is told, and Ctrl-C is noticed.
//!
//! Python runs the handlers of signals in its main thread only. The thread that has called us is
//! one of the workers of the pipeline, so it comes by here again and again.

use std::io::{self, IoSliceMut, Read};
use std::thread::{self, ThreadId};

use pyo3::prelude::*;

use crate::streams::Input;

/// Bytes between two looks.
const EVERY: u64 = 4 << 20;

pub(crate) struct Watched {
    input: Input,
    home: ThreadId,
    progress: Option<Py<PyAny>>,
    total: Option<u64>,
    done: u64,
    looked: u64,
    /// What the handler of a signal or `progress` raised.
    pub(crate) raised: Option<PyErr>,
}

impl Watched {
    /// `progress` is called in this thread, with the bytes that have been read and those that there
    /// are, if it is known.
    pub(crate) fn new(input: Input, progress: Option<Py<PyAny>>) -> Self {
        let (total, home) = (input.known_bytes(), thread::current().id());
        Self { input, home, progress, total, done: 0, looked: 0, raised: None }
    }

    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        if let Some(progress) = &self.progress {
            progress.call1(py, (self.done, self.total))?;
        }
        Ok(())
    }

    /// Tells of the end.
    pub(crate) fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.tell(py)
    }

    fn look(&mut self) -> io::Result<()> {
        if self.done - self.looked < EVERY || thread::current().id() != self.home {
            return Ok(());
        }
        self.looked = self.done;
        if let Err(error) = Python::attach(|py| self.tell(py)) {
            self.raised = Some(error);
            return Err(io::Error::other("interrupted"));
        }
        Ok(())
    }

    fn read_with(
        &mut self,
        read: impl FnOnce(&mut Input) -> io::Result<usize>,
    ) -> io::Result<usize> {
        self.look()?;
        let n = read(&mut self.input)?;
        self.done += n as u64;
        Ok(n)
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_with(|input| input.read(buffer))
    }

    fn read_vectored(&mut self, places: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.read_with(|input| input.read_vectored(places))
    }
}
