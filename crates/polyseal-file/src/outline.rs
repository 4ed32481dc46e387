//! The sizes that a file's first bytes give: for lists of many files, with only a few bytes of each
//! to read.
//!
//! Source: `docs/spec/file-format.md`, section 1. Nothing of it is authenticated: anyone who stores
//! a file can make it give another size, and reading it then fails.

use crate::error::Result;
use crate::header::{FIXED_BYTES, Header};
use crate::layout::{SegmentSize, plaintext_bytes};
use crate::payload::StoredLength;
use crate::suite::Suite;

/// The sizes of a file, from its first [`BYTES`](Self::BYTES) bytes.
///
/// ```
/// use polyseal_file::{Encryptor, Input, Key, Outline, Output, StoredLength};
///
/// let mut file = Vec::new();
/// Encryptor::new(&(&Key::generate()?).into())
///     .encrypt(Input::Stream(&mut &[7; 200_000][..]), Output::Stream(&mut file))?;
///
/// let outline = Outline::parse(&file[..Outline::BYTES])?;
/// assert_eq!(outline.header_bytes(), 4096);
/// assert_eq!(outline.plaintext_bytes(StoredLength::File(file.len() as u64)), Some(200_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    suite: Suite,
    segment: SegmentSize,
    header_bytes: u64,
}

impl Outline {
    /// How many bytes it takes.
    pub const BYTES: usize = FIXED_BYTES;

    /// Reads the outline from `bytes`, which may go on after the first [`BYTES`](Self::BYTES).
    ///
    /// # Errors
    /// As [`Header::parse`], for the fields that it reads.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let header_bytes = Header::announced(bytes)? as u64;
        let (segment, suite) = Header::sizes(bytes)?;
        Ok(Self { suite, segment, header_bytes })
    }

    /// The length of the header.
    #[must_use]
    pub fn header_bytes(&self) -> u64 {
        self.header_bytes
    }

    /// The segment size.
    #[must_use]
    pub fn segment_size(&self) -> SegmentSize {
        self.segment
    }

    /// The suite.
    #[must_use]
    pub fn suite(&self) -> Suite {
        self.suite
    }

    /// The length of the plaintext behind `stored` bytes; `None` if no payload has that length.
    #[must_use]
    pub fn plaintext_bytes(&self, stored: StoredLength) -> Option<u64> {
        let payload = match stored {
            StoredLength::File(bytes) => bytes.checked_sub(self.header_bytes)?,
            StoredLength::Payload(bytes) => bytes,
        };
        plaintext_bytes(payload, self.segment.bytes(), self.suite.tag_bytes())
    }
}
