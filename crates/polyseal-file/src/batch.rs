//! A worker's buffer: some segments, each in a slot with room for its tag, so that sealing and
//! opening happen where the data was read to and nothing is copied.
//!
//! Slots begin on cache lines (the kernel's copies are slower otherwise), so reads and writes are
//! scattered over them; vectored system calls do it in one go. The buffer is wiped when dropped, as
//! far as it was used.

use std::io::{IoSlice, IoSliceMut};

use zeroize::Zeroize;

use crate::commitment::{Leaf, leaf};
use crate::payload_cipher::{PartialFailure, PayloadCipher};
use crate::segment::Position;

/// The number of slices that a system call takes at most (`IOV_MAX` is 1024), less a few.
pub(crate) const MAX_SLOTS: usize = 1000;

pub(crate) struct Batch {
    /// As many slots as have been needed so far.
    data: Vec<u8>,
    /// The distance between slots: a multiple of a cache line.
    stride: usize,
    /// How many slots there may be.
    slots: usize,
    used: usize,
}

/// Some segments of the input, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentRun {
    /// The number of the first segment.
    pub(crate) first: u64,
    /// The bytes of input.
    pub(crate) bytes: usize,
    /// Whether the input ends here.
    pub(crate) last: bool,
}

impl Batch {
    /// For up to `slots` segments of `slot` bytes each, tag included; one of less than a full
    /// segment may have a slot of its own length. There is no room for them before it is needed: to
    /// fill that with zeros takes longer than to seal a small file.
    pub(crate) fn new(slots: usize, slot: usize) -> Self {
        Self { data: Vec::new(), stride: stride(slot), slots, used: 0 }
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// Makes room for `slots` segments, and wipes the old room.
    fn make_room(&mut self, slots: usize) {
        debug_assert!(slots <= self.slots);
        let bytes = slots * self.stride;
        if bytes > self.data.len() {
            let mut data = vec![0; bytes];
            data[..self.used].copy_from_slice(&self.data[..self.used]);
            self.data[..self.used].zeroize();
            self.data = data;
        }
    }

    /// The places of bytes `skip..total` of a sequence that has `unit` bytes in each slot.
    pub(crate) fn places_mut(
        &mut self,
        unit: usize,
        skip: usize,
        total: usize,
    ) -> Vec<IoSliceMut<'_>> {
        self.make_room(total.div_ceil(unit).max(1));
        self.used = self.used.max(self.extent(unit, total));
        let slots = self.data.chunks_exact_mut(self.stride).enumerate().skip(skip / unit);
        slots
            .map_while(|(i, slot)| {
                let (from, to) = range(unit, skip, total, i)?;
                Some(IoSliceMut::new(&mut slot[from..to]))
            })
            .collect()
    }

    /// The bytes of the buffer that are used.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Corrects that all places of [`places_mut`](Self::places_mut) count as used: only `before`
    /// and the first `total` bytes are.
    pub(crate) fn filled(&mut self, before: usize, unit: usize, total: usize) {
        self.used = before.max(self.extent(unit, total));
    }

    /// How far the buffer is used by a sequence of `total` bytes with `unit` in each slot. Where a
    /// slot has room for a tag more, that may come to be used, too.
    fn extent(&self, unit: usize, total: usize) -> usize {
        let (whole, rest) = (total / unit, total % unit);
        // A slot for less than a full segment is used up to its end.
        let Some(behind) = self.stride.checked_sub(unit) else { return self.data.len() };
        (whole * self.stride + rest + behind).min(self.data.len())
    }

