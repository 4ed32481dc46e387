//! Rewriting a header in the file itself.
//!
//! Before the first byte of it is written, a copy of the old header is on disk, in a file beside,
//! and of the new one after it; after the new one is on disk, the copy goes. What is interrupted in
//! between is put back by `--restore`, and nothing else is done to such a file by `rekey`.
//!
//! What was interrupted has bytes of the old header and of the new one. Another rekey, which did
//! not see the copy because the file has another name, leaves other bytes: that is not undone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use polyseal_file::{Header, Identities};
use rustix::fs::{Gid, Mode, OFlags, Uid, fchown};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::lock::{changed, lock};
use crate::directory::Directory;
use crate::error::{Failure, Result};
use crate::file_io::FileId;
use crate::staged::Staged;

const SUFFIX: &str = ".header-backup";

/// Refuses a file that an interrupted [`rewrite`] has left: to replace it would make the copy one
/// of a header that is no longer the last.
pub(super) fn expect_not_interrupted(path: &Path) -> Result {
    // A path that leads nowhere is refused when it is opened.
    let backup = fs::canonicalize(path).map(|path| backup_of(&path));
    match backup {
        Ok(backup) if backup.exists() => Err(interrupted(&backup)),
        _ => Ok(()),
    }
}

/// Whether an interrupted [`rewrite`] has left its copy beside `path`.
pub(crate) fn was_interrupted(path: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| backup_of(&path).exists())
}

fn interrupted(backup: &Path) -> Failure {
    Failure::usage(format!("{} is there: a rekey was interrupted", backup.display()))
        .hint("put it back first: polyseal rekey --restore FILE")
}

/// Gives `path`, which has the header `old`, the header `new`.
pub(super) fn rewrite(path: &Path, old: &Header, new: &Header) -> Result {
    let path = fs::canonicalize(path).map_err(|e| Failure::io("write", path, &e))?;
    let failure = |error| Failure::io("write", &path, &error);
    let file = OpenOptions::new().write(true).read(true).open(&path).map_err(failure)?;
    let backup = backup_of(&path);
    save(&backup, &file, [old, new]).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return interrupted(&backup);
        }
        Failure::io("write", &backup, &error)
    })?;
    // What the copy is of must still be there, now that others see the copy.
    let mut bytes = vec![0; old.as_bytes().len()];
    let unchanged = file.read_exact_at(&mut bytes, 0).map(|()| bytes == old.as_bytes());
    if !unchanged.map_err(failure)? {
        remove(&backup).map_err(failure)?;
        return Err(polyseal_file::Error::InputChanged.into());
    }
    put(&file, new)
        .map_err(|error| failure(error).hint("put it back: polyseal rekey --restore FILE"))?;
    remove(&backup).map_err(|error| Failure::io("remove", &backup, &error))
}

/// Puts back the header that an interrupted [`rewrite`] has saved; with `identities`, only one that
/// is authentic.
pub(super) fn restore(path: &Path, identities: Option<&Identities<'_>>) -> Result {
    let path = fs::canonicalize(path).map_err(|e| Failure::io("write", path, &e))?;
    let backup = backup_of(&path);
    let failure = |error| Failure::io("write", &path, &error);
    let file = OpenOptions::new().write(true).read(true).open(&path).map_err(failure)?;
    lock(&path, &file)?;
    let locked = file.metadata().map_err(failure)?;
    let named = fs::metadata(&path).map_err(failure)?;
    if FileId::of(&locked) != FileId::of(&named) {
        return Err(changed(&path));
    }
    let mut saved = open_saved(&backup, locked.uid())?;
    let header = Header::read(&mut saved)?;
    if let Some(identities) = identities {
        header.authenticate(identities)?;
    }
    let mut new = vec![0; header.as_bytes().len()];
    saved.read_exact(&mut new).map_err(|error| Failure::io("read", &backup, &error))?;
    let mut there = Vec::new();
    (&file).take(new.len() as u64).read_to_end(&mut there).map_err(failure)?;
    let old = header.as_bytes();
    let mut both = there.iter().zip(old.iter().zip(&new));
    let of_both =
        there.len() == new.len() && both.all(|(byte, (old, new))| byte == old || byte == new);
    // All but the number of stanzas is the same before and after.
    let same_file = || [0..10, 12..160].into_iter().all(|same| there[same.clone()] == old[same]);
    if !of_both || !same_file() {
        let message = format!(
            "{} has neither of the headers in {}, nor parts of both: it may be another file, or \
             have been rekeyed under another name",
            path.display(),
            backup.display()
        );
        return Err(Failure::usage(message)
            .hint("if it opens, remove the copy; if it is damaged, keep both"));
    }
    put(&file, &header).map_err(failure)?;
    remove(&backup).map_err(|error| Failure::io("remove", &backup, &error))
}

