//! The header: the file's parameters, its recipients' stanzas, and the MAC that binds them
//! together.
//!
//! Source: `docs/spec/file-format.md`, sections 1, 5 and 7. It fills a multiple of 4096 bytes, so
//! that its stanzas can change without the payload moving: fixed fields, stanzas, zeros, and at the
//! very end HMAC-SHA-256 over everything before it, under a key derived from the file key.
//! [`Header::parse`] bounds every field before anything is allocated or computed for it; only
//! [`Header::unlock`] says that the header is authentic.

use std::fmt;
use std::io::Read;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::armor::begins_armored;
use crate::commitment::{COMMITMENT_BYTES, Commitment};
use crate::error::{Error, HeaderError, Result, io};
use crate::kdf::{
    self, COMMITMENT_LABEL, CONTEXT_LABEL, HEADER_LABEL, HOLDER_LABEL, MAC_BYTES, PAYLOAD_LABEL,
};
use crate::key::{KEY_BYTES, Key, random};
use crate::layout::SegmentSize;
use crate::passphrase::Context;
use crate::read_at::ReadAt;
use crate::recipients::{Identities, Recipients};
use crate::stanza::{Binding, Method, Stanza, StanzaDraft};
use crate::statement::Statement;
use crate::suite::{MAX_KEY_BYTES, NAME_BYTES, Suite};
use crate::whole_file::header_reader;

/// The first bytes of every file.
pub const MAGIC: [u8; 8] = *b"polyseal";
/// The format's version.
pub const VERSION: u16 = 1;
/// The shortest header in bytes; the length of every header is a multiple of it.
pub const MIN_HEADER_BYTES: usize = 4096;
/// The longest header in bytes.
pub const MAX_HEADER_BYTES: usize = 65536;
/// The largest number of stanzas, and of recipients.
pub const MAX_RECIPIENTS: usize = 128;

const SALT_BYTES: usize = 32;
const CONTEXT_TAG_BYTES: usize = 32;
// Offsets of the fields; the stanzas follow the context tag, the MAC is at the end.
const VERSION_AT: usize = 8;
const STANZAS_AT: usize = 10;
const SEGMENT_AT: usize = 12;
const PAYLOAD_AT: usize = 16;
const RESERVED_AT: usize = 24;
const SALT_AT: usize = 32;
const SUITE_AT: usize = 64;
const CONTEXT_AT: usize = SUITE_AT + NAME_BYTES;
const STANZA_AREA_AT: usize = CONTEXT_AT + CONTEXT_TAG_BYTES;
/// The length in bytes of the fields that every header has.
pub(crate) const FIXED_BYTES: usize = STANZA_AREA_AT;
/// The room for other stanzas that a new header is given.
const SPARE_BYTES: usize = 2048;

/// A header: well-formed, and authentic if it was made here; not if it was read.
#[derive(Clone, Debug)]
pub struct Header {
    suite: Suite,
    segment: SegmentSize,
    stanzas: Vec<Stanza>,
    bytes: Vec<u8>,
}

/// Whether a file keeps the recipients that it has when others are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingRecipients {
    /// They stay.
    Keep,
    /// They go.
    Remove,
}

/// The key of the payload: as many bytes as the suite's key has.
pub(crate) struct PayloadKey(Zeroizing<Vec<u8>>);

impl PayloadKey {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Header {
    /// A header for a new file, and its file key.
    ///
    /// # Errors
    /// [`Error::SuiteLeftOut`], before anything is computed; those of [`Recipients::stanzas`].
    pub(crate) fn create(
        recipients: &Recipients,
        suite: Suite,
        segment: SegmentSize,
        context: Option<&Context>,
        least_bytes: usize,
    ) -> Result<(Self, Key)> {
        suite.algorithm()?;
        // Both in one call of the system, for each of many files.
        let mut drawn = Zeroizing::new([[0; KEY_BYTES]; 2]);
        random(drawn.as_flattened_mut())?;
        let (file_key, salt): (_, [u8; SALT_BYTES]) = (Key::from_bytes(&drawn[0]), drawn[1]);
        let stanzas = recipients.stanzas()?;
        let mut fixed = [0; STANZA_AREA_AT];
        let mut put = |at: usize, field: &[u8]| {
            fixed[at..at + field.len()].copy_from_slice(field);
        };
        put(0, &MAGIC);
        put(VERSION_AT, &VERSION.to_le_bytes());
        put(SEGMENT_AT, &segment.bytes().to_le_bytes());
        let length = length_for(&stanzas).max(least_bytes).next_multiple_of(MIN_HEADER_BYTES);
        put(PAYLOAD_AT, &(length.min(MAX_HEADER_BYTES) as u64).to_le_bytes());
        put(SALT_AT, &salt);
        put(SUITE_AT, suite.to_string().as_bytes());
        if let Some(context) = context {
            put(CONTEXT_AT, &context_tag(&file_key, &salt, context)?);
        }
        let header = Self::assemble(&fixed, Vec::new(), stanzas, &file_key)?;
        Ok((header, file_key))
    }

