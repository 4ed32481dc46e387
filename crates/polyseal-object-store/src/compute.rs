//! Where work is done that takes the CPU: in place if it is little, otherwise on tokio's blocking
//! pool, so that no other task has to wait for it.

use object_store::Result;
use tokio::runtime::Handle;

/// Bytes that are sealed or opened in place: with a fast suite that takes some 100 µs, which is no
/// more than what handing them over and waiting costs.
const IN_PLACE: usize = 256 * 1024;

/// A length that stands for work not measured in bytes: stretching a passphrase, or asking for one.
pub(crate) const LONG: usize = usize::MAX;

/// Does `work` on so many bytes.
pub(crate) async fn compute<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    match Handle::try_current() {
        Ok(runtime) if bytes > IN_PLACE => runtime.spawn_blocking(work).await?,
        _ => work(),
    }
}
