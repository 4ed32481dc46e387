//! Manifests that are written.

use std::io::Write;

use super::order::EntryOrder;
use super::{
    ABSENT, DIRECTORY, END, Entry, Error, FILE, FileBinding, Kind, LINK, Lineage, MAGIC, NO_FIELDS,
    Problem, State, VERSION, commitment_bytes,
};
use crate::commitment::{Commitment, PayloadRoot};

/// Writes a manifest.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    order: EntryOrder,
    /// The bytes of an entry, from one to the next.
    bytes: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a manifest.
    ///
    /// # Errors
    /// An error of the output.
    pub fn new(mut output: W, lineage: &Lineage) -> Result<Self, Error> {
        output.write_all(MAGIC)?;
        output.write_all(&VERSION.to_le_bytes())?;
        output.write_all(&lineage.number.to_le_bytes())?;
        match &lineage.previous {
            Some(previous) => output.write_all(&commitment_bytes(previous))?,
            None => output.write_all(&NO_FIELDS)?,
        }
        Ok(Self { output, order: EntryOrder::default(), bytes: Vec::new() })
    }

    /// The next entry, in the order of [`compare`](super::compare).
    ///
    /// # Errors
    /// [`Error::Invalid`] if no manifest has this entry there, and nothing was written; those of
    /// the output.
    pub fn push(&mut self, entry: &Entry) -> Result<(), Error> {
        let commitment = match &entry.kind {
            Kind::File { bound: FileBinding::Salt(_), .. } => {
                return Err(Error::Invalid(Problem::UnboundContents));
            }
            Kind::File { bound: FileBinding::Contents(commitment), .. } => match commitment {
                Commitment { payload_root: PayloadRoot::Tree(_), .. } => Some(commitment),
                _ => return Err(Error::Invalid(Problem::ListedRoot)),
            },
            _ => None,
        };
        self.order.expect(entry)?;
        let (kind, target) = match &entry.kind {
            Kind::File { .. } => (FILE, None),
            Kind::Directory => (DIRECTORY, None),
            Kind::Link { target } => (LINK, Some(length(target)?)),
            Kind::Absent => (ABSENT, None),
        };
        let bytes = &mut self.bytes;
        bytes.clear();
        bytes.push(kind);
        bytes.extend(length(&entry.path)?.to_le_bytes());
        bytes.extend(&entry.path);
        bytes.extend(match entry.state {
            State::New => [0, 0],
            State::Unchanged => [1, 0],
            State::Failed(reason) => [2, reason.number()],
            State::Deleted => [3, 0],
        });
        bytes.extend(entry.mode.to_le_bytes());
        bytes.extend(entry.modified.seconds.to_le_bytes());
        bytes.extend(entry.modified.nanoseconds.to_le_bytes());
        match &entry.kind {
            Kind::File { plaintext_bytes, stamp, .. } => {
                bytes.extend(plaintext_bytes.to_le_bytes());
                commitment.iter().for_each(|it| bytes.extend(commitment_bytes(it)));
                bytes.extend(stamp);
            }
            Kind::Directory | Kind::Absent => {}
            Kind::Link { target: to } => {
                bytes.extend(target.unwrap_or_default().to_le_bytes());
                bytes.extend(to);
            }
        }
        Ok(self.output.write_all(bytes)?)
    }

    /// The output.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }

    /// Ends the manifest.
    ///
    /// # Errors
    /// An error of the output.
    pub fn finish(mut self) -> Result<W, Error> {
        self.output.write_all(&[END])?;
        self.output.write_all(&self.order.entries.to_le_bytes())?;
        self.output.write_all(&self.order.failed.to_le_bytes())?;
        Ok(self.output)
    }
}

fn length(string: &[u8]) -> Result<u16, Error> {
    u16::try_from(string.len()).map_err(|_| Error::Invalid(Problem::Path))
}
