//! The one list of algorithms.
//!
//! A [`Family`] is a row of the table: what is fixed by its specification, and which sizes and
//! parameters may be chosen. An [`Algorithm`] is a family with every choice made; it has a textual
//! form, `id[:name=value,…]`, that the file format, the command line and the test vectors share.
//! Everything that names algorithms (command line, vectors, self-test, benchmarks, documentation)
//! reads this table.
//!
//! ```
//! use polyseal::registry::Algorithm;
//!
//! let a: Algorithm = "aegis-128x-v1:degree=8,tag=32".parse()?;
//! assert_eq!((a.key_bytes(), a.nonce_bytes(), a.tag_bytes()), (16, 16, 32));
//! assert_eq!(a.param("degree"), Some(8));
//! assert_eq!(a.to_string(), "aegis-128x-v1:degree=8,tag=32");
//! # Ok::<(), polyseal::Error>(())
//! ```

use core::fmt;
use core::str::FromStr;

#[cfg(feature = "alloc")]
use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::flex::{Config, ConfigError};

mod mode;

pub(crate) use mode::{Mode, ModeOf};

/// The lengths in bytes that an input may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sizes {
    /// The length when nothing else is said.
    pub default: usize,
    /// Every accepted length, ascending.
    pub allowed: &'static [usize],
}

impl Sizes {
    pub(crate) const fn one(size: &'static [usize; 1]) -> Self {
        Self { default: size[0], allowed: size }
    }

    /// Whether `bytes` is an accepted length.
    #[must_use]
    pub fn accepts(&self, bytes: usize) -> bool {
        self.allowed.contains(&bytes)
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A long run is "1 to 512" rather than all its members.
        let run = |from: &usize, to: &usize| (*from..=*to).eq(self.allowed.iter().copied());
        if let [first, _, _, _, .., last] = self.allowed
            && run(first, last)
        {
            return write!(f, "{first} to {last}");
        }
        for (i, size) in self.allowed.iter().enumerate() {
            let separator = match i {
                0 => "",
                _ if i + 1 == self.allowed.len() => " or ",
                _ => ", ",
            };
            write!(f, "{separator}{size}")?;
        }
        Ok(())
    }
}

/// A parameter beside the sizes: its name, the values it takes, and the one it has by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Param {
    /// The name in the algorithm's textual form and in the vectors' `params`.
    pub name: &'static str,
    /// Every accepted value; of configurations, those that have a name of their own.
    pub allowed: &'static [u64],
    /// The value when nothing else is said.
    pub default: u64,
    /// What the values are.
    pub kind: ParamKind,
}

/// What the values of a parameter are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamKind {
    /// Numbers, in decimal.
    Number,
    /// 1 for leave to have another parameter's value that gives less than the family promises,
    /// otherwise 0. It changes nothing else.
    Permission,
    /// Names: the value is the place of the name in this list.
    Name(&'static [&'static str]),
    /// Configurations of Flex, their eight bytes in 16 hexadecimal digits. Every one is accepted that
    /// the specification allows.
    Configuration,
}

impl Param {
    pub(crate) const fn number(name: &'static str, allowed: &'static [u64], default: u64) -> Self {
        Self { name, allowed, default, kind: ParamKind::Number }
    }

    /// `value` as it is written in an algorithm's textual form.
    #[must_use]
    pub fn text(&self, value: u64) -> impl fmt::Display {
        struct Text(ParamKind, u64);

        impl fmt::Display for Text {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    ParamKind::Configuration => write!(f, "{:016x}", self.1),
                    ParamKind::Name(names) => {
                        let name = usize::try_from(self.1).ok().and_then(|at| names.get(at));
                        f.write_str(name.unwrap_or(&"?"))
                    }
                    _ => self.1.fmt(f),
                }
            }
        }

        Text(self.kind, value)
    }

    /// The values that tell instances apart.
    fn values(&self) -> &'static [u64] {
        if self.kind == ParamKind::Permission { &[0] } else { self.allowed }
    }
}

/// A value as it is written. `u64::from_str` would take "+8" and "008": one instance, one spelling.
fn parse_value(kind: ParamKind, text: &str) -> Result<u64> {
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

/// What an algorithm does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Authenticated encryption with associated data.
    Aead,
    /// A message authentication code with a nonce.
    Mac,
}