    /// The same, to write from.
    pub(crate) fn places(&self, unit: usize, skip: usize, total: usize) -> Vec<IoSlice<'_>> {
        let slots = self.data.chunks_exact(self.stride).enumerate().skip(skip / unit);
        slots
            .map_while(|(i, slot)| {
                let (from, to) = range(unit, skip, total, i)?;
                Some(IoSlice::new(&slot[from..to]))
            })
            .collect()
    }

    /// The leaves of the stored segments, of which the sequence of `total` bytes has one in each
    /// slot.
    pub(crate) fn leaves(&self, unit: usize, total: usize) -> Vec<Leaf> {
        self.places(unit, 0, total).iter().map(|segment| leaf(segment)).collect()
    }

    /// The first byte: where a byte that was read ahead goes.
    pub(crate) fn put_first(&mut self, byte: u8) {
        self.make_room(1);
        self.data[0] = byte;
        self.used = self.used.max(1);
    }

    /// Seals or opens every segment in its slot; returns the bytes of output.
    pub(crate) fn apply(
        &mut self,
        cipher: &PayloadCipher,
        claim: &SegmentRun,
    ) -> Result<usize, PartialFailure> {
        let unit = cipher.input_unit();
        let count = claim.bytes.div_ceil(unit).max(1);
        self.make_room(count);
        self.used = self.used.max(self.extent(unit, claim.bytes));
        let slots = self.data.chunks_exact_mut(self.stride).take(count).enumerate();
        let slots = slots.map(|(i, slot)| (slot, unit.min(claim.bytes - i * unit)));
        cipher.apply(Position { index: claim.first, last: claim.last }, slots)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.data[..self.used].zeroize();
    }
}

/// `bytes`, rounded up to whole cache lines.
pub(crate) fn stride(bytes: usize) -> usize {
    bytes.next_multiple_of(64)
}

/// The part of slot `i` that bytes `skip..total` of the sequence fill.
fn range(unit: usize, skip: usize, total: usize, i: usize) -> Option<(usize, usize)> {
    let start = i * unit;
    let to = total.checked_sub(start).filter(|&rest| rest > 0)?.min(unit);
    Some((skip.saturating_sub(start), to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_exactly_the_bytes_asked_for() {
        let mut batch = Batch::new(3, 70);
        for total in 0..=210 {
            for skip in 0..=total {
                let mutable: Vec<_> =
                    batch.places_mut(70, skip, total).iter().map(|s| s.len()).collect();
                assert_eq!(mutable.iter().sum::<usize>(), total - skip);
                let lengths = batch.places(70, skip, total);
                assert_eq!(lengths.iter().map(|s| s.len()).collect::<Vec<_>>(), mutable);
            }
        }
    }

    #[test]
    fn room_is_made_as_it_is_needed_and_keeps_what_is_there() {
        let mut batch = Batch::new(3, 70);
        assert_eq!((batch.slots(), batch.data.len()), (3, 0));
        batch.put_first(7);
        assert_eq!(batch.data.len(), 128);
        batch.places_mut(70, 1, 70)[0].fill(8);
        batch.places_mut(70, 70, 210);
        assert_eq!(batch.data.len(), 3 * 128);
        assert_eq!((batch.data[0], &batch.data[1..70]), (7, &[8; 69][..]));
    }

    #[test]
    fn what_is_used_reaches_behind_the_last_byte_and_its_tag() {
        // Slots of 80 bytes for segments of 64 and tags of 16: 128 bytes from one to the next.
        for (total, used) in [(0, 64), (1, 65), (64, 128), (65, 193), (128, 256)] {
            let mut batch = Batch::new(2, 80);
            batch.places_mut(64, 0, total);
            assert_eq!(batch.used(), used);
            let end = batch.places(64, 0, total).last().map_or(0, |last| last.len());
            let start = total.saturating_sub(1) / 64 * 128;
            assert!(batch.used() >= (start + end + 16).min(256));
        }
    }

    #[test]
    fn what_is_shorter_than_a_segment_has_a_slot_of_its_own_length() {
        let mut batch = Batch::new(1, 100 + 16);
        assert_eq!(batch.places_mut(65536, 0, 100)[0].len(), 100);
        assert_eq!((batch.data.len(), batch.used()), (128, 128));
    }

    #[test]
    fn places_are_in_order_and_skip_what_is_done() {
        let mut batch = Batch::new(2, 70);
        for (i, mut place) in batch.places_mut(5, 0, 8).into_iter().enumerate() {
            place.iter_mut().for_each(|b| *b = i as u8 + 1);
        }
        let seen: Vec<u8> = batch.places(5, 3, 8).iter().flat_map(|p| p.to_vec()).collect();
        assert_eq!(seen, [1, 1, 2, 2, 2]);
    }
}
