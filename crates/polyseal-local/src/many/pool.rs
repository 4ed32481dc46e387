//! Some threads that each take the next item, and what comes of the items, in their order.
//!
//! A thread is at most [`AHEAD`] items ahead of the one whose turn it is to be delivered: results
//! that wait take bounded memory.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::progress::Progress;

const AHEAD: u64 = 4096;
/// How often the calling thread asks whether more is wanted, while it waits.
const ASKED_EVERY: Duration = Duration::from_millis(100);

struct State<R> {
    waiting: BTreeMap<u64, R>,
    /// The number of the next to be delivered.
    turn: u64,
    /// The threads that may still take an item.
    working: usize,
    /// Those of them that are as far ahead as they may be.
    waiting_ahead: usize,
    /// Nothing more is wanted, or a thread has panicked.
    ended: bool,
}

struct SharedState<R> {
    state: Mutex<State<R>>,
    changed: Condvar,
}

impl<R> SharedState<R> {
    fn state(&self) -> MutexGuard<'_, State<R>> {
        lock(&self.state)
    }

    /// Waits while `condition` holds, and lets `ask` say from time to time whether more is wanted.
    fn wait_while(
        &self,
        condition: impl Fn(&State<R>) -> bool,
        ask: impl Fn() -> bool,
    ) -> MutexGuard<'_, State<R>> {
        let mut state = self.state();
        while condition(&state) {
            let waited = self.changed.wait_timeout(state, ASKED_EVERY);
            let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = guard;
            if timeout.timed_out() {
                drop(state);
                // The caller's own thread may only now hear of a signal.
                if ask() {
                    self.change(|state| state.ended = true);
                }
                state = self.state();
            }
        }
        state
    }

    /// Waits until item `index` is not too far ahead; whether it is still wanted.
    fn may_begin(&self, index: u64) -> bool {
        let too_far = |state: &mut State<R>| !state.ended && index >= state.turn + AHEAD;
        let mut state = self.state();
        if too_far(&mut state) {
            state.waiting_ahead += 1;
            let waited = self.changed.wait_while(state, too_far);
            state = waited.unwrap_or_else(PoisonError::into_inner);
            state.waiting_ahead -= 1;
        }
        !state.ended
    }

    /// Stores the result of item `index`, and wakes its consumer.
    fn deliver(&self, index: u64, result: R) {
        let mut state = self.state();
        state.waiting.insert(index, result);
        let due = index == state.turn;
        drop(state);
        if due {
            self.changed.notify_all();
        }
    }

    fn change(&self, change: impl FnOnce(&mut State<R>)) {
        change(&mut self.state());
        self.changed.notify_all();
    }
}

/// Ends the run for everybody when it is dropped, by a return or a panic.
struct StopOnDrop<'a, R>(&'a SharedState<R>);

impl<R> Drop for StopOnDrop<'_, R> {
    fn drop(&mut self) {
        self.0.change(|state| state.ended = true);
    }
}

/// What comes of the items, in their order.
struct OrderedResults<'a, R> {
    shared: &'a SharedState<R>,
    progress: &'a dyn Progress,
}

impl<R> Iterator for OrderedResults<'_, R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        let shared = self.shared;
        let mut state = shared.wait_while(
            |state| !state.waiting.contains_key(&state.turn) && state.working > 0 && !state.ended,
            || self.progress.cancelled(),
        );
        let turn = state.turn;
        let result = state.waiting.remove(&turn)?;
        state.turn += 1;
        // To wake a thread takes about as long as to seal a small file.
        let waits = state.waiting_ahead > 0;
        drop(state);
        if waits {
            shared.changed.notify_all();
        }
        Some(result)
    }
}

