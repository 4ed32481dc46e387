//! Which version of a source is sealed.

use crate::error::{Error, Result};

/// The version of a source that is sealed in parts: 1 to 4096 bytes that change whenever a byte of
/// its contents does.
///
/// Good ones are a digest of all of it, such as SHA-256; or the version id or the ETag of an object
/// that is read with `If-Match`, so that the store refuses to give bytes of another version. A
/// modification time is not: two writes within a tick of the clock have the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceVersion(Vec<u8>);

impl SourceVersion {
    /// The longest version in bytes.
    pub const MAX_BYTES: usize = 4096;

    /// The version with these bytes.
    ///
    /// ```
    /// use polyseal_file::SourceVersion;
    ///
    /// let etag = SourceVersion::new("\"9a0364b9e99bb480dd25e1f0284c8555\"")?;
    /// assert!(etag != SourceVersion::new("\"0cc175b9c0f1b6a831c399e269772661\"")?);
    /// assert!(SourceVersion::new("").is_err());
    /// # Ok::<(), polyseal_file::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SourceVersion`] if it is empty or too long.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self> {
        let bytes = bytes.into();
        if (1..=Self::MAX_BYTES).contains(&bytes.len()) {
            Ok(Self(bytes))
        } else {
            Err(Error::SourceVersion)
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