    /// The fixed fields, stanzas, zeros and MAC, as a header that is as strictly looked at as any.
    fn assemble(
        fixed: &[u8; STANZA_AREA_AT],
        mut stanzas: Vec<Stanza>,
        new: Vec<StanzaDraft>,
        file_key: &Key,
    ) -> Result<Self> {
        for stanza in new {
            stanzas.push(stanza.seal(file_key, binding(fixed))?);
        }
        let mut bytes = fixed.to_vec();
        let length = payload_offset(fixed)?;
        let recipients: usize = stanzas.iter().map(Stanza::recipients).sum();
        stanzas.iter().for_each(|stanza| bytes.extend_from_slice(stanza.as_bytes()));
        if bytes.len() + MAC_BYTES > length || recipients > MAX_RECIPIENTS {
            return Err(Error::TooManyRecipients);
        }
        // No truncation: there are at most as many stanzas as recipients.
        bytes[STANZAS_AT..SEGMENT_AT].copy_from_slice(&(stanzas.len() as u16).to_le_bytes());
        bytes.resize(length - MAC_BYTES, 0);
        let salt = &fixed[SALT_AT..SUITE_AT];
        let mac = kdf::mac(&*mac_key(file_key, salt)?, &[&bytes]);
        bytes.extend_from_slice(&mac);
        Self::parse(&bytes).map_err(|error| match error {
            Error::Header(HeaderError::AgeLabels) => Error::MixedRecipients,
            Error::Header(HeaderError::PassphraseNotAlone) => Error::PassphraseNotAlone,
            other => other,
        })
    }

    /// Reads a header from where `input` stands, and not a byte more.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and [`Error::Io`].
    pub fn read(input: &mut (impl Read + ?Sized)) -> Result<Self> {
        let mut bytes = Vec::with_capacity(MIN_HEADER_BYTES);
        let mut read = |bytes: &mut Vec<u8>, length: usize| {
            let wanted = (length - bytes.len()) as u64;
            (&mut *input).take(wanted).read_to_end(bytes).map_err(io("read the input"))
        };
        read(&mut bytes, MIN_HEADER_BYTES)?;
        let length = Self::announced(&bytes)?;
        read(&mut bytes, length)?;
        Self::parse(&bytes)
    }

    /// Reads the header at the beginning of a source.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and [`Error::Io`].
    pub fn read_at(source: &impl ReadAt) -> Result<Self> {
        Self::read(&mut header_reader(source))
    }

    /// The length of the header that begins with `bytes`.
    pub(crate) fn announced(bytes: &[u8]) -> Result<usize> {
        if bytes.starts_with(b"age-encryption.org/") {
            return Err(Error::AgeFile);
        }
        let known = bytes.len().min(MAGIC.len());
        if bytes.is_empty() || bytes[..known] != MAGIC[..known] {
            let armored = begins_armored(bytes);
            return Err(if armored { Error::Armored } else { Error::NotAPolysealFile });
        }
        let (version, _) = bytes[known..].split_first_chunk().ok_or(Error::Truncated)?;
        let version = u16::from_le_bytes(*version);
        if version != VERSION {
            return Err(Error::UnsupportedVersion(version));
        }
        payload_offset(bytes.first_chunk().ok_or(Error::Truncated)?)
    }

