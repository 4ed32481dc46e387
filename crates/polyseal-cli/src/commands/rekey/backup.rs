//! The copy of a header that a rewrite in place keeps beside the file: the old header, and the new
//! one after it. Whoever finds one knows that a rewrite was interrupted, if it is one.
//!
//! Others may be able to write to the directory. So what has the name of a copy is believed only if
//! it is a regular file of the caller or of the file's owner, begins with a header, and the file's
//! own is one of the two or a mixture of them, for the same payload. Anything else stands in the
//! way, and is told as that.
//!
//! What was interrupted has bytes of the old header and of the new one. Another rekey, which did
//! not see the copy because the file has another name, leaves other bytes: that is not undone.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use polyseal_file::{Header, Identities};
use rustix::fs::{FileType, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::lock::lock;
use crate::directory::Directory;
use crate::error::{Failure, Result};
use crate::file_io::{FileId, changed};

const SUFFIX: &str = ".header-backup";

/// What a file is called, and where. All that is done to the file goes by this: a path that is
/// resolved a second time may lead to another one.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) directory: Directory,
    pub(super) name: OsString,
    pub(super) shown: PathBuf,
    /// The folder of the link that the user named, if it was one.
    pub(super) link_in: Option<Directory>,
}

impl Place {
    /// Of the file at `path`, through every link.
    pub(super) fn of(path: &Path) -> Result<Self> {
        let failure = |error| Failure::io("read", path, &error);
        let folder = Directory::open(path.parent().unwrap_or(Path::new(""))).map_err(failure)?;
        let shown = fs::canonicalize(path).map_err(failure)?;
        let (directory, name) = Directory::of(&shown).map_err(failure)?;
        Ok(Self { directory, name, shown, link_in: Some(folder) })
    }

    /// The file, to be read.
    pub(super) fn file(&self) -> io::Result<File> {
        self.directory.file(Path::new(&self.name))
    }

    /// The name of the copy.
    pub(super) fn backup(&self) -> OsString {
        name_of(&self.name)
    }

    pub(super) fn backup_shown(&self) -> PathBuf {
        self.shown.with_file_name(self.backup())
    }

    /// Removes the name of the copy; that is not on disk yet.
    pub(super) fn remove_backup(&self) -> Result {
        let removed = self.directory.remove(&self.backup());
        removed.map_err(|error| Failure::io("remove", &self.backup_shown(), &error))
    }

    /// What kind of thing is there.
    pub(super) fn kind(&self) -> io::Result<FileType> {
        Ok(FileType::from_raw_mode(self.directory.stat(&self.name)?.st_mode))
    }

    /// What is there, under the name itself.
    pub(super) fn id(&self) -> io::Result<FileId> {
        Ok(FileId::of_stat(&self.directory.stat(&self.name)?))
    }
}

fn name_of(file: &OsStr) -> OsString {
    let mut name = file.to_owned();
    name.push(SUFFIX);
    name
}

/// The file whose copy has this name, if it is that of one.
pub(crate) fn file_of(copy: &Path) -> Option<PathBuf> {
    let name = copy.file_name()?.as_bytes().strip_suffix(SUFFIX.as_bytes())?;
    (!name.is_empty()).then(|| copy.with_file_name(OsStr::from_bytes(name)))
}

/// Both headers, of the file that they are beside.
pub(super) struct Saved {
    old: Header,
}

impl Saved {
    /// What is beside `file`, which is called `place`; an error if that is no copy.
    pub(super) fn beside(place: &Place, file: &File) -> Result<Option<Self>> {
        let backup = place.backup_shown();
        let unread = |error| Failure::io("read", &place.shown, &error);
        let owner = file.metadata().map_err(unread)?.uid();
        let Some(mut saved) = open(place, &backup, owner)? else { return Ok(None) };
        let old = Header::read(&mut saved).map_err(|error| Failure::from(error).about(&backup))?;
        let mut new = vec![0; old.as_bytes().len()];
        saved.read_exact(&mut new).map_err(|error| Failure::io("read", &backup, &error))?;
        let mut there = vec![0; new.len()];
        let whole = match file.read_exact_at(&mut there, 0) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                return Err(unread(error));
            }
            read => read.is_ok(),
        };
        let mut both = there.iter().zip(old.as_bytes().iter().zip(&new));
        let of_both = whole && both.all(|(byte, (old, new))| byte == old || byte == new);
        // All but the number of stanzas is the same before and after.
        let same = |range: std::ops::Range<usize>| there[range.clone()] == old.as_bytes()[range];
        if of_both && same(0..10) && same(12..160) {
            return Ok(Some(Self { old }));
        }
        let message = format!(
            "{} has neither of the headers in {}, nor parts of both: it may be another file, or \
             have been rekeyed under another name",
            place.shown.display(),
            backup.display()
        );
        Err(Failure::usage(message)
            .hint("if it opens, remove the copy; if it is damaged, keep both"))
    }
}

