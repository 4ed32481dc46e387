//! What an age file says of itself to whoever has no key. Nothing of it is authenticated.

use std::io::BufRead;

use serde::Serialize;

use super::{CHUNK_BYTES, Header};
use crate::error::Result;
use crate::inspect::PayloadInfo;
use crate::layout;

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
        let payload = file_bytes.map(|length| {
            let bytes = length.saturating_sub(header.payload_offset());
            PayloadInfo {
                bytes,
                segments: layout::segments(bytes, CHUNK_BYTES as usize + TAG_BYTES),
                plaintext_bytes: layout::plaintext_bytes(bytes, CHUNK_BYTES, TAG_BYTES),
            }
        });
        Ok(Self {
            format: "age",
            version: 1,
            payload_offset: header.payload_offset(),
            recipients: header.recipients().map(str::to_owned).collect(),
            payload,
            authenticated: false,
        })
    }
}
