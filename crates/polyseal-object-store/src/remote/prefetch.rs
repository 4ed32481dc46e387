//! Reading ahead, so that a program that reads an object in order does not wait for each of its
//! parts.
//!
//! Scattered reads are fetched as they are asked for, and no more. After a few reads that follow
//! each other, give or take [`NEAR`], blocks are fetched before they are asked for, several at
//! once: first one, then as many as lie in [`WINDOW`]. Those are all the memory that it takes.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use polyseal_file::ReadAt;
use tokio::task::AbortHandle;

use super::reader::PinnedObject;
use super::runtime::{spawn, wait};

/// Bytes that are fetched in one request.
const BLOCK: u64 = 2 * 1024 * 1024;
/// How far before the bytes read so far blocks are fetched.
const WINDOW: u64 = 7 * BLOCK;
/// The kernel asks for parts that follow each other from several threads, in any order.
const NEAR: u64 = 1024 * 1024;
/// So many reads that follow each other are no accident.
const IN_ORDER: u32 = 3;

/// Gets a range of bytes, of always the same version.
type FetchRange = dyn Fn(Range<u64>) -> BoxFuture<'static, io::Result<Bytes>> + Send + Sync;

/// Fetches ahead when bytes are read in order.
pub struct Prefetcher {
    fetch: Box<FetchRange>,
    size: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The end of the bytes that have been read.
    reached: u64,
    /// Reads that followed each other.
    run: u32,
    /// Reads elsewhere, since.
    strays: u32,
    blocks: VecDeque<Block>,
}

/// One that is being fetched, or has been.
struct Block {
    range: Range<u64>,
    bytes: BlockFuture,
    task: AbortHandle,
}

type BlockFuture = Shared<BoxFuture<'static, Result<Bytes, Arc<io::Error>>>>;

impl Prefetcher {
    /// The stored bytes of an object.
    #[must_use]
    pub fn new_for(object: Arc<PinnedObject>) -> Self {
        let size = object.meta().size;
        let fetch = move |range| {
            let object = Arc::clone(&object);
            async move { object.bytes(range).await }.boxed()
        };
        Self::new(size, Box::new(fetch))
    }

    /// `size` bytes, which `fetch` gets.
    fn new(size: u64, fetch: Box<FetchRange>) -> Self {
        Self { fetch, size, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The block that has the beginning of `range`, if there is one; others are begun.
    fn block(&self, range: &Range<u64>) -> io::Result<Option<(u64, BlockFuture)>> {
        let mut state = self.state();
        if range.start.abs_diff(state.reached) > NEAR {
            // A thread may have been left behind by the others; several reads are a new place.
            let found = state.find(range.start);
            state.strays += 1;
            if found.is_none() && state.strays >= IN_ORDER {
                *state = State { reached: range.end, ..State::default() };
            }
            return Ok(found);
        }
        state.strays = 0;
        state.reached = state.reached.max(range.end);
        state.run = state.run.saturating_add(1);
        if state.run >= IN_ORDER {
            let ramp = (BLOCK << (state.run - IN_ORDER).min(8)).min(WINDOW);
            let until = state.reached.saturating_add(ramp).min(self.size);
            let mut from = state.blocks.back().map_or(range.end, |block| block.range.end);
            while from < until {
                let range = from..self.size.min(from + BLOCK);
                from = range.end;
                let bytes = (self.fetch)(range.clone()).map(|it| it.map_err(Arc::new));
                let bytes = bytes.boxed().shared();
                let task = spawn(bytes.clone())?.abort_handle();
                state.blocks.push_back(Block { range, bytes, task });
            }
            let passed = state.reached.saturating_sub(NEAR);
            while state.blocks.front().is_some_and(|block| block.range.end < passed) {
                state.blocks.pop_front();
            }
        }
        Ok(state.find(range.start))
    }
}

impl State {
    /// The block that has this byte, and where it begins.
    fn find(&self, at: u64) -> Option<(u64, BlockFuture)> {
        let block = self.blocks.iter().find(|block| block.range.contains(&at))?;
        Some((block.range.start, block.bytes.clone()))
    }
}

impl Drop for Block {
    /// A caller who waits for it goes on by itself.
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl std::fmt::Debug for Prefetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ahead").field("size", &self.size).finish_non_exhaustive()
    }
}

impl ReadAt for Prefetcher {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let end = offset.saturating_add(buffer.len() as u64).min(self.size);
        if offset >= end {
            return Ok(0);
        }
        let (start, bytes) = match self.block(&(offset..end))? {
            Some((start, bytes)) => match wait(bytes)? {
                Ok(bytes) => (start, bytes),
                Err(error) => {
                    // The next caller fetches a failed block anew.
                    *self.state() = State::default();
                    return Err(io::Error::new(error.kind(), error.to_string()));
                }
            },
            None => (offset, wait((self.fetch)(offset..end))??),
        };
        let bytes = bytes.get((offset - start) as usize..).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(buffer.len())];
        buffer[..bytes.len()].copy_from_slice(bytes);
        Ok(bytes.len())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    const SIZE: u64 = 40 * 1024 * 1024 + 5;
    const PART: usize = 131_072;