/// How strongly a ciphertext is bound to what it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// No commitment is claimed.
    None,
    /// To the key, as long as the adversary cannot choose the associated data.
    KeyFixedAd,
    /// To the key, for one nonce: no two keys of the adversary's choice have the same commitment
    /// (FOR-KC).
    ForKc,
    /// To the key (CMT-1).
    Cmt1,
    /// To key and nonce (CMT-2).
    Cmt2,
    /// To key, nonce, associated data and message (CMT-4).
    Cmt4,
}

impl Level {
    /// The level's name as the literature has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::KeyFixedAd => "key, fixed AD",
            Self::ForKc => "FOR-KC",
            Self::Cmt1 => "CMT-1",
            Self::Cmt2 => "CMT-2",
            Self::Cmt4 => "CMT-4",
        }
    }
}

/// A commitment claim: level, strength and the condition under which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Commitment {
    /// What is committed to.
    pub level: Level,
    /// The tag length in bytes for which the claim is made, without a hidden nonce; with Flex, for
    /// longer ones too.
    pub tag_bytes: usize,
    /// The work of breaking it, as a power of two.
    pub bits: u32,
    /// When the claim holds, in a sentence.
    pub condition: &'static str,
}

/// What a repeated nonce costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// Under a repeated nonce, confidentiality and authenticity are lost for that key.
    Breaks,
    /// Under a repeated nonce, only the equality of whole inputs is revealed.
    Resistant,
    /// The scheme has no use for a fresh nonce.
    NotNeeded,
}

impl Misuse {
    /// A word for tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Breaks => "breaks",
            Self::Resistant => "resistant",
            Self::NotNeeded => "nonce not needed",
        }
    }
}

/// What a byte costs on each back end, in thousandths of a cycle: the mean of sealing and opening
/// 1 KiB and 64 KiB. For comparison among algorithms; it depends on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cost {
    /// Portable code.
    pub soft: u32,
    /// x86-64 with AES-NI.
    pub aesni: u32,
    /// x86-64 with VAES on 256 bits.
    pub vaes256: u32,
    /// x86-64 with VAES on 512 bits.
    pub vaes512: u32,
    /// aarch64 with the AES instructions.
    pub neon: u32,
}

/// Where an algorithm is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Specification {
    /// The document.
    pub title: &'static str,
    /// The part of the document that defines this algorithm.
    pub section: &'static str,
}

/// A row of the registry: one algorithm up to the choice of its sizes and parameters.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Family {
    /// The name on the command line, in files, vectors and benchmarks: kebab-case.
    pub id: &'static str,
    /// The name in its specification.
    pub name: &'static str,
    /// AEAD or MAC.
    pub kind: Kind,
    /// Key lengths.
    pub key_bytes: Sizes,
    /// Nonce lengths.
    pub nonce_bytes: Sizes,
    /// Tag lengths: all that a sealed message has beside its ciphertext, a hidden nonce included.
    pub tag_bytes: Sizes,
    /// The lengths of key, nonce and tag that go together under a name; empty where every
    /// combination is as good as another.
    pub named_sizes: &'static [[usize; 3]],
    /// Other parameters.
    pub params: &'static [Param],
    /// Whether at most one parameter may be named.
    pub one_param: bool,
    /// The configuration of Flex, if it is one.
    pub(crate) config: Option<ConfigOf>,
    /// Nonce and tag lengths where they depend on parameters: then the two above are what they are
    /// by default, and all that there is.
    pub(crate) lengths: Option<Lengths>,
    /// The longest message in bytes.
    pub max_message_bytes: u64,
    /// The longest associated data in bytes.
    pub max_ad_bytes: u64,
    /// With random nonces, at most `2^` this many messages a key; `None`: no practical limit.
    pub random_nonce_messages_log2: Option<u32>,
    /// With nonces that are certain to differ, at most `2^` this many messages a key; `None`: as
    /// many as there are nonces.
    pub counted_nonce_messages_log2: Option<u32>,
    /// The same for nonces that have not the default length.
    pub counted_other_nonce_messages_log2: Option<u32>,
    /// At most `2^` this many bytes a key, messages and associated data together; `None`: no
    /// practical limit.
    pub total_bytes_log2: Option<u32>,
    /// An attempt at forgery with a short message succeeds with a probability of `2^-` this at
    /// best, or with that of guessing the tag, whichever is likelier.
    pub forgery_bits: u32,
    /// What the longest message takes off these bits.
    pub forgery_loss_bits: u32,
    /// Commitment claims, one for each tag length; none for a MAC.
    pub commitment: &'static [Commitment],
    /// What a repeated nonce costs.
    pub misuse: Misuse,
    /// Whether the nonce is hidden from whoever lacks the key.
    pub nonce_hiding: bool,
    /// Whether independent parts of one message are processed side by side.
    pub parallel: bool,
    /// Whether ciphertext can be produced before the whole message is known.
    pub online: bool,
    /// Whether it is made of what a FIPS 140-3 validation can approve. No claim that this library
    /// has been validated.
    pub fips: bool,
    /// Whether others than its authors have looked at its security. What nobody has is chosen only
    /// where nothing else will do.
    pub reviewed: bool,
    /// How fast it is among the others; `None`: not to be chosen for its speed, because it is no
    /// AEAD, only there for old data, or not measured beside them.
    pub cost: Option<Cost>,
    /// The additional properties, of security and of implementation, that are claimed, in the terms
    /// of RFC 9771. What is not listed is not claimed.
    pub properties: &'static [&'static str],
    /// The specification.
    pub specification: Specification,
    /// How the key is used.
    pub(crate) mode: ModeOf,
    #[cfg_attr(not(feature = "alloc"), allow(dead_code))]
    pub(crate) maker: Maker,
}

