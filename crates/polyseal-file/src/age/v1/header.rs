//! The header of an age file: lines of text, a MAC over them, and the nonce of the payload.
//!
//! Source: c2sp.org/age, "Header" and "Payload". The MAC is HMAC-SHA-256 under a key derived from
//! the file key, over everything up to the three hyphens before it; the payload key is derived from
//! the file key and the nonce. The text is read strictly, in its one form, and up to a length that
//! is checked as it is read.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, Read};
use std::iter;

use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use zeroize::Zeroizing;

use super::ChunkCipher;
use crate::age::FileKey;
use crate::armor::begins_armored;
use crate::error::{Error, HeaderError, Result, io};
use crate::header::ExistingRecipients;
use crate::kdf::{self, MAC_BYTES};
use crate::key::random;
use crate::recipients::{Identities, Recipients};
use crate::segment::{Direction, Position};
use crate::stanza::{AgeStanza, age_text};

/// The longest header in bytes: 1 MiB, with room for some 600 post-quantum recipients.
pub const MAX_HEADER_BYTES: usize = 1 << 20;

/// How often a header may have one tag of an RSA key.
const MAX_SAME_RSA: usize = 128;

const MAGIC: &[u8] = b"age-encryption.org/";
const VERSION_LINE: &[u8] = b"age-encryption.org/v1\n";
const MAC_MARK: &[u8] = b"---";
const NONCE_BYTES: usize = 16;
const MAC_LABEL: &[u8] = b"header";
const PAYLOAD_LABEL: &[u8] = b"payload";

/// A header: well-formed, and authentic if it was made here; not if it was read.
#[derive(Clone, Debug)]
pub struct Header {
    stanzas: Vec<AgeStanza>,
    mac: [u8; MAC_BYTES],
    /// The text, then the nonce.
    bytes: Vec<u8>,
}

/// Whether a file that begins with `byte` may be an age file, and no Polyseal file.
pub(crate) fn is_header_start(byte: u8) -> bool {
    byte == MAGIC[0]
}

impl Header {
    /// A header for a new file, and the key of its payload.
    pub(super) fn create(recipients: &Recipients) -> Result<(Self, Zeroizing<[u8; 32]>)> {
        let file_key = FileKey::try_init_with_mut(|key| random(key))?;
        let mut nonce = [0; NONCE_BYTES];
        random(&mut nonce)?;
        let (stanzas, _) = recipients.age_stanzas(&file_key)?;
        let header = Self::assemble(stanzas, &file_key, nonce)?;
        let payload_key = header.payload_key(&file_key)?;
        Ok((header, payload_key))
    }

    fn assemble(
        stanzas: Vec<AgeStanza>,
        file_key: &FileKey,
        nonce: [u8; NONCE_BYTES],
    ) -> Result<Self> {
        let no_stanza = || Error::Age("a recipient gave an invalid age stanza".to_owned());
        let mut bytes = VERSION_LINE.to_vec();
        bytes.extend(age_text::write(&stanzas).ok_or_else(no_stanza)?);
        bytes.extend_from_slice(MAC_MARK);
        let mac = kdf::mac(&*mac_key(file_key)?, &[&bytes]);
        bytes.push(b' ');
        bytes.extend_from_slice(BASE64_STANDARD_NO_PAD.encode(mac).as_bytes());
        bytes.push(b'\n');
        if bytes.len() > MAX_HEADER_BYTES {
            return Err(Error::TooManyRecipients);
        }
        bytes.extend_from_slice(&nonce);
        // A plugin's answer is looked at as strictly as a file.
        Self::read(&mut &bytes[..]).map_err(|error| match error {
            Error::Header(HeaderError::PassphraseNotAlone) => Error::PassphraseNotAlone,
            _ => no_stanza(),
        })
    }

