//! The streams of this process. A stream has one name here: `-`.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::path::Path;

use polyseal_local::FileId;

pub(crate) use std::os::windows::io::AsHandle as Stream;

/// A pipe's maker may ask who reads it, and no more.
const SECURITY_IDENTIFICATION: u32 = 1 << 16;

/// A stream that has been opened to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamId {
    /// A pipe or the console, as standard input: there is one.
    StandardInput,
    /// A file, as standard input.
    File(FileId),
}

/// Opens a stream by its name, to be read; `-` is standard input.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if path == Path::new("-") {
        return to_file(&io::stdin());
    }
    let mut options = OpenOptions::new();
    let opened = options.read(true).security_qos_flags(SECURITY_IDENTIFICATION).open(path);
    // Windows says of a directory that it may not be read.
    opened.map_err(|error| if path.is_dir() { io::ErrorKind::IsADirectory.into() } else { error })
}

/// A stream as a file.
pub(crate) fn to_file(stream: &impl AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}

/// Which regular file it is; `None` for anything else. The system may say that a pipe or the
/// console is one, or nothing.
pub(crate) fn file_id(file: &File) -> io::Result<Option<FileId>> {
    match FileId::from_file(file) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        id => Ok(Some(id?).filter(|_| file.metadata().is_ok_and(|it| it.is_file()))),
    }
}

/// Whether it is standard error.
pub(crate) fn is_standard_error(stream: &impl AsHandle) -> bool {
    stream.as_handle().as_raw_handle() == io::stderr().as_raw_handle()
}

/// Which stream a file is, if it is standard input, under whatever name.
pub(crate) fn stream_id(file: &File, is_standard_input: bool) -> io::Result<Option<StreamId>> {
    let id = file_id(file)?;
    let input = to_file(&io::stdin()).and_then(|input| file_id(&input)).ok().flatten();
    Ok(match id {
        Some(id) if is_standard_input || input == Some(id) => Some(StreamId::File(id)),
        None if is_standard_input => Some(StreamId::StandardInput),
        _ => None,
    })
}

/// Nothing takes the place of a stream that was closed: reading it is an error.
pub(crate) fn may_have_been_closed(_stream: &impl AsHandle) -> bool {
    false
}

/// No name of a file means a descriptor.
pub(crate) fn descriptor(_path: &Path) -> Option<u32> {
    None
}

/// Standard input. Other descriptors are not given to programs here.
pub(crate) fn given(fd: u32) -> io::Result<File> {
    if fd == 0 {
        return to_file(&io::stdin());
    }
    let why = "on Windows, a passphrase comes from descriptor 0, which is standard input";
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

/// That nobody has given a descriptor.
pub(crate) fn not_given() -> io::Error {
    io::ErrorKind::NotFound.into()
}

/// A program that is started inherits no handle but its standard streams.
pub(crate) fn keep_descriptors() {}
