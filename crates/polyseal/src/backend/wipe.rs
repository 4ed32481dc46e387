//! Wiping memory at the speed of memory.
//!
//! `zeroize` writes byte by byte, so that no compiler can leave a write out: on short messages that
//! costs more than the encryption. Here a plain fill is followed by an empty piece of assembly that
//! may read the memory for all that the compiler knows.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use core::arch::asm;

/// Fills `bytes` with zeros.
#[inline(always)]
pub(crate) fn wipe(bytes: &mut [u8]) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        bytes.fill(0);
        // SAFETY: a comment is no instruction.
        unsafe {
            asm!("/* {} */", in(reg) bytes.as_mut_ptr(), options(nostack, preserves_flags));
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    zeroize::Zeroize::zeroize(bytes);
}
