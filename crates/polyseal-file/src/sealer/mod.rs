//! Sealing a file in parts, in any order, in several threads or processes.
//!
//! Source: `docs/spec/file-format.md`, sections 6 and 14. Every segment has its own nonce, its
//! number and whether it is the last: so once the length is known, any segment can be sealed
//! anywhere, and the parts make the file that one process would have written.
//!
//! The nonces are not drawn, so **a part that is sealed again must have the same plaintext**: two
//! plaintexts under one nonce give away their difference, and with most suites the key that
//! authenticates. [`Sealer`] says what it does about that, and what it cannot do.

mod sealed;
mod source;
mod stream;
mod ticket;

use std::fmt;
use std::mem;
use std::num::NonZeroU64;
use std::ops::Range;

use zeroize::Zeroizing;

pub use self::source::SourceVersion;
pub(crate) use self::stream::SealedLeaves;
pub use self::stream::{Piece, StreamSealer};

use self::sealed::Sealed;
use self::ticket::Ticket;
use crate::error::{Error, Result};
use crate::header::{ExistingRecipients, Header};
use crate::key::Key;
use crate::layout::Layout;
use crate::passphrase::Context;
use crate::recipients::{Identities, Recipients};
use crate::segment::{Direction, Position, SegmentCipher};

/// Bytes of segments that are sealed together.
const TOGETHER: usize = 512 * 1024;

/// Seals parts of one file of a length that is known: any range of its stored bytes, in any order,
/// from any thread, and with a [ticket](Self::ticket) in other processes.
///
/// It is bound to one [`SourceVersion`], which must be given again with every part.
///
/// It prevents:
/// - A part of a source with another version is refused ([`Error::SourceChanged`]), here and in
///   every process that has a ticket: a ticket is authentic, and made for one version and length.
/// - A segment that this `Sealer` has sealed is not sealed with another plaintext
///   ([`Error::SealedOtherwise`]); the same one, as in a retry, gives the same bytes.
/// - A header of a file that is there makes no `Sealer`: only [`Encryptor::sealer`] makes one, with
///   a fresh file key, and its tickets, for which the file key is needed.
///
/// It cannot prevent this: two processes, or two `Sealer`s made of one ticket, do not know of each
/// other. **If they are given different plaintexts for one segment and are told the same version,
/// both seal it**, and anyone who sees both ciphertexts learns the difference of the plaintexts,
/// and may learn enough to forge. So the version must change whenever a byte of the source does: a
/// digest, or the ETag or version of an object that is read with `If-Match`. A modification time is
/// not enough. If the source has changed, begin anew, with another `Sealer`.
///
/// In memory it keeps 24 bytes, and a map's overhead, for each segment that it has sealed.
///
/// ```
/// use polyseal_file::{Decryptor, Encryptor, Identities, Input, Key, Output};
/// use polyseal_file::{Sealer, SourceVersion};
///
/// let (key, message) = (Key::generate()?, vec![7; 200_000]);
/// let version = SourceVersion::new("\"9a0364b9e99bb480dd25e1f0284c8555\"")?; // an ETag
/// let sealer = Encryptor::new(&(&key).into()).sealer(200_000, &version)?;
///
/// // Another process opens the ticket with the key. It seals the second half first.
/// let (ticket, identities) = (sealer.ticket()?, Identities::from(&key));
/// let worker = Sealer::from_ticket(&ticket, &identities, None, &version)?;
/// let seal = |sealer: &Sealer, stored: std::ops::Range<u64>| {
///     let needed = sealer.plaintext_range(stored.clone());
///     let part = &message[needed.start as usize..needed.end as usize];
///     sealer.seal_stored(stored, &version, part)
/// };
/// let end = seal(&worker, 100_000..sealer.stored_bytes())?;
/// let start = seal(&sealer, 0..100_000)?; // with the header
///
/// let (object, mut opened) = ([start, end].concat(), Vec::new());
/// Decryptor::new(&identities)
///     .decrypt(Input::Stream(&mut &object[..]), Output::Stream(&mut opened))?;
/// assert!(opened == message);
///
/// let other = SourceVersion::new("\"0cc175b9c0f1b6a831c399e269772661\"")?;
/// assert!(sealer.seal_stored(0..100_000, &other, &message[..131_072]).is_err());
/// assert!(Sealer::from_ticket(&ticket, &identities, None, &other).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Encryptor::sealer`]: crate::Encryptor::sealer
pub struct Sealer {
    header: Header,
    file_key: Key,
    cipher: SegmentCipher,
    layout: Layout,
    source: SourceVersion,
    sealed: Sealed,
}

