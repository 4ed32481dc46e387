//! Waiting for asynchronous work, in synchronous programs.

use std::future::Future;
use std::io;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// Started when it is first needed: nothing else has to wait for it.
pub(super) fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<io::Result<Runtime>> = OnceLock::new();
    let runtime =
        RUNTIME.get_or_init(|| Builder::new_multi_thread().worker_threads(2).enable_all().build());
    runtime.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}

/// Does it, and waits for it.
///
/// # Errors
/// On a thread of a runtime, which must not wait.
pub(super) fn wait<F: Future>(work: F) -> io::Result<F::Output> {
    if Handle::try_current().is_ok() {
        return Err(io::Error::other("a thread of an asynchronous runtime would wait"));
    }
    Ok(runtime()?.block_on(work))
}

/// Lets it be done while something else is.
pub(super) fn spawn<F>(work: F) -> io::Result<JoinHandle<F::Output>>
where
    F: Future<Output: Send> + Send + 'static,
{
    Ok(runtime()?.spawn(work))
}
