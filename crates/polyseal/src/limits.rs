//! How much one key may do, and counters that refuse before it does more.
//!
//! The bounds are formulas over an algorithm's row of the registry. AEGIS's figures are those of
//! RFC 10032, sections 9.1.1 and 9.3; the kinds of bounds, and that failed verifications are one of
//! them, are those of draft-irtf-cfrg-aead-limits. Each bound stands for one user: with many keys,
//! an adversary's chances against any of them add up. `bounds` tells the reason for a limit, how
//! likely an accident below it is, and the chances with many keys.
//!
//! Limit: a counter knows only the calls that it is told. A program that seals elsewhere under the
//! same key, or forgets the counter between two runs, has to count together or take a fresh key.
//!
//! ```
//! use polyseal::Error;
//! use polyseal::limits::{Limits, Nonces, Usage};
//! use polyseal::registry::Algorithm;
//!
//! let algorithm: Algorithm = "aegis-128l".parse()?;
//! assert_eq!(Limits::for_algorithm(&algorithm).random_nonce_messages, Some(1 << 48));
//!
//! let mut usage = Usage::resume(&algorithm, Nonces::Random, (1 << 48) - 1, 1 << 60, 0);
//! usage.seal(1000, 20)?; // the last one: now seal it
//! let refused = usage.seal(1000, 20);
//! assert_eq!(refused, Err(Error::Limit { what: "messages with random nonces", limit: 1 << 48 }));
//! # Ok::<(), polyseal::Error>(())
//! ```

#[cfg(feature = "std")]
pub mod bounds;

use crate::error::{Error, Result};
use crate::family::{Mode, Repeats};
use crate::registry::{Algorithm, Level};

/// The bytes that one key of GCM may encrypt, as an exponent of 2: see its rows of the registry.
const GCM_BYTES_LOG2: u32 = 52;

/// The chance that is left to a forger, as the exponent of 1/2: what NIST SP 800-38D, section 8,
/// allows to its own accidents.
const FORGERY_CHANCE_BITS: u32 = 32;

/// How the nonces of a key's messages are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonces {
    /// Drawn at random, so that two of them may be the same.
    Random,
    /// Certain to differ, as those of a counter are, wherever in the nonce it stands. Schemes that
    /// derive a key from the nonce's first bytes may then have one derived key for all messages, as
    /// with a counter at the end: they are taken for GCM under one key.
    Counted,
    /// Certain to differ in the first bytes, as those of a counter at the beginning are: in as many
    /// as a key is derived from (12 with XAES, KC-XAES and H-AES, 15 with DNDK), so that each
    /// message has a derived key of its own. Where no keys are derived, the same as
    /// [`Counted`](Self::Counted).
    CountedFirst,
}

/// A limit on the bytes of a key's messages and associated data together, and how they count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Total {
    /// The limit. `None`: no practical one.
    pub limit: Option<u128>,
    /// `None`: bytes count as they are. Else what counts is the work of the block cipher: whole
    /// blocks of 16 bytes, and so many more for each message. (One is the tag's mask, or
    /// the tag; the padding fix has two more.)
    pub extra_blocks: Option<u32>,
}

impl Total {
    /// The charge of a message.
    #[must_use]
    pub fn charge(&self, message_bytes: u64, ad_bytes: u64) -> u128 {
        match self.extra_blocks {
            None => u128::from(message_bytes) + u128::from(ad_bytes),
            Some(extra) => {
                let blocks = |bytes: u64| u128::from(bytes.div_ceil(16));
                16 * (blocks(message_bytes) + blocks(ad_bytes) + u128::from(extra))
            }
        }
    }
}

/// A limit on the segments of all of a key's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Segments {
    /// How many bytes of a message each has, but the last.
    pub bytes: u64,
    /// The limit. `None`: no practical one.
    pub limit: Option<u128>,
}

impl Segments {
    /// The most segments that `messages` messages of `bytes` bytes altogether can have.
    #[must_use]
    pub fn at_most(&self, messages: u128, bytes: u128) -> u128 {
        messages.saturating_add(bytes / u128::from(self.bytes))
    }
}

