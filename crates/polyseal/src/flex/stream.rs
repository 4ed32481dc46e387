//! STREAM, segment by segment (section 10): for callers who have no room for the whole, or want a
//! part of it.
//!
//! A sealer is given neither the index nor which is the last: a segment is sealed once, in its
//! place. An opener may begin anywhere.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::cipher::Flex;
use super::hash::Chaining;
use super::session::Ad;
use crate::backend::wipe;
use crate::contract::of_one_length;
use crate::error::{Error, Result};

/// One stream: its key, and how long its segments are.
struct Stream<'f> {
    flex: &'f Flex,
    /// Ks.
    key: Zeroizing<Chaining>,
    segment_bytes: usize,
}

/// The number of a segment, and whether it is the last.
type SegmentPosition = (u64, bool);

impl Stream<'_> {
    fn tag_bytes(&self) -> usize {
        self.flex.config().tag_bytes()
    }

    fn seal_into(&self, place: SegmentPosition, segment: &[u8], sealed: &mut [u8]) -> Result<()> {
        self.check(place, segment.len())?;
        is_as_long(sealed, segment.len() + self.tag_bytes())?;
        let (text, tag) = sealed.split_at_mut(segment.len());
        self.flex.session().seal_segment(&self.key, place, of_one_length(segment, text), tag);
        Ok(())
    }

    fn seal(&self, place: SegmentPosition, segment: &[u8]) -> Result<Vec<u8>> {
        self.check(place, segment.len())?;
        let mut sealed = vec![0; segment.len() + self.tag_bytes()];
        self.seal_into(place, segment, &mut sealed)?;
        Ok(sealed)
    }

    fn open_into(&self, place: SegmentPosition, sealed: &[u8], segment: &mut [u8]) -> Result<()> {
        let bytes = match self.opened_bytes(place, sealed.len()) {
            Err(Error::Unauthentic) => {
                segment.fill(0);
                return Err(Error::Unauthentic);
            }
            bytes => bytes?,
        };
        is_as_long(segment, bytes)?;
        let (text, tag) = sealed.split_at(bytes);
        self.flex.session().open_segment(&self.key, place, of_one_length(text, segment), tag)
    }

    fn open(&self, place: SegmentPosition, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let mut segment = Zeroizing::new(vec![0; self.opened_bytes(place, sealed.len())?]);
        self.open_into(place, sealed, &mut segment)?;
        Ok(segment)
    }

    /// The length of the segment that is sealed in `sealed` bytes.
    fn opened_bytes(&self, place: SegmentPosition, sealed: usize) -> Result<usize> {
        check_place(place)?;
        let bytes = sealed.checked_sub(self.tag_bytes()).ok_or(Error::Unauthentic)?;
        self.check(place, bytes).map_err(|_| Error::Unauthentic)?;
        Ok(bytes)
    }

    /// Whether there is a segment in this place, and may have so many bytes.
    fn check(&self, (index, last): SegmentPosition, actual: usize) -> Result<()> {
        check_place((index, last))?;
        let (what, expected) = ("segment", self.segment_bytes);
        // None is empty but the only one.
        let shortest = usize::from(index > 0);
        match last {
            true if (shortest..=expected).contains(&actual) => Ok(()),
            true => Err(Error::Range { what, shortest, longest: expected, actual }),
            false if actual == expected => Ok(()),
            false => Err(Error::Length { what, expected, actual }),
        }
    }
}

/// Whether a stream has a segment in this place, and, if it is not the last, one behind it.
fn check_place((index, last): SegmentPosition) -> Result<()> {
    match index < u64::MAX - u64::from(!last) {
        true => Ok(()),
        false => Err(Error::TooManySegments),
    }
}

fn is_as_long(buffer: &[u8], expected: usize) -> Result<()> {
    let actual = buffer.len();
    if actual == expected { Ok(()) } else { Err(Error::Buffer { expected, actual }) }
}

/// Seals a message segment by segment: [`Flex::seal_segments`].
///
/// The results of [`next`](Self::next) and at the end [`last`](Self::last), joined, are what
/// [`Flex::seal`] makes of the whole message. There are fewer than 2^64 segments.
///
/// ```
/// use polyseal::flex::{Config, Flex};
///
/// let flex = Flex::init(Config::OCH_STREAM, &[7; 32], b"")?;
/// let message = vec![1; 100_000];
/// let nonce = [1; 24]; // never twice under one key
///
/// let mut sealer = flex.seal_segments(&nonce, b"header")?;
/// let mut sealed = sealer.next(&message[..65536])?;
/// sealed.extend(sealer.last(&message[65536..])?);
/// assert_eq!(sealed, flex.seal(&nonce, b"header", &message)?);
/// # Ok::<(), polyseal::Error>(())
/// ```
pub struct SegmentSealer<'f> {
    stream: Stream<'f>,
    index: u64,
}

