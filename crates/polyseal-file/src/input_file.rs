//! A file as an input: how it is read, and whether its length has changed meanwhile.
//!
//! A file is read up to the length that it has at first. A log that is written to all the time has
//! an end so, and its contents at that time are encrypted as a whole.

use std::fs::File;
use std::io::{self, IoSliceMut, Read};

use crate::error::{Error, Result, io as io_error};
use crate::positioned::read_some;

/// Shorter files are read in order: it is as fast, and takes fewer system calls.
const READ_AT_OFFSETS: u64 = 1024 * 1024;

pub(crate) struct InputFile<'a> {
    file: &'a File,
    /// The length at first, in bytes. `None` for pipes and /proc files, which the system says are
    /// empty.
    length: Option<u64>,
}

impl<'a> InputFile<'a> {
    pub(crate) fn new(file: &'a File) -> Result<Self> {
        let metadata = file.metadata().map_err(io_error("examine the input"))?;
        let length = Some(metadata.len()).filter(|&bytes| bytes > 0 && metadata.is_file());
        Ok(Self { file, length })
    }

    /// The length at first, if the system tells one.
    pub(crate) fn length(&self) -> Option<u64> {
        self.length
    }

    /// The length at first, if the file is to be read at offsets.
    pub(crate) fn long(&self) -> Option<u64> {
        self.length.filter(|&bytes| bytes >= READ_AT_OFFSETS)
    }

    /// The file in order.
    pub(crate) fn stream(&self) -> FileStream<'a> {
        FileStream { file: self.file, at: 0, end: self.length }
    }

    /// Whether it has become longer since. That it has become shorter is an error.
    pub(crate) fn has_grown(&self) -> Result<bool> {
        let Some(length) = self.length else { return Ok(false) };
        let now = self.file.metadata().map_err(io_error("examine the input"))?.len();
        if now < length { Err(Error::InputChanged) } else { Ok(now > length) }
    }

    pub(crate) fn expect_same(&self) -> Result<()> {
        if self.has_grown()? { Err(Error::InputChanged) } else { Ok(()) }
    }
}

/// Whether a file that ended early lies where the system tells a page as the length of each, and
/// then gives fewer bytes: in /sys, and where the kernel is configured.
fn is_made_as_it_is_read(file: &File) -> bool {
    #[cfg(target_os = "linux")]
    if let Ok(system) = rustix::fs::fstatfs(file) {
        const SYSFS: u64 = 0x6265_6572;
        const CONFIGFS: u64 = 0x6265_6570;
        return [SYSFS, CONFIGFS].contains(&(system.f_type as u64));
    }
    let _ = file;
    false
}

/// A file in order: from its beginning to its end at first, wherever its own position is, which
/// stays. Without such an end, from where it stands, as far as it goes.
pub(crate) struct FileStream<'a> {
    file: &'a File,
    at: u64,
    end: Option<u64>,
}

impl Read for FileStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [IoSliceMut::new(buffer)])
    }

    fn read_vectored(&mut self, places: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let Some(end) = self.end else { return self.file.read_vectored(places) };
        // Nothing is read from behind the end: nobody would wipe it.
        let mut left = usize::try_from(end - self.at).unwrap_or(usize::MAX);
        let mut within: Vec<_> = places
            .iter_mut()
            .map(|place| {
                let bytes = place.len().min(left);
                left -= bytes;
                IoSliceMut::new(&mut place[..bytes])
            })
            .collect();
        if within.iter().all(|place| place.is_empty()) {
            return Ok(0);
        }
        match read_some(self.file, &mut within, self.at)? {
            0 if is_made_as_it_is_read(self.file) => {
                self.end = Some(self.at);
                Ok(0)
            }
            0 => Err(io::Error::other(Error::InputChanged)),
            bytes => {
                self.at += bytes as u64;
                Ok(bytes)
            }
        }
    }
}
