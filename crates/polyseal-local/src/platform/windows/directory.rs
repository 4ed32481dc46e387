//! Directories by handle, so that what is done in one is done there and nowhere else.
//!
//! Every name beneath a handle is opened component by component, each relative to the one before,
//! and none through a symbolic link or a junction: the link itself is opened, looked at, and
//! refused.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use polyseal_file::manifest::Timestamp;
use windows_sys::Wdk::Storage::FileSystem::{FILE_DIRECTORY_FILE, FILE_NON_DIRECTORY_FILE};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_ADD_FILE, FILE_ATTRIBUTE_REPARSE_POINT, FILE_FLAG_BACKUP_SEMANTICS,
    FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES,
    FILE_TRAVERSE, FILE_WRITE_ATTRIBUTES, READ_CONTROL, SYNCHRONIZE, WRITE_DAC,
};

use super::SECURITY_IDENTIFICATION;
use super::contents::set_modified;
use super::names::possible;
use super::security::{self, OwnerOnly};
use super::status::timestamp;
use super::sys::{self, Disposition};
use super::{FileId, FileStatus};
use crate::platform::EntryKind;
use crate::platform::components;

const LOOK: u32 = FILE_READ_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE;
const DIRECTORY: u32 = LOOK | FILE_LIST_DIRECTORY | FILE_TRAVERSE;
const READ: u32 = FILE_GENERIC_READ;
const CHANGE: u32 = FILE_GENERIC_READ | FILE_GENERIC_WRITE;
/// A new file is given its name, and may be given the access list of the file that it replaces.
const NEW: u32 = CHANGE | DELETE | WRITE_DAC;

/// An open directory.
#[derive(Clone, Debug)]
pub struct Directory(Arc<OwnedHandle>);

/// Which directory it is, and the times of its last changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DirectoryState {
    id: FileId,
    changed: i64,
    modified: i64,
}

impl DirectoryState {
    /// When it was last changed, since 1970.
    pub(crate) fn changed(&self) -> Duration {
        let Timestamp { seconds, nanoseconds } = timestamp(self.changed);
        Duration::new(u64::try_from(seconds).unwrap_or(0), nanoseconds)
    }
}

impl From<OwnedHandle> for Directory {
    fn from(handle: OwnedHandle) -> Self {
        Self(Arc::new(handle))
    }
}

/// A directory that was opened as a file.
impl From<File> for Directory {
    fn from(file: File) -> Self {
        Self::from(OwnedHandle::from(file))
    }
}

