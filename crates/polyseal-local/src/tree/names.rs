//! The names of a tree on a system that has fewer names than the one that the tree is from: which
//! it has not, and which would be one file.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use polyseal_file::manifest::Entry;

use super::join::path_of;
use crate::error::{Error, Problem, Result};
use crate::platform::{expect_restorable_name, name_key};

/// The names that have been passed, in each directory that the last entry is in. In a manifest, a
/// directory's contents follow it directly, so the names of others can be forgotten.
#[derive(Default)]
pub(super) struct TreeNames {
    /// By the keys they are compared by, and with their paths.
    directories: Vec<HashMap<OsString, PathBuf>>,
}

impl TreeNames {
    /// Refuses the path of `entry` if a name in it is invalid here, or if it would be one file with
    /// a path that has been passed. Messages show it in `root`.
    pub(super) fn pass(&mut self, entry: &Entry, root: &Path) -> Result {
        let path = path_of(entry);
        let error = |problem| Error::new(&root.join(&path), problem);
        let names: Vec<_> = entry.path.split(|&byte| byte == b'/').collect();
        names
            .iter()
            .try_for_each(|name| expect_restorable_name(name))
            .map_err(|why| error(Problem::ImpossibleName(why)))?;
        self.directories.truncate(names.len());
        self.directories.resize_with(names.len(), HashMap::new);
        let name = path.file_name().map(|name| name_key(name).into_owned());
        let other = self
            .directories
            .last_mut()
            .zip(name)
            .and_then(|(directory, name)| directory.insert(name, path.clone()));
        match other {
            Some(other) => Err(error(Problem::OneFile(root.join(other)))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use polyseal_file::manifest::{Kind, State, Timestamp};

    use super::*;
    use crate::platform::NAMES_MAY_BE_ONE;

    fn names(paths: &[&[u8]]) -> Result {
        let mut names = TreeNames::default();
        let modified = Timestamp { seconds: 0, nanoseconds: 0 };
        paths.iter().try_for_each(|path| {
            let (path, state, kind) = (path.to_vec(), State::New, Kind::Directory);
            let entry = Entry { path, state, mode: 0o600, modified, kind };
            names.pass(&entry, Path::new("tree"))
        })
    }

    #[test]
    fn names_are_told_apart_or_refused() {
        assert!(names(&[b"a", b"a/b", b"b", b"b/a"]).is_ok());
        assert!(names(&[b"a", b"a/b", b"a/c", b"a/c/b", b"b", b"b/b"]).is_ok());
        assert!(names(&[b"a", b"a/b", b"a/b/c", b"a/b"]).is_err());
        for alike in [&[&b"a/Readme"[..], b"a/README"], &[b"A", b"a"]] {
            let alike = names(alike);
            assert_eq!(alike.is_err(), NAMES_MAY_BE_ONE);
            if let Err(error) = alike {
                assert!(matches!(error.problem(), Problem::OneFile(_)), "{error}");
            }
        }
        for other in [&b"a/con"[..], b"a:b", b"a\\b", b"dot./a", b"\xff"] {
            let found = names(&[other]);
            assert_eq!(found.is_err(), cfg!(windows), "{}", other.escape_ascii());
        }
    }
}
