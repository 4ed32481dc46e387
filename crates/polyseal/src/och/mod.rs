//! OCH over Areion, mended: one pass, and a commitment to everything.
//!
//! Source: `docs/spec/och.md` in the repository, after the code of S. Menda, M. Bellare, V. T.
//! Hoang, J. Len, T. Ristenpart, "The OCH Authenticated Encryption Scheme" (ACM CCS 2025), with six
//! slips mended. **The paper was not read, nobody else has these bytes, and no third party has
//! reviewed it**: it is there to compare with, not for use, and there is no claim that others
//! interoperate. Not to be confused with the mode OCH of [`flex`](crate::flex).
//!
//! Security, by a sketch with ideal permutations: 128 bits, of authenticated encryption and of a
//! commitment to key, nonce, associated data and message (CMT-4), as long as no nonce is repeated
//! under a key. A key is for one of the two variants only.
//!
//! - `och-areion-p`, [`OchAreionP`]: 32-byte key, 32-byte nonce, 32-byte tag.
//! - `och-areion-s`, by [`AnyAead`](crate::any::AnyAead) alone: the nonce is hidden, and a sealed
//!   message 64 bytes longer. Opening recovers the nonce.
//!
//! Limits: messages of 2^50 bytes. A repeated nonce shows which blocks are equal.
//!
//! ```
//! use polyseal::aead::{Aead, KeyInit};
//! use polyseal::och::OchAreionP;
//!
//! let cipher = OchAreionP::new(&[7; 32].into());
//! let nonce = [1; 32].into(); // never twice under one key
//! let sealed = cipher.encrypt(&nonce, &b"attack at dawn"[..])?;
//! assert_eq!(cipher.decrypt(&nonce, &*sealed)?, b"attack at dawn");
//! # Ok::<(), polyseal::aead::Error>(())
//! ```

// In this code, as in the specification: KE is the key of E, L* and L(j) are the base of the
// offsets, R is the offset of a nonce, Z that of a block, U the inner tag.

mod cipher;
mod engine;
mod hash;
pub(crate) mod names;
mod offsets;

pub use cipher::OchAreion;
pub use names::OchAreionP;

/// The bytes of a block, a key, a nonce and a tag.
const BLOCK: usize = 32;

/// A block.
type Block = [u8; BLOCK];

/// The longest message in bytes: `2^50`.
pub const MAX_MESSAGE_BYTES: u64 = 1 << 50;

/// The longest associated data in bytes: `2^61 − 1`.
pub const MAX_AD_BYTES: u64 = (1 << 61) - 1;
