//! Wiping memory and the stack.
//!
//! `zeroize` writes byte by byte, so that no compiler can leave a write out: on short messages that
//! costs more than the encryption. Here a plain fill is followed by an empty piece of assembly that
//! may read the memory for all that the compiler knows.
//!
//! A destructor wipes a value where it lies. It does not reach the registers that the compiler
//! saved on the stack, nor what a dependency left in its variables. Once the computation has
//! returned, its part of the stack can be overwritten as a whole. How much that is stands beside
//! each computation. That is best effort: the language does not say where a variable lies.
//! `tests/zeroing.rs` looks, and `scripts/frames.py` reads in the release's machine code whether
//! each number is large enough.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use core::arch::asm;
use core::hint::black_box;

use super::Isa;

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

/// Overwrites the part of the stack that calls from the caller's frame have used, as far as `BYTES`
/// below it. The calls must not be inlined; nor must this be, by whose name it is found in the
/// machine code.
#[inline(never)]
pub(crate) fn wipe_stack<const BYTES: usize>() {
    black_box(&mut [0_u8; BYTES]);
}

/// How many bytes a computation leaves on the stack: where there are 32 registers of four blocks,
/// 16 of two, those of one, and elsewhere: where rounds are calls, and on NEON, whose frames
/// nothing reads.
///
/// The fewer registers there are, the more round keys and blocks lie on the stack; and a wipe costs
/// about a cycle for 20 bytes, and 20 cycles more above 512.
pub(crate) struct StackUse<
    const OF_FOUR: usize,
    const OF_TWO: usize,
    const OF_ONE: usize,
    const ELSEWHERE: usize,
>;

/// How many bytes are overwritten after a computation, by instruction set.
pub(crate) trait StackBytes {
    /// [`wipe_stack`] after a computation with `I`.
    fn wipe<I: Isa>();
}

impl<const OF_FOUR: usize, const OF_TWO: usize, const OF_ONE: usize, const ELSEWHERE: usize>
    StackBytes for StackUse<OF_FOUR, OF_TWO, OF_ONE, ELSEWHERE>
{
    #[inline(always)]
    fn wipe<I: Isa>() {
        match const { (I::ROUNDS_ARE_CALLS, I::REGISTERS, I::REGISTER_BLOCKS) } {
            (false, 32, 4) => wipe_stack::<OF_FOUR>(),
            (false, 16, 2) => wipe_stack::<OF_TWO>(),
            (false, 16, 1) => wipe_stack::<OF_ONE>(),
            _ => wipe_stack::<ELSEWHERE>(),
        }
    }
}
