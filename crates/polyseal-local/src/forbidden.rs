//! Files that no output may be: the input, and the files of keys.

use std::path::Path;

use crate::error::{Error, Problem, Result};
use crate::platform::FileId;

/// Files that an output must not replace, and the name of each in messages.
#[derive(Clone, Debug, Default)]
pub struct Forbidden(Vec<(FileId, &'static str)>);

impl Forbidden {
    /// None.
    pub const NOTHING: Self = Self(Vec::new());

    /// With this file, too, of which is said "the output, …, is `what`".
    pub fn add(&mut self, file: FileId, what: &'static str) {
        self.0.push((file, what));
    }

    /// Without this file.
    pub fn remove(&mut self, file: FileId) {
        self.0.retain(|(other, _)| *other != file);
    }

    /// Refuses `output`, which is called `path`, if it is one of them.
    ///
    /// # Errors
    /// [`Problem::Forbidden`].
    pub fn expect_other(&self, output: FileId, path: &Path) -> Result {
        match self.0.iter().find(|(other, _)| *other == output) {
            None => Ok(()),
            Some((_, what)) => Err(Error::new(path, Problem::Forbidden(what))),
        }
    }
}
