//! The pipeline: workers that each take the next segments, seal or open them where they lie, and
//! put them where they belong.
//!
//! A worker reads, computes and writes with one buffer that stays in its core's cache; nothing is
//! handed from thread to thread. Between regular files workers read and write at computed offsets
//! and need no order. A stream is read under a lock and written in turns, so that its output is in
//! order and holds only what has been verified. The first batch runs before any thread is started:
//! a small file costs no thread.
//!
//! Memory is one buffer for each worker, together at most [`BUDGET`]; large segments mean fewer
//! workers, not more memory.

use std::fmt;
#[cfg(any(unix, windows))]
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem;
use std::num::NonZeroUsize;
use std::panic;
#[cfg(any(unix, windows))]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::batch::{self, Batch, MAX_SLOTS, SegmentRun};
use crate::commitment::{ExpectedLeaves, Leaf, Leaves};
use crate::error::{Error, Result, io as io_error};
#[cfg(any(unix, windows))]
use crate::holes::Holes;
use crate::payload_cipher::{PartialFailure, PayloadCipher};
use crate::run_options::RunOptions;

/// Bytes of input that a worker takes at a time. Measured over 1 GiB to /dev/null (Zen 5, 1 MiB of
/// second-level cache), CPU time to encrypt and decrypt: 64 KiB 0.116 and 0.161 s, 256 KiB 0.110
/// and 0.152 s, 512 KiB 0.105 and 0.150 s, 1 MiB 0.104 and 0.150 s.
const BATCH: usize = 512 * 1024;
/// Bytes of buffers in flight, over all workers; at least one worker runs with any segment size.
const BUDGET: usize = 32 * 1024 * 1024;

const READ: &str = "read the input";
const WRITE: &str = "write the output";

/// Where to read from.
#[non_exhaustive]
pub enum Input<'a> {
    /// Anything that can be read to its end, in order.
    Stream(&'a mut (dyn Read + Send)),
    /// A regular file, from its beginning up to the length that it has at first, wherever its own
    /// position is: a long one at offsets, by all workers. If it becomes shorter meanwhile, that is
    /// an error, [`Error::InputChanged`]; if it becomes longer,
    /// [`Summary::grew`](crate::Summary::grew) says so, and when it is decrypted that is an error,
    /// too. Other changes meanwhile are not noticed.
    ///
    /// Pipes, devices and /proc files, for which the system tells no length, or 0, are read as a
    /// stream.
    #[cfg(any(unix, windows))]
    File(&'a File),
}

/// Where to write to.
#[non_exhaustive]
pub enum Output<'a> {
    /// Anything that can be written in order. It gets only verified data; on an error it may have
    /// got a part.
    Stream(&'a mut (dyn Write + Send)),
    /// A regular file that is empty ([`Error::OutputNotEmpty`] if not), written at offsets by all
    /// workers, in any order. On an error its contents are meaningless. When decrypting, blocks of
    /// 4096 zeros are not written: they become holes, where the file system has them.
    #[cfg(any(unix, windows))]
    File(&'a File),
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").finish_non_exhaustive()
    }
}

impl fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").finish_non_exhaustive()
    }
}

/// How a run is made.
pub(crate) struct Pipeline<'a> {
    pub(crate) cipher: PayloadCipher,
    pub(crate) run: RunOptions<'a>,
    /// Collects a hash of every stored segment, if the caller asks for a commitment.
    pub(crate) leaves: Option<&'a Leaves>,
    /// Every stored segment that is opened has to be one of these.
    pub(crate) expected: Option<&'a dyn ExpectedLeaves>,
}

/// The result of a batch.
#[derive(Default)]
struct BatchResult {
    /// The number of its first segment.
    first: u64,
    /// The bytes of output that are right.
    bytes: usize,
    failure: Option<Error>,
}

/// Bytes of payload that went in and came out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// The payload part of the input.
pub(crate) enum Source<'a> {
    Stream(Mutex<StreamSource<'a>>),
    #[cfg(any(unix, windows))]
    File {
        file: &'a File,
        offset: u64,
        total: u64,
        next: AtomicU64,
    },
}

