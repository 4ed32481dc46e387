//! Sealed trees in stores of objects: each encrypted file is an object, by its path in the tree.
//!
//! The tree is the one that a directory has: its files can be uploaded, and the objects downloaded,
//! one by one. Directories, links, modes and times are in the manifest alone, so [`Store`] has all
//! that is needed. Its implementations decide how the objects are reached.
//!
//! Nothing keeps another program from writing an object in between. So the manifest is written on
//! the condition that it is still what it was ([`OverwriteRule::AsSeen`]).

use std::ffi::OsString;
use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use polyseal_file::{Header, Opener, Output, ReadAt};

use super::Tree;
use super::walk::{DirectoryNames, Walk};
use crate::error::{Error, Problem, Result};
use crate::new_file::NewFile;
use crate::platform::{EntryKind, path_bytes};

/// The name of the object for a path below a tree: names in UTF-8 with `/` between them. `None` if
/// the path is not UTF-8.
#[must_use]
pub fn stored_name(path: &Path) -> Option<String> {
    String::from_utf8(path_bytes(path).into_owned()).ok()
}

/// A place for the files of a sealed tree that is no directory. Errors are about the path that
/// [`shown`](Self::shown) returns.
pub trait Store: Debug + Send + Sync {
    /// The path that messages show for the file at this path in the tree; for an empty path, the
    /// tree's.
    fn shown(&self, path: &Path) -> PathBuf;

    /// The text by which this host remembers the tree. By default it is what messages show; a store
    /// whose server is a setting has that in it, too.
    fn id(&self) -> OsString {
        self.shown(Path::new("")).into()
    }

    /// Asserts that a file can have this path.
    ///
    /// # Errors
    /// Why it cannot.
    fn expect_name(&self, path: &Path) -> Result;

    /// One of the files, if there are any.
    ///
    /// # Errors
    /// The store's error.
    fn any(&self) -> Result<Option<PathBuf>>;

    /// The paths of all files, in any order.
    ///
    /// # Errors
    /// The store's error.
    fn list(&self) -> Result<Vec<String>>;

    /// The version of a file that is there now, to be read at offsets.
    ///
    /// # Errors
    /// [`Problem::Missing`], or the store's error.
    fn open(&self, path: &Path) -> Result<Box<dyn StoredFile>>;

    /// The same, to be read to its end.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    fn stream(&self, path: &Path) -> Result<Box<dyn Read + Send>>;

    /// Deletes a file, which need not be there.
    ///
    /// # Errors
    /// The store's error.
    fn delete(&self, path: &Path) -> Result;

    /// When the file that is there was written, by the store's clock; `None` if there is none.
    ///
    /// # Errors
    /// The store's error.
    fn modified(&self, path: &Path) -> Result<Option<SystemTime>>;

    /// Begins a file, which is there when it is [committed](NewStoredFile::commit). `bytes` are how
    /// many there will be about, if that is known.
    ///
    /// # Errors
    /// [`Problem::Exists`], or the store's error.
    fn create(
        &self,
        path: &Path,
        overwrite: OverwriteRule,
        bytes: Option<u64>,
    ) -> Result<Box<dyn NewStoredFile>>;
}

/// Which file a new one may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverwriteRule {
    /// Nothing: there must be no such file.
    Nothing,
    /// Whatever is there.
    Anything,
    /// The file that is there at the beginning, or nothing: if it is another at the end, that is
    /// [`Problem::Changed`].
    AsSeen,
}

/// One version of a file in a store.
pub trait StoredFile: ReadAt + Debug + Send + Sync {
    /// Its header.
    ///
    /// # Errors
    /// As [`Header::parse`], and [`polyseal_file::Error::Io`].
    fn header(&self) -> polyseal_file::Result<Header>;

    /// Puts another header, as long as its own, in front of its payload, if this version is still
    /// there.
    ///
    /// # Errors
    /// [`Problem::Changed`], or the store's error.
    fn replace_header(&self, header: &Header) -> Result<VersionCheck>;
}

/// Whether a store has compared the version at the last moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionCheck {
    /// It has: nothing that another program has written is lost.
    Yes,
    /// It has not: another program's change in the last moments is lost.
    No,
}

/// A file that is being written. If it is dropped, it never appears.
pub trait NewStoredFile: Write + Send {
    /// Sends what has been written, so that little memory is taken until it appears.
    ///
    /// # Errors
    /// The store's error.
    fn hold(&mut self) -> Result {
        Ok(())
    }

    /// Lets it appear.
    ///
    /// # Errors
    /// [`Problem::Exists`], [`Problem::Changed`], or the store's error.
    fn commit(self: Box<Self>) -> Result;
}

/// Where the files of a sealed tree are.
#[derive(Debug)]
pub(crate) enum TreeStorage {
    Directory(Tree),
    Store(Arc<dyn Store>),
}

impl Clone for TreeStorage {
    fn clone(&self) -> Self {
        match self {
            Self::Directory(tree) => Self::Directory(Tree::new(tree.root.clone(), &tree.shown)),
            Self::Store(store) => Self::Store(Arc::clone(store)),
        }
    }
}

impl TreeStorage {
    pub(crate) fn shown(&self, path: &Path) -> PathBuf {
        match self {
            Self::Directory(tree) => tree.shown(path),
            Self::Store(store) => store.shown(path),
        }
    }

