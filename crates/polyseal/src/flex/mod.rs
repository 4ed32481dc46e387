//! Flex: one key, a configuration, one permutation.

mod blocks;
#[cfg(feature = "alloc")]
mod cipher;
mod civ;
mod config;
mod engine;
mod field;
mod hash;
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
