//! Key files of both kinds: plain, or wrapped by a keeper, which is called once for a process.
//!
//! Limit: a key that was unwrapped stays in memory until the process ends, or [`forget_keys`] is
//! called.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use polyseal_file::{Key, is_wrapped_key};
use sha2::{Digest, Sha256};

use crate::{Error, Result, Settings, WrappedKey};

/// The longest key file of either kind, in bytes.
pub const MAX_KEY_FILE_BYTES: usize = WrappedKey::MAX_FILE_BYTES;

/// The keys that were unwrapped, by the hash of their files.
static UNWRAPPED: Mutex<Option<HashMap<[u8; 32], Key>>> = Mutex::new(None);

/// Why a key file of either kind gives no key.
#[derive(Debug)]
#[non_exhaustive]
pub enum KeyError {
    /// It is not a key file.
    File(polyseal_file::Error),
    /// It is a wrapped key file, and gives no key.
    Kms(Error),
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Kms(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for KeyError {}

impl From<polyseal_file::Error> for KeyError {
    fn from(error: polyseal_file::Error) -> Self {
        Self::File(error)
    }
}

impl From<Error> for KeyError {
    fn from(error: Error) -> Self {
        Self::Kms(error)
    }
}

/// The key in the contents of a key file of either kind, up to [`MAX_KEY_FILE_BYTES`].
///
/// ```
/// use polyseal_kms::{Settings, key_from_file};
///
/// let file = polyseal_file::Key::generate()?.to_file();
/// key_from_file(file.as_bytes(), &Settings::from_environment())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What is wrong with the file, or what its keeper refuses.
pub fn key_from_file(file: &[u8], settings: &Settings) -> std::result::Result<Key, KeyError> {
    if is_wrapped_key(file) { Ok(unwrap_once(file, settings)?) } else { Ok(Key::parse(file)?) }
}

/// The key of a wrapped key file. Only the first call of a process goes to the keeper.
///
/// # Errors
/// As [`WrappedKey::parse`] and [`WrappedKey::unwrap`].
pub fn unwrap_once(file: &[u8], settings: &Settings) -> Result<Key> {
    let wrapped = WrappedKey::parse(file)?;
    let name: [u8; 32] = Sha256::digest(file).into();
    // Held during the call: of several threads, one asks, and the others wait for its answer.
    let mut unwrapped = lock();
    let keys = unwrapped.get_or_insert_default();
    if let Some(key) = keys.get(&name) {
        return Ok(key.clone());
    }
    let key = wrapped.unwrap(settings)?;
    keys.insert(name, key.clone());
    Ok(key)
}

/// Wipes the keys that [`unwrap_once`] keeps.
pub fn forget_keys() {
    *lock() = None;
}

fn lock() -> MutexGuard<'static, Option<HashMap<[u8; 32], Key>>> {
    UNWRAPPED.lock().unwrap_or_else(PoisonError::into_inner)
}