/// The limits of one key of an algorithm. `None`: no practical limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Messages under random nonces of n bits: q ≤ 2^((n − 32) / 2), for then two of them are the
    /// same with a probability of q² / 2^(n + 1) ≤ 2^-33 (RFC 10032, 9.1.1, after NIST
    /// SP 800-38D, section 8.3). The RFC counts the 2^112 of 256-bit nonces as no limit.
    pub random_nonce_messages: Option<u128>,
    /// Messages under nonces of n bits that are certain to differ: 2^n, or what the specification
    /// says if it is less. AEGIS's says nothing, and 2^128 is more than is counted to here. GCM may
    /// have no more than 2^32 unless its nonces have 12 bytes (NIST SP 800-38D, section 8.3).
    pub counted_nonce_messages: Option<u128>,
    /// The same for nonces that are certain to differ in the bytes that a key is derived from.
    pub counted_first_nonce_messages: Option<u128>,
    /// The limits of a stream: its segments, which are messages to everything but nonces. `None`:
    /// there are none.
    pub segments: Option<Segments>,
    /// Bytes of messages and associated data together. AEGIS's specification has no such limit.
    /// GCM's is 2^52, in blocks: an adversary's advantage is then at most 2^-33. AES-GCM-SIV's is
    /// 2^68: then it is as little, if no message has more than 2^36 bytes together with its
    /// associated data.
    pub total_bytes: Total,
    /// The same for [`Nonces::Counted`]: where they may leave all messages to one derived key, that
    /// key has GCM's limit.
    pub counted_total_bytes: Total,
    /// Failed verifications: v ≤ 2^(s − 32), for a forger who succeeds with a probability of 2^-s
    /// at each attempt then succeeds with at most 2^-32. s is the tag's length in bits, or what is
    /// claimed if it is less: for AEGIS 128 with either tag (RFC 10032, 9.3). With GCM and all
    /// that is built on it the chance grows with the length: s is 33 less, which holds for a
    /// message of any length, and up to 2^36 bytes of message and associated data together. A
    /// failure with more associated data counts as often as 2^36 bytes go into its length.
    pub failed_verifications: Option<u128>,
    /// Bytes of one message (AEGIS's P_MAX, 2^61 − 1).
    pub message_bytes: u64,
    /// Bytes of one message's associated data (A_MAX, the same).
    pub ad_bytes: u64,
}

impl Limits {
    /// The limits of a key of `algorithm`.
    #[must_use]
    pub fn for_algorithm(algorithm: &Algorithm) -> Self {
        let family = algorithm.family();
        let tag_bits = 8 * algorithm.tag_bytes() as u32;
        let nonce_bits = 8 * algorithm.nonce_bytes() as u32;
        let counted = if algorithm.nonce_bytes() == family.sizes.nonce_bytes.default {
            family.limits.counted_nonce_messages_log2
        } else {
            family.limits.counted_other_nonce_messages_log2
        };
        let own = algorithm.instance_limits();
        let most = own.and_then(|own| own.max_messages);
        // Without a use for nonces, there are none to run out of; otherwise none is one.
        let nonces = |bits| if bits == 0 && own.is_some() { None } else { power(bits) };
        let counted = least(counted.and_then(power), least(nonces(nonce_bits), most));
        let total = |limit, extra_blocks| Total { limit, extra_blocks };
        let of_instance = own.and_then(|own| own.max_total_bytes);
        let limit = family.limits.total_bytes_log2.and_then(power).or(of_instance);
        let (head_bits, total_bytes, counted_total_bytes) = match algorithm.mode() {
            #[cfg(feature = "flex")]
            Mode::Flex(_) => (nonce_bits, total(limit, None), total(limit, None)),
            Mode::Direct | Mode::Chained { .. } => {
                (nonce_bits, total(limit, None), total(limit, None))
            }
            Mode::Gcm { padding_blocks } => {
                let total = total(limit, Some(1 + padding_blocks));
                (nonce_bits, total, total)
            }
            Mode::Siv { .. } => (nonce_bits, total(limit, Some(1)), total(limit, Some(1))),
            Mode::Derived { head_bytes, padding_blocks, .. } => {
                let extra = Some(1 + padding_blocks);
                let one_key = match limit {
                    _ if head_bytes == algorithm.nonce_bytes() => total(limit, None),
                    Some(limit) => total(Some(limit.min(1 << GCM_BYTES_LOG2)), extra),
                    None => total(power(GCM_BYTES_LOG2), extra),
                };
                (8 * head_bytes as u32, total(limit, None), one_key)
            }
        };
        Self {
            // A row is for the default length; a shorter nonce has its own formula, and so has a
            // commitment that repeats before the nonce does.
            random_nonce_messages: family
                .limits
                .random_nonce_messages_log2
                .and_then(|log2| {
                    let bits = match commitment_bits(algorithm) {
                        Some((Repeats::WithNonce(_), bits)) => bits.min(nonce_bits),
                        _ => nonce_bits,
                    };
                    power(log2.min(bits.saturating_sub(32) / 2))
                })
                .map(|nonces| most.map_or(nonces, |most| most.min(nonces))),
            counted_nonce_messages: counted,
            counted_first_nonce_messages: least(counted, nonces(head_bits)),
            segments: own
                .and_then(|own| own.segment_bytes)
                .map(|bytes| Segments { bytes: bytes as u64, limit: most }),
            total_bytes,
            counted_total_bytes,
            failed_verifications: {
                let bits = family.limits.forgery_bits.min(tag_bits);
                match bits.saturating_sub(family.limits.forgery_loss_bits) {
                    bits @ FORGERY_CHANCE_BITS.. => power(bits - FORGERY_CHANCE_BITS),
                    _ => Some(0),
                }
            },
            message_bytes: algorithm.max_message_bytes(),
            ad_bytes: family.limits.max_ad_bytes,
        }
    }

