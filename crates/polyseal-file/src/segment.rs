//! Sealing and opening segments, each in its place in the buffer, side by side where the suite can.
//!
//! Segment i has the nonce i (8 bytes, little-endian) ‖ 1 if it is the last, else 0 ‖ zeros, and
//! no associated data: everything else about the file is in the key. So a segment opens only in
//! its place, in its file, and the last only as the last. Suites that derive a key from a nonce
//! derive it from its first 12 bytes or more: each segment then has a key of its own.

use polyseal::any::AnyAead;
use polyseal::batch::{Batch, Message};
use polyseal::limits::{Limits, Nonces};

use crate::error::{Error, Result};
use crate::header::PayloadKey;
use crate::layout::MAX_SEGMENTS;
use crate::suite::{MAX_NONCE_BYTES, Suite};

/// The two directions of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Seal,
    Open,
}

/// The cipher of a payload.
pub(crate) struct SegmentCipher {
    aead: AnyAead,
    direction: Direction,
    segment: usize,
    tag: usize,
    max_segments: u64,
}

/// Which segment it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) index: u64,
    pub(crate) last: bool,
}

impl SegmentCipher {
    pub(crate) fn new(
        suite: Suite,
        key: &PayloadKey,
        segment: u32,
        direction: Direction,
    ) -> Result<Self> {
        let algorithm = suite.algorithm()?;
        let aead = AnyAead::new(&algorithm, key.bytes()).map_err(Error::Cipher)?;
        let (segment_bytes, tag) = (segment as usize, suite.tag_bytes());
        let max_segments = max_segments(&Limits::for_algorithm(&algorithm), segment);
        Ok(Self { aead, direction, segment: segment_bytes, tag, max_segments })
    }

    /// How many segments a file may have.
    pub(crate) fn max_segments(&self) -> u64 {
        self.max_segments
    }

    /// The bytes of a full segment in the input.
    pub(crate) fn input_unit(&self) -> usize {
        match self.direction {
            Direction::Seal => self.segment,
            Direction::Open => self.segment + self.tag,
        }
    }

    /// The bytes of a full segment in the output.
    pub(crate) fn output_unit(&self) -> usize {
        match self.direction {
            Direction::Seal => self.segment + self.tag,
            Direction::Open => self.segment,
        }
    }

    /// Works on segments that follow each other from `first` on, and end the file if `last`. Each
    /// slot begins with its count of input bytes, and has room for their output, which replaces
    /// them. Returns the bytes of output.
    pub(crate) fn apply<'a>(
        &self,
        first: Position,
        slots: impl ExactSizeIterator<Item = (&'a mut [u8], usize)>,
    ) -> Result<usize> {
        let run = SegmentSequence { first, count: slots.len() };
        let nonces = run.nonces();
        let nonce_bytes = self.aead.algorithm().nonce_bytes();
        let (mut messages, mut output) = (Vec::with_capacity(run.count), 0);
        let mut truncated = Ok(());
        for (i, (slot, length)) in slots.enumerate() {
            let text = match self.direction {
                Direction::Seal => Some(length),
                // An empty segment after others would give one plaintext two encryptions.
                Direction::Open => length
                    .checked_sub(self.tag)
                    .filter(|&text| text > 0 || run.position(i).index == 0),
            };
            let Some(text) = text else {
                truncated = Err(Error::Truncated);
                break;
            };
            output += match self.direction {
                Direction::Seal => text + self.tag,
                Direction::Open => text,
            };
            let (text, tag) = slot.split_at_mut(text);
            let tag = &mut tag[..self.tag];
            messages.push(Message::new(&nonces[i][..nonce_bytes], &[], text, tag));
        }
        match self.direction {
            Direction::Seal => self.aead.seal_batch(&mut messages).map_err(Error::Cipher)?,
            Direction::Open => self.open_all(&run, &mut messages)?,
        }
        truncated.map(|()| output)
    }

    /// Opens segments that follow each other from `first` on, each in its place, with its tag
    /// beside it.
    pub(crate) fn open_apart<'a>(
        &self,
        first: Position,
        segments: impl ExactSizeIterator<Item = (&'a mut [u8], &'a mut [u8])>,
    ) -> Result<()> {
        let run = SegmentSequence { first, count: segments.len() };
        let nonces = run.nonces();
        let nonce_bytes = self.aead.algorithm().nonce_bytes();
        let mut messages: Vec<_> = segments
            .zip(&nonces)
            .map(|((text, tag), nonce)| Message::new(&nonce[..nonce_bytes], &[], text, tag))
            .collect();
        self.open_all(&run, &mut messages)
    }

    fn open_all(&self, run: &SegmentSequence, messages: &mut [Message<'_>]) -> Result<()> {
        if self.aead.open_batch(messages).is_err() {
            let bad = messages.iter().position(|message| message.outcome.is_err());
            let Position { index, last } = run.position(bad.unwrap_or(0));
            return Err(Error::Corrupt { segment: index, last });
        }
        Ok(())
    }
}

/// Segments that follow each other, and end the file if `first` is said to be the last.
pub(crate) struct SegmentSequence {
    pub(crate) first: Position,
    pub(crate) count: usize,
}

impl SegmentSequence {
    pub(crate) fn position(&self, i: usize) -> Position {
        Position {
            index: self.first.index + i as u64,
            last: self.first.last && i + 1 == self.count,
        }
    }

    fn nonces(&self) -> Vec<[u8; MAX_NONCE_BYTES]> {
        (0..self.count).map(|i| nonce(self.position(i))).collect()
    }
}

