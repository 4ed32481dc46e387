//! Where segments lie: from lengths to numbers of segments and offsets, and back.
//!
//! A payload is at least one segment; every segment but the last is full; the last is empty only
//! if it is the only one. So a length has one division into segments, and a wrong length shows.

use std::fmt;
use std::ops::Range;

use crate::error::{Error, Result};

/// The smallest segment in bytes of plaintext.
pub const MIN_SEGMENT_BYTES: u32 = 4 * 1024;
/// The largest segment in bytes of plaintext.
pub const MAX_SEGMENT_BYTES: u32 = 16 * 1024 * 1024;
/// The segment size in bytes when nothing else is said.
pub const DEFAULT_SEGMENT_BYTES: u32 = 64 * 1024;
/// The largest number of segments in a file: 2^48, which is 2^60 bytes in the smallest segments.
pub const MAX_SEGMENTS: u64 = 1 << 48;

/// A power of two from 4 KiB to 16 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentSize(u32);

impl SegmentSize {
    /// Segments of `bytes` bytes of plaintext.
    ///
    /// # Errors
    /// [`Error::SegmentSize`] for any other length.
    pub fn new(bytes: u64) -> Result<Self> {
        match u32::try_from(bytes) {
            Ok(small)
                if small.is_power_of_two()
                    && (MIN_SEGMENT_BYTES..=MAX_SEGMENT_BYTES).contains(&small) =>
            {
                Ok(Self(small))
            }
            _ => Err(Error::SegmentSize(bytes)),
        }
    }

    /// The size in bytes.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.0
    }
}

impl Default for SegmentSize {
    fn default() -> Self {
        Self(DEFAULT_SEGMENT_BYTES)
    }
}

impl fmt::Display for SegmentSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The segments of `total` bytes in pieces of `unit` bytes: at least one.
pub(crate) fn segments(total: u64, unit: usize) -> u64 {
    total.div_ceil(unit as u64).max(1)
}

/// The plaintext length of a payload of `wire` bytes in segments of `segment` and `tag` bytes, or
/// `None` if there is no payload of this length.
pub(crate) fn plaintext_bytes(wire: u64, segment: u32, tag: usize) -> Option<u64> {
    let unit = u64::from(segment) + tag as u64;
    let count = wire.div_ceil(unit).max(1);
    let plaintext = wire.checked_sub(count * tag as u64)?;
    // The last segment has a tag, and holds something unless it is the only one.
    let last = wire - (count - 1) * unit;
    (last > tag as u64 || (count == 1 && last == tag as u64)).then_some(plaintext)
}

/// Where the segments of one payload lie: in the plaintext, and in the stored bytes. Ranges are
/// given as they come, and are cut off at the end; one that is turned round is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    segment: u64,
    tag: u64,
    /// Where the payload begins in the stored bytes.
    offset: u64,
    plaintext: u64,
}

impl Layout {
    /// The layout of `stored` bytes, of which the first `offset` are not of the payload; `None` if
    /// no payload has this length.
    pub(crate) fn from_stored(
        segment: SegmentSize,
        tag: usize,
        offset: u64,
        stored: u64,
    ) -> Option<Self> {
        let plaintext = plaintext_bytes(stored.checked_sub(offset)?, segment.bytes(), tag)?;
        Some(Self { segment: segment.bytes().into(), tag: tag as u64, offset, plaintext })
    }

    /// The layout for a plaintext of `plaintext` bytes; `None` if its payload has more than 2^64.
    pub(crate) fn from_plaintext(
        segment: SegmentSize,
        tag: usize,
        offset: u64,
        plaintext: u64,
    ) -> Option<Self> {
        let layout = Self { segment: segment.bytes().into(), tag: tag as u64, offset, plaintext };
        let tags = layout.segments().checked_mul(layout.tag)?;
        plaintext.checked_add(tags)?.checked_add(offset)?;
        Some(layout)
    }

    pub(crate) fn segments(&self) -> u64 {
        self.plaintext.div_ceil(self.segment).max(1)
    }

    pub(crate) fn plaintext_bytes(&self) -> u64 {
        self.plaintext
    }

    pub(crate) fn stored_bytes(&self) -> u64 {
        self.offset + self.plaintext + self.segments() * self.tag
    }

    pub(crate) fn payload_offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn tag_bytes(&self) -> usize {
        self.tag as usize
    }

    /// The bytes of a full segment in the plaintext.
    pub(crate) fn plain_unit(&self) -> u64 {
        self.segment
    }

    /// The stored bytes of a full segment.
    pub(crate) fn stored_unit(&self) -> u64 {
        self.segment + self.tag
    }

