//! A wrapping key that age wraps, for all recipients who were named together.
//!
//! Source: the age v1 format (c2sp.org/age), of whose header the recipient stanzas are, byte for
//! byte. What a recipient type does is up to the module `age` and to plugins.
//!
//! Security claim: that of the weakest recipient type among them; at most 128 bits, since that is
//! what an age file key has. A set of labels keeps types apart that should not be mixed, such as
//! post-quantum and classic.

#[cfg(feature = "age")]
use std::collections::HashSet;

use super::age_text::{self, AgeStanza, is_visible};
#[cfg(feature = "age")]
use crate::age::{BoundedIdentity, DecryptError, FILE_KEY_BYTES, FileKey, Recipient, WorkBudget};
use crate::error::{Error, HeaderError, Result};
#[cfg(feature = "age")]
use crate::key::random;

const LABELS_AT: usize = 2;

/// Recipient stanzas and their labels, as they stand in the header.
#[derive(Clone, Debug)]
pub(crate) struct AgeGroup {
    bytes: Vec<u8>,
    /// The length of the labels.
    labels: usize,
    stanzas: Vec<AgeStanza>,
}

/// The wrapping key of an age stanza: an age file key.
#[cfg(feature = "age")]
pub(crate) struct AgeKey(FileKey);

#[cfg(feature = "age")]
impl AgeKey {
    pub(crate) fn random() -> Result<Self> {
        FileKey::try_init_with_mut(|key| random(key)).map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8; FILE_KEY_BYTES] {
        self.0.expose_secret()
    }
}

