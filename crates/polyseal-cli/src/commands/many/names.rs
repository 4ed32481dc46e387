//! The names of a list, one on a line or ended by NUL, as they come.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::error::{Failure, Result};
use crate::file_io::InputFile;

/// More than any system takes for a name.
const MOST: u64 = 65_536;

/// The names in a file, or in standard input.
pub(crate) struct Names {
    input: BufReader<InputFile>,
    end: u8,
    list: PathBuf,
    over: bool,
}

impl Names {
    pub(crate) fn open(list: &Path, null: bool) -> Result<Self> {
        let input = BufReader::new(InputFile::open(Some(list))?);
        Ok(Self { input, end: if null { 0 } else { b'\n' }, list: list.to_owned(), over: false })
    }

    /// All of them once more, if the list is a file.
    pub(crate) fn again(&self) -> Option<Self> {
        self.input.get_ref().length?;
        Self::open(&self.list, self.end == 0).ok()
    }

    fn name(&mut self) -> Result<Option<PathBuf>> {
        loop {
            let mut name = Vec::new();
            let read = (&mut self.input).take(MOST).read_until(self.end, &mut name);
            read.map_err(|error| Failure::io("read", &self.list, &error))?;
            if name.is_empty() {
                return Ok(None);
            }
            if name.last() == Some(&self.end) {
                name.pop();
            } else if name.len() as u64 == MOST {
                let message = format!("{} has a name that is too long", self.list.display());
                return Err(Failure::usage(message).hint("end each name by a line feed, or use -0"));
            }
            if !name.is_empty() {
                return Ok(Some(OsString::from_vec(name).into()));
            }
        }
    }
}

impl Iterator for Names {
    type Item = Result<PathBuf>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let name = self.name();
        self.over = !matches!(name, Ok(Some(_)));
        name.transpose()
    }
}
