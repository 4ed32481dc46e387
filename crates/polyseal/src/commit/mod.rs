//! Transforms that make an AEAD commit.
//!
//! [`Ctx`] commits to everything: key, nonce, associated data and message.

mod ctx;

pub use crate::inner_aead::InnerAead;
pub use ctx::Ctx;