pub(crate) struct StreamSource<'a> {
    reader: &'a mut (dyn Read + Send),
    /// How many bytes there are at most, if that is known.
    most: Option<u64>,
    /// The byte after the previous batch: it shows that the input goes on.
    peeked: Option<u8>,
    next: u64,
    ended: bool,
}

/// The payload part of the output.
pub(crate) enum Sink<'a> {
    Stream {
        /// Bytes to be written right before the payload.
        before: &'a [u8],
        state: Mutex<StreamSink<'a>>,
        turn: Condvar,
    },
    #[cfg(any(unix, windows))]
    File {
        file: &'a File,
        before: &'a [u8],
        /// Where blocks of zeros are left out.
        holes: Option<Holes>,
        failure: Mutex<Option<(u64, Error)>>,
        stop: AtomicBool,
    },
}

pub(crate) struct StreamSink<'a> {
    writer: &'a mut (dyn Write + Send),
    next: u64,
    failure: Option<Error>,
    /// A worker has panicked: some turn will never come.
    abandoned: bool,
}

impl<'a> Source<'a> {
    /// The input from `reader`: at most so many bytes, if that is known.
    pub(crate) fn stream(reader: &'a mut (dyn Read + Send), most: Option<u64>) -> Self {
        Self::Stream(Mutex::new(StreamSource { reader, most, peeked: None, next: 0, ended: false }))
    }

    /// `total` bytes of a regular file from `offset`.
    #[cfg(any(unix, windows))]
    pub(crate) fn file(file: &'a File, offset: u64, total: u64) -> Self {
        crate::positioned::will_read_all(file);
        Self::File { file, offset, total, next: AtomicU64::new(0) }
    }

    /// The length of the payload at most, if it is known beforehand.
    fn total(&self) -> Option<u64> {
        match self {
            Self::Stream(source) => lock(source).most,
            #[cfg(any(unix, windows))]
            Self::File { total, .. } => Some(*total),
        }
    }

    /// Reads the next segments into `batch`. The number is that of the batch, also in an error.
    fn next(
        &self,
        cipher: &PayloadCipher,
        batch: &mut Batch,
    ) -> std::result::Result<Option<(u64, SegmentRun)>, (u64, Error)> {
        let unit = cipher.input_unit();
        let (index, claim) = match self {
            Self::Stream(source) => {
                let mut source = lock(source);
                if source.ended {
                    return Ok(None);
                }
                let index = source.next;
                source.next += 1;
                // Set before reading: nobody goes on behind an error.
                source.ended = true;
                let (bytes, last) =
                    source.fill(unit, batch).map_err(|e| (index, io_error(READ)(e)))?;
                source.ended = last;
                (index, SegmentRun { first: index * batch.slots() as u64, bytes, last })
            }
            #[cfg(any(unix, windows))]
            Self::File { file, offset, total, next } => {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let room = (unit * batch.slots()) as u64;
                let start = index.saturating_mul(room);
                // An empty payload is one batch, too.
                if start >= *total && index != 0 {
                    return Ok(None);
                }
                let bytes = room.min(total - start) as usize;
                let read = crate::positioned::read(file, offset + start, batch, unit, bytes)
                    .map_err(|e| (index, io_error(READ)(e)))?;
                if read != bytes {
                    return Err((index, Error::InputChanged));
                }
                let last = start + bytes as u64 == *total;
                (index, SegmentRun { first: index * batch.slots() as u64, bytes, last })
            }
        };
        let segments = claim.bytes.div_ceil(unit).max(1) as u64;
        if claim.first + segments > cipher.max_segments() {
            return Err((index, Error::TooLong));
        }
        Ok(Some((index, claim)))
    }
}

