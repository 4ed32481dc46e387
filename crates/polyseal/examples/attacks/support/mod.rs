//! The attacks themselves: the examples show them, `tests/attacks` checks them.

// Each example compiles its own copy and uses a part of it.
#![allow(dead_code)]

pub(crate) mod adversary;
pub(crate) mod field;
pub(crate) mod forkc;
pub(crate) mod letters;
pub(crate) mod nonce_lengths;
pub(crate) mod nonces;
pub(crate) mod readers;
pub(crate) mod schemes;
pub(crate) mod toy;
pub(crate) mod two_keys;
pub(crate) mod two_nonces;
