//! What a row of the registry is made of.
//!
//! A [`Family`] says what an algorithm's specification fixes and which sizes and parameters may be
//! chosen; an [`Algorithm`] is a family with every choice made. The families of algorithms
//! (`aegis`, `gcm`, `flex`, `omd`) write rows; the registry, above them, puts the table together.

mod algorithm;
mod layout;
mod mode;

use core::fmt;

pub use algorithm::Algorithm;
pub(crate) use algorithm::parse_value;
pub(crate) use layout::{Layout, LayoutOf};
pub(crate) use mode::{Mode, ModeOf};

#[cfg(feature = "alloc")]
use crate::backend::Backend;
#[cfg(feature = "alloc")]
use crate::contract::dynamic::{BoxedAead, BoxedMac};
#[cfg(feature = "alloc")]
use crate::error::Result;
use crate::sizes::Sizes;

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
    /// Configurations of Flex, their eight bytes in 16 hexadecimal digits. Every one is accepted
    /// that the specification allows.
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

/// Which lengths of key, nonce and tag make an instance of their own in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listed {
    /// Every combination.
    All,
    /// Those that go together under a name.
    Named(&'static [[usize; 3]]),
    /// Those when nothing else is said: there are too many others.
    Usual,
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

/// When two messages under one key have the same commitment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Repeats {
    /// When they have the same tag, which is the commitment.
    WithTag,
    /// When their nonces have the same first bytes: so many.
    WithNonce(fn(&Algorithm) -> usize),
}

impl Repeats {
    /// When all of the nonce is the same.
    pub(crate) const WITH_WHOLE_NONCE: Self = Self::WithNonce(|algorithm| algorithm.nonce_bytes());
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
    /// x86-64 with SSSE3.
    pub ssse3: u32,
    /// x86-64 with AES-NI.
    pub aesni: u32,
    /// x86-64 with VAES on 256 bits.
    pub vaes256: u32,
    /// x86-64 with VAES on 512 bits.
    pub vaes512: u32,
    /// aarch64 with the AES instructions: not measured, but taken to rank as `aesni`.
    pub neon: u32,
    /// WebAssembly with vectors, run by Node on x86-64.
    pub simd128: u32,
}

impl Cost {
    /// What was measured. NEON, which could not be, is taken to rank as AES-NI: both have one block
    /// in a register.
    pub(crate) const fn measured(
        soft: u32,
        ssse3: u32,
        aesni: u32,
        vaes256: u32,
        vaes512: u32,
        simd128: u32,
    ) -> Option<Self> {
        Some(Self { soft, ssse3, aesni, vaes256, vaes512, neon: aesni, simd128 })
    }
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
    /// Which of these lengths [`Algorithm::instances`] goes through.
    pub listed: Listed,
    /// Other parameters.
    pub params: &'static [Param],
    /// Whether at most one parameter may be named.
    pub one_param: bool,
    /// Where nonce and tag lengths depend on parameters: which go with them. The two above are then
    /// what they are by default, and all that there is.
    pub(crate) lengths: Option<Lengths>,
    /// The same for what a sealed message looks like, and for what one key may do.
    pub(crate) layout: Option<LayoutOf>,
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
    /// When two messages under one key have the same commitment.
    pub(crate) commitment_repeats: Repeats,
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

/// How an instance is made; private, because only `any` may make one unchecked.
// Unit tests make none by name.
#[cfg_attr(test, allow(dead_code))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Maker {
    /// A row that is completed by others, or a build without an allocator.
    Unmade,
    #[cfg(feature = "alloc")]
    Aead(fn(&Algorithm, &[u8], Backend) -> BoxedAead),
    #[cfg(feature = "alloc")]
    Mac(fn(&Algorithm, &[u8], Backend) -> BoxedMac),
    /// Under a key and setup associated data.
    #[cfg(feature = "alloc")]
    WithSetup(fn(&Algorithm, &[u8], &[u8], Backend) -> Result<BoxedAead>),
}

/// A [`Maker`]: `maker!(Aead: |algorithm, key, backend| …)` with what a key of checked length
/// makes, behind a pointer. Without an allocator there are no instances by name; nor are there in
/// unit tests, which would compile every algorithm once more.
macro_rules! maker {
    ($kind:ident: $make:expr) => {{
        #[cfg(all(feature = "alloc", not(test)))]
        let maker = $crate::row::Maker::$kind($make);
        #[cfg(not(all(feature = "alloc", not(test))))]
        let maker = $crate::row::Maker::Unmade;
        maker
    }};
}

pub(crate) use maker;

impl Family {
    /// The commitment claim for a tag of `tag_bytes`.
    #[must_use]
    pub fn commitment_at(&self, tag_bytes: usize) -> Option<&'static Commitment> {
        self.commitment.iter().find(|c| c.tag_bytes == tag_bytes)
    }
}

/// A row without claims, for tests to build on.
#[cfg(test)]
pub(crate) const CLAIMLESS: Family = Family {
    id: "claimless",
    name: "",
    kind: Kind::Aead,
    key_bytes: Sizes::these(&[16, 32], 32),
    nonce_bytes: Sizes::one(12),
    tag_bytes: Sizes::these(&[3, 4, 12, 16, 32], 16),
    listed: Listed::All,
    params: &[],
    one_param: false,
    lengths: None,
    layout: None,
    max_message_bytes: 0,
    max_ad_bytes: 0,
    random_nonce_messages_log2: Some(63),
    counted_nonce_messages_log2: None,
    counted_other_nonce_messages_log2: None,
    total_bytes_log2: None,
    forgery_bits: 128,
    forgery_loss_bits: 0,
    commitment: &[],
    commitment_repeats: Repeats::WithTag,
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
