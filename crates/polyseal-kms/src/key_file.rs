//! Key files of both kinds: plain, or wrapped by a keeper, which is called once for a process.
//!
//! Limit: a key that was unwrapped stays in memory until the process ends, or [`forget_keys`] is
//! called.

use std::collections::HashMap;
use std::fmt;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use polyseal_file::{Class, Key, is_wrapped_key};

use crate::{Error, Result, Settings, WrappedKey};

/// The longest key file of either kind, in bytes.
pub const MAX_KEY_FILE_BYTES: usize = WrappedKey::MAX_FILE_BYTES;

/// A key that was unwrapped, or is being unwrapped while the lock is held.
type Cell = Arc<Mutex<Option<Key>>>;

type Cells = HashMap<[u8; 32], Vec<(u32, Cell)>>;

/// The cells of each file, by the hash of its checked part, with the process that made each: a lock
/// that was held when a process was forked stays locked in the new one.
static UNWRAPPED: Mutex<Option<Cells>> = Mutex::new(None);

/// Why a key file of either kind gives no key.
#[derive(Debug)]
#[non_exhaustive]
pub enum KeyError {
    /// It is not a key file.
    File(polyseal_file::Error),
    /// It is a wrapped key file, and gives no key.
    Kms(Error),
}

impl KeyError {
    /// The class of the error.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::File(error) => error.class(),
            Self::Kms(error) => error.class(),
        }
    }

    /// Advice, if there is any, for whoever runs the tool `polyseal`.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::File(error) => error.hint(),
            Self::Kms(error) => error.hint(),
        }
    }
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
/// key_from_file(file.reveal().as_bytes(), &Settings::from_environment())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The file's defect, or the keeper's refusal.
pub fn key_from_file(file: &[u8], settings: &Settings) -> std::result::Result<Key, KeyError> {
    if is_wrapped_key(file) { Ok(unwrap_once(file, settings)?) } else { Ok(Key::parse(file)?) }
}

/// The key of a wrapped key file. Only the first call of a process goes to the keeper: who calls
/// later with other settings, or has lost the right to unwrap, gets the key all the same.
///
/// # Errors
/// As [`WrappedKey::parse`] and [`WrappedKey::unwrap`].
pub fn unwrap_once(file: &[u8], settings: &Settings) -> Result<Key> {
    let wrapped = WrappedKey::parse(file)?;
    let name = wrapped.hash();
    let cell = {
        let mut unwrapped = lock(&UNWRAPPED);
        let cells = unwrapped.get_or_insert_default().entry(name).or_default();
        let known = cells.iter().find_map(|(_, cell)| cell.try_lock().ok()?.clone());
        if let Some(key) = known {
            return Ok(key);
        }
        match cells.iter().find(|(process, _)| *process == process::id()) {
            Some((_, cell)) => Arc::clone(cell),
            None => {
                let cell = Cell::default();
                cells.push((process::id(), Arc::clone(&cell)));
                cell
            }
        }
    };
    // Held during the call: of several threads, one asks, and the others wait for its answer.
    let mut key = lock(&cell);
    if let Some(key) = &*key {
        return Ok(key.clone());
    }
    match wrapped.unwrap(settings) {
        Ok(found) => Ok(key.insert(found).clone()),
        Err(error) => {
            // Files that give no key would be kept for ever.
            if let Some(cells) = lock(&UNWRAPPED).as_mut() {
                cells.remove(&name);
            }
            Err(error)
        }
    }
}

/// Wipes the keys that [`unwrap_once`] keeps.
pub fn forget_keys() {
    *lock(&UNWRAPPED) = None;
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
