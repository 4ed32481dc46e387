//! Without the feature `kms`: key files have keys, and no key pair opens files.

use std::sync::Arc;

use polyseal_file::Key;
use polyseal_file::age::InProcessPlugin;

use crate::error::Result;

pub(crate) const MAX_KEY_FILE_BYTES: usize = Key::MAX_FILE_BYTES;

pub(crate) fn key(file: &[u8]) -> Result<Key> {
    Ok(Key::parse(file)?)
}

pub(crate) fn plugins() -> [Arc<dyn InProcessPlugin>; 0] {
    []
}
