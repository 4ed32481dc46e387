//! The streams of this process: which descriptors they are, and by which names.
//!
//! A descriptor has many names: `-`, `/dev/stdin`, `/dev/fd/0`, `/proc/thread-self/fd/0`. So names
//! are resolved ([`descriptor`]), and the open file is compared ([`stream_id`]).

use std::fs::{self, File};
use std::io::{self, IsTerminal, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::LazyLock;

use polyseal_local::FileId;
use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, stat};
use rustix::io::Errno;

pub(crate) use std::os::fd::AsFd as Stream;

/// Standard input, when it has no other name.
const STANDARD_INPUT: &str = "/dev/stdin";

/// A stream that has been opened to be read. A file is not one, unless it is standard input.
pub(crate) type StreamId = FileId;

/// Opens a stream by its name, to be read; `-` is standard input.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(if path == Path::new("-") { Path::new(STANDARD_INPUT) } else { path })
}

/// A stream as a file.
pub(crate) fn to_file(stream: &impl Stream) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

/// Which regular file it is; `None` for anything else.
pub(crate) fn file_id(file: &File) -> io::Result<Option<FileId>> {
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then(|| FileId::from_metadata(&metadata)))
}

/// Whether it is standard error.
pub(crate) fn is_standard_error(stream: &impl Stream) -> bool {
    stream.as_fd().as_raw_fd() == io::stderr().as_raw_fd()
}

/// Which stream a file is, if it is one: a pipe, a socket, a terminal, or standard input under
/// whatever name, `_is_standard_input` said or not.
pub(crate) fn stream_id(file: &File, _is_standard_input: bool) -> io::Result<Option<StreamId>> {
    let metadata = file.metadata()?;
    let (kind, id) = (metadata.file_type(), FileId::from_metadata(&metadata));
    let is_stream = if kind.is_file() {
        // Under a name of its own, too: a key file is not to be sealed as the message.
        standard_input().is_some_and(|input| input == id)
    } else {
        kind.is_fifo() || kind.is_socket() || file.is_terminal()
    };
    Ok(is_stream.then_some(id))
}

/// Which file standard input is. Nothing here gives the descriptor to another, so one look is
/// enough for any number of files.
fn standard_input() -> Option<FileId> {
    static INPUT: LazyLock<Option<FileId>> =
        LazyLock::new(|| to_file(&io::stdin()).and_then(|input| FileId::from_file(&input)).ok());
    *INPUT
}

/// Whether a standard stream is `/dev/null`, opened to read and to write. Rust puts that in the
/// place of one that was closed, before any code of ours runs; it cannot be told from one that was
/// given. The redirections of a shell open it one way.
pub(crate) fn may_have_been_closed(stream: &impl Stream) -> bool {
    is_null_both_ways(stream).is_ok_and(|is_so| is_so)
}

fn is_null_both_ways(stream: &impl Stream) -> rustix::io::Result<bool> {
    let (here, null) = (fstat(stream)?, stat("/dev/null")?);
    let is_null = FileType::from_raw_mode(here.st_mode) == FileType::CharacterDevice
        && here.st_rdev == null.st_rdev;
    Ok(is_null && fcntl_getfl(stream)?.contains(OFlags::RDWR))
}

/// Which descriptor of this process `path` means, if it means one.
pub(crate) fn descriptor(path: &Path) -> Option<u32> {
    // As many links as the system follows.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let name = path.file_name()?;
        let number = name.to_str().and_then(|name| name.parse().ok());
        let to = fs::read_link(folder.join(name));
        // Nearly every name is neither: then it does not matter where its folder is.
        if number.is_none() && to.is_err() {
            return None;
        }
        let folder = fs::canonicalize(folder).ok()?;
        if has_descriptors(&folder) {
            return number;
        }
        path = folder.join(to.ok()?);
    }
    None
}

/// Whether `folder` has this process's descriptors.
fn has_descriptors(folder: &Path) -> bool {
    let ours = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"];
    // To resolve them takes longer than to seal a small file, so that comes last.
    folder.ends_with("fd")
        && ours.iter().any(|one| fs::canonicalize(one).is_ok_and(|one| one == folder))
}

/// The file descriptor `fd`, which the caller has given, from where it stands.
pub(crate) fn given(fd: u32) -> io::Result<File> {
    if fd == 0 {
        return to_file(&io::stdin());
    }
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).unwrap_or_default();
    let field = |name| info.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    // Descriptors that this process has opened itself are closed on exec; inherited ones are not.
    let flags = field("flags:").and_then(|flags| u32::from_str_radix(flags, 8).ok());
    if flags.is_some_and(|flags| flags & OFlags::CLOEXEC.bits() != 0) {
        return Err(not_given());
    }
    // A pipe is the same one; a regular file is opened anew, and stands at its beginning.
    let mut file = match File::open(format!("/dev/fd/{fd}")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(not_given()),
        opened => opened?,
    };
    if file.metadata()?.is_file() {
        let at = field("pos:").and_then(|at| at.parse().ok()).ok_or_else(|| {
            io::Error::other("where it stands cannot be known: give a pipe, or standard input")
        })?;
        file.seek(SeekFrom::Start(at))?;
    }
    Ok(file)
}

/// That nobody has given a descriptor.
pub(crate) fn not_given() -> io::Error {
    Errno::BADF.into()
}

/// From now on no program that is started inherits a descriptor.
pub(crate) fn keep_descriptors() {
    close_fds::set_fds_cloexec(3, &[]);
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

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
