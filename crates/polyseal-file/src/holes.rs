//! Writing with holes: blocks of zeros are not written, so that a sparse file that was encrypted is
//! one again when it is decrypted.
//!
//! The file is new: where nothing is written it has zeros, and its system keeps no blocks for them.
//! A system that has no holes writes zeros there itself.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::batch::Batch;
use crate::positioned;

/// Bytes of a block of nearly every file system: zeros are left out in multiples of it.
const BLOCK: usize = 4096;

/// How far an output goes, and how far it has been written: its length is set if it ends with a
/// hole.
#[derive(Default)]
pub(crate) struct Holes {
    length: AtomicU64,
    written: AtomicU64,
}

impl Holes {
    /// Writes the `total` bytes in `batch`, with `unit` in each slot, to `offset`. Both are
    /// multiples of a block.
    pub(crate) fn write(
        &self,
        file: &File,
        offset: u64,
        batch: &Batch,
        unit: usize,
        total: usize,
    ) -> io::Result<()> {
        for Range { start, end } in data(batch, unit, total) {
            positioned::write(file, offset + start as u64, batch.places(unit, start, end))?;
            self.written.fetch_max(offset + end as u64, Ordering::Relaxed);
        }
        self.length.fetch_max(offset + total as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Gives the file its length, once everything has been written.
    pub(crate) fn end(self, file: &File) -> io::Result<()> {
        let (length, written) = (self.length.into_inner(), self.written.into_inner());
        if written < length { file.set_len(length) } else { Ok(()) }
    }
}

/// The parts that are not holes.
fn data(batch: &Batch, unit: usize, total: usize) -> Vec<Range<usize>> {
    static ZEROS: [u8; BLOCK] = [0; BLOCK];
    let (mut parts, mut at) = (Vec::<Range<usize>>::new(), 0);
    let places = batch.places(unit, 0, total);
    for block in places.iter().flat_map(|place| place.chunks(BLOCK)) {
        let end = at + block.len();
        // CT: the plaintext is no secret from the disk that it is written to. How much of it are
        // zeros shows in the space that the file takes, as with any copy of a sparse file.
        if block != &ZEROS[..block.len()] {
            match parts.last_mut() {
                Some(last) if last.end == at => last.end = end,
                _ => parts.push(at..end),
            }
        }
        at = end;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_block_of_zeros_is_written() {
        let parts = |unit: usize, bytes: &[u8]| {
            let mut batch = Batch::new(8, unit + 16);
            let mut rest = bytes;
            for mut place in batch.places_mut(unit, 0, bytes.len()) {
                let (here, behind) = rest.split_at(place.len());
                place.copy_from_slice(here);
                rest = behind;
            }
            let parts = data(&batch, unit, bytes.len()).into_iter();
            parts.map(|part| (part.start, part.end)).collect::<Vec<_>>()
        };
        let (zeros, mut text) = (vec![0; 5 * BLOCK + 100], vec![1; 5 * BLOCK + 100]);
        for unit in [BLOCK, 2 * BLOCK, 8 * BLOCK] {
            assert_eq!(parts(unit, &zeros), []);
            assert_eq!(parts(unit, &[]), []);
            assert_eq!(parts(unit, &text), [(0, text.len())]);
        }
        text[BLOCK..2 * BLOCK].fill(0);
        text[5 * BLOCK..].fill(0);
        // Not a whole block, or not at a multiple of it.
        text[3 * BLOCK - 1..4 * BLOCK - 1].fill(0);
        for unit in [BLOCK, 2 * BLOCK, 8 * BLOCK] {
            assert_eq!(parts(unit, &text), [(0, BLOCK), (2 * BLOCK, 5 * BLOCK)], "{unit}");
        }
        for at in 0..BLOCK {
            let mut block = [0; BLOCK];
            block[at] = 1;
            assert_eq!(parts(BLOCK, &block), [(0, BLOCK)], "{at}");
        }
    }
}
