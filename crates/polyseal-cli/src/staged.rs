//! An output file that appears complete or not at all.
//!
//! It is written without a name (`O_TMPFILE`) in the directory where it shall be, and linked there
//! at the end: whatever ends the process before, SIGKILL included, leaves nothing. Where the file
//! system has no unnamed files it is a temporary file with mode 0600, removed on failure and on
//! signals. An existing file is replaced by a rename after the new contents are on disk; between
//! link and rename the complete new file has a temporary name for an instant.
//!
//! A new file has mode 0600. One that replaces another has the mode and the group of that, see
//! [`Replaced`]; its owner, attributes, access control lists and other hard links are not carried
//! over. Anyone who can write to the directory can interfere, but not make the new file readable by
//! more people.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;

use tempfile::TempPath;

use crate::replaced::Replaced;
use crate::signals::{self, RemovedOnSignal};

pub(crate) struct Staged {
    file: File,
    place: Place,
    directory: PathBuf,
    target: PathBuf,
    /// The regular file that was seen at `target`.
    replaced: Option<Replaced>,
    /// Whether it has been asked for that file and name survive a power failure.
    synced: bool,
}

enum Place {
    #[cfg(target_os = "linux")]
    Unnamed,
    Named {
        path: TempPath,
        _guard: RemovedOnSignal,
    },
}

impl Staged {
    /// Begins the file `target`, whose directory must exist; `replaced` is what stands there.
    pub(crate) fn create(target: PathBuf, replaced: Option<Replaced>) -> io::Result<Self> {
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        signals::file_size_limit_is_an_error();
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed::create(&directory)? {
            let place = Place::Unnamed;
            return Ok(Self { file, place, directory, target, replaced, synced: false });
        }
        let made = temporary().make_in(&directory, |path| {
            let mut options = OpenOptions::new();
            let options = options.read(true).write(true).create_new(true).mode(0o600);
            RemovedOnSignal::new(path, |path| options.open(path))
        })?;
        let ((guard, file), path) = made.into_parts();
        let place = Place::Named { path, _guard: guard };
        Ok(Self { file, place, directory, target, replaced, synced: false })
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Waits until the file is on disk; its name will be, too.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.synced = true;
        self.file.sync_all()
    }

    /// Gives the file its name. With `replace`, what has that name is replaced; otherwise it is an
    /// error of kind `AlreadyExists`.
    pub(crate) fn commit(self, replace: bool) -> io::Result<()> {
        let Self { file, place, directory, target, replaced, synced } = self;
        if let (true, Ok(old)) = (replace, fs::symlink_metadata(&target)) {
            if let Some(replaced) = replaced {
                replaced.carry_over(&target, &old, &file)?;
            }
            // Only a file that is certainly on disk may take another's place.
            file.sync_all()?;
        }
        match place {
            #[cfg(target_os = "linux")]
            Place::Unnamed => match unnamed::link(&file, &target) {
                Err(e) if replace && e.kind() == io::ErrorKind::AlreadyExists => {
                    replace_by(&file, &directory, &target)?;
                }
                linked => linked?,
            },
            Place::Named { path, _guard } if replace => path.persist(&target)?,
            Place::Named { path, _guard } => path.persist_noclobber(&target)?,
        }
        if replace || synced {
            // The name, too, should survive a power failure; not every file system can say so.
            let _ = File::open(directory).and_then(|directory| directory.sync_all());
        }
        Ok(())
    }
}

fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".polyseal-").suffix(".tmp").rand_bytes(12);
    builder
}

/// Links `file` to a temporary name, and renames that over `target`.
#[cfg(target_os = "linux")]
fn replace_by(file: &File, directory: &Path, target: &Path) -> io::Result<()> {
    let linked = temporary()
        .make_in(directory, |path| RemovedOnSignal::new(path, |path| unnamed::link(file, path)))?;
    let (_guard, path) = linked.into_parts();
    Ok(path.persist(target)?)
}

#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;
    use std::os::fd::AsRawFd;

    /// An unnamed file in `directory`, or `None` where there are none.
    pub(super) fn create(directory: &Path) -> io::Result<Option<File>> {
        // Tests force the other way; a release build cannot be made to.
        if cfg!(debug_assertions) && std::env::var_os("POLYSEAL_TEST_NAMED_OUTPUT").is_some() {
            return Ok(None);
        }
        // Without /proc it could never be given a name.
        if !Path::new("/proc/self/fd").exists() {
            return Ok(None);
        }
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match open(directory, flags, Mode::RUSR | Mode::WUSR) {
            Ok(fd) => Ok(Some(fd.into())),
            // The file system's or an old kernel's way of not knowing the flag.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn link(file: &File, path: &Path) -> io::Result<()> {
        let fd = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(linkat(CWD, fd, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }
}
