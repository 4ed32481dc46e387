//! Reading and writing scattered bytes at an offset, whole or not at all: short transfers and
//! interruptions are continued.

use std::fs::File;
use std::io::{self, IoSlice};

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

/// Writes all of `places` to `offset`, one behind the other.
pub(crate) fn write(file: &File, mut offset: u64, mut places: Vec<IoSlice<'_>>) -> io::Result<()> {
    let mut rest = &mut places[..];
    // Lets go of what is empty.
    IoSlice::advance_slices(&mut rest, 0);
    while !rest.is_empty() {
        match pwritev(file, rest, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => {
                offset += n as u64;
                IoSlice::advance_slices(&mut rest, n);
            }
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}
