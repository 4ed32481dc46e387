//! The typed AEGIS interface: what the registry's names do not reach.

#[path = "../common/mod.rs"]
mod common;

mod strategies;
mod stream;
mod traits;

// A nonce of AEGIS is as long as a key.
use common::key as array;