impl Sealer {
    /// With a header that is not in use yet, or one that a ticket has.
    pub(crate) fn new(
        header: Header,
        file_key: Key,
        context: Option<&Context>,
        plaintext_bytes: u64,
        source: &SourceVersion,
        detached: bool,
    ) -> Result<Self> {
        let (suite, segment) = (header.suite(), header.segment_size());
        let payload_key = header.payload_key(&file_key, context)?;
        let cipher = SegmentCipher::new(suite, &payload_key, segment.bytes(), Direction::Seal)?;
        let offset = if detached { 0 } else { header.payload_offset() };
        let layout = Layout::from_plaintext(segment, suite.tag_bytes(), offset, plaintext_bytes)
            .filter(|layout| layout.segments() <= cipher.max_segments())
            .ok_or(Error::TooLong)?;
        let (source, sealed) = (source.clone(), Sealed::default());
        Ok(Self { header, file_key, cipher, layout, source, sealed })
    }

    /// The `Sealer` of another process: `ticket` is the result of [`ticket`](Self::ticket) there.
    ///
    /// # Errors
    /// [`Error::Ticket`] if it is not a ticket, or was altered; [`Error::SourceChanged`] if it was
    /// made for another version of the source; and those of opening a file:
    /// [`Error::NoMatchingKey`], [`Error::ContextMissing`] and their like.
    pub fn from_ticket(
        ticket: &[u8],
        identities: &Identities<'_>,
        context: Option<&Context>,
        source: &SourceVersion,
    ) -> Result<Self> {
        let ticket = Ticket::parse(ticket)?;
        let file_key = ticket.unlock(identities)?;
        ticket.expect_source(&file_key, source)?;
        ticket.header.expect_context(&file_key, context)?;
        let Ticket { header, plaintext_bytes, detached, .. } = ticket;
        Self::new(header, file_key, context, plaintext_bytes, source, detached)
    }

    /// The ticket with which another process can seal parts of this file, given the plaintext, the
    /// context, and a key, an identity or the passphrase that opens the file.
    ///
    /// There is no secret in it, and it is of no use without a key that opens the file. It shows as
    /// much as the header, and the length of the plaintext; not the version of the source. It has
    /// the length of the header and 89 bytes more.
    ///
    /// # Errors
    /// [`Error::Cipher`]: a defect of this program.
    pub fn ticket(&self) -> Result<Vec<u8>> {
        self.make_ticket(None)
    }

    /// The same for processes that cannot open the file, as when it is for the recipients of a
    /// backup: `workers` can use it. The file stays for those whom it was encrypted for; but anyone
    /// who can use the ticket can also read the segments that are sealed with it.
    ///
    /// # Errors
    /// The error of [`Recipients`] that cannot be encrypted for, or do not fit into a header of the
    /// length of the file's.
    pub fn ticket_for(&self, workers: &Recipients) -> Result<Vec<u8>> {
        let header = self.header.rekey(&self.file_key, workers, ExistingRecipients::Remove)?;
        self.make_ticket(Some(header))
    }

    fn make_ticket(&self, workers: Option<Header>) -> Result<Vec<u8>> {
        let detached = self.layout.payload_offset() == 0;
        let plaintext_bytes = self.layout.plaintext_bytes();
        Ticket::write(
            &self.header,
            workers.as_ref(),
            &self.file_key,
            &self.source,
            plaintext_bytes,
            detached,
        )
    }

    /// The header of the file. It is the beginning of the stored bytes, unless the `Sealer` is for
    /// a payload alone.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The length of the plaintext in bytes.
    #[must_use]
    pub fn plaintext_bytes(&self) -> u64 {
        self.layout.plaintext_bytes()
    }

