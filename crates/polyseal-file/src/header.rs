//! The header: what a file is, for whom, and the MAC that binds it together.
//!
//! It fills the first 4096 bytes, so that its stanzas can change without the payload moving:
//! fixed fields, stanzas, zeros, and at the very end HMAC-SHA-256 over everything before it, under
//! a key derived from the file key. [`Header::parse`] bounds every field before anything is
//! allocated or computed; only [`Header::unlock`] says that the header is authentic.

use std::io::Read;

use zeroize::Zeroizing;

use crate::error::{Error, HeaderError, Result, io};
use crate::kdf::{self, HEADER_LABEL, MAC_BYTES, PAYLOAD_LABEL};
use crate::key::{Key, random};
use crate::layout::SegmentSize;
use crate::stanza::{KEY_FILE_STANZA_BYTES, KeyFileStanza};
use crate::suite::{MAX_KEY_BYTES, NAME_BYTES, Suite};

/// The first bytes of every file.
pub const MAGIC: [u8; 8] = *b"polyseal";
/// The format's version: 0 is provisional.
pub const VERSION: u16 = 0;
/// The length of the header in bytes: the payload's offset.
pub const HEADER_BYTES: usize = 4096;

const SALT_BYTES: usize = 32;
// Offsets of the fields; the stanzas follow the suite, the MAC is at the end.
const VERSION_AT: usize = 8;
const STANZAS_AT: usize = 10;
const SEGMENT_AT: usize = 12;
const PAYLOAD_AT: usize = 16;
const RESERVED_AT: usize = 24;
const SALT_AT: usize = 32;
const SUITE_AT: usize = 64;
const STANZA_AREA_AT: usize = SUITE_AT + NAME_BYTES;
const MAC_AT: usize = HEADER_BYTES - MAC_BYTES;
const MAX_STANZAS: usize = (MAC_AT - STANZA_AREA_AT) / KEY_FILE_STANZA_BYTES;

/// A header as it was read: well-formed, not yet authenticated.
#[derive(Clone, Debug)]
pub struct Header {
    suite: Suite,
    segment: SegmentSize,
    stanzas: Vec<KeyFileStanza>,
    bytes: Box<[u8; HEADER_BYTES]>,
}

/// The key of the payload: as many bytes as the suite's key has.
pub(crate) struct PayloadKey(Zeroizing<Vec<u8>>);

impl PayloadKey {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Header {
    /// A header for a new file that `key` opens, and the key of its payload.
    pub(crate) fn create(
        key: &Key,
        suite: Suite,
        segment: SegmentSize,
    ) -> Result<(Self, PayloadKey)> {
        let file_key = Key::generate()?;
        let stanza = KeyFileStanza::wrap(key, &file_key)?;
        let mut bytes = Box::new([0; HEADER_BYTES]);
        let mut put = |at: usize, field: &[u8]| {
            bytes[at..at + field.len()].copy_from_slice(field);
        };
        put(0, &MAGIC);
        put(VERSION_AT, &VERSION.to_le_bytes());
        put(STANZAS_AT, &1_u16.to_le_bytes());
        put(SEGMENT_AT, &segment.bytes().to_le_bytes());
        put(PAYLOAD_AT, &(HEADER_BYTES as u64).to_le_bytes());
        let mut salt = [0; SALT_BYTES];
        random(&mut salt)?;
        put(SALT_AT, &salt);
        put(SUITE_AT, suite.to_string().as_bytes());
        put(STANZA_AREA_AT, stanza.as_bytes());
        let mut header = Self { suite, segment, stanzas: vec![stanza], bytes };
        let mac = kdf::mac(&*header.mac_key(&file_key)?, &[&header.bytes[..MAC_AT]]);
        header.bytes[MAC_AT..].copy_from_slice(&mac);
        let payload_key = header.payload_key(&file_key)?;
        Ok((header, payload_key))
    }

    /// Reads a header from where `input` stands, and not a byte more.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and [`Error::Io`].
    pub fn read(input: &mut (impl Read + ?Sized)) -> Result<Self> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        input.take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(io("read the input"))?;
        Self::parse(&bytes)
    }

