//! A family with every size and parameter chosen, and its textual form.

use core::fmt;

use super::{Commitment, Family, Listed, ParamKind};
use crate::error::{Error, Result};
use crate::sizes::Sizes;

/// How many parameters beside the sizes a family may have.
const MAX_PARAMS: usize = 4;

/// A family with every size and parameter chosen.
#[derive(Clone, Copy)]
pub struct Algorithm {
    family: &'static Family,
    key_bytes: usize,
    nonce_bytes: usize,
    tag_bytes: usize,
    params: [u64; MAX_PARAMS],
}

impl Algorithm {
    /// `family` with its defaults.
    #[must_use]
    pub fn new(family: &'static Family) -> Self {
        let mut params = [0; MAX_PARAMS];
        for (value, param) in params.iter_mut().zip(family.sizes.params) {
            *value = param.default;
        }
        Self {
            family,
            key_bytes: family.sizes.key_bytes.default,
            nonce_bytes: family.sizes.nonce_bytes.default,
            tag_bytes: family.sizes.tag_bytes.default,
            params,
        }
    }

    /// The family.
    #[must_use]
    pub fn family(&self) -> &'static Family {
        self.family
    }

    /// The key length in bytes.
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        self.key_bytes
    }

    /// The nonce length in bytes.
    #[must_use]
    pub fn nonce_bytes(&self) -> usize {
        self.nonce_bytes
    }

    /// The tag length in bytes: all that a sealed message has beside its ciphertext.
    #[must_use]
    pub fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    /// The length in bytes of a sealed message, tag included, for a message of `message` bytes;
    /// `None` beyond the limit.
    #[must_use]
    pub fn ciphertext_bytes(&self, message: u64) -> Option<u64> {
        #[cfg(feature = "flex")]
        if let Some(layout) = self.layout() {
            return layout.ciphertext_bytes(message);
        }
        let short = message <= self.max_message_bytes();
        short.then(|| message.checked_add(self.tag_bytes as u64)).flatten()
    }

    /// The length in bytes of the message that a sealed one of `ciphertext` bytes holds; `None` if
    /// none has that length.
    #[must_use]
    pub fn message_bytes(&self, ciphertext: u64) -> Option<u64> {
        #[cfg(feature = "flex")]
        if let Some(layout) = self.layout() {
            return layout.message_bytes(ciphertext).filter(|&m| m <= layout.max_message_bytes);
        }
        let message = ciphertext.checked_sub(self.tag_bytes as u64)?;
        (message <= self.max_message_bytes()).then_some(message)
    }

    /// The longest message in bytes.
    #[must_use]
    pub fn max_message_bytes(&self) -> u64 {
        #[cfg(feature = "flex")]
        if let Some(layout) = self.layout() {
            return layout.max_message_bytes;
        }
        self.family.limits.max_message_bytes
    }

    /// The tag length in bytes without a hidden nonce.
    pub(crate) fn visible_tag_bytes(&self) -> usize {
        self.tag_bytes - self.head_bytes()
    }

    /// The value of the parameter `name`, if the family has it.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<u64> {
        let at = self.family.sizes.params.iter().position(|p| p.name == name)?;
        Some(self.params[at])
    }

    /// The nonce and tag lengths that go with the parameters.
    fn lengths(&self) -> (Sizes, Sizes) {
        let family = self.family;
        family
            .sizes
            .lengths
            .map_or((family.sizes.nonce_bytes, family.sizes.tag_bytes), |lengths| lengths(self))
    }

    /// Every instance of `family`: the default, and then all of them. Only configurations that have
    /// a name of their own, only lengths that are [`listed`](super::FamilySizes::listed), and no
    /// instance that needs a permission.
    pub fn instances(family: &'static Family) -> impl Iterator<Item = Self> {
        let default = Self::new(family);
        let values = family.sizes.params.iter().map(|param| param.values().len()).product();
        let with_params = (0..values).filter_map(move |mut index: usize| {
            family.sizes.params.iter().try_fold(default, |algorithm, param| {
                let value = param.values()[index % param.values().len()];
                index /= param.values().len();
                algorithm.with(param.name, value).ok()
            })
        });
        core::iter::once(default).chain(with_params.flat_map(Self::with_sizes))
    }

    /// The same with every combination of lengths that is listed.
    fn with_sizes(self) -> impl Iterator<Item = Self> {
        let (keys, (nonces, tags)) = (self.family.sizes.key_bytes, self.lengths());
        let count = match self.family.sizes.listed {
            Listed::All => keys.count() * nonces.count() * tags.count(),
            Listed::Named(named) => named.len(),
            #[cfg(feature = "flex")]
            Listed::Usual => 1,
        };
        (0..count).map(move |index| {
            let mut algorithm = self;
            [algorithm.key_bytes, algorithm.nonce_bytes, algorithm.tag_bytes] =
                match self.family.sizes.listed {
                    Listed::All => {
                        let (tag, index) = (tags.at(index % tags.count()), index / tags.count());
                        let (nonce, index) = (index % nonces.count(), index / nonces.count());
                        [keys.at(index), nonces.at(nonce), tag]
                    }
                    Listed::Named(named) => named[index],
                    #[cfg(feature = "flex")]
                    Listed::Usual => [self.key_bytes, self.nonce_bytes, self.tag_bytes],
                };
            algorithm
        })
    }

    /// The commitment claim of this instance.
    #[must_use]
    pub fn commitment(&self) -> Option<&'static Commitment> {
        #[cfg(feature = "flex")]
        if let Some(layout) = self.layout() {
            let mut claims = self.family.claims.commitment.iter().rev();
            return claims.find(|claim| claim.tag_bytes <= layout.tag_bytes);
        }
        self.family.commitment_at(self.tag_bytes)
    }

    /// The same with one choice changed. `name` is `key`, `nonce` or `tag` (a length in bytes) or
    /// one of the family's parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the family has no such choice, [`Error::ExclusiveParameters`] if it
    /// does not go with another, [`Error::Size`] if it does not come in that length,
    /// `Error::Config` for a configuration of Flex that breaks a rule.
    pub fn with(mut self, name: &str, value: u64) -> Result<Self> {
        let (nonces, tags) = self.lengths();
        let (slot, what, sizes) = match name {
            "key" => (&mut self.key_bytes, "key", self.family.sizes.key_bytes),
            "nonce" => (&mut self.nonce_bytes, "nonce", nonces),
            "tag" => (&mut self.tag_bytes, "tag", tags),
            _ => {
                let mut params = self.family.sizes.params.iter().zip(&mut self.params);
                let (param, slot) = params.find(|(p, _)| p.name == name).ok_or(Error::Parameter)?;
                if !param.accepts(value) {
                    return Err(Error::Parameter);
                }
                *slot = value;
                if self.family.sizes.one_param && self.changed_params() > 1 {
                    return Err(Error::ExclusiveParameters);
                }
                #[cfg(feature = "flex")]
                if let Some(layout) = self.family.sizes.layout {
                    layout(&self)?;
                }
                let (new_nonces, new_tags) = self.lengths();
                follow("nonce", &mut self.nonce_bytes, nonces, new_nonces)?;
                follow("tag", &mut self.tag_bytes, tags, new_tags)?;
                return Ok(self);
            }
        };
        let actual = usize::try_from(value).map_err(|_| Error::Parameter)?;
        if !sizes.accepts(actual) {
            return Err(Error::Size { what, allowed: sizes, actual });
        }
        *slot = actual;
        Ok(self)
    }

    /// How many parameters differ from the family's default.
    fn changed_params(&self) -> usize {
        let params = self.family.sizes.params.iter().zip(self.params);
        params.filter(|(param, value)| param.default != *value).count()
    }

    /// Every choice that differs from the family's default, as `(name, value)`.
    pub fn choices(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        let params = self.family.sizes.params.iter().zip(self.params);
        let params = params.map(|(p, value)| (p.name, value, p.default));
        let size = |name, chosen: usize, sizes: Sizes| (name, chosen as u64, sizes.default as u64);
        params
            .chain([
                size("key", self.key_bytes, self.family.sizes.key_bytes),
                size("nonce", self.nonce_bytes, self.lengths().0),
                size("tag", self.tag_bytes, self.lengths().1),
            ])
            .filter(|(_, chosen, default)| chosen != default)
            .map(|(name, chosen, _)| (name, chosen))
    }
}

