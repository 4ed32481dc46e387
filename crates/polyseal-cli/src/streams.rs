//! Streams that the caller has opened: by any of their names, each read for one thing, and none
//! taken for open that was closed.
//!
//! A descriptor has many names: `-`, `/dev/stdin`, `/dev/fd/0`, `/proc/thread-self/fd/0`. So names
//! are resolved ([`descriptor`]), and what is read is compared as a file ([`expect_unread`]).

use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, stat};

use crate::error::{Failure, Result};
use crate::messages::warn;
use polyseal_local::FileId;

/// The streams that have been opened to be read, and what each is said to be. A pipe, a socket, a
/// terminal or standard input gives its bytes once: whoever reads it second, under whatever name,
/// would take an empty key or seal an empty message, or get what was meant for the first.
static STREAMS: Mutex<Vec<(FileId, String)>> = Mutex::new(Vec::new());

/// Refuses a stream that something else is read from.
pub(crate) fn expect_unread(file: &File, what: &str) -> Result {
    let metadata = file.metadata().map_err(|error| Failure::io("read", Path::new(what), &error))?;
    let (kind, id) = (metadata.file_type(), FileId::from_metadata(&metadata));
    // Under a name of its own, too: a key file is not to be sealed as the message.
    let is_standard_input = || kind.is_file() && FileId::from_open(io::stdin()) == Some(id);
    if !(kind.is_fifo() || kind.is_socket() || file.is_terminal() || is_standard_input()) {
        return Ok(());
    }
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, first)) = streams.iter().find(|(other, _)| *other == id) {
        let message = format!("{first} and {what} cannot both come from one stream");
        return Err(Failure::usage(message).hint("name a file for one of them"));
    }
    streams.push((id, what.to_owned()));
    Ok(())
}

/// Refuses standard input that was closed when the tool was started: an empty message would be
/// encrypted, and all would seem well.
pub(crate) fn expect_open(stream: impl AsFd, name: &str) -> Result {
    if !may_have_been_closed(stream) {
        return Ok(());
    }
    let message = format!("{name} is closed, or is /dev/null opened to read and to write");
    Err(Failure::usage(message).hint("name the file; use /dev/null if you mean that"))
}

/// Warns of an output that was closed when the tool was started. It is not refused: who starts a
/// program from Python or Node.js and does not want its output gives what looks the same.
pub(crate) fn expect_wanted(output: impl AsFd, name: &str) -> Result {
    if output.as_fd().as_raw_fd() == io::stderr().as_raw_fd() {
        // The warning would be lost with it.
        return expect_open(output, name);
    }
    if may_have_been_closed(output) {
        warn(&format!("{name} is closed, or is /dev/null: the output is lost"));
    }
    Ok(())
}

/// Whether a standard stream is `/dev/null`, opened to read and to write. Rust puts that in the
/// place of one that was closed, before any code of ours runs; it cannot be told from one that was
/// given. The redirections of a shell open it one way.
fn may_have_been_closed(stream: impl AsFd) -> bool {
    let is_null_both_ways = || {
        let (here, null) = (fstat(&stream).ok()?, stat("/dev/null").ok()?);
        let is_null = FileType::from_raw_mode(here.st_mode) == FileType::CharacterDevice
            && here.st_rdev == null.st_rdev;
        Some(is_null && fcntl_getfl(&stream).ok()?.contains(OFlags::RDWR))
    };
    is_null_both_ways() == Some(true)
}

/// Which descriptor of this process `path` means, if it means one.
pub(crate) fn descriptor(path: &Path) -> Option<u32> {
    // As many links as the system follows.
    const MOST_LINKS: usize = 40;
    let is_ours = |folder: &Path| {
        let ours = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"];
        // To resolve them takes longer than to seal a small file, so that comes last.
        folder.ends_with("fd")
            && ours.iter().any(|one| fs::canonicalize(one).is_ok_and(|one| one == folder))
    };
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        let name = path.file_name()?;
        if is_ours(&folder) {
            return name.to_str()?.parse().ok();
        }
        let to: PathBuf = fs::read_link(folder.join(name)).ok()?;
        path = folder.join(to);
    }
    None
}

/// Whether `path` is a name of standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-") || descriptor(path) == Some(0)
}

/// Whether `path` is a name of standard output.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-") || descriptor(path) == Some(1)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_descriptor_has_many_names() {
        let folder = tempfile::tempdir().unwrap();
        symlink("/dev/fd/7", folder.path().join("first")).unwrap();
        symlink("first", folder.path().join("second")).unwrap();
        symlink("loop", folder.path().join("loop")).unwrap();
        fs::write(folder.path().join("0"), b"").unwrap();
        let id = std::process::id();
        for (path, expected) in [
            ("/dev/stdin".into(), Some(0)),
            ("/dev/stdout".into(), Some(1)),
            ("/dev/fd/2".into(), Some(2)),
            ("/dev/../dev/fd/3".into(), Some(3)),
            ("/proc/self/fd/0".into(), Some(0)),
            ("/proc/thread-self/fd/0".into(), Some(0)),
            (PathBuf::from(format!("/proc/{id}/fd/1")), Some(1)),
            (folder.path().join("second"), Some(7)),
            (folder.path().join("loop"), None),
            (folder.path().join("0"), None),
            (folder.path().join("none"), None),
            ("-".into(), None),
            ("/".into(), None),
        ] {
            assert_eq!(descriptor(&path), expected, "{}", path.display());
        }
    }
}