impl SegmentSealer<'_> {
    /// Seals the next segment, which is not the last, into a new vector. It has exactly
    /// [`segment_bytes`](super::Config::segment_bytes).
    ///
    /// # Errors
    /// [`Error::Length`] for a segment of another length, [`Error::TooManySegments`] behind 2^64 −
    /// 2 of them. Nothing has been sealed then, and the next segment still is.
    pub fn next(&mut self, segment: &[u8]) -> Result<Vec<u8>> {
        let sealed = self.stream.seal((self.index, false), segment)?;
        self.index += 1;
        Ok(sealed)
    }

    /// The same into `sealed`, which is longer by the tag.
    ///
    /// # Errors
    /// As [`next`](Self::next), and [`Error::Buffer`] if `sealed` has another length.
    pub fn next_into(&mut self, segment: &[u8], sealed: &mut [u8]) -> Result<()> {
        self.stream.seal_into((self.index, false), segment, sealed)?;
        self.index += 1;
        Ok(())
    }

    /// Seals the last segment into a new vector. It has at least 1 byte, or 0 if it is the only
    /// one, and at most [`segment_bytes`](super::Config::segment_bytes). The sealer is used up, on
    /// an error too; a stream without a last segment never opens as a whole.
    ///
    /// # Errors
    /// [`Error::Range`] for a segment of another length.
    pub fn last(self, segment: &[u8]) -> Result<Vec<u8>> {
        self.stream.seal((self.index, true), segment)
    }

    /// The same into `sealed`, which is longer by the tag.
    ///
    /// # Errors
    /// As [`last`](Self::last), and [`Error::Buffer`] if `sealed` has another length.
    pub fn last_into(self, segment: &[u8], sealed: &mut [u8]) -> Result<()> {
        self.stream.seal_into((self.index, true), segment, sealed)
    }

    /// As if `index` segments had been sealed.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    #[must_use]
    pub fn behind(mut self, index: u64) -> Self {
        self.index = index;
        self
    }
}

/// Opens a message segment by segment: [`Flex::open_segments`].
///
/// Any segment opens alone, by [`open`](Self::open); or they are opened in order, by
/// [`next`](Self::next) and [`last`](Self::last). But **no length is authentic before the last has
/// been opened, as the last**: to seek, open that one first; to open in order, report success only
/// behind it.
///
/// A sealed segment has u = [`segment_bytes`](super::Config::segment_bytes) +
/// [`tag_bytes`](super::Config::tag_bytes) bytes, the last at most as many: of a ciphertext of c
/// bytes the last has the index `c.div_ceil(u).max(1) - 1`, and begins at index · u.
///
/// ```
/// use polyseal::flex::{Config, Flex};
///
/// let flex = Flex::init(Config::OCH_STREAM, &[7; 32], b"")?;
/// let message = vec![1; 100_000];
/// let nonce = [1; 24]; // never twice under one key
/// let sealed = flex.seal(&nonce, b"header", &message)?;
/// let (first, last) = sealed.split_at(65536 + 32);
///
/// let mut opener = flex.open_segments(&nonce, b"header")?;
/// assert_eq!(*opener.open(1, true, last)?, message[65536..]);
/// let mut opened = opener.next(first)?.to_vec();
/// opened.extend_from_slice(&opener.last(last)?);
/// assert_eq!(opened, message);
/// # Ok::<(), polyseal::Error>(())
/// ```
pub struct SegmentOpener<'f> {
    stream: Stream<'f>,
    index: u64,
}

