//! The recipients of a file, and the identities that open it.
//!
//! Keys, age recipients and identities can be combined; a passphrase stands alone, as in age: a
//! file with one is as weak as that, whatever else could open it.

use std::fmt;
use std::marker::PhantomData;

#[cfg(feature = "age")]
use crate::age::{BoundedIdentity, FileKey, Recipient, WorkBudget};
use crate::error::{Error, Result};
use crate::key::Key;
#[cfg(feature = "passphrase")]
use crate::passphrase::Passphrase;
#[cfg(feature = "passphrase")]
use crate::stanza::Cost;
#[cfg(feature = "age")]
use crate::stanza::{AgeGroup, AgeKey, AgeStanza, unwrap_with, wrap_for_all};
use crate::stanza::{Binding, Method, Salt, Stanza, StanzaDraft, UnwrapResult};

/// The recipients, who will be able to open a file.
#[derive(Default)]
pub struct Recipients {
    keys: Vec<Key>,
    #[cfg(feature = "passphrase")]
    passphrase: Option<Passphrase>,
    #[cfg(feature = "age")]
    age: Vec<Box<dyn Recipient + Send + Sync>>,
}

impl Recipients {
    /// Nobody yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// For everyone who has this key, too.
    #[must_use]
    pub fn key(mut self, key: Key) -> Self {
        self.keys.push(key);
        self
    }

    /// For everyone who knows this passphrase, and nobody else.
    #[cfg(feature = "passphrase")]
    #[must_use]
    pub fn passphrase(mut self, passphrase: Passphrase) -> Self {
        self.passphrase = Some(passphrase);
        self
    }

    /// And these age recipients; a post-quantum one does not go with others.
    #[cfg(feature = "age")]
    #[must_use]
    pub fn age(
        mut self,
        recipients: impl IntoIterator<Item = Box<dyn Recipient + Send + Sync>>,
    ) -> Self {
        self.age.extend(recipients);
        self
    }

    /// Whether there is nobody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.has_passphrase() && self.age_recipients() == 0
    }

    fn has_passphrase(&self) -> bool {
        #[cfg(feature = "passphrase")]
        return self.passphrase.is_some();
        #[cfg(not(feature = "passphrase"))]
        false
    }

    fn age_recipients(&self) -> usize {
        #[cfg(feature = "age")]
        return self.age.len();
        #[cfg(not(feature = "age"))]
        0
    }

    /// A stanza for each, before it is known which file they are for.
    pub(crate) fn stanzas(&self) -> Result<Vec<StanzaDraft>> {
        if self.is_empty() {
            return Err(Error::NoRecipients);
        }
        let mut stanzas = Vec::new();
        for key in &self.keys {
            stanzas.push(StanzaDraft::new(Method::KeyFile, Salt::random()?, key.bytes()));
        }
        #[cfg(feature = "passphrase")]
        if let Some(passphrase) = &self.passphrase {
            if !self.keys.is_empty() || self.age_recipients() > 0 {
                return Err(Error::PassphraseNotAlone);
            }
            let (salt, cost) = (Salt::random()?, Cost::RECOMMENDED);
            let key = cost.stretch(passphrase, salt.as_bytes())?;
            stanzas.push(StanzaDraft::new(Method::Passphrase(cost), salt, &key[..]));
        }
        #[cfg(feature = "age")]
        if !self.age.is_empty() {
            let key = AgeKey::random()?;
            let group = AgeGroup::wrap(&key, &self.age)?;
            stanzas.push(StanzaDraft::new(Method::Age(group), Salt::random()?, key.bytes()));
        }
        Ok(stanzas)
    }

    /// The stanzas that wrap the key of an age file for them, and the labels that they have in
    /// common.
    #[cfg(feature = "age")]
    pub(crate) fn age_stanzas(&self, file_key: &FileKey) -> Result<(Vec<AgeStanza>, Vec<String>)> {
        if !self.keys.is_empty() {
            return Err(Error::AgeKeyFile);
        }
        #[cfg(feature = "passphrase")]
        if let Some(passphrase) = &self.passphrase {
            if !self.age.is_empty() {
                return Err(Error::PassphraseNotAlone);
            }
            let stanza = crate::age::v1::wrap_scrypt(file_key, passphrase)?;
            return Ok((vec![stanza], Vec::new()));
        }
        if self.age.is_empty() {
            return Err(Error::NoRecipients);
        }
        wrap_for_all(file_key, &self.age)
    }
}

impl From<&Key> for Recipients {
    fn from(key: &Key) -> Self {
        Self::new().key(key.clone())
    }
}

impl fmt::Debug for Recipients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recipients")
            .field("keys", &self.keys.len())
            .field("passphrase", &self.has_passphrase())
            .field("age", &self.age_recipients())
            .finish()
    }
}

#[cfg(feature = "age")]
type BoxedIdentity = Box<dyn BoundedIdentity>;
#[cfg(feature = "passphrase")]
type PassphrasePrompt<'a> = Box<dyn Fn() -> Result<Passphrase> + Send + Sync + 'a>;

