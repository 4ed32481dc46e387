//! The files that one run has written, so that it does not replace them.
//!
//! Two names of a tree, such as `Readme` and `README`, are one file where a file system does not
//! tell them apart: a drive that was made for another system, or a directory that folds names. The
//! second would replace the first, and nobody would hear of it. So a run remembers which files it
//! has written, and refuses a name that means one of them.
//!
//! A file is known by its number. There are file systems that give one file two numbers, by two
//! names: so of names that are alike, one that no listing has is taken for the other.
//!
//! Limits: some bytes are kept for each output that may replace something, and for each directory.
//! Where no output may, a name that is taken is refused anyway; files from before the run and those
//! of the run are told apart only if there were none ([`Written::where_nothing_is`]). Where a file
//! system both gives such numbers and folds names in a way that [`folded`] does not know, nothing
//! is noticed.

use std::collections::HashSet;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorContext, Problem, Result};
use crate::place::Place;
use crate::platform::{Directory, FileId, folded};

/// So many outputs can appear at the same time, if their names are not alike.
const TURNS: usize = 64;

/// The outputs of one run.
#[derive(Debug)]
pub struct Written {
    /// Whether nothing had the name of any output when the run began.
    fresh: bool,
    hasher: RandomState,
    known: Mutex<Known>,
    /// Names that are alike have one turn: each is looked at after the other has appeared.
    turns: [Mutex<()>; TURNS],
}

#[derive(Debug, Default)]
struct Known {
    files: HashSet<FileId>,
    /// The paths that have been begun, as they are [`folded`] and hashed; and those twice.
    begun: HashSet<u64>,
    alike: HashSet<u64>,
}

/// An output of a run.
#[derive(Debug)]
pub(crate) struct RunOutput {
    run: Arc<Written>,
    key: u64,
}

impl Written {
    /// Nothing yet. Where its outputs go, something may be.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Self::with_fresh(false)
    }

    /// Nothing yet, and nothing is where its outputs go: files that are there later are the run's.
    #[must_use]
    pub fn where_nothing_is() -> Arc<Self> {
        Self::with_fresh(true)
    }

    fn with_fresh(fresh: bool) -> Arc<Self> {
        let turns = std::array::from_fn(|_| Mutex::new(()));
        Arc::new(Self { fresh, hasher: RandomState::new(), known: Mutex::default(), turns })
    }

    /// Refuses an output where something is now, if nothing was when the run began.
    ///
    /// # Errors
    /// [`Problem::OneFile`], or an I/O error.
    pub fn expect_free(&self, path: &Path) -> Result {
        if !self.fresh || fs::symlink_metadata(path).is_err() {
            return Ok(());
        }
        let (directory, name) = Directory::parent_and_name(path).cannot("write", path)?;
        Err(self.exists(&Place::new(directory, name, path.to_owned())))
    }

    /// That something has the name of an output already.
    pub(crate) fn exists(&self, place: &Place) -> Error {
        match exists(place) {
            error if self.fresh && matches!(error.problem(), Problem::Exists) => {
                Error::new(&place.shown, another())
            }
            error => error,
        }
    }

    /// Begins an output that messages call `shown`.
    pub(crate) fn begin(self: &Arc<Self>, shown: &Path) -> RunOutput {
        let key = self.hasher.hash_one(folded(shown));
        let mut known = lock(&self.known);
        if !known.begun.insert(key) {
            known.alike.insert(key);
        }
        drop(known);
        RunOutput { run: Arc::clone(self), key }
    }
}

impl RunOutput {
    /// Refuses `place` if this run has written the file of that name.
    pub(crate) fn expect_unwritten(&self, place: &Place) -> Result {
        let Ok(seen) = place.status() else { return Ok(()) };
        let (is_written, is_alike) = {
            let known = lock(&self.run.known);
            (known.files.contains(&seen.id()), known.alike.contains(&self.key))
        };
        let other = if is_written || is_alike { twin(place) } else { None };
        match other.or_else(|| if is_alike { twin_above(&place.shown) } else { None }) {
            Some(other) => Err(Error::new(&place.shown, Problem::OneFile(other))),
            None if is_written => Err(Error::new(&place.shown, another())),
            None => Ok(()),
        }
    }

    /// Lets the output appear at `place` by `appear`, unless that would replace one of this run.
    pub(crate) fn appear<T>(&self, place: &Place, appear: impl FnOnce() -> Result<T>) -> Result<T> {
        let turn = usize::try_from(self.key % TURNS as u64).unwrap_or_default();
        let _turn = lock(&self.run.turns[turn]);
        self.expect_unwritten(place)?;
        let appeared = appear()?;
        if let Ok(seen) = place.status() {
            lock(&self.run.known).files.insert(seen.id());
        }
        Ok(appeared)
    }
}

/// That something has the name of an output already; perhaps by another name.
pub(crate) fn exists(place: &Place) -> Error {
    let problem = twin(place).map_or(Problem::Exists, Problem::OneFile);
    Error::new(&place.shown, problem)
}

/// Where it is not known which.
fn another() -> Problem {
    Problem::OneFile("another output of this run".into())
}

/// The file's name in its directory, if that differs from the one in `place`.
fn twin(place: &Place) -> Option<PathBuf> {
    let names = place.directory.names().ok()?;
    if names.iter().any(|(name, _)| *name == place.name) {
        return None;
    }
    let (key, id) = (folded(place.name.as_ref()), place.status().ok()?.id());
    let alike = names.iter().find(|(name, _)| folded(name.as_ref()) == key);
    let (other, _) = alike.or_else(|| {
        names.iter().find(|(name, _)| place.directory.stat(name).is_ok_and(|it| it.id() == id))
    })?;
    Some(place.shown.with_file_name(other))
}

/// The same of the folders that a path names.
fn twin_above(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find_map(|folder| {
        let (above, name) = Directory::parent_and_name(folder).ok()?;
        twin(&Place::new(above, name, folder.to_owned()))
    })
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
