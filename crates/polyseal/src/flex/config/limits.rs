//! How much one key of a configuration may do, by section 11: its terms in the number of messages
//! are at most 2^-32. Those in their length are `limits::bounds`'s.

use super::{Config, Mode, NonceForm};

impl Config {
    /// How many messages one key may seal, segments being messages, whatever their nonces are.
    /// `None`: at least 2^112, which is no practical limit.
    ///
    /// Random nonces may have a lower one: with n bytes, 2^(4n − 16) messages. All of it is counted
    /// by [`Usage`](crate::limits::Usage), for an [`Algorithm`](crate::registry::Algorithm).
    #[must_use]
    pub const fn max_messages(&self) -> Option<u128> {
        let (block, t) = (self.profile.block_bytes(), self.profile.tag_bytes());
        let narrow = block - t;
        let tag = match (self.mode, self.nonce) {
            (Mode::Civ | Mode::RobustAe, _) | (Mode::Och, NonceForm::Hidden(_)) => self.tag_bytes(),
            _ => t,
        };
        let log2 = 4 * (if narrow < tag { narrow } else { tag }) - 16;
        let log2 = if self.profile.has_64_bits() && log2 > 48 { 48 } else { log2 };
        if log2 < 112 { Some(1 << log2) } else { None }
    }

    /// How many bytes one key may seal, messages and associated data together: 2^50 blocks in a
    /// profile of the 64-bit level. `None`: no practical limit.
    #[must_use]
    pub const fn max_total_bytes(&self) -> Option<u128> {
        match self.profile.has_64_bits() {
            true => Some(1 << (50 + self.profile.block_bytes().ilog2())),
            false => None,
        }
    }

    /// How many messages one key may seal under random nonces of `bytes` bytes.
    #[cfg(all(feature = "alloc", feature = "getrandom"))]
    pub(in super::super) fn max_random_nonces(&self, bytes: usize) -> u128 {
        let log2 = (8 * bytes).saturating_sub(32) / 2;
        let nonces = 1_u128.checked_shl(log2 as u32).unwrap_or(u128::MAX);
        nonces.min(self.max_messages().unwrap_or(u128::MAX))
    }
}
