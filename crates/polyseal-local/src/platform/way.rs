//! The way to a file: whether another user can have chosen where a path leads.
//!
//! Another user who can rename something on the way chooses which of a user's own files is
//! replaced, and so the mode that the new one gets. So every folder that a path passes is asked,
//! through each link that it leads through, and every folder above: [`Directory::keeps`].

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{Directory, FileStatus, is_link_of_us};

/// As many as the system follows.
const MOST_LINKS: usize = 40;

/// Whether nobody but this user and root can have chosen that `path` leads to `seen` in `folder`.
pub(crate) fn way_is_ours(path: &Path, folder: &Directory, seen: &FileStatus) -> bool {
    let start_is_ours = path.is_absolute()
        || Directory::open(Path::new(".")).is_ok_and(|here| here.is_kept_from_above());
    start_is_ours
        && folder.keeps(seen)
        && folder.is_kept_from_above()
        && follow(path, Directory::keeps_named).unwrap_or(false)
}

/// Whether every link that `path` leads through, as its last name or on the way, belongs to this
/// user or to root.
#[cfg(unix)]
pub(crate) fn links_are_ours(path: &Path) -> bool {
    follow(path, |_, _| Ok(true)).unwrap_or(false)
}

/// The same, where `is_kept` is asked of each name on the way and the folder that it is in.
fn follow(path: &Path, is_kept: impl Fn(&Path, &OsStr) -> io::Result<bool>) -> io::Result<bool> {
    let (mut at, mut rest, mut links) = (PathBuf::new(), reversed(path), 0);
    while let Some(name) = rest.pop() {
        let next = at.join(&name);
        let seen = match fs::symlink_metadata(&next) {
            Ok(seen) => seen,
            // No link leads to a file that does not exist.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(error),
        };
        let is_name = matches!(Path::new(&name).components().next(), Some(Component::Normal(_)));
        if is_name && !is_kept(&at, &name)? {
            return Ok(false);
        }
        if !seen.file_type().is_symlink() {
            at = next;
            continue;
        }
        links += 1;
        if links > MOST_LINKS || !is_link_of_us(&next, &seen) {
            return Ok(false);
        }
        // An absolute path replaces all before it.
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
