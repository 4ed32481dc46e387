//! The memory on which every contender works.
//!
//! All contenders share it, so none has luckier pages than another. Short messages go round a ring
//! of slots that together fit the first-level cache: sealing one slot over and over would measure
//! how fast a CPU reads back its own last writes, which no application does. A nonce is a counter,
//! written half a turn before it is used for the same reason; so is the key, for contenders that
//! have a key a message.

use aead::array::{Array, ArraySize};

use crate::layout::{LINE_BYTES, Layout, PAGE_BYTES};

/// The longest key; shorter ones are its beginning.
pub type Key = [u8; 64];

/// The longest nonce; shorter ones are its beginning.
pub type Nonce = [u8; 32];

/// The longest tag; shorter ones are its beginning.
pub type Tag = [u8; 64];

/// The beginning of a key, nonce or tag.
pub(crate) fn first<N: ArraySize, const LONGEST: usize>(bytes: &[u8; LONGEST]) -> &Array<u8, N> {
    bytes[..N::USIZE].try_into().expect("nothing is longer than the longest")
}

/// The beginning of a tag that is being made.
pub(crate) fn first_mut<N: ArraySize>(tag: &mut Tag) -> &mut Array<u8, N> {
    (&mut tag[..N::USIZE]).try_into().expect("nothing is longer than the longest")
}

/// The lengths of the parts that are sealed together, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Length of the message.
    pub message: usize,
    /// Length of the associated data.
    pub ad: usize,
}

impl Lengths {
    /// A message without associated data.
    #[must_use]
    pub const fn message(message: usize) -> Self {
        Self { message, ad: 0 }
    }
}

/// Slots of one message each, their keys, nonces and tags, as much memory for opened messages, and
/// associated data, which is the same for all of them.
#[derive(Debug)]
pub struct Ring {
    message_bytes: usize,
    stride: usize,
    slots: usize,
    ad: Placed,
    sealed: Placed,
    opened: Placed,
    keys: Placed,
    nonces: Placed,
    tags: Placed,
    counter: u64,
}

/// Sealed messages, opened ones and the tags of the shortest take three times as much. With nonces,
/// and keys where each message has its own, they take 14 to 18 KiB, about half of the smallest
/// first-level cache in use: the other half is for whatever else runs on the core.
const RING_BYTES: usize = 4 << 10;
/// Messages that lie across pages all want the same two sets of the first-level cache, sealed ones
/// and opened ones: with four of each, one in two layouts measured how a cache of eight ways
/// replaces lines.
const ACROSS_PAGES: usize = 2;
/// The number of keys and nonces.
const TURN: usize = 64;

impl Ring {
    /// A ring for messages of these lengths, each at the beginning of a line.
    #[must_use]
    pub fn new(lengths: Lengths) -> Self {
        Self::with_layout(lengths, Layout::ALIGNED)
    }

    /// A ring for messages of these lengths, at these places.
    #[must_use]
    pub fn with_layout(lengths: Lengths, layout: Layout) -> Self {
        let message_bytes = lengths.message;
        let stride = message_bytes.max(1).next_multiple_of(LINE_BYTES);
        let slots = (RING_BYTES / stride).max(1);
        let (stride, slots, sealed, opened) = if layout.across_pages {
            // The middle of the message is the end of the page, up to the bits that the alignment
            // has.
            let to_page = |place: usize| PAGE_BYTES + place % 16 - message_bytes / 2 % PAGE_BYTES;
            let stride = stride.next_multiple_of(PAGE_BYTES);
            (stride, slots.min(ACROSS_PAGES), to_page(layout.sealed), to_page(layout.opened))
        } else {
            (stride, slots, layout.sealed, layout.opened)
        };
        Self {
            message_bytes,
            stride,
            slots,
            ad: Placed::new(lengths.ad, layout.ad),
            sealed: Placed::new(slots * stride, sealed),
            opened: Placed::new(slots * stride, opened),
            keys: Placed::new(TURN * size_of::<Key>(), layout.keys),
            nonces: Placed::new(TURN * size_of::<Nonce>(), layout.nonces),
            tags: Placed::new(slots * size_of::<Tag>(), layout.tags),
            counter: 0,
        }
    }

    /// The length of a message.
    #[must_use]
    pub fn message_bytes(&self) -> usize {
        self.message_bytes
    }

    /// Hands `messages` messages to `seal`, each with a fresh key and nonce, to be sealed in place;
    /// who has a key already ignores this one.
    #[inline]
    pub fn seal(
        &mut self,
        messages: u32,
        mut seal: impl FnMut(&Key, &Nonce, &[u8], &mut [u8], &mut Tag),
    ) {
        let (stride, mut slot, mut turn) = (self.stride, 0, 0);
        let (ad, memory) = (self.ad.bytes(), self.sealed.bytes());
        let (keys, nonces, tags) = (self.keys.each(), self.nonces.each(), self.tags.each());
        for _ in 0..messages {
            let (now, later) = (turn % TURN, (turn + TURN / 2) % TURN);
            self.counter += 1;
            keys[later][..8].copy_from_slice(&self.counter.to_le_bytes());
            nonces[later][..8].copy_from_slice(&self.counter.to_le_bytes());
            let message = &mut memory[slot * stride..][..self.message_bytes];
            seal(&keys[now], &nonces[now], ad, message, &mut tags[slot]);
            turn += 1;
            slot = if slot + 1 == self.slots { 0 } else { slot + 1 };
        }
    }

