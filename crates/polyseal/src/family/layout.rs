//! What a sealed message looks like where parameters choose it.

use super::Algorithm;
use crate::error::ConfigError;

/// A sealed message: `head_bytes`, the ciphertext, and the rest of the overhead after it; in
/// segments, each of them so. And what one key may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// How many bytes stand before the ciphertext: the encrypted nonce, if it is hidden.
    pub(crate) head_bytes: usize,
    /// The length of the tag that commits.
    pub(crate) tag_bytes: usize,
    /// How much longer than a message, or a part of it, its ciphertext is.
    pub(crate) overhead_bytes: usize,
    /// With segments, the length of each but the last.
    pub(crate) segment_bytes: Option<usize>,
    /// The longest message.
    pub(crate) max_message_bytes: u64,
    /// How many messages one key may seal, segments being messages; `None`: no practical limit.
    pub(crate) max_messages: Option<u128>,
    /// How many bytes one key may seal; `None`: no practical limit.
    pub(crate) max_total_bytes: Option<u128>,
}

/// The layout that goes with an algorithm's parameters, or the rule that they break.
pub(crate) type LayoutOf = fn(&Algorithm) -> Result<Layout, ConfigError>;

impl Layout {
    /// The ciphertext's length for a message of `message` bytes; `None` beyond the limit.
    pub(crate) fn ciphertext_bytes(&self, message: u64) -> Option<u64> {
        let pieces = match self.segment_bytes {
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
        let Some(segment) = self.segment_bytes else {
            let message = ciphertext.checked_sub(overhead)?;
            return (message <= self.max_message_bytes).then_some(message);
        };
        let pieces = ciphertext.div_ceil(segment as u64 + overhead).max(1);
        let message = ciphertext.checked_sub(pieces.checked_mul(overhead)?)?;
        // None but the only segment is empty.
        (self.ciphertext_bytes(message) == Some(ciphertext)).then_some(message)
    }
}
