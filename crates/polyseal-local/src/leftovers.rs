//! Names that must go if the process ends early.
//!
//! Where the file system has files without a name, an output has no name before it is complete.
//! Elsewhere it has a temporary name. A program that handles signals can remove those names: a
//! library does not handle signals by itself.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::platform::Directory;

static NAMES: Mutex<Vec<(Directory, OsString)>> = Mutex::new(Vec::new());
static WATCHER: OnceLock<fn()> = OnceLock::new();

/// Calls `watcher` each time before a file gets a name that it must not keep, so that it can begin
/// to wait for signals. The first call counts.
pub fn watch_with(watcher: fn()) {
    let _ = WATCHER.set(watcher);
}

/// Removes every such name. As long as the result lives, no other is made: end the process with it.
#[must_use]
pub fn remove_all() -> CleanupGuard {
    let mut names = names();
    for (directory, name) in names.drain(..) {
        let _ = directory.remove(&name);
    }
    CleanupGuard(names)
}

/// The names that files of this process have before they are complete. They are random, so that
/// nothing else is called so.
pub(crate) fn pending() -> Vec<OsString> {
    names().iter().map(|(_, name)| name.clone()).collect()
}

/// That no name is left.
#[derive(Debug)]
pub struct CleanupGuard(
    #[expect(dead_code, reason = "held")] MutexGuard<'static, Vec<(Directory, OsString)>>,
);

/// A file that has a name before it is complete: it is removed when this is dropped. If it has got
/// another name by then, there is nothing to remove.
#[derive(Debug)]
pub(crate) struct Temporary {
    directory: Directory,
    name: OsString,
}

impl Temporary {
    /// Makes a file in `directory` by `make`; no signal comes between that and remembering it.
    pub(crate) fn new<T>(
        directory: &Directory,
        make: impl Fn(&OsStr) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        WATCHER.get().into_iter().for_each(|watcher| watcher());
        loop {
            let name = temporary_name()?;
            let mut names = names();
            match make(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => {
                    let made = made?;
                    names.push((directory.clone(), name.clone()));
                    return Ok((Self { directory: directory.clone(), name }, made));
                }
            }
        }
    }

    pub(crate) fn name(&self) -> &OsStr {
        &self.name
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        names().retain(|(_, name)| *name != self.name);
        let _ = self.directory.remove(&self.name);
    }
}

fn names() -> MutexGuard<'static, Vec<(Directory, OsString)>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A name of random digits for a file that shall have another.
fn temporary_name() -> io::Result<OsString> {
    let mut random = [0; 12];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!(".polyseal-{digits}.tmp").into())
}
