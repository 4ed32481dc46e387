//! The typed interface of AES-GCM and what is built on it: what the registry's names do not reach.

mod accumulated;
mod building_blocks;
mod composition;
mod migration;
mod rustcrypto;
mod traits;
mod wrapping;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{key, nonce};

/// A file of `vectors/internal`.
fn internal(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/internal");
    serde_json::from_slice(&fs::read(folder.join(name)).expect("a file")).expect("JSON")
}

/// The bytes of a field in hexadecimal; none, if there is no such field.
fn field(test: &Value, name: &str) -> Vec<u8> {
    hex::decode(test[name].as_str().unwrap_or_default()).expect(name)
}
