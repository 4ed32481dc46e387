//! Reports on the bytes of a file, and a way to cancel the work on it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::progress::Progress;

/// Between a file's pipeline, which can only be told to stop, and a caller, who is asked.
pub(crate) struct Watch<'a> {
    progress: &'a dyn Progress,
    cancel: AtomicBool,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(progress: &'a dyn Progress) -> Self {
        Self { progress, cancel: AtomicBool::new(false) }
    }

    /// Told of bytes that have been read.
    pub(crate) fn add(&self, more: u64) {
        self.progress.bytes(more);
        if self.progress.cancelled() {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    /// The flag that the pipeline looks at.
    pub(crate) fn cancel(&self) -> &AtomicBool {
        &self.cancel
    }
}