    /// Reads a header from where `input` stands, and not a byte more. Nothing is authenticated.
    ///
    /// # Errors
    /// [`Error::NotAPolysealFile`] if it is no age file either, [`Error::Armored`],
    /// [`Error::AgeVersion`], [`Error::Truncated`], [`Error::Header`], or [`Error::Io`].
    pub fn read(input: &mut (impl BufRead + ?Sized)) -> Result<Self> {
        let mut bytes = Vec::new();
        line(input, &mut bytes, VERSION_LINE.len())?;
        if bytes != VERSION_LINE {
            let known = bytes.len().min(MAGIC.len());
            return Err(if begins_armored(&bytes) {
                Error::Armored
            } else if bytes.is_empty() || bytes[..known] != MAGIC[..known] {
                Error::NotAPolysealFile
            } else if VERSION_LINE.starts_with(&bytes) {
                Error::Truncated
            } else {
                Error::AgeVersion
            });
        }
        // No line of a stanza begins as the last does: a hyphen is no digit of Base64.
        let stanzas_at = bytes.len();
        let mac_at = loop {
            let start = bytes.len();
            line(input, &mut bytes, MAX_HEADER_BYTES - start)?;
            if !bytes[start..].ends_with(b"\n") {
                let full = bytes.len() == MAX_HEADER_BYTES;
                return Err(if full { HeaderError::AgeTooLong.into() } else { Error::Truncated });
            }
            if bytes[start..].starts_with(MAC_MARK) {
                break start;
            }
        };
        let stanzas = age_text::parse(&bytes[stanzas_at..mac_at])
            .filter(|stanzas| !stanzas.is_empty())
            .ok_or(HeaderError::AgeText)?;
        if stanzas.len() > 1 && stanzas.iter().any(AgeStanza::is_scrypt) {
            return Err(HeaderError::PassphraseNotAlone.into());
        }
        if has_many_of_one_rsa(&stanzas) {
            return Err(HeaderError::AgeManyRsa.into());
        }
        let mac = bytes[mac_at + MAC_MARK.len()..]
            .strip_prefix(b" ")
            .and_then(|rest| rest.strip_suffix(b"\n"))
            .and_then(|digits| BASE64_STANDARD_NO_PAD.decode(digits).ok())
            .and_then(|mac| mac.try_into().ok())
            .ok_or(HeaderError::AgeText)?;
        let text = bytes.len();
        let nonce = NONCE_BYTES as u64;
        Read::take(input, nonce).read_to_end(&mut bytes).map_err(io("read the input"))?;
        if bytes.len() != text + NONCE_BYTES {
            return Err(Error::Truncated);
        }
        Ok(Self { stanzas, mac, bytes })
    }

    /// The header, if it is authentic and for one of `identities`.
    ///
    /// # Errors
    /// [`Error::NoMatchingKey`] and its like, or [`Error::HeaderNotAuthentic`].
    pub fn authenticate(&self, identities: &Identities<'_>) -> Result<AuthenticHeader<'_>> {
        self.authenticate_with(identities.unwrap_age(&self.stanzas)?)
    }

    /// The header, if it is authentic under this file key.
    pub(in crate::age) fn authenticate_with(
        &self,
        file_key: FileKey,
    ) -> Result<AuthenticHeader<'_>> {
        let last_line = MAC_BYTES.div_ceil(3) * 4 - 1 + b" \n".len();
        let covered = &self.bytes[..self.bytes.len() - NONCE_BYTES - last_line];
        if !kdf::verify(&*mac_key(&file_key)?, &[covered], &self.mac) {
            return Err(Error::HeaderNotAuthentic);
        }
        Ok(AuthenticHeader { header: self, file_key })
    }

    /// The only stanza, if the file is for a passphrase.
    pub(in crate::age) fn passphrase_stanza(&self) -> Option<&AgeStanza> {
        self.stanzas.first().filter(|stanza| stanza.is_scrypt())
    }

    /// The header as it stands in a file, the nonce of the payload included.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where the first chunk begins, in bytes.
    #[must_use]
    pub fn payload_offset(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The type of each recipient, such as `X25519`.
    pub fn recipients(&self) -> impl Iterator<Item = &str> {
        self.stanzas.iter().map(|stanza| stanza.tag.as_str())
    }

    fn nonce(&self) -> [u8; NONCE_BYTES] {
        self.bytes.last_chunk().copied().unwrap_or_default()
    }

    fn payload_key(&self, file_key: &FileKey) -> Result<Zeroizing<[u8; 32]>> {
        derive(file_key, &self.nonce(), PAYLOAD_LABEL)
    }
}

/// A header that is authentic, and its file key.
pub struct AuthenticHeader<'a> {
    header: &'a Header,
    file_key: FileKey,
}

