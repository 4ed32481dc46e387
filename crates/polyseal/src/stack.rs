//! What computing with secrets leaves on the stack.
//!
//! A destructor wipes a value where it lies. It does not reach the registers that the compiler
//! saved on the stack, nor what a dependency left in its variables. Once the computation has
//! returned, its part of the stack can be overwritten as a whole. How much that is stands beside
//! each computation. That is best effort: the language does not say where a variable lies.
//! `tests/zeroing.rs` looks, and `scripts/frames.py` reads in the release's machine code whether
//! each number is large enough.

use core::hint::black_box;

/// Overwrites the part of the stack that calls from the caller's frame have used, as far as `BYTES`
/// below it. The calls must not be inlined; nor must this be, by whose name it is found in the
/// machine code.
#[inline(never)]
pub(crate) fn wipe_bytes<const BYTES: usize>() {
    black_box(&mut [0_u8; BYTES]);
}
