//! Sealing a file whose length is not known before its end, as when it is uploaded while it is
//! made.
//!
//! Source: `docs/spec/file-format.md`, section 6. Segments are taken in their order, and can be
//! sealed in any. No segment is sealed twice, whatever its user does: a [`Piece`] is used up by
//! sealing it, and neither it nor the [`StreamSealer`] can be cloned.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use zeroize::Zeroizing;

use super::TOGETHER;
use crate::commitment::Leaf;
use crate::commitment::{Leaves, leaf};
use crate::error::{Error, Result};
use crate::header::Header;
use crate::key::Key;
use crate::layout::SegmentSize;
use crate::passphrase::Context;
use crate::segment::{Direction, Position, SegmentCipher};

/// Seals one file from its beginning to its end: its [header](Self::header), then the pieces that
/// are [taken](Self::take), then the [rest](Self::finish).
///
/// The last segment is sealed as the last one, and is not empty unless the file is: so its user
/// holds at least a byte back until the end is known.
///
/// ```
/// use polyseal_file::{Decryptor, Encryptor, Identities, Input, Key, Output};
///
/// let (key, message) = (Key::generate()?, vec![7; 200_000]);
/// let mut sealer = Encryptor::new(&(&key).into()).stream_sealer()?;
/// let mut file = sealer.header().as_bytes().to_vec();
///
/// // Three segments of 64 KiB: in two pieces, which other threads could seal.
/// let (one, two) = (sealer.take(1)?, sealer.take(2)?);
/// let two = two.seal(&[&message[65_536..100_000], &message[100_000..196_608]])?;
/// file.extend(one.seal(&[&message[..65_536]])?);
/// file.extend(two);
/// file.extend(sealer.finish(&[&message[196_608..]])?);
///
/// let (identities, mut opened) = (Identities::from(&key), Vec::new());
/// Decryptor::new(&identities)
///     .decrypt(Input::Stream(&mut &file[..]), Output::Stream(&mut opened))?;
/// assert!(opened == message);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StreamSealer {
    header: Header,
    cipher: Arc<SegmentCipher>,
    next: u64,
    leaves: Option<Arc<SealedLeaves>>,
}

/// The leaves of the segments, if there is to be a statement.
pub(crate) struct SealedLeaves {
    leaves: Leaves,
    /// The bytes of the stored payload, once the last segment is sealed.
    payload_bytes: AtomicU64,
}

/// Full segments of a file, not the last one. Any thread can seal them.
pub struct Piece {
    cipher: Arc<SegmentCipher>,
    first: u64,
    bytes: u64,
    leaves: Option<Arc<SealedLeaves>>,
}

impl SealedLeaves {
    pub(crate) fn new() -> Self {
        Self { leaves: Leaves::keeping(), payload_bytes: AtomicU64::new(0) }
    }

    /// The leaves, and the bytes of the stored payload.
    pub(crate) fn finish(self) -> (Vec<Leaf>, u64) {
        (self.leaves.into_kept(), self.payload_bytes.into_inner())
    }
}

impl StreamSealer {
    pub(crate) fn new(header: Header, file_key: &Key, context: Option<&Context>) -> Result<Self> {
        let payload_key = header.payload_key(file_key, context)?;
        let (suite, segment) = (header.suite(), header.segment_size());
        let cipher = SegmentCipher::new(suite, &payload_key, segment.bytes(), Direction::Seal)?;
        Ok(Self { header, cipher: Arc::new(cipher), next: 0, leaves: None })
    }

    /// The same, which adds to `leaves`.
    pub(crate) fn with_leaves(self, leaves: Arc<SealedLeaves>) -> Self {
        Self { leaves: Some(leaves), ..self }
    }

    /// The header of the file: its first bytes.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The segment size.
    #[must_use]
    pub fn segment_size(&self) -> SegmentSize {
        self.header.segment_size()
    }

    /// The next `segments` segments. The file is whole only with their sealed bytes.
    ///
    /// # Errors
    /// [`Error::TooLong`] if there would be no room for a last segment.
    pub fn take(&mut self, segments: u64) -> Result<Piece> {
        let most = self.cipher.max_segments();
        let next = self.next.checked_add(segments).filter(|&next| next < most);
        let bytes = segments.checked_mul(self.segment_size().bytes().into());
        let (next, bytes) = next.zip(bytes).ok_or(Error::TooLong)?;
        let (cipher, leaves) = (Arc::clone(&self.cipher), self.leaves.clone());
        let piece = Piece { cipher, first: self.next, bytes, leaves };
        self.next = next;
        Ok(piece)
    }

