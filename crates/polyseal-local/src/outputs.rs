//! Where the output of each of many inputs goes: beside it, or to the same path beneath a directory
//! that was opened once; and that no two inputs have one output.

use std::collections::HashSet;
use std::fs;
use std::hash::{BuildHasher, Hash, RandomState};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, ErrorContext, Problem, Result};
use crate::place::Place;
use crate::plaintexts::short_name;
use crate::platform::{Directory, FileId, beneath, name_key};

/// The suffix of files that are encrypted in age's format.
pub const AGE_SUFFIX: &str = ".age";

/// The name of the output of encrypting `path` with `suffix`, such as [`SUFFIX`](crate::SUFFIX).
#[must_use]
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The name of the output of decrypting `path`, if it ends in `.polyseal` or `.age`.
#[must_use]
pub fn without_suffix(path: &Path) -> Option<PathBuf> {
    path.file_name().and_then(short_name).map(|name| path.with_file_name(name))
}

/// Which file a name means, or where a file of that name would come to be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileTarget {
    /// The file that is there.
    File(FileId),
    /// None: this path, through no link as far as it is there.
    Nothing(PathBuf),
}

impl FileTarget {
    /// Identifies the file that `path` means: the same by each of its names.
    #[must_use]
    pub fn from_path(path: &Path) -> Self {
        if let Ok(id) = FileId::from_path(path) {
            return Self::File(id);
        }
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let directory = fs::canonicalize(directory.unwrap_or(Path::new(".")));
        let place = directory.ok().and_then(|directory| Some(directory.join(path.file_name()?)));
        Self::Nothing(place.unwrap_or_else(|| path.to_owned()))
    }
}

/// The outputs of inputs that come one after the other.
#[derive(Debug)]
pub struct Outputs {
    directory: Option<(Directory, PathBuf)>,
    /// Those that have been begun, by two hashes each.
    begun: Mutex<HashSet<(u64, u64)>>,
    hashers: [RandomState; 2],
}

impl Outputs {
    /// Each beside its input.
    #[must_use]
    pub fn beside_inputs() -> Self {
        Self { directory: None, begun: Mutex::default(), hashers: Default::default() }
    }

    /// Each at the path of its input, beneath the directory `path`.
    ///
    /// # Errors
    /// An I/O error.
    pub fn beneath(path: &Path) -> Result<Self> {
        let directory = Directory::open_for_output(path).cannot("write", path)?;
        Ok(Self { directory: Some((directory, path.to_owned())), ..Self::beside_inputs() })
    }

    /// The place of the output of `input`, called `name`, a path as that of the input. Directories
    /// that it lies in are made.
    ///
    /// # Errors
    /// [`Problem::LeadsOut`], which names the input, if the path leads out of the directory; or an
    /// I/O error.
    pub fn place(&self, input: &Path, name: &Path) -> Result<Place> {
        let (opened, shown) = match &self.directory {
            None => (Directory::parent_and_name(name), name.to_owned()),
            Some((directory, root)) => {
                let name = beneath(name).ok_or_else(|| Error::new(input, Problem::LeadsOut))?;
                (directory.make_parents(&name), root.join(name))
            }
        };
        let (directory, name) = opened.cannot("write", &shown)?;
        Ok(Place::new(directory, name, shown))
    }

    /// Whether no output at this place has been begun before. Outputs may replace existing files,
    /// but the output of one input must not be replaced by another's.
    #[must_use]
    pub fn begin(&self, place: &Place) -> bool {
        self.begin_hashed((place.directory.id().ok(), &*name_key(&place.name)))
    }

    /// The same of an output that is known by its name alone, such as an object in a store.
    #[must_use]
    pub fn begin_named(&self, name: &Path) -> bool {
        self.begin_hashed(name)
    }

    fn begin_hashed(&self, output: impl Hash + Copy) -> bool {
        let [one, other] = self.hashers.each_ref().map(|hasher| hasher.hash_one(output));
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).insert((one, other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_and_go() {
        assert_eq!(with_suffix(Path::new("a/b"), AGE_SUFFIX), Path::new("a/b.age"));
        let back = |name: &str| without_suffix(Path::new(name));
        assert_eq!(back("a/b.polyseal"), Some("a/b".into()));
        assert_eq!(back("b.age"), Some("b".into()));
        for none in ["b", "a/.polyseal", "..age", "a.age/b", "/"] {
            assert_eq!(back(none), None, "{none}");
        }
    }

    #[test]
    fn one_file_has_one_meaning_and_one_output() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("there"), "").unwrap();
        fs::hard_link(at("there"), at("too")).unwrap();
        assert_eq!(FileTarget::from_path(&at("there")), FileTarget::from_path(&at("too")));
        assert_eq!(FileTarget::from_path(&at("sub/../new")), FileTarget::from_path(&at("new")));
        assert_ne!(FileTarget::from_path(&at("new")), FileTarget::from_path(&at("sub/new")));

        let outputs = Outputs::beneath(&at("sub")).unwrap();
        let place = |name: &str| outputs.place(Path::new("input"), Path::new(name));
        assert!(outputs.begin(&place("a/b").unwrap()));
        assert!(!outputs.begin(&place("./a/b").unwrap()));
        assert!(outputs.begin(&place("a/c").unwrap()));
        assert!(at("sub/a").is_dir());
        for out in ["../x", "/x", "a/../../x"] {
            let error = place(out).unwrap_err();
            assert!(matches!(error.problem(), Problem::LeadsOut), "{out}");
            assert_eq!(error.path(), Path::new("input"));
        }
    }
}