    #[derive(Default)]
    struct FakeObject {
        requests: Mutex<Vec<Range<u64>>>,
        fails: AtomicBool,
        now: AtomicUsize,
        most: AtomicUsize,
    }

    fn byte(at: u64) -> u8 {
        (at % 251 + at / 65_536) as u8
    }

    fn object(seen: &Arc<FakeObject>) -> Prefetcher {
        let seen = Arc::clone(seen);
        let fetch = move |range: Range<u64>| {
            let seen = Arc::clone(&seen);
            seen.requests.lock().unwrap().push(range.clone());
            async move {
                seen.most.fetch_max(seen.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(50)).await;
                seen.now.fetch_sub(1, Ordering::SeqCst);
                if seen.fails.load(Ordering::SeqCst) {
                    return Err(io::ErrorKind::ConnectionReset.into());
                }
                Ok(range.map(byte).collect())
            }
            .boxed()
        };
        Prefetcher::new(SIZE, Box::new(fetch))
    }

    fn expect_part(ahead: &Prefetcher, at: u64) {
        let mut part = vec![0; PART.min((SIZE - at) as usize)];
        let mut done = 0;
        while done < part.len() {
            done += ahead.read_at(&mut part[done..], at + done as u64).unwrap();
        }
        assert!(part.iter().zip(at..).all(|(&found, at)| found == byte(at)), "from {at}");
    }

    #[test]
    fn what_is_read_in_order_is_fetched_ahead_several_at_once_and_nothing_twice() {
        let seen = Arc::new(FakeObject::default());
        let ahead = object(&seen);
        for at in (0..SIZE).step_by(PART) {
            expect_part(&ahead, at);
        }
        let requests = seen.requests.lock().unwrap();
        let bytes: u64 = requests.iter().map(|range| range.end - range.start).sum();
        assert_eq!(bytes, SIZE);
        assert!(requests.len() as u64 <= SIZE / BLOCK + u64::from(IN_ORDER) + 1);
        assert!((4..=8).contains(&seen.most.load(Ordering::SeqCst)), "{:?}", seen.most);
    }

    #[test]
    fn what_is_read_here_and_there_is_fetched_as_it_is_asked_for() {
        let seen = Arc::new(FakeObject::default());
        let ahead = object(&seen);
        for i in 0..100 {
            expect_part(&ahead, i * 7919 * 4096 % (SIZE - PART as u64) / 4096 * 4096);
        }
        let requests = seen.requests.lock().unwrap();
        assert!(requests.len() == 100, "{}", requests.len());
        assert!(requests.iter().all(|range| range.end - range.start == PART as u64));
    }

    #[test]
    fn what_failed_is_an_error_and_fetched_anew() {
        let seen = Arc::new(FakeObject::default());
        let ahead = object(&seen);
        (0..4).for_each(|i| expect_part(&ahead, i * PART as u64));
        seen.fails.store(true, Ordering::SeqCst);
        let failed = (4..500).any(|i| ahead.read_at(&mut [0; PART], i * PART as u64).is_err());
        assert!(failed);
        seen.fails.store(false, Ordering::SeqCst);
        (0..SIZE).step_by(PART).for_each(|at| expect_part(&ahead, at));
        assert_eq!(ahead.read_at(&mut [0; 9], SIZE).unwrap(), 0);
    }

    #[test]
    fn threads_that_read_near_each_other_read_in_order() {
        let seen = Arc::new(FakeObject::default());
        let ahead = object(&seen);
        let next = Mutex::new((0..SIZE).step_by(PART));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while let Some(at) = { next.lock().unwrap().next() } {
                        expect_part(&ahead, at);
                    }
                });
            }
        });
        let requests = seen.requests.lock().unwrap();
        let bytes: u64 = requests.iter().map(|range| range.end - range.start).sum();
        assert!(bytes <= SIZE + 32 * PART as u64, "{bytes} bytes of {SIZE}");
        assert!(requests.len() < 80, "{}", requests.len());
    }
}
