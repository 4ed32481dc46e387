//! Other recipients for several files.
//!
//! A run that was interrupted is run again. It puts back every copy of a header that the first has
//! left. A file that the old keys do not open any more, but the new ones do, is done already.

use std::fs;
use std::path::{Path, PathBuf};

use polyseal_file::Error as FileError;

use super::backup::{self, Trust};
use super::batch::{Change, make};
use super::{
    ExpectedFile, PreparedRekey, RekeyPlan, RekeySource, expect_none_at, make_one, restore_change,
};
use crate::error::{Error, Problem, Result};
use crate::many::{FileOutcome, FileReporter, Item, OnFile, PreparedFile, Total, in_batches};
use crate::options::Options;
use crate::place::Place;
use crate::platform::FileId;

/// Gives files other recipients, some at a time, and tells of each in their order. An error of
/// `paths` or of `tell` ends the run.
pub(super) fn rekey_files(
    paths: impl Iterator<Item = Result<PathBuf>> + Send,
    plan: &RekeyPlan<'_>,
    options: &Options<'_>,
    tell: OnFile<'_>,
) -> Result<Total> {
    let mut report = FileReporter::new(tell, options.progress);
    let items = paths.map(|path| {
        let name = path?;
        let bytes = fs::metadata(&name).map_or(0, |seen| seen.len());
        let id = FileId::from_path(&name).ok();
        Ok(Item { bytes, id, it: name.clone(), name })
    });
    in_batches(
        options,
        items,
        &mut report,
        |files| {
            let places = files.iter().filter_map(|file| Place::from_path(&file.it).ok());
            recover(places, plan, options);
        },
        |path| prepare_file(&path, plan, options).map(Some),
        make,
    )?;
    report.end(Path::new("."))
}

/// Puts back the headers that interrupted rekeys in place have saved beside these files.
pub(super) fn restore_files(
    paths: impl Iterator<Item = Result<PathBuf>> + Send,
    trust: Trust<'_>,
    options: &Options<'_>,
    tell: OnFile<'_>,
) -> Result<Total> {
    let mut report = FileReporter::new(tell, options.progress);
    let items =
        paths.map(|name| name.map(|it: PathBuf| Item { name: it.clone(), bytes: 0, id: None, it }));
    in_batches(
        options,
        items,
        &mut report,
        |_| (),
        |path| prepare_restore(&Place::from_path(&path)?, trust, options),
        make,
    )?;
    report.end(Path::new("."))
}

pub(super) fn prepare_restore(
    place: &Place,
    trust: Trust<'_>,
    options: &Options<'_>,
) -> Result<Option<PreparedFile<Change>>> {
    let change = restore_change(place, trust, options)?;
    Ok(Some(PreparedFile::Change(change, FileOutcome::Restored)))
}

fn prepare_file(
    path: &Path,
    plan: &RekeyPlan<'_>,
    options: &Options<'_>,
) -> Result<PreparedFile<Change>> {
    let place = Place::from_path(path)?;
    expect_recovered(&place, plan, options)?;
    if plan.one_is_added() && plan.opens(&place) {
        return Ok(PreparedFile::Unchanged(FileOutcome::AlreadyRekeyed));
    }
    expect_none_at(&place, plan)?;
    let opened = RekeySource::to_lock(place.clone())?;
    let new = match opened.contents(plan, ExpectedFile::Any) {
        Err(error) if is_no_key(&error) && plan.opens(&place) => {
            return Ok(PreparedFile::Unchanged(FileOutcome::AlreadyRekeyed));
        }
        new => new?,
    };
    let change = PreparedRekey { opened, new }.change(plan, options)?;
    Ok(PreparedFile::Change(change, FileOutcome::Rekeyed))
}

/// Whether a file did not open because no key is for it.
pub(super) fn is_no_key(error: &Error) -> bool {
    matches!(
        error.problem(),
        Problem::File(
            FileError::NoMatchingKey | FileError::WrongPassphrase | FileError::PassphraseNeeded
        )
    )
}

/// Puts back what an earlier run has left beside these files. Where that cannot be done it is told
/// in its turn.
pub(super) fn recover(
    places: impl Iterator<Item = Place>,
    plan: &RekeyPlan<'_>,
    options: &Options<'_>,
) {
    let left = places.filter_map(|place| {
        backup::interrupted_rekey(&place, plan.identities, plan.strict(), options.progress)
            .ok()
            .flatten()
    });
    make(left.map(Change::Restore).collect());
}

pub(super) fn expect_recovered(
    place: &Place,
    plan: &RekeyPlan<'_>,
    options: &Options<'_>,
) -> Result {
    let left = backup::interrupted_rekey(place, plan.identities, plan.strict(), options.progress)?;
    left.map_or(Ok(()), |restoring| make_one(Change::Restore(restoring)))
}
