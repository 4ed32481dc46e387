//! Opening a stored file whose bytes somebody else fetches: which bytes are wanted, and what the
//! answers mean. There is no input or output in here, no thread and no clock, so an asynchronous
//! store, a web server, a mounted one and Python's file systems are all opened by it.
//!
//! Source: `docs/spec/file-format.md`, sections 1 and 6; RFC 9110 for versions ([`Version`]).
//!
//! The steps: the first [`MIN_HEADER_BYTES`] and the last bytes are wanted at once, as many as a
//! usual last segment has. Then, for few files, the rest of a longer header. With it the file is
//! unlocked. Then, for few files, the rest of a longer last segment. After that the length is
//! certain: a file that was cut short or extended is refused before anything of it is given out.
//!
//! Every answer names its version of the object. The first one pins it, and the others must have
//! the same: otherwise [`Error::Replaced`], and the caller begins anew.
//!
//! ```
//! use polyseal_file::{Answer, Decryptor, Identities, Key, Opener, Step, Version, encrypt};
//!
//! let key = Key::generate()?;
//! let object = encrypt(&(&key).into(), &[7; 200_000])?;
//! let identities = Identities::from(&key);
//! let mut opener = Opener::new();
//! loop {
//!     match opener.step() {
//!         Step::Fetch(wanted) => {
//!             for wanted in wanted {
//!                 // What a store does with the request.
//!                 let range = wanted.range(object.len() as u64);
//!                 let bytes = object[range.start as usize..range.end as usize].to_vec();
//!                 let version = Version::new(object.len() as u64).with_tag(Some("\"1\""));
//!                 opener.take(&wanted, Answer { version, start: range.start, bytes })?;
//!             }
//!         }
//!         Step::Unlock => opener.unlock(&Decryptor::new(&identities))?,
//!         Step::Open => break,
//!     }
//! }
//! let opened = opener.open()?;
//! assert_eq!(opened.payload.plaintext_bytes(), 200_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::header::{Header, MIN_HEADER_BYTES};
use crate::layout::{DEFAULT_SEGMENT_BYTES, SegmentSize};
use crate::outline::Outline;
use crate::payload::{Payload, PayloadHead, StoredLength};
use crate::read_at::{ReadAt, fill};
use crate::version::Version;
use crate::whole_file::Decryptor;

/// The longest tag of a suite in bytes.
const MAX_TAG_BYTES: u64 = 64;
const FIRST: u64 = MIN_HEADER_BYTES as u64;

/// Bytes that are to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByteRange {
    /// So many from the beginning, or all if there are fewer: `bytes=0-…`.
    First(u64),
    /// So many at the end, or all if there are fewer: `bytes=-…`.
    Last(u64),
    /// These.
    Range(Range<u64>),
}

impl ByteRange {
    /// Which bytes of an object of `size` bytes they are.
    #[must_use]
    pub fn range(&self, size: u64) -> Range<u64> {
        match self {
            Self::First(bytes) => 0..size.min(*bytes),
            Self::Last(bytes) => size.saturating_sub(*bytes)..size,
            Self::Range(range) => range.start.min(size)..range.end.min(size),
        }
    }
}

/// The answer to one [`ByteRange`].
#[derive(Debug)]
pub struct Answer {
    /// The version that the bytes are of.
    pub version: Version,
    /// Where in the object they begin.
    pub start: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Fetch these, at once, and hand all answers to [`Opener::take`], in this order.
    Fetch(Vec<ByteRange>),
    /// Call [`Opener::unlock`].
    Unlock,
    /// Call [`Opener::open`].
    Open,
}

/// A stored file that is being opened.
pub struct Opener {
    version: Option<Version>,
    /// How many last bytes are wanted with the first ones.
    tail_bytes: Option<u64>,
    fetched: FetchedPieces,
    head: Option<PayloadHead>,
}

/// A stored file that has been opened.
#[derive(Debug)]
pub struct OpenedFile {
    /// The version that all of it is of.
    pub version: Version,
    /// Opens ranges of the file.
    pub payload: Payload,
    /// Where the stored bytes begin that have been fetched of its end: at the last segment, or
    /// before it.
    pub end_start: u64,
    /// Those bytes.
    pub end: Vec<u8>,
}

impl Opener {
    /// How often to begin anew if the object is replaced while it is opened.
    pub const ATTEMPTS: usize = 5;

