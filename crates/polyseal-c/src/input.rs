//! Files that are read, by their names.
//!
//! A regular file only: nothing is waited for that may never come, as a FIFO's bytes may.

use std::ffi::c_char;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use polyseal_file::reason;

use crate::error::{Code, Failure, Result};

/// A file's name, which is bytes.
///
/// # Safety
/// `name` is null or leads to a null-terminated text that nobody writes to during `'a`.
#[cfg(unix)]
pub(crate) unsafe fn path<'a>(name: *const c_char) -> Result<&'a Path> {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;

    if name.is_null() {
        return Err(crate::ffi::null("the name of a file"));
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    Ok(Path::new(OsStr::from_bytes(name.to_bytes())))
}

/// A file's name, which is text.
///
/// # Safety
/// `name` is null or leads to a null-terminated text that nobody writes to during `'a`.
#[cfg(not(unix))]
pub(crate) unsafe fn path<'a>(name: *const c_char) -> Result<&'a Path> {
    // SAFETY: the caller's promise.
    unsafe { crate::ffi::text(name, "the name of a file") }.map(Path::new)
}

/// Opens the input called `name`.
///
/// # Safety
/// As [`path`].
pub(crate) unsafe fn open_input(name: *const c_char) -> Result<File> {
    // SAFETY: the caller's promise.
    open(unsafe { path(name) }?, "the input")
}

/// Opens a regular file; `what` it is stands in the error.
pub(crate) fn open(path: &Path, what: &str) -> Result<File> {
    let opened = open_regular(path);
    opened
        .map_err(|error| Failure::new(Code::Io, format!("cannot read {what}: {}", reason(&error))))
}

fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        // Opening a FIFO without a writer would wait for one.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}
