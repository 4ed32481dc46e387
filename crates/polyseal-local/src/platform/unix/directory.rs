//! Directories by handle, so that what is done in one is done there and nowhere else.
//!
//! A path is resolved anew each time that it is used: anyone who can write to one of its
//! directories can put a link to another place there in between. A handle stays what it was.
//! Whatever lies beneath it is opened without following any link: by `openat2` with
//! `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS`, or, where the system does not know that or the path
//! is too long for one call, component by component with `O_NOFOLLOW`. Paths beneath a handle have
//! no `..`: see [`components`].

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use polyseal_file::manifest::Timestamp;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, linkat, mkdirat, openat, readlinkat,
    renameat, statat, symlinkat, unlinkat, utimensat,
};
use rustix::io::Errno;

use super::access::{is_for_us, is_kept_from_above, keeps};
use super::mode::{set_mode, set_modified, times};
use super::{FileId, FileStatus};
use crate::platform::EntryKind;
use crate::platform::components;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// A FIFO without a writer is not waited for.
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
const OWNER_ONLY: Mode = Mode::RUSR.union(Mode::WUSR);

/// An open directory.
#[derive(Clone, Debug)]
pub struct Directory(Arc<OwnedFd>);

/// Which directory it is, and the times of its last changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DirectoryState {
    id: FileId,
    changed: [i64; 2],
    modified: [i64; 2],
}

impl DirectoryState {
    /// When it was last changed, since 1970.
    pub(crate) fn changed(&self) -> Duration {
        let [seconds, nanoseconds] = self.changed.map(|it| u64::try_from(it).unwrap_or(0));
        Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds)
    }
}

/// A directory that was opened as a file.
impl From<File> for Directory {
    fn from(file: File) -> Self {
        Self(Arc::new(file.into()))
    }
}

