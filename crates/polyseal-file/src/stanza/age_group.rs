//! A wrapping key that age wraps, for all recipients who were named together.
//!
//! Source: the age v1 format (c2sp.org/age), of whose header the recipient stanzas are, byte for
//! byte. What a recipient type does is up to the `age` crate and its plugins.
//!
//! Security claim: that of the weakest recipient type among them; at most 128 bits, since that is
//! what an age file key has. A set of labels keeps types apart that should not be mixed, such as
//! post-quantum and classic.

use std::collections::HashSet;

use ::age::secrecy::ExposeSecret;
use ::age::{DecryptError, Identity, Recipient};
use age_core::format::{FILE_KEY_BYTES, FileKey, Stanza, is_arbitrary_string, read, write};

use crate::error::{Error, HeaderError, Result};
use crate::key::random;

const LABELS_AT: usize = 2;

/// Recipient stanzas and their labels, as they stand in the header.
#[derive(Clone, Debug)]
pub(crate) struct AgeGroup {
    bytes: Vec<u8>,
    /// The length of the labels.
    labels: usize,
    stanzas: Vec<Copied>,
}

/// An age stanza that can be cloned.
#[derive(Clone, Debug)]
pub(crate) struct Copied {
    tag: String,
    args: Vec<String>,
    body: Vec<u8>,
}

impl Copied {
    /// The type of recipient.
    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    fn to_age(&self) -> Stanza {
        Stanza { tag: self.tag.clone(), args: self.args.clone(), body: self.body.clone() }
    }
}

impl From<Stanza> for Copied {
    fn from(stanza: Stanza) -> Self {
        Self { tag: stanza.tag, args: stanza.args, body: stanza.body }
    }
}

/// The wrapping key of an age stanza: an age file key.
pub(crate) struct AgeKey(FileKey);

impl AgeKey {
    pub(crate) fn random() -> Result<Self> {
        FileKey::try_init_with_mut(|key| random(key)).map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8; FILE_KEY_BYTES] {
        self.0.expose_secret()
    }
}

impl AgeGroup {
    /// Wraps `key` for every recipient.
    pub(crate) fn wrap(
        key: &AgeKey,
        recipients: &[Box<dyn Recipient + Send + Sync>],
    ) -> Result<Self> {
        let mut stanzas = Vec::new();
        let mut common: Option<HashSet<String>> = None;
        for recipient in recipients {
            let (wrapped, labels) =
                recipient.wrap_file_key(&key.0).map_err(|e| Error::age_encrypt(&e))?;
            if common.as_ref().is_some_and(|common| *common != labels) {
                return Err(Error::MixedRecipients);
            }
            common = Some(labels);
            stanzas.extend(wrapped);
        }
        let mut labels: Vec<_> = common.unwrap_or_default().into_iter().collect();
        labels.sort();
        let labels = labels.join(" ");
        let length = u16::try_from(labels.len()).map_err(|_| Error::TooManyRecipients)?;
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend_from_slice(labels.as_bytes());
        bytes.extend(text(&stanzas)?);
        // What a plugin gave is looked at as strictly as what is read.
        Self::parse(&bytes).map_err(|_| Error::Age("a recipient gave what is no age stanza".into()))
    }

    pub(crate) fn parse(specific: &[u8]) -> std::result::Result<Self, HeaderError> {
        let (length, rest) = specific.split_first_chunk().ok_or(HeaderError::AgeStanza)?;
        let length = usize::from(u16::from_le_bytes(*length));
        let (labels, mut rest) = rest.split_at_checked(length).ok_or(HeaderError::AgeStanza)?;
        if !labels_are_canonical(labels) {
            return Err(HeaderError::AgeStanza);
        }
        let area = rest;
        let mut stanzas = Vec::new();
        while !rest.is_empty() {
            let (after, stanza) = read::age_stanza(rest).map_err(|_| HeaderError::AgeStanza)?;
            rest = after;
            stanzas.push(Stanza::from(stanza));
        }
        // One spelling; and passphrases have a stanza of their own, with bounds on their cost.
        let canonical = text(&stanzas).is_ok_and(|text| text == area);
        if stanzas.is_empty() || !canonical || stanzas.iter().any(|s| s.tag == "scrypt") {
            return Err(HeaderError::AgeStanza);
        }
        let stanzas = stanzas.into_iter().map(Copied::from).collect();
        Ok(Self { bytes: specific.to_vec(), labels: length, stanzas })
    }

