//! Programs that stand for a key: where they are looked for.
//!
//! Security claim: only in directories of the PATH that are absolute. A relative one depends on
//! where this program was started, and is passed over.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The program in the first absolute directory of `paths`, in the form of a `PATH`, that has it.
#[must_use]
pub fn find_program(name: &str, paths: &OsStr) -> Option<PathBuf> {
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(paths)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&name))
        .find(|path| is_executable(path))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}