impl SegmentOpener<'_> {
    /// Opens segment `index`, counted from 0, into a new vector, which is wiped when it is dropped.
    ///
    /// # Errors
    /// [`Error::Unauthentic`] if it is not this segment of this message, [`Error::TooManySegments`]
    /// for an index above the last possible one.
    pub fn open(&self, index: u64, last: bool, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        self.stream.open((index, last), sealed)
    }

    /// The same into `segment`, which is shorter by the tag.
    ///
    /// # Errors
    /// As [`open`](Self::open), with `segment` wiped if it is not authentic; and [`Error::Buffer`]
    /// if it has another length.
    pub fn open_into(
        &self,
        index: u64,
        last: bool,
        sealed: &[u8],
        segment: &mut [u8],
    ) -> Result<()> {
        self.stream.open_into((index, last), sealed, segment)
    }

    /// Opens the next segment, which is not the last, into a new vector, which is wiped when it is
    /// dropped.
    ///
    /// # Errors
    /// As [`open`](Self::open). The next segment still is then.
    pub fn next(&mut self, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let segment = self.stream.open((self.index, false), sealed)?;
        self.index += 1;
        Ok(segment)
    }

    /// The same into `segment`, which is shorter by the tag.
    ///
    /// # Errors
    /// As [`open_into`](Self::open_into).
    pub fn next_into(&mut self, sealed: &[u8], segment: &mut [u8]) -> Result<()> {
        self.stream.open_into((self.index, false), sealed, segment)?;
        self.index += 1;
        Ok(())
    }

    /// Opens the last segment, behind those that [`next`](Self::next) has opened: the message is
    /// complete.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn last(self, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        self.stream.open((self.index, true), sealed)
    }

    /// The same into `segment`, which is shorter by the tag.
    ///
    /// # Errors
    /// As [`open_into`](Self::open_into).
    pub fn last_into(self, sealed: &[u8], segment: &mut [u8]) -> Result<()> {
        self.stream.open_into((self.index, true), sealed, segment)
    }
}

impl Flex {
    /// To seal a message segment by segment.
    ///
    /// # Errors
    /// [`Error::NoSegments`] for a configuration without segments; [`Error::Length`] or
    /// [`Error::Range`] for a nonce of another length, [`Error::TooLong`] for the associated data.
    pub fn seal_segments(&self, nonce: &[u8], ad: &[u8]) -> Result<SegmentSealer<'_>> {
        Ok(SegmentSealer { stream: self.stream(nonce, Ad::Given(ad))?, index: 0 })
    }

    /// To open a message segment by segment.
    ///
    /// # Errors
    /// As [`seal_segments`](Self::seal_segments).
    pub fn open_segments(&self, nonce: &[u8], ad: &[u8]) -> Result<SegmentOpener<'_>> {
        Ok(SegmentOpener { stream: self.stream(nonce, Ad::Given(ad))?, index: 0 })
    }

    fn stream(&self, nonce: &[u8], ad: Ad<'_>) -> Result<Stream<'_>> {
        let segment_bytes = self.config().segment_bytes().ok_or(Error::NoSegments)?;
        self.config().check_sealing(nonce.len(), ad.bytes(), 0)?;
        let mut key = Zeroizing::new([0; 32]);
        self.session().context_key(nonce, ad, &mut key);
        Ok(Stream { flex: self, key, segment_bytes })
    }

    /// Seals all of a message into `ciphertext`, whose length has been checked.
    pub(super) fn seal_stream(
        &self,
        nonce: &[u8],
        ad: Ad<'_>,
        message: &[u8],
        ciphertext: &mut [u8],
    ) -> Result<()> {
        let stream = self.stream(nonce, ad)?;
        let mut segments = message.chunks(stream.segment_bytes);
        let unit = stream.segment_bytes + stream.tag_bytes();
        let count = ciphertext.len().div_ceil(unit);
        for (index, sealed) in ciphertext.chunks_mut(unit).enumerate() {
            let place = (index as u64, index + 1 == count);
            stream.seal_into(place, segments.next().unwrap_or_default(), sealed)?;
        }
        Ok(())
    }

    /// Opens all of a message, whose lengths have been checked. If it is not authentic, the output
    /// is wiped.
    pub(super) fn open_stream(
        &self,
        nonce: &[u8],
        ad: Ad<'_>,
        ciphertext: &[u8],
        message: &mut [u8],
    ) -> Result<()> {
        let stream = self.stream(nonce, ad)?;
        let unit = stream.segment_bytes + stream.tag_bytes();
        let count = ciphertext.len().div_ceil(unit);
        for (index, sealed) in ciphertext.chunks(unit).enumerate() {
            let segment = &mut message[index * stream.segment_bytes..];
            let segment = &mut segment[..sealed.len() - stream.tag_bytes()];
            let place = (index as u64, index + 1 == count);
            if let Err(error) = stream.open_into(place, sealed, segment) {
                wipe(message);
                return Err(error);
            }
        }
        Ok(())
    }
}

impl ZeroizeOnDrop for SegmentSealer<'_> {}
impl ZeroizeOnDrop for SegmentOpener<'_> {}

impl fmt::Debug for SegmentSealer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SegmentSealer").field("index", &self.index).finish_non_exhaustive()
    }
}

impl fmt::Debug for SegmentOpener<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SegmentOpener").field("index", &self.index).finish_non_exhaustive()
    }
}