    /// The header at the beginning of `bytes`, every field within its bounds. Nothing is
    /// authenticated.
    ///
    /// # Errors
    /// [`Error::NotAPolysealFile`], [`Error::AgeFile`], [`Error::Armored`],
    /// [`Error::UnsupportedVersion`], [`Error::Truncated`] or [`Error::Header`], whichever is found
    /// first. With the second and the third the input is another's to read:
    /// [`age::v1::Header`](crate::age::v1::Header), and [`ArmorReader`](crate::ArmorReader).
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let length = Self::announced(bytes)?;
        let bytes = bytes.get(..length).ok_or(Error::Truncated)?;
        let (segment, suite) = Self::sizes(bytes)?;
        let count = usize::from(u16::from_le_bytes(field(bytes, STANZAS_AT)));
        if !(1..=MAX_RECIPIENTS).contains(&count) {
            return Err(HeaderError::Stanzas.into());
        }
        let mut area = &bytes[STANZA_AREA_AT..length - MAC_BYTES];
        let mut stanzas = Vec::with_capacity(count);
        for _ in 0..count {
            let (stanza, rest) = Stanza::parse(area)?;
            area = rest;
            stanzas.push(stanza);
        }
        check_together(&stanzas)?;
        // All of them, side by side: one after the other takes longer than to seal a small file.
        if !is_zero(area) || !is_zero(&bytes[RESERVED_AT..SALT_AT]) {
            return Err(HeaderError::Padding.into());
        }
        Ok(Self { suite, segment, stanzas, bytes: bytes.to_vec() })
    }

    /// The segment size and suite of the header that begins with `bytes`, whose length has been
    /// [`announced`](Self::announced).
    pub(crate) fn sizes(bytes: &[u8]) -> Result<(SegmentSize, Suite)> {
        let segment = SegmentSize::new(u32::from_le_bytes(field(bytes, SEGMENT_AT)).into())
            .map_err(|_| HeaderError::SegmentSize)?;
        Ok((segment, parse_suite(&bytes[SUITE_AT..CONTEXT_AT])?))
    }

