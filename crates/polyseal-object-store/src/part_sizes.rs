//! How large the parts of an upload are, so that as many as a store takes are enough for an object
//! of any length.
//!
//! Source: the S3 API: 10,000 parts, each but the last of 5 MiB to 5 GiB, an object of 5 TiB.

/// The most parts of an upload.
const MOST_PARTS: u64 = 10_000;
/// So many parts have one size where the length is not known: some stores want that of all of them.
const EQUAL_PARTS: u64 = 5_000;
/// From then on a part has this share of what has been sent: with parts of 8 MiB at first, 5 TiB
/// are 9,900 parts.
const SHARE: u64 = 1_000;
/// The most bytes of a part.
const MOST_BYTES: u64 = 5 << 30;
/// The longest object.
const MOST_OBJECT_BYTES: u64 = 5 << 40;
const MIB: u64 = 1 << 20;

/// The sizes of parts, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct PartSizes {
    usual: u64,
    known: bool,
    parts: u64,
    bytes: u64,
}

impl PartSizes {
    /// Parts of `usual` bytes, or larger ones for an object of many `bytes`. `bytes` may be less
    /// than the object's length; `None` if nothing is known.
    pub(crate) fn new(usual: u64, bytes: Option<u64>) -> Self {
        // A header, and tags: at most 1.6 percent, and what is known may be the plaintext. A server
        // may say any length.
        let bytes = bytes.map(|bytes| bytes.min(MOST_OBJECT_BYTES));
        let needed = bytes.map_or(0, |bytes| (bytes + bytes / 32).div_ceil(MOST_PARTS - 1));
        let usual = usual.max(needed.next_multiple_of(MIB)).min(MOST_BYTES);
        Self { usual, known: bytes.is_some(), parts: 0, bytes: 0 }
    }

    /// The size of the next part.
    pub(crate) fn next(&self) -> u64 {
        if self.known || self.parts < EQUAL_PARTS {
            return self.usual;
        }
        (self.bytes / SHARE).next_multiple_of(MIB).clamp(self.usual, MOST_BYTES)
    }

    /// A part of so many bytes is on its way.
    pub(crate) fn sent(&mut self, bytes: u64) {
        self.parts += 1;
        self.bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts, and the largest.
    fn parts_of(total: u64, usual: u64, known: bool) -> (u64, u64) {
        let mut sizes = PartSizes::new(usual, known.then_some(total));
        let (mut left, mut largest) = (total, 0);
        while left > 0 {
            let part = sizes.next().min(left);
            sizes.sent(part);
            largest = largest.max(part);
            left -= part;
        }
        (sizes.parts, largest)
    }

    #[test]
    fn ten_thousand_parts_are_enough_for_the_longest_object() {
        for usual in [8 * MIB, 16 * MIB, 100 * MIB] {
            let (parts, largest) = parts_of(MOST_OBJECT_BYTES, usual, false);
            assert!(parts <= MOST_PARTS && largest <= MOST_BYTES, "{usual}: {parts}, {largest}");
            let (parts, largest) = parts_of(MOST_OBJECT_BYTES, usual, true);
            assert!(parts <= MOST_PARTS && largest < 600 * MIB, "{usual}: {parts}, {largest}");
        }
        assert!(PartSizes::new(16 * MIB, Some(u64::MAX)).next() < 600 * MIB);
        assert_eq!(parts_of(40 * MIB, 16 * MIB, true), (3, 16 * MIB));
        assert_eq!(parts_of(40 * MIB, 16 * MIB, false), (3, 16 * MIB));
        assert_eq!(parts_of(78_000 * MIB, 16 * MIB, false), (4_875, 16 * MIB));
    }
}
