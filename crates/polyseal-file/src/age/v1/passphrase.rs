//! The passphrase of an age file.

use super::{MAX_WORK_FACTOR, WORK_FACTOR};
use crate::age::FileKey;
use crate::age::scrypt::{self, ScryptStanza};
use crate::error::{Error, HeaderError, Result};
use crate::passphrase::Passphrase;
use crate::stanza::AgeStanza;

/// The only stanza of a file for whoever knows the passphrase.
pub(crate) fn wrap_scrypt(file_key: &FileKey, passphrase: &Passphrase) -> Result<AgeStanza> {
    scrypt::wrap(file_key, text(passphrase)?, WORK_FACTOR)
}

/// The file key in the only stanza of a file. The passphrase is asked for if there is a use for it.
pub(crate) fn unwrap_scrypt(
    stanza: &AgeStanza,
    ask: impl FnOnce() -> Result<Passphrase>,
) -> Result<FileKey> {
    let stanza = ScryptStanza::parse(stanza).ok_or(HeaderError::AgeStanza)?;
    let (required, limit) = (stanza.work_factor(), MAX_WORK_FACTOR);
    if required > limit {
        return Err(Error::AgeWork { required, limit });
    }
    stanza.unwrap(text(&ask()?)?).ok_or(Error::WrongPassphrase)
}

/// The passphrase, which age takes in UTF-8.
fn text(passphrase: &Passphrase) -> Result<&[u8]> {
    let bytes = passphrase.bytes();
    str::from_utf8(bytes).map(str::as_bytes).map_err(|_| Error::AgePassphrase)
}
