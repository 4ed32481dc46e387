//! Paths that lie beneath a directory.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// The names in a path that can lie beneath a directory: none is `..`, and it is not absolute.
#[must_use]
pub fn components(path: &Path) -> Option<Vec<&OsStr>> {
    let name = |component| match component {
        Component::Normal(name) => Some(name),
        _ => None,
    };
    let names = path.components().map(name).collect::<Option<Vec<_>>>()?;
    // Path leaves out empty components and `.` by itself.
    let bytes = names.iter().map(|name| name.len() + 1).sum::<usize>().saturating_sub(1);
    (bytes == path.as_os_str().len()).then_some(names)
}

/// `path` beneath `directory`. `Path::join` allocates twice.
pub(crate) fn joined(directory: &Path, path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    let bytes = directory.as_os_str().len() + 1 + path.as_os_str().len();
    let mut joined = PathBuf::with_capacity(bytes);
    joined.push(directory);
    joined.push(path);
    joined
}

/// `path` without `.` and empty names, if it lies beneath the directory that it is relative to.
#[must_use]
pub fn beneath(path: &Path) -> Option<PathBuf> {
    let path: PathBuf = path.components().filter(|c| *c != Component::CurDir).collect();
    components(&path).filter(|names| !names.is_empty()).map(|_| path.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_is_as_by_the_standard_library() {
        for (directory, path) in [("", "a"), ("a", "b/c"), ("a/", "b"), ("/", "a"), ("a", "/b")] {
            assert_eq!(joined(Path::new(directory), path), Path::new(directory).join(path));
        }
    }

    #[test]
    fn only_paths_beneath_are_paths_beneath() {
        for (path, expected) in [
            ("a", Some(1)),
            ("a/b/c", Some(3)),
            ("", Some(0)),
            ("a/", None),
            ("a//b", None),
            ("a/./b", None),
            ("./a", None),
            ("/a", None),
            ("..", None),
            ("a/../b", None),
            (".", None),
        ] {
            let found = components(Path::new(path)).map(|names| names.len());
            assert_eq!(found, expected, "{path}");
        }
        assert_eq!(beneath(Path::new("./a//b/./c")), Some("a/b/c".into()));
        for outside in ["..", "a/..", "/a", ".", ""] {
            assert_eq!(beneath(Path::new(outside)), None, "{outside}");
        }
    }
}
