//! What a file says of itself to whoever has no key. Nothing of it is authenticated.

use std::io::Read;

use serde::Serialize;

use crate::error::Result;
use crate::header::{HEADER_BYTES, Header, VERSION};
use crate::layout;

/// A description of a file.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// Always `"polyseal"`.
    pub format: &'static str,
    /// The version of the format.
    pub version: u16,
    /// The suite in its textual form.
    pub suite: String,
    /// The bytes of plaintext in a full segment.
    pub segment_bytes: u32,
    /// The bytes of the tag after each segment.
    pub tag_bytes: usize,
    /// Where the payload begins, in bytes.
    pub payload_offset: u64,
    /// The salt of the file, in hexadecimal.
    pub file_salt: String,
    /// For whom the file key is wrapped.
    pub stanzas: Vec<StanzaInfo>,
    /// The payload, where its length is known.
    pub payload: Option<Payload>,
    /// Always `false`: without the key nothing has been checked.
    pub authenticated: bool,
}

/// A description of a key stanza.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct StanzaInfo {
    /// The type of the stanza.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The identifier of the key, another one in every file, in hexadecimal.
    pub key_id: String,
}

/// What the length of a file says of its payload.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Payload {
    /// The length of the payload in bytes.
    pub bytes: u64,
    /// The number of segments.
    pub segments: u64,
    /// The length of the plaintext in bytes; `None` if no payload has this length, as after an
    /// interrupted copy.
    pub plaintext_bytes: Option<u64>,
}

impl Inspection {
    /// Describes the file at whose beginning `input` stands; `file_bytes` is its length if known.
    ///
    /// # Errors
    /// As [`Header::read`].
    pub fn read(input: &mut (impl Read + ?Sized), file_bytes: Option<u64>) -> Result<Self> {
        let header = Header::read(input)?;
        let tag_bytes = header.suite().tag_bytes();
        let segment_bytes = header.segment_size().bytes();
        let payload = file_bytes.map(|length| {
            let bytes = length.saturating_sub(HEADER_BYTES as u64);
            Payload {
                bytes,
                segments: layout::segments(bytes, segment_bytes as usize + tag_bytes),
                plaintext_bytes: layout::plaintext_bytes(bytes, segment_bytes, tag_bytes),
            }
        });
        let stanzas = header.stanzas().iter();
        Ok(Self {
            format: "polyseal",
            version: VERSION,
            suite: header.suite().to_string(),
            segment_bytes,
            tag_bytes,
            payload_offset: HEADER_BYTES as u64,
            file_salt: base16ct::lower::encode_string(header.file_salt()),
            stanzas: stanzas
                .map(|s| StanzaInfo {
                    kind: "key-file",
                    key_id: base16ct::lower::encode_string(s.id()),
                })
                .collect(),
            payload,
            authenticated: false,
        })
    }
}
