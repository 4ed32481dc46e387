//! The claims of a file's header, for readers without a key. None of them is authenticated.

use std::io::{BufRead, BufReader, Read};

use serde::Serialize;

#[cfg(feature = "age")]
use crate::age::v1::{self, is_header_start};
use crate::armor::{ArmorReader, looks_armored};
use crate::error::{Result, io};
use crate::header::{Header, MIN_HEADER_BYTES, VERSION};
use crate::layout;
use crate::read_at::ReadAt;
use crate::stanza::{Method, Stanza};
use crate::whole_file::{first_byte, header_reader};

/// The description of a file of either format, in armour or not.
///
/// ```
/// use polyseal_file::{FormatInspection, AnyInspection, Key, encrypt};
///
/// let file = encrypt(&(&Key::generate()?).into(), &[7; 200_000])?;
/// let found = AnyInspection::read(&mut &file[..], Some(file.len() as u64))?;
/// let FormatInspection::Polyseal(inspection) = found.file else { panic!("another format") };
/// assert_eq!((found.armored, &inspection.suite[..]), (false, "aegis-256x2"));
/// assert_eq!(inspection.payload.and_then(|it| it.plaintext_bytes), Some(200_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnyInspection {
    /// Whether it is in ASCII armour.
    pub armored: bool,
    /// The description, by format.
    pub file: FormatInspection,
}

/// The claims of a file's header, by its format.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum FormatInspection {
    /// One of Polyseal's.
    Polyseal(Inspection),
    /// One of age's.
    #[cfg(feature = "age")]
    Age(v1::Inspection),
}

impl AnyInspection {
    /// Describes the file at whose beginning `input` stands; `file_bytes` is its length if known.
    /// Only the end of armour tells the length of the file inside: there is no payload in its
    /// description before [`with_length`](Self::with_length). More than the header may be read.
    ///
    /// # Errors
    /// As [`Header::read`], [`age::v1::Header::read`](crate::age::v1::Header::read) and
    /// [`ArmorReader`].
    pub fn read(input: &mut (impl Read + ?Sized), file_bytes: Option<u64>) -> Result<Self> {
        let mut input = BufReader::with_capacity(MIN_HEADER_BYTES, input);
        if first_byte(&mut input)?.is_some_and(looks_armored) {
            let mut inside = BufReader::new(ArmorReader::new(input));
            return Ok(Self { armored: true, file: FormatInspection::read(&mut inside, None)? });
        }
        Ok(Self { armored: false, file: FormatInspection::read(&mut input, file_bytes)? })
    }

    /// Describes the file in `source`.
    ///
    /// # Errors
    /// As [`read`](Self::read), and those of the source.
    pub fn from_source<S: ReadAt>(source: &S) -> Result<Self> {
        let file_bytes = source.size().map_err(io("examine the input"))?;
        Self::read(&mut header_reader(source), Some(file_bytes))
    }

    /// The same of a file of `file_bytes` bytes, armour left out.
    #[must_use]
    pub fn with_length(mut self, file_bytes: u64) -> Self {
        match &mut self.file {
            FormatInspection::Polyseal(file) => {
                let bytes = file_bytes.saturating_sub(file.payload_offset);
                file.payload =
                    Some(PayloadInfo::from_length(bytes, file.segment_bytes, file.tag_bytes));
            }
            #[cfg(feature = "age")]
            FormatInspection::Age(file) => file.payload = Some(file.payload_of(file_bytes)),
        }
        self
    }
}

impl FormatInspection {
    fn read(input: &mut impl BufRead, file_bytes: Option<u64>) -> Result<Self> {
        #[cfg(feature = "age")]
        if first_byte(input)?.is_some_and(is_header_start) {
            return v1::Inspection::read(input, file_bytes).map(Self::Age);
        }
        Inspection::read(input, file_bytes).map(Self::Polyseal)
    }
}

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
    /// The stanzas, each of which wraps the file key.
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
        /// The labels that the recipients have in common, such as `postquantum`.
        labels: Vec<String>,
        /// The type of each recipient, such as `X25519`.
        recipients: Vec<String>,
    },
    /// A stanza of a type that this program passes over.
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

/// The payload's sizes, by the length of the file.
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

impl PayloadInfo {
    /// The sizes of a payload of `bytes` bytes, in segments of `segment` and `tag` bytes.
    pub(crate) fn from_length(bytes: u64, segment: u32, tag: usize) -> Self {
        Self {
            bytes,
            segments: layout::segments(bytes, segment as usize + tag),
            plaintext_bytes: layout::plaintext_bytes(bytes, segment, tag),
        }
    }
}

impl Inspection {
    /// Describes the file at whose beginning `input` stands; `file_bytes` is its length if known.
    /// [`AnyInspection::read`] does so for files of either format, and in armour.
    ///
    /// # Errors
    /// As [`Header::read`].
    pub fn read(input: &mut (impl Read + ?Sized), file_bytes: Option<u64>) -> Result<Self> {
        let header = Header::read(input)?;
        let before = header.payload_offset();
        Ok(Self::from_header(&header, file_bytes.map(|bytes| bytes.saturating_sub(before))))
    }

    /// Describes a header, and its payload if the length of that is known: for a header that is
    /// kept elsewhere.
    #[must_use]
    pub fn from_header(header: &Header, payload_bytes: Option<u64>) -> Self {
        let tag_bytes = header.suite().tag_bytes();
        let segment_bytes = header.segment_size().bytes();
        let payload =
            payload_bytes.map(|bytes| PayloadInfo::from_length(bytes, segment_bytes, tag_bytes));
        Self {
            format: "polyseal",
            version: VERSION,
            suite: header.suite().to_string(),
            segment_bytes,
            tag_bytes,
            payload_offset: header.payload_offset(),
            file_salt: base16ct::lower::encode_string(&header.file_salt()),
            context: header.has_context(),
            spare_bytes: header.spare_bytes(),
            stanzas: header.stanzas().iter().map(StanzaInfo::from).collect(),
            payload,
            authenticated: false,
        }
    }
}
