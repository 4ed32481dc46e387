//! Sealing and opening the chunks of an age file, each in its place in the buffer.
//!
//! Source: c2sp.org/age, "Payload"; it is the STREAM construction (eprint.iacr.org/2015/189) with
//! ChaCha20-Poly1305 (RFC 8439). Chunk i has the nonce i (11 bytes, big-endian) ‖ 1 if it is the
//! last, else 0, and no associated data.
//!
//! A full chunk that does not open where it lies is tried as what else it may be: if the last opens
//! as another, the file was cut short; if another opens as the last, it was extended. So the error
//! says which, and a pipe gets the chunk, which is what was written there.

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Nonce, Tag};

use super::CHUNK_BYTES;
use crate::error::Error;
use crate::payload_cipher::PartialFailure;
use crate::segment::{Direction, Position, SegmentSequence};

const TAG_BYTES: usize = 16;

/// The cipher of the payload of an age file.
pub(crate) struct ChunkCipher {
    aead: ChaCha20Poly1305,
    direction: Direction,
}

impl ChunkCipher {
    pub(crate) fn new(key: &[u8; 32], direction: Direction) -> Self {
        Self { aead: ChaCha20Poly1305::new(key.into()), direction }
    }

    /// The bytes of a full chunk in the input.
    pub(crate) fn input_unit(&self) -> usize {
        match self.direction {
            Direction::Seal => CHUNK_BYTES as usize,
            Direction::Open => CHUNK_BYTES as usize + TAG_BYTES,
        }
    }

    /// The bytes of a full chunk in the output.
    pub(crate) fn output_unit(&self) -> usize {
        match self.direction {
            Direction::Seal => CHUNK_BYTES as usize + TAG_BYTES,
            Direction::Open => CHUNK_BYTES as usize,
        }
    }

    /// As [`SegmentCipher::apply`](crate::segment::SegmentCipher::apply).
    pub(crate) fn apply<'a>(
        &self,
        first: Position,
        slots: impl ExactSizeIterator<Item = (&'a mut [u8], usize)>,
    ) -> Result<usize, PartialFailure> {
        let (run, mut output) = (SegmentSequence { first, count: slots.len() }, 0);
        for (i, (slot, length)) in slots.enumerate() {
            let bytes = match self.direction {
                Direction::Seal => self.seal(run.position(i), slot, length),
                Direction::Open => self.open_slot(run.position(i), slot, length),
            };
            output += bytes.map_err(|PartialFailure { output: more, error }| PartialFailure {
                output: output + more,
                error,
            })?;
        }
        Ok(output)
    }

    /// As [`SegmentCipher::open_apart`](crate::segment::SegmentCipher::open_apart).
    pub(crate) fn open_apart<'a>(
        &self,
        first: Position,
        chunks: impl ExactSizeIterator<Item = (&'a mut [u8], &'a mut [u8])>,
    ) -> crate::error::Result<()> {
        let run = SegmentSequence { first, count: chunks.len() };
        for (i, (text, tag)) in chunks.enumerate() {
            self.open(run.position(i), text, tag)?;
        }
        Ok(())
    }

    fn seal(&self, at: Position, slot: &mut [u8], length: usize) -> Result<usize, PartialFailure> {
        let (text, tag) = slot.split_at_mut(length);
        let sealed = self
            .aead
            .encrypt_inout_detached(&nonce(at), b"", text.into())
            .map_err(|_| Error::Cipher(polyseal::Error::Parameter))?;
        tag[..TAG_BYTES].copy_from_slice(&sealed);
        Ok(length + TAG_BYTES)
    }

    fn open_slot(
        &self,
        at: Position,
        slot: &mut [u8],
        length: usize,
    ) -> Result<usize, PartialFailure> {
        // An empty chunk after others would give one plaintext two encryptions.
        let text = length
            .checked_sub(TAG_BYTES)
            .filter(|&text| text > 0 || at.index == 0)
            .ok_or(Error::Truncated)?;
        let (text, tag) = slot.split_at_mut(text);
        self.open(at, text, &tag[..TAG_BYTES])?;
        Ok(length - TAG_BYTES)
    }

    fn open(&self, at: Position, text: &mut [u8], tag: &[u8]) -> Result<(), PartialFailure> {
        let tag = Tag::try_from(tag).map_err(|_| Error::Truncated)?;
        let bytes = text.len();
        // Nothing is decrypted before the tag has been compared.
        let mut opens = |at| {
            let text = (&mut *text).into();
            self.aead.decrypt_inout_detached(&nonce(at), b"", text, &tag).is_ok()
        };
        if opens(at) {
            return Ok(());
        }
        let Position { index, last } = at;
        // Only the last may be shorter.
        if bytes == CHUNK_BYTES as usize && opens(Position { index, last: !last }) {
            let error = if last { Error::CutShort } else { Error::Extended };
            return Err(PartialFailure { output: bytes, error });
        }
        Err(Error::Corrupt { segment: index, last }.into())
    }
}

fn nonce(at: Position) -> Nonce {
    let mut nonce = Nonce::default();
    nonce[3..11].copy_from_slice(&at.index.to_be_bytes());
    nonce[11] = u8::from(at.last);
    nonce
}
