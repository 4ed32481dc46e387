//! Modes that could not be given, where a file system refuses to change them.
//!
//! Limit: the number is the process's, whoever asked for the files.

use std::sync::atomic::{AtomicUsize, Ordering};

static WIDER: AtomicUsize = AtomicUsize::new(0);

/// How many files and directories of this process have rights that their mode would take away,
/// since their file system does not change modes. Whoever asks again is told of those since.
#[must_use]
pub fn take_wider_modes() -> usize {
    WIDER.swap(0, Ordering::Relaxed)
}

/// One more.
#[cfg(unix)]
pub(crate) fn add_wider_mode() {
    WIDER.fetch_add(1, Ordering::Relaxed);
}
