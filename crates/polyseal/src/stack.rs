//! What computing with secrets leaves on the stack.
//!
//! A destructor wipes a value where it lies. It does not reach the registers that the compiler saved
//! on the stack, nor what a dependency left in its variables. Once the computation has returned, its
//! part of the stack can be overwritten as a whole. That is best effort: the language does not say
//! where a variable lies. `tests/zeroing.rs` looks.

use core::hint::black_box;

/// More than most computations here use, as far as the tests can see.
const BYTES: usize = 4 << 10;

/// Overwrites the part of the stack that calls from the caller's frame have used. They must not be
/// inlined.
#[inline(always)]
pub(crate) fn wipe() {
    wipe_bytes::<BYTES>();
}

/// The same, where a computation uses more.
#[inline(never)]
pub(crate) fn wipe_bytes<const BYTES: usize>() {
    black_box(&mut [0_u8; BYTES]);
}
