//! The parts of a row of the registry.
//!
//! A [`Family`] says what an algorithm's specification fixes and which sizes and parameters may be
//! chosen; an [`Algorithm`] is a family with every choice made. The families of algorithms
//! (`aegis`, `gcm`, `flex`, `omd`) write rows; the registry, above them, puts the table together.

mod algorithm;
mod claims;
#[cfg(feature = "flex")]
mod layout;
mod limits;
mod mode;
mod sizes;

pub use algorithm::Algorithm;
#[cfg(feature = "flex")]
pub(crate) use algorithm::parse_value;
pub(crate) use claims::Repeats;
pub use claims::{Claims, Commitment, Level, Misuse};
#[cfg(feature = "flex")]
pub(crate) use layout::{Layout, LayoutOf};
pub use limits::FamilyLimits;
pub(crate) use limits::InstanceLimits;
#[cfg(feature = "flex")]
pub(crate) use mode::{FlexMode, FlexUse};
pub(crate) use mode::{Mode, ModeOf};
pub use sizes::{FamilySizes, Listed, Param, ParamKind};

#[cfg(feature = "alloc")]
use crate::backend::Backend;
#[cfg(feature = "alloc")]
use crate::contract::dynamic::{BoxedAead, BoxedMac};
#[cfg(all(feature = "alloc", feature = "flex"))]
use crate::error::Result;
#[cfg(test)]
use crate::sizes::Sizes;

/// The kind of algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Authenticated encryption with associated data.
    Aead,
    /// A message authentication code with a nonce.
    Mac,
}

/// The cost of a byte on each back end, in thousandths of a cycle: the mean of sealing and opening
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
    /// A measured cost. NEON, which could not be measured, is taken to rank as AES-NI: both have
    /// one block in a register.
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
    /// Its names, and where it is defined.
    pub identity: Identity,
    /// The lengths and parameters that it comes in.
    pub sizes: FamilySizes,
    /// The limits of one key.
    pub limits: FamilyLimits,
    /// The security claims.
    pub claims: Claims,
    /// How fast it is among the others; `None`: not to be chosen for its speed, because it is no
    /// AEAD, only there for old data, or not measured beside them.
    pub cost: Option<Cost>,
    #[cfg_attr(not(feature = "alloc"), allow(dead_code))]
    pub(crate) maker: Maker,
}

/// Which algorithm it is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Identity {
    /// The name on the command line, in files, vectors and benchmarks: kebab-case.
    pub id: &'static str,
    /// The name in its specification.
    pub name: &'static str,
    /// The purpose, in at most 35 characters.
    pub purpose: &'static str,
    /// AEAD or MAC.
    pub kind: Kind,
    /// The specification.
    pub specification: Specification,
    /// Whether it is there for the papers' sake alone: a row of the feature `papers`, to compare
    /// with, and not for use.
    pub papers_only: bool,
}

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
    #[cfg(all(feature = "alloc", feature = "flex"))]
    WithSetup(fn(&Algorithm, &[u8], &[u8], Backend) -> Result<BoxedAead>),
}

/// A [`Maker`]: `maker!(Aead: |algorithm, key, backend| …)` with the function from a key of checked
/// length to an instance behind a pointer. Without an allocator there are no instances by name; nor
/// are there in unit tests, which would compile every algorithm once more.
macro_rules! maker {
    ($kind:ident: $make:expr) => {{
        #[cfg(all(feature = "alloc", not(test)))]
        let maker = $crate::family::Maker::$kind($make);
        #[cfg(not(all(feature = "alloc", not(test))))]
        let maker = $crate::family::Maker::Unmade;
        maker
    }};
}

pub(crate) use maker;

impl Family {
    /// The commitment claim for a tag of `tag_bytes`.
    #[must_use]
    pub fn commitment_at(&self, tag_bytes: usize) -> Option<&'static Commitment> {
        self.claims.commitment.iter().find(|c| c.tag_bytes == tag_bytes)
    }
}

/// A row without claims, for tests to build on.
#[cfg(test)]
pub(crate) const CLAIMLESS: Family = Family {
    identity: Identity {
        id: "claimless",
        purpose: "",
        name: "",
        kind: Kind::Aead,
        specification: Specification { title: "", section: "" },
        papers_only: false,
    },
    sizes: FamilySizes {
        key_bytes: Sizes::these(&[16, 32], 32),
        nonce_bytes: Sizes::one(12),
        tag_bytes: Sizes::these(&[3, 4, 12, 16, 32], 16),
        listed: Listed::All,
        params: &[],
        one_param: false,
        lengths: None,
        #[cfg(feature = "flex")]
        layout: None,
    },
    limits: FamilyLimits {
        max_message_bytes: 0,
        max_ad_bytes: 0,
        random_nonce_messages_log2: Some(63),
        counted_nonce_messages_log2: None,
        counted_other_nonce_messages_log2: None,
        total_bytes_log2: None,
        forgery_bits: 128,
        forgery_loss_bits: 0,
        mode: |_| Mode::Direct,
    },
    claims: Claims {
        commitment: &[],
        commitment_repeats: Repeats::WithTag,
        misuse: Misuse::Breaks,
        nonce_hiding: false,
        parallel: false,
        online: false,
        fips: false,
        reviewed: true,
        properties: &[],
    },
    cost: None,
    maker: Maker::Unmade,
};
