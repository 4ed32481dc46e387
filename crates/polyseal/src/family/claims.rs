//! The security claims of an algorithm.

use super::Algorithm;

/// The security claims of a family. All else does not hold.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Claims {
    /// Commitment claims, one for each tag length; none for a MAC.
    pub commitment: &'static [Commitment],
    /// When two messages under one key have the same commitment.
    pub(crate) commitment_repeats: Repeats,
    /// The damage of a repeated nonce.
    pub misuse: Misuse,
    /// Whether the nonce is hidden from everyone without the key.
    pub nonce_hiding: bool,
    /// Whether independent parts of one message are processed side by side.
    pub parallel: bool,
    /// Whether ciphertext can be produced before the whole message is known.
    pub online: bool,
    /// Whether it is made of parts that a FIPS 140-3 validation can approve. No claim that this
    /// library has been validated.
    pub fips: bool,
    /// Whether others than its authors have looked at its security. An unreviewed algorithm is
    /// chosen only where nothing else will do.
    pub reviewed: bool,
    /// The additional properties, of security and of implementation, that are claimed, in the terms
    /// of RFC 9771.
    pub properties: &'static [&'static str],
}

/// How strongly a ciphertext is bound to its inputs.
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
    /// The inputs that it commits to.
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

/// The damage of a repeated nonce.
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
