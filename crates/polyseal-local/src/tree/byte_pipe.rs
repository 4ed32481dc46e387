//! A plaintext that one thread writes and another reads, in memory that is wiped.

use std::io::{self, IoSlice, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use zeroize::Zeroizing;

/// How many parts may wait to be read.
const WAITING: usize = 2;

type Part = Zeroizing<Vec<u8>>;

/// The two ends. Reading ends when the writing end is dropped, whether all was written or not: who
/// wrote must be asked. Writing fails when the reading end is dropped.
pub(super) fn byte_pipe() -> (PipeWriter, PipeReader) {
    let (to, from) = sync_channel(WAITING);
    (PipeWriter(to), PipeReader { from, part: Part::default(), at: 0 })
}

pub(super) struct PipeWriter(SyncSender<Part>);

pub(super) struct PipeReader {
    from: Receiver<Part>,
    part: Part,
    at: usize,
}

impl Write for PipeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, places: &[IoSlice<'_>]) -> io::Result<usize> {
        let total = places.iter().map(|place| place.len()).sum();
        // With its final size from the start: growing would leave copies behind.
        let mut part = Zeroizing::new(Vec::with_capacity(total));
        places.iter().for_each(|place| part.extend_from_slice(place));
        self.0.send(part).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(total)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for PipeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.part.len() {
            let Ok(part) = self.from.recv() else { return Ok(0) };
            (self.part, self.at) = (part, 0);
        }
        let n = (&self.part[self.at..]).read(buffer)?;
        self.at += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nobody_waits_for_whom_is_gone() {
        let (mut writing, mut reading) = byte_pipe();
        let written = std::thread::spawn(move || {
            (0..100_u8).try_for_each(|i| writing.write_all(&vec![i; usize::from(i)]))
        });
        let mut read = Vec::new();
        reading.read_to_end(&mut read).unwrap();
        written.join().unwrap().unwrap();
        let expected: Vec<u8> = (0..100_u8).flat_map(|i| vec![i; usize::from(i)]).collect();
        assert!(read == expected);

        let (mut writing, reading) = byte_pipe();
        drop(reading);
        assert_eq!(writing.write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