/// The keys, identities and passphrase to open a file with.
#[derive(Default)]
pub struct Identities<'a> {
    keys: Vec<Key>,
    #[cfg(feature = "passphrase")]
    ask: Option<PassphrasePrompt<'a>>,
    #[cfg(feature = "age")]
    age: Vec<BoxedIdentity>,
    /// Where passphrases are not a feature, nothing is borrowed.
    borrowed: PhantomData<&'a ()>,
}

impl<'a> Identities<'a> {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// And this key.
    #[must_use]
    pub fn key(mut self, key: Key) -> Self {
        self.keys.push(key);
        self
    }

    /// And the passphrase that `ask` gives. It is asked only for a file that has one.
    #[cfg(feature = "passphrase")]
    #[must_use]
    pub fn passphrase(mut self, ask: impl Fn() -> Result<Passphrase> + Send + Sync + 'a) -> Self {
        self.ask = Some(Box::new(ask));
        self
    }

    /// And these age identities.
    #[cfg(feature = "age")]
    #[must_use]
    pub fn age(mut self, identities: impl IntoIterator<Item = BoxedIdentity>) -> Self {
        self.age.extend(identities);
        self
    }

    /// The first file key that `opens` the file. Keys are tried before all else: they need nobody
    /// at the keyboard.
    pub(crate) fn unwrap(
        &self,
        stanzas: &[Stanza],
        binding: Binding<'_>,
        opens: impl Fn(&Key) -> Result<bool>,
    ) -> Result<Key> {
        // Why the file stays shut, if nothing opens it: the reason that concerns these identities
        // most.
        let mut reason = Error::NoMatchingKey;
        let attempt = |stanza: &Stanza, key: &[u8], reason: &mut Error| -> Result<Option<Key>> {
            match stanza.unwrap(key, binding)? {
                UnwrapResult::OtherKey => return Ok(None),
                UnwrapResult::FileKey(file_key) if opens(&file_key)? => return Ok(Some(file_key)),
                UnwrapResult::FileKey(_) | UnwrapResult::Altered => {}
            }
            *reason = Error::HeaderNotAuthentic;
            Ok(None)
        };
        #[cfg(feature = "age")]
        let mut left = WorkBudget::new();
        for stanza in stanzas.iter().filter(|s| matches!(s.method(), Method::KeyFile)) {
            for key in &self.keys {
                if let Some(file_key) = attempt(stanza, key.bytes(), &mut reason)? {
                    return Ok(file_key);
                }
            }
        }
        for stanza in stanzas {
            match stanza.method() {
                Method::KeyFile | Method::Unknown(_) => {}
                #[cfg(not(feature = "passphrase"))]
                Method::Passphrase(_) => return Err(Error::PassphraseNeeded),
                #[cfg(feature = "passphrase")]
                Method::Passphrase(cost) => {
                    let Some(ask) = &self.ask else { return Err(Error::PassphraseNeeded) };
                    let key = cost.stretch(&ask()?, stanza.salt())?;
                    reason = Error::WrongPassphrase;
                    if let Some(file_key) = attempt(stanza, &key[..], &mut reason)? {
                        return Ok(file_key);
                    }
                }
                #[cfg(not(feature = "age"))]
                Method::Age(_) => {}
                #[cfg(feature = "age")]
                Method::Age(group) => {
                    for identity in &self.age {
                        match unwrap_with(group.stanzas(), &**identity, &mut left) {
                            Ok(None) => {}
                            Ok(Some(key)) => {
                                let key = AgeKey::from(key);
                                if let Some(key) = attempt(stanza, key.bytes(), &mut reason)? {
                                    return Ok(key);
                                }
                            }
                            Err(error) if matches!(reason, Error::NoMatchingKey) => reason = error,
                            Err(_) => {}
                        }
                    }
                }
            }
        }
        Err(reason)
    }

    /// The file key in the stanzas of an age file.
    #[cfg(feature = "age")]
    pub(crate) fn unwrap_age(&self, stanzas: &[AgeStanza]) -> Result<FileKey> {
        if let [stanza] = stanzas
            && stanza.is_scrypt()
        {
            #[cfg(not(feature = "passphrase"))]
            return Err(Error::PassphraseNeeded);
            #[cfg(feature = "passphrase")]
            {
                let ask = self.ask.as_ref().ok_or(Error::PassphraseNeeded)?;
                return crate::age::v1::unwrap_scrypt(stanza, ask);
            }
        }
        let mut reason = Error::NoMatchingKey;
        let mut left = WorkBudget::new();
        for identity in &self.age {
            match unwrap_with(stanzas, &**identity, &mut left) {
                Ok(None) => {}
                Ok(Some(key)) => return Ok(key),
                Err(error) if matches!(reason, Error::NoMatchingKey) => reason = error,
                Err(_) => {}
            }
        }
        Err(reason)
    }
}

impl From<&Key> for Identities<'_> {
    fn from(key: &Key) -> Self {
        Self::new().key(key.clone())
    }
}

impl fmt::Debug for Identities<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Identities");
        shown.field("keys", &self.keys.len());
        #[cfg(feature = "passphrase")]
        shown.field("passphrase", &self.ask.is_some());
        #[cfg(feature = "age")]
        shown.field("age", &self.age.len());
        shown.finish_non_exhaustive()
    }
}