    /// The directory; an error for a store, where the operation is not possible.
    pub(crate) fn directory(&self) -> Result<&Tree> {
        match self {
            Self::Directory(tree) => Ok(tree),
            Self::Store(store) => Err(Error::new(&store.shown(Path::new("")), Problem::InAStore)),
        }
    }

    /// The manifest at `path`, if there is one.
    pub(super) fn manifest(&self, path: &Path) -> Result<Option<ManifestFile>> {
        match self {
            Self::Directory(tree) => match tree.root.file(path) {
                Ok(file) => Ok(Some(ManifestFile::File(file))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(Error::io("read", &tree.shown(path), error)),
            },
            Self::Store(store) => match store.open(path) {
                Ok(stored) => Ok(Some(ManifestFile::Stored(stored))),
                Err(error) if error.is_not_found() => Ok(None),
                Err(error) => Err(error),
            },
        }
    }

    /// The file at `path`, to be read to its end.
    pub(super) fn input(&self, path: &Path) -> Result<StoredInput> {
        Ok(match self {
            Self::Directory(tree) => StoredInput::File(tree.file(path)?),
            Self::Store(store) => StoredInput::Stream(store.stream(path)?),
        })
    }

    /// The names of the tree, of which those of a store are listed now.
    pub(super) fn walk<'a>(&self, exclude: &'a (dyn Fn(&Path) -> bool + Sync)) -> Result<Walk<'a>> {
        Ok(match self {
            Self::Directory(tree) => Walk::new(&tree.root, exclude, true),
            Self::Store(store) => {
                Walk::from_names(Box::new(StoreListing::new(store.list()?)), exclude, true)
            }
        })
    }
}

/// An encrypted file that is read to its end.
pub(super) enum StoredInput {
    File(std::fs::File),
    Stream(Box<dyn Read + Send>),
}

/// The file of a manifest, whose version stays what it was.
#[derive(Debug)]
pub(crate) enum ManifestFile {
    File(std::fs::File),
    Stored(Box<dyn StoredFile>),
}

impl ManifestFile {
    pub(super) fn header(&self) -> polyseal_file::Result<Header> {
        match self {
            Self::File(file) => Header::read_at(file),
            Self::Stored(stored) => stored.header(),
        }
    }
}

impl ReadAt for ManifestFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read_at(buffer, offset),
            Self::Stored(stored) => stored.read_at(buffer, offset),
        }
    }

    fn size(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => file.size(),
            Self::Stored(stored) => stored.size(),
        }
    }

    fn opener(&self) -> io::Result<Opener> {
        match self {
            Self::File(file) => file.opener(),
            Self::Stored(stored) => stored.opener(),
        }
    }
}

/// An encrypted file of a tree that is made.
pub(super) enum NewSealedFile {
    File(NewFile),
    Stored(Box<dyn NewStoredFile>),
}

impl NewSealedFile {
    pub(super) fn output(&mut self) -> Output<'_> {
        match self {
            Self::File(file) => Output::File(file.file()),
            Self::Stored(stored) => Output::Stream(stored),
        }
    }

    /// Waits until it is on disk; what a store has, is.
    pub(super) fn sync(&mut self) -> Result {
        match self {
            Self::File(file) => file.sync(),
            Self::Stored(_) => Ok(()),
        }
    }

    pub(super) fn commit(self) -> Result {
        match self {
            Self::File(file) => file.commit(),
            Self::Stored(stored) => stored.commit(),
        }
    }
}

/// The files of a store, in the order of their bytes: those of a directory are beside each other.
pub(super) struct StoreListing(Arc<Vec<String>>);

impl StoreListing {
    fn new(mut paths: Vec<String>) -> Self {
        paths.sort_unstable();
        Self(Arc::new(paths))
    }

    /// The same of paths that are in that order.
    pub(super) fn sorted(paths: Arc<Vec<String>>) -> Self {
        Self(paths)
    }
}

impl DirectoryNames for StoreListing {
    fn names(&mut self, directory: &Path) -> io::Result<Vec<(OsString, EntryKind)>> {
        let mut prefix = path_bytes(directory).into_owned();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let from = self.0.partition_point(|path| path.as_bytes() < &prefix[..]);
        let below = self.0[from..].iter();
        let below = below.take_while(|path| path.as_bytes().starts_with(&prefix));
        let mut names: Vec<_> = below
            .map(|path| match path[prefix.len()..].split_once('/') {
                Some((directory, _)) => (directory, EntryKind::Directory),
                None => (&path[prefix.len()..], EntryKind::File),
            })
            .collect();
        names.dedup();
        Ok(names.into_iter().map(|(name, kind)| (name.into(), kind)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_has_directories() {
        let paths = ["b", "a/x", "a-", "a/y/z", "a", "a/y", "é/1"].map(str::to_owned);
        let mut listed = StoreListing::new(paths.to_vec());
        let mut names = |path: &str| {
            let names = listed.names(Path::new(path)).unwrap().into_iter();
            let mut names: Vec<_> = names
                .map(|(name, kind)| (name.into_string().unwrap(), kind == EntryKind::Directory))
                .collect();
            names.sort();
            names
        };
        let of = |names: &[(&str, bool)]| -> Vec<(String, bool)> {
            names.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect()
        };
        assert_eq!(
            names(""),
            of(&[("a", false), ("a", true), ("a-", false), ("b", false), ("é", true)])
        );
        assert_eq!(names("a"), of(&[("x", false), ("y", false), ("y", true)]));
        assert_eq!(names("a/y"), of(&[("z", false)]));
        assert_eq!(names("none"), of(&[]));
    }
}
