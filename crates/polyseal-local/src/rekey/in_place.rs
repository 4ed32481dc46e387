//! Rewriting a header in the file itself.
//!
//! Before the first byte of it is written, a copy of the old header is on disk, in a file beside,
//! and of the new one after it; after the new one is on disk, the copy goes. `--restore` undoes a
//! rewrite that was interrupted in between, see [`backup`](super::backup).
//!
//! Each step is a method, so that a batch of files can do one step for all, wait for the disk once,
//! and go on to the next: see [`batch`](super::batch).

use std::fs::File;
use std::io::{self, Write};

use polyseal_file::Header;

use super::backup::{BackupRule, copy_of, expect_none, interrupted, remove_copy};
use crate::error::{Error, ErrorContext, Problem, Result};
use crate::forbidden::Forbidden;
use crate::locked::LockedFile;
use crate::new_file::NewFile;
use crate::place::Place;
use crate::platform::contents::FileExt;
use crate::platform::owner_is_kept;
use crate::testing::step;

/// A file with the header `old`, that is to have the header `new`.
pub(super) struct HeaderRewrite {
    pub(super) place: Place,
    file: File,
    new: Header,
    /// The copy, until it has a name.
    copy: Option<NewFile>,
    /// Until the header is on disk, nobody else rekeys the file.
    locked: LockedFile,
}

impl HeaderRewrite {
    /// Writes the copy, which has no name yet.
    pub(super) fn prepare(locked: LockedFile, old: &Header, new: Header) -> Result<Self> {
        let place = locked.place().clone();
        let to_change = place.file_to_change().cannot("write", &place.shown)?;
        // Meanwhile another may have begun, and been interrupted.
        expect_none(&place, &to_change, BackupRule::Anything, &())?;
        locked.expect_same(&to_change)?;
        let copy = copy(&place, &to_change, [old, &new])?;
        Ok(Self { place, file: to_change, new, copy: Some(copy), locked })
    }

    /// Waits until the contents of the copy are on disk: half a copy must never be put back.
    pub(super) fn sync_copy(&mut self) -> Result {
        self.copy.as_mut().map_or(Ok(()), NewFile::sync)
    }

    /// Gives the copy its name, which is not on disk yet.
    pub(super) fn name_copy(&mut self) -> Result {
        let Some(copy) = self.copy.take() else { return Ok(()) };
        copy.appear().map(drop).map_err(|error| match error.problem() {
            Problem::Exists => interrupted(&self.place),
            _ => error,
        })
    }

    /// Writes the new header. The copy is on disk, with its name.
    pub(super) fn put(&mut self) -> Result {
        let shown = &self.place.shown.clone();
        // The header must still be the one that was copied, now that others see the copy.
        if let Err(changed) = self.locked.expect_unchanged() {
            self.remove_copy()?;
            return Err(changed);
        }
        let new = self.new.as_bytes();
        if cfg!(debug_assertions) {
            // As the system may be interrupted, too.
            self.file.write_all_at(&new[..new.len() / 3], 0).cannot("write", shown)?;
            step();
        }
        self.file.write_all_at(new, 0).map_err(|error| Error::new(shown, Problem::Torn(error)))
    }

    /// Waits until the new header is on disk.
    pub(super) fn sync(&mut self) -> Result {
        let synced = self.file.sync_all();
        synced.map_err(|error| Error::new(&self.place.shown, Problem::Torn(error)))
    }

    /// Removes the name of the copy; that is not on disk yet.
    pub(super) fn remove_copy(&mut self) -> Result {
        remove_copy(&self.place)
    }
}

/// A copy of the headers of `file`, without a name.
fn copy(place: &Place, file: &File, headers: [&Header; 2]) -> Result<NewFile> {
    let place = copy_of(place);
    let copy = match NewFile::create_in(place.clone(), false, &Forbidden::NOTHING) {
        Err(error) if matches!(error.problem(), Problem::Exists) => {
            return Err(Error::new(&place.shown, Problem::Interrupted));
        }
        made => made?,
    };
    write(headers, file, copy.file()).cannot("write", &place.shown)?;
    Ok(copy)
}

