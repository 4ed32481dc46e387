//! Wiping what a message under a key of its own has left on the stack.
//!
//! The fewer registers there are, the more round keys and blocks lie on the stack; and a wipe costs
//! about a cycle for 20 bytes, and 20 cycles more above 512, so that each instruction set has a
//! number of its own. `make test-all ONLY=frames` reads in the machine code whether each is large
//! enough.

use crate::backend::{Isa, Task};
use crate::stack;

/// Overwrites so many bytes below the caller: where there are 32 registers of four blocks, 16 of
/// two, those of one, and elsewhere: where rounds are calls, and on NEON, whose frames nothing
/// reads.
pub(super) struct WipeStack<
    const OF_FOUR: usize,
    const OF_TWO: usize,
    const OF_ONE: usize,
    const ELSEWHERE: usize,
>;

impl<const OF_FOUR: usize, const OF_TWO: usize, const OF_ONE: usize, const ELSEWHERE: usize> Task
    for WipeStack<OF_FOUR, OF_TWO, OF_ONE, ELSEWHERE>
{
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        match const { (I::ROUNDS_ARE_CALLS, I::REGISTERS, I::REGISTER_BLOCKS) } {
            (false, 32, 4) => stack::wipe_bytes::<OF_FOUR>(),
            (false, 16, 2) => stack::wipe_bytes::<OF_TWO>(),
            (false, 16, 1) => stack::wipe_bytes::<OF_ONE>(),
            _ => stack::wipe_bytes::<ELSEWHERE>(),
        }
    }
}
