//! The names of a list, from a file or standard input.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use polyseal_local::NameList;

use crate::error::{Failure, Result};
use crate::file_io::InputFile;

pub(crate) struct Names {
    names: NameList<BufReader<InputFile>>,
    null: bool,
    list: PathBuf,
}

impl Names {
    pub(crate) fn open(list: &Path, null: bool) -> Result<Self> {
        let input = BufReader::new(InputFile::open(Some(list))?);
        let names = NameList::new(input, if null { 0 } else { b'\n' });
        Ok(Self { names, null, list: list.to_owned() })
    }

    /// All of them once more, if the list is a file.
    pub(crate) fn reopen(&self) -> Option<Self> {
        self.names.get_ref().get_ref().file_length()?;
        Self::open(&self.list, self.null).ok()
    }

    fn failure(&self, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::InvalidFilename => {
                let message = format!("{} has a name that is too long", self.list.display());
                Failure::usage(message).hint("end each name by a line feed, or use -0")
            }
            _ => Failure::io("read", &self.list, error),
        }
    }
}

impl Iterator for Names {
    type Item = Result<PathBuf>;

    fn next(&mut self) -> Option<Self::Item> {
        let name = self.names.next()?;
        Some(name.map_err(|error| self.failure(&error)))
    }
}