    /// The header, if it is authentic and for one of `identities`.
    ///
    /// # Errors
    /// [`Error::NoMatchingKey`] and its like, or [`Error::HeaderNotAuthentic`].
    pub fn authenticate(&self, identities: &Identities<'_>) -> Result<AuthenticHeader<'_>> {
        Ok(AuthenticHeader { header: self, file_key: self.unlock(identities)? })
    }

    /// The file key, after the header has proven authentic.
    ///
    /// # Errors
    /// [`Error::NoMatchingKey`] and its like if no stanza is for any of `identities`,
    /// [`Error::HeaderNotAuthentic`] if one is and any byte of the header has been altered.
    pub(crate) fn unlock(&self, identities: &Identities<'_>) -> Result<Key> {
        let (covered, mac) = self.bytes.split_at(self.bytes.len() - MAC_BYTES);
        identities.unwrap(&self.stanzas, binding(&self.bytes), |file_key| {
            Ok(kdf::verify(&*mac_key(file_key, &self.file_salt())?, &[covered], mac))
        })
    }

    /// The key of the payload of an authentic header.
    ///
    /// # Errors
    /// [`Error::ContextMissing`], [`Error::ContextDiffers`] or [`Error::ContextUnexpected`].
    pub(crate) fn open_payload(
        &self,
        file_key: &Key,
        context: Option<&Context>,
    ) -> Result<PayloadKey> {
        self.expect_context(file_key, context)?;
        self.payload_key(file_key, context)
    }

    pub(crate) fn expect_context(&self, file_key: &Key, context: Option<&Context>) -> Result<()> {
        match (self.has_context(), context) {
            (false, None) => {}
            (true, None) => return Err(Error::ContextMissing),
            (false, Some(_)) => return Err(Error::ContextUnexpected),
            (true, Some(context)) => {
                let tag = context_tag(file_key, &self.file_salt(), context)?;
                if !bool::from(tag.ct_eq(self.context_tag())) {
                    return Err(Error::ContextDiffers);
                }
            }
        }
        Ok(())
    }

    /// See [`AuthenticHeader::rekey`].
    pub(crate) fn rekey(
        &self,
        file_key: &Key,
        recipients: &Recipients,
        existing: ExistingRecipients,
    ) -> Result<Self> {
        let kept = match existing {
            ExistingRecipients::Keep => self.stanzas.clone(),
            ExistingRecipients::Remove => Vec::new(),
        };
        let fixed = self.bytes.first_chunk().ok_or(Error::Truncated)?;
        Self::assemble(fixed, kept, recipients.stanzas()?, file_key)
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
    pub fn file_salt(&self) -> [u8; COMMITMENT_BYTES] {
        field(&self.bytes, SALT_AT)
    }

    /// Whether the file is bound to a context.
    #[must_use]
    pub fn has_context(&self) -> bool {
        self.context_tag().iter().any(|&b| b != 0)
    }

    /// Where the payload begins: the length of the header in bytes.
    #[must_use]
    pub fn payload_offset(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The header as it stands in the file.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that are free for other stanzas.
    #[must_use]
    pub fn spare_bytes(&self) -> usize {
        let stanzas: usize = self.stanzas.iter().map(|s| s.as_bytes().len()).sum();
        self.bytes.len() - STANZA_AREA_AT - stanzas - MAC_BYTES
    }

    pub(crate) fn stanzas(&self) -> &[Stanza] {
        &self.stanzas
    }

    /// The tag of the context that the file is bound to; zeros for none.
    pub(crate) fn context_tag_bytes(&self) -> [u8; SALT_BYTES] {
        field(&self.bytes, CONTEXT_AT)
    }

    fn context_tag(&self) -> &[u8] {
        &self.bytes[CONTEXT_AT..STANZA_AREA_AT]
    }

    /// HKDF(file key; salt = file salt; info = label ‖ version ‖ segment size ‖ payload offset ‖
    /// suite, zero-padded to 64 bytes ‖ context): the fields as they stand in the header.
    pub(crate) fn payload_key(
        &self,
        file_key: &Key,
        context: Option<&Context>,
    ) -> Result<PayloadKey> {
        let mut key = Zeroizing::new(vec![0; self.suite.key_bytes()]);
        debug_assert!(key.len() <= MAX_KEY_BYTES);
        let bytes = &self.bytes[..];
        let info = [
            PAYLOAD_LABEL,
            &bytes[VERSION_AT..STANZAS_AT],
            &bytes[SEGMENT_AT..RESERVED_AT],
            &bytes[SUITE_AT..CONTEXT_AT],
            context.map_or(&[], Context::bytes),
        ];
        kdf::derive(file_key.bytes(), &self.file_salt(), &info, &mut key)?;
        Ok(PayloadKey(key))
    }
}

impl Header {
    /// The commitment to the file key, and to every field that the payload key is derived from; it
    /// does not depend on the recipients.
    pub(crate) fn key_commitment(&self, file_key: &Key) -> Result<[u8; COMMITMENT_BYTES]> {
        self.commitment_as(COMMITMENT_LABEL, file_key)
    }

    /// The same for a statement.
    pub(crate) fn holder(&self, file_key: &Key) -> Result<[u8; COMMITMENT_BYTES]> {
        self.commitment_as(HOLDER_LABEL, file_key)
    }

    fn commitment_as(&self, label: &[u8], file_key: &Key) -> Result<[u8; COMMITMENT_BYTES]> {
        let mut commitment = [0; COMMITMENT_BYTES];
        let Binding([before, behind]) = binding(&self.bytes);
        let info = [label, before, behind];
        kdf::derive(file_key.bytes(), &self.file_salt(), &info, &mut commitment)?;
        Ok(commitment)
    }
}

/// A header that has been opened.
pub struct AuthenticHeader<'a> {
    header: &'a Header,
    file_key: Key,
}

impl AuthenticHeader<'_> {
    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        self.header
    }

    /// The value by which a statement is bound to its file.
    pub(crate) fn holder(&self) -> Result<[u8; COMMITMENT_BYTES]> {
        self.header.holder(&self.file_key)
    }

    pub(crate) fn expect_stated(&self, statement: &Statement) -> Result<()> {
        statement.expect_key(self.header, &self.file_key)
    }

    /// A header for the same payload and other recipients, of the same length.
    ///
    /// It does not lock out anyone who could open this one: they may have kept the file key, and
    /// this header stays a valid one. To revoke, the file must be encrypted anew.
    ///
    /// # Errors
    /// [`Error::NoRecipients`], [`Error::MixedRecipients`], [`Error::PassphraseNotAlone`], or
    /// [`Error::TooManyRecipients`] if they do not fit.
    pub fn rekey(&self, recipients: &Recipients, existing: ExistingRecipients) -> Result<Header> {
        self.header.rekey(&self.file_key, recipients, existing)
    }

    /// Whether the file key, and all that the payload key is derived from, are those of
    /// `commitment`. The payload itself is not looked at.
    ///
    /// # Errors
    /// [`Error::OtherFile`] if they are not.
    pub fn expect(&self, commitment: &Commitment) -> Result<()> {
        let key = self.header.key_commitment(&self.file_key)?;
        // CT: the verdict is public.
        if commitment.has_key(&self.header.file_salt(), &key) {
            Ok(())
        } else {
            Err(Error::OtherFile)
        }
    }