    /// The end of the file: all segments that have not been taken, of which the last is sealed as
    /// the last one. `plaintext` is given in as many slices as it comes in.
    ///
    /// # Errors
    /// [`Error::PartBytes`] if it is empty, though segments have been taken; [`Error::TooLong`].
    pub fn finish(self, plaintext: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
        let bytes = length(plaintext);
        if bytes == 0 && self.next > 0 {
            return Err(Error::PartBytes { expected: 1, given: 0 });
        }
        let segments = bytes.div_ceil(self.segment_size().bytes().into()).max(1);
        if segments > self.cipher.max_segments() - self.next {
            return Err(Error::TooLong);
        }
        let leaves = self.leaves.as_deref();
        let sealed = seal(&self.cipher, self.next, true, plaintext, leaves)?;
        if let Some(leaves) = leaves {
            let before = self.next * self.cipher.output_unit() as u64;
            leaves.payload_bytes.store(before + sealed.len() as u64, Relaxed);
        }
        Ok(sealed)
    }
}

impl Piece {
    /// The bytes of plaintext that it takes.
    #[must_use]
    pub fn plaintext_bytes(&self) -> u64 {
        self.bytes
    }

    /// The stored bytes of these segments, tags included. `plaintext` is given in as many slices as
    /// it comes in.
    ///
    /// # Errors
    /// [`Error::PartBytes`] if there are more or fewer bytes than
    /// [`plaintext_bytes`](Self::plaintext_bytes).
    pub fn seal(self, plaintext: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
        let (expected, given) = (self.bytes, length(plaintext));
        match (expected == given, expected) {
            (false, _) => Err(Error::PartBytes { expected, given }),
            (true, 0) => Ok(Vec::new()),
            (true, _) => seal(&self.cipher, self.first, false, plaintext, self.leaves.as_deref()),
        }
    }
}

fn length(plaintext: &[impl AsRef<[u8]>]) -> u64 {
    plaintext.iter().map(|slice| slice.as_ref().len() as u64).sum()
}

/// The segments from `first` on, the last of which may end the file.
fn seal(
    cipher: &SegmentCipher,
    first: u64,
    ends: bool,
    plaintext: &[impl AsRef<[u8]>],
    leaves: Option<&SealedLeaves>,
) -> Result<Vec<u8>> {
    let (plain, unit) = (cipher.input_unit(), cipher.output_unit());
    let (text, tag) = (length(plaintext) as usize, unit - plain);
    let segments = text.div_ceil(plain).max(1);
    // Until it has been sealed, it is wiped.
    let mut bytes = Zeroizing::new(vec![0; text + segments * tag]);
    let together = (TOGETHER / unit).max(1);
    let (mut index, end) = (first, first + segments as u64);
    let mut slices = plaintext.iter().map(AsRef::as_ref);
    let mut slice: &[u8] = &[];
    for run in bytes.chunks_mut(unit * together) {
        for segment in run.chunks_mut(unit) {
            let mut room = segment.len() - tag;
            let mut segment = &mut segment[..room];
            while room > 0 {
                if slice.is_empty() {
                    slice = slices.next().unwrap_or_default();
                    continue;
                }
                let (here, rest) = slice.split_at(room.min(slice.len()));
                let (start, behind) = segment.split_at_mut(here.len());
                start.copy_from_slice(here);
                (room, slice, segment) = (behind.len(), rest, behind);
            }
        }
        let count = run.len().div_ceil(unit) as u64;
        let last = ends && index + count == end;
        let slots = run.chunks_mut(unit).map(|slot| {
            let length = slot.len() - tag;
            (slot, length)
        });
        cipher.apply(Position { index, last }, slots)?;
        if let Some(SealedLeaves { leaves, .. }) = leaves {
            leaves.add(index, run.chunks(unit).map(leaf).collect());
        }
        index += count;
    }
    Ok(std::mem::take(&mut *bytes))
}

impl fmt::Debug for StreamSealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamSealer").field("segments", &self.next).finish_non_exhaustive()
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Piece")
            .field("first", &self.first)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
