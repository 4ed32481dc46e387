//! Wiping what a message under a key of its own has left on the stack.
//!
//! The fewer registers there are, the more round keys and blocks lie on the stack; and a wipe costs
//! about a cycle for 20 bytes, so that each instruction set has a number of its own. `make frames`
//! reads in the machine code whether each is large enough.

use crate::backend::{Isa, Task};
use crate::stack;

/// Overwrites so many bytes below the caller: where there are 32 registers of four blocks, 16 of
/// two, those of one, and where rounds are calls.
pub(super) struct WipeStack<
    const OF_FOUR: usize,
    const OF_TWO: usize,
    const OF_ONE: usize,
    const CALLS: usize,
>;

impl<const OF_FOUR: usize, const OF_TWO: usize, const OF_ONE: usize, const CALLS: usize> Task
    for WipeStack<OF_FOUR, OF_TWO, OF_ONE, CALLS>
{
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        match const { (I::ROUNDS_ARE_CALLS, I::REGISTER_BLOCKS) } {
            (true, _) => stack::wipe_bytes::<CALLS>(),
            (_, 4) => stack::wipe_bytes::<OF_FOUR>(),
            (_, 2) => stack::wipe_bytes::<OF_TWO>(),
            _ => stack::wipe_bytes::<OF_ONE>(),
        }
    }
}