    /// Seals every slot once, for [`open`](Self::open).
    pub fn fill(&mut self, mut seal: impl FnMut(&Key, &Nonce, &[u8], &mut [u8], &mut Tag)) {
        let (ad, memory) = (self.ad.bytes(), self.sealed.bytes());
        let (keys, nonces, tags) = (self.keys.each(), self.nonces.each(), self.tags.each());
        for (slot, tag) in tags.iter_mut().enumerate() {
            let message = &mut memory[slot * self.stride..][..self.message_bytes];
            seal(&keys[slot % TURN], &nonces[slot % TURN], ad, message, tag);
        }
    }

    /// Hands `messages` sealed messages to `open`, with memory for the opened one: opening in place
    /// would leave nothing to open the next time round.
    #[inline]
    pub fn open(
        &mut self,
        messages: u32,
        mut open: impl FnMut(&Key, &Nonce, &[u8], &[u8], &Tag, &mut [u8]),
    ) {
        let (stride, mut slot) = (self.stride, 0);
        let (ad, sealed, opened) = (self.ad.bytes(), self.sealed.bytes(), self.opened.bytes());
        let (keys, nonces, tags) = (self.keys.each(), self.nonces.each(), self.tags.each());
        for _ in 0..messages {
            let at = slot * stride..slot * stride + self.message_bytes;
            let (key, nonce) = (&keys[slot % TURN], &nonces[slot % TURN]);
            open(key, nonce, ad, &sealed[at.clone()], &tags[slot], &mut opened[at]);
            slot = if slot + 1 == self.slots { 0 } else { slot + 1 };
        }
    }
}

/// Bytes that begin at a fixed place in a page.
#[derive(Debug)]
struct Placed {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

impl Placed {
    /// Filled with something that is not zeros.
    fn new(len: usize, place: usize) -> Self {
        let room = len + place + PAGE_BYTES;
        let memory: Vec<u8> =
            (0..room).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
        let start = memory.as_ptr().align_offset(PAGE_BYTES) + place;
        Self { memory, start, len }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.len]
    }

    /// Keys, nonces or tags, one after the other.
    fn each<const N: usize>(&mut self) -> &mut [[u8; N]] {
        self.bytes().as_chunks_mut().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_message_begins_at_a_cache_line() {
        let mut ring = Ring::new(Lengths::message(48));
        ring.seal(20, |_, _, _, message, _| {
            assert_eq!(message.as_ptr().align_offset(LINE_BYTES), 0);
            assert_eq!(message.len(), 48);
        });
    }

    #[test]
    fn messages_lie_where_the_layout_says() {
        for number in 0..40 {
            let layout = Layout::number(number);
            for message in [1, 16, 100, 1024, 70_000] {
                let mut ring = Ring::with_layout(Lengths { message, ad: 5 }, layout);
                ring.seal(9, |_, _, ad, message, _| {
                    assert_eq!(ad.as_ptr() as usize % PAGE_BYTES, layout.ad);
                    let first = message.as_ptr() as usize;
                    let ends = first / PAGE_BYTES != (first + message.len() - 1) / PAGE_BYTES;
                    let place = (first - layout.sealed) % LINE_BYTES;
                    let may_end = message.len() > 16 || layout.sealed.is_multiple_of(16);
                    assert!(if layout.across_pages { ends || !may_end } else { place == 0 });
                });
            }
        }
    }

    #[test]
    fn no_key_or_nonce_comes_twice_after_the_first_turn() {
        let mut ring = Ring::new(Lengths::message(16));
        let (mut keys, mut nonces, mut messages) = (HashSet::new(), HashSet::new(), 0);
        ring.seal(1000, |key, nonce, _, _, _| {
            messages += 1;
            assert!((keys.insert(*key) & nonces.insert(*nonce)) || messages <= TURN);
        });
    }

    #[test]
    fn what_was_sealed_into_a_slot_is_opened_from_it() {
        let mut ring = Ring::new(Lengths { message: 1500, ad: 20 });
        let mut next = 0;
        ring.seal(1000, |_, _, _, _, _| {});
        ring.fill(|key, nonce, ad, message, tag| {
            next += 1;
            message.fill(next);
            tag[0] = next;
            tag[1..9].copy_from_slice(&key[..8]);
            tag[9..17].copy_from_slice(&nonce[..8]);
            tag[17..37].copy_from_slice(ad);
        });
        ring.open(u32::from(next) * 2, |key, nonce, ad, message, tag, opened| {
            assert!(message.iter().all(|byte| *byte == tag[0]));
            assert_eq!((&key[..8], &nonce[..8]), (&tag[1..9], &tag[9..17]));
            assert_eq!(ad, &tag[17..37]);
            assert_eq!(opened.len(), message.len());
        });
    }

    #[test]
    fn a_long_message_has_one_slot_and_an_empty_one_has_room() {
        assert_eq!(Ring::new(Lengths::message(1 << 20)).slots, 1);
        assert_eq!(Ring::new(Lengths::message(0)).slots, RING_BYTES / LINE_BYTES);
    }
}
