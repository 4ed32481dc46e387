//! Flex: one key, a configuration, one permutation.

// Without an allocator there are no configurations at run time.
#![cfg_attr(not(feature = "alloc"), allow(dead_code, unused_imports))]

mod blocks;
#[cfg(feature = "alloc")]
mod cipher;
mod civ;
mod config;
mod engine;
mod field;
mod hash;
mod machine;
mod och;
mod parameters;
mod robust;
mod session;
mod text;
mod tweak;
#[cfg(feature = "alloc")]
mod wide_block;

#[cfg(feature = "alloc")]
pub use cipher::{Flex, KEY_BYTES, Opened};
pub use config::{Builder, Config, ConfigError, Mode, NonceForm, Profile};
#[cfg(feature = "alloc")]
pub use wide_block::WideBlock;
