//! The typed AEGIS interface: what the registry's names do not reach.

mod strategies;
mod stream;
mod traits;

// A nonce of AEGIS is as long as a key.
use crate::common::key as array;
