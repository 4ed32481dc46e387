//! The links on the way of a path: whether another user has chosen where it leads.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::is_link_of_us;

/// As many as the system follows.
const MOST: usize = 40;

/// Whether every link that `path` leads through, as its last name or on the way, belongs to this
/// user or to root.
pub(crate) fn links_are_ours(path: &Path) -> bool {
    follow(path).unwrap_or(false)
}

fn follow(path: &Path) -> io::Result<bool> {
    let (mut at, mut rest, mut links) = (PathBuf::new(), reversed(path), 0);
    while let Some(name) = rest.pop() {
        let next = at.join(&name);
        let seen = match fs::symlink_metadata(&next) {
            Ok(seen) => seen,
            // What is not there is led to by no link.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(error),
        };
        if !seen.file_type().is_symlink() {
            at = next;
            continue;
        }
        links += 1;
        if links > MOST || !is_link_of_us(&next, &seen) {
            return Ok(false);
        }
        // What is absolute takes the place of all before it.
        rest.extend(reversed(&fs::read_link(&next)?));
    }
    Ok(true)
}

/// The names of a path, the last first. The root is one.
fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().filter(|it| *it != Component::CurDir);
    let mut names: Vec<_> = names.map(|it| it.as_os_str().to_owned()).collect();
    names.reverse();
    names
}
