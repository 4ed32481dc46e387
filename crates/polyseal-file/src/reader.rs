//! Reading parts of a file.
//!
//! Source: `docs/spec/file-format.md`, section 6. The last segment is opened before any other, as
//! the last one, so that a file that was cut short or extended is never read as a whole one. After
//! that, a part costs the segments that it lies in; the one used last stays at hand.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use zeroize::Zeroizing;

use crate::error::{Error, Result, io as io_error};
use crate::layout::segments;
use crate::payload_cipher::PayloadCipher;
use crate::segment::Position;

/// Something that can be read at any offset, such as a file, a mapped one or an object in a store.
pub trait ReadAt {
    /// Reads some bytes from `offset`; 0 only at the end.
    ///
    /// # Errors
    /// What the system says.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// The length in bytes.
    ///
    /// # Errors
    /// What the system says.
    fn bytes(&self) -> io::Result<u64>;
}

#[cfg(unix)]
impl ReadAt for std::fs::File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

impl ReadAt for [u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let n = buffer.len().min(self.len() - from);
        buffer[..n].copy_from_slice(&self[from..from + n]);
        Ok(n)
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }

    fn bytes(&self) -> io::Result<u64> {
        (**self).bytes()
    }
}

/// The plaintext of a file, of which only what is asked for is opened.
///
/// [`Read`] and [`Seek`] work as on a plain file; errors of authenticity come as
/// [`io::ErrorKind::InvalidData`].
pub struct Reader<S> {
    source: S,
    cipher: PayloadCipher,
    payload_offset: u64,
    payload_bytes: u64,
    plaintext_bytes: u64,
    /// The segment that was opened last, with room for its tag.
    slot: Zeroizing<Vec<u8>>,
    /// Its number and length.
    at_hand: Option<(u64, usize)>,
    position: u64,
}

impl<S: ReadAt> Reader<S> {
    /// The payload of `source`, behind an authentic header, after its last segment has been opened.
    pub(crate) fn new(source: S, payload_offset: u64, cipher: PayloadCipher) -> Result<Self> {
        let total = source.bytes().map_err(io_error("examine the input"))?;
        let payload_bytes = total.checked_sub(payload_offset).ok_or(Error::InputChanged)?;
        let plaintext_bytes = cipher.plaintext_bytes(payload_bytes)?;
        if segments(payload_bytes, cipher.input_unit()) > cipher.max_segments() {
            return Err(Error::TooLong);
        }
        let slot = Zeroizing::new(vec![0; cipher.input_unit()]);
        let mut reader = Self {
            source,
            cipher,
            payload_offset,
            payload_bytes,
            plaintext_bytes,
            slot,
            at_hand: None,
            position: 0,
        };
        reader.open_segment(reader.segments() - 1)?;
        Ok(reader)
    }

    /// The length of the plaintext in bytes.
    #[must_use]
    pub fn plaintext_bytes(&self) -> u64 {
        self.plaintext_bytes
    }

    fn segments(&self) -> u64 {
        segments(self.payload_bytes, self.cipher.input_unit())
    }

    /// Fills `buffer` with the plaintext from `offset`; returns fewer bytes only at its end.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if a segment is not authentic, [`Error::InputChanged`] if the input has
    /// become shorter, [`Error::Io`]. Then the buffer holds nothing unverified.
    pub fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let unit = self.cipher.output_unit() as u64;
        let mut done = 0;
        while done < buffer.len() {
            let at = offset.saturating_add(done as u64);
            if at >= self.plaintext_bytes {
                break;
            }
            let length = self.open_segment(at / unit)?;
            let from = (at % unit) as usize;
            let n = (length - from).min(buffer.len() - done);
            buffer[done..done + n].copy_from_slice(&self.slot[from..from + n]);
            done += n;
        }
        Ok(done)
    }

    /// Has the segment `index` in the slot; its length.
    fn open_segment(&mut self, index: u64) -> Result<usize> {
        if let Some((_, length)) = self.at_hand.filter(|(at, _)| *at == index) {
            return Ok(length);
        }
        self.at_hand = None;
        let last = index + 1 == self.segments();
        let unit = self.cipher.input_unit() as u64;
        let start = index * unit;
        let length = (self.payload_bytes - start).min(unit) as usize;
        let slot = &mut self.slot[..length];
        fill(&self.source, slot, self.payload_offset + start)?;
        let plain =
            self.cipher.apply(Position { index, last }, [(&mut *slot, length)].into_iter())?;
        self.at_hand = Some((index, plain));
        Ok(plain)
    }
}

fn fill(source: &impl ReadAt, mut buffer: &mut [u8], mut offset: u64) -> Result<()> {
    while !buffer.is_empty() {
        match source.read_at(buffer, offset) {
            Ok(0) => return Err(Error::InputChanged),
            Ok(n) => {
                buffer = &mut buffer[n..];
                offset += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(io_error("read the input")(e)),
        }
    }
    Ok(())
}

impl<S: ReadAt> Read for Reader<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.read_at(buffer, self.position).map_err(into_io)?;
        self.position += n as u64;
        Ok(n)
    }
}

impl<S: ReadAt> Seek for Reader<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => self.plaintext_bytes.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

fn into_io(error: Error) -> io::Error {
    match error {
        Error::Io { source, .. } => source,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}

impl<S> fmt::Debug for Reader<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("plaintext_bytes", &self.plaintext_bytes)
            .finish_non_exhaustive()
    }
}
