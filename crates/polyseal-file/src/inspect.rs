//! What a file says of itself to whoever has no key. Nothing of it is authenticated.

use std::io::Read;

use serde::Serialize;

use crate::error::Result;
use crate::header::{Header, VERSION};
use crate::layout;
use crate::stanza::{Method, Stanza};

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
    /// The length of the header in bytes: where the payload begins, if it is in one file with it.
    pub payload_offset: u64,
    /// The salt of the file, in hexadecimal.
    pub file_salt: String,
    /// Whether the file is bound to a context.
    pub context: bool,
    /// The bytes of the header that are free for other stanzas.
    pub spare_bytes: usize,
    /// For whom the file key is wrapped.
    pub stanzas: Vec<StanzaInfo>,
    /// The payload, where its length is known.
    pub payload: Option<PayloadInfo>,
    /// Always `false`: without the key nothing has been checked.
    pub authenticated: bool,
}

/// A description of a stanza.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StanzaInfo {
    /// For the key in a key file.
    #[non_exhaustive]
    KeyFile {
        /// The id of the key, another one in every stanza, in hexadecimal.
        key_id: String,
    },
    /// For a passphrase, stretched by Argon2id.
    #[non_exhaustive]
    Passphrase {
        /// The id of the stretched passphrase, in hexadecimal.
        key_id: String,
        /// The memory that stretching it takes in KiB.
        memory_kib: u32,
        /// The passes over it.
        passes: u32,
        /// The lanes.
        lanes: u32,
    },
    /// For age recipients.
    #[non_exhaustive]
    Age {
        /// The id of the key that age wraps, in hexadecimal.
        key_id: String,
        /// What the recipients have in common, such as `postquantum`.
        labels: Vec<String>,
        /// The type of each recipient, such as `X25519`.
        recipients: Vec<String>,
    },
    /// Of a type that this program passes over.
    #[non_exhaustive]
    Unknown {
        /// The type's number.
        number: u16,
    },
}

impl From<&Stanza> for StanzaInfo {
    fn from(stanza: &Stanza) -> Self {
        let key_id = || base16ct::lower::encode_string(stanza.id());
        match stanza.method() {
            Method::Unknown(number) => Self::Unknown { number: *number },
            Method::KeyFile => Self::KeyFile { key_id: key_id() },
            Method::Passphrase(cost) => Self::Passphrase {
                key_id: key_id(),
                memory_kib: cost.kibibytes,
                passes: cost.passes,
                lanes: cost.lanes,
            },
            Method::Age(group) => Self::Age {
                key_id: key_id(),
                labels: String::from_utf8_lossy(group.labels())
                    .split_terminator(' ')
                    .map(str::to_owned)
                    .collect(),
                recipients: group.stanzas().iter().map(|s| s.tag.clone()).collect(),
            },
        }
    }
}

/// What the length of a file says of its payload.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct PayloadInfo {
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
        let before = header.payload_offset();
        Ok(Self::of(&header, file_bytes.map(|bytes| bytes.saturating_sub(before))))
    }

    /// Describes a header, and its payload if the length of that is known: for a header that is
    /// kept elsewhere.
    #[must_use]
    pub fn of(header: &Header, payload_bytes: Option<u64>) -> Self {
        let tag_bytes = header.suite().tag_bytes();
        let segment_bytes = header.segment_size().bytes();
        let payload = payload_bytes.map(|bytes| PayloadInfo {
            bytes,
            segments: layout::segments(bytes, segment_bytes as usize + tag_bytes),
            plaintext_bytes: layout::plaintext_bytes(bytes, segment_bytes, tag_bytes),
        });
        Self {
            format: "polyseal",
            version: VERSION,
            suite: header.suite().to_string(),
            segment_bytes,
            tag_bytes,
            payload_offset: header.payload_offset(),
            file_salt: base16ct::lower::encode_string(header.file_salt()),
            context: header.has_context(),
            spare_bytes: header.spare_bytes(),
            stanzas: header.stanzas().iter().map(StanzaInfo::from).collect(),
            payload,
            authenticated: false,
        }
    }
}
