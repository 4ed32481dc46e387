//! An output file that appears complete or not at all.
//!
//! It is written without a name (`O_TMPFILE`) in the directory where it shall be, and linked there
//! at the end: whatever ends the process before, SIGKILL included, leaves nothing. Where the file
//! system has no unnamed files it is a temporary file with mode 0600, removed on failure and on
//! signals. An existing file is replaced by a rename after the new contents are on disk; between
//! link and rename the complete new file has a temporary name for an instant. The directory is one
//! by its handle ([`Directory`]): whatever its path comes to mean meanwhile, the file appears
//! there.
//!
//! A new file has mode 0600. One that replaces another has the mode and the group of that, see
//! [`Replaced`]; its owner, attributes, access control lists and other hard links are not carried
//! over. Anyone who can write to the directory can interfere, but not make the new file readable by
//! more people.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;

use rustix::fs::{Mode, OFlags, Timestamps, fchmod, futimens, openat, renameat};

use crate::directory::Directory;
use crate::replaced::Replaced;
use crate::signals::{self, Temporary};

pub(crate) struct Staged {
    file: File,
    place: Place,
    directory: Directory,
    name: OsString,
    /// The regular file that was seen under that name.
    replaced: Option<Replaced>,
    /// Whether it has been asked for that file and name survive a power failure.
    synced: bool,
}

enum Place {
    #[cfg(target_os = "linux")]
    Unnamed,
    Named(Temporary),
}

impl Staged {
    /// Begins the file `name` in `directory`; `replaced` is what stands there.
    pub(crate) fn create(
        directory: Directory,
        name: OsString,
        replaced: Option<Replaced>,
    ) -> io::Result<Self> {
        signals::file_size_limit_is_an_error();
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed::create(&directory)? {
            let place = Place::Unnamed;
            return Ok(Self { file, place, directory, name, replaced, synced: false });
        }
        let (temporary, file) = Temporary::new(&directory, |name| {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            Ok(File::from(openat(&directory, name, flags, Mode::RUSR | Mode::WUSR)?))
        })?;
        let place = Place::Named(temporary);
        Ok(Self { file, place, directory, name, replaced, synced: false })
    }

    /// Whoever can write to this folder, too, could choose the file that is replaced.
    pub(crate) fn named_in(&mut self, folder: &Directory) {
        self.replaced.iter_mut().for_each(|replaced| replaced.named_in(folder));
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file this mode and these times, and not the mode of what it replaces.
    pub(crate) fn set(&mut self, mode: Mode, times: Timestamps) -> io::Result<()> {
        self.replaced = None;
        futimens(&self.file, &times)?;
        Ok(fchmod(&self.file, mode)?)
    }

    /// Waits until the file is on disk; its name will be, too.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.synced = true;
        self.file.sync_all()
    }

    /// Makes all but the name ready: what will replace a file has its mode, and is on disk.
    pub(crate) fn ready(&mut self, replace: bool) -> io::Result<()> {
        if let (true, Ok(old)) = (replace, self.directory.stat(&self.name)) {
            if let Some(replaced) = self.replaced.take() {
                replaced.carry_over(&self.directory, &self.name, &old, &self.file)?;
            }
            // Only a file that is certainly on disk may take another's place.
            self.file.sync_all()?;
        }
        Ok(())
    }

    /// Gives the file, which is [`ready`](Self::ready), its name; the directory that has it now.
    /// With `replace`, what has that name is replaced; otherwise it is an error of kind
    /// `AlreadyExists`.
    pub(crate) fn appear(self, replace: bool) -> io::Result<Directory> {
        let Self { file, place, directory, name, .. } = self;
        match place {
            #[cfg(target_os = "linux")]
            Place::Unnamed => match unnamed::link(&file, &directory, &name) {
                Err(e) if replace && e.kind() == io::ErrorKind::AlreadyExists => {
                    let link = |name: &OsStr| unnamed::link(&file, &directory, name);
                    let (temporary, ()) = Temporary::new(&directory, link)?;
                    renameat(&directory, temporary.name(), &directory, &name)?;
                }
                linked => linked?,
            },
            Place::Named(temporary) if replace => {
                renameat(&directory, temporary.name(), &directory, &name)?;
            }
            Place::Named(temporary) => rename_to_new(&directory, temporary.name(), &name)?,
        }
        Ok(directory)
    }

    /// Makes the file ready, and gives it its name.
    pub(crate) fn commit(mut self, replace: bool) -> io::Result<()> {
        let lasting = replace || self.synced;
        self.ready(replace)?;
        let directory = self.appear(replace)?;
        if lasting {
            // The name, too, should survive a power failure; not every file system can say so.
            let _ = directory.sync();
        }
        Ok(())
    }
}

/// Gives `from` the name `to`, which nothing has.
fn rename_to_new(directory: &Directory, from: &OsStr, to: &OsStr) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;

        match renameat_with(directory, from, directory, to, RenameFlags::NOREPLACE) {
            // The file system's or an old kernel's way of not knowing the flag.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            renamed => return Ok(renamed?),
        }
    }
    // The old name is removed by whoever has given it.
    Ok(rustix::fs::linkat(directory, from, directory, to, rustix::fs::AtFlags::empty())?)
}

#[cfg(target_os = "linux")]
mod unnamed {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;
    use std::sync::OnceLock;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};
    use rustix::io::Errno;

    use crate::directory::Directory;

    /// An unnamed file in `directory`, or `None` where there are none.
    pub(super) fn create(directory: &Directory) -> io::Result<Option<File>> {
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
        match openat(directory, ".", flags, Mode::RUSR | Mode::WUSR) {
            Ok(fd) => Ok(Some(fd.into())),
            // The file system's or an old kernel's way of not knowing the flag.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn link(file: &File, directory: &Directory, name: &OsStr) -> io::Result<()> {
        let fd = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(linkat(CWD, fd, directory, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}