impl Directory {
    /// The directory `path`, as the user has named it: links in it are followed.
    ///
    /// # Errors
    /// An I/O error.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let mut options = OpenOptions::new();
        options.access_mode(DIRECTORY).custom_flags(FILE_FLAG_BACKUP_SEMANTICS);
        let opened = options.security_qos_flags(SECURITY_IDENTIFICATION).open(path)?;
        match FileStatus::from_handle(&opened)?.kind() {
            EntryKind::Directory => Ok(opened.into()),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// The same for an output: a link as its last name is followed only if this user or the system
    /// has made it. Another user's leads to a place of their choice; it is `NotADirectory`.
    ///
    /// # Errors
    /// An I/O error.
    pub fn open_for_output(path: &Path) -> io::Result<Self> {
        let Ok((folder, name)) = Self::parent_and_name(path) else { return Self::open(path) };
        let seen = folder.stat(&name)?;
        if seen.kind() == EntryKind::Link && seen.is_ours_or_roots() {
            return Self::open(path);
        }
        // No link that is put there meanwhile is followed, either.
        folder.beneath(Path::new(&name))
    }

    /// The directory that has `path` in it, and the name of `path` there.
    ///
    /// # Errors
    /// An I/O error; `InvalidInput` if the path ends in no name.
    pub fn parent_and_name(path: &Path) -> io::Result<(Self, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        possible(name)?;
        Ok((Self::open(path.parent().unwrap_or(Path::new("")))?, name.to_owned()))
    }

    /// The directory `path` beneath this one.
    ///
    /// # Errors
    /// An I/O error; a link on the way is one.
    pub fn beneath(&self, path: &Path) -> io::Result<Self> {
        let names = components(path).ok_or(io::ErrorKind::InvalidInput)?;
        names.into_iter().try_fold(self.clone(), |place, name| {
            match place.through(name, DIRECTORY)? {
                (opened, EntryKind::Directory) => Ok(opened.into()),
                _ => Err(io::ErrorKind::NotADirectory.into()),
            }
        })
    }

    /// The directory beneath this one that has `path` in it, and the name of `path` there.
    ///
    /// # Errors
    /// As [`beneath`](Self::beneath).
    pub fn parent_and_name_beneath(&self, path: &Path) -> io::Result<(Self, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((self.beneath(path.parent().unwrap_or(Path::new("")))?, name.to_owned()))
    }

    /// The same, and directories are made where there are none.
    ///
    /// # Errors
    /// As [`beneath`](Self::beneath).
    pub fn make_parents(&self, path: &Path) -> io::Result<(Self, OsString)> {
        let names = components(path).ok_or(io::ErrorKind::InvalidInput)?;
        let (last, before) = names.split_last().ok_or(io::ErrorKind::InvalidInput)?;
        let mut directory = self.clone();
        for name in before {
            directory.make(name)?;
            directory = directory.beneath(Path::new(name))?;
        }
        Ok((directory, OsString::from(last)))
    }

    /// The regular file `path` beneath this directory, to be read.
    ///
    /// # Errors
    /// As [`beneath`](Self::beneath), or that it is no regular file.
    pub fn file(&self, path: &Path) -> io::Result<File> {
        self.regular(path, READ)
    }

    /// The same, with its status.
    pub(crate) fn file_and_status(&self, path: &Path) -> io::Result<(File, FileStatus)> {
        let file = self.file(path)?;
        let seen = FileStatus::from_handle(&file)?;
        Ok((file, seen))
    }

    /// The same, to be read and written to where it is.
    ///
    /// # Errors
    /// As [`file`](Self::file).
    pub fn file_to_change(&self, path: &Path) -> io::Result<File> {
        self.regular(path, CHANGE)
    }

    /// Status of the entry `name`; of a link, the link's own.
    pub(crate) fn stat(&self, name: impl AsRef<OsStr>) -> io::Result<FileStatus> {
        let opened = match self.entry(name.as_ref(), LOOK) {
            // Not everybody may see the owner.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.entry(name.as_ref(), FILE_READ_ATTRIBUTES | SYNCHRONIZE)
            }
            opened => opened,
        };
        FileStatus::from_handle(&opened?)
    }

    /// The names in it, each with its kind.
    pub(crate) fn names(&self) -> io::Result<Vec<(OsString, EntryKind)>> {
        // By a handle of its own: one is at one place of the list at a time.
        let listed = sys::list(&self.again(DIRECTORY)?)?.into_iter();
        Ok(listed.map(|it| (it.name, EntryKind::new(it.attributes, it.reparse_tag))).collect())
    }

    /// Which directory it is, and when it was changed.
    pub(crate) fn state(&self) -> io::Result<DirectoryState> {
        let basic = sys::basic(self)?;
        let (changed, modified) = (basic.ChangeTime, basic.LastWriteTime);
        Ok(DirectoryState { id: self.id()?, changed, modified })
    }

    /// Which directory it is.
    pub(crate) fn id(&self) -> io::Result<FileId> {
        FileId::from_handle(self)
    }

    /// The directory as a file, of which only the metadata can be read.
    pub(crate) fn to_file(&self) -> io::Result<File> {
        Ok(self.0.try_clone()?.into())
    }

    /// Whether it belongs to this user.
    pub(crate) fn is_ours(&self) -> io::Result<bool> {
        Ok(FileStatus::from_handle(self)?.is_ours())
    }

