//! Random bytes of the operating system.

use aead::Generate;

use crate::error::{Error, Result};

/// Fills `bytes`.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<()> {
    for part in bytes.chunks_mut(32) {
        let random = <[u8; 32]>::try_generate().map_err(|_| Error::Random)?;
        part.copy_from_slice(&random[..part.len()]);
    }
    Ok(())
}
