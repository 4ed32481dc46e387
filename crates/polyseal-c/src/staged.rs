//! An output file that appears when it is whole, or not at all.
//!
//! It is a temporary file in the output's directory, with mode 0600, and gets its name when its
//! contents are on disk. On any error it is removed; a process that is killed may leave it. A file
//! that it replaces gives it its permissions; links are followed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Code, Failure, Outcome};

pub(crate) struct Staged {
    file: NamedTempFile,
    target: PathBuf,
    overwrite: bool,
}

fn cannot(error: impl Into<io::Error>) -> Failure {
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
        if there && !fs::metadata(&target).map_err(cannot)?.is_file() {
            return Err(cannot(io::Error::other("it is not a regular file")));
        }
        let directory = match target.parent() {
            Some(directory) if directory != Path::new("") => directory,
            _ => Path::new("."),
        };
        let file = NamedTempFile::new_in(directory).map_err(cannot)?;
        Ok(Self { file, target, overwrite })
    }

    pub(crate) fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Lets it appear.
    pub(crate) fn commit(self) -> Outcome {
        let Self { file, target, overwrite } = self;
        if overwrite && let Ok(old) = fs::metadata(&target) {
            file.as_file().set_permissions(old.permissions()).map_err(cannot)?;
        }
        file.as_file().sync_all().map_err(cannot)?;
        let done = if overwrite { file.persist(target) } else { file.persist_noclobber(target) };
        done.map(|_| ()).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => exists(),
            _ => cannot(error.error),
        })
    }
}
