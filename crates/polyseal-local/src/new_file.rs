//! An output file that appears complete or not at all.
//!
//! It is written without a name in the directory where it shall be, and gets its name at the end:
//! whatever ends the process before, SIGKILL included, leaves nothing. Where the file system has no
//! unnamed files it is a temporary file with mode 0600, removed on failure and, if somebody answers
//! them, on signals ([`leftovers`](crate::leftovers)). An existing file is replaced by a rename
//! after the new contents are on disk; between link and rename the complete new file has a
//! temporary name for an instant. The directory is one by its handle ([`Directory`]): whatever its
//! path comes to mean meanwhile, the file appears there.
//!
//! A new file has mode 0600. One that replaces another has the mode and the group of that, as far
//! as that is safe (`platform::Access`); its owner, attributes, access control lists and other hard
//! links are not carried over. Anyone who can write to the directory can interfere, but not make
//! the new file readable by more people.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use polyseal_file::manifest::Timestamp;

use crate::error::{Error, ErrorContext, Problem, Result};
use crate::forbidden::Forbidden;
use crate::leftovers::Temporary;
use crate::place::{Place, ends_in_separator};
use crate::platform::{Access, Directory, EntryKind, allowed_mode, contents, way_is_ours};
use crate::written::{RunOutput, Written, exists};

/// The permissions of the owner, and of everybody.
const OWNER: u16 = 0o700;
const ALL: u16 = 0o777;

/// An output file that has not appeared yet. If it is dropped, it never does.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    name: Name,
    place: Place,
    overwrite: bool,
    /// The access rights of the file that was seen under that name. If none was seen, the new file
    /// is for its owner alone.
    replaced: Option<Access>,
    /// Whether it has been asked for that file and name survive a power failure.
    synced: bool,
    /// The run that it is of, if that has other outputs.
    of_run: Option<OfRun>,
}

/// An output of a run.
#[derive(Debug)]
enum OfRun {
    Overwriting(RunOutput),
    New(Arc<Written>),
}

/// How the file to be replaced is identified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChosenBy {
    /// Its path.
    Path,
    /// By the contents that were read, from which the new file is made.
    Contents,
}

#[derive(Debug)]
enum Name {
    None,
    Temporary(Temporary),
}

impl Name {
    /// Gives `file` the name of `place` instead of this one.
    fn give(self, file: &File, place: &Place, overwrite: bool) -> io::Result<()> {
        let Place { directory, name, .. } = place;
        match self {
            Self::None => match directory.name_unnamed(file, name) {
                Err(e) if overwrite && e.kind() == io::ErrorKind::AlreadyExists => {
                    let link = |name: &OsStr| directory.name_unnamed(file, name);
                    let (temporary, ()) = Temporary::new(directory, link)?;
                    directory.rename_file(file, temporary.name(), name)
                }
                linked => linked,
            },
            Self::Temporary(temporary) if overwrite => {
                directory.rename_file(file, temporary.name(), name)
            }
            Self::Temporary(temporary) => directory.rename_to_new(file, temporary.name(), name),
        }
    }
}

