//! Ciphers that give less than authenticated encryption, for experts.
//!
//! They are no AEADs: none of this crate's traits or lists of algorithms has them. Their names say
//! what they do not give. Source: `docs/spec/flex.md`, section 9. **Not reviewed by third
//! parties.**

pub use crate::flex::wide_block::WideBlock;