    /// The bytes under `nonces`.
    #[must_use]
    pub fn total(&self, nonces: Nonces) -> Total {
        match nonces {
            Nonces::Counted => self.counted_total_bytes,
            Nonces::Random | Nonces::CountedFirst => self.total_bytes,
        }
    }

    /// The messages under `nonces`, and their name.
    fn messages(&self, nonces: Nonces) -> (&'static str, Option<u128>) {
        match nonces {
            Nonces::Random => ("messages with random nonces", self.random_nonce_messages),
            Nonces::Counted => ("messages", self.counted_nonce_messages),
            Nonces::CountedFirst => ("messages", self.counted_first_nonce_messages),
        }
    }
}

/// When an algorithm's commitment repeats, and in how many random bits those of two messages with
/// random nonces differ; `None` without a commitment.
fn commitment_bits(algorithm: &Algorithm) -> Option<(Repeats, u32)> {
    let claim = algorithm.commitment().filter(|claim| claim.level != Level::None)?;
    let repeats = algorithm.family().claims.commitment_repeats;
    let bytes = match repeats {
        Repeats::WithTag => claim.tag_bytes,
        Repeats::WithNonce(bytes) => bytes(algorithm),
    };
    Some((repeats, 8 * bytes as u32))
}

/// The lower of two limits.
fn least(one: Option<u128>, other: Option<u128>) -> Option<u128> {
    one.into_iter().chain(other).min()
}

/// `2^log2`, if it is small enough to be counted to.
fn power(log2: u32) -> Option<u128> {
    1_u128.checked_shl(log2)
}

/// The use of one key so far. It refuses before a limit is crossed, and then counts nothing.
///
/// A key that outlives the program needs its counter kept: store [`messages`](Self::messages),
/// [`bytes`](Self::bytes) and [`failures`](Self::failures) before what they count leaves the
/// program (or [`reserve`](Self::reserve) ahead, and store once), and [`resume`](Self::resume).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    limits: Limits,
    nonces: Nonces,
    messages: u128,
    bytes: u128,
    failures: u128,
}

impl Usage {
    /// A fresh key of `algorithm`.
    #[must_use]
    pub fn new(algorithm: &Algorithm, nonces: Nonces) -> Self {
        Self::resume(algorithm, nonces, 0, 0, 0)
    }

    /// A key that has sealed `messages` messages of `bytes` bytes altogether, associated data
    /// included and as they count ([`Total::charge`]), and has seen `failures` failed
    /// verifications.
    #[must_use]
    pub fn resume(
        algorithm: &Algorithm,
        nonces: Nonces,
        messages: u128,
        bytes: u128,
        failures: u128,
    ) -> Self {
        Self { limits: Limits::for_algorithm(algorithm), nonces, messages, bytes, failures }
    }

