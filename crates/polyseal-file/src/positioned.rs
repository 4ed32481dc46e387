//! Reading and writing scattered bytes at an offset, whole or not at all: short transfers and
//! interruptions are continued.
//!
//! Unix does it for many places in one call, Windows for one. Windows also moves the file's
//! position, so no code here relies on that.

use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut};

use crate::batch::Batch;

/// Asks the system to read further ahead than it would.
pub(crate) fn will_read_all(file: &File) {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Sequential);
    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
    let _ = file;
}

/// Reads some bytes from `offset` into the first of `places`; 0 only at the end of the file.
pub(crate) fn read_some(
    file: &File,
    places: &mut [IoSliceMut<'_>],
    offset: u64,
) -> io::Result<usize> {
    #[cfg(unix)]
    return Ok(rustix::io::preadv(file, places, offset)?);
    #[cfg(windows)]
    {
        let place = places.iter_mut().find(|place| !place.is_empty());
        place.map_or(Ok(0), |place| std::os::windows::fs::FileExt::seek_read(file, place, offset))
    }
}

fn write_some(file: &File, places: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return Ok(rustix::io::pwritev(file, places, offset)?);
    #[cfg(windows)]
    {
        let place = places.iter().find(|place| !place.is_empty());
        place.map_or(Ok(0), |place| std::os::windows::fs::FileExt::seek_write(file, place, offset))
    }
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
        match read_some(file, &mut places, offset + done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(done)
}

/// Writes all of `places` to `offset`, one behind the other.
pub(crate) fn write(file: &File, mut offset: u64, mut places: Vec<IoSlice<'_>>) -> io::Result<()> {
    let mut rest = &mut places[..];
    // Drops empty slices.
    IoSlice::advance_slices(&mut rest, 0);
    while !rest.is_empty() {
        match write_some(file, rest, offset) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => {
                offset += n as u64;
                IoSlice::advance_slices(&mut rest, n);
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
