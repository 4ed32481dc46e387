//! Where code lies, on x86-64.

use core::arch::asm;

/// [`Isa::align_code`](super::Isa::align_code).
#[inline(always)]
pub(super) fn align() {
    // SAFETY: an alignment is filled with instructions that do nothing.
    unsafe { asm!(".p2align 6", options(nomem, nostack, preserves_flags)) }
}