/// Opens the copy, unless it is something that others have put in its place.
fn open_saved(backup: &Path, owner: u32) -> Result<File> {
    let failure = |error| Failure::io("read", backup, &error);
    // Not a link; and a FIFO without a writer is not waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(backup, flags, Mode::empty()) {
        Ok(file) => Some(File::from(file)),
        Err(Errno::LOOP | Errno::MLINK) => None,
        Err(error) => return Err(failure(error.into())),
    };
    if let Some(file) = file {
        let metadata = file.metadata().map_err(failure)?;
        let owners = [owner, geteuid().as_raw()];
        if metadata.is_file() && owners.contains(&metadata.uid()) {
            return Ok(file);
        }
    }
    let message = format!("{} is not a regular file of yours or of its owner", backup.display());
    Err(Failure::usage(message).hint("rekey has not made it: see who has, then remove it"))
}

fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    name.into()
}

/// A new file with a copy of the headers of `file`, that a power failure does not undo. It appears
/// complete or not at all: half a copy must never be put back.
fn save(path: &Path, file: &File, headers: [&Header; 2]) -> io::Result<()> {
    let (directory, name) = Directory::of(path)?;
    let mut backup = Staged::create(directory, name, None)?;
    headers.iter().try_for_each(|header| backup.file().write_all(header.as_bytes()))?;
    // Whoever owns the file can put it back, even if root was interrupted. Only root can do that.
    let owner = file.metadata()?;
    if owner.uid() != geteuid().as_raw() {
        let (user, group) = (Uid::from_raw(owner.uid()), Gid::from_raw(owner.gid()));
        let _ = fchown(backup.file(), Some(user), Some(group));
    }
    backup.sync()?;
    backup.commit(false)?;
    sync_directory(path)
}

fn put(file: &File, header: &Header) -> io::Result<()> {
    file.write_all_at(header.as_bytes(), 0)?;
    file.sync_all()
}

fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)?;
    sync_directory(path)
}

fn sync_directory(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

#[cfg(test)]
mod tests {
    use polyseal_file::{Encryptor, Input, Key, Output, Recipients};

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

    /// Whoever owns the file can put it back, though root was interrupted.
    #[test]
    fn the_copy_belongs_to_the_owner_of_the_file() {
        const SOMEBODY: u32 = 54_321;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c");
        fs::write(&path, b"").unwrap();
        if let Err(error) = std::os::unix::fs::chown(&path, Some(SOMEBODY), Some(SOMEBODY)) {
            assert!(std::env::var_os("CI").is_none(), "giving a file away needs root: {error}");
            return;
        }
        let (header, _) = header();
        save(&backup_of(&path), &File::open(&path).unwrap(), [&header; 2]).unwrap();
        let copy = fs::metadata(backup_of(&path)).unwrap();
        assert_eq!((copy.uid(), copy.gid(), copy.mode() & 0o777), (SOMEBODY, SOMEBODY, 0o600));
    }

    /// The lock has looked at the header; whoever writes without one may have been in between.
    #[test]
    fn a_header_that_is_no_longer_there_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c");
        let ((seen, _), (new, _), (_, there)) = (header(), header(), header());
        fs::write(&path, &there).unwrap();
        let refused = rewrite(&path, &seen, &new).unwrap_err();
        assert!(refused.to_string().contains("changed"), "{refused}");
        assert!(fs::read(&path).unwrap() == there && !backup_of(&path).exists());
    }
}