    /// An opener of an object of which nothing is known yet.
    #[must_use]
    pub fn new() -> Self {
        let tail_bytes = Some(u64::from(DEFAULT_SEGMENT_BYTES) + MAX_TAG_BYTES);
        Self { version: None, tail_bytes, fetched: FetchedPieces::default(), head: None }
    }

    /// An opener of a version that is known, as from a list.
    #[must_use]
    pub fn for_version(version: Version) -> Self {
        Self { version: Some(version), ..Self::new() }
    }

    /// With another guess of how large the last segment may be than the usual size.
    #[must_use]
    pub fn segment_size(mut self, segment: SegmentSize) -> Self {
        self.tail_bytes = self.tail_bytes.map(|_| u64::from(segment.bytes()) + MAX_TAG_BYTES);
        self
    }

    /// With the last segment wanted after the header, exactly: where a store cannot be asked for
    /// last bytes, or where requests do not run at once.
    #[must_use]
    pub fn sequential(mut self) -> Self {
        self.tail_bytes = None;
        self
    }

    /// The next step.
    #[must_use]
    pub fn step(&self) -> Step {
        let Some(size) = self.version.as_ref().map(Version::size) else {
            let last = self.tail_bytes.map(ByteRange::Last);
            return Step::Fetch([ByteRange::First(FIRST)].into_iter().chain(last).collect());
        };
        let next = match &self.head {
            Some(head) if head.is_stated() => return Step::Open,
            Some(head) => (head.last_range(), Step::Open),
            None => (0..self.header_bytes(size), Step::Unlock),
        };
        let Some(first) = self.fetched.missing(next.0) else { return next.1 };
        let mut wanted = vec![ByteRange::Range(first.clone())];
        if let Some(tail_bytes) = self.tail_bytes
            && first.start == 0
            && self.fetched.from(size).is_none()
        {
            // Both ends at once, and no byte of them twice.
            let last = size.saturating_sub(tail_bytes);
            if last <= first.end {
                wanted = vec![ByteRange::Range(0..size)];
            } else {
                wanted.push(ByteRange::Range(last..size));
            }
        }
        Step::Fetch(wanted)
    }

    /// The header's length, or the best guess so far. [`unlock`](Self::unlock) reports a bad
    /// header.
    fn header_bytes(&self, size: u64) -> u64 {
        let announced = self.fetched.from(0).and_then(|bytes| Outline::parse(bytes).ok());
        let header = announced.map_or(FIRST, |outline| outline.header_bytes());
        if header <= size { header } else { size.min(FIRST) }
    }

    /// Takes the answer to one of the requests of the last [`step`](Self::step).
    ///
    /// An answer has the bytes that were wanted; or all of the object, from a server that knows no
    /// ranges.
    ///
    /// # Errors
    /// [`Error::Replaced`] if it is of another version than the answers before;
    /// [`Error::PartBytes`] if it is shorter or longer than the wanted bytes, or begins elsewhere.
    pub fn take(&mut self, wanted: &ByteRange, answer: Answer) -> Result<()> {
        let Answer { version, start, bytes } = answer;
        let whole = start == 0 && bytes.len() as u64 == version.size();
        if self.version.as_ref().is_some_and(|pinned| !pinned.is_same(&version)) {
            // An answer that has all of it needs no other. A version that was told is meant.
            if !whole || !matches!(wanted, ByteRange::First(_) | ByteRange::Last(_)) {
                return Err(Error::Replaced);
            }
            self.version = None;
        }
        if whole {
            self.fetched = FetchedPieces::default();
        }
        let range = wanted.range(version.size());
        let (expected, given) = (range.end.saturating_sub(range.start), bytes.len() as u64);
        if !whole && (start != range.start || expected != given) {
            return Err(Error::PartBytes { expected, given });
        }
        self.version.get_or_insert(version);
        self.fetched.put(start, bytes);
        Ok(())
    }

    /// Unlocks the header, which is there by now. It may take a second, or ask a user.
    ///
    /// # Errors
    /// As [`Header::parse`] and [`Decryptor::payload_head`].
    pub fn unlock(&mut self, decryptor: &Decryptor<'_>) -> Result<()> {
        let size = self.version.as_ref().map_or(0, Version::size);
        let header = Header::parse(self.fetched.from(0).unwrap_or_default())?;
        self.head = Some(decryptor.payload_head(&header, StoredLength::File(size))?);
        Ok(())
    }

