//! The payload of an encrypted file, without input or output: which stored bytes are needed, and
//! the plaintext that they open to.
//!
//! For programs that fetch bytes in a way of their own, as from an object store, or hand parts to
//! other threads. [`Reader`](crate::Reader) is built on it, and is simpler where there is something
//! to read from.
//!
//! Source: `docs/spec/file-format.md`, section 6. The last segment is opened first, as the last
//! one: there is no [`Payload`] before that, so a file that was cut short or extended is never read
//! as a whole one. Segments that nobody has asked for may still not be authentic.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use zeroize::{Zeroize, Zeroizing};

use crate::commitment::{ExpectedLeaves, leaf};
use crate::error::{Error, Result};
use crate::header::Header;
use crate::layout::{Layout, SegmentSize};
use crate::payload_cipher::PayloadCipher;
use crate::segment::Position;

/// Bytes of segments that are copied and opened together, so that they are still in the cache.
const TOGETHER: u64 = 512 * 1024;

/// A stored file or payload, with its length in bytes. Ranges are counted from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredLength {
    /// An encrypted file: its header, and the payload behind it.
    File(u64),
    /// A payload alone, whose header is kept elsewhere.
    Payload(u64),
}

impl StoredLength {
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::File(bytes) | Self::Payload(bytes) => bytes,
        }
    }

    /// Where the payload begins.
    pub(crate) fn offset(self, header: &Header) -> u64 {
        match self {
            Self::File(_) => header.payload_offset(),
            Self::Payload(_) => 0,
        }
    }
}

/// A payload whose length is not certain yet: [`certain`](Self::certain) opens its last segment.
///
/// [`Decryptor::payload_head`](crate::Decryptor::payload_head) makes it of a header and the number
/// of bytes that are stored. Here the file is one byte short:
///
/// ```
/// use polyseal_file::{Decryptor, Encryptor, Error, Identities, Input, Key, Output, StoredLength};
///
/// let (key, mut stored) = (Key::generate()?, Vec::new());
/// let (mut message, output) = (&[7; 200_000][..], Output::Stream(&mut stored));
/// let (header, _) =
///     Encryptor::new(&(&key).into()).encrypt_detached(Input::Stream(&mut message), output)?;
///
/// let identities = Identities::from(&key);
/// let short = StoredLength::Payload(stored.len() as u64 - 1);
/// let head = Decryptor::new(&identities).payload_head(&header, short)?;
/// let last = head.last_range();
/// let refused = head.certain(&stored[last.start as usize..last.end as usize]);
/// assert!(matches!(refused, Err(Error::Corrupt { segment: 3, last: true })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PayloadHead {
    cipher: PayloadCipher,
    layout: Layout,
    segment: SegmentSize,
    expected: Expected,
}

/// The segments that alone may be opened, if not all may.
pub(crate) type Expected = Option<Arc<dyn ExpectedLeaves>>;

/// A payload whose length and end are certain: it says which stored bytes hold a part of the
/// plaintext, and opens them.
///
/// It can be shared by threads; opening takes `&self`, and nothing is kept but the key.
///
/// ```
/// use polyseal_file::{Decryptor, Encryptor, Header, Identities, Input, Key, Output, StoredLength};
///
/// let key = Key::generate()?;
/// let (message, mut object) = (vec![7; 200_000], Vec::new());
/// Encryptor::new(&(&key).into())
///     .encrypt(Input::Stream(&mut &message[..]), Output::Stream(&mut object))?;
/// // Whatever gets bytes from where they are stored.
/// let fetch = |range: std::ops::Range<u64>| &object[range.start as usize..range.end as usize];
///
/// let header = Header::parse(fetch(0..4096))?;
/// let identities = Identities::from(&key);
/// let stored = StoredLength::File(object.len() as u64);
/// let head = Decryptor::new(&identities).payload_head(&header, stored)?;
/// let last = fetch(head.last_range());
/// let payload = head.certain(last)?;
///
/// assert_eq!(payload.plaintext_bytes(), 200_000);
/// let part = 100_000..100_004;
/// let opened = payload.open_range(part.clone(), fetch(payload.stored_range(part)))?;
/// assert_eq!(*opened, [7; 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Payload {
    cipher: PayloadCipher,
    layout: Layout,
    segment: SegmentSize,
    expected: Expected,
}

/// One segment that has been opened: its plaintext, with room behind for the tag.
pub(crate) struct OpenSegment {
    index: u64,
    bytes: Zeroizing<Vec<u8>>,
    length: usize,
}

impl PayloadHead {
    /// The payload from `offset` on in `stored` bytes, behind an authentic header.
    pub(crate) fn new(
        cipher: PayloadCipher,
        offset: u64,
        stored: u64,
        expected: Expected,
    ) -> Result<Self> {
        let segment = SegmentSize::new(cipher.output_unit() as u64)?;
        let tag = cipher.input_unit() - cipher.output_unit();
        let layout = Layout::from_stored(segment, tag, offset, stored).ok_or(Error::Truncated)?;
        if layout.segments() > cipher.max_segments() {
            return Err(Error::TooLong);
        }
        Ok(Self { cipher, layout, segment, expected })
    }

