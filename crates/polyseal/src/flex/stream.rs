//! STREAM, segment by segment (section 10): for whoever has no room for the whole, or wants a part of
//! it.

use alloc::vec;
use alloc::vec::Vec;

use aead::inout::InOutBuf;
use zeroize::Zeroizing;

use super::cipher::Flex;
use super::hash::Chaining;
use crate::error::{Error, Result};

/// The segments of one message, for one nonce and associated data.
///
/// Sealed one after the other and joined they are what [`Flex::seal`] makes of the whole message.
/// Every segment but the last has as many bytes as [`Config::segment_bytes`] says, the last at most
/// as many, and none is empty but the only one. Any segment opens alone; but **no length is authentic
/// before the last has been opened, as the last**: whoever seeks opens that one first, and whoever
/// opens in order reports success only behind it.
///
/// ```
/// use polyseal::flex::{Config, Flex};
///
/// let flex = Flex::init(Config::OCH_STREAM, &[7; 32], b"")?;
/// let message = vec![1; 100_000];
/// let nonce = [1; 24]; // never twice under one key
/// let segments = flex.segments(&nonce, b"header")?;
///
/// let mut sealed = segments.seal(0, false, &message[..65536])?;
/// sealed.extend(segments.seal(1, true, &message[65536..])?);
/// assert_eq!(sealed, flex.seal(&nonce, b"header", &message)?);
///
/// let end = segments.open(1, true, &sealed[65536 + 32..])?;
/// assert_eq!(*end, message[65536..]);
/// # Ok::<(), polyseal::Error>(())
/// ```
///
/// [`Config::segment_bytes`]: super::Config::segment_bytes
pub struct Segments<'f> {
    flex: &'f Flex,
    /// Ks.
    key: Zeroizing<Chaining>,
    segment_bytes: usize,
}

impl Flex {
    /// The segments of a message.
    ///
    /// # Errors
    /// [`Error::WrongKind`] for a configuration without segments; [`Error::Length`] or
    /// [`Error::Range`] for a nonce of another length, [`Error::TooLong`] for the associated data.
    pub fn segments(&self, nonce: &[u8], ad: &[u8]) -> Result<Segments<'_>> {
        let segment_bytes = self.config().segment_bytes().ok_or(Error::WrongKind)?;
        let session = self.session();
        session.check(nonce, ad, 0)?;
        let key = Zeroizing::new(session.stream_key(nonce, ad));
        Ok(Segments { flex: self, key, segment_bytes })
    }
}

impl Segments<'_> {
    /// Whether the segment of a message may have so many bytes.
    fn fits(&self, index: u64, last: bool, bytes: usize) -> bool {
        match last {
            true => bytes <= self.segment_bytes && (bytes > 0 || index == 0),
            false => bytes == self.segment_bytes && index < u64::MAX - 1,
        }
    }

    /// Seals segment `index`, from 0, into a new vector.
    ///
    /// # Errors
    /// [`Error::Buffer`] if a segment cannot have this length.
    pub fn seal(&self, index: u64, last: bool, segment: &[u8]) -> Result<Vec<u8>> {
        if !self.fits(index, last, segment.len()) {
            let (expected, actual) = (self.segment_bytes, segment.len());
            return Err(Error::Buffer { expected, actual });
        }
        let mut sealed = vec![0; segment.len() + self.flex.config().tag_bytes()];
        let (text, tag) = sealed.split_at_mut(segment.len());
        let (expected, actual) = (segment.len(), text.len());
        let text = InOutBuf::new(segment, text).map_err(|_| Error::Buffer { expected, actual })?;
        self.flex.session().seal_segment(&self.key, (index, last), text, tag);
        Ok(sealed)
    }

    /// Opens segment `index` into a new vector, which is wiped when it is dropped.
    ///
    /// # Errors
    /// [`Error::Unauthentic`] for what is not this segment of this message.
    pub fn open(&self, index: u64, last: bool, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let bytes = sealed.len().checked_sub(self.flex.config().tag_bytes());
        let bytes = bytes.filter(|&bytes| self.fits(index, last, bytes));
        let (text, tag) = sealed.split_at(bytes.ok_or(Error::Unauthentic)?);
        let mut segment = Zeroizing::new(vec![0; text.len()]);
        let out = InOutBuf::new(text, &mut segment).map_err(|_| Error::Unauthentic)?;
        self.flex.session().open_segment(&self.key, (index, last), out, tag)?;
        Ok(segment)
    }
}

impl core::fmt::Debug for Segments<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Segments").finish_non_exhaustive()
    }
}