/// The nonce and tag lengths that go with an algorithm's parameters.
pub(crate) type Lengths = fn(&Algorithm) -> (Sizes, Sizes);

/// The configuration of Flex that goes with an algorithm's parameters.
pub(crate) type ConfigOf = fn(&Algorithm) -> core::result::Result<Config, ConfigError>;

/// How an instance is made; private, because only [`crate::any`] may make one unchecked.
// Unit tests make none by name.
#[cfg_attr(test, allow(dead_code))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Maker {
    /// A row that is completed by others, or a build without an allocator.
    Unmade,
    #[cfg(feature = "alloc")]
    Aead(fn(&Algorithm, &[u8], Backend) -> crate::any::BoxedAead),
    #[cfg(feature = "alloc")]
    Mac(fn(&Algorithm, &[u8], Backend) -> crate::any::BoxedMac),
    /// Under a key and setup associated data.
    #[cfg(feature = "alloc")]
    WithSetup(fn(&Algorithm, &[u8], &[u8], Backend) -> Result<crate::any::BoxedAead>),
}

impl Family {
    /// The commitment claim for a tag of `tag_bytes`.
    #[must_use]
    pub fn commitment_at(&self, tag_bytes: usize) -> Option<&'static Commitment> {
        self.commitment.iter().find(|c| c.tag_bytes == tag_bytes)
    }
}

/// Every family, in the order in which tables show them.
#[must_use]
pub fn families() -> &'static [Family] {
    const LISTS: [&[Family]; 5] = [
        crate::aegis::names::FAMILIES,
        crate::gcm::names::FAMILIES,
        crate::composed::FAMILIES,
        crate::flex::names::FAMILIES,
        crate::omd::names::FAMILIES,
    ];
    const COUNT: usize = {
        let (mut count, mut list) = (0, 0);
        while list < LISTS.len() {
            (count, list) = (count + LISTS[list].len(), list + 1);
        }
        count
    };
    static ALL: [Family; COUNT] = {
        let mut all = [LISTS[0][0]; COUNT];
        let (mut list, mut at) = (0, 0);
        while list < LISTS.len() {
            let mut i = 0;
            while i < LISTS[list].len() {
                all[at] = LISTS[list][i];
                (i, at) = (i + 1, at + 1);
            }
            list += 1;
        }
        all
    };
    &ALL
}