    /// Where the last segment is stored. It has at most a segment and its tag, 16 MiB and 64 bytes.
    #[must_use]
    pub fn last_range(&self) -> Range<u64> {
        let segments = self.layout.segments();
        self.layout.stored_range(&(segments - 1..segments))
    }

    /// The payload, once its last segment has opened as the last one: `stored` has the bytes of
    /// [`last_range`](Self::last_range).
    ///
    /// # Errors
    /// [`Error::Corrupt`] if it does not: the file was cut short, extended or altered;
    /// [`Error::PartBytes`] if it is not as long as the range.
    pub fn certain(self, stored: &[u8]) -> Result<Payload> {
        let (payload, _) = self.certain_and_last(Zeroizing::new(stored.to_vec()))?;
        Ok(payload)
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Whether a statement says where the payload ends, so that no segment has to be opened for it.
    pub(crate) fn is_stated(&self) -> bool {
        self.stated_bytes().is_some()
    }

    fn stated_bytes(&self) -> Option<u64> {
        self.expected.as_ref()?.stated_bytes()
    }

    /// The payload that a statement has the length of.
    pub(crate) fn stated(self) -> Result<Payload> {
        let stated = self.stated_bytes().ok_or(Error::NotFetched)?;
        let Self { cipher, layout, segment, expected } = self;
        let stored = layout.stored_bytes() - layout.payload_offset();
        match stored.cmp(&stated) {
            Ordering::Less => Err(Error::Truncated),
            Ordering::Greater => Err(Error::Extended),
            Ordering::Equal => Ok(Payload { cipher, layout, segment, expected }),
        }
    }

    /// The payload, and its last segment.
    pub(crate) fn certain_and_last(
        self,
        stored: Zeroizing<Vec<u8>>,
    ) -> Result<(Payload, OpenSegment)> {
        let Self { cipher, layout, segment, expected } = self;
        let payload = Payload { cipher, layout, segment, expected };
        let last = payload.open_segment(layout.segments() - 1, stored)?;
        Ok((payload, last))
    }
}

impl Payload {
    /// The length of the plaintext in bytes.
    #[must_use]
    pub fn plaintext_bytes(&self) -> u64 {
        self.layout.plaintext_bytes()
    }

    /// The segment size: parts that begin and end at multiples of it cost nothing beside
    /// themselves.
    #[must_use]
    pub fn segment_size(&self) -> SegmentSize {
        self.segment
    }

    /// Where the segments are stored that hold `range` of the plaintext, which is cut off at its
    /// end. The range of an empty one is empty.
    #[must_use]
    pub fn stored_range(&self, range: Range<u64>) -> Range<u64> {
        self.layout.stored_range(&self.layout.holding(range))
    }

    /// `range` of the plaintext, cut off at its end, from `stored`, the bytes of the
    /// [`stored_range`](Self::stored_range) for it.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if any of the segments is not authentic; [`Error::PartBytes`] if there
    /// are more or fewer bytes than the range has.
    pub fn open_range(&self, range: Range<u64>, stored: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        // Checked first, so that no memory is set aside for bytes that do not exist.
        self.expect_stored(&range, stored)?;
        let range = self.layout.cut(range);
        let mut plaintext = Zeroizing::new(vec![0; (range.end - range.start) as usize]);
        self.open_into(range, stored, &mut plaintext)?;
        Ok(plaintext)
    }

    /// The same, at the beginning of `buffer`; returns how many bytes that are.
    ///
    /// # Errors
    /// As [`open_range`](Self::open_range), and [`Error::BufferBytes`] if the buffer is shorter
    /// than the range; that is not touched. On any other error it holds nothing of the plaintext:
    /// the written part is zeros.
    pub fn open_range_into(
        &self,
        range: Range<u64>,
        stored: &[u8],
        buffer: &mut [u8],
    ) -> Result<usize> {
        self.expect_stored(&range, stored)?;
        let range = self.layout.cut(range);
        let expected = range.end - range.start;
        let given = buffer.len() as u64;
        let buffer = usize::try_from(expected)
            .ok()
            .and_then(|expected| buffer.get_mut(..expected))
            .ok_or(Error::BufferBytes { expected, given })?;
        self.open_into(range, stored, buffer)?;
        Ok(buffer.len())
    }

    fn expect_stored(&self, range: &Range<u64>, stored: &[u8]) -> Result<()> {
        expect(self.stored_range(range.clone()), stored)
    }

    fn open_into(&self, range: Range<u64>, stored: &[u8], out: &mut [u8]) -> Result<()> {
        self.open_keeping(
            range,
            stored,
            out,
            || Zeroizing::new(Vec::with_capacity(self.layout.stored_unit() as usize)),
            drop,
        )
    }

    /// Fills `out` with `range` of the plaintext from the `stored` bytes of its segments; on an
    /// error it is wiped. Segments that are only partly in the range are given to `keep`, in a
    /// buffer that `fresh` gives.
    pub(crate) fn open_keeping(
        &self,
        range: Range<u64>,
        stored: &[u8],
        out: &mut [u8],
        fresh: impl Fn() -> Zeroizing<Vec<u8>>,
        keep: impl Fn(OpenSegment),
    ) -> Result<()> {
        let opened = self.open_parts(range, stored, out, fresh, keep);
        if opened.is_err() {
            out.zeroize();
        }
        opened
    }