    /// `range` of the plaintext, as far as there is any.
    pub(crate) fn cut(&self, range: Range<u64>) -> Range<u64> {
        cut(range, 0..self.plaintext)
    }

    /// The segments that hold `range` of the plaintext.
    pub(crate) fn holding(&self, range: Range<u64>) -> Range<u64> {
        touched(self.cut(range), self.segment)
    }

    /// The segments that have a byte in `range` of the stored bytes.
    pub(crate) fn stored_in(&self, range: Range<u64>) -> Range<u64> {
        let Range { start, end } = cut(range, self.offset..self.stored_bytes());
        touched(start - self.offset..end - self.offset, self.stored_unit())
    }

    /// Where `segments` lie in the plaintext.
    pub(crate) fn plain(&self, segments: &Range<u64>) -> Range<u64> {
        let at = |index: u64| index.saturating_mul(self.segment).min(self.plaintext);
        at(segments.start)..at(segments.end)
    }

    /// Where `segments` lie in the stored bytes.
    pub(crate) fn stored_range(&self, segments: &Range<u64>) -> Range<u64> {
        let payload = self.stored_bytes() - self.offset;
        let at = |index: u64| self.offset + index.saturating_mul(self.stored_unit()).min(payload);
        at(segments.start)..at(segments.end)
    }
}

/// `range`, as far as it is in `whole`.
fn cut(range: Range<u64>, whole: Range<u64>) -> Range<u64> {
    let start = range.start.clamp(whole.start, whole.end);
    start..range.end.clamp(start, whole.end)
}

/// The pieces of `unit` bytes of which some byte is in `range`.
fn touched(range: Range<u64>, unit: u64) -> Range<u64> {
    let first = range.start / unit;
    if range.is_empty() { first..first } else { first..range.end.div_ceil(unit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_no_payload_has() {
        let plain = |wire| plaintext_bytes(wire, 4096, 16);
        assert_eq!([plain(0), plain(15)], [None, None]);
        assert_eq!([plain(16), plain(17), plain(4112)], [Some(0), Some(1), Some(4096)]);
        // One byte of a second tag, a whole second tag and nothing else: no such payload.
        assert_eq!([plain(4113), plain(4128), plain(4129)], [None, None, Some(4097)]);
    }

    #[test]
    fn only_powers_of_two_in_range() {
        for good in [4096, 65536, 1 << 24] {
            assert_eq!(u64::from(SegmentSize::new(good).unwrap().bytes()), good);
        }
        for bad in [0, 1, 2048, 4095, 4097, 65535, 1 << 25, 1 << 32, (1 << 32) + 4096, u64::MAX] {
            assert!(SegmentSize::new(bad).is_err(), "{bad}");
        }
    }

    /// Byte by byte: which segment a byte is in is its number by the unit.
    #[test]
    fn ranges_lie_where_their_bytes_do() {
        let segment = SegmentSize::new(4096).unwrap();
        for (plaintext, offset) in [(0, 0), (1, 4096), (4096, 0), (4097, 4096), (12_288, 8192)] {
            let layout = Layout::from_plaintext(segment, 16, offset, plaintext).unwrap();
            let stored = layout.stored_bytes();
            assert_eq!(Layout::from_stored(segment, 16, offset, stored), Some(layout));
            assert_eq!(Layout::from_stored(segment, 16, offset, offset), None);
            let edges = [0, 1, 4095, 4096, 4097, 8192, 8193, 12_288, 12_336, 30_000, u64::MAX];
            for (start, end) in edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))) {
                let plain: Vec<_> = (start..end.min(plaintext)).map(|at| at / 4096).collect();
                let found = layout.holding(start..end);
                assert_eq!(found.is_empty(), plain.is_empty(), "{start}..{end} of {plaintext}");
                if let (Some(first), Some(last)) = (plain.first(), plain.last()) {
                    assert_eq!(found, *first..last + 1, "{start}..{end} of {plaintext}");
                }
                let wire: Vec<_> = (start.max(offset)..end.min(stored))
                    .map(|at| (at - offset) / (4096 + 16))
                    .collect();
                let found = layout.stored_in(start..end);
                assert_eq!(found.is_empty(), wire.is_empty(), "{start}..{end} of {stored}");
                if let (Some(first), Some(last)) = (wire.first(), wire.last()) {
                    assert_eq!(found, *first..last + 1, "{start}..{end} of {stored}");
                }
            }
            let all = 0..layout.segments();
            assert_eq!(layout.plain(&all), 0..plaintext);
            assert_eq!(layout.stored_range(&all), offset..stored);
        }
        assert_eq!(Layout::from_plaintext(segment, 16, 4096, u64::MAX - 5000), None);
    }
}
