//! Algorithms by what is needed of them, and the fastest that has it.
//!
//! A [`Need`] is a predicate over the registry's claims: an algorithm that does not claim a
//! property does not have it. No AEAD of the AEGIS family is `committing`, `misuse-resistant`,
//! `nonce-hiding` or `fips`. Flex, which nobody but its authors has reviewed, is chosen only where
//! nothing else has what is needed.
//!
//! ```
//! use polyseal::needs::{CpuClass, Need, fastest};
//!
//! let needs = ["random-nonces".parse::<Need>()?, Need::Tag256];
//! let chosen = fastest(CpuClass::Vaes512, &needs, |_| true).expect("the registry has one");
//! assert_eq!(chosen.to_string(), "aegis-256x4:tag=32");
//! assert!(needs.iter().all(|need| need.met_by(&chosen)));
//!
//! // Both ends have to be able to choose the same: not here, but among what they agreed on.
//! let agreed = ["aegis-128l", "aegis-256"];
//! let chosen = fastest(CpuClass::here(), &[], |family| agreed.contains(&family.identity.id));
//! assert_eq!(chosen.expect("one of them").to_string(), "aegis-128l");
//! # Ok::<(), polyseal::Error>(())
//! ```

use core::fmt;
use core::str::FromStr;

use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::registry::{Algorithm, Cost, Family, Level, Misuse, families};

/// Something that an algorithm is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Need {
    /// To commit to the key, by CMT-1 or better with a work of 2^64 or more, even where the
    /// adversary chooses the associated data.
    Committing,
    /// To reveal no more under a repeated nonce than that two inputs are the same.
    MisuseResistant,
    /// To hide the nonce from everyone without the key.
    NonceHiding,
    /// To be made of parts that a FIPS 140-3 validation can approve.
    Fips,
    /// To process independent parts of one message side by side.
    Parallel,
    /// To produce ciphertext before the whole message is known.
    Online,
    /// To bear random nonces in any number of messages a key: 2^64 or more.
    RandomNonces,
    /// To have a key of 256 bits or more.
    Key256,
    /// To have a tag of 256 bits or more.
    Tag256,
}

/// The name, description and test of a need.
struct Row {
    name: &'static str,
    description: &'static str,
    met_by: fn(&Algorithm) -> bool,
}

/// The work of breaking a commitment, as a power of two, below which it does not count: that of a
/// tag of 16 bytes.
const COMMITTING_BITS: u32 = 64;

/// The number of messages that counts as any number of them.
const ANY_NUMBER: u128 = 1 << 64;

impl Need {
    /// Every need.
    pub const ALL: &[Self] = &[
        Self::Committing,
        Self::MisuseResistant,
        Self::NonceHiding,
        Self::Fips,
        Self::Parallel,
        Self::Online,
        Self::RandomNonces,
        Self::Key256,
        Self::Tag256,
    ];

    const fn row(self) -> Row {
        match self {
            Self::Committing => Row {
                name: "committing",
                description: "no second key opens a ciphertext, whoever chose the associated data",
                met_by: |a| {
                    a.commitment().is_some_and(|claim| {
                        matches!(claim.level, Level::Cmt1 | Level::Cmt2 | Level::Cmt4)
                            && claim.bits >= COMMITTING_BITS
                    })
                },
            },
            Self::MisuseResistant => Row {
                name: "misuse-resistant",
                description: "a repeated nonce reveals at most that two inputs are the same",
                met_by: |a| {
                    matches!(a.family().claims.misuse, Misuse::Resistant | Misuse::NotNeeded)
                },
            },
            Self::NonceHiding => Row {
                name: "nonce-hiding",
                description: "the nonce is hidden from whoever lacks the key",
                met_by: |a| a.family().claims.nonce_hiding,
            },
            Self::Fips => Row {
                name: "fips",
                description: "made of what FIPS 140-3 can approve; this library is not validated",
                met_by: |a| a.family().claims.fips,
            },
            Self::Parallel => Row {
                name: "parallel",
                description: "independent parts of one message are processed side by side",
                met_by: |a| a.family().claims.parallel,
            },
            Self::Online => Row {
                name: "online",
                description: "ciphertext can be produced before the whole message is known",
                met_by: |a| a.family().claims.online,
            },
            Self::RandomNonces => Row {
                name: "random-nonces",
                description: "nonces may be random for 2^64 messages a key or more",
                // The row speaks for its default length.
                met_by: |a| {
                    Limits::for_algorithm(a).random_nonce_messages.is_none_or(|n| n >= ANY_NUMBER)
                },
            },
            Self::Key256 => Row {
                name: "key-256",
                description: "a key of 256 bits or more",
                met_by: |a| a.key_bytes() >= 32,
            },
            Self::Tag256 => Row {
                name: "tag-256",
                description: "a tag of 256 bits or more, a commitment in it included",
                met_by: |a| a.visible_tag_bytes() >= 32,
            },
        }
    }

