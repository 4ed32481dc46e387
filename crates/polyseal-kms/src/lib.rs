#![doc = include_str!("../README.md")]
//!
//! There are two ways. A *wrapped key file* ([`WrappedKey`]) holds a 32-byte key that only the
//! keeper can unwrap; it is used like a key file, and the keeper is called once for a process. A
//! *key pair* ([`KeyPair`]) on P-256 stays in the keeper; anyone encrypts to its recipient
//! `age1tag1…` without the keeper, and each file that is opened takes one call.
//!
//! Source: `docs/spec/wrapped-key.md`; c2sp.org/age for the recipients; RFC 7512 and Tink for the
//! URIs. A provider's module names the interface that it speaks.
//!
//! Security claim: what a file says chooses no code to load, no place to read a PIN from, and no
//! host but those of the three clouds and of the user's configuration. A wrapped key that is not
//! the one it was made with, or whose file was altered, is refused. Keys are wiped.
//!
//! Limits: anyone who can write a wrapped key file chooses the key. Anyone who may call the keeper
//! can unwrap. A key that only a keeper has is lost with it. P-256 is not post-quantum.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test"))]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "a crate with std")]

mod context;
mod error;
mod key_file;
mod key_pair;
mod percent;
mod provider;
mod public_key;
mod settings;
mod uri;
mod wrapped;

pub use context::Context;
pub use error::{Error, Problem, Result};
pub use key_file::{KeyError, MAX_KEY_FILE_BYTES, forget_keys, key_from_file, unwrap_once};
pub use key_pair::{KeyPair, LazyKeeper, Plugin};
pub use polyseal_file::Class;
pub use provider::{Blob, Kms, Point, connect};
pub use public_key::{PublicKey, ShownKey};
pub use settings::Settings;
pub use uri::{Origin, Scheme, Uri};
pub use wrapped::WrappedKey;