    /// Opens the last segment, and so makes the length certain.
    ///
    /// # Errors
    /// As [`PayloadHead::certain`]; [`Error::NotFetched`] if a step was left out. By a statement
    /// the length is certain without it: [`Error::Truncated`] and [`Error::Extended`].
    pub fn open(self) -> Result<OpenedFile> {
        let Self { version, mut fetched, head, .. } = self;
        let (version, head) = version.zip(head).ok_or(Error::NotFetched)?;
        let last = head.last_range();
        if head.is_stated() {
            let missing = fetched.missing(last.start..version.size()).is_some();
            let end = if missing { None } else { fetched.take(last.start) };
            let (end_start, end) = end.unwrap_or_else(|| (version.size(), Arc::default()));
            let payload = head.stated()?;
            return Ok(OpenedFile { version, payload, end_start, end: Arc::unwrap_or_clone(end) });
        }
        let (end_start, end) = fetched.take(last.start).ok_or(Error::NotFetched)?;
        let at = (last.start - end_start) as usize;
        let payload = head.certain(end.get(at..).unwrap_or_default())?;
        Ok(OpenedFile { version, payload, end_start, end: Arc::unwrap_or_clone(end) })
    }

    /// Another opener of the same version, which has the bytes that have been fetched, and has not
    /// unlocked anything: see [`ReadAt::opener`]. They share the bytes.
    #[must_use]
    pub fn fork(&self) -> Self {
        let Self { version, tail_bytes, fetched, .. } = self;
        let (version, fetched) = (version.clone(), fetched.clone());
        Self { version, tail_bytes: *tail_bytes, fetched, head: None }
    }

    /// Fetches from something that can be read right away, and whose `start` is there already.
    /// Returns the payload's head, whose last segment has been fetched then.
    pub(crate) fn read(
        &mut self,
        source: &impl ReadAt,
        start: &[u8],
        decryptor: &Decryptor<'_>,
    ) -> Result<PayloadHead> {
        loop {
            match self.step() {
                Step::Fetch(wanted) => {
                    for wanted in wanted {
                        let version = self.version.clone().ok_or(Error::NotFetched)?;
                        let Range { start: at, end } = wanted.range(version.size());
                        let there = if at == 0 { start.get(..end as usize) } else { None };
                        let mut bytes = there.unwrap_or_default().to_vec();
                        if there.is_none() {
                            bytes.resize((end - at) as usize, 0);
                            fill(source, &mut bytes, at)?;
                        }
                        self.take(&wanted, Answer { version, start: at, bytes })?;
                    }
                }
                Step::Unlock => self.unlock(decryptor)?,
                Step::Open => break,
            }
        }
        self.head.take().ok_or(Error::NotFetched)
    }

    /// The version, once an answer or a list has told it.
    #[must_use]
    pub fn version(&self) -> Option<&Version> {
        self.version.as_ref()
    }

    /// The bytes that have been fetched from `offset` on, without a gap; `None` if that byte is not
    /// there. They are as stored, and not authentic.
    #[must_use]
    pub fn bytes_from(&self, offset: u64) -> Option<&[u8]> {
        self.fetched.from(offset)
    }

    /// The first gap in the bytes fetched of `range`; `None` if there is no gap.
    #[must_use]
    pub fn missing(&self, range: Range<u64>) -> Option<Range<u64>> {
        self.fetched.missing(range)
    }
}

impl Default for Opener {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opener").field("version", &self.version).finish_non_exhaustive()
    }
}

/// Pieces of a file, by where they begin; none touches another.
#[derive(Clone, Default)]
struct FetchedPieces(BTreeMap<u64, Arc<Vec<u8>>>);

impl FetchedPieces {
    /// The bytes from `offset` on: none, known as such, directly behind the last byte of a piece.
    fn from(&self, offset: u64) -> Option<&[u8]> {
        let (start, bytes) = self.0.range(..=offset).next_back()?;
        bytes.get((offset - start) as usize..)
    }

    /// The first gap in `range`.
    fn missing(&self, range: Range<u64>) -> Option<Range<u64>> {
        let start = range.start + self.from(range.start).map_or(0, |bytes| bytes.len() as u64);
        let end = self.0.range(start..).next().map_or(range.end, |(next, _)| range.end.min(*next));
        (start < end).then_some(start..end)
    }

