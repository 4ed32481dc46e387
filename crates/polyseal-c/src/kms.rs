//! Keys that live elsewhere, by way of [`polyseal_kms`]. The environment says where a keeper is and
//! how it is spoken to. Nobody is asked for a PIN.

use std::sync::Arc;

use polyseal_file::Key;
use polyseal_file::age::InProcessPlugin;
use polyseal_kms::{KeyError, Plugin, Settings, key_from_file};

pub(crate) use polyseal_kms::MAX_KEY_FILE_BYTES;

use crate::error::{Failure, Result};

/// The key in a key file, plain or wrapped.
pub(crate) fn key(file: &[u8]) -> Result<Key> {
    Ok(key_from_file(file, &Settings::from_environment())?)
}

/// The plugins that read the identities of key pairs.
pub(crate) fn plugins() -> [Arc<dyn InProcessPlugin>; 1] {
    [Arc::new(Plugin::new(Settings::from_environment()))]
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        Self::new(error.class().into(), error.to_string())
    }
}