    /// The name, in kebab-case.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The need, in a line.
    #[must_use]
    pub fn description(self) -> &'static str {
        self.row().description
    }

    /// Whether `algorithm` claims it.
    #[must_use]
    pub fn met_by(self, algorithm: &Algorithm) -> bool {
        (self.row().met_by)(algorithm)
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Need {
    type Err = Error;

    /// # Errors
    /// [`Error::UnknownNeed`]; with Flex, `Error::LengthPreserving` for `length-preserving`, which
    /// no AEAD is.
    fn from_str(text: &str) -> Result<Self> {
        #[cfg(feature = "flex")]
        if text == "length-preserving" {
            return Err(Error::LengthPreserving);
        }
        Self::ALL.iter().copied().find(|need| need.name() == text).ok_or(Error::UnknownNeed)
    }
}

/// A class of machines, by the fastest back end that they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CpuClass {
    /// Portable code only.
    Soft,
    /// x86-64 with SSSE3.
    Ssse3,
    /// x86-64 with AES-NI and AVX.
    AesNi,
    /// x86-64 with VAES and AVX2.
    Vaes256,
    /// x86-64 with VAES and AVX-512.
    Vaes512,
    /// aarch64 with the AES instructions.
    Neon,
    /// WebAssembly with vectors.
    Simd128,
}

impl CpuClass {
    /// Every class.
    pub const ALL: &[Self] = &[
        Self::Soft,
        Self::Ssse3,
        Self::AesNi,
        Self::Vaes256,
        Self::Vaes512,
        Self::Neon,
        Self::Simd128,
    ];

    /// The class of this machine.
    #[must_use]
    pub fn here() -> Self {
        match Backend::detect() {
            Backend::Soft(_) => Self::Soft,
            #[cfg(target_arch = "x86_64")]
            Backend::Ssse3(_) => Self::Ssse3,
            #[cfg(target_arch = "x86_64")]
            Backend::AesNi(_) => Self::AesNi,
            #[cfg(target_arch = "x86_64")]
            Backend::Vaes256(_) => Self::Vaes256,
            #[cfg(target_arch = "x86_64")]
            Backend::Vaes512(_) => Self::Vaes512,
            #[cfg(target_arch = "aarch64")]
            Backend::Neon(_) => Self::Neon,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Backend::Simd128(_) => Self::Simd128,
        }
    }

    /// The back end's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Soft => "soft",
            Self::Ssse3 => "ssse3",
            Self::AesNi => "aesni",
            Self::Vaes256 => "vaes256",
            Self::Vaes512 => "vaes512",
            Self::Neon => "neon",
            Self::Simd128 => "simd128",
        }
    }

    const fn millicycles(self, cost: &Cost) -> u32 {
        match self {
            Self::Soft => cost.soft,
            Self::Ssse3 => cost.ssse3,
            Self::AesNi => cost.aesni,
            Self::Vaes256 => cost.vaes256,
            Self::Vaes512 => cost.vaes512,
            Self::Neon => cost.neon,
            Self::Simd128 => cost.simd128,
        }
    }
}

/// The fastest AEAD for `machine` that meets all of `needs`, of a family that is `allowed`.
///
/// It is the family's default instance, or the first in the order of key, nonce and tag lengths
/// that meets the needs where the default does not. The answer depends on the arguments only: of
/// two families that cost the same, it is the one that comes first in the registry. Families that
/// are only there for old data are not chosen, and those that are not
/// [`reviewed`](crate::registry::Claims::reviewed) only where no other will do.
#[must_use]
pub fn fastest(
    machine: CpuClass,
    needs: &[Need],
    allowed: impl Fn(&Family) -> bool,
) -> Option<Algorithm> {
    let meets = |a: &Algorithm| needs.iter().all(|need| need.met_by(a));
    families()
        .iter()
        .filter(|family| allowed(family))
        .filter_map(|family| Some((machine.millicycles(family.cost.as_ref()?), family)))
        .filter_map(|(cost, family)| {
            Some(((!family.claims.reviewed, cost), Algorithm::instances(family).find(meets)?))
        })
        .min_by_key(|&(order, _)| order)
        .map(|(_, algorithm)| algorithm)
}

#[cfg(test)]
mod tests;
