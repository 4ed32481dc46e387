//! Sealed messages in one piece, by way of a vector: Flex with a hidden nonce, or in segments.

use zeroize::{Zeroize, Zeroizing};

use super::{expect_bytes, polyseal_aead};
use crate::error::Result;
use crate::ffi::{Region, bytes, bytes_mut, expect_apart, expect_same_or_apart};

impl polyseal_aead {
    /// Seals `m` into `c`. How they lie has been checked.
    ///
    /// # Safety
    /// `c` and `m` lead to as many bytes as are said.
    #[inline(never)]
    pub(super) unsafe fn seal_in_one_piece(
        &self,
        c: *mut u8,
        clen: usize,
        m: *const u8,
        mlen: usize,
        ad: &[u8],
        nonce: &[u8],
    ) -> Result {
        expect_bytes("the output", self.sealed_bytes(mlen)?, clen)?;
        // SAFETY: the caller's promise; of the message nothing is read once it is sealed.
        let sealed = self.any().seal(nonce, ad, unsafe { bytes(m, mlen) }?)?;
        // SAFETY: the caller's promise.
        unsafe { bytes_mut(c, clen) }?.copy_from_slice(&sealed);
        Ok(())
    }

    /// Opens `c` into `m`; without a nonce, where it is hidden.
    ///
    /// # Safety
    /// `m` and `c` lead to as many bytes as are said.
    #[inline(never)]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a function in C")]
    pub(super) unsafe fn open_in_one_piece(
        &self,
        m: *mut u8,
        mlen: usize,
        c: *const u8,
        clen: usize,
        ad: &[u8],
        nonce: &[u8],
        hides_nonce: bool,
    ) -> Result {
        let output = Region::new(m, mlen);
        expect_same_or_apart(output, Region::new(c, clen))?;
        expect_apart(output, &[Region::from_slice(ad), Region::from_slice(nonce)])?;
        let message = {
            // SAFETY: the caller's promise; of the ciphertext nothing is read once it is opened.
            let sealed = unsafe { bytes(c, clen) }?;
            if hides_nonce && nonce.is_empty() {
                self.any().open_hidden_nonce(ad, sealed).map(|opened| opened.message)
            } else {
                self.any().open(nonce, ad, sealed).map(Zeroizing::new)
            }
        };
        // SAFETY: the caller's promise, and nothing reads the ciphertext any more.
        let output = unsafe { bytes_mut(m, mlen) }?;
        match message {
            Ok(message) => output.copy_from_slice(&message),
            Err(error) => {
                output.zeroize();
                return Err(error.into());
            }
        }
        Ok(())
    }
}