    /// Whether the file is bound to `context`, or to none; a rekey does not need to know.
    ///
    /// # Errors
    /// [`Error::ContextMissing`], [`Error::ContextDiffers`] or [`Error::ContextUnexpected`].
    pub fn expect_context(&self, context: Option<&Context>) -> Result<()> {
        self.header.expect_context(&self.file_key, context)
    }
}

impl fmt::Debug for AuthenticHeader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthenticHeader").field("header", self.header).finish_non_exhaustive()
    }
}

/// All before the stanzas but their number.
fn binding(bytes: &[u8]) -> Binding<'_> {
    Binding([&bytes[..STANZAS_AT], &bytes[SEGMENT_AT..STANZA_AREA_AT]])
}

fn mac_key(file_key: &Key, salt: &[u8]) -> Result<Zeroizing<[u8; MAC_BYTES]>> {
    let mut key = Zeroizing::new([0; MAC_BYTES]);
    kdf::derive(file_key.bytes(), salt, &[HEADER_LABEL], key.as_mut())?;
    Ok(key)
}

fn context_tag(file_key: &Key, salt: &[u8], context: &Context) -> Result<[u8; CONTEXT_TAG_BYTES]> {
    let mut tag = [0; CONTEXT_TAG_BYTES];
    kdf::derive(file_key.bytes(), salt, &[CONTEXT_LABEL, context.bytes()], &mut tag)?;
    Ok(tag)
}

/// The bytes of a header that has these stanzas and some room for more.
fn length_for(stanzas: &[StanzaDraft]) -> usize {
    let stanzas: usize = stanzas.iter().map(StanzaDraft::length).sum();
    STANZA_AREA_AT + stanzas + MAC_BYTES + SPARE_BYTES
}

fn payload_offset(fixed: &[u8; STANZA_AREA_AT]) -> Result<usize> {
    let offset = u64::from_le_bytes(field(fixed, PAYLOAD_AT));
    usize::try_from(offset)
        .ok()
        .filter(|n| (MIN_HEADER_BYTES..=MAX_HEADER_BYTES).contains(n))
        .filter(|n| n.is_multiple_of(MIN_HEADER_BYTES))
        .ok_or_else(|| HeaderError::PayloadOffset.into())
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |any, byte| any | byte) == 0
}

/// Checks the rules on which stanzas may stand beside each other.
fn check_together(stanzas: &[Stanza]) -> std::result::Result<(), HeaderError> {
    if stanzas.iter().map(Stanza::recipients).sum::<usize>() > MAX_RECIPIENTS {
        return Err(HeaderError::Stanzas);
    }
    if stanzas.len() > 1 && stanzas.iter().any(|s| matches!(s.method(), Method::Passphrase(_))) {
        return Err(HeaderError::PassphraseNotAlone);
    }
    let mut labels = stanzas.iter().filter_map(|stanza| match stanza.method() {
        Method::Age(group) => Some(group.labels()),
        _ => None,
    });
    let first = labels.next();
    if labels.any(|labels| Some(labels) != first) {
        return Err(HeaderError::AgeLabels);
    }
    Ok(())
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
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
    Suite::named(text).ok_or_else(|| HeaderError::Suite.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Anyone who has the file key can write any context tag: all of its bytes are compared.
    #[test]
    fn a_context_tag_is_compared_to_its_last_byte() {
        let (key, segment) = (Key::generate().unwrap(), SegmentSize::default());
        let recipients = Recipients::new().key(key.clone());
        let context = Context::new("shop").unwrap();
        let suite = crate::suite::DEFAULT_SUITE.parse().unwrap();
        let (mut header, _) =
            Header::create(&recipients, suite, segment, Some(&context), MIN_HEADER_BYTES).unwrap();
        let file_key = header.unlock(&Identities::new().key(key)).unwrap();
        assert!(header.open_payload(&file_key, Some(&context)).is_ok());
        for at in CONTEXT_AT..STANZA_AREA_AT {
            header.bytes[at] ^= 1;
            let opened = header.open_payload(&file_key, Some(&context));
            assert!(matches!(opened, Err(Error::ContextDiffers)), "byte {at}");
            header.bytes[at] ^= 1;
        }
    }
}