    /// The wrapping key, or `None` if none of the stanzas is for `identity`.
    pub(crate) fn unwrap(&self, identity: &dyn Identity) -> Result<Option<AgeKey>> {
        let stanzas: Vec<_> = self.stanzas.iter().map(Copied::to_age).collect();
        // What an SSH stanza shows of its key is short: one for another key may stand before.
        let one_by_one =
            || stanzas.chunks(1).find_map(|one| identity.unwrap_stanzas(one)?.ok()).map(AgeKey);
        match identity.unwrap_stanzas(&stanzas) {
            None | Some(Err(DecryptError::NoMatchingKeys)) => Ok(None),
            Some(Err(DecryptError::DecryptionFailed)) => Ok(one_by_one()),
            Some(Ok(key)) => Ok(Some(AgeKey(key))),
            Some(Err(DecryptError::InvalidHeader)) => Err(HeaderError::AgeStanza.into()),
            Some(Err(error)) => Err(Error::age_decrypt(&error)),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The labels, separated by spaces.
    pub(crate) fn labels(&self) -> &[u8] {
        &self.bytes[LABELS_AT..LABELS_AT + self.labels]
    }

    pub(crate) fn stanzas(&self) -> &[Copied] {
        &self.stanzas
    }
}

fn text(stanzas: &[Stanza]) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    for stanza in stanzas {
        let args: Vec<_> = stanza.args.iter().map(String::as_str).collect();
        let written = cookie_factory::gen_simple(
            write::age_stanza(&stanza.tag, &args, &stanza.body),
            &mut text,
        );
        written.map_err(|_| Error::Age("a recipient gave what is no age stanza".to_owned()))?;
    }
    Ok(text)
}

/// Visible ASCII, ascending, each once, one space between them; or nothing.
fn labels_are_canonical(labels: &[u8]) -> bool {
    let labels: Vec<_> = match labels {
        [] => return true,
        _ => labels.split(|&b| b == b' ').collect(),
    };
    let visible = |label: &&[u8]| str::from_utf8(label).is_ok_and(|l| is_arbitrary_string(&l));
    labels.iter().all(visible) && labels.is_sorted_by(|a, b| a < b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One recipient whose stanza begins as that of another, of whom the first is refused.
    struct Colliding;

    impl Recipient for Colliding {
        fn wrap_file_key(
            &self,
            file_key: &FileKey,
        ) -> std::result::Result<(Vec<Stanza>, HashSet<String>), ::age::EncryptError> {
            let stanza = |args: &[&str], body: &[u8]| Stanza {
                tag: "test".to_owned(),
                args: args.iter().map(|&arg| arg.to_owned()).collect(),
                body: body.to_vec(),
            };
            let theirs = stanza(&["tag", "theirs"], b"");
            Ok((vec![theirs, stanza(&["tag"], file_key.expose_secret())], HashSet::new()))
        }
    }

    impl Identity for Colliding {
        fn unwrap_stanza(
            &self,
            stanza: &Stanza,
        ) -> Option<std::result::Result<FileKey, DecryptError>> {
            let key = stanza.body.as_slice().try_into().map_err(|_| DecryptError::DecryptionFailed);
            Some(key.map(|key: [u8; FILE_KEY_BYTES]| FileKey::new(Box::new(key))))
        }
    }

    #[test]
    fn a_stanza_that_only_looks_like_ours_does_not_hide_ours() {
        let key = AgeKey::random().unwrap();
        let group = AgeGroup::wrap(&key, &[Box::new(Colliding)]).unwrap();
        let group = AgeGroup::parse(group.as_bytes()).unwrap();
        let found = group.unwrap(&Colliding).unwrap().unwrap();
        assert_eq!(found.bytes(), key.bytes());
    }

    #[test]
    fn labels() {
        for good in ["", "postquantum", "a b", "B a"] {
            assert!(labels_are_canonical(good.as_bytes()), "{good}");
        }
        for bad in [" ", "a ", " a", "b a", "a a", "a  b", "\u{e9}", "a\tb", "a\n"] {
            assert!(!labels_are_canonical(bad.as_bytes()), "{bad:?}");
        }
    }
}
