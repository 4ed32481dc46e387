//! AES-GCM, and algorithms built on it: keys derived from nonces, and commitment to the key.
//!
//! Sources: NIST SP 800-38D (GCM), SP 800-38B (CMAC), SP 800-108r1 (KBKDF); c2sp.org/XAES-256-GCM;
//! P. Kampanakis, S. Halevi, N. Ebeid, M. Campagna, "Blockcipher-Based Key Commitment for
//! Nonce-Derived Schemes" (eprint 2025/758); draft-gueron-cfrg-dndkgcm; RFC 8452 (GCM-SIV).
//!
//! | take | for |
//! |---|---|
//! | [`KcXaes256Gcm`] | random nonces for any number of messages, and a commitment to the key |
//! | [`Xaes256Gcm`] | random nonces for any number of messages |
//! | [`Aes256Gcm`], [`Aes128Gcm`] | what others speak; counted nonces, or 2^32 random ones a key |
//! | [`Aes256GcmSiv`] | what others speak, where a nonce may be repeated |
//! | [`DndkGcm`], [`HAes256Gcm`], [`HkdfCommittedAes256Gcm`], [`PaddingFixAes256Gcm`] and their relatives | to speak with others, and to compare |
//!
//! Security: authenticated encryption as long as no nonce is repeated under a key, within the
//! limits of [`limits`](crate::limits) and `docs/limits.md`. A repeated nonce breaks
//! confidentiality and authenticity: with nonce-derived schemes for the messages of that nonce,
//! else for the key. Only with AES-256-GCM-SIV it reveals no more than which inputs are equal.
//!
//! A nonce of another length than 12 bytes is hashed to GCM's first counter block of 16 bytes,
//! under the key: two nonces can then meet by chance, and counted nonces have no more than the 2^32
//! messages of random ones (SP 800-38D, section 8.3). Take 12 bytes.
//!
//! It does not give the following. GCM, GCM-SIV and XAES do not commit to the key, so that one
//! ciphertext can open under two keys to two messages of an adversary's choice
//! (`examples/attacks/two_keys_one_ciphertext.rs`). KC-XAES commits to key and nonce where the
//! nonce travels with the ciphertext. Where it is implied, it commits to the key alone, and not to
//! the nonce: anyone who knows the key finds two nonces with 2^16 AES calls
//! (`examples/attacks/nonce_not_sent.rs`). Nothing here commits to associated data or message:
//! [`Ctx`](crate::commit::Ctx) does.
//!
//! ```
//! use polyseal::aead::{AeadInOut, Generate, Key, KeyInit, Nonce};
//! use polyseal::gcm::KcXaes256Gcm;
//!
//! let key = Key::<KcXaes256Gcm>::generate();
//! let cipher = KcXaes256Gcm::new(&key);
//! let nonce = Nonce::<KcXaes256Gcm>::generate(); // 24 random bytes, fresh for every message
//!
//! let mut message = b"attack at dawn".to_vec();
//! cipher.encrypt_in_place(&nonce, b"header", &mut message)?; // ciphertext, T, K_C
//! assert_eq!(message.len(), 14 + 16 + 32);
//! cipher.decrypt_in_place(&nonce, b"header", &mut message)?;
//! assert_eq!(message, b"attack at dawn");
//! # Ok::<(), polyseal::aead::Error>(())
//! ```

mod aes;
mod blockcipher_root;
mod cipher;
mod cmac;
mod counters;
mod dndk;
mod engine;
mod expanded;
mod ghash;
mod hmac_hkdf;
mod incremental;
mod kbkdf;
mod many;
pub(crate) mod names;
mod nonce_derived;
mod one_key_medium;
mod one_message;
#[cfg(feature = "papers")]
mod other_commitments;
mod padding_fix;
mod scheme;
mod short;
mod siv;
#[cfg(test)]
mod tests;
mod xaes;

pub use aes::{Aes, Aes128, Aes256};
pub use cipher::{Gcm, TagBytes};
pub use cmac::{Cmac, CmacState};
pub use dndk::{Dndk, DndkV1};
pub use hmac_hkdf::{HkdfDerived, HmacDerived};
pub use incremental::{Decryptor, Encryptor};
pub use kbkdf::{Counter, kbkdf};
pub use names::{
    Aes128Gcm, Aes256Gcm, Aes256GcmTag12, Aes256GcmTag13, Aes256GcmTag14, Aes256GcmTag15, DndkGcm,
    DndkGcmNonce, DndkKcGcm, DndkKcGcmNonce, DndkV1Gcm, DndkV1KcGcm, HAes256Gcm, HKcAes256Gcm,
    HkdfCommittedAes256Gcm, KcXaes256Gcm, KcXaes256GcmNonce, Xaes256Gcm,
};
pub use nonce_derived::NonceDerived;
pub use padding_fix::PaddingFixAes256Gcm;
pub use scheme::{Committable, Committing, Scheme};
pub use siv::Aes256GcmSiv;
pub use xaes::{NonceBytes, Xaes};

/// The longest message in bytes: `2^36 − 32`.
pub const MAX_MESSAGE_BYTES: u64 = (1 << 36) - 32;

/// The longest associated data in bytes: `2^61 − 1`.
pub const MAX_AD_BYTES: u64 = (1 << 61) - 1;
