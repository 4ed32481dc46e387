//! The layout of a sealed message where parameters choose it.

use super::{Algorithm, InstanceLimits};
use crate::error::ConfigError;

/// A sealed message: `head_bytes`, the ciphertext, and the rest of the overhead after it; in
/// segments, each of them so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// How many bytes stand before the ciphertext: the encrypted nonce, if it is hidden.
    pub(crate) head_bytes: usize,
    /// The length of the tag that commits.
    pub(crate) tag_bytes: usize,
    /// How much longer than a message, or a part of it, its ciphertext is.
    pub(crate) overhead_bytes: usize,
    /// The limits of one key.
    pub(crate) key: InstanceLimits,
    /// The longest message.
    pub(crate) max_message_bytes: u64,
}

/// The layout that goes with an algorithm's parameters, or the rule that they break.
pub(crate) type LayoutOf = fn(&Algorithm) -> Result<Layout, ConfigError>;

impl Layout {
    /// The ciphertext's length for a message of `message` bytes; `None` beyond the limit.
    pub(crate) fn ciphertext_bytes(&self, message: u64) -> Option<u64> {
        let pieces = match self.key.segment_bytes {
            Some(bytes) => message.div_ceil(bytes as u64).max(1),
            None if message > self.max_message_bytes => return None,
            None => 1,
        };
        pieces.checked_mul(self.overhead_bytes as u64)?.checked_add(message)
    }

    /// The message's length for a ciphertext of `ciphertext` bytes; `None` if no ciphertext has
    /// that length.
    pub(crate) fn message_bytes(&self, ciphertext: u64) -> Option<u64> {
        let overhead = self.overhead_bytes as u64;
        let Some(segment) = self.key.segment_bytes else {
            let message = ciphertext.checked_sub(overhead)?;
            return (message <= self.max_message_bytes).then_some(message);
        };
        let pieces = ciphertext.div_ceil(segment as u64 + overhead).max(1);
        let message = ciphertext.checked_sub(pieces.checked_mul(overhead)?)?;
        // None but the only segment is empty.
        (self.ciphertext_bytes(message) == Some(ciphertext)).then_some(message)
    }
}

impl Algorithm {
    /// The layout of a sealed message, and the limits of its key, where a parameter chooses them.
    pub(crate) fn layout(&self) -> Option<Layout> {
        // Whatever breaks a rule has been refused.
        (self.family().sizes.layout?)(self).ok()
    }

    /// How many of the tag's bytes stand before the ciphertext in a sealed message: the encrypted
    /// nonce, where it is hidden; otherwise 0.
    #[must_use]
    pub fn head_bytes(&self) -> usize {
        self.layout().map_or(0, |layout| layout.head_bytes)
    }

    /// Whether a sealed message is in one piece, its tag not apart from its ciphertext: then there
    /// are no detached calls.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.layout().is_some_and(|layout| layout.key.segment_bytes.is_some())
    }
}
