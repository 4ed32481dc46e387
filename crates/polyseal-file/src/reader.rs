//! Reading parts of a file, from many threads at once.
//!
//! [`Reader`] is a [`Payload`] with a source of its stored bytes. Neighbouring segments are read at
//! once, at most 4 MiB or one segment, and opened in their destination. The plaintext of the last
//! few segments that were asked for only in part is cached: reading on from there, or up to there,
//! in any of several places, reads and opens nothing twice.
//!
//! Threads share the cache, and do not wait for each other: the lock is held only to take something
//! or to put it down. Memory is 2 MiB or one segment, and for each thread that reads, the stored
//! bytes of one read and two segments.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zeroize::{Zeroize, Zeroizing};

use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::payload::{OpenSegment, Payload, PayloadHead};
use crate::read_at::{ReadAt, fill};

/// Stored bytes of one read, if a segment has no more.
const READ: u64 = 4 * 1024 * 1024;
/// Cache limits, in segments and in bytes; one segment is always kept.
const AT_HAND: u64 = 16;
const AT_HAND_BYTES: u64 = 2 * 1024 * 1024;
/// Bytes of memory that wait to be used again, of either kind.
const SPARE: usize = 8 * 1024 * 1024;

/// The plaintext of a file, of which only the requested parts are read and opened.
///
/// [`read_at`](Self::read_at) takes `&self`: threads can share a reader, if they can share its
/// source. [`Read`] and [`Seek`] work as on a plain file; errors of authenticity come as
/// [`io::ErrorKind::InvalidData`]. [`Decryptor::reader`](crate::Decryptor::reader) makes one.
///
/// ```
/// use std::thread;
///
/// use polyseal_file::{Decryptor, Encryptor, Identities, Input, Key, Output};
///
/// let key = Key::generate()?;
/// let mut sealed = Vec::new();
/// Encryptor::new(&(&key).into())
///     .encrypt(Input::Stream(&mut &b"attack at dawn"[..]), Output::Stream(&mut sealed))?;
///
/// let identities = Identities::from(&key);
/// let reader = Decryptor::new(&identities).reader(&sealed[..])?;
/// let (mut what, mut when) = ([0; 6], [0; 4]);
/// thread::scope(|scope| {
///     scope.spawn(|| reader.read_at(&mut what, 0).unwrap());
///     scope.spawn(|| reader.read_at(&mut when, 10).unwrap());
/// });
/// assert_eq!((&what, &when), (b"attack", b"dawn"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader<S> {
    source: S,
    payload: Payload,
    shared: Mutex<SegmentCache>,
    position: u64,
}

/// The buffers and segments that threads share.
struct SegmentCache {
    /// That which was used last at the end.
    recent_segments: VecDeque<Arc<OpenSegment>>,
    /// Memory that had a segment's plaintext, and is wiped when it is given back.
    segments: Vec<Zeroizing<Vec<u8>>>,
    /// Memory that had stored bytes.
    stored: Vec<Vec<u8>>,
}

impl<S: ReadAt> Reader<S> {
    /// The payload that begins with `head`, after its last segment has been read and opened, unless
    /// a statement tells the length.
    pub(crate) fn new(source: S, head: PayloadHead) -> Result<Self> {
        if head.is_stated() {
            return Ok(Self::with(source, head.stated()?, VecDeque::new()));
        }
        let Range { start, end } = head.last_range();
        let mut last = vec![0; (end - start) as usize];
        fill(&source, &mut last, start)?;
        Self::with_head(source, head, &last)
    }

    /// The same with the stored bytes of the last segment, which have been read.
    pub(crate) fn with_head(source: S, head: PayloadHead, stored: &[u8]) -> Result<Self> {
        let mut last = memory(head.layout());
        last.extend_from_slice(stored);
        let (payload, last) = head.certain_and_last(last)?;
        Ok(Self::with(source, payload, [Arc::new(last)].into()))
    }

    fn with(source: S, payload: Payload, recent_segments: VecDeque<Arc<OpenSegment>>) -> Self {
        let shared = SegmentCache { recent_segments, segments: Vec::new(), stored: Vec::new() };
        Self { source, payload, shared: Mutex::new(shared), position: 0 }
    }

    /// The length of the plaintext in bytes.
    #[must_use]
    pub fn plaintext_bytes(&self) -> u64 {
        self.payload.plaintext_bytes()
    }