    fn open_parts(
        &self,
        range: Range<u64>,
        stored: &[u8],
        out: &mut [u8],
        fresh: impl Fn() -> Zeroizing<Vec<u8>>,
        keep: impl Fn(OpenSegment),
    ) -> Result<()> {
        let segments = self.layout.holding(range.clone());
        let (unit, together) = self.units();
        let (mut stored, mut out, mut at) = (stored, out, range.start);
        let mut index = segments.start;
        while index < segments.end {
            let Range { start, end } = self.layout.plain(&(index..index + 1));
            if range.start <= start && end <= range.end {
                // All that are whole, as far as they go together.
                let most = (index + together).min(segments.end);
                let is_whole = self.layout.plain(&(index..most)).end <= range.end;
                let next = if is_whole { most } else { most - 1 };
                let bytes = (self.layout.plain(&(index..next)).end - at) as usize;
                let (here, rest) =
                    stored.split_at((unit * (next - index) as usize).min(stored.len()));
                let (text, behind) = out.split_at_mut(bytes);
                self.open_whole(index, here, text)?;
                (stored, out, at, index) = (rest, behind, at + bytes as u64, next);
            } else {
                let (here, rest) = stored.split_at(unit.min(stored.len()));
                let mut bytes = fresh();
                bytes.extend_from_slice(here);
                let open = self.open_segment(index, bytes)?;
                let part = open.from((at - start) as usize);
                let n = part.len().min(out.len());
                let (text, behind) = out.split_at_mut(n);
                text.copy_from_slice(&part[..n]);
                keep(open);
                (stored, out, at, index) = (rest, behind, at + n as u64, index + 1);
            }
        }
        Ok(())
    }

    /// The stored bytes of a segment, and how many segments are opened together.
    fn units(&self) -> (usize, u64) {
        let unit = self.layout.stored_unit();
        (unit as usize, (TOGETHER / unit).max(1))
    }

    /// Opens whole segments from `first` on, whose `stored` bytes are those of `out` and the tags.
    fn open_whole(&self, first: u64, stored: &[u8], out: &mut [u8]) -> Result<()> {
        let (unit, tag) = (self.layout.stored_unit() as usize, self.layout.tag_bytes());
        let count = stored.len().div_ceil(unit) as u64;
        let last = first + count == self.layout.segments();
        self.expect_stated(first, stored.chunks(unit), last)?;
        let plain = self.layout.plain_unit() as usize;
        let mut tags = Vec::with_capacity(stored.len().div_ceil(unit) * tag);
        for (segment, out) in stored.chunks(unit).zip(out.chunks_mut(plain)) {
            let (text, its_tag) = segment.split_at(out.len());
            out.copy_from_slice(text);
            tags.extend_from_slice(its_tag);
        }
        let segments = out.chunks_mut(plain).zip(tags.chunks_mut(tag));
        self.cipher.open_apart(Position { index: first, last }, segments)
    }

    /// Refuses segments that are not among the expected ones.
    fn expect_stated<'a>(
        &self,
        first: u64,
        stored: impl IntoIterator<Item = &'a [u8]>,
        last: bool,
    ) -> Result<()> {
        let Some(expected) = &self.expected else { return Ok(()) };
        expected.expect(first, &stored.into_iter().map(leaf).collect::<Vec<_>>(), last)
    }

    /// Opens the segment `index` where it lies, with its tag behind it.
    pub(crate) fn open_segment(
        &self,
        index: u64,
        mut stored: Zeroizing<Vec<u8>>,
    ) -> Result<OpenSegment> {
        expect(self.layout.stored_range(&(index..index + 1)), &stored)?;
        let last = index + 1 == self.layout.segments();
        self.expect_stated(index, [&stored[..]], last)?;
        let bytes = stored.len();
        let slot = [(&mut stored[..], bytes)].into_iter();
        let length = self.cipher.apply(Position { index, last }, slot)?;
        Ok(OpenSegment { index, bytes: stored, length })
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl OpenSegment {
    pub(crate) fn index(&self) -> u64 {
        self.index
    }

    /// The plaintext from the byte `start` of the segment on.
    pub(crate) fn from(&self, start: usize) -> &[u8] {
        &self.bytes[start..self.length]
    }

    /// Its memory, to be used again.
    pub(crate) fn into_bytes(self) -> Zeroizing<Vec<u8>> {
        self.bytes
    }
}

fn expect(range: Range<u64>, stored: &[u8]) -> Result<()> {
    let (expected, given) = (range.end - range.start, stored.len() as u64);
    if expected == given { Ok(()) } else { Err(Error::PartBytes { expected, given }) }
}

impl fmt::Debug for PayloadHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayloadHead")
            .field("last_range", &self.last_range())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payload").field("layout", &self.layout).finish_non_exhaustive()
    }
}
