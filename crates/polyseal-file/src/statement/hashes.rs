//! The hashes by which a part of a payload is shown to belong to its root, and how they are stored.
//!
//! Source: `docs/spec/statement.md`, section 4. Leaves, nodes and root are those of a
//! [commitment](crate::Commitment). Leaves are stored in groups of [`GROUP`], each behind the other
//! with the path from its own root to that of the whole: so any segment takes one read.

use std::io::{self, Write};
use std::ops::Range;

use subtle::ConstantTimeEq;

use crate::commitment::{COMMITMENT_BYTES, Leaf, node, root};

/// The leaves of a group.
pub(super) const GROUP: u64 = 32;
const HASH: u64 = COMMITMENT_BYTES as u64;

/// Where the hashes of a payload of so many segments are. One segment has none: its leaf gives the
/// root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HashLayout {
    segments: u64,
}

impl HashLayout {
    pub(super) fn new(segments: u64) -> Self {
        Self { segments }
    }

    pub(super) fn segments(self) -> u64 {
        self.segments
    }

    pub(super) fn groups(self) -> u64 {
        self.segments.div_ceil(GROUP)
    }

    /// The hashes of a path: as many as there are levels above the groups.
    fn path(self) -> u64 {
        u64::from(self.groups().next_power_of_two().ilog2())
    }

    /// The bytes of all.
    pub(super) fn bytes(self) -> u64 {
        if self.segments == 1 { 0 } else { (self.segments + self.groups() * self.path()) * HASH }
    }

    /// The leaves of a group.
    pub(super) fn leaves(self, group: u64) -> Range<u64> {
        group * GROUP..self.segments.min((group + 1) * GROUP)
    }

    /// The bytes of a group.
    pub(super) fn range(self, group: u64) -> Range<u64> {
        let Range { start, end } = self.leaves(group);
        let at = group * (GROUP + self.path()) * HASH;
        at..at + (end - start + self.path()) * HASH
    }

    /// The leaves in the stored bytes of a group, if they belong to this root.
    pub(super) fn open(self, group: u64, stored: &[u8], expected: &Leaf) -> Option<Vec<Leaf>> {
        let (hashes, rest) = stored.as_chunks::<COMMITMENT_BYTES>();
        let Range { start, end } = self.leaves(group);
        let (leaves, path) = hashes.split_at_checked((end - start) as usize)?;
        if !rest.is_empty() || path.len() as u64 != self.path() {
            return None;
        }
        let mut path = path.iter();
        let (mut hash, mut at, mut width) = (tree(leaves)?, group, self.groups());
        while width > 1 {
            // The last of an odd number goes up as it is.
            hash = match at {
                _ if at % 2 == 1 => node(path.next()?, &hash),
                _ if at + 1 < width => node(&hash, path.next()?),
                _ => hash,
            };
            (at, width) = (at / 2, width.div_ceil(2));
        }
        let is_of_root = root(&hash, self.segments).ct_eq(expected);
        // CT: the hashes are public.
        let is_right = bool::from(is_of_root) && path.all(|spare| *spare == Leaf::default());
        is_right.then(|| leaves.to_vec())
    }
}

/// The hash of a tree over these leaves; none over none.
fn tree(leaves: &[Leaf]) -> Option<Leaf> {
    let mut level = leaves.to_vec();
    while level.len() > 1 {
        level = above(&level);
    }
    level.pop()
}

/// The level above this one.
fn above(level: &[Leaf]) -> Vec<Leaf> {
    let pair = |pair: &[Leaf]| match pair {
        [left, right] => node(left, right),
        other => other.first().copied().unwrap_or_default(),
    };
    level.chunks(2).map(pair).collect()
}

/// The root over all leaves of a payload, of which there is at least one.
pub(super) fn root_of(leaves: &[Leaf]) -> Leaf {
    root(&tree(leaves).unwrap_or_default(), leaves.len() as u64)
}

/// Writes the hashes of a payload with these leaves.
pub(super) fn write(leaves: &[Leaf], to: &mut impl Write) -> io::Result<()> {
    let layout = HashLayout::new(leaves.len() as u64);
    if leaves.len() == 1 {
        return Ok(());
    }
    let groups = leaves.chunks(GROUP as usize);
    let mut levels = vec![groups.clone().filter_map(tree).collect::<Vec<_>>()];
    while let Some(last) = levels.last().filter(|level| level.len() > 1) {
        levels.push(above(last));
    }
    for (at, group) in groups.enumerate() {
        to.write_all(group.as_flattened())?;
        let siblings =
            levels.iter().enumerate().filter_map(|(up, level)| level.get((at >> up) ^ 1));
        let path: Vec<_> = siblings.copied().collect();
        to.write_all(path.as_flattened())?;
        let spare = layout.path() as usize - path.len();
        to.write_all(&vec![0; spare * COMMITMENT_BYTES])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::commitment::{Leaves, PayloadRoot, leaf};

    fn leaves(count: u64) -> Vec<Leaf> {
        (0..count).map(|i| leaf(&i.to_le_bytes())).collect()
    }

    #[test]
    fn every_leaf_is_shown_to_belong_to_the_root_of_a_commitment() {
        for count in (1..140).chain([1023, 1024, 1025, 4097]) {
            let leaves = leaves(count);
            let expected = Leaves::new();
            expected.add(0, leaves.clone());
            let PayloadRoot::Tree(expected) = expected.roots().payload_root() else { panic!() };
            assert_eq!(root_of(&leaves), expected);
            let layout = HashLayout::new(count);
            let mut stored = Vec::new();
            write(&leaves, &mut stored).unwrap();
            assert_eq!(stored.len() as u64, layout.bytes());
            for group in 0..if count == 1 { 0 } else { layout.groups() } {
                let Range { start, end } = layout.range(group);
                let opened = layout.open(group, &stored[start as usize..end as usize], &expected);
                let Range { start, end } = layout.leaves(group);
                assert_eq!(opened.unwrap(), leaves[start as usize..end as usize]);
            }
        }
    }

    proptest! {
        #[test]
        fn no_other_hash_is_taken(count in 2..2100_u64, group: u64, at: usize, bit in 0..8_u8) {
            let leaves = leaves(count);
            let layout = HashLayout::new(count);
            let mut stored = Vec::new();
            write(&leaves, &mut stored).unwrap();
            let group = group % layout.groups();
            let Range { start, end } = layout.range(group);
            let block = &mut stored[start as usize..end as usize];
            let expected = root_of(&leaves);
            prop_assert!(layout.open(group, block, &expected).is_some());
            for other in [group + 1, group ^ 1] {
                let is_other = other < layout.groups() && other != group;
                prop_assert!(!is_other || layout.open(other, block, &expected).is_none());
            }
            prop_assert!(layout.open(group, &block[..block.len() - 1], &expected).is_none());
            let at = at % block.len();
            block[at] ^= 1 << bit;
            prop_assert!(layout.open(group, block, &expected).is_none());
        }
    }
}
