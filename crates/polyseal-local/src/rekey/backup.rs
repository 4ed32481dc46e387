//! The copy of a header that a rewrite in place keeps beside the file: the old header, and the new
//! one after it. A genuine copy shows that a rewrite was interrupted.
//!
//! Others may be able to write to the directory. So a file with the name of a copy is believed only
//! if it is a regular file of the caller or of the file's owner, begins with a header, and the
//! file's own is one of the two or a mixture of them, for the same payload. Anything else stands in
//! the way, and is told as that.
//!
//! An interrupted rewrite leaves bytes of the old header and of the new one. Another rekey, which
//! did not see the copy because the file has another name, leaves other bytes: that is not undone.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use polyseal_file::{Header, Identities, reason};

use crate::error::{BackupProblem, Error, ErrorContext, Problem, Result, file};
use crate::locked::LockedFile;
use crate::place::Place;
use crate::platform::contents::{FileExt, Owner};
use crate::progress::{Notice, Progress};

const SUFFIX: &str = ".header-backup";

/// Where the copy of the header of the file at `place` is.
pub(super) fn copy_of(place: &Place) -> Place {
    place.with_suffix(SUFFIX)
}

/// The file whose copy has this name, if it is that of one.
pub(crate) fn file_of(copy: &Path) -> Option<PathBuf> {
    let name = copy.file_name()?.as_encoded_bytes();
    let (name, suffix) = name.split_at_checked(name.len().checked_sub(SUFFIX.len())?)?;
    if suffix != SUFFIX.as_bytes() || name.is_empty() {
        return None;
    }
    // Without its last extension, which is the suffix.
    Some(copy.with_extension(""))
}

/// Both headers, of the file that they are beside.
pub(super) struct HeaderBackup {
    old: Header,
    /// The file's first bytes.
    there: Vec<u8>,
}

impl HeaderBackup {
    /// Finds the header backup of `file`, whose place is `place`; or tells why the file of that
    /// name is none.
    pub(super) fn find(place: &Place, file: &File) -> Result<Result<Option<Self>, BackupProblem>> {
        let copy = copy_of(place);
        let mut saved = match open(&copy, file) {
            Ok(Some(saved)) => saved,
            Ok(None) => return Ok(Ok(None)),
            Err(no_copy) => return Ok(Err(no_copy)),
        };
        let old = match Header::read(&mut saved) {
            Ok(old) => old,
            Err(error) => return Ok(Err(BackupProblem::NoHeader(error.to_string()))),
        };
        let mut new = vec![0; old.as_bytes().len()];
        if let Err(error) = saved.read_exact(&mut new) {
            return Ok(Err(BackupProblem::Unread(reason(&error))));
        }
        let mut there = vec![0; new.len()];
        let whole = match file.read_exact_at(&mut there, 0) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                return Err(Error::io("read", &place.shown, error));
            }
            read => read.is_ok(),
        };
        let mut both = there.iter().zip(old.as_bytes().iter().zip(&new));
        let of_both = whole && both.all(|(byte, (old, new))| byte == old || byte == new);
        // All but the number of stanzas is the same before and after.
        let same = |range: std::ops::Range<usize>| there[range.clone()] == old.as_bytes()[range];
        if of_both && same(0..10) && same(12..160) {
            return Ok(Ok(Some(Self { old, there })));
        }
        Ok(Err(BackupProblem::OtherHeaders(place.shown.clone())))
    }
}

/// Opens the copy, unless it is something that others have put in its place.
fn open(copy: &Place, beside: &File) -> Result<Option<File>, BackupProblem> {
    let unread_error = |error: io::Error| BackupProblem::Unread(reason(&error));
    match copy.directory.open_suspicious(&copy.name) {
        Ok(None) => Err(BackupProblem::Foreign),
        Ok(Some(file)) => {
            let by = Owner::from_file(&file).map_err(unread_error)?;
            let is_file = file.metadata().map_err(unread_error)?.is_file();
            let owner = Owner::from_file(beside).map_err(unread_error)?;
            let is_trusted = is_file && (by == owner || by.is_us());
            if is_trusted { Ok(Some(file)) } else { Err(BackupProblem::Foreign) }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unread_error(error)),
    }
}

