//! Reading and writing scattered bytes at an offset, whole or not at all: short transfers and
//! interruptions are continued.

use std::fs::File;
use std::io;

use rustix::io::{Errno, preadv, pwritev};

use crate::batch::Batch;

/// Asks the system to read further ahead than it would.
pub(crate) fn will_read_all(file: &File) {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Sequential);
    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
    let _ = file;
}

/// Fills the places of `total` bytes from `offset`; returns fewer only at the end of the file.
pub(crate) fn read(
    file: &File,
    offset: u64,
    batch: &mut Batch,
    unit: usize,
    total: usize,
) -> io::Result<usize> {
    let mut done = 0;
    while done < total {
        let mut places = batch.places_mut(unit, done, total);
        match preadv(file, &mut places, offset + done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(done)
}

/// Writes `total` bytes to `offset`.
pub(crate) fn write(
    file: &File,
    offset: u64,
    batch: &Batch,
    unit: usize,
    total: usize,
) -> io::Result<()> {
    let mut done = 0;
    while done < total {
        match pwritev(file, &batch.places(unit, done, total), offset + done as u64) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => done += n,
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}
