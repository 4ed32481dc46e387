//! Directories by handle, so that what is done in one is done there and nowhere else.
//!
//! A path is resolved anew each time that it is used: whoever can write to one of its directories
//! can put a link to another place there in between. A handle stays what it was. What lies beneath
//! it is opened without following any link: by `openat2` with `RESOLVE_BENEATH` and
//! `RESOLVE_NO_SYMLINKS`, or, where the system does not know that, component by component with
//! `O_NOFOLLOW`. Paths beneath a handle have no `..`: see [`components`].

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, mkdirat, openat, statat, unlinkat};
use rustix::io::Errno;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// A FIFO without a writer is not waited for.
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// An open directory.
#[derive(Clone, Debug)]
pub(crate) struct Directory(Arc<OwnedFd>);

impl Directory {
    /// The directory `path`, as the user has named it: links in it are followed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Self(Arc::new(open_directory(rustix::fs::CWD, path, OFlags::empty())?)))
    }

    /// The directory that has `path` in it, and what `path` is called there.
    pub(crate) fn of(path: &Path) -> io::Result<(Self, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((Self::open(path.parent().unwrap_or(Path::new("")))?, name.to_owned()))
    }

    /// The directory `path` beneath this one.
    pub(crate) fn beneath(&self, path: &Path) -> io::Result<Self> {
        if path.as_os_str().is_empty() {
            return Ok(self.clone());
        }
        Ok(Self(Arc::new(self.resolve(path, DIRECTORY)?)))
    }

    /// The directory beneath this one that has `path` in it, and what `path` is called there.
    pub(crate) fn of_beneath(&self, path: &Path) -> io::Result<(Self, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((self.beneath(path.parent().unwrap_or(Path::new("")))?, name.to_owned()))
    }

    /// The same, and directories are made where there are none.
    pub(crate) fn make_way_to(&self, path: &Path) -> io::Result<(Self, OsString)> {
        match self.of_beneath(path) {
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
    pub(crate) fn file(&self, path: &Path) -> io::Result<File> {
        regular(self.resolve(path, FILE)?)
    }

    /// The same, to be read and written to where it is.
    pub(crate) fn file_to_change(&self, path: &Path) -> io::Result<File> {
        let flags = FILE.difference(OFlags::RDONLY).union(OFlags::RDWR);
        regular(self.resolve(path, flags)?)
    }

    /// What is called `name` here; a link itself.
    pub(crate) fn stat(&self, name: impl AsRef<OsStr>) -> io::Result<Stat> {
        Ok(statat(&self.0, name.as_ref(), AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Makes a directory for its owner alone, unless there is one.
    pub(crate) fn make(&self, name: &OsStr) -> io::Result<()> {
        match mkdirat(&self.0, name, Mode::RWXU) {
            Err(Errno::EXIST) if self.is_directory(name) => Ok(()),
            made => Ok(made?),
        }
    }

    fn is_directory(&self, name: &OsStr) -> bool {
        let is_one = |stat: Stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        self.stat(name).is_ok_and(is_one)
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Waits until the names in it are on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    fn resolve(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let names = components(path).ok_or(io::ErrorKind::InvalidInput)?;
        #[cfg(target_os = "linux")]
        if let Some(opened) = at_once(self.as_fd(), path, flags) {
            return opened;
        }
        let (last, before) = names.split_last().ok_or(io::ErrorKind::InvalidInput)?;
        let mut place = None::<OwnedFd>;
        for name in before {
            let from = place.as_ref().map_or(self.as_fd(), AsFd::as_fd);
            place = Some(open_directory(from, Path::new(name), OFlags::NOFOLLOW)?);
        }
        let from = place.as_ref().map_or(self.as_fd(), AsFd::as_fd);
        Ok(openat(from, *last, flags | OFlags::NOFOLLOW, Mode::empty())?)
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The names in a path that can lie beneath a directory: none is `..`, and it is not absolute.
pub(crate) fn components(path: &Path) -> Option<Vec<&OsStr>> {
    let name = |component| match component {
        Component::Normal(name) => Some(name),
        _ => None,
    };
    let names = path.components().map(name).collect::<Option<Vec<_>>>()?;
    // Of its own accord, Path leaves out what is empty or `.`.
    let bytes = names.iter().map(|name| name.len() + 1).sum::<usize>().saturating_sub(1);
    (bytes == path.as_os_str().len()).then_some(names)
}

/// `path` without `.` and empty names, if it lies beneath the directory that it is relative to.
pub(crate) fn beneath(path: &Path) -> Option<PathBuf> {
    let path: PathBuf = path.components().filter(|c| *c != Component::CurDir).collect();
    components(&path).filter(|names| !names.is_empty()).map(|_| path.clone())
}

fn open_directory(from: impl AsFd, path: &Path, more: OFlags) -> io::Result<OwnedFd> {
    match openat(&from, path, DIRECTORY | more, Mode::empty()) {
        // One that only takes new files cannot be read, but be worked in.
        #[cfg(target_os = "linux")]
        Err(Errno::ACCESS) => {
            Ok(openat(&from, path, DIRECTORY | OFlags::PATH | more, Mode::empty())?)
        }
        opened => Ok(opened?),
    }
}

fn regular(file: OwnedFd) -> io::Result<File> {
    let file = File::from(file);
    let kind = file.metadata()?.file_type();
    match () {
        () if kind.is_file() => Ok(file),
        () if kind.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        () => Err(io::Error::other("it is no regular file")),
    }
}

/// By one call of the system, or `None` where it has none.
#[cfg(target_os = "linux")]
fn at_once(from: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Option<io::Result<OwnedFd>> {
    use rustix::fs::{ResolveFlags, openat2};

    // Tests force the other way; a release build cannot be made to.
    if cfg!(debug_assertions) && std::env::var_os("POLYSEAL_TEST_BY_COMPONENTS").is_some() {
        return None;
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(from, path, flags, Mode::empty(), resolve) {
        // An old kernel, one whose filter of system calls is older, or a rename at that moment; or
        // a directory that cannot be read, for which there is another way.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::ACCESS) => None,
        opened => Some(opened.map_err(io::Error::from)),
    }
}

/// A name of random digits for a file that shall have another.
pub(crate) fn temporary_name() -> io::Result<OsString> {
    let mut random = [0; 12];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let name = format!(".polyseal-{}.tmp", hex::encode(random));
    Ok(OsStr::from_bytes(name.as_bytes()).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_beneath_are_paths_beneath() {
        for (path, expected) in [
            ("a", Some(1)),
            ("a/b/c", Some(3)),
            ("", Some(0)),
            ("a/", None),
            ("a//b", None),
            ("a/./b", None),
            ("./a", None),
            ("/a", None),
            ("..", None),
            ("a/../b", None),
            (".", None),
        ] {
            let found = components(Path::new(path)).map(|names| names.len());
            assert_eq!(found, expected, "{path}");
        }
        assert_eq!(beneath(Path::new("./a//b/./c")), Some("a/b/c".into()));
        for outside in ["..", "a/..", "/a", ".", ""] {
            assert_eq!(beneath(Path::new(outside)), None, "{outside}");
        }
    }
}