    /// Fills `buffer` with the plaintext from `offset`; returns fewer bytes only at its end.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if a segment is not authentic, [`Error::InputChanged`] if the input has
    /// become shorter, [`Error::Io`]. Then the buffer holds nothing of the plaintext: as much of it
    /// as would have been filled is zeros.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let range = self.payload.layout().cut(offset..offset.saturating_add(buffer.len() as u64));
        let out = &mut buffer[..(range.end - range.start) as usize];
        if let Err(error) = self.read_range(range, out) {
            out.zeroize();
            return Err(error);
        }
        Ok(out.len())
    }

    fn read_range(&self, range: Range<u64>, mut out: &mut [u8]) -> Result<()> {
        let unit = self.payload.layout().plain_unit();
        let mut at = range.start;
        while at < range.end {
            let index = at / unit;
            let n = if let Some(open) = self.recent_segment(index) {
                copy(&open, (at % unit) as usize, out)
            } else {
                let mut segments = self.one_read(index, range.end);
                if segments.end - segments.start > 1
                    && self.recent_segment(segments.end - 1).is_some()
                {
                    segments.end -= 1;
                }
                let end = self.payload.layout().plain(&segments).end.min(range.end);
                let n = (end - at) as usize;
                let one = self.payload.layout().plain(&(index..index + 1));
                if segments.end - segments.start == 1 && one != (at..end) {
                    let open = self.open_one(index)?;
                    copy(&open, (at % unit) as usize, out);
                    self.put_recent_segment(open);
                } else {
                    self.open_some(at..end, &mut out[..n])?;
                }
                n
            };
            out = &mut mem::take(&mut out)[n..];
            at += n as u64;
        }
        Ok(())
    }

    /// The segments from `first` on that are read at once, for a plaintext up to `end`.
    fn one_read(&self, first: u64, end: u64) -> Range<u64> {
        let layout = self.payload.layout();
        let most = (READ / layout.stored_unit()).max(1);
        first..layout.holding(0..end).end.min(first + most)
    }

    /// Reads and opens one segment, in memory of its own.
    fn open_one(&self, index: u64) -> Result<OpenSegment> {
        let Range { start, end } = self.payload.layout().stored_range(&(index..index + 1));
        let mut bytes = self.take_buffer();
        bytes.resize((end - start) as usize, 0);
        fill(&self.source, &mut bytes, start)?;
        self.payload.open_segment(index, bytes)
    }

    /// Reads and opens several segments, in `out`. Segments of which only a part is asked for are
    /// cached.
    fn open_some(&self, range: Range<u64>, out: &mut [u8]) -> Result<()> {
        let Range { start, end } = self.payload.stored_range(range.clone());
        let bytes = (end - start) as usize;
        let mut stored = self.shared().stored.pop().unwrap_or_default();
        if stored.len() < bytes {
            stored = vec![0; bytes];
        }
        fill(&self.source, &mut stored[..bytes], start)?;
        self.payload.open_keeping(
            range,
            &stored[..bytes],
            out,
            || self.take_buffer(),
            |open| self.put_recent_segment(open),
        )?;
        let mut shared = self.shared();
        let waiting: usize = shared.stored.iter().map(Vec::len).sum();
        if waiting + stored.len() <= SPARE {
            shared.stored.push(stored);
        }
        Ok(())
    }

    fn recent_segment(&self, index: u64) -> Option<Arc<OpenSegment>> {
        let recent_segments = &mut self.shared().recent_segments;
        let found = recent_segments.iter().position(|open| open.index() == index)?;
        let open = recent_segments.remove(found)?;
        recent_segments.push_back(Arc::clone(&open));
        Some(open)
    }

    /// Empty memory for a segment. Where segments are too large to wait for their turn, it is that
    /// of the one at hand, whose turn is over.
    fn take_buffer(&self) -> Zeroizing<Vec<u8>> {
        let mut shared = self.shared();
        if let Some(spare) = shared.segments.pop() {
            return spare;
        }
        let layout = self.payload.layout();
        let large = layout.stored_unit() > SPARE as u64;
        let over = if large { shared.recent_segments.pop_front() } else { None };
        drop(shared);
        over.and_then(Arc::into_inner).map_or_else(
            || memory(layout),
            |open| {
                let mut bytes = open.into_bytes();
                bytes.clear();
                bytes
            },
        )
    }

    fn put_recent_segment(&self, open: OpenSegment) {
        let most = (AT_HAND_BYTES / self.payload.layout().stored_unit()).clamp(1, AT_HAND);
        let before = {
            let recent_segments = &mut self.shared().recent_segments;
            let same = recent_segments.iter().position(|it| it.index() == open.index());
            recent_segments.push_back(Arc::new(open));
            match same {
                Some(same) => recent_segments.remove(same),
                None if recent_segments.len() as u64 > most => recent_segments.pop_front(),
                None => None,
            }
        };
        // If another thread is still reading it, that one gives it back, to the system.
        let Some(open) = before.and_then(Arc::into_inner) else { return };
        let mut bytes = open.into_bytes();
        let mut shared = self.shared();
        let waiting: usize = shared.segments.iter().map(|spare| spare.capacity()).sum();
        if waiting + bytes.capacity() <= SPARE {
            bytes.clear();
            shared.segments.push(bytes);
        }
    }

    /// A poisoned lock is as good as any: its contents are whole at any time.
    fn shared(&self) -> MutexGuard<'_, SegmentCache> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory for any segment, with its final size from the start: growing would leave copies behind.
fn memory(layout: &Layout) -> Zeroizing<Vec<u8>> {
    let bytes = layout.stored_unit().min(layout.stored_bytes());
    Zeroizing::new(Vec::with_capacity(bytes as usize))
}

/// Copies the bytes of `open` from `start` on, as many as there is room for.
fn copy(open: &OpenSegment, start: usize, out: &mut [u8]) -> usize {
    let part = open.from(start);
    let n = part.len().min(out.len());
    out[..n].copy_from_slice(&part[..n]);
    n
}

impl<S: ReadAt> Read for Reader<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.read_at(buffer, self.position).map_err(into_io)?;
        self.position += n as u64;
        Ok(n)
    }
}

impl<S: ReadAt> Seek for Reader<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => self.plaintext_bytes().checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

fn into_io(error: Error) -> io::Error {
    match error {
        Error::Io { source, .. } => source,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}

impl<S> fmt::Debug for Reader<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("payload", &self.payload).finish_non_exhaustive()
    }
}
