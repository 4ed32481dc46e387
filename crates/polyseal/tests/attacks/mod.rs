//! The attacks that the examples show, and what withstands them.

#[path = "../../examples/attacks/support/mod.rs"]
mod support;

mod adversary;
mod nonce_lengths;
mod nonce_not_sent;
mod toy;
mod two_keys;
