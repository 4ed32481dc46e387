//! Flex: one key, a configuration chosen at run time, one permutation.
//!
//! Source: `docs/spec/flex.md`, "Flex-1", which completes S. Menda, J. Len, V. T. Hoang, M.
//! Bellare, T. Ristenpart, "Flexible Authenticated Encryption" (2023). **Not reviewed by third
//! parties**, and compatible with nothing that the paper's authors have published since.
//!
//! A [`Config`] says what a key is used for, and [`Flex`] seals and opens with it. Every
//! configuration has subkeys of its own, so that one key serves them all. All of them commit to
//! key, configuration, setup associated data, nonce, associated data and message (CMT-4): with tags
//! of 32 bytes at 128 bits of security, with those of 16, as [`Config::OCH_TRANSPORT`] has them, at
//! 64.
//!
//! | | a repeated nonce shows | passes | nonce hidden | in public |
//! |---|---|---:|---|---|
//! | OCH | much: it must not be repeated | 1 | [`Config::OCH`] | [`Config::OCH_PUBLIC`], [`Config::OCH_TRANSPORT`] |
//! | CIV | which messages are equal | 2 | [`Config::CIV`] | [`Config::CIV_PUBLIC`] |
//! | ROBUST | which messages are equal | 2 | by [`Config::builder`] | [`Config::ROBUST`] |
//! | OCH in segments | much: it must not be repeated | 1 | – | [`Config::OCH_STREAM`] |
//! | CIV in segments | which segments are equal, and they can be exchanged: it must not be repeated | 2 | – | [`Config::CIV_STREAM`] |
//!
//! ROBUST is not robust authenticated encryption: its tag is appended, and a change of the tag
//! alone leaves the deciphered message as it is. It resists misuse as CIV does.
//!
//! Each over eight permutations ([`Profile`]), with nonces and tags of other lengths, by
//! [`Config::builder`]. A shorter tag commits with fewer bits, and is a choice like others. A
//! profile of the 64-bit level has to be allowed by name; with it messages and bytes are limited,
//! too. [`WideBlock`](crate::hazmat::WideBlock), which keeps the length of a message and does not
//! commit, is in a module of its own.
//!
//! ```
//! use polyseal::flex::{Config, Flex};
//!
//! let flex = Flex::init(Config::OCH, &[7; 32], b"what the key is for")?;
//! let nonce = [1; 32]; // never twice under one key
//! let sealed = flex.seal(&nonce, b"header", b"message")?;
//! assert_eq!(sealed.len(), 7 + 64); // the nonce, hidden, and the tag
//! let opened = flex.open(&[], b"header", &sealed)?;
//! assert_eq!(opened.nonce, nonce);
//! assert_eq!(*opened.message, *b"message");
//! # Ok::<(), polyseal::Error>(())
//! ```
//!
//! Which item? [`Flex`] for any configuration, [`Flex::seal_segments`] and [`Flex::open_segments`]
//! for large messages, [`Flex::with_ad`] and [`SetupHash`] for data that repeats: these allocate.
//! [`FlexOchPublic`], [`FlexOchTransport`], [`FlexCivPublic`] and [`FlexRobust`] are types of the
//! crate `aead`, for keys of 32 bytes and public nonces, also without an allocator.
//! [`AnyAead`](crate::any::AnyAead) takes the names of the tool: `flex-och` to `flex:cfg=…`.
//!
//! Limits: messages of 2^50 bytes (ROBUST 2^40, segments fewer than 2^64), associated data of 2^60,
//! keys of 16 to 1024 bytes; how many messages, [`Config::max_messages`] says. A call takes up to
//! 24 KiB of stack, 48 KiB with [`Profile::S1024`] and 92 KiB with [`Profile::K1600`].

// In this code: π the permutation, B the bytes of a block, t those of a chaining value, r = B − t;
// K1 the subkey, K1' the context's key, L the base of the masks, Δ the nonce's mask; i, j a tweak,
// p = 16i + j; D what is added before and behind π.

// Without an allocator there are only the types with a fixed configuration.
#![cfg_attr(not(feature = "alloc"), allow(dead_code, unused_imports))]

mod blocks;
#[cfg(feature = "alloc")]
mod cipher;
mod civ;
mod config;
mod engine;
mod field;
mod hash;
mod machine;
pub(crate) mod names;
mod och;
mod parameters;
mod plaintext;
#[cfg(feature = "alloc")]
mod prepared;
#[cfg(feature = "alloc")]
mod random_nonce;
mod robust;
mod session;
#[cfg(feature = "alloc")]
mod setup;
#[cfg(feature = "alloc")]
mod stream;
#[cfg(all(test, feature = "long-tests"))]
mod tests;
mod tweak;
mod typed;
#[cfg(feature = "alloc")]
pub(crate) mod wide_block;

#[cfg(feature = "alloc")]
pub use crate::contract::dynamic::Opened;
#[cfg(feature = "alloc")]
pub use cipher::Flex;
pub use config::{Builder, Config, ConfigError, KEY_BYTES, Mode, NonceForm, Profile};
#[cfg(feature = "alloc")]
pub use prepared::Prepared;
#[cfg(feature = "alloc")]
pub use setup::SetupHash;
#[cfg(feature = "alloc")]
pub use stream::{SegmentOpener, SegmentSealer};
pub use typed::{
    FlexAead, FlexCivPublic, FlexCivPublicNonce, FlexOchPublic, FlexOchTransport, FlexRobust,
    FlexRobustAe, FlexRobustAeNonce, FlexRobustNonce, Preset,
};