/// Which files beside it keep a file from being replaced or rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackupRule {
    /// Only a copy keeps it from being done: a new file takes its place, and needs no such name.
    Copies,
    /// Anything that has the copy's name does.
    Anything,
}

/// Refuses a file that an interrupted rewrite has left: to replace it would make the copy one of a
/// header that is no longer the last.
pub(super) fn expect_none(
    place: &Place,
    file: &File,
    strict: BackupRule,
    progress: &dyn Progress,
) -> Result {
    match HeaderBackup::find(place, file)? {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(interrupted(place)),
        Err(_) if strict == BackupRule::Copies => {
            progress.notice(Notice::BadBackup(&copy_of(place).shown));
            Ok(())
        }
        Err(no_copy) => Err(Error::new(&copy_of(place).shown, Problem::BackupNameTaken(no_copy))),
    }
}

/// Whether an interrupted rekey in place has left its copy beside the file at `path`.
#[must_use]
pub fn was_interrupted(path: &Path) -> bool {
    let Ok(place) = Place::from_path(path) else { return false };
    let Ok(file) = place.file() else { return false };
    matches!(HeaderBackup::find(&place, &file), Ok(Ok(Some(_))))
}

pub(super) fn interrupted(place: &Place) -> Error {
    Error::new(&copy_of(place).shown, Problem::Interrupted)
}

/// The evidence on which a copy of a header may be put back.
#[derive(Clone, Copy, Debug)]
pub enum Trust<'a> {
    /// That it is authentic for one of these.
    Authentic(&'a Identities<'a>),
    /// That it is of the same payload, by what is public: where no key is at hand.
    SamePayload,
}

/// A file whose saved header is to be put back. It is locked until that is done.
pub(super) struct HeaderRestore {
    locked: LockedFile,
    file: File,
    old: Header,
}

impl HeaderRestore {
    /// Finds what an interrupted rewrite has left beside the file; `None` if nothing.
    pub(super) fn find(
        place: &Place,
        trust: Trust<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Self>> {
        let to_change = place.file_to_change().cannot("write", &place.shown)?;
        if Self::backup(place, &to_change)?.is_none() {
            return Ok(None);
        }
        let locked = LockedFile::lock(place, &to_change, progress)?;
        // Before it was locked, another may have put it back.
        let Some(HeaderBackup { old, there }) = Self::backup(place, &to_change)? else {
            return Ok(None);
        };
        let locked = locked.beginning_with(&there)?;
        if let Trust::Authentic(identities) = trust {
            old.authenticate(identities).map_err(file(&place.shown))?;
        }
        Ok(Some(Self { locked, file: to_change, old }))
    }

    fn backup(place: &Place, file: &File) -> Result<Option<HeaderBackup>> {
        HeaderBackup::find(place, file)?
            .map_err(|no_copy| Error::new(&copy_of(place).shown, Problem::BadBackup(no_copy)))
    }

    pub(super) fn place(&self) -> &Place {
        self.locked.place()
    }

    pub(super) fn put(&mut self) -> Result {
        self.locked.expect_unchanged()?;
        self.file.write_all_at(self.old.as_bytes(), 0).cannot("write", &self.place().shown)
    }

    pub(super) fn sync(&mut self) -> Result {
        self.file.sync_all().cannot("write", &self.place().shown)
    }

    pub(super) fn remove_copy(&mut self) -> Result {
        remove_copy(self.place())
    }
}

/// Removes the name of the copy; that is not on disk yet.
pub(super) fn remove_copy(place: &Place) -> Result {
    let copy = copy_of(place);
    copy.directory.remove(&copy.name).cannot("remove", &copy.shown)
}

/// Finds what an earlier run has left beside one of many files. With `strict`, a file that only has
/// the name of a copy is an error.
pub(super) fn interrupted_rekey(
    place: &Place,
    identities: &Identities<'_>,
    strict: BackupRule,
    progress: &dyn Progress,
) -> Result<Option<HeaderRestore>> {
    let file = place.file().cannot("read", &place.shown)?;
    match HeaderBackup::find(place, &file)? {
        Ok(None) => Ok(None),
        Ok(Some(_)) => HeaderRestore::find(place, Trust::Authentic(identities), progress),
        Err(_) if strict == BackupRule::Copies => Ok(None),
        Err(no_copy) => Err(Error::new(&copy_of(place).shown, Problem::BackupNameTaken(no_copy))),
    }
}
