//! The key that the stanzas of a header wrap.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The length of a file key, in bytes.
pub const FILE_KEY_BYTES: usize = 16;

/// A file key of age: 16 bytes, wiped when dropped.
pub struct FileKey(Box<[u8; FILE_KEY_BYTES]>);

impl FileKey {
    /// The key with these bytes, which are not moved again.
    #[must_use]
    pub fn new(bytes: Box<[u8; FILE_KEY_BYTES]>) -> Self {
        Self(bytes)
    }

    /// The key that `fill` writes over zeros, where it stays.
    ///
    /// # Errors
    /// Those of `fill`.
    pub fn try_init_with_mut<E>(
        fill: impl FnOnce(&mut [u8; FILE_KEY_BYTES]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut key = Self::new(Box::new([0; FILE_KEY_BYTES]));
        fill(&mut key.0)?;
        Ok(key)
    }

    /// A copy of these bytes; `None` if they are not as many as a key has.
    #[cfg(any(feature = "plugin", feature = "ssh"))]
    pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
        let same_length = bytes.len() == FILE_KEY_BYTES;
        let mut key = same_length.then(|| Self::new(Box::new([0; FILE_KEY_BYTES])))?;
        key.0.copy_from_slice(bytes);
        Some(key)
    }

    /// The bytes of the key.
    #[must_use]
    pub fn expose_secret(&self) -> &[u8; FILE_KEY_BYTES] {
        &self.0
    }
}

impl Drop for FileKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl ZeroizeOnDrop for FileKey {}

/// In constant time.
impl PartialEq for FileKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&*other.0).into()
    }
}

impl Eq for FileKey {}

impl fmt::Debug for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileKey(secret)")
    }
}
