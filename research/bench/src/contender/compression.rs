//! Bare compression functions: what a mode that is built from one cannot undercut.

use core::hint::black_box;

use super::{Contender, Work};
use crate::ring::Ring;

/// A hash that takes in whole blocks and is never asked for its digest.
pub trait Compress {
    /// Takes in `blocks`.
    fn compress(&mut self, blocks: &[u8]);
}

/// Bytes that are taken in at once: they fit the first-level cache, and make a call's own cost
/// small.
const PIECE_BYTES: usize = 16 << 10;

/// Every block size divides it.
const BLOCK_BYTES: u64 = 128;

impl Contender {
    /// `hash` taking in `times` as many bytes as the messages have, however short these are: its
    /// rate on long inputs, in the time that a message would take at that rate.
    pub fn compression(name: impl Into<String>, times: u64, hash: impl Compress + 'static) -> Self {
        let work = Compressing { hash, times, input: vec![0x5a; PIECE_BYTES] };
        Self { name: name.into(), work: Box::new(work) }
    }
}

struct Compressing<H> {
    hash: H,
    times: u64,
    input: Vec<u8>,
}

impl<H: Compress> Work for Compressing<H> {
    fn run(&mut self, ring: &mut Ring, messages: u32) {
        let bytes = self.times * ring.message_bytes() as u64 * u64::from(messages);
        let mut left = bytes.next_multiple_of(BLOCK_BYTES);
        while left > 0 {
            let piece = left.min(self.input.len() as u64);
            self.hash.compress(black_box(&self.input[..piece as usize]));
            black_box(&mut self.hash);
            left -= piece;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;
    use crate::ring::Lengths;

    struct Counting(Rc<Cell<usize>>);

    impl Compress for Counting {
        fn compress(&mut self, blocks: &[u8]) {
            self.0.set(self.0.get() + blocks.len());
        }
    }

    /// Whatever a message's length, and rounded to whole blocks once, not for every message.
    #[test]
    fn as_many_bytes_as_were_asked_for() {
        for (message, messages, bytes) in
            [(64, 1000, 128_000), (100, 1000, 200_064), (1 << 20, 3, 6 << 20), (0, 7, 0)]
        {
            let taken = Rc::new(Cell::new(0));
            let mut contender = Contender::compression("hash", 2, Counting(Rc::clone(&taken)));
            contender.run(&mut Ring::new(Lengths::message(message)), messages);
            assert_eq!(taken.get(), bytes, "{message}");
        }
    }
}
