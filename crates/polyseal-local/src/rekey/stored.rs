//! Other recipients for a file in a store, by another header alone.

use std::path::Path;

use polyseal_file::{AuthenticHeader, Error as FileError, Header, ReadAt};

use super::many::is_no_key;
use super::{ExpectedFile, RekeyMode, RekeyPlan};
use crate::error::{Error, Problem, Result, file, sealing};
use crate::many::FileOutcome;
use crate::progress::{Notice, Progress};
use crate::tree::{StoredFile, VersionCheck};

/// Gives one file in a store, which messages call `shown`, other recipients, if it is still the
/// version that was opened.
pub(super) fn rekey_stored(
    version: &dyn StoredFile,
    shown: &Path,
    plan: &RekeyPlan<'_>,
    progress: &dyn Progress,
) -> Result<FileOutcome> {
    if plan.how != RekeyMode::Header {
        return Err(Error::new(shown, Problem::InAStore));
    }
    rekey_version(version, shown, plan, |_| Ok(ExpectedFile::Any), progress)
}

/// The same of the file that `which` says of a header.
pub(super) fn rekey_version<'a>(
    version: &dyn StoredFile,
    shown: &Path,
    plan: &RekeyPlan<'_>,
    which: impl FnOnce(&Header) -> Result<ExpectedFile<'a>>,
    progress: &dyn Progress,
) -> Result<FileOutcome> {
    let header = version.header().map_err(|error| match error {
        FileError::Armored | FileError::AgeFile => Error::new(shown, Problem::NotRekeyable),
        error => file(shown)(error),
    })?;
    let which = which(&header)?;
    if plan.one_is_added() && plan.opens_header(&header, which) {
        return Ok(FileOutcome::AlreadyRekeyed);
    }
    let new = match authentic(&header, version, shown, plan, which) {
        Err(error) if is_no_key(&error) && plan.opens_header(&header, which) => {
            return Ok(FileOutcome::AlreadyRekeyed);
        }
        authentic => authentic?.rekey(plan.to.get()?, plan.others).map_err(sealing(shown))?,
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
    plan: &RekeyPlan<'_>,
    which: ExpectedFile<'_>,
) -> Result<AuthenticHeader<'a>> {
    // Before a new passphrase is asked for, and before its work is done.
    let authentic = header.authenticate(plan.identities).map_err(file(shown))?;
    if let ExpectedFile::Of(commitment) = which {
        authentic.expect(commitment).map_err(|_| Error::new(shown, Problem::OtherFile))?;
    }
    let context = match which {
        ExpectedFile::BoundTo(context) => Some(context),
        ExpectedFile::Any | ExpectedFile::Of(_) => plan.context,
    };
    if let Some(context) = context {
        // A header does not know the context: the contents are bound to it.
        plan.decryptor().context(context).reader(contents).map_err(file(shown))?;
    }
    Ok(authentic)
}