    /// The bytes that will be stored: the payload, and the header unless that is kept elsewhere.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        self.layout.stored_bytes()
    }

    /// The ranges of the stored bytes, in parts of `bytes` bytes, as a multipart upload wants them:
    /// all but the last have the same size. They need not begin where a segment does; a segment
    /// that two of them share is sealed twice, to the same bytes.
    pub fn parts(&self, bytes: NonZeroU64) -> impl Iterator<Item = Range<u64>> + use<> {
        let (bytes, stored) = (bytes.get(), self.stored_bytes());
        (0..stored.div_ceil(bytes)).map(move |i| {
            let start = i * bytes;
            start..stored.min(start.saturating_add(bytes))
        })
    }

    /// Where the part lies that holds `plaintext`, which is cut off at its end, in whole segments:
    /// nothing is sealed twice if these are the parts.
    #[must_use]
    pub fn stored_range(&self, plaintext: Range<u64>) -> Range<u64> {
        self.layout.stored_range(&self.layout.holding(plaintext))
    }

    /// The plaintext that sealing `stored` takes: that of all segments of which a byte is in that
    /// range. It is empty for a range of the header alone.
    #[must_use]
    pub fn plaintext_range(&self, stored: Range<u64>) -> Range<u64> {
        self.layout.plain(&self.layout.stored_in(stored))
    }

    /// The stored bytes of the range `stored`, which is cut off at the file's end. `plaintext` has
    /// the bytes of the [`plaintext_range`](Self::plaintext_range) for it, of the `source` that
    /// this `Sealer` is for. Beside the result, memory is taken for at most two segments.
    ///
    /// # Errors
    /// [`Error::SourceChanged`] for another version of the source; [`Error::PartBytes`] for a
    /// plaintext of another length; [`Error::SealedOtherwise`] if one of the segments has been
    /// sealed with another plaintext. Then nothing has been sealed that could be misused.
    pub fn seal_stored(
        &self,
        stored: Range<u64>,
        source: &SourceVersion,
        plaintext: &[u8],
    ) -> Result<Vec<u8>> {
        if *source != self.source {
            return Err(Error::SourceChanged);
        }
        let segments = self.layout.stored_in(stored.clone());
        let needed = self.layout.plain(&segments);
        let (expected, given) = (needed.end - needed.start, plaintext.len() as u64);
        if expected != given {
            return Err(Error::PartBytes { expected, given });
        }
        // Until it has been sealed and found to be the same as before, it is wiped.
        let mut bytes = self.seal(&segments, plaintext)?;
        let mut bytes = mem::take(&mut *bytes);
        let sealed = self.layout.stored_range(&segments);
        let beyond = sealed.end.saturating_sub(stored.end.max(sealed.start)) as usize;
        bytes.truncate(bytes.len() - beyond.min(bytes.len()));
        let before = stored.start.saturating_sub(sealed.start) as usize;
        bytes.drain(..before.min(bytes.len()));
        let header = 0..self.layout.payload_offset();
        if stored.start < header.end.min(stored.end) {
            let header = &self.header.as_bytes()[stored.start as usize..];
            let length = (stored.end - stored.start).min(header.len() as u64) as usize;
            bytes.splice(..0, header[..length].iter().copied());
        }
        Ok(bytes)
    }

    /// Whole segments. Nothing is returned that has been sealed otherwise before.
    fn seal(&self, segments: &Range<u64>, plaintext: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let Range { start, end } = self.layout.stored_range(segments);
        let (unit, plain) = (self.layout.stored_unit() as usize, self.layout.plain_unit() as usize);
        let mut bytes = Zeroizing::new(vec![0; (end - start) as usize]);
        let together = (TOGETHER / unit).max(1);
        let mut index = segments.start;
        let mut plaintext = plaintext;
        for run in bytes.chunks_mut(unit * together) {
            let text = run.len() - run.len().div_ceil(unit) * self.layout.tag_bytes();
            let (here, rest) = plaintext.split_at(text);
            // An empty file has one segment, and no piece of plaintext.
            let pieces = here.chunks(plain).chain([&here[..0]]);
            for (segment, piece) in run.chunks_mut(unit).zip(pieces) {
                segment[..piece.len()].copy_from_slice(piece);
            }
            let count = run.len().div_ceil(unit) as u64;
            let last = index + count == self.layout.segments();
            let tag = self.layout.tag_bytes();
            let slots = run.chunks_mut(unit).map(|slot| {
                let length = slot.len() - tag;
                (slot, length)
            });
            self.cipher.apply(Position { index, last }, slots)?;
            self.sealed.expect_same(index, run.chunks(unit).map(|s| &s[s.len() - tag..]))?;
            (plaintext, index) = (rest, index + count);
        }
        Ok(bytes)
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer").field("layout", &self.layout).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
