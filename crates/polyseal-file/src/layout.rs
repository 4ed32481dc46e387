//! Where segments lie: from lengths to numbers of segments and offsets, and back.
//!
//! A payload is at least one segment; every segment but the last is full; the last is empty only
//! if it is the only one. So a length has one division into segments, and a wrong length shows.

use std::fmt;

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
}
