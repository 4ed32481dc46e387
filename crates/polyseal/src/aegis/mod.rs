//! The AEGIS family: AEGIS-128L, AEGIS-256, and the parallel AEGIS-128X and AEGIS-256X of degree
//! 1 to 16, with 16- or 32-byte tags; AEGISMAC; the key stream.
//!
//! Sources: RFC 10032, whose sections are cited here (the types without a suffix; they were written
//! from its last draft, draft-irtf-cfrg-aegis-aead-18, and `research/papers/aegis.md` says what of
//! the RFC's own text was checked); and F. Denis, "Adding more parallelism to the AEGIS
//! authenticated encryption algorithms", version 1.0 (the types with the suffix `V1`, which above
//! degree 1 do not interoperate with the former).
//!
//! Security: authenticated encryption with 128- or 256-bit keys as long as no nonce is repeated
//! under a key. Nonces of the 128 family may be random for up to 2^48 messages a key; those of the
//! 256 family without practical limit. A repeated nonce breaks confidentiality and authenticity.
//!
//! It does not give a commitment when the adversary chooses the associated data (two keys, one
//! ciphertext and tag, at the cost of two encryptions: see `research/papers/aegis.md`). With fixed
//! associated data it commits to the key with about 64 bits (16-byte tag) or 128 bits (32-byte
//! tag). Never use two algorithms, two degrees or two tag lengths with one key.
//!
//! ```
//! use polyseal::aead::{AeadInOut, Generate, Key, KeyInit, Nonce};
//! use polyseal::aegis::Aegis256X2;
//!
//! let key = Key::<Aegis256X2>::generate();
//! let cipher = Aegis256X2::new(&key);
//! let nonce = Nonce::<Aegis256X2>::generate(); // fresh for every message
//!
//! let mut buffer = *b"attack at dawn";
//! let tag = cipher.encrypt_inout_detached(&nonce, b"header", buffer.as_mut_slice().into())?;
//! cipher.decrypt_inout_detached(&nonce, b"header", buffer.as_mut_slice().into(), &tag)?;
//! assert_eq!(&buffer, b"attack at dawn");
//! # Ok::<(), polyseal::aead::Error>(())
//! ```

mod cipher;
mod engine;
mod incremental;
mod mac;
mod many;
pub(crate) mod names;
mod pass;
mod state;
mod state128;
mod state256;
mod stream;
#[cfg(test)]
mod tests;
mod variant;

pub use cipher::{Aegis, TagBytes};
#[cfg(feature = "testing")]
pub use engine::{LANE_BY_LANE, WIDE};
pub use incremental::{Decryptor, Encryptor};
pub use mac::{AegisMac, MacState};
pub use names::{
    Aegis128L, Aegis128LTag32, Aegis128X2, Aegis128X2Tag32, Aegis128X4, Aegis128X4Tag32, Aegis256,
    Aegis256Tag32, Aegis256X2, Aegis256X2Tag32, Aegis256X4, Aegis256X4Tag32, AegisMac128L,
    AegisMac128LTag32, AegisMac128X2, AegisMac128X2Tag32, AegisMac128X4, AegisMac128X4Tag32,
    AegisMac256, AegisMac256Tag32, AegisMac256X2, AegisMac256X2Tag32, AegisMac256X4,
    AegisMac256X4Tag32, AegisStream128L, AegisStream128X2, AegisStream128X4, AegisStream256,
    AegisStream256X2, AegisStream256X4,
};
#[cfg(feature = "papers")]
pub use names::{Aegis128XV1, Aegis128XV1Tag32, Aegis256XV1, Aegis256XV1Tag32};
pub use stream::AegisStream;
#[cfg(feature = "papers")]
pub use variant::V1;
pub use variant::{ContextRule, Ietf, Variant, X128, X256};

/// The longest message, and the longest associated data, in bytes: `2^61 − 1`.
pub const MAX_BYTES: u64 = (1 << 61) - 1;