    /// Whether only this user and the system can give names in it.
    pub(crate) fn is_for_us(&self) -> bool {
        security::is_for_us(self)
    }

    /// Whether only this user and the system can give `entry` another name: the folder of a file
    /// alone is asked, by [`is_for_us`](Self::is_for_us).
    pub(crate) fn keeps(&self, _entry: &FileStatus) -> bool {
        true
    }

    /// The same for a folder above. Here it is not looked at.
    pub(crate) fn keeps_named(_path: &Path, _name: &OsStr) -> io::Result<bool> {
        Ok(true)
    }

    /// The same for this directory. Access lists of the folders above are not looked at.
    pub(crate) fn is_kept_from_above(&self) -> bool {
        true
    }

    /// Makes a directory for its owner alone, unless there is one.
    pub(crate) fn make(&self, name: &OsStr) -> io::Result<()> {
        match self.make_new(name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let is_one = self.stat(name).is_ok_and(|it| it.kind() == EntryKind::Directory);
                if is_one { Ok(()) } else { Err(error) }
            }
            made => made,
        }
    }

    /// Makes a directory for its owner alone, which must not be there.
    pub(crate) fn make_new(&self, name: &OsStr) -> io::Result<()> {
        possible(name)?;
        let new = Disposition::New(OwnerOnly::directory()?, FILE_DIRECTORY_FILE);
        sys::open_at(self, name, LOOK, &new).map(drop)
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        sys::remove(&self.entry(name, DELETE | SYNCHRONIZE)?)
    }

    /// Removes the directory `name`, which is empty.
    pub(crate) fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        self.remove(name)
    }

    /// Waits until the names in it are on disk, where the file system can say so.
    pub(crate) fn sync(&self) -> io::Result<()> {
        File::from(self.again(FILE_ADD_FILE | SYNCHRONIZE)?).sync_all()
    }

    /// Gives it, if one is given, this time. Its mode is always the same.
    pub(crate) fn set(&self, _mode: u16, modified: Option<Timestamp>) -> io::Result<()> {
        let Some(modified) = modified else { return Ok(()) };
        set_modified(&self.again(FILE_WRITE_ATTRIBUTES | SYNCHRONIZE)?.into(), modified)
    }

    /// A new file `name` for its owner alone, to be read and written.
    pub(crate) fn create(&self, name: &OsStr) -> io::Result<File> {
        possible(name)?;
        let new = Disposition::New(OwnerOnly::file()?, FILE_NON_DIRECTORY_FILE);
        Ok(sys::open_at(self, name, NEW, &new)?.into())
    }

    /// Opens `name`, which others may have put there: not through a link. None if it is nothing
    /// that can be opened so.
    pub(crate) fn open_suspicious(&self, name: &OsStr) -> io::Result<Option<File>> {
        let opened = self.entry(name, READ)?;
        let is_file = FileStatus::from_handle(&opened)?.kind() == EntryKind::File;
        Ok(is_file.then(|| opened.into()))
    }

    /// Links are not made here: only administrators may, and they lead elsewhere in other ways.
    pub(crate) fn make_link(&self, _target: &OsStr, _name: &OsStr) -> io::Result<()> {
        Err(no_links())
    }

    /// Nor read.
    pub(crate) fn link_target(&self, _name: &OsStr) -> io::Result<OsString> {
        Err(no_links())
    }

    pub(crate) fn set_link_time(&self, _name: &OsStr, _modified: Timestamp) -> io::Result<()> {
        Err(no_links())
    }

    /// Gives the open file `new`, which is called `from`, the name `to`, whatever has that.
    ///
    /// Where the file system does not replace open files (it is no NTFS, or that of Wine), the
    /// replaced file has another name for a moment.
    pub(crate) fn rename_file(&self, new: &File, from: &OsStr, to: &OsStr) -> io::Result<()> {
        possible(to)?;
        let refused = match sys::rename(new, self, to, true) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => error,
            renamed => return renamed,
        };
        let old = self.entry(to, DELETE | LOOK)?;
        if FileStatus::from_handle(&old)?.kind() != EntryKind::File {
            return Err(refused);
        }
        let mut aside = from.to_owned();
        aside.push(".old");
        sys::rename(&old, self, &aside, false)?;
        sys::rename(new, self, to, false).inspect_err(|_| {
            let _ = sys::rename(&old, self, to, false);
        })?;
        sys::remove(&old)
    }

    /// Gives the file `name` in `from` the name `to` here; unless `replace` says so, nothing may
    /// have that.
    pub(crate) fn take(
        &self,
        from: &Self,
        name: &OsStr,
        to: &OsStr,
        replace: bool,
    ) -> io::Result<()> {
        let file = File::from(from.entry(name, DELETE | SYNCHRONIZE)?);
        if replace {
            self.rename_file(&file, name, to)
        } else {
            self.rename_to_new(&file, name, to)
        }
    }

    /// Each file is waited for by itself.
    pub(crate) const SYNCS_ALL_FILES: bool = false;

    /// Waits until the names in it are on disk, where the file system can say so.
    pub(crate) fn sync_all_files(&self) -> io::Result<()> {
        let _ = self.sync();
        Ok(())
    }

    /// Gives the open file `new` the name `to`, which nothing has.
    pub(crate) fn rename_to_new(&self, new: &File, _from: &OsStr, to: &OsStr) -> io::Result<()> {
        possible(to)?;
        sys::rename(new, self, to, false)
    }

    /// Only links are renamed by their names.
    pub(crate) fn rename(&self, _from: &OsStr, _to: &OsStr) -> io::Result<()> {
        Err(no_links())
    }

    /// There are no files without a name here.
    pub(crate) fn create_unnamed(&self) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// Nor can one be given a name.
    pub(crate) fn name_unnamed(&self, _file: &File, _name: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Another handle of it.
    fn again(&self, access: u32) -> io::Result<OwnedHandle> {
        sys::open_at(self, OsStr::new(""), access, &Disposition::Existing)
    }

    /// Opens the entry `name`; of a link, the link itself.
    pub(super) fn entry(&self, name: &OsStr, access: u32) -> io::Result<OwnedHandle> {
        possible(name)?;
        sys::open_at(self, name, access, &Disposition::Existing)
    }

    fn regular(&self, path: &Path, access: u32) -> io::Result<File> {
        let (place, name) = self.parent_and_name_beneath(path)?;
        let (opened, kind) = place.through(&name, access)?;
        match kind {
            EntryKind::File => Ok(opened.into()),
            EntryKind::Directory => Err(io::ErrorKind::IsADirectory.into()),
            EntryKind::Link => Err(is_a_link()),
            EntryKind::Other => Err(io::Error::other("it is no regular file")),
        }
    }

    /// Opens the entry `name`, and tells its kind: a link itself, and anything else with the
    /// contents that it has elsewhere, as in a cloud.
    fn through(&self, name: &OsStr, access: u32) -> io::Result<(OwnedHandle, EntryKind)> {
        let opened = self.entry(name, access)?;
        let seen = FileStatus::from_handle(&opened)?;
        let attributes = sys::basic(&opened)?.FileAttributes;
        if seen.kind() == EntryKind::Link || attributes & FILE_ATTRIBUTE_REPARSE_POINT == 0 {
            return Ok((opened, seen.kind()));
        }
        let whole = sys::open_at(self, name, access, &Disposition::Contents)?;
        if FileId::from_handle(&whole)? != seen.id() {
            return Err(is_a_link());
        }
        Ok((whole, seen.kind()))
    }
}

impl AsHandle for Directory {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.0.as_handle()
    }
}

fn is_a_link() -> io::Error {
    io::Error::new(io::ErrorKind::NotADirectory, "it is a link")
}

fn no_links() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "links are not kept on Windows")
}