impl AgeGroup {
    pub(crate) fn parse(specific: &[u8]) -> std::result::Result<Self, HeaderError> {
        let (length, rest) = specific.split_first_chunk().ok_or(HeaderError::AgeStanza)?;
        let length = usize::from(u16::from_le_bytes(*length));
        let (labels, rest) = rest.split_at_checked(length).ok_or(HeaderError::AgeStanza)?;
        if !labels_are_canonical(labels) {
            return Err(HeaderError::AgeStanza);
        }
        let stanzas = age_text::parse(rest).ok_or(HeaderError::AgeStanza)?;
        // Passphrases have a stanza of their own, with bounds on their cost.
        if stanzas.is_empty() || stanzas.iter().any(AgeStanza::is_scrypt) {
            return Err(HeaderError::AgeStanza);
        }
        Ok(Self { bytes: specific.to_vec(), labels: length, stanzas })
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The labels, separated by spaces.
    pub(crate) fn labels(&self) -> &[u8] {
        &self.bytes[LABELS_AT..LABELS_AT + self.labels]
    }

    pub(crate) fn stanzas(&self) -> &[AgeStanza] {
        &self.stanzas
    }
}

#[cfg(feature = "age")]
impl AgeGroup {
    /// Wraps `key` for every recipient.
    pub(crate) fn wrap(
        key: &AgeKey,
        recipients: &[Box<dyn Recipient + Send + Sync>],
    ) -> Result<Self> {
        let (stanzas, labels) = wrap_for_all(&key.0, recipients)?;
        let labels = labels.join(" ");
        let length = u16::try_from(labels.len()).map_err(|_| Error::TooManyRecipients)?;
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend_from_slice(labels.as_bytes());
        // A plugin's stanzas are checked as strictly as those of a file.
        let no_stanza = || Error::Age("a recipient gave an invalid age stanza".to_owned());
        bytes.extend(age_text::write(&stanzas).ok_or_else(no_stanza)?);
        Self::parse(&bytes).map_err(|_| no_stanza())
    }
}

#[cfg(feature = "age")]
impl From<FileKey> for AgeKey {
    fn from(key: FileKey) -> Self {
        Self(key)
    }
}

/// Wraps `key` for every recipient; with the labels that they have in common, sorted.
#[cfg(feature = "age")]
pub(crate) fn wrap_for_all(
    key: &FileKey,
    recipients: &[Box<dyn Recipient + Send + Sync>],
) -> Result<(Vec<AgeStanza>, Vec<String>)> {
    let mut stanzas = Vec::new();
    let mut common: Option<HashSet<String>> = None;
    for recipient in recipients {
        let (wrapped, labels) = recipient.wrap_file_key(key)?;
        if common.as_ref().is_some_and(|common| *common != labels) {
            return Err(Error::MixedRecipients);
        }
        common = Some(labels);
        stanzas.extend(wrapped);
    }
    let mut labels: Vec<_> = common.unwrap_or_default().into_iter().collect();
    labels.sort();
    Ok((stanzas, labels))
}

/// The key that is wrapped in `stanzas`, or `None` if none of them is for `identity`. The work is
/// taken from `left`.
#[cfg(feature = "age")]
pub(crate) fn unwrap_with(
    stanzas: &[AgeStanza],
    identity: &dyn BoundedIdentity,
    left: &mut WorkBudget,
) -> Result<Option<FileKey>> {
    left.take(identity, stanzas)?;
    // An SSH stanza shows only a short part of its key's hash: one for another key may stand
    // before.
    let one_by_one = || stanzas.chunks(1).find_map(|one| identity.unwrap_stanzas(one)?.ok());
    match identity.unwrap_stanzas(stanzas) {
        None => Ok(None),
        Some(Err(DecryptError::DecryptionFailed)) => Ok(one_by_one()),
        Some(Ok(key)) => Ok(Some(key)),
        Some(Err(error)) => Err(error.into()),
    }
}

/// Visible ASCII, ascending, each once, one space between them; or nothing.
fn labels_are_canonical(labels: &[u8]) -> bool {
    let labels: Vec<_> = match labels {
        [] => return true,
        _ => labels.split(|&b| b == b' ').collect(),
    };
    labels.iter().all(|label| is_visible(label)) && labels.is_sorted_by(|a, b| a < b)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "age")]
    use crate::age::{EncryptError, Identity};

    /// One recipient whose stanza begins as that of another, of whom the first is refused.
    #[cfg(feature = "age")]
    struct Colliding;

    #[cfg(feature = "age")]
    impl Recipient for Colliding {
        fn wrap_file_key(
            &self,
            file_key: &FileKey,
        ) -> std::result::Result<(Vec<AgeStanza>, HashSet<String>), EncryptError> {
            let stanza = |args: &[&str], body: &[u8]| AgeStanza {
                tag: "test".to_owned(),
                args: args.iter().map(|&arg| arg.to_owned()).collect(),
                body: body.to_vec(),
            };
            let theirs = stanza(&["tag", "theirs"], b"");
            Ok((vec![theirs, stanza(&["tag"], file_key.expose_secret())], HashSet::new()))
        }
    }

    #[cfg(feature = "age")]
    impl BoundedIdentity for Colliding {
        fn work(&self, _: &AgeStanza) -> u32 {
            crate::age::MAX_WORK / 2
        }
    }

    #[cfg(feature = "age")]
    impl Identity for Colliding {
        fn unwrap_stanza(
            &self,
            stanza: &AgeStanza,
        ) -> Option<std::result::Result<FileKey, DecryptError>> {
            let key = stanza.body.as_slice().try_into().map_err(|_| DecryptError::DecryptionFailed);
            Some(key.map(|key: [u8; FILE_KEY_BYTES]| FileKey::new(Box::new(key))))
        }
    }

    #[cfg(feature = "age")]
    #[test]
    fn a_stanza_that_only_looks_like_ours_does_not_hide_ours() {
        let key = AgeKey::random().unwrap();
        let group = AgeGroup::wrap(&key, &[Box::new(Colliding)]).unwrap();
        let group = AgeGroup::parse(group.as_bytes()).unwrap();
        let stanzas = group.stanzas();
        let left = &mut WorkBudget::new();
        let found = unwrap_with(stanzas, &Colliding, left).unwrap().unwrap();
        assert_eq!(found.expose_secret(), key.bytes());
        // That was all the work that may be done.
        let again = unwrap_with(stanzas, &Colliding, left).err();
        assert!(matches!(again, Some(Error::AgeTries)), "{again:?}");
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
