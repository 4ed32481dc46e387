//! How long the parts of a message and of a ciphertext are, and may be (section 10).

use core::ops::RangeInclusive;

use super::{Config, Mode, NonceForm};
use crate::error::{Error, Result};

/// The lengths of a key in bytes: whatever lies between.
pub const KEY_BYTES: RangeInclusive<usize> = 16..=1024;

/// The shortest nonce of [`Mode::Och`] in bytes.
pub(super) const MIN_OCH_NONCE: u16 = 8;

/// The longest associated data, and setup associated data, in bytes.
pub(in super::super) const MAX_AD_BYTES: u64 = 1 << 60;

impl Config {
    /// The tag's length in bytes; for [`Mode::Robust`], that of the tag that commits, or 0.
    #[must_use]
    pub const fn tag_bytes(&self) -> usize {
        match (self.mode, self.commits) {
            (Mode::Robust, true) => self.profile.tag_bytes(),
            (Mode::Robust, false) => 0,
            _ => self.tag as usize,
        }
    }

    /// λ, how many zeros are enciphered behind a message of [`Mode::Robust`]; 0 for the others.
    #[must_use]
    pub const fn stretch_bytes(&self) -> usize {
        match self.mode {
            Mode::Robust => self.tag as usize,
            _ => 0,
        }
    }

    /// With segments, their length in bytes.
    #[must_use]
    pub const fn segment_bytes(&self) -> Option<usize> {
        match self.segment {
            Some(log2) => Some(1 << log2),
            None => None,
        }
    }

    /// How many bytes of nonce a ciphertext begins with.
    #[must_use]
    pub const fn hidden_bytes(&self) -> usize {
        match self.nonce {
            NonceForm::Hidden(bytes) => bytes as usize,
            _ => 0,
        }
    }

    /// How much longer than its message a ciphertext is, or a segment than its part of it.
    #[must_use]
    pub const fn overhead_bytes(&self) -> usize {
        self.hidden_bytes() + self.stretch_bytes() + self.tag_bytes()
    }

    /// The longest message in bytes. In segments it is `u64::MAX`: a stream has fewer than 2^64 of
    /// them, and a segment is never too long.
    #[must_use]
    pub const fn max_message_bytes(&self) -> u64 {
        match (self.mode, self.segment) {
            (_, Some(_)) => u64::MAX,
            (Mode::Robust | Mode::RobustAe, _) => 1 << 40,
            _ => 1 << 50,
        }
    }

    /// The ciphertext's length for a message of `message` bytes; `None` beyond the limit.
    #[must_use]
    pub fn ciphertext_bytes(&self, message: u64) -> Option<u64> {
        self.layout().ciphertext_bytes(message)
    }

    /// The message's length for a ciphertext of `ciphertext` bytes; `None` if no ciphertext has
    /// that length.
    #[must_use]
    pub fn message_bytes(&self, ciphertext: u64) -> Option<u64> {
        self.layout().message_bytes(ciphertext)
    }

    /// The lengths of a nonce in bytes: one, or all that lie between.
    #[must_use]
    pub const fn nonce_range(&self) -> RangeInclusive<usize> {
        let (shortest, longest) = match (self.nonce, self.mode) {
            (NonceForm::Hidden(fixed) | NonceForm::Public(fixed), _) => (fixed, fixed),
            (NonceForm::AnyPublic, Mode::Och) => (MIN_OCH_NONCE, u16::MAX),
            (NonceForm::AnyPublic, _) => (0, u16::MAX),
        };
        RangeInclusive::new(shortest as usize, longest as usize)
    }

    /// Whether a nonce may have `bytes` bytes.
    #[must_use]
    pub const fn takes_nonce_of(&self, bytes: usize) -> bool {
        let range = self.nonce_range();
        *range.start() <= bytes && bytes <= *range.end()
    }

    /// Checks the lengths that sealing is given, in bytes.
    pub(in super::super) fn check_sealing(
        &self,
        nonce: usize,
        ad: u64,
        message: u64,
    ) -> Result<()> {
        self.check_nonce(nonce)?;
        check_ad(ad)?;
        self.check_message(message)
    }

    /// Checks the lengths that opening is given, in bytes; the message's. An error is told before
    /// anything is refused.
    pub(in super::super) fn check_opening(
        &self,
        nonce: usize,
        ad: u64,
        ciphertext: u64,
    ) -> Result<usize> {
        let hides = self.hidden_bytes() > 0;
        if !hides {
            self.check_nonce(nonce)?;
        }
        check_ad(ad)?;
        self.check_message(ciphertext.saturating_sub(self.overhead_bytes() as u64))?;
        let bytes = self.message_bytes(ciphertext).filter(|_| !hides || nonce == 0);
        bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or(Error::Unauthentic)
    }

    fn check_nonce(&self, actual: usize) -> Result<()> {
        if self.takes_nonce_of(actual) {
            return Ok(());
        }
        let what = "nonce";
        let (shortest, longest) = self.nonce_range().into_inner();
        Err(match self.nonce {
            NonceForm::AnyPublic => Error::Range { what, shortest, longest, actual },
            _ => Error::Length { what, expected: shortest, actual },
        })
    }

    fn check_message(&self, bytes: u64) -> Result<()> {
        let (what, limit) = ("message", self.max_message_bytes());
        if bytes > limit { Err(Error::TooLong { what, limit }) } else { Ok(()) }
    }
}

/// Checks the length of associated data, or setup associated data.
pub(in super::super) fn check_ad(bytes: u64) -> Result<()> {
    let (what, limit) = ("associated data", MAX_AD_BYTES);
    if bytes > limit { Err(Error::TooLong { what, limit }) } else { Ok(()) }
}
