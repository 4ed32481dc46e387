//! KBKDF in counter mode with CMAC-AES (NIST SP 800-108r1, section 4.1).

use super::aes::Aes;
use super::cmac::Cmac;
use crate::error::{Error, Result};

/// Where the counter stands, and how wide it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Before the fixed data; 1 to 4 bytes.
    Before(u32),
    /// Behind the fixed data; 1 to 4 bytes.
    Behind(u32),
}

/// Derives `output.len()` bytes from the key of `prf`: block i is the CMAC of i and `fixed`.
///
/// ```
/// use polyseal::aead::KeyInit;
/// use polyseal::gcm::{Aes256, Cmac, Counter, kbkdf};
///
/// // XAES-256-GCM's key of a message.
/// let fixed = [b"X\0", &[b'A'; 12][..]].concat();
/// let mut key = [0; 32];
/// kbkdf(&Cmac::<Aes256>::new(&[1; 32].into()), Counter::Before(2), &fixed, &mut key)?;
/// # Ok::<(), polyseal::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for a counter of no or more than 4 bytes, [`Error::TooLong`] for more
/// blocks than the counter can count.
pub fn kbkdf<A: Aes>(
    prf: &Cmac<A>,
    counter: Counter,
    fixed: &[u8],
    output: &mut [u8],
) -> Result<()> {
    let (Counter::Before(bytes) | Counter::Behind(bytes)) = counter;
    if !(1..=4).contains(&bytes) {
        return Err(Error::Parameter);
    }
    let blocks = (1_u64 << (8 * bytes)) - 1;
    if output.len().div_ceil(16) as u64 > blocks {
        return Err(Error::TooLong { what: "output", limit: 16 * blocks });
    }
    for (i, output) in (1_u32..).zip(output.chunks_mut(16)) {
        let count = i.to_be_bytes();
        let count = &count[4 - bytes as usize..];
        let mut state = prf.start();
        if let Counter::Before(_) = counter {
            state.update(count);
        }
        state.update(fixed);
        if let Counter::Behind(_) = counter {
            state.update(count);
        }
        let mut block = state.finalize();
        output.copy_from_slice(&block[..output.len()]);
        crate::backend::wipe(&mut block);
    }
    Ok(())
}
