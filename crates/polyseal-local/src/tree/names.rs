//! The names of a manifest are bytes, and so are those of a Unix system.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

pub(super) fn bytes(name: &OsStr) -> &[u8] {
    name.as_bytes()
}

pub(super) fn of_bytes(name: &[u8]) -> &OsStr {
    OsStr::from_bytes(name)
}