    /// The header at the beginning of `bytes`, every field within its bounds. Nothing is
    /// authenticated.
    ///
    /// # Errors
    /// [`Error::NotAPolysealFile`], [`Error::UnsupportedVersion`], [`Error::Truncated`] or
    /// [`Error::Header`], whichever is found first.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let known = bytes.len().min(MAGIC.len());
        if bytes.is_empty() || bytes[..known] != MAGIC[..known] {
            return Err(Error::NotAPolysealFile);
        }
        let (version, _) = bytes[known..].split_first_chunk().ok_or(Error::Truncated)?;
        let version = u16::from_le_bytes(*version);
        if version != VERSION {
            return Err(Error::UnsupportedVersion(version));
        }
        let bytes: &[u8; HEADER_BYTES] = bytes.first_chunk().ok_or(Error::Truncated)?;
        if u64::from_le_bytes(field(bytes, PAYLOAD_AT)) != HEADER_BYTES as u64 {
            return Err(HeaderError::PayloadOffset.into());
        }
        let segment = SegmentSize::new(u32::from_le_bytes(field(bytes, SEGMENT_AT)).into())
            .map_err(|_| HeaderError::SegmentSize)?;
        let suite = parse_suite(&bytes[SUITE_AT..STANZA_AREA_AT])?;
        let count = usize::from(u16::from_le_bytes(field(bytes, STANZAS_AT)));
        if !(1..=MAX_STANZAS).contains(&count) {
            return Err(HeaderError::Stanzas.into());
        }
        let mut area = &bytes[STANZA_AREA_AT..MAC_AT];
        let mut stanzas = Vec::with_capacity(count);
        for _ in 0..count {
            let stanza = KeyFileStanza::parse(area)?;
            area = &area[stanza.as_bytes().len()..];
            stanzas.push(stanza);
        }
        if area.iter().chain(&bytes[RESERVED_AT..SALT_AT]).any(|&b| b != 0) {
            return Err(HeaderError::Padding.into());
        }
        Ok(Self { suite, segment, stanzas, bytes: Box::new(*bytes) })
    }

    /// The key of the payload, after the header has proven authentic.
    ///
    /// # Errors
    /// [`Error::NoMatchingKey`] if no stanza is for `key`, [`Error::HeaderNotAuthentic`] if one is
    /// and any byte of the header has been altered.
    pub(crate) fn unlock(&self, key: &Key) -> Result<PayloadKey> {
        for stanza in &self.stanzas {
            let Some(file_key) = stanza.unwrap(key)? else { continue };
            let (covered, mac) = self.bytes.split_at(MAC_AT);
            if !kdf::verify(&*self.mac_key(&file_key)?, &[covered], mac) {
                return Err(Error::HeaderNotAuthentic);
            }
            return self.payload_key(&file_key);
        }
        Err(Error::NoMatchingKey)
    }

    /// The suite of the payload.
    #[must_use]
    pub fn suite(&self) -> Suite {
        self.suite
    }

    /// The segment size.
    #[must_use]
    pub fn segment_size(&self) -> SegmentSize {
        self.segment
    }

    /// The random salt of the file.
    #[must_use]
    pub fn file_salt(&self) -> &[u8] {
        &self.bytes[SALT_AT..SUITE_AT]
    }

    /// The header as it stands in the file.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; HEADER_BYTES] {
        &self.bytes
    }

    pub(crate) fn stanzas(&self) -> &[KeyFileStanza] {
        &self.stanzas
    }

    fn mac_key(&self, file_key: &Key) -> Result<Zeroizing<[u8; MAC_BYTES]>> {
        let mut key = Zeroizing::new([0; MAC_BYTES]);
        kdf::derive(file_key.bytes(), self.file_salt(), &[HEADER_LABEL], key.as_mut())?;
        Ok(key)
    }

    /// HKDF(file key; salt = file salt; info = label ‖ version ‖ segment size ‖ payload offset ‖
    /// suite, zero-padded to 64 bytes): the fields as they stand in the header.
    fn payload_key(&self, file_key: &Key) -> Result<PayloadKey> {
        let mut key = Zeroizing::new(vec![0; self.suite.algorithm().key_bytes()]);
        debug_assert!(key.len() <= MAX_KEY_BYTES);
        let bytes = &self.bytes[..];
        let info = [
            PAYLOAD_LABEL,
            &bytes[VERSION_AT..STANZAS_AT],
            &bytes[SEGMENT_AT..RESERVED_AT],
            &bytes[SUITE_AT..STANZA_AREA_AT],
        ];
        kdf::derive(file_key.bytes(), self.file_salt(), &info, &mut key)?;
        Ok(PayloadKey(key))
    }
}

fn field<const N: usize>(bytes: &[u8; HEADER_BYTES], at: usize) -> [u8; N] {
    let mut field = [0; N];
    field.copy_from_slice(&bytes[at..at + N]);
    field
}

/// The suite in a zero-padded field: known, for files, and in its one spelling.
fn parse_suite(field: &[u8]) -> Result<Suite> {
    let text = field.split(|&b| b == 0).next().unwrap_or_default();
    if field[text.len()..].iter().any(|&b| b != 0) {
        return Err(HeaderError::Padding.into());
    }
    let text = str::from_utf8(text).map_err(|_| HeaderError::Suite)?;
    let suite: Suite = text.parse().map_err(|_| HeaderError::Suite)?;
    if suite.to_string() == text { Ok(suite) } else { Err(HeaderError::Suite.into()) }
}
