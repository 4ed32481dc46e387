//! A name, resolved once.
//!
//! A path that is resolved a second time may lead to another file, as anyone decides who can write
//! to one of its directories. So a path becomes a directory's handle and a last name, and all that
//! is done to the file, from the first look to the rename, goes by these.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{ErrorContext, Result};
use crate::platform::{Directory, EntryKind, FileStatus, name_key};

/// A directory's handle, and a name in that directory.
#[derive(Clone, Debug)]
pub struct Place {
    pub(crate) directory: Directory,
    pub(crate) name: OsString,
    /// As messages name it.
    pub(crate) shown: PathBuf,
    /// The folder of the link that the user named, if it is one.
    link_folder: Option<Directory>,
}

impl Place {
    /// The place of the file at `path`, through every link.
    ///
    /// # Errors
    /// [`Problem::Io`](crate::Problem::Io), if there is no file.
    pub fn from_path(path: &Path) -> Result<Self> {
        Self::find(path).cannot("read", path)
    }

    fn find(path: &Path) -> io::Result<Self> {
        let named_in = Directory::open(path.parent().unwrap_or(Path::new("")))?;
        if let Some(name) = path.file_name().filter(|_| !ends_in_separator(path))
            && named_in.stat(name)?.kind() != EntryKind::Link
        {
            return Ok(Self::new(named_in, name.to_owned(), path.to_owned()));
        }
        let shown = fs::canonicalize(path)?;
        let (directory, name) = Directory::parent_and_name(&shown)?;
        Ok(Self { directory, name, shown, link_folder: Some(named_in) })
    }

    /// The name `name` in a directory, which messages call `shown`. No link is followed.
    #[must_use]
    pub fn new(directory: Directory, name: OsString, shown: PathBuf) -> Self {
        Self { directory, name, shown, link_folder: None }
    }

    /// As messages name it.
    #[must_use]
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// The file, to be read. It is a regular one.
    ///
    /// # Errors
    /// An I/O error.
    pub fn file(&self) -> io::Result<File> {
        self.directory.file(Path::new(&self.name))
    }

    /// The same, with its status.
    pub(crate) fn file_and_status(&self) -> io::Result<(File, FileStatus)> {
        self.directory.file_and_status(Path::new(&self.name))
    }

    /// The file, to be changed where it is.
    pub(crate) fn file_to_change(&self) -> io::Result<File> {
        self.directory.file_to_change(Path::new(&self.name))
    }

    /// Whether anything has the name now.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.status().is_ok()
    }

    /// Status of the file that has the name now.
    pub(crate) fn status(&self) -> io::Result<FileStatus> {
        self.directory.stat(&self.name)
    }

    /// Whether both are one name in one directory.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let directories = [self, other].map(|place| place.directory.id().ok());
        let names = [self, other].map(|place| name_key(&place.name));
        directories[0].is_some() && directories[0] == directories[1] && names[0] == names[1]
    }

    /// The same, which messages call by another path.
    pub(crate) fn with_shown(mut self, shown: &Path) -> Self {
        shown.clone_into(&mut self.shown);
        self
    }

    /// The folder of the link that the user named, if it is one.
    pub(crate) fn link_folder(&self) -> Option<&Directory> {
        self.link_folder.as_ref()
    }

    /// The place beside it with `suffix` behind its name.
    pub(crate) fn with_suffix(&self, suffix: &str) -> Self {
        let with = |name: &OsStr| {
            let mut name = name.to_owned();
            name.push(suffix);
            name
        };
        let shown = PathBuf::from(with(self.shown.as_os_str()));
        Self::new(self.directory.clone(), with(&self.name), shown)
    }
}

/// Whether a path says by its end that it is one of a directory.
pub(crate) fn ends_in_separator(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|&last| std::path::is_separator(last.into()))
}
