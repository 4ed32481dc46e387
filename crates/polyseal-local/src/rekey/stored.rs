//! Other recipients for a file in a store, by another header alone.

use std::path::Path;

use polyseal_file::{AuthenticHeader, Error as FileError, Header, ReadAt};

use super::many::is_no_key;
use super::{ExpectedFile, Rekey, RekeyMode};
use crate::error::{Error, Problem, Result, file, sealing};
use crate::many::FileOutcome;
use crate::progress::{Notice, Progress};
use crate::tree::{StoredFile, VersionCheck};

/// Gives one file in a store, which messages call `shown`, other recipients, if it is still the
/// version that was opened.
///
/// # Errors
/// [`Problem::Changed`], [`Problem::NotRekeyable`], [`Problem::InAStore`] for anything but
/// [`RekeyMode::Header`], [`Problem::File`] if it does not open, [`Problem::Sealing`] if it cannot
/// be for these recipients, or the store's error. Then it is as it was.
pub fn rekey_stored(
    version: &dyn StoredFile,
    shown: &Path,
    rekey: &Rekey<'_>,
    progress: &dyn Progress,
) -> Result<FileOutcome> {
    if rekey.how != RekeyMode::Header {
        return Err(Error::new(shown, Problem::InAStore));
    }
    rekey_version(version, shown, rekey, |_| Ok(ExpectedFile::Any), progress)
}

/// The same of the file that `which` says of a header.
pub(super) fn rekey_version<'a>(
    version: &dyn StoredFile,
    shown: &Path,
    rekey: &Rekey<'_>,
    which: impl FnOnce(&Header) -> Result<ExpectedFile<'a>>,
    progress: &dyn Progress,
) -> Result<FileOutcome> {
    let header = version.header().map_err(|error| match error {
        FileError::Armored | FileError::AgeFile => Error::new(shown, Problem::NotRekeyable),
        error => file(shown)(error),
    })?;
    let which = which(&header)?;
    if rekey.one_is_added() && rekey.opens_header(&header, which) {
        return Ok(FileOutcome::AlreadyRekeyed);
    }
    let new = match authentic(&header, version, shown, rekey, which) {
        Err(error) if is_no_key(&error) && rekey.opens_header(&header, which) => {
            return Ok(FileOutcome::AlreadyRekeyed);
        }
        authentic => authentic?.rekey((rekey.to)()?, rekey.others).map_err(sealing(shown))?,
    };
    if version.replace_header(&new)? == VersionCheck::No {
        progress.notice(Notice::NotCompared(shown));
    }
    Ok(FileOutcome::Rekeyed)
}

/// The header of a file, once it has been found to be the one that it has to be.
pub(super) fn authentic<'a>(
    header: &'a Header,
    contents: &(impl ReadAt + ?Sized),
    shown: &Path,
    rekey: &Rekey<'_>,
    which: ExpectedFile<'_>,
) -> Result<AuthenticHeader<'a>> {
    // Before a new passphrase is asked for, and before its work is done.
    let authentic = header.authenticate(rekey.identities).map_err(file(shown))?;
    if let ExpectedFile::Of(commitment) = which {
        authentic.expect(commitment).map_err(|_| Error::new(shown, Problem::OtherFile))?;
    }
    let context = match which {
        ExpectedFile::BoundTo(context) => Some(context),
        ExpectedFile::Any | ExpectedFile::Of(_) => rekey.context,
    };
    if let Some(context) = context {
        // A header does not know the context: the contents are bound to it.
        rekey.decryptor().context(context).reader(contents).map_err(file(shown))?;
    }
    Ok(authentic)
}