/// Writes `headers` of `file` to `copy`.
fn write(headers: [&Header; 2], file: &File, mut copy: &File) -> io::Result<()> {
    headers.iter().try_for_each(|header| copy.write_all(header.as_bytes()))?;
    // The file's owner can put it back, even if root was interrupted.
    owner_is_kept(file, copy)
}

#[cfg(test)]
mod tests {
    use polyseal_file::{Encryptor, Input, Key, Output, Recipients};

    use std::fs;

    use super::super::backup::{HeaderRestore, Trust};
    use super::super::batch::{Change, make};
    use super::*;

    /// A file of its own key, and its header.
    fn header() -> (Header, Vec<u8>) {
        let recipients = Recipients::new().key(Key::generate().unwrap());
        let mut sealed = Vec::new();
        Encryptor::new(&recipients)
            .encrypt(Input::Stream(&mut &b"message"[..]), Output::Stream(&mut sealed))
            .unwrap();
        (Header::parse(&sealed).unwrap(), sealed)
    }

    /// The file's owner can put it back, even if root was interrupted.
    #[cfg(unix)]
    #[test]
    fn the_copy_belongs_to_the_owner_of_the_file() {
        use std::os::unix::fs::MetadataExt;

        const SOMEBODY: u32 = 54_321;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c");
        fs::write(&path, b"").unwrap();
        if let Err(error) = std::os::unix::fs::chown(&path, Some(SOMEBODY), Some(SOMEBODY)) {
            assert!(std::env::var_os("CI").is_none(), "giving a file away needs root: {error}");
            return;
        }
        let (header, _) = header();
        let place = Place::from_path(&path).unwrap();
        let copy = copy(&place, &File::open(&path).unwrap(), [&header; 2]).unwrap();
        let copy = copy.file().metadata().unwrap();
        assert_eq!((copy.uid(), copy.gid(), copy.mode() & 0o777), (SOMEBODY, SOMEBODY, 0o600));
    }

    /// The lock has looked at the header; a program that ignores locks may have written in between.
    #[test]
    fn a_header_that_is_no_longer_there_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c");
        let ((seen, _), (new, _), (_, there)) = (header(), header(), header());
        fs::write(&path, &there).unwrap();
        let place = Place::from_path(&path).unwrap();
        fs::write(&path, seen.as_bytes()).unwrap();
        let locked = LockedFile::lock(&place, &File::open(&path).unwrap(), &()).unwrap();
        let locked = locked.beginning_with(seen.as_bytes()).unwrap();
        let rewrite = HeaderRewrite::prepare(locked, &seen, new).unwrap();
        fs::write(&path, &there).unwrap();
        let refused = make(vec![Change::Header(Box::new(rewrite))]).pop().unwrap().unwrap_err();
        assert!(refused.to_string().contains("changed"), "{refused}");
        assert!(fs::read(&path).unwrap() == there && !copy_of(&place).shown.exists());
    }
    /// Nor is a file in the place of a header that is to be put back.
    #[test]
    fn a_saved_header_undoes_nothing_that_came_meanwhile() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c");
        let ((saved, old), (_, next)) = (header(), header());
        fs::write(&path, &old).unwrap();
        let place = Place::from_path(&path).unwrap();
        fs::write(&copy_of(&place).shown, [saved.as_bytes(), saved.as_bytes()].concat()).unwrap();
        let found = HeaderRestore::find(&place, Trust::SamePayload, &()).unwrap().unwrap();
        fs::write(&path, &next).unwrap();
        let refused = make(vec![Change::Restore(found)]).pop().unwrap().unwrap_err();
        assert!(matches!(refused.problem(), Problem::Changed), "{refused}");
        assert!(fs::read(&path).unwrap() == next && copy_of(&place).shown.exists());
    }
}
