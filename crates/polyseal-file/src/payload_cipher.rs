//! The cipher of a payload, of whichever format, for the pipeline and the reader.

#[cfg(feature = "age")]
use crate::age::v1::ChunkCipher;
use crate::error::{Error, Result};
use crate::layout::MAX_SEGMENTS;
use crate::segment::{Position, SegmentCipher};

/// Seals or opens segments.
pub(crate) enum PayloadCipher {
    Polyseal(SegmentCipher),
    #[cfg(feature = "age")]
    Age(ChunkCipher),
}

/// Why segments were not all sealed or opened, after `output` bytes of output that are right.
#[derive(Debug)]
pub(crate) struct PartialFailure {
    pub(crate) output: usize,
    pub(crate) error: Error,
}

impl From<Error> for PartialFailure {
    fn from(error: Error) -> Self {
        Self { output: 0, error }
    }
}

impl From<PartialFailure> for Error {
    fn from(failed: PartialFailure) -> Self {
        failed.error
    }
}

impl PayloadCipher {
    /// How many segments a file may have.
    pub(crate) fn max_segments(&self) -> u64 {
        match self {
            Self::Polyseal(cipher) => cipher.max_segments(),
            #[cfg(feature = "age")]
            Self::Age(_) => MAX_SEGMENTS,
        }
    }

    /// Whether it seals, rather than opens.
    pub(crate) fn seals(&self) -> bool {
        self.input_unit() < self.output_unit()
    }

    /// The bytes of a full segment in the input.
    pub(crate) fn input_unit(&self) -> usize {
        match self {
            Self::Polyseal(cipher) => cipher.input_unit(),
            #[cfg(feature = "age")]
            Self::Age(cipher) => cipher.input_unit(),
        }
    }

    /// The bytes of a full segment in the output.
    pub(crate) fn output_unit(&self) -> usize {
        match self {
            Self::Polyseal(cipher) => cipher.output_unit(),
            #[cfg(feature = "age")]
            Self::Age(cipher) => cipher.output_unit(),
        }
    }

    /// Works on segments that follow each other from `first` on, and end the file if `last`. Each
    /// slot begins with its count of input bytes, and has room for their output, which replaces
    /// them. Returns the bytes of output.
    pub(crate) fn apply<'a>(
        &self,
        first: Position,
        slots: impl ExactSizeIterator<Item = (&'a mut [u8], usize)>,
    ) -> std::result::Result<usize, PartialFailure> {
        match self {
            Self::Polyseal(cipher) => Ok(cipher.apply(first, slots)?),
            #[cfg(feature = "age")]
            Self::Age(cipher) => cipher.apply(first, slots),
        }
    }

    /// Opens segments that follow each other from `first` on, each in its place, with its tag
    /// beside it. On an error they hold nothing that can be used.
    pub(crate) fn open_apart<'a>(
        &self,
        first: Position,
        segments: impl ExactSizeIterator<Item = (&'a mut [u8], &'a mut [u8])>,
    ) -> Result<()> {
        match self {
            Self::Polyseal(cipher) => cipher.open_apart(first, segments),
            #[cfg(feature = "age")]
            Self::Age(cipher) => cipher.open_apart(first, segments),
        }
    }

    /// The plaintext length of a payload of `wire` bytes that this cipher opens.
    #[cfg(any(unix, windows))]
    pub(crate) fn plaintext_bytes(&self, wire: u64) -> Result<u64> {
        let (segment, sealed) = (self.output_unit(), self.input_unit());
        // No truncation: a segment has at most 16 MiB.
        crate::layout::plaintext_bytes(wire, segment as u32, sealed - segment)
            .ok_or(Error::Truncated)
    }
}
