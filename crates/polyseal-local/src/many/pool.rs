//! Some threads that each take the next item, and the results, in the items' order.
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
/// So many results are worth waking the calling thread, which takes about as long as to seal a
/// small file. Fewer wait while others are under way, until it asks whether more is wanted.
const WORTH_WAKING: usize = 64;
/// How often the calling thread asks whether more is wanted, while it waits.
const ASKED_EVERY: Duration = Duration::from_millis(100);

struct State<R> {
    waiting: BTreeMap<u64, R>,
    /// The number of the next to be delivered.
    turn: u64,
    /// How many have been begun.
    begun: u64,
    /// The threads that may still take an item.
    working: usize,
    /// The threads among them that are as far ahead as they may be, and wait.
    waiting_ahead: usize,
    /// Whether the calling thread sleeps.
    consumer_waits: bool,
    /// Nothing more is wanted, or a thread has panicked.
    ended: bool,
}

impl<R> State<R> {
    fn new(working: usize) -> Self {
        Self {
            waiting: BTreeMap::new(),
            turn: 0,
            begun: 0,
            working,
            waiting_ahead: 0,
            consumer_waits: false,
            ended: false,
        }
    }

    /// Whether to wake the calling thread: it has something to take, and that is enough for it or
    /// all that there will be for now.
    fn is_worth_waking(&self) -> bool {
        let results = self.waiting.len();
        self.consumer_waits
            && self.waiting.contains_key(&self.turn)
            && (results >= WORTH_WAKING || self.turn + results as u64 == self.begun)
    }
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
            state.consumer_waits = true;
            let waited = self.changed.wait_timeout(state, ASKED_EVERY);
            let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = guard;
            state.consumer_waits = false;
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
        state.begun += 1;
        !state.ended
    }

    /// Stores the result of item `index`, and wakes its consumer if there is enough for it.
    fn deliver(&self, index: u64, result: R) {
        let mut state = self.state();
        state.waiting.insert(index, result);
        let wake = state.is_worth_waking();
        // One wake is enough.
        state.consumer_waits &= !wake;
        drop(state);
        if wake {
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

/// The results, in the items' order.
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

/// Does `work` for each item, on so many threads, and gives the results to `consume`, in the
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
    let shared = SharedState { state: Mutex::new(State::new(working)), changed: Condvar::new() };
    let items = Mutex::new(items.enumerate());
    let worker = || work_on(&items, &shared, &work);
    thread::scope(|scope| {
        let _ends = StopOnDrop(&shared);
        // A thread that cannot be started is a thread less.
        let started = (0..jobs.get())
            .filter(|_| thread::Builder::new().spawn_scoped(scope, worker).is_ok())
            .count();
        if started == 0 {
            // This one does.
            let mut items = lock(&items);
            return consume(&mut items.by_ref().map(|(_, item)| work(item)));
        }
        shared.change(|state| state.working -= jobs.get() - started);
        consume(&mut OrderedResults { shared: &shared, progress })
    })
}

/// Takes items, and delivers their results, until there are no more.
fn work_on<T, R>(
    items: &Mutex<impl Iterator<Item = (usize, T)>>,
    shared: &SharedState<R>,
    work: &impl Fn(T) -> R,
) {
    let ends = StopOnDrop(shared);
    loop {
        // The item is taken and the lock released before its work is begun.
        let next = lock(items).next();
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

    /// A single result is delivered at once.
    #[test]
    fn the_calling_thread_is_woken_for_many_results_or_for_all_that_are_under_way() {
        let wakes = |results: std::ops::Range<u64>, begun, consumer_waits| {
            let waiting = results.map(|index| (index, ())).collect();
            State { waiting, begun, consumer_waits, ..State::new(2) }.is_worth_waking()
        };
        assert!(wakes(0..1, 1, true) && wakes(0..2, 2, true));
        assert!(!wakes(0..1, 2, true), "another is under way");
        assert!(!wakes(1..2, 2, true), "the next is missing");
        assert!(!wakes(1..100, 100, true), "the next is missing");
        assert!(wakes(0..64, 100, true) && !wakes(0..64, 100, false));
    }

    /// Fewer wait, and are told all the same.
    #[test]
    fn a_result_is_told_while_the_next_takes_its_time() {
        let told = AtomicU64::new(0);
        let work = |item: u64| {
            while told.load(Ordering::Relaxed) < item {
                thread::yield_now();
            }
        };
        in_order(0..3, jobs(2), &(), work, |results| {
            results.for_each(|()| {
                told.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(told.into_inner(), 3);
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
        in_order(
            0_u64..,
            jobs(2),
            &(),
            |_| done.fetch_add(1, Ordering::Relaxed),
            |results| results.take(10).count(),
        );
        assert!(done.into_inner() >= 10);
    }

    #[test]
    fn a_panic_ends_it() {
        let ended = catch_unwind(AssertUnwindSafe(|| {
            in_order(
                0..100_000,
                jobs(2),
                &(),
                |item| assert_ne!(item, 20),
                |results| results.count(),
            )
        }));
        assert!(ended.is_err());
    }

    /// Cancelling is noticed during a long first item, and no other item is begun.
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
