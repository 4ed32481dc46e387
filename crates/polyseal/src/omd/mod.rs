//! OMD: authenticated encryption from a keyed compression function.
//!
//! Source: S. Cogliani et al., "OMD: A Compression Function Mode of Operation for Authenticated
//! Encryption" (SAC 2014), and OMD v2.0, a second-round candidate of CAESAR. Over BLAKE2b it is an
//! idea of D. Maimuț and A. Mega ("Speeding Up OMD Instantiations in Hardware"); its bytes are
//! ours, and no other implementation has them. `docs/spec/omd.md` in the repository specifies all
//! three.
//!
//! Security: authenticated encryption as long as no nonce is repeated under a key, and the
//! compression function, keyed by the first half of its block, is a pseudorandom function: then up
//! to about 2^(n/2) blocks, with chaining values of n = 256 bits (SHA-256) or 512 (SHA-512,
//! BLAKE2b).
//!
//! | take | for |
//! |---|---|
//! | [`OmdSha512`] | the widest margin, from SHA-512 |
//! | [`OmdSha256`] | the fastest on CPUs with instructions made for SHA-256 |
//! | [`OmdBlake2b`] | the fastest without them; nobody has reviewed it |
//! | [`legacy`] | old data only: forgeable |
//!
//! These have the longest keys, nonces and tags; others have names, too, and any other lengths are
//! `Omd<Sha512, U32, U12, U16>` with [`aead::consts`], or `omd-sha512:key=32,nonce=12,tag=16` in
//! [`any`](crate::any).
//!
//! A message is sequential: a block is one call of the compression function, which makes OMD 6 to
//! 25 times slower than AES-GCM on CPUs with AES instructions. Many messages are not:
//! [`batch`](crate::batch) seals them side by side.
//!
//! Limits: a repeated nonce breaks confidentiality and authenticity. It commits to nothing: anyone
//! who knows two keys finds, within seconds, associated data under which one nonce, ciphertext and
//! tag open with both.
//!
//! The published rule for empty inputs is forgeable with one message; here an empty input is one
//! padded block, as in OMD v2.0's optimised code. The tag differs from the reference code's
//! wherever the message or the associated data is empty, and from version 1's everywhere:
//! [`legacy`] opens those.
//!
//! ```
//! use polyseal::aead::{AeadInOut, Generate, Key, KeyInit, Nonce};
//! use polyseal::omd::OmdSha512;
//!
//! let key = Key::<OmdSha512>::generate();
//! let cipher = OmdSha512::new(&key);
//! let nonce = Nonce::<OmdSha512>::generate(); // 32 random bytes, fresh for every message
//!
//! let mut message = b"attack at dawn".to_vec();
//! cipher.encrypt_in_place(&nonce, b"header", &mut message)?;
//! assert_eq!(message.len(), 14 + 64);
//! cipher.decrypt_in_place(&nonce, b"header", &mut message)?;
//! assert_eq!(message, b"attack at dawn");
//! # Ok::<(), polyseal::aead::Error>(())
//! ```

mod calls;
mod cipher;
#[cfg(feature = "papers")]
pub mod legacy;
mod many;
mod masks;
mod mode;
pub(crate) mod names;
mod rule;
#[cfg(test)]
mod tests;

pub use crate::hash::{Blake2b, Sha256, Sha512};
pub use cipher::Omd;
pub use names::{
    OmdBlake2b, OmdBlake2bK256N256Tau256, OmdBlake2bK512N256Tau256, OmdSha256,
    OmdSha256K128N96Tau64, OmdSha256K128N96Tau96, OmdSha256K128N96Tau128, OmdSha256K192N104Tau128,
    OmdSha256K256N104Tau160, OmdSha512, OmdSha512K128N128Tau128, OmdSha512K256N256Tau256,
    OmdSha512K512N256Tau256,
};
pub use rule::{EmptyInputs, Secure};

/// The longest message in bytes: `2^61 − 1`, whose bits a 64-bit number counts.
pub const MAX_MESSAGE_BYTES: u64 = (1 << 61) - 1;

/// The longest associated data in bytes: `2^61 − 1`.
pub const MAX_AD_BYTES: u64 = (1 << 61) - 1;