impl StreamSource<'_> {
    /// Fills `batch` as far as the input goes, and reads one byte more to know whether it ends.
    fn fill(&mut self, unit: usize, batch: &mut Batch) -> io::Result<(usize, bool)> {
        let room = unit * batch.slots();
        let most = self.most.and_then(|most| usize::try_from(most).ok()).unwrap_or(room).min(room);
        let mut done = 0;
        if let Some(byte) = self.peeked.take() {
            batch.put_first(byte);
            done = 1;
        }
        let mut peeked = [0];
        while done <= most {
            let before = batch.used();
            // Most streams end within a segment: until then, there is room for one.
            let wanted = if done < unit { unit.min(most) } else { most };
            let mut places = batch.places_mut(unit, done, wanted);
            if wanted == most {
                places.push(IoSliceMut::new(&mut peeked));
            }
            match self.reader.read_vectored(&mut places) {
                Ok(n) => {
                    done += n;
                    // To wipe a whole batch takes longer than to seal a small file.
                    batch.filled(before, unit, done.min(wanted));
                    if n == 0 {
                        return Ok((done, true));
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        if most < room {
            return Err(io::Error::other(Error::InputChanged));
        }
        self.peeked = Some(peeked[0]);
        Ok((room, false))
    }
}

impl<'a> Sink<'a> {
    pub(crate) fn stream(writer: &'a mut (dyn Write + Send), before: &'a [u8]) -> Self {
        let state = StreamSink { writer, next: 0, failure: None, abandoned: false };
        Self::Stream { before, state: Mutex::new(state), turn: Condvar::new() }
    }

    /// A regular file that begins with `before`, and has the payload behind that.
    #[cfg(any(unix, windows))]
    pub(crate) fn file(file: &'a File, before: &'a [u8]) -> Self {
        let (failure, stop) = (Mutex::new(None), AtomicBool::new(false));
        Self::File { file, before, holes: None, failure, stop }
    }

    /// A new regular file, whose blocks of zeros become holes. Nothing comes before the payload,
    /// which is a plaintext: its segments begin where blocks do.
    #[cfg(any(unix, windows))]
    pub(crate) fn sparse_file(file: &'a File) -> Self {
        let (failure, stop) = (Mutex::new(None), AtomicBool::new(false));
        Self::File { file, before: &[], holes: Some(Holes::default()), failure, stop }
    }

    /// Whether some worker has failed, so that going on is of no use.
    fn stopped(&self) -> bool {
        match self {
            Self::Stream { .. } => false,
            #[cfg(any(unix, windows))]
            Self::File { stop, .. } => stop.load(Ordering::Relaxed),
        }
    }

    /// Writes the `bytes` of output in `batch`, and records the failure of batch `index`; whether
    /// to go on. Batches of a stream wait for their turn, and so do their failures: segments before
    /// a bad one are always written, and those after it never.
    fn put(&self, index: u64, unit: usize, batch: &Batch, done: &mut BatchResult) -> bool {
        match self {
            Self::Stream { before, state, turn } => {
                let mut state = turn
                    .wait_while(lock(state), |s| s.next != index && !s.is_over())
                    .unwrap_or_else(PoisonError::into_inner);
                if state.is_over() {
                    return false;
                }
                let (places, _) = placed(before, unit, batch, done);
                let written = write_all(&mut *state.writer, places).map_err(io_error(WRITE));
                state.next += 1;
                state.failure = written.err().or_else(|| done.failure.take());
                turn.notify_all();
                state.failure.is_none()
            }
            #[cfg(any(unix, windows))]
            Self::File { file, before, holes, failure, stop } => {
                let failed = done.failure.take().or_else(|| {
                    let written = if let Some(holes) = holes {
                        let at = done.first * unit as u64;
                        holes.write(file, at, batch, unit, done.bytes)
                    } else {
                        let (places, at) = placed(before, unit, batch, done);
                        crate::positioned::write(file, at, places)
                    };
                    written.map_err(io_error(WRITE)).err()
                });
                let Some(error) = failed else { return true };
                stop.store(true, Ordering::Relaxed);
                let mut failure = lock(failure);
                if failure.as_ref().is_none_or(|(earlier, _)| index < *earlier) {
                    *failure = Some((index, error));
                }
                false
            }
        }
    }

    /// Ends the run for all workers, those who wait for their turn included.
    fn abandon(&self) {
        match self {
            Self::Stream { state, turn, .. } => {
                lock(state).abandoned = true;
                turn.notify_all();
            }
            #[cfg(any(unix, windows))]
            Self::File { stop, .. } => stop.store(true, Ordering::Relaxed),
        }
    }

    /// Ends the output, if nothing has failed.
    fn end(self) -> Result<()> {
        fn inner<T>(mutex: Mutex<T>) -> T {
            mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
        }
        match self {
            Self::Stream { state, .. } => inner(state).failure.map_or(Ok(()), Err),
            #[cfg(any(unix, windows))]
            Self::File { file, holes, failure, .. } => match inner(failure) {
                Some((_, error)) => Err(error),
                None => holes.map_or(Ok(()), |it| it.end(file).map_err(io_error(WRITE))),
            },
        }
    }
}

impl StreamSink<'_> {
    /// Whether nothing more is to be written.
    fn is_over(&self) -> bool {
        self.abandoned || self.failure.is_some()
    }
}

/// Abandons the sink on panic. A worker that returns forgets it. (To ask whether the thread is
/// panicking would be wrong in a caller's destructor, where it is so from the start.)
struct AbandonOnDrop<'a, 'b>(&'a Sink<'b>);

impl Drop for AbandonOnDrop<'_, '_> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// The bytes so far, counted by all workers.
#[derive(Default)]
struct Counted {
    input: AtomicU64,
    output: AtomicU64,
}

impl Pipeline<'_> {
    /// Carries the whole payload from `source` to `sink`.
    pub(crate) fn carry(&self, source: &Source<'_>, sink: Sink<'_>) -> Result<Totals> {
        let slots = self.slots(source.total());
        let counted = Counted::default();
        let step = |batch: &mut Batch| self.carry_batch(source, &sink, &counted, batch);
        let mut batch = self.new_batch(source.total(), slots);
        if step(&mut batch) && !source.has_ended() {
            let work = |mut batch: Batch| {
                let abandon = AbandonOnDrop(&sink);
                while step(&mut batch) {}
                mem::forget(abandon);
            };
            thread::scope(|scope| {
                let start = || work(self.new_batch(source.total(), slots));
                let spawn = |_| thread::Builder::new().spawn_scoped(scope, start);
                // A thread that cannot be started is a thread less.
                let workers = self.workers(source.total(), slots);
                let others: Vec<_> = (1..workers).map(spawn).filter_map(io::Result::ok).collect();
                work(batch);
                for other in others {
                    // Resumed with its own message: the scope would only say that there was a
                    // panic.
                    other.join().unwrap_or_else(|panic| panic::resume_unwind(panic));
                }
            });
        }
        sink.end()?;
        Ok(Totals { input: counted.input.into_inner(), output: counted.output.into_inner() })
    }

    fn new_batch(&self, total: Option<u64>, slots: usize) -> Batch {
        let (input, output) = (self.cipher.input_unit(), self.cipher.output_unit());
        // An input of less than a segment needs room for itself and a tag.
        let most = total.and_then(|total| usize::try_from(total).ok());
        let most = most.map_or(usize::MAX, |most| most.saturating_add(input.abs_diff(output)));
        Batch::new(slots, input.max(output).min(most))
    }

    /// Carries one batch; whether there may be more.
    fn carry_batch(
        &self,
        source: &Source<'_>,
        sink: &Sink<'_>,
        counted: &Counted,
        batch: &mut Batch,
    ) -> bool {
        if sink.stopped() {
            return false;
        }
        let (mut carried, mut done) = (0, BatchResult::default());
        let index = match source.next(&self.cipher, batch) {
            Ok(None) => return false,
            Err((index, error)) => {
                done.failure = Some(error);
                index
            }
            Ok(Some((index, _))) if self.is_cancelled() => {
                done.failure = Some(Error::Cancelled);
                index
            }
            Ok(Some((index, claim))) => {
                done.first = claim.first;
                // The stored segments are the input of opening, and the output of sealing.
                let opened = self.leaves(!self.cipher.seals(), batch, claim.bytes);
                // Nothing of a segment that is not expected is opened.
                let applied = match (&opened, self.expected) {
                    (_, None) => Ok(()),
                    (Some(leaves), Some(expected)) => {
                        expected.expect(claim.first, leaves, claim.last)
                    }
                    (None, Some(expected)) => expected.expect(claim.first, &[], claim.last),
                };
                let applied = applied.map_err(|error| PartialFailure { output: 0, error });
                match applied.and_then(|()| batch.apply(&self.cipher, &claim)) {
                    Ok(bytes) => {
                        (carried, done.bytes) = (claim.bytes, bytes);
                        let sealed = self.leaves(self.cipher.seals(), batch, bytes);
                        if let (Some(to), Some(leaves)) = (self.leaves, opened.or(sealed)) {
                            to.add(claim.first, leaves);
                        }
                        counted.input.fetch_add(carried as u64, Ordering::Relaxed);
                        counted.output.fetch_add(bytes as u64, Ordering::Relaxed);
                    }
                    Err(PartialFailure { output, error }) => {
                        (done.bytes, done.failure) = (output, Some(error));
                    }
                }
                index
            }
        };
        let go_on = sink.put(index, self.cipher.output_unit(), batch, &mut done);
        if let Some(progress) = self.run.progress {
            progress(carried as u64);
        }
        go_on
    }

    /// The leaves of the stored segments in `batch`, if it `is_stored` and somebody asks for them.
    fn leaves(&self, is_stored: bool, batch: &Batch, bytes: usize) -> Option<Vec<Leaf>> {
        let unit = self.cipher.input_unit().max(self.cipher.output_unit());
        let is_wanted = is_stored && (self.leaves.is_some() || self.expected.is_some());
        is_wanted.then(|| batch.leaves(unit, bytes))
    }

    fn is_cancelled(&self) -> bool {
        self.run.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// How many segments a worker takes at a time.
    fn slots(&self, total: Option<u64>) -> usize {
        // As many in opening as in sealing: lanes go by powers of two.
        let slots = BATCH / self.cipher.input_unit().min(self.cipher.output_unit());
        let segments = usize::try_from(self.segments(total)).unwrap_or(usize::MAX);
        segments.min(slots.clamp(1, MAX_SLOTS))
    }

    /// How many workers there are for that many segments each.
    fn workers(&self, total: Option<u64>, slots: usize) -> usize {
        let unit = self.cipher.input_unit().max(self.cipher.output_unit());
        let affordable = (BUDGET / (slots * batch::stride(unit))).max(1);
        let useful = self.segments(total).div_ceil(slots as u64);
        let useful = usize::try_from(useful).unwrap_or(usize::MAX);
        self.run.threads.unwrap_or_else(cores).get().min(affordable).min(useful)
    }

    fn segments(&self, total: Option<u64>) -> u64 {
        total.map_or(u64::MAX, |total| crate::layout::segments(total, self.cipher.input_unit()))
    }
}

/// To ask the system takes several system calls.
fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

impl Source<'_> {
    /// Whether everything has been taken.
    fn has_ended(&self) -> bool {
        match self {
            Self::Stream(source) => lock(source).ended,
            #[cfg(any(unix, windows))]
            Self::File { .. } => false,
        }
    }
}

/// The output in `batch`, behind what comes `before` the first, and where that begins.
fn placed<'a>(
    before: &'a [u8],
    unit: usize,
    batch: &'a Batch,
    done: &BatchResult,
) -> (Vec<IoSlice<'a>>, u64) {
    let mut places = batch.places(unit, 0, done.bytes);
    if done.first == 0 {
        places.insert(0, IoSlice::new(before));
        return (places, 0);
    }
    (places, before.len() as u64 + done.first * unit as u64)
}

fn write_all(writer: &mut (dyn Write + Send), mut places: Vec<IoSlice<'_>>) -> io::Result<()> {
    let mut rest = &mut places[..];
    // Drops empty slices.
    IoSlice::advance_slices(&mut rest, 0);
    while !rest.is_empty() {
        match writer.write_vectored(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => IoSlice::advance_slices(&mut rest, n),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// A poisoned lock only means that another worker has panicked, which ends the run anyway.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An input with a known short length has room for itself alone; a longer one must not be cut
    /// off.
    #[test]
    fn a_stream_that_is_longer_than_it_may_be_is_refused() {
        let filled = |bytes: usize, most| {
            let (input, mut batch) = (vec![7; bytes], Batch::new(1, 64 + 16));
            let mut reader = &input[..];
            let source = Source::stream(&mut reader, Some(most));
            let Source::Stream(source) = source else { panic!("a file") };
            lock(&source).fill(4096, &mut batch)
        };
        assert_eq!(filled(64, 64).unwrap(), (64, true));
        assert_eq!(filled(10, 64).unwrap(), (10, true));
        assert!(filled(65, 64).is_err());
    }
}
