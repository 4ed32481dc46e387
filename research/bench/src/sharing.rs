//! Whether another hardware thread computes on the same core.
//!
//! Two hardware threads share a core's execution units, caches and store buffers. A virtual machine
//! does not see the other thread, and a chain of dependent operations, which tells the frequency,
//! takes as long beside it as alone. Independent operations do not: alone, a core starts nearly as
//! many a cycle as it has units; shared, it starts about half of them for each thread. A short
//! message then takes up to 1.7 times as long.

use core::hint::black_box;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use crate::clock;

/// Below this part of the widest that was seen, another thread has the rest.
const ALONE: f64 = 0.87;
/// As long as one measurement of the frequency, with four operations a cycle.
const OPERATIONS: u32 = 36 * 40_000;

/// The most operations a cycle that this process has seen, in thousandths.
static WIDEST: AtomicU32 = AtomicU32::new(0);

/// How many threads keep other CPUs busy now.
static BUSY: AtomicU32 = AtomicU32::new(0);

/// How many independent operations this core starts in a cycle for this thread, now.
#[must_use]
pub fn width() -> f64 {
    let seconds = clock::time(|| independent(OPERATIONS));
    let width = f64::from(OPERATIONS) / seconds / clock::frequency();
    // More is no core: the clock stood still in between.
    if width < 16.0 {
        WIDEST.fetch_max((width * 1000.0) as u32, Ordering::Relaxed);
    }
    width
}

/// The most that [`width`] has found.
#[must_use]
pub fn widest() -> f64 {
    f64::from(WIDEST.load(Ordering::Relaxed)) / 1000.0
}

/// Whether this thread has its core for itself. A core that was shared ever since the process began
/// passes for a narrower one.
#[must_use]
pub fn is_alone() -> bool {
    width() >= ALONE * widest()
}

/// Does `work` while every other CPU that this process may use has something to do.
pub fn beside_busy_threads<T>(work: impl FnOnce() -> T) -> T {
    // The speed of a core alone must be known before.
    black_box(width());
    let others = thread::available_parallelism().map_or(0, |all| all.get() - 1);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let _ending = Ending(&done);
        for _ in 0..others {
            scope.spawn(|| {
                BUSY.fetch_add(1, Ordering::Relaxed);
                while !done.load(Ordering::Relaxed) {
                    independent(OPERATIONS);
                }
                BUSY.fetch_sub(1, Ordering::Relaxed);
            });
        }
        work()
    })
}

/// Ends the threads, also where the work panics.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// `operations` operations of one cycle each, in six chains that do not wait for each other.
///
/// The chains take turns in the variables, and each step has another operation for each of them: so
/// the compiler neither shortens them nor puts two into one register.
fn independent(operations: u32) {
    let (a, b) = (black_box(0x9e37_79b9_7f4a_7c15_u64), black_box(0xd1b5_4a32_d192_ed03_u64));
    let [mut t, mut u, mut v, mut w, mut x, mut y] = black_box([1_u64, 2, 3, 4, 5, 6]);
    for _ in 0..operations / 36 {
        for _ in 0..6 {
            (t, u, v, w, x, y) =
                (u.wrapping_add(a), v ^ b, w.wrapping_add(b), x ^ a, y.wrapping_sub(a), t ^ b);
        }
    }
    black_box([t, u, v, w, x, y]);
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::time::Instant;

    use super::*;

    #[test]
    fn all_other_cpus_are_busy_beside_the_work() {
        let others = thread::available_parallelism().unwrap().get() as u32 - 1;
        let deadline = Instant::now() + Duration::from_secs(60);
        beside_busy_threads(|| {
            while BUSY.load(Ordering::Relaxed) < others {
                assert!(Instant::now() < deadline, "they do not begin");
                thread::yield_now();
            }
        });
    }

    #[test]
    fn busy_threads_end_with_the_work_also_where_it_panics() {
        assert_eq!(beside_busy_threads(|| 7), 7);
        assert!(std::panic::catch_unwind(|| beside_busy_threads(|| panic!("as asked"))).is_err());
    }

    #[test]
    fn no_width_is_above_the_widest() {
        let width = width();
        assert!(width > 0.0);
        assert!(width >= 16.0 || widest() > width - 0.001);
    }

    /// Not a speed test: chains that the compiler had shortened or joined would suggest a core of a
    /// dozen units.
    #[cfg(not(debug_assertions))]
    #[test]
    fn the_width_is_one_that_cores_have() {
        let width = (0..20).map(|_| width()).fold(0.0, f64::max);
        assert!((1.0..11.0).contains(&width), "{width}");
    }
}
