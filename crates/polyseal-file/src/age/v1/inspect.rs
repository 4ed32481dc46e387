//! The description of an age file, for whoever has no key. Nothing of it is authenticated.

use std::io::BufRead;

use serde::Serialize;

use super::{CHUNK_BYTES, Header};
use crate::error::Result;
use crate::inspect::PayloadInfo;

const TAG_BYTES: usize = 16;

/// A description of an age file.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// Always `"age"`.
    pub format: &'static str,
    /// The version of the format.
    pub version: u16,
    /// Where the payload begins, in bytes.
    pub payload_offset: u64,
    /// The type of each recipient, such as `X25519`.
    pub recipients: Vec<String>,
    /// The payload, where its length is known.
    pub payload: Option<PayloadInfo>,
    /// Always `false`: without the key nothing has been checked.
    pub authenticated: bool,
}

impl Inspection {
    /// Describes the file at whose beginning `input` stands; `file_bytes` is its length if known.
    ///
    /// # Errors
    /// As [`Header::read`].
    pub fn read(input: &mut (impl BufRead + ?Sized), file_bytes: Option<u64>) -> Result<Self> {
        let header = Header::read(input)?;
        let mut found = Self {
            format: "age",
            version: 1,
            payload_offset: header.payload_offset(),
            recipients: header.recipients().map(str::to_owned).collect(),
            payload: None,
            authenticated: false,
        };
        found.payload = file_bytes.map(|bytes| found.payload_of(bytes));
        Ok(found)
    }

    /// The payload of a file of so many bytes.
    pub(crate) fn payload_of(&self, file_bytes: u64) -> PayloadInfo {
        PayloadInfo::from_length(
            file_bytes.saturating_sub(self.payload_offset),
            CHUNK_BYTES,
            TAG_BYTES,
        )
    }
}