/// Opens the copy, unless it is something that others have put in its place.
fn open(place: &Place, backup: &Path, owner: u32) -> Result<Option<File>> {
    let failure = |error| Failure::io("read", backup, &error);
    // Not a link; and a FIFO without a writer is not waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match openat(&place.directory, place.backup(), flags, Mode::empty()) {
        Ok(file) => Some(File::from(file)),
        Err(Errno::NOENT) => return Ok(None),
        // A link; a socket.
        Err(Errno::LOOP | Errno::MLINK | Errno::NXIO) => None,
        Err(error) => return Err(failure(error.into())),
    };
    if let Some(file) = file {
        let metadata = file.metadata().map_err(failure)?;
        let owners = [owner, geteuid().as_raw()];
        if metadata.is_file() && owners.contains(&metadata.uid()) {
            return Ok(Some(file));
        }
    }
    let message = format!("{} is not a regular file of yours or of its owner", backup.display());
    Err(Failure::usage(message).hint("rekey has not made it: see who has, then remove it"))
}

/// The same of a path, which may lead to nothing.
pub(super) fn expect_none(path: &Path) -> Result {
    let Ok(place) = Place::of(path) else { return Ok(()) };
    let Ok(file) = place.file() else { return Ok(()) };
    expect_none_beside(&place, &file)
}

/// Refuses a file that an interrupted rewrite has left: to replace it would make the copy one of a
/// header that is no longer the last. Refuses it, too, if something else has the copy's name.
pub(super) fn expect_none_beside(place: &Place, file: &File) -> Result {
    let backup = place.backup_shown();
    match Saved::beside(place, file) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(interrupted(&backup)),
        Err(failure) => Err(in_the_way(&backup, failure.message())),
    }
}

/// Whether an interrupted rewrite has left its copy beside `path`.
pub(crate) fn was_interrupted(path: &Path) -> bool {
    let Ok(place) = Place::of(path) else { return false };
    place.file().is_ok_and(|file| matches!(Saved::beside(&place, &file), Ok(Some(_))))
}

pub(super) fn interrupted(backup: &Path) -> Failure {
    Failure::usage(format!("{} is there: a rekey was interrupted", backup.display()))
        .hint("put it back first: polyseal rekey --restore FILE")
}

fn in_the_way(backup: &Path, why: &str) -> Failure {
    let message =
        format!("{} stands in the way, and is no copy of the header: {why}", backup.display());
    Failure::usage(message).hint(
        "rekey --in-place keeps a copy under that name; see what this is and who has put it there, \
         then move it away",
    )
}

/// A file whose saved header is to be put back. It is locked until that is done.
pub(super) struct Restoring {
    pub(super) place: Place,
    file: File,
    old: Header,
}

impl Restoring {
    /// What an interrupted rewrite has left beside the file, if it has; with `identities`, only
    /// what is authentic.
    pub(super) fn of(place: &Place, identities: Option<&Identities<'_>>) -> Result<Option<Self>> {
        let failure = |error| Failure::io("write", &place.shown, &error);
        let file = place.directory.file_to_change(Path::new(&place.name)).map_err(failure)?;
        if Saved::beside(place, &file)?.is_none() {
            return Ok(None);
        }
        lock(&place.shown, &file)?;
        let locked = FileId::of(&file.metadata().map_err(failure)?);
        if locked != place.id().map_err(failure)? {
            return Err(changed(&place.shown));
        }
        // Before it was locked, another may have put it back.
        let Some(Saved { old }) = Saved::beside(place, &file)? else { return Ok(None) };
        if let Some(identities) = identities {
            old.authenticate(identities)?;
        }
        Ok(Some(Self { place: place.clone(), file, old }))
    }

    pub(super) fn put(&mut self) -> Result {
        let written = self.file.write_all_at(self.old.as_bytes(), 0);
        written.map_err(|error| Failure::io("write", &self.place.shown, &error))
    }

    pub(super) fn sync(&mut self) -> Result {
        let synced = self.file.sync_all();
        synced.map_err(|error| Failure::io("write", &self.place.shown, &error))
    }

    pub(super) fn remove_copy(&mut self) -> Result {
        self.place.remove_backup()
    }
}

/// Of one of many files, what an earlier run has left: the same, but of what is there and is no
/// copy, that it stands in the way.
pub(super) fn left(place: &Place, identities: &Identities<'_>) -> Result<Option<Restoring>> {
    let file = place.file().map_err(|error| Failure::io("read", &place.shown, &error))?;
    match Saved::beside(place, &file) {
        Ok(None) => Ok(None),
        Ok(Some(_)) => Restoring::of(place, Some(identities)).map_err(|failure| {
            failure.also("an earlier rekey of it was interrupted, and its copy was not put back")
        }),
        Err(failure) => Err(in_the_way(&place.backup_shown(), failure.message())),
    }
}