/// The family with this id.
#[must_use]
pub fn family(id: &str) -> Option<&'static Family> {
    families().iter().find(|f| f.id == id)
}

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
        for (value, param) in params.iter_mut().zip(family.params) {
            *value = param.default;
        }
        Self {
            family,
            key_bytes: family.key_bytes.default,
            nonce_bytes: family.nonce_bytes.default,
            tag_bytes: family.tag_bytes.default,
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

    /// How many of the tag's bytes stand before the ciphertext in a sealed message: the encrypted
    /// nonce, where it is hidden; otherwise 0.
    #[must_use]
    pub fn head_bytes(&self) -> usize {
        self.config().map_or(0, |config| config.hidden_bytes())
    }

    /// Whether a sealed message is in one piece, its tag not apart from its ciphertext: then there
    /// are no detached calls.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.config().is_some_and(|config| config.segment_bytes().is_some())
    }

    /// The length in bytes of a sealed message, tag included, for a message of `message` bytes;
    /// `None` beyond the limit.
    #[must_use]
    pub fn ciphertext_bytes(&self, message: u64) -> Option<u64> {
        if let Some(config) = self.config() {
            return config.ciphertext_bytes(message);
        }
        let short = message <= self.max_message_bytes();
        short.then(|| message.checked_add(self.tag_bytes as u64)).flatten()
    }

    /// The length in bytes of the message that a sealed one of `ciphertext` bytes holds; `None` if
    /// none has that length.
    #[must_use]
    pub fn message_bytes(&self, ciphertext: u64) -> Option<u64> {
        let message = match self.config() {
            Some(config) => config.message_bytes(ciphertext)?,
            None => ciphertext.checked_sub(self.tag_bytes as u64)?,
        };
        (message <= self.max_message_bytes()).then_some(message)
    }

    /// The longest message in bytes.
    pub(crate) fn max_message_bytes(&self) -> u64 {
        self.config().map_or(self.family.max_message_bytes, |config| config.max_message_bytes())
    }

    /// The configuration, if it is one of Flex.
    #[must_use]
    pub fn config(&self) -> Option<Config> {
        // Whatever breaks a rule has been refused.
        (self.family.config?)(self).ok()
    }

    /// The value of the parameter `name`, if the family has it.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<u64> {
        let at = self.family.params.iter().position(|p| p.name == name)?;
        Some(self.params[at])
    }

    /// The nonce and tag lengths that go with the parameters.
    fn lengths(&self) -> (Sizes, Sizes) {
        let family = self.family;
        family.lengths.map_or((family.nonce_bytes, family.tag_bytes), |lengths| lengths(self))
    }

    /// Every instance of `family`: the default, and then all of them. Of configurations and of lengths,
    /// those that have a name of their own, where some do, and none that needs a permission.
    pub fn instances(family: &'static Family) -> impl Iterator<Item = Self> {
        let default = Self::new(family);
        let values = family.params.iter().map(|param| param.values().len()).product();
        let with_params = (0..values).filter_map(move |mut index: usize| {
            family.params.iter().try_fold(default, |algorithm, param| {
                let value = param.values()[index % param.values().len()];
                index /= param.values().len();
                algorithm.with(param.name, value).ok()
            })
        });
        core::iter::once(default).chain(with_params.flat_map(Self::with_sizes))
    }

    /// The same with every combination of lengths, or with those that have a name.
    fn with_sizes(self) -> impl Iterator<Item = Self> {
        let (nonces, tags) = self.lengths();
        let (keys, nonces, tags) = (self.family.key_bytes.allowed, nonces.allowed, tags.allowed);
        let named = self.family.named_sizes;
        let count =
            if named.is_empty() { keys.len() * nonces.len() * tags.len() } else { named.len() };
        (0..count).map(move |index| {
            let mut algorithm = self;
            [algorithm.key_bytes, algorithm.nonce_bytes, algorithm.tag_bytes] =
                named.get(index).copied().unwrap_or_else(|| {
                    let (tag, index) = (tags[index % tags.len()], index / tags.len());
                    [keys[index / nonces.len()], nonces[index % nonces.len()], tag]
                });
            algorithm
        })
    }

    /// The commitment claim of this instance.
    #[must_use]
    pub fn commitment(&self) -> Option<&'static Commitment> {
        let Some(config) = self.config() else { return self.family.commitment_at(self.tag_bytes) };
        let mut claims = self.family.commitment.iter().rev();
        claims.find(|claim| claim.tag_bytes <= config.tag_bytes())
    }

    /// The same with one choice changed. `name` is `key`, `nonce` or `tag` (a length in bytes) or
    /// one of the family's parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the family has no such choice, [`Error::ExclusiveParameters`] if it
    /// does not go with another, [`Error::Size`] if it does not come in that length,
    /// [`Error::Config`] for a configuration that breaks a rule.
    pub fn with(mut self, name: &str, value: u64) -> Result<Self> {
        let (nonces, tags) = self.lengths();
        let (slot, what, sizes) = match name {
            "key" => (&mut self.key_bytes, "key", self.family.key_bytes),
            "nonce" => (&mut self.nonce_bytes, "nonce", nonces),
            "tag" => (&mut self.tag_bytes, "tag", tags),
            _ => {
                let mut params = self.family.params.iter().zip(&mut self.params);
                let (param, slot) = params.find(|(p, _)| p.name == name).ok_or(Error::Parameter)?;
                if param.kind != ParamKind::Configuration && !param.allowed.contains(&value) {
                    return Err(Error::Parameter);
                }
                *slot = value;
                if self.family.one_param && self.changed_params() > 1 {
                    return Err(Error::ExclusiveParameters);
                }
                if let Some(config) = self.family.config {
                    config(&self)?;
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
        let params = self.family.params.iter().zip(self.params);
        params.filter(|(param, value)| param.default != *value).count()
    }

    /// Every choice that differs from the family's default, as `(name, value)`.
    pub fn choices(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        let params = self.family.params.iter().zip(self.params);
        let params = params.map(|(p, value)| (p.name, value, p.default));
        let size = |name, chosen: usize, sizes: Sizes| (name, chosen as u64, sizes.default as u64);
        params
            .chain([
                size("key", self.key_bytes, self.family.key_bytes),
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
        self.family.id == other.family.id
            && (self.key_bytes, self.nonce_bytes, self.tag_bytes, self.params)
                == (other.key_bytes, other.nonce_bytes, other.tag_bytes, other.params)
    }
}

impl Eq for Algorithm {}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.family.id)?;
        for (i, (name, value)) in self.choices().enumerate() {
            write!(f, "{}{name}=", if i == 0 { ':' } else { ',' })?;
            match self.family.params.iter().find(|param| param.name == name) {
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

impl FromStr for Algorithm {
    type Err = Error;

    /// Reads `id[:name=value,…]`; each name at most once, values as [`Param::text`] writes them,
    /// lengths in decimal.
    fn from_str(text: &str) -> Result<Self> {
        let (id, choices) = text.split_once(':').map_or((text, None), |(id, c)| (id, Some(c)));
        let mut algorithm = Self::new(family(id).ok_or(Error::UnknownAlgorithm)?);
        let Some(choices) = choices else { return Ok(algorithm) };
        for (i, choice) in choices.split(',').enumerate() {
            let (name, value) = choice.split_once('=').ok_or(Error::Parameter)?;
            let repeated = choices.split(',').take(i).any(|c| c.split('=').next() == Some(name));
            if repeated {
                return Err(Error::Parameter);
            }
            algorithm.value_of(name, value)?;
        }
        let named = choices.split(',').filter_map(|choice| choice.split_once('='));
        let params = named.filter(|(name, _)| algorithm.param(name).is_some()).count();
        if algorithm.family.one_param && params > 1 {
            return Err(Error::ExclusiveParameters);
        }
        // Parameters first, in the family's order and whatever the text's: lengths depend on them, and
        // a permission comes before what it is for.
        for step in 0..=algorithm.family.params.len() {
            for (name, value) in choices.split(',').filter_map(|choice| choice.split_once('=')) {
                if algorithm.step_of(name) == step {
                    algorithm = algorithm.with(name, algorithm.value_of(name, value)?)?;
                }
            }
        }
        Ok(algorithm)
    }
}

impl Algorithm {
    /// The value of the choice `name` that `text` spells.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it spells none.
    pub fn value_of(&self, name: &str, text: &str) -> Result<u64> {
        let param = self.family.params.iter().find(|param| param.name == name);
        parse_value(param.map_or(ParamKind::Number, |param| param.kind), text)
    }

    /// In which order choices are made: parameters, and then lengths.
    fn step_of(&self, name: &str) -> usize {
        let params = self.family.params;
        params.iter().position(|param| param.name == name).unwrap_or(params.len())
    }
}

/// A row without claims, for tests to build on.
#[cfg(test)]
pub(crate) const CLAIMLESS: Family = Family {
    id: "claimless",
    name: "",
    kind: Kind::Aead,
    key_bytes: Sizes { default: 32, allowed: &[16, 32] },
    nonce_bytes: Sizes::one(&[12]),
    tag_bytes: Sizes { default: 16, allowed: &[3, 4, 12, 16, 32] },
    named_sizes: &[],
    params: &[],
    one_param: false,
    config: None,
    lengths: None,
    max_message_bytes: 0,
    max_ad_bytes: 0,
    random_nonce_messages_log2: Some(63),
    counted_nonce_messages_log2: None,
    counted_other_nonce_messages_log2: None,
    total_bytes_log2: None,
    forgery_bits: 128,
    forgery_loss_bits: 0,
    commitment: &[],
    misuse: Misuse::Breaks,
    nonce_hiding: false,
    parallel: false,
    online: false,
    fips: false,
    reviewed: true,
    cost: None,
    properties: &[],
    specification: Specification { title: "", section: "" },
    mode: |_| Mode::Direct,
    maker: Maker::Unmade,
};