/// Once a parameter has changed the lengths that there are: the default follows, a choice stays if
/// it may.
fn follow(what: &'static str, bytes: &mut usize, old: Sizes, new: Sizes) -> Result<()> {
    if *bytes == old.default {
        *bytes = new.default;
    }
    if new.accepts(*bytes) {
        return Ok(());
    }
    Err(Error::Size { what, allowed: new, actual: *bytes })
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.family.identity.id == other.family.identity.id
            && (self.key_bytes, self.nonce_bytes, self.tag_bytes, self.params)
                == (other.key_bytes, other.nonce_bytes, other.tag_bytes, other.params)
    }
}

impl Eq for Algorithm {}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.family.identity.id)?;
        for (i, (name, value)) in self.choices().enumerate() {
            write!(f, "{}{name}=", if i == 0 { ':' } else { ',' })?;
            match self.family.sizes.params.iter().find(|param| param.name == name) {
                Some(param) => param.text(value).fmt(f)?,
                None => value.fmt(f)?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Algorithm({self})")
    }
}

impl Algorithm {
    /// The value of the choice `name` that `text` spells.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it spells none.
    pub fn value_of(&self, name: &str, text: &str) -> Result<u64> {
        let param = self.family.sizes.params.iter().find(|param| param.name == name);
        parse_value(param.map_or(ParamKind::Number, |param| param.kind), text)
    }

    /// In which order choices are made: parameters, and then lengths.
    pub(crate) fn step_of(&self, name: &str) -> usize {
        let params = self.family.sizes.params;
        params.iter().position(|param| param.name == name).unwrap_or(params.len())
    }
}

/// The answers where there is no Flex; `layout.rs` has those with it.
#[cfg(not(feature = "flex"))]
impl Algorithm {
    /// The length in bytes of the hidden nonce that a sealed message begins with: 0.
    #[must_use]
    pub fn head_bytes(&self) -> usize {
        0
    }

    /// Whether only whole messages are sealed, in segments: never.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        false
    }
}

/// A value as it is written. `u64::from_str` would take "+8" and "008": one instance, one spelling.
pub(crate) fn parse_value(kind: ParamKind, text: &str) -> Result<u64> {
    let value = match kind {
        ParamKind::Configuration => {
            let digits = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
            let canonical = text.len() == 16 && text.chars().all(digits);
            canonical.then(|| u64::from_str_radix(text, 16).ok())
        }
        ParamKind::Name(names) => {
            let at = names.iter().position(|name| *name == text);
            at.map(|at| Some(at as u64))
        }
        _ => {
            let canonical = text == "0" || !text.starts_with(['0', '+']);
            canonical.then(|| text.parse().ok())
        }
    };
    value.flatten().ok_or(Error::Parameter)
}