impl NewFile {
    /// Begins the file at `path`. Links are followed: the file that they name is made or replaced.
    ///
    /// # Errors
    /// Without `overwrite`, [`Problem::Exists`] if something is there; otherwise if that is no
    /// regular file; [`Problem::DanglingLink`], [`Problem::NoSuchDirectory`],
    /// [`Problem::Forbidden`], or an I/O error.
    pub fn create_at(path: &Path, overwrite: bool, forbidden: &Forbidden) -> Result<Self> {
        if ends_in_separator(path) && !path.is_dir() {
            return Err(Error::new(path, Problem::NoSuchDirectory));
        }
        let (folder, name) = Directory::parent_and_name(path).cannot("write", path)?;
        let place = match folder.stat(&name) {
            Ok(seen) if seen.kind() == EntryKind::Link => {
                if fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
                    return Err(Error::new(path, Problem::DanglingLink));
                }
                Place::from_path(path)?
            }
            _ => Place::new(folder, name, path.to_owned()),
        };
        Self::in_place(place, path, overwrite, forbidden, ChosenBy::Path)
    }

    /// The same at a place, where no link is followed.
    ///
    /// # Errors
    /// As [`create_at`](Self::create_at).
    pub fn create_in(place: Place, overwrite: bool, forbidden: &Forbidden) -> Result<Self> {
        let shown = place.shown.clone();
        Self::in_place(place, &shown, overwrite, forbidden, ChosenBy::Path)
    }

    /// The same for other recipients of the very file that is there. Another user who can rename
    /// something on the way to it can choose the file, but not who may read its contents.
    pub(crate) fn create_from_read(place: Place, forbidden: &Forbidden) -> Result<Self> {
        let shown = place.shown.clone();
        Self::in_place(place, &shown, true, forbidden, ChosenBy::Contents)
    }

    /// A new file at a place whose name is [set](Self::set_name) before it appears.
    pub(crate) fn create_unnamed_in(place: Place) -> Result<Self> {
        let shown = place.shown.clone();
        Self::create(place, false, None).cannot("write", &shown)
    }

    /// Lets it appear by this name, in the directory in which it was begun.
    pub(crate) fn set_name(&mut self, name: OsString) {
        self.place.name = name;
    }

    fn in_place(
        place: Place,
        path: &Path,
        overwrite: bool,
        forbidden: &Forbidden,
        by: ChosenBy,
    ) -> Result<Self> {
        let replaced = match place.status() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io("write", path, error)),
            Ok(seen) => {
                if seen.kind() != EntryKind::File {
                    return Err(Error::new(path, Problem::NotAFile));
                }
                forbidden.expect_other(seen.id(), path)?;
                if !overwrite {
                    return Err(exists(&place.with_shown(path)));
                }
                let mut access = Access::from_status(&place.directory, &seen);
                place.link_folder().into_iter().for_each(|folder| access.add_link_folder(folder));
                if by == ChosenBy::Path && !way_is_ours(path, &place.directory, &seen) {
                    access.distrust_name();
                }
                Some(access)
            }
        };
        let place = place.with_shown(path);
        Self::create(place, overwrite, replaced).cannot("write", path)
    }

    fn create(place: Place, overwrite: bool, replaced: Option<Access>) -> io::Result<Self> {
        let directory = &place.directory;
        let (file, name) = match directory.create_unnamed()? {
            Some(file) => (file, Name::None),
            None => {
                let (temporary, file) = Temporary::new(directory, |name| directory.create(name))?;
                (file, Name::Temporary(temporary))
            }
        };
        Ok(Self { file, name, place, overwrite, replaced, synced: false, of_run: None })
    }

    /// The same as one of many outputs, of which none replaces another.
    ///
    /// # Errors
    /// [`Problem::OneFile`] if `run` has written the file of that name.
    pub fn in_run(mut self, run: &Arc<Written>) -> Result<Self> {
        if self.overwrite {
            let output = run.begin(&self.place.shown);
            output.expect_unwritten(&self.place)?;
            self.of_run = Some(OfRun::Overwriting(output));
        } else {
            self.of_run = Some(OfRun::New(Arc::clone(run)));
        }
        Ok(self)
    }

    /// The file, to be written to.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The path that messages show.
    #[must_use]
    pub fn shown(&self) -> &Path {
        &self.place.shown
    }

    /// Gives the file this time, and the bits of this mode that a file which it replaces has, too,
    /// or that a new one [may have](allowed_mode) here. Nothing else is then taken over from a
    /// replaced file.
    pub(crate) fn set(&mut self, mode: u16, modified: Timestamp) -> Result {
        let replaced = self.replaced.take();
        self.set_over(replaced, mode, modified).cannot("write", &self.place.shown)
    }

    fn set_over(&self, replaced: Option<Access>, mode: u16, modified: Timestamp) -> io::Result<()> {
        let Place { directory, name, .. } = &self.place;
        match replaced {
            None => contents::set(&self.file, allowed_mode(directory, &self.file, mode)?, modified),
            Some(replaced) => {
                contents::set(&self.file, mode & OWNER, modified)?;
                replaced.carry_over(directory, name, &self.file, mode)
            }
        }
    }

    /// Waits until the file is on disk; its name will be, too.
    ///
    /// # Errors
    /// An I/O error.
    pub fn sync(&mut self) -> Result {
        self.synced = true;
        self.file.sync_all().cannot("write", &self.place.shown)
    }

    /// Makes all but the name ready: a file that replaces another has its mode, and is on disk.
    pub(crate) fn ready(&mut self) -> Result {
        self.make_ready().cannot("write", &self.place.shown)
    }

    fn make_ready(&mut self) -> io::Result<()> {
        if self.overwrite && self.place.status().is_ok() {
            if let Some(replaced) = self.replaced.take() {
                let Place { directory, name, .. } = &self.place;
                replaced.carry_over(directory, name, &self.file, ALL)?;
            }
            // Only a file that is certainly on disk may take another's place.
            self.file.sync_all()?;
        }
        Ok(())
    }

    /// Gives the file, which is [`ready`](Self::ready), its name; the directory that has it now,
    /// whose names are not on disk yet.
    pub(crate) fn appear(mut self) -> Result<Directory> {
        let of_run = self.of_run.take();
        let place = self.place.clone();
        match of_run {
            None => self.take_name(),
            Some(OfRun::Overwriting(output)) => output.appear(&place, || self.take_name()),
            Some(OfRun::New(run)) => self.take_name().map_err(|error| match error.problem() {
                Problem::Exists => run.exists(&place),
                _ => error,
            }),
        }
    }

    fn take_name(self) -> Result<Directory> {
        let Self { file, name, place, overwrite, .. } = self;
        match name.give(&file, &place, overwrite) {
            Ok(()) => Ok(place.directory),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists(&place)),
            Err(error) => Err(Error::io("write", &place.shown, error)),
        }
    }

    /// Lets the file appear. The file that it replaces stays until then.
    ///
    /// # Errors
    /// [`Problem::Exists`] if something has got the name meanwhile and is not to be replaced, or an
    /// I/O error. Then nothing has appeared.
    pub fn commit(mut self) -> Result {
        let lasting = self.overwrite || self.synced;
        self.ready()?;
        let directory = self.appear()?;
        if lasting {
            // The name, too, should survive a power failure; not every file system can say so.
            let _ = directory.sync();
        }
        Ok(())
    }
}
