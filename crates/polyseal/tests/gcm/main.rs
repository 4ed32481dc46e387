//! The typed interface of AES-GCM and what is built on it: what the registry's names do not reach.

#[path = "../common/mod.rs"]
mod common;

mod accumulated;
mod building_blocks;
mod composition;
mod incremental;
mod migration;
mod rustcrypto;
mod traits;

use std::fs;
use std::path::Path;

use aead::{AeadCore, KeySizeUser};
use polyseal::aead::{self, Key, Nonce};
use serde_json::Value;

/// The key of `C` that `seed` stands for.
fn key<C: KeySizeUser>(seed: u64) -> Key<C> {
    Key::<C>::try_from(&common::bytes(seed, C::key_size())[..]).expect("as long as a key")
}

/// The nonce of `C` that `seed` stands for.
fn nonce<C: AeadCore>(seed: u64) -> Nonce<C> {
    let length = Nonce::<C>::default().len();
    Nonce::<C>::try_from(&common::bytes(seed, length)[..]).expect("as long as a nonce")
}

/// A file of `vectors/internal`.
fn internal(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/internal");
    serde_json::from_slice(&fs::read(folder.join(name)).expect("a file")).expect("JSON")
}

/// The bytes of a field in hexadecimal; none, if there is no such field.
fn field(test: &Value, name: &str) -> Vec<u8> {
    hex::decode(test[name].as_str().unwrap_or_default()).expect(name)
}
