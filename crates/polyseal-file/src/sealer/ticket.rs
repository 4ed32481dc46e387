//! The ticket from the process that begins a file to those that seal parts of it.
//!
//! Source: `docs/spec/file-format.md`, section 14. A ticket is the header, the length and a MAC of
//! the source's version, with a MAC under a key that is derived from the file key. So it has no
//! secret; with the means to open the file it can be used, and nobody without them can make one.

use crate::error::{Error, Result};
use crate::header::Header;
use crate::kdf::{self, MAC_BYTES, TICKET_LABEL};
use crate::key::Key;
use crate::recipients::Identities;
use zeroize::Zeroizing;

use super::SourceVersion;

/// The first bytes, and the version.
const MAGIC: &[u8; 16] = b"polyseal-ticket\x01";
/// Prefix of the input of the MAC that stands for the version of the source.
const SOURCE: &[u8; 16] = b"polyseal-source\x01";
const FLAGS_AT: usize = MAGIC.len();
const LENGTH_AT: usize = FLAGS_AT + 1;
const SOURCE_AT: usize = LENGTH_AT + 8;
const HEADER_AT: usize = SOURCE_AT + MAC_BYTES;

const DETACHED: u8 = 1;
const FOR_WORKERS: u8 = 2;

pub(crate) struct Ticket<'a> {
    /// The file's.
    pub(crate) header: Header,
    /// The one that workers open, with the same file key.
    workers: Option<Header>,
    pub(crate) plaintext_bytes: u64,
    pub(crate) detached: bool,
    source: &'a [u8],
    covered: &'a [u8],
    mac: &'a [u8],
}

impl<'a> Ticket<'a> {
    pub(crate) fn write(
        header: &Header,
        workers: Option<&Header>,
        file_key: &Key,
        source: &SourceVersion,
        plaintext_bytes: u64,
        detached: bool,
    ) -> Result<Vec<u8>> {
        let key = key(file_key, header)?;
        let flags = if detached { DETACHED } else { 0 };
        let flags = flags | if workers.is_some() { FOR_WORKERS } else { 0 };
        let mut bytes = MAGIC.to_vec();
        bytes.push(flags);
        bytes.extend_from_slice(&plaintext_bytes.to_le_bytes());
        bytes.extend_from_slice(&kdf::mac(&key, &[SOURCE, source.bytes()]));
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(workers.map_or(&[], Header::as_bytes));
        let mac = kdf::mac(&key, &[&bytes]);
        bytes.extend_from_slice(&mac);
        Ok(bytes)
    }

    /// The fields. Nothing is authenticated here.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self> {
        let (covered, mac) = bytes.split_last_chunk::<MAC_BYTES>().ok_or(Error::Ticket)?;
        let (fields, headers) = covered.split_at_checked(HEADER_AT).ok_or(Error::Ticket)?;
        let flags = fields[FLAGS_AT];
        if !fields.starts_with(MAGIC) || flags & !(DETACHED | FOR_WORKERS) != 0 {
            return Err(Error::Ticket);
        }
        let mut length = [0; 8];
        length.copy_from_slice(&fields[LENGTH_AT..SOURCE_AT]);
        let header = Header::parse(headers)?;
        let rest = &headers[header.as_bytes().len()..];
        let workers = (flags & FOR_WORKERS != 0).then(|| Header::parse(rest)).transpose()?;
        if rest.len() != workers.as_ref().map_or(0, |workers| workers.as_bytes().len()) {
            return Err(Error::Ticket);
        }
        Ok(Self {
            header,
            workers,
            plaintext_bytes: u64::from_le_bytes(length),
            detached: flags & DETACHED != 0,
            source: &fields[SOURCE_AT..],
            covered,
            mac,
        })
    }

    /// The file key, once the ticket has proven authentic.
    pub(crate) fn unlock(&self, identities: &Identities<'_>) -> Result<Key> {
        let file_key = self.workers.as_ref().unwrap_or(&self.header).unlock(identities)?;
        if kdf::verify(&*key(&file_key, &self.header)?, &[self.covered], self.mac) {
            Ok(file_key)
        } else {
            Err(Error::Ticket)
        }
    }

    /// Refuses another version of the source than the ticket was made for.
    pub(crate) fn expect_source(&self, file_key: &Key, source: &SourceVersion) -> Result<()> {
        let key = key(file_key, &self.header)?;
        if kdf::verify(&key, &[SOURCE, source.bytes()], self.source) {
            Ok(())
        } else {
            Err(Error::SourceChanged)
        }
    }
}

fn key(file_key: &Key, header: &Header) -> Result<Zeroizing<[u8; MAC_BYTES]>> {
    let mut key = Zeroizing::new([0; MAC_BYTES]);
    kdf::derive(file_key.bytes(), &header.file_salt(), &[TICKET_LABEL], key.as_mut())?;
    Ok(key)
}