impl Directory {
    /// The directory `path`, as the user has named it: links in it are followed.
    ///
    /// # Errors
    /// An I/O error.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Self(Arc::new(open_directory(CWD, path, OFlags::empty())?)))
    }

    /// The same for an output: a link as its last name is followed only if this user or root has
    /// made it. Another user's leads to a place of their choice; it is `NotADirectory`.
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
        folder.beneath(Path::new(&name)).or_else(|error| match Errno::from_io_error(&error) {
            Some(Errno::LOOP) => Err(io::ErrorKind::NotADirectory.into()),
            // One that only takes new files.
            Some(Errno::ACCESS) if seen.kind() == EntryKind::Directory => Self::open(path),
            _ => Err(error),
        })
    }

    /// The directory that has `path` in it, and the name of `path` there.
    ///
    /// # Errors
    /// An I/O error; `InvalidInput` if the path ends in no name.
    pub fn parent_and_name(path: &Path) -> io::Result<(Self, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((Self::open(path.parent().unwrap_or(Path::new("")))?, name.to_owned()))
    }

    /// The directory `path` beneath this one.
    ///
    /// # Errors
    /// An I/O error; a link on the way is one.
    pub fn beneath(&self, path: &Path) -> io::Result<Self> {
        if path.as_os_str().is_empty() {
            return Ok(self.clone());
        }
        Ok(Self(Arc::new(self.resolve(path, DIRECTORY)?)))
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
        match self.parent_and_name_beneath(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
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
        Ok(self.file_and_status(path)?.0)
    }

    /// The same, with its status.
    pub(crate) fn file_and_status(&self, path: &Path) -> io::Result<(File, FileStatus)> {
        regular(self.resolve(path, FILE)?)
    }

    /// The same, to be read and written to where it is.
    ///
    /// # Errors
    /// As [`file`](Self::file).
    pub fn file_to_change(&self, path: &Path) -> io::Result<File> {
        let flags = FILE.difference(OFlags::RDONLY).union(OFlags::RDWR);
        Ok(regular(self.resolve(path, flags)?)?.0)
    }

    /// Status of the entry `name`; of a link, the link's own.
    pub(crate) fn stat(&self, name: impl AsRef<OsStr>) -> io::Result<FileStatus> {
        Ok(FileStatus(statat(&self.0, name.as_ref(), AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// The names in it, each with its kind.
    pub(crate) fn names(&self) -> io::Result<Vec<(OsString, EntryKind)>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => self.stat(name)?.kind(),
                known => EntryKind::from_file_type(known),
            };
            names.push((name.to_owned(), kind));
        }
        Ok(names)
    }

    /// Which directory it is, and when it was changed.
    #[allow(clippy::useless_conversion, reason = "other systems have other types")]
    pub(crate) fn state(&self) -> io::Result<DirectoryState> {
        let stat = fstat(&self.0)?;
        let nanoseconds = |it| i64::try_from(it).unwrap_or_default();
        let changed = [stat.st_ctime, nanoseconds(stat.st_ctime_nsec)];
        let modified = [stat.st_mtime, nanoseconds(stat.st_mtime_nsec)];
        Ok(DirectoryState { id: FileStatus(stat).id(), changed, modified })
    }

    /// Which directory it is.
    pub(crate) fn id(&self) -> io::Result<FileId> {
        Ok(FileStatus(fstat(&self.0)?).id())
    }

    /// The directory as a file, of which only the metadata can be read.
    pub(crate) fn to_file(&self) -> io::Result<File> {
        Ok(self.0.try_clone()?.into())
    }

    /// Whether it belongs to this user.
    pub(crate) fn is_ours(&self) -> io::Result<bool> {
        Ok(FileStatus(fstat(&self.0)?).is_ours())
    }

    /// Whether only this user, root and its group can give names in it.
    pub(crate) fn is_for_us(&self) -> bool {
        is_for_us(self)
    }

    /// Whether only this user and root can give `entry`, which is in it, another name, or its name
    /// to something else.
    pub(crate) fn keeps(&self, entry: &FileStatus) -> bool {
        keeps(self, entry)
    }

    /// The same for the entry `name` in the directory at `path`.
    pub(crate) fn keeps_named(path: &Path, name: &OsStr) -> io::Result<bool> {
        let folder = Self::open(path)?;
        Ok(folder.keeps(&folder.stat(name)?))
    }

    /// The same of itself in the directory above, of that in the next, and so on.
    pub(crate) fn is_kept_from_above(&self) -> bool {
        is_kept_from_above(self)
    }

    /// The directory above, which is itself at the root.
    pub(super) fn above(&self) -> io::Result<Self> {
        Ok(Self(Arc::new(open_directory(&self.0, Path::new(".."), OFlags::empty())?)))
    }

    /// Status of the directory itself.
    pub(super) fn status(&self) -> io::Result<FileStatus> {
        Ok(FileStatus(fstat(&self.0)?))
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
        Ok(mkdirat(&self.0, name, Mode::RWXU)?)
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes the directory `name`, which is empty.
    pub(crate) fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Waits until the names in it are on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        File::from(self.0.try_clone()?).sync_all()
    }

    /// Gives it this mode and, if one is given, this time.
    pub(crate) fn set(&self, mode: u16, modified: Option<Timestamp>) -> io::Result<()> {
        if let Some(modified) = modified {
            set_modified(self, modified)?;
        }
        set_mode(self, mode)
    }

    /// A new file `name` for its owner alone, to be read and written.
    pub(crate) fn create(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, OWNER_ONLY)?.into())
    }

    /// Opens `name`, which others may have put there: not through a link, and waiting for nobody.
    /// None if it is nothing that can be opened so, such as a link or a socket.
    pub(crate) fn open_suspicious(&self, name: &OsStr) -> io::Result<Option<File>> {
        match openat(&self.0, name, FILE, Mode::empty()) {
            Ok(file) => Ok(Some(file.into())),
            Err(Errno::LOOP | Errno::MLINK | Errno::NXIO) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A new symbolic link `name` to `target`.
    pub(crate) fn make_link(&self, target: &OsStr, name: &OsStr) -> io::Result<()> {
        Ok(symlinkat(target, &self.0, name)?)
    }

    /// Where the symbolic link `name` leads.
    pub(crate) fn link_target(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(OsString::from_vec(readlinkat(&self.0, name, Vec::new())?.into_bytes()))
    }

    /// Gives the symbolic link `name` this time.
    pub(crate) fn set_link_time(&self, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        Ok(utimensat(&self.0, name, &times(modified), AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Gives `from` the name `to`, whatever has that.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    /// The same of an open file, which is called `from`: not every system goes by that.
    pub(crate) fn rename_file(&self, _new: &File, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.rename(from, to)
    }

    /// Gives the file `name` in `from` the name `to` here; unless `replace` says so, nothing may
    /// have that. It may keep its first name, too.
    pub(crate) fn take(
        &self,
        from: &Self,
        name: &OsStr,
        to: &OsStr,
        replace: bool,
    ) -> io::Result<()> {
        if replace {
            return Ok(renameat(&from.0, name, &self.0, to)?);
        }
        // Tests force the last way; a release build cannot be made to.
        if cfg!(debug_assertions) && std::env::var_os("POLYSEAL_TEST_NO_LINKS").is_some() {
            return self.take_over_claim(from, name, to);
        }
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{RenameFlags, renameat_with};

            match renameat_with(&from.0, name, &self.0, to, RenameFlags::NOREPLACE) {
                // The file system's or an old kernel's way of not knowing the flag.
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
                renamed => return Ok(renamed?),
            }
        }
        // The code that gave the old name removes it.
        match linkat(&from.0, name, &self.0, to, AtFlags::empty()) {
            Err(error) if has_no_links(error) => self.take_over_claim(from, name, to),
            linked => Ok(linked?),
        }
    }

    /// Whether [`sync_all_files`](Self::sync_all_files) waits for files that nobody has waited for.
    pub(crate) const SYNCS_ALL_FILES: bool = cfg!(any(target_os = "linux", target_os = "android"));

    /// Waits until all files of its file system are on disk; or all names in it, where each file
    /// has been waited for.
    pub(crate) fn sync_all_files(&self) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        return Ok(rustix::fs::syncfs(&self.0)?);
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            // Not every file system can say so.
            let _ = self.sync();
            Ok(())
        }
    }

    /// Gives an open file, which is called `from`, the name `to`, which nothing has.
    pub(crate) fn rename_to_new(&self, _new: &File, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.take(self, from, to, false)
    }

    /// The same where a file system knows neither way, as rclone's mounts and exFAT by FUSE: an
    /// empty file of this process takes the name, and is replaced. Only a file that somebody writes
    /// to, or puts in its place, within that instant is lost.
    fn take_over_claim(&self, from: &Self, name: &OsStr, to: &OsStr) -> io::Result<()> {
        let claim = self.create(to)?;
        let taken = self.expect_claim(&claim, to);
        let taken = taken.and_then(|()| Ok(renameat(&from.0, name, &self.0, to)?));
        if taken.is_err() && self.expect_claim(&claim, to).is_ok() {
            let _ = self.remove(to);
        }
        taken
    }

    /// Refuses anything else than the empty file `claim` as `name`.
    fn expect_claim(&self, claim: &File, name: &OsStr) -> io::Result<()> {
        let (ours, seen) = (FileStatus(fstat(claim)?), self.stat(name)?);
        let untouched = ours.id() == seen.id() && seen.0.st_size == 0;
        if untouched { Ok(()) } else { Err(io::ErrorKind::AlreadyExists.into()) }
    }

    /// A file in this directory that has no name, for its owner alone; none where there are no such
    /// files.
    pub(crate) fn create_unnamed(&self) -> io::Result<Option<File>> {
        #[cfg(target_os = "linux")]
        {
            use std::sync::OnceLock;

            // Tests force the other way; a release build cannot be made to.
            if cfg!(debug_assertions) && std::env::var_os("POLYSEAL_TEST_NAMED_OUTPUT").is_some() {
                return Ok(None);
            }
            // Without /proc it could never be given a name.
            static PROC: OnceLock<bool> = OnceLock::new();
            if !PROC.get_or_init(|| Path::new("/proc/self/fd").exists()) {
                return Ok(None);
            }
            let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
            match openat(&self.0, ".", flags, OWNER_ONLY) {
                Ok(fd) => Ok(Some(fd.into())),
                // The file system's or an old kernel's way of not knowing the flag.
                Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }
        #[cfg(not(target_os = "linux"))]
        Ok(None)
    }

    /// Gives a file that [`create_unnamed`](Self::create_unnamed) made the name `name`, which
    /// nothing has.
    pub(crate) fn name_unnamed(&self, file: &File, name: &OsStr) -> io::Result<()> {
        // Linux lets root do so, and from 6.10 on the process that has opened the file.
        #[cfg(target_os = "linux")]
        match linkat(file, "", &self.0, name, AtFlags::EMPTY_PATH) {
            Err(Errno::NOENT | Errno::PERM | Errno::INVAL) => {}
            linked => return Ok(linked?),
        }
        self.name_by_path(file, name)
    }

    /// The same in the way that every Linux has, which takes longer.
    fn name_by_path(&self, file: &File, name: &OsStr) -> io::Result<()> {
        use std::os::fd::AsRawFd;

        let fd = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(linkat(CWD, fd, &self.0, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn resolve(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let names = components(path).ok_or(io::ErrorKind::InvalidInput)?;
        #[cfg(target_os = "linux")]
        if let Some(opened) = open_in_one_call(self.as_fd(), path, flags) {
            return opened;
        }
        let (last, before) = names.split_last().ok_or(io::ErrorKind::InvalidInput)?;
        let mut place = None::<OwnedFd>;
        for name in before {
            let from = place.as_ref().map_or(self.as_fd(), AsFd::as_fd);
            place = Some(open_directory(from, Path::new(name), OFlags::NOFOLLOW)?);
        }
        let from = place.as_ref().map_or(self.as_fd(), AsFd::as_fd);
        if flags.contains(OFlags::DIRECTORY) {
            return open_directory(from, Path::new(last), OFlags::NOFOLLOW);
        }
        Ok(openat(from, *last, flags | OFlags::NOFOLLOW, Mode::empty())?)
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn open_directory(from: impl AsFd, path: &Path, more: OFlags) -> io::Result<OwnedFd> {
    match openat(&from, path, DIRECTORY | more, Mode::empty()) {
        // One that only takes new files cannot be listed, but can be entered.
        #[cfg(target_os = "linux")]
        Err(Errno::ACCESS) => {
            Ok(openat(&from, path, DIRECTORY | OFlags::PATH | more, Mode::empty())?)
        }
        opened => Ok(opened?),
    }
}

/// Whether a file system says so that it has no hard links.
fn has_no_links(error: Errno) -> bool {
    let errors =
        [Errno::PERM, Errno::OPNOTSUPP, Errno::NOSYS, Errno::INVAL, Errno::IO, Errno::MLINK];
    errors.contains(&error)
}

fn regular(file: OwnedFd) -> io::Result<(File, FileStatus)> {
    let seen = FileStatus(fstat(&file)?);
    match seen.kind() {
        EntryKind::File => Ok((file.into(), seen)),
        EntryKind::Directory => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::other("it is no regular file")),
    }
}

/// By one call of the system, or `None` where it has none.
#[cfg(target_os = "linux")]
fn open_in_one_call(
    from: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
) -> Option<io::Result<OwnedFd>> {
    use rustix::fs::{ResolveFlags, openat2};

    // Tests force the other way; a release build cannot be made to.
    if cfg!(debug_assertions) && std::env::var_os("POLYSEAL_TEST_BY_COMPONENTS").is_some() {
        return None;
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(from, path, flags, Mode::empty(), resolve) {
        // An old kernel, one whose filter of system calls is older, or a rename at that moment; a
        // directory that cannot be listed, for which there is another way; or a path of more than
        // 4096 bytes, whose names are short enough one by one.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::ACCESS | Errno::NAMETOOLONG) => None,
        opened => Some(opened.map_err(io::Error::from)),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_name_gets_one_in_either_way_and_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::open(folder.path()).unwrap();
        let Some(file) = directory.create_unnamed().unwrap() else { return };
        for (name, give) in [
            ("one", Directory::name_unnamed as fn(&_, &_, &_) -> _),
            ("other", Directory::name_by_path),
        ] {
            let given: io::Result<()> = give(&directory, &file, OsStr::new(name));
            given.unwrap();
            assert_eq!(directory.stat(name).unwrap().id(), FileId::from_file(&file).unwrap());
            let again = give(&directory, &file, OsStr::new(name)).unwrap_err();
            assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        }
    }

    #[test]
    fn a_claim_takes_no_name_that_something_has() {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::open(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name);
        for theirs in ["", "theirs"] {
            std::fs::write(at("new"), "new").unwrap();
            std::fs::write(at("taken"), theirs).unwrap();
            let refused = directory.take_over_claim(&directory, "new".as_ref(), "taken".as_ref());
            assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(std::fs::read_to_string(at("taken")).unwrap(), theirs);
        }
        directory.take_over_claim(&directory, "new".as_ref(), "free".as_ref()).unwrap();
        assert_eq!(std::fs::read_to_string(at("free")).unwrap(), "new");
        // A claim that comes to nothing goes.
        directory.take_over_claim(&directory, "absent".as_ref(), "other".as_ref()).unwrap_err();
        assert!(!at("other").exists());
    }
}
