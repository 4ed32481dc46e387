//! Reports on the bytes of a file, and a way to cancel the work on it.

use std::sync::atomic::{AtomicBool, Ordering};

use polyseal_file::RunOptions;

use crate::progress::Progress;

/// Does `work` with `run`, but told and ended by `progress`: a file's pipeline can only be told to
/// stop, and a caller is asked.
pub(crate) fn watched<T>(
    progress: &dyn Progress,
    run: RunOptions<'_>,
    work: impl FnOnce(RunOptions<'_>) -> T,
) -> T {
    let cancel = AtomicBool::new(false);
    let add = |more| {
        progress.bytes(more);
        if progress.cancelled() {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    work(run.progress(&add).cancelled_by(&cancel))
}