    /// Whether a fresh key may seal `messages` messages of at most `message_bytes` bytes each, with
    /// at most `ad_bytes` bytes of associated data: for users who know beforehand, as a file format
    /// does, and need not count.
    ///
    /// ```
    /// use polyseal::limits::{Nonces, Usage};
    /// use polyseal::registry::Algorithm;
    ///
    /// let algorithm: Algorithm = "aegis-256x2".parse()?;
    /// let (segments, segment_bytes) = (1 << 48, 1 << 16);
    /// Usage::check(&algorithm, Nonces::CountedFirst, segments, segment_bytes, 0)?;
    /// # Ok::<(), polyseal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`reserve`](Self::reserve).
    pub fn check(
        algorithm: &Algorithm,
        nonces: Nonces,
        messages: u64,
        message_bytes: u64,
        ad_bytes: u64,
    ) -> Result<()> {
        Self::new(algorithm, nonces).reserve(messages, message_bytes, ad_bytes)
    }

    /// Counts a message that is about to be sealed.
    ///
    /// # Errors
    /// As [`reserve`](Self::reserve).
    pub fn seal(&mut self, message_bytes: u64, ad_bytes: u64) -> Result<()> {
        self.reserve(1, message_bytes, ad_bytes)
    }

    /// Counts `messages` messages that are about to be sealed, of at most `message_bytes` bytes
    /// each and with at most `ad_bytes` bytes of associated data: all of them or, with an error,
    /// none.
    ///
    /// # Errors
    /// [`Error::TooLong`] if one of them is too long for the algorithm, [`Error::Limit`] if
    /// together they are too much for the key.
    pub fn reserve(&mut self, messages: u64, message_bytes: u64, ad_bytes: u64) -> Result<()> {
        self.lengths(message_bytes, ad_bytes)?;
        let total = self.limits.total(self.nonces);
        let each = total.charge(message_bytes, ad_bytes);
        let all = self.messages.saturating_add(messages.into());
        let bytes = self.bytes.saturating_add(each.saturating_mul(messages.into()));
        let (what, limit) = self.limits.messages(self.nonces);
        within(what, all, limit)?;
        within("bytes", bytes, total.limit)?;
        if let Some(segments) = self.limits.segments {
            within("segments", segments.at_most(all, bytes), segments.limit)?;
        }
        (self.messages, self.bytes) = (all, bytes);
        Ok(())
    }

    /// Whether a message may be opened: whether the key can bear one more that is not authentic.
    /// Nothing is counted; if it is not authentic, say so to [`failed`](Self::failed).
    ///
    /// # Errors
    /// [`Error::TooLong`] for a message that cannot have been sealed, [`Error::Limit`] once there
    /// have been as many failed verifications as there may be.
    pub fn open(&self, message_bytes: u64, ad_bytes: u64) -> Result<()> {
        self.lengths(message_bytes, ad_bytes)?;
        self.after_failure().map(|_| ())
    }

    /// Counts a verification that has failed. One that has succeeded counts for nothing.
    ///
    /// # Errors
    /// [`Error::Limit`] if that was one too many, which cannot be where [`open`](Self::open) is
    /// asked before.
    pub fn failed(&mut self) -> Result<()> {
        self.failures = self.after_failure()?;
        Ok(())
    }

    /// How many messages have been counted.
    #[must_use]
    pub fn messages(&self) -> u128 {
        self.messages
    }

    /// How many bytes have been counted, as they count ([`Total::charge`]).
    #[must_use]
    pub fn bytes(&self) -> u128 {
        self.bytes
    }

    /// How many failed verifications have been counted.
    #[must_use]
    pub fn failures(&self) -> u128 {
        self.failures
    }

    /// How many failures there will be after one more.
    fn after_failure(&self) -> Result<u128> {
        let failures = self.failures.saturating_add(1);
        within("failed verifications", failures, self.limits.failed_verifications)?;
        Ok(failures)
    }

    fn lengths(&self, message_bytes: u64, ad_bytes: u64) -> Result<()> {
        for (what, bytes, limit) in [
            ("message", message_bytes, self.limits.message_bytes),
            ("associated data", ad_bytes, self.limits.ad_bytes),
        ] {
            if bytes > limit {
                return Err(Error::TooLong { what, limit });
            }
        }
        Ok(())
    }
}

fn within(what: &'static str, count: u128, limit: Option<u128>) -> Result<()> {
    match limit {
        Some(limit) if count > limit => Err(Error::Limit { what, limit }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
