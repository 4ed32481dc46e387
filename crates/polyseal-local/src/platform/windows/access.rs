//! The access rights of a file that replaces another: those who could read the old one can read the
//! new one, and nobody else.
//!
//! The access list goes over only if the very file that was seen when the output was opened still
//! stands there and belongs to this user, and nobody but this user and the system can give names in
//! the folder. Otherwise the new file stays as it was made: for its owner alone.

use std::ffi::OsStr;
use std::fs::File;
use std::io;

use windows_sys::Win32::Storage::FileSystem::{FILE_READ_ATTRIBUTES, READ_CONTROL, SYNCHRONIZE};

use super::{Directory, FileId, FileStatus, security};
use crate::platform::EntryKind;

const OWNER: u16 = 0o700;

/// The access that a regular file gives, as it was seen before it is replaced.
#[derive(Debug)]
pub(crate) struct Access {
    id: FileId,
    /// Whether only this user and the system can have given it the name.
    named_by_us: bool,
}

impl Access {
    /// The access rights of the file that was seen under a name in `folder`.
    pub(crate) fn from_status(folder: &Directory, seen: &FileStatus) -> Self {
        Self { id: seen.id(), named_by_us: folder.is_for_us() }
    }

    /// Notes that a link in `folder` has led to the file: anyone who can write there has chosen it.
    pub(crate) fn add_link_folder(&mut self, folder: &Directory) {
        self.named_by_us = self.named_by_us && folder.is_for_us();
    }

    /// Another user has chosen which file it is.
    pub(crate) fn distrust_name(&mut self) {
        self.named_by_us = false;
    }

    /// Gives `new` the access list of the file `name` in `directory`, if that is safe, and if
    /// `most`, the most that may be given of a mode, has something for others.
    pub(crate) fn carry_over(
        &self,
        directory: &Directory,
        name: &OsStr,
        new: &File,
        most: u16,
    ) -> io::Result<()> {
        if !self.named_by_us || most & !OWNER == 0 {
            return Ok(());
        }
        let Ok(old) = directory.entry(name, FILE_READ_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE)
        else {
            return Ok(());
        };
        let seen = FileStatus::from_handle(&old)?;
        if seen.kind() == EntryKind::File && seen.id() == self.id && seen.is_ours() {
            security::copy_list(&old, new)?;
        }
        Ok(())
    }
}

/// Masks `mode` for a new file or directory: only the owner's permissions stay.
pub(crate) fn allowed_mode<T>(_folder: &Directory, _new: &T, mode: u16) -> io::Result<u16> {
    Ok(mode & OWNER)
}
