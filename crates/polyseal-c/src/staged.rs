//! An output file that appears when it is whole, or not at all.
//!
//! It is a temporary file in the output's directory, with mode 0600, and gets its name when its
//! contents are on disk; then the directory is written, too. On any error it is removed; a process
//! that is killed may leave it. A file that it replaces gives it its mode and group, as far as
//! [`replaced`](crate::replaced) lets it; links are followed.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Code, Failure, Outcome};
use crate::replaced::carry_over;

pub(crate) struct Staged {
    file: NamedTempFile,
    directory: PathBuf,
    target: PathBuf,
    overwrite: bool,
    /// The file that was seen under that name.
    replaced: Option<Metadata>,
}

pub(crate) fn cannot(error: impl Into<io::Error>) -> Failure {
    Failure::new(Code::Io, format!("cannot write the output: {}", error.into()))
}

fn exists() -> Failure {
    Failure::of(Code::Exists)
}

impl Staged {
    pub(crate) fn create(path: &Path, overwrite: bool) -> Outcome<Self> {
        let there = fs::symlink_metadata(path).is_ok();
        if there && !overwrite {
            return Err(exists());
        }
        let target = if there { fs::canonicalize(path).map_err(cannot)? } else { path.into() };
        let replaced = there.then(|| fs::symlink_metadata(&target)).transpose().map_err(cannot)?;
        if replaced.as_ref().is_some_and(|replaced| !replaced.is_file()) {
            return Err(cannot(io::Error::other("it is not a regular file")));
        }
        let directory = match target.parent() {
            Some(directory) if directory != Path::new("") => directory.to_owned(),
            _ => PathBuf::from("."),
        };
        let file = NamedTempFile::new_in(&directory).map_err(cannot)?;
        Ok(Self { file, directory, target, overwrite, replaced })
    }

    pub(crate) fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Lets it appear.
    pub(crate) fn commit(self) -> Outcome {
        let Self { file, directory, target, overwrite, replaced } = self;
        if let Some(seen) = replaced {
            carry_over(&seen, &directory, &target, file.as_file()).map_err(cannot)?;
        }
        file.as_file().sync_all().map_err(cannot)?;
        let done = if overwrite { file.persist(target) } else { file.persist_noclobber(target) };
        done.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => exists(),
            _ => cannot(error.error),
        })?;
        // The name, too, should survive a power failure; not every file system can say so.
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
        Ok(())
    }
}
