//! The typed AEGIS interface: what the registry's names do not reach.

#[path = "../common/mod.rs"]
mod common;

mod incremental;
mod strategies;
mod stream;
mod traits;

use aead::KeySizeUser;
use polyseal::aead::{self, Key};

/// The key or nonce of `C` that `seed` stands for.
fn array<C: KeySizeUser>(seed: u64) -> Key<C> {
    Key::<C>::try_from(&common::bytes(seed, C::key_size())[..]).expect("as long as a key")
}