    fn put(&mut self, mut start: u64, mut bytes: Vec<u8>) {
        // The two ends of a short file overlap: bytes that are there are not put again.
        if let Some((&at, piece)) = self.0.range(..=start).next_back() {
            let there = (at + piece.len() as u64).saturating_sub(start).min(bytes.len() as u64);
            bytes.drain(..there as usize);
            start += there;
        }
        if let Some((&next, _)) = self.0.range(start..).next() {
            bytes.truncate((next - start).min(bytes.len() as u64) as usize);
        }
        if bytes.is_empty() && !self.0.is_empty() {
            return;
        }
        let end = start + bytes.len() as u64;
        let before = self.0.range_mut(..start).next_back();
        let touching = before.filter(|(at, piece)| **at + piece.len() as u64 == start);
        let at = match touching {
            Some((&at, piece)) => {
                Arc::make_mut(piece).extend(bytes);
                at
            }
            None => {
                self.0.insert(start, Arc::new(bytes));
                start
            }
        };
        if start < end
            && let Some(behind) = self.0.remove(&end)
            && let Some(piece) = self.0.get_mut(&at)
        {
            Arc::make_mut(piece).extend_from_slice(&behind);
        }
    }

    /// The piece that has the byte at `offset`, and where it begins.
    fn take(&mut self, offset: u64) -> Option<(u64, Arc<Vec<u8>>)> {
        let start = *self.0.range(..=offset).next_back()?.0;
        self.0.remove_entry(&start)
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a step of one request")]
mod tests {
    use super::*;
    use crate::{Encryptor, Identities, Input, Key, Output, Recipients};

    const SEGMENT: u64 = 65_536 + 16;

    fn file(bytes: usize, header: usize) -> (Key, Vec<u8>) {
        let (key, mut file) = (Key::from_bytes(&[3; 32]), Vec::new());
        let recipients = Recipients::from(&key);
        Encryptor::new(&recipients)
            .header_bytes(header)
            .encrypt(Input::Stream(&mut &vec![7; bytes][..]), Output::Stream(&mut file))
            .unwrap();
        (key, file)
    }

    fn answer(file: &[u8], tag: &str, range: Range<u64>) -> Answer {
        let version = Version::new(file.len() as u64).with_tag(Some(tag));
        let bytes = file[range.start as usize..range.end as usize].to_vec();
        Answer { version, start: range.start, bytes }
    }

    /// Opens `file`, and returns the fetched ranges, step by step.
    fn run(
        mut opener: Opener,
        key: &Key,
        file: &[u8],
    ) -> Result<(OpenedFile, Vec<Vec<Range<u64>>>)> {
        let (identities, mut steps) = (Identities::from(key), Vec::new());
        loop {
            match opener.step() {
                Step::Fetch(wanted) => {
                    let size = file.len() as u64;
                    steps.push(wanted.iter().map(|it| it.range(size)).collect());
                    for wanted in wanted {
                        let range = wanted.range(size);
                        opener.take(&wanted, answer(file, "\"1\"", range))?;
                    }
                }
                Step::Unlock => opener.unlock(&Decryptor::new(&identities))?,
                Step::Open => return Ok((opener.open()?, steps)),
            }
            assert!(steps.len() < 5);
        }
    }

    #[test]
    fn both_ends_are_wanted_at_once_and_then_nothing() {
        let (key, stored) = file(200_000, 4096);
        let size = stored.len() as u64;
        let known = Opener::for_version(Version::new(size).with_tag(Some("\"1\"")));
        let end = size - 65_600..size;
        for opener in [Opener::new(), known] {
            let (opened, steps) = run(opener, &key, &stored).unwrap();
            assert_eq!(steps, [vec![0..4096, end.clone()]]);
            assert_eq!(opened.payload.plaintext_bytes(), 200_000);
            assert_eq!((opened.end_start, opened.end.len()), (end.start, 65_600));
        }
        let (_, steps) = run(Opener::new().sequential(), &key, &stored).unwrap();
        assert_eq!(steps, [vec![0..4096], vec![4096 + 3 * SEGMENT..size]]);
    }

    #[test]
    fn a_longer_header_and_a_longer_segment_take_a_request_more_each() {
        let (key, stored) = file(230_000, 8192);
        let size = stored.len() as u64;
        let (_, steps) = run(Opener::new(), &key, &stored).unwrap();
        assert_eq!(steps, [vec![0..4096, size - 65_600..size], vec![4096..8192]]);
        let small = Opener::new().segment_size(SegmentSize::new(4096).unwrap());
        let (opened, steps) = run(small, &key, &stored).unwrap();
        let last = 8192 + 3 * SEGMENT;
        assert!(last < size - 4160);
        assert_eq!(steps[1..], [vec![4096..8192], vec![last..size - 4160]]);
        assert_eq!(opened.end_start, last);
    }

    /// The first 4096 bytes and the last 65,600 have some in common.
    #[test]
    fn both_ends_may_overlap() {
        for bytes in [49_200, 50_000, 53_000] {
            for header in [4096, 8192, 16_384] {
                let (key, stored) = file(bytes, header);
                for opener in [Opener::new(), Opener::new().sequential()] {
                    let (opened, _) = run(opener, &key, &stored).unwrap();
                    assert_eq!(opened.payload.plaintext_bytes(), bytes as u64);
                }
            }
        }
    }

    #[test]
    fn a_small_object_whose_size_is_known_is_one_request() {
        for bytes in [0, 1, 61_000] {
            let (key, stored) = file(bytes, 4096);
            let size = stored.len() as u64;
            let opener = Opener::for_version(Version::new(size).with_tag(Some("\"1\"")));
            let (opened, steps) = run(opener, &key, &stored).unwrap();
            assert_eq!(steps.len(), 1);
            assert_eq!(steps[0], [0..size]);
            assert_eq!(opened.payload.plaintext_bytes(), bytes as u64);
        }
    }

    #[test]
    fn short_long_and_misplaced_answers_are_refused_and_the_whole_object_is_taken() {
        let (key, stored) = file(200_000, 4096);
        let size = stored.len() as u64;
        let first = ByteRange::First(4096);
        for range in [0..4095, 0..4097, 1..4097, 1..4096, 0..0] {
            let refused = Opener::new().take(&first, answer(&stored, "\"1\"", range.clone()));
            assert!(matches!(refused, Err(Error::PartBytes { .. })), "{range:?}");
        }
        let mut opener = Opener::new();
        opener.take(&first, answer(&stored, "\"1\"", 0..size)).unwrap();
        assert_eq!(opener.step(), Step::Unlock);
        assert!(run(opener, &key, &stored).unwrap().1.is_empty());
    }

    #[test]
    fn another_version_is_refused_unless_all_of_it_came() {
        let (key, stored) = file(200_000, 4096);
        let (size, first) = (stored.len() as u64, ByteRange::First(4096));
        let last = ByteRange::Last(65_600);
        let mut opener = Opener::new();
        opener.take(&first, answer(&stored, "\"1\"", 0..4096)).unwrap();
        let other = answer(&stored, "\"2\"", last.range(size));
        assert!(matches!(opener.take(&last, other), Err(Error::Replaced)));
        // It was replaced by a small one, which the second answer has all of.
        let (_, small) = file(100, 4096);
        let mut opener = Opener::new();
        opener.take(&first, answer(&stored, "\"1\"", 0..4096)).unwrap();
        opener.take(&last, answer(&small, "\"2\"", 0..small.len() as u64)).unwrap();
        let identities = Identities::from(&key);
        opener.unlock(&Decryptor::new(&identities)).unwrap();
        let opened = opener.open().unwrap();
        assert_eq!(opened.payload.plaintext_bytes(), 100);
        assert_eq!(opened.version.tag(), Some("\"2\""));
    }

    #[test]
    fn what_was_cut_short_or_is_foreign_or_empty_is_refused() {
        let (key, stored) = file(200_000, 4096);
        let cut = |bytes: u64| run(Opener::new(), &key, &stored[..bytes as usize]).map(|_| ());
        assert!(matches!(cut(4096 + SEGMENT), Err(Error::Corrupt { segment: 0, last: true })));
        assert!(matches!(cut(4096 + 5), Err(Error::Truncated)));
        assert!(matches!(cut(2000), Err(Error::Truncated)));
        assert!(matches!(cut(0), Err(Error::NotAPolysealFile)));
        let foreign = run(Opener::new(), &key, &[b'x'; 9000]).map(|_| ());
        assert!(matches!(foreign, Err(Error::NotAPolysealFile)));
        assert!(matches!(Opener::new().open(), Err(Error::NotFetched)));
    }
}