impl AuthenticHeader<'_> {
    /// A header for the same payload and other recipients, which may have another length.
    ///
    /// It does not lock out whoever could open this one: they may have kept the file key. To
    /// revoke, the file must be encrypted anew.
    ///
    /// # Errors
    /// [`Error::NoRecipients`], [`Error::MixedRecipients`], [`Error::PassphraseNotAlone`],
    /// [`Error::AgeKeyFile`] or [`Error::TooManyRecipients`].
    pub fn rekey(&self, recipients: &Recipients, existing: ExistingRecipients) -> Result<Header> {
        let (new, labels) = recipients.age_stanzas(&self.file_key)?;
        let mut stanzas = match existing {
            ExistingRecipients::Keep => self.header.stanzas.clone(),
            ExistingRecipients::Remove => Vec::new(),
        };
        // A file does not keep the labels that its recipients had when it was made.
        let go_together = |stanza: &AgeStanza| match stanza.tag.as_str() {
            "mlkem768x25519" | "mlkem768p256tag" => labels == ["postquantum"],
            other => labels.is_empty() || other.ends_with("-grease"),
        };
        let both = !stanzas.is_empty() && new.iter().any(AgeStanza::is_scrypt);
        if both || stanzas.iter().any(AgeStanza::is_scrypt) {
            return Err(Error::PassphraseNotAlone);
        }
        if !stanzas.iter().all(go_together) {
            return Err(Error::MixedRecipients);
        }
        stanzas.extend(new);
        Header::assemble(stanzas, &self.file_key, self.header.nonce())
    }

    /// The plaintext of a payload that is in memory: all of it, or none.
    pub(in crate::age) fn decrypt(&self, payload: Vec<u8>) -> Result<Zeroizing<Vec<u8>>> {
        // Chunks are opened in place, also those that are refused for what follows.
        let mut payload = Zeroizing::new(payload);
        let cipher = ChunkCipher::new(&*self.payload_key()?, Direction::Open);
        let unit = cipher.input_unit();
        let last = payload.len().div_ceil(unit).max(1) - 1;
        // The chunks are shorter than what they come of: with all the room at once the text never
        // moves, which would leave a copy behind.
        let mut text = Zeroizing::new(Vec::with_capacity(payload.len()));
        for index in 0..=last {
            let end = payload.len().min((index + 1) * unit);
            let chunk = &mut payload[index * unit..end];
            let at = Position { index: index as u64, last: index == last };
            let length = chunk.len();
            let opened = cipher.apply(at, iter::once((&mut *chunk, length)))?;
            text.extend_from_slice(&chunk[..opened]);
        }
        Ok(text)
    }

    /// The key of the payload.
    pub(crate) fn payload_key(&self) -> Result<Zeroizing<[u8; 32]>> {
        self.header.payload_key(&self.file_key)
    }
}

impl fmt::Debug for AuthenticHeader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthenticHeader").field("header", self.header).finish_non_exhaustive()
    }
}

/// Whether a tag of `ssh-rsa` is there too often. A key is tried on every stanza with its tag, each
/// takes some 20 ms, and 1 MiB has room for more than a thousand. A file that nobody has made to
/// take long has one for each key; two keys have one tag by an accident of 1 in 2^32.
fn has_many_of_one_rsa(stanzas: &[AgeStanza]) -> bool {
    let mut tags = BTreeMap::<_, usize>::new();
    for stanza in stanzas.iter().filter(|stanza| stanza.tag == "ssh-rsa") {
        *tags.entry(stanza.args.first()).or_default() += 1;
    }
    tags.into_values().any(|times| times > MAX_SAME_RSA)
}

/// Reads up to the end of a line, or of `limit` bytes.
fn line(input: &mut (impl BufRead + ?Sized), bytes: &mut Vec<u8>, limit: usize) -> Result<()> {
    let mut limited = Read::take(input, limit as u64);
    limited.read_until(b'\n', bytes).map_err(io("read the input"))?;
    Ok(())
}

fn mac_key(file_key: &FileKey) -> Result<Zeroizing<[u8; 32]>> {
    derive(file_key, &[], MAC_LABEL)
}

fn derive(file_key: &FileKey, salt: &[u8], label: &[u8]) -> Result<Zeroizing<[u8; 32]>> {
    let mut key = Zeroizing::new([0; 32]);
    kdf::derive(file_key.expose_secret(), salt, &[label], key.as_mut())?;
    Ok(key)
}
