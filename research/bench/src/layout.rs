//! Where in memory a contender finds its message, and where its stack begins.
//!
//! The cost of a short message can depend on that: a load or a store across two lines or two pages,
//! a load that agrees in its lowest 12 bits with a store in flight, a stack frame across two lines.
//! One layout is one throw of the dice, so a figure is taken over several.

use core::hint::black_box;

use crate::dice::Dice;

pub(crate) const LINE_BYTES: usize = 64;
pub(crate) const PAGE_BYTES: usize = 4 << 10;

/// Places as offsets in a page, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Place of the sealed message, and of the message that is sealed in place.
    pub sealed: usize,
    /// Place of the opened message.
    pub opened: usize,
    /// Place of the associated data.
    pub ad: usize,
    /// Place of the keys.
    pub keys: usize,
    /// Place of the nonces.
    pub nonces: usize,
    /// Place of the tags.
    pub tags: usize,
    /// Whether every message has the end of a page in its middle.
    pub across_pages: bool,
    /// How many more frames the stack has.
    pub frames: usize,
}

impl Layout {
    /// Everything begins at a line, and no input agrees in its lowest 12 bits with an output.
    pub const ALIGNED: Self = Self {
        sealed: 0,
        opened: PAGE_BYTES / 2 + 2 * LINE_BYTES,
        ad: PAGE_BYTES / 4 + LINE_BYTES,
        keys: 0,
        nonces: PAGE_BYTES / 2,
        tags: PAGE_BYTES / 4,
        across_pages: false,
        frames: 0,
    };

    /// The layout with this number; the same in every run. The first is [`ALIGNED`](Self::ALIGNED).
    /// In every fourth one messages lie across pages, and in every other fourth the opened message
    /// has the sealed one's place in its page.
    #[must_use]
    pub fn number(number: u32) -> Self {
        if number == 0 {
            return Self::ALIGNED;
        }
        let mut dice = Dice(u64::from(number) << 32);
        let sealed = dice.below(PAGE_BYTES);
        let opened = dice.below(PAGE_BYTES);
        Self {
            sealed,
            opened: if number % 4 == 1 { sealed } else { opened },
            ad: dice.below(PAGE_BYTES),
            keys: dice.below(PAGE_BYTES),
            nonces: dice.below(PAGE_BYTES),
            tags: dice.below(PAGE_BYTES),
            across_pages: number % 4 == 3,
            frames: dice.below(FRAMES),
        }
    }

    /// Does `work` on a stack that begins where this layout says.
    pub fn run(self, work: &mut dyn FnMut()) {
        deeper(self.frames, work);
    }
}

/// Together about a page.
const FRAMES: usize = 64;

/// Calls `work` below `frames` frames of an odd number of 16 bytes each, the alignment of a stack.
#[inline(never)]
fn deeper(frames: usize, work: &mut dyn FnMut()) {
    let mut room = black_box([0_u64; 3]);
    if frames == 0 {
        work();
    } else {
        deeper(frames - 1, work);
    }
    // Something to do afterwards: a call at the very end would take this frame.
    black_box(&mut room);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn layouts_take_every_alignment() {
        let mut alignments: [HashSet<usize>; 6] = Default::default();
        for Layout { sealed, opened, ad, keys, nonces, tags, .. } in (0..1000).map(Layout::number) {
            for (set, place) in alignments.iter_mut().zip([sealed, opened, ad, keys, nonces, tags])
            {
                set.insert(place % LINE_BYTES);
            }
        }
        assert_eq!(alignments.map(|set| set.len()), [LINE_BYTES; 6]);
    }

    #[test]
    fn some_layouts_meet_in_the_lowest_bits_and_some_lie_across_pages() {
        let few: Vec<_> = (0..8).map(Layout::number).collect();
        assert!(few.iter().any(|layout| layout.sealed == layout.opened));
        assert!(few.iter().any(|layout| layout.across_pages));
        assert_eq!(few[0], Layout::ALIGNED);
        assert_eq!(few, (0..8).map(Layout::number).collect::<Vec<_>>());
    }

    #[test]
    fn the_stack_begins_further_down() {
        let top = |frames| {
            let mut top = 0;
            Layout { frames, ..Layout::ALIGNED }.run(&mut || {
                let here = 0_u8;
                top = black_box(&raw const here) as usize;
            });
            top
        };
        let tops: Vec<usize> = (0..FRAMES).map(top).collect();
        assert!(tops.windows(2).all(|pair| pair[1] < pair[0]), "{tops:x?}");
        let places: HashSet<usize> = tops.iter().map(|top| top % LINE_BYTES).collect();
        assert!(places.len() > 1, "{tops:x?}");
    }
}
