//! The directory of a tree for its statement, in a directory or in a store.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use polyseal_file::statement::SegmentHashes;
use polyseal_file::{COMMITMENT_BYTES, ReadAt};

use super::SIGNED;
use crate::error::{Error, ErrorContext, Problem, Result};
use crate::new_file::NewFile;
use crate::options::Options;
use crate::platform::{Directory, bytes};
use crate::tree::salt_name;
use crate::tree::store::{ManifestFile, OverwriteRule, TreeStorage};

type FileSalt = [u8; COMMITMENT_BYTES];

/// The file of a manifest's statement, of the list of its tree, and of the hashes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tree) enum Part {
    Statement,
    List,
    Hashes,
}

impl Part {
    const ALL: [Self; 3] = [Self::Statement, Self::List, Self::Hashes];

    fn suffix(self) -> &'static str {
        match self {
            Self::Statement => ".sig",
            Self::List => ".list",
            Self::Hashes => ".hashes",
        }
    }

    /// Its path in the tree; `about` is the salt of the manifest or file.
    fn path(self, about: &FileSalt) -> PathBuf {
        Path::new(SIGNED).join(salt_name(about, self.suffix()))
    }
}

/// The directory, which need not be there.
#[derive(Clone, Copy)]
pub(in crate::tree) struct SignedFolder<'a> {
    storage: &'a TreeStorage,
    options: &'a Options<'a>,
}

impl<'a> SignedFolder<'a> {
    pub(in crate::tree) fn new(storage: &'a TreeStorage, options: &'a Options<'a>) -> Self {
        Self { storage, options }
    }

    /// The path that messages show.
    pub(in crate::tree) fn shown(&self, part: Part, about: &FileSalt) -> PathBuf {
        self.storage.shown(&part.path(about))
    }

    /// One of its files, if it is there.
    pub(in crate::tree) fn open(
        &self,
        part: Part,
        about: &FileSalt,
    ) -> Result<Option<ManifestFile>> {
        self.storage.manifest(&part.path(about))
    }

    /// All of one that has so many bytes.
    ///
    /// # Errors
    /// [`Problem::Missing`] if it is not there, [`Problem::OtherContents`] if it has fewer or more.
    pub(in crate::tree) fn read(
        &self,
        part: Part,
        about: &FileSalt,
        bytes: u64,
    ) -> Result<Vec<u8>> {
        let shown = self.shown(part, about);
        let stored = self.open(part, about)?;
        let stored = stored.ok_or_else(|| Error::new(&shown, Problem::Missing))?;
        if stored.size().cannot("read", &shown)? != bytes {
            return Err(Error::new(&shown, Problem::OtherContents));
        }
        let bytes = usize::try_from(bytes).map_err(io::Error::other).cannot("read", &shown)?;
        let mut read = vec![0; bytes];
        let mut at = 0;
        while at < bytes {
            match stored.read_at(&mut read[at..], at as u64).cannot("read", &shown)? {
                0 => return Err(Error::new(&shown, Problem::ChangedLength)),
                more => at += more,
            }
        }
        Ok(read)
    }

    /// Whether there is a statement about this manifest.
    pub(in crate::tree) fn has_statement(&self, manifest: &FileSalt) -> Result<bool> {
        Ok(self.open(Part::Statement, manifest)?.is_some())
    }

    /// Keeps the hashes of a file, if it has any.
    pub(in crate::tree) fn keep(&self, about: &FileSalt, hashes: &SegmentHashes) -> Result {
        if !hashes.is_kept() {
            return Ok(());
        }
        let mut stored = Vec::new();
        let shown = self.shown(Part::Hashes, about);
        hashes.write(&mut stored).cannot("write", &shown)?;
        self.write(Part::Hashes, about, &stored)
    }

    /// Writes one of its files, which is durable then where that is asked for.
    pub(in crate::tree) fn write(&self, part: Part, about: &FileSalt, stored: &[u8]) -> Result {
        let path = part.path(about);
        let shown = self.storage.shown(&path);
        match self.storage {
            TreeStorage::Directory(tree) => {
                tree.root.make(SIGNED.as_ref()).cannot("write", &shown)?;
                let place = tree.place(&path, "write")?;
                let mut file = NewFile::create_in(place, true, self.options.forbidden)?;
                file.file().write_all(stored).cannot("write", &shown)?;
                if !Directory::SYNCS_ALL_FILES {
                    file.sync()?;
                }
                file.commit()
            }
            TreeStorage::Store(store) => {
                let bytes = Some(stored.len() as u64);
                let mut file = store.create(&path, OverwriteRule::Anything, bytes)?;
                file.write_all(stored).cannot("write", &shown)?;
                file.commit()
            }
        }
    }

    /// Removes those of these names that are about nothing which is needed. Whatever stays does no
    /// harm.
    pub(in crate::tree) fn sweep(&self, names: &[OsString], is_needed: impl Fn(&FileSalt) -> bool) {
        for name in names.iter().filter(|name| is_left_over(name, &is_needed)) {
            let path = Path::new(SIGNED).join(name);
            let _ = match self.storage {
                TreeStorage::Directory(tree) => tree
                    .resolve(&path)
                    .and_then(|(folder, name)| folder.remove(&name))
                    .cannot("delete", &path),
                TreeStorage::Store(store) => store.delete(&path),
            };
        }
    }
}

/// Whether a name is one of this directory, about something that is needed no longer.
fn is_left_over(name: &OsStr, is_needed: impl Fn(&FileSalt) -> bool) -> bool {
    let digits = Part::ALL.iter().find_map(|it| bytes(name).strip_suffix(it.suffix().as_bytes()));
    digits.and_then(salt_from_digits).is_some_and(|salt| !is_needed(&salt))
}

fn salt_from_digits(digits: &[u8]) -> Option<FileSalt> {
    let digits = std::str::from_utf8(digits).ok()?;
    let mut salt = FileSalt::default();
    for (at, byte) in salt.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    (salt_name(&salt, "").as_os_str() == digits).then_some(salt)
}