/// The nonce, with all the zeros that a suite may need.
fn nonce(at: Position) -> [u8; MAX_NONCE_BYTES] {
    let mut nonce = [0; MAX_NONCE_BYTES];
    nonce[..8].copy_from_slice(&at.index.to_le_bytes());
    nonce[8] = u8::from(at.last);
    nonce
}

/// How segments are numbered, where it makes a difference to a suite.
const NONCES: Nonces = Nonces::CountedFirst;

/// The number of segments that the format can count, or that the suite allows under one key if that
/// is less.
fn max_segments(limits: &Limits, segment: u32) -> u64 {
    let by_messages = limits.counted_first_nonce_messages;
    let total = limits.total(NONCES);
    let by_bytes = total.limit.map(|bytes| bytes / total.charge(segment.into(), 0));
    let least = by_messages.into_iter().chain(by_bytes).min();
    least.and_then(|least| u64::try_from(least).ok()).map_or(MAX_SEGMENTS, |n| n.min(MAX_SEGMENTS))
}

#[cfg(test)]
mod tests {
    use polyseal::limits::Usage;

    use super::*;
    use crate::header::Header;
    use crate::key::Key;
    use crate::layout::SegmentSize;

    #[test]
    fn a_file_stays_within_the_limits_of_its_suite() {
        let mut limits = Limits::for_algorithm(&"aegis-128l".parse().unwrap());
        assert_eq!(max_segments(&limits, 65536), MAX_SEGMENTS);
        limits.total_bytes.limit = Some(1 << 36);
        assert_eq!(max_segments(&limits, 65536), 1 << 20);
        limits.total_bytes.extra_blocks = Some(1);
        assert_eq!(max_segments(&limits, 65536), (1 << 36) / (65536 + 16));
        limits.counted_first_nonce_messages = Some(1000);
        assert_eq!(max_segments(&limits, 65536), 1000);
    }

    /// Section 6 of the specification.
    #[test]
    fn the_most_segments_are_those_of_the_specification() {
        for (name, log2, extra) in [
            ("aes-128-gcm", 52, 16),
            ("aes-256-gcm", 52, 16),
            ("ctx-aes-256-gcm", 52, 16),
            ("padding-fix-aes-256-gcm", 52, 48),
            ("dndk-gcm", 64, 0),
            ("dndk-gcm:kc=1", 64, 0),
        ] {
            let suite: Suite = name.parse().unwrap();
            for segment in (12..=24).map(|log2| 1_u32 << log2) {
                let expected = (1_u128 << log2) / u128::from(segment + extra);
                let expected = expected.min(MAX_SEGMENTS.into());
                let found =
                    max_segments(&Limits::for_algorithm(&suite.algorithm().unwrap()), segment);
                assert_eq!(u128::from(found), expected, "{name}, {segment}");
            }
        }
        for name in [
            "aegis-256x2",
            "xaes-256-gcm",
            "kc-xaes-256-gcm",
            "h-aes-256-gcm",
            "flex-och",
            "flex-och-transport",
            "flex-robust",
        ] {
            let suite: Suite = name.parse().unwrap();
            assert_eq!(
                max_segments(&Limits::for_algorithm(&suite.algorithm().unwrap()), 1 << 24),
                MAX_SEGMENTS
            );
        }
    }

    #[test]
    fn the_largest_file_of_every_suite_is_within_its_limits() {
        for (name, log2) in
            Suite::allowed().iter().flat_map(|name| (12..=24).map(move |n| (name, n)))
        {
            let suite: Suite = name.parse().unwrap();
            let most = max_segments(&Limits::for_algorithm(&suite.algorithm().unwrap()), 1 << log2);
            let use_of = |n| Usage::check(&suite.algorithm().unwrap(), NONCES, n, 1 << log2, 0);
            assert_eq!(use_of(most), Ok(()), "{name}, 2^{log2}");
            assert!(most == MAX_SEGMENTS || use_of(most + 1).is_err(), "{name}, 2^{log2}");
        }
    }

    /// Under a repeated GCM nonce there would be no security left: of a nonce of 24 bytes or more,
    /// what a key is derived from has the number and the flag.
    #[test]
    fn every_segment_has_another_nonce_before_byte_12() {
        let suite: Suite = "xaes-256-gcm".parse().unwrap();
        let mut heads = std::collections::BTreeSet::new();
        let numbers = [0, 1, 255, 256, 1 << 32, MAX_SEGMENTS - 1];
        for (index, last) in numbers.into_iter().flat_map(|i| [(i, false), (i, true)]) {
            let nonce = nonce(Position { index, last });
            assert!(heads.insert(nonce[..12].to_vec()), "{index}, {last}");
            assert!(
                nonce[12..suite.algorithm().unwrap().nonce_bytes()].iter().all(|&byte| byte == 0)
            );
        }
    }

    /// Nobody without the key can make such a file, and nobody with it should.
    #[test]
    fn an_empty_segment_after_others_is_refused_though_authentic() {
        let suite: Suite = "aegis-128l".parse().unwrap();
        let key = Key::from_bytes(&[3; 32]);
        let (header, key) =
            Header::create(&(&key).into(), suite, SegmentSize::default(), None, 0).unwrap();
        let key = header.payload_key(&key, None).unwrap();
        let cipher = |direction| SegmentCipher::new(suite, &key, 4096, direction).unwrap();
        for index in [0, 1] {
            let (mut slot, at) = ([0; 64], Position { index, last: true });
            assert_eq!(
                cipher(Direction::Seal).apply(at, [(&mut slot[..], 0)].into_iter()).unwrap(),
                16
            );
            let opened = cipher(Direction::Open).apply(at, [(&mut slot[..], 16)].into_iter());
            assert_eq!(opened.is_ok(), index == 0, "{opened:?}");
        }
    }
}
