//! For whom a file is encrypted, and with what it is opened.
//!
//! Keys, age recipients and identities can be combined; a passphrase stands alone, as in age: a
//! file with one is as weak as that, whatever else could open it.

use std::fmt;

use ::age::{Identity, Recipient};

use crate::error::{Error, Result};
use crate::key::Key;
use crate::passphrase::Passphrase;
use crate::stanza::{AgeGroup, AgeKey, Cost, Method, Salt, Stanza};

/// Who shall be able to open a file.
#[derive(Default)]
pub struct Recipients {
    keys: Vec<Key>,
    passphrase: Option<Passphrase>,
    age: Vec<Box<dyn Recipient + Send>>,
}

impl Recipients {
    /// Nobody yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// And whoever has this key.
    #[must_use]
    pub fn key(mut self, key: Key) -> Self {
        self.keys.push(key);
        self
    }

    /// Whoever knows this passphrase, and nobody else.
    #[must_use]
    pub fn passphrase(mut self, passphrase: Passphrase) -> Self {
        self.passphrase = Some(passphrase);
        self
    }

    /// And these age recipients; a post-quantum one does not go with others.
    #[must_use]
    pub fn age(mut self, recipients: impl IntoIterator<Item = Box<dyn Recipient + Send>>) -> Self {
        self.age.extend(recipients);
        self
    }

    /// Whether there is nobody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.passphrase.is_none() && self.age.is_empty()
    }

    /// `file_key`, wrapped for each.
    pub(crate) fn wrap(&self, file_key: &Key) -> Result<Vec<Stanza>> {
        if self.is_empty() {
            return Err(Error::NoRecipients);
        }
        let mut stanzas = Vec::new();
        for key in &self.keys {
            let salt = Salt::random()?;
            stanzas.push(Stanza::wrap(Method::KeyFile, salt, key.bytes(), file_key)?);
        }
        if let Some(passphrase) = &self.passphrase {
            if !self.keys.is_empty() || !self.age.is_empty() {
                return Err(Error::PassphraseNotAlone);
            }
            let (salt, cost) = (Salt::random()?, Cost::RECOMMENDED);
            let key = cost.stretch(passphrase, salt.as_bytes())?;
            stanzas.push(Stanza::wrap(Method::Passphrase(cost), salt, &key[..], file_key)?);
        }
        if !self.age.is_empty() {
            let key = AgeKey::random()?;
            let group = AgeGroup::wrap(&key, &self.age)?;
            stanzas.push(Stanza::wrap(Method::Age(group), Salt::random()?, key.bytes(), file_key)?);
        }
        Ok(stanzas)
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
            .field("passphrase", &self.passphrase.is_some())
            .field("age", &self.age.len())
            .finish()
    }
}

type BoxedIdentity = Box<dyn Identity + Send + Sync>;
type Ask<'a> = Box<dyn Fn() -> Result<Passphrase> + 'a>;

/// What there is to open a file with.
#[derive(Default)]
pub struct Identities<'a> {
    keys: Vec<Key>,
    ask: Option<Ask<'a>>,
    age: Vec<BoxedIdentity>,
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
    #[must_use]
    pub fn passphrase(mut self, ask: impl Fn() -> Result<Passphrase> + 'a) -> Self {
        self.ask = Some(Box::new(ask));
        self
    }

    /// And these age identities.
    #[must_use]
    pub fn age(mut self, identities: impl IntoIterator<Item = BoxedIdentity>) -> Self {
        self.age.extend(identities);
        self
    }

    /// The file key in the first of `stanzas` that is for one of these. Keys come first: they need
    /// nobody at the keyboard.
    pub(crate) fn unwrap(&self, stanzas: &[Stanza]) -> Result<Key> {
        for stanza in stanzas.iter().filter(|s| matches!(s.method(), Method::KeyFile)) {
            for key in &self.keys {
                if let Some(file_key) = stanza.unwrap(key.bytes())? {
                    return Ok(file_key);
                }
            }
        }
        // What a plugin or a damaged stanza says matters only if nothing else opens the file.
        let mut complaint = None;
        for stanza in stanzas {
            match stanza.method() {
                Method::KeyFile => {}
                Method::Passphrase(cost) => {
                    let Some(ask) = &self.ask else { return Err(Error::PassphraseNeeded) };
                    let key = cost.stretch(&ask()?, stanza.salt())?;
                    return stanza.unwrap(&key[..])?.ok_or(Error::WrongPassphrase);
                }
                Method::Age(group) => {
                    for identity in &self.age {
                        match group.unwrap(&**identity) {
                            Ok(None) => {}
                            Ok(Some(key)) => {
                                if let Some(file_key) = stanza.unwrap(key.bytes())? {
                                    return Ok(file_key);
                                }
                            }
                            Err(error) => complaint = Some(error),
                        }
                    }
                }
            }
        }
        Err(complaint.unwrap_or(Error::NoMatchingKey))
    }
}

impl From<&Key> for Identities<'_> {
    fn from(key: &Key) -> Self {
        Self::new().key(key.clone())
    }
}

impl fmt::Debug for Identities<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identities")
            .field("keys", &self.keys.len())
            .field("passphrase", &self.ask.is_some())
            .field("age", &self.age.len())
            .finish()
    }
}