/// Does `work` for each item, on so many threads, and lets `consume` have what comes of it, in the
/// calling thread. When that returns, or `progress` is cancelled, no more items are begun:
/// `consume` then has fewer results than there are items.
pub fn in_order<T: Send, R: Send, O>(
    items: impl Iterator<Item = T> + Send,
    jobs: NonZeroUsize,
    progress: &dyn Progress,
    work: impl Fn(T) -> R + Sync,
    consume: impl FnOnce(&mut (dyn Iterator<Item = R> + Send)) -> O,
) -> O {
    let working = jobs.get();
    let items = items.take_while(|_| !progress.cancelled());
    // CPU time that goes into waking threads would be for nothing.
    if working == 1 {
        return consume(&mut items.map(&work));
    }
    let state =
        State { waiting: BTreeMap::new(), turn: 0, working, waiting_ahead: 0, ended: false };
    let shared = SharedState { state: Mutex::new(state), changed: Condvar::new() };
    let items = Mutex::new(items.enumerate());
    let worker = || {
        let ends = StopOnDrop(&shared);
        loop {
            // The item is taken and the lock released before its work is begun.
            let next = lock(&items).next();
            let Some((index, item)) = next else { break };
            let index = index as u64;
            if !shared.may_begin(index) {
                break;
            }
            let result = work(item);
            shared.deliver(index, result);
        }
        std::mem::forget(ends);
        shared.change(|state| state.working -= 1);
    };
    thread::scope(|scope| {
        let _ends = StopOnDrop(&shared);
        // A thread that cannot be started is a thread less.
        let start = |_: &usize| thread::Builder::new().spawn_scoped(scope, worker).is_ok();
        let started = (0..jobs.get()).filter(start).count();
        if started == 0 {
            // This one does what is asked for.
            let mut items = lock(&items);
            return consume(&mut items.by_ref().map(|(_, item)| work(item)));
        }
        shared.change(|state| state.working -= jobs.get() - started);
        consume(&mut OrderedResults { shared: &shared, progress })
    })
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::*;

    fn jobs(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).unwrap()
    }

    #[test]
    fn results_come_in_order_and_none_is_missing() {
        for n in [1, 2, 7] {
            let work = |item: u64| {
                thread::sleep(Duration::from_micros(item * 7919 % 300));
                item * 2
            };
            let found: Vec<_> = in_order(0..1000, jobs(n), &(), work, |results| results.collect());
            assert!(found.into_iter().eq((0..1000).map(|item| item * 2)), "{n}");
        }
    }

    /// One that takes long does not let the others pile up behind it.
    #[test]
    fn results_that_wait_are_bounded() {
        let begun = AtomicU64::new(0);
        let work = |item: u64| {
            if item == 0 {
                while begun.load(Ordering::Relaxed) < AHEAD - 1 {
                    thread::yield_now();
                }
                thread::sleep(Duration::from_millis(50));
                assert!(begun.load(Ordering::Relaxed) <= AHEAD + 4);
            } else {
                begun.fetch_add(1, Ordering::Relaxed);
            }
        };
        assert_eq!(
            in_order(0..3 * AHEAD, jobs(4), &(), work, |results| results.count() as u64),
            3 * AHEAD
        );
    }

    #[test]
    fn who_wants_no_more_ends_it() {
        let done = AtomicU64::new(0);
        let work = |_| done.fetch_add(1, Ordering::Relaxed);
        in_order(0_u64.., jobs(2), &(), work, |results| results.take(10).count());
        assert!(done.into_inner() >= 10);
    }

    #[test]
    fn a_panic_ends_it() {
        let work = |item: u64| assert_ne!(item, 20);
        let run = || in_order(0..100_000, jobs(2), &(), work, |results| results.count());
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }

    /// Whoever cancels while the first item takes its time is heard, and no other is begun.
    #[test]
    fn cancelling_ends_it() {
        struct CancelAfter(AtomicU64);
        impl Progress for CancelAfter {
            fn cancelled(&self) -> bool {
                self.0.load(Ordering::Relaxed) >= 20
            }
        }
        for n in [1, 3] {
            let done = CancelAfter(AtomicU64::new(0));
            let work = |_| done.0.fetch_add(1, Ordering::Relaxed);
            let found = in_order(0_u64.., jobs(n), &done, work, |results| results.count());
            assert!((20..40).contains(&found), "{found}");
        }
    }
}
