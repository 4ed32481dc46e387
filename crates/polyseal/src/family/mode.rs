//! How an algorithm uses its key, which says what bounds it has.
//!
//! It is a field of every row, without a default: a row that is built on GCM's has GCM's bounds
//! unless it says otherwise.

use super::Algorithm;

/// How an algorithm uses its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The row says all: its specification bounds nothing by the amount of data.
    Direct,
    /// A compression function under the key.
    Chained {
        /// The bytes of a chaining value.
        bytes: usize,
        /// Whether one known message is enough to forge.
        forgeable: bool,
    },
    /// GCM under the key, over as many blocks more than the message has.
    Gcm { padding_blocks: u32 },
    /// GCM under keys that are derived from the nonce's first bytes: as many, or all that there
    /// are.
    Derived {
        head_bytes: usize,
        /// How often a message calls the key's permutation, if the derived key is what it gives.
        permutation_calls: Option<u32>,
        /// How many blocks more than the message has are under the derived key.
        padding_blocks: u32,
        /// Whether the commitment is F_com, of which theorem 1 of eprint 2025/758 is.
        f_com: bool,
    },
    /// Flex, whose specification bounds it by its configuration.
    #[cfg(feature = "flex")]
    Flex(FlexUse),
    /// A hash and counter mode under keys that are derived from the whole nonce, as AES-GCM-SIV has
    /// them.
    Siv {
        /// How often a message calls the key's permutation, to take half of each output.
        halves: u32,
    },
}

/// The numbers of a configuration of Flex that its security depends on, in bytes.
#[cfg(feature = "flex")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlexUse {
    pub(crate) mode: FlexMode,
    /// B, a block.
    pub(crate) block: usize,
    /// t, a chaining value.
    pub(crate) state: usize,
    /// The tag that commits.
    pub(crate) tag: usize,
    /// The nonce, if it is hidden; otherwise 0.
    pub(crate) hidden: usize,
    /// λ, the zeros behind a message.
    pub(crate) stretch: usize,
    /// Whether nonces may have any length, which is then hashed with them.
    pub(crate) free_nonce: bool,
    /// A segment.
    pub(crate) segment: Option<usize>,
}

/// Flex's ways to encrypt.
#[cfg(feature = "flex")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlexMode {
    Och,
    Civ,
    Robust,
    RobustAe,
}

impl Mode {
    /// Keys derived from the nonce's first bytes, and no more than that.
    pub(crate) const fn derived(head_bytes: usize, permutation_calls: Option<u32>) -> Self {
        Self::Derived { head_bytes, permutation_calls, padding_blocks: 0, f_com: false }
    }

    /// The same with F_com.
    pub(crate) const fn with_f_com(head_bytes: usize, permutation_calls: Option<u32>) -> Self {
        Self::Derived { head_bytes, permutation_calls, padding_blocks: 0, f_com: true }
    }
}

/// The mode that goes with an algorithm's parameters.
pub(crate) type ModeOf = fn(&Algorithm) -> Mode;

impl Algorithm {
    /// Whether one known message is enough to forge: such an instance is there for old data and for
    /// comparison, never for new messages.
    #[must_use]
    pub fn is_forgeable(&self) -> bool {
        matches!(self.mode(), Mode::Chained { forgeable: true, .. })
    }

    /// How this instance uses its key.
    pub(crate) fn mode(&self) -> Mode {
        match (self.family().limits.mode)(self) {
            Mode::Derived { head_bytes, permutation_calls, padding_blocks, f_com } => {
                let head_bytes = head_bytes.min(self.nonce_bytes());
                Mode::Derived { head_bytes, permutation_calls, padding_blocks, f_com }
            }
            mode => mode,
        }
    }
}
