//! Traits for whoever wraps a file key in stanzas, and whoever gets it out of them.

use std::collections::HashSet;

use super::error::{DecryptError, EncryptError};
use super::{FileKey, Stanza};

/// Somebody for whom a file is encrypted.
pub trait Recipient {
    /// The file key in stanzas, and the labels of this recipient. Recipients may be together if
    /// their labels are the same, as a set.
    ///
    /// # Errors
    /// [`EncryptError`] if it cannot be wrapped.
    fn wrap_file_key(
        &self,
        file_key: &FileKey,
    ) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError>;
}

/// Something that opens files.
pub trait Identity {
    /// The file key in a stanza, or `None` if the stanza is for another.
    ///
    /// # Errors
    /// [`DecryptError`] if the stanza is not in the form of its type, or names this identity and
    /// does not open.
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>>;

    /// The file key in the stanzas of one file: the first that [`unwrap_stanza`] has an answer for.
    ///
    /// [`unwrap_stanza`]: Self::unwrap_stanza
    ///
    /// # Errors
    /// As [`unwrap_stanza`].
    fn unwrap_stanzas(&self, stanzas: &[Stanza]) -> Option<Result<FileKey, DecryptError>> {
        stanzas.iter().find_map(|stanza| self.unwrap_stanza(stanza))
    }
}
