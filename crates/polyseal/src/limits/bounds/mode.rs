//! Which bounds an algorithm has.

use crate::registry::Algorithm;

/// How an algorithm uses its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The row of the registry says all: its specification bounds nothing by the amount of data.
    Direct,
    /// GCM under the key, over as many blocks more than the message has.
    Gcm { padding_blocks: u32 },
    /// GCM under keys that are derived from this many bytes of the nonce.
    Derived {
        head_bytes: usize,
        /// How often a message calls the key's permutation, if the derived key is what it gives.
        permutation_calls: Option<u32>,
    },
}

impl Mode {
    pub(super) fn of(algorithm: &Algorithm) -> Self {
        let id = algorithm.family().id;
        let head = |bytes: usize| Self::Derived {
            head_bytes: bytes.min(algorithm.nonce_bytes()),
            permutation_calls: None,
        };
        // CTX leaves encryption as it is, and a forged tag needs a forged inner one.
        match id.strip_prefix("ctx-").unwrap_or(id) {
            "aes-128-gcm" | "aes-256-gcm" => Self::Gcm { padding_blocks: 0 },
            "padding-fix-aes-256-gcm" => Self::Gcm { padding_blocks: 2 },
            "xaes-256-gcm" => Self::Derived { head_bytes: 12, permutation_calls: Some(2) },
            "kc-xaes-256-gcm" => Self::Derived { head_bytes: 12, permutation_calls: Some(5) },
            "h-aes-256-gcm" | "h-kc-aes-256-gcm" => head(12),
            "dndk-gcm" if algorithm.param("version") == Some(1) => head(24),
            "dndk-gcm" => head(15),
            "hkdf-committed-aes-256-gcm" => head(32),
            _ => Self::Direct,
        }
    }
}
