//! Time, and the core's clock.
//!
//! Time is the thread's own processor time: while another program has the core, it stands still.
//!
//! Performance counters are often out of reach (containers, virtual machines), and the time-stamp
//! counter ticks at a nominal rate while the core speeds up and slows down. So the core's frequency
//! is measured, next to everything else that is measured: a chain of dependent one-cycle
//! operations takes a known number of cycles.

use core::hint::black_box;
use core::time::Duration;

/// The processor time of this thread since some fixed moment.
#[cfg(unix)]
#[must_use]
pub fn now() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // The kernel reports neither negative seconds nor nanoseconds above 10^9.
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The time since the first call; here without the processor time of the thread.
#[cfg(not(unix))]
#[must_use]
pub fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// How long `work` takes, in seconds.
pub fn time(work: impl FnOnce()) -> f64 {
    let start = now();
    work();
    (now() - start).as_secs_f64()
}

/// The core's present frequency in hertz: the better of a few short chains, because a disturbance
/// can only make one look slower.
#[must_use]
pub fn frequency() -> f64 {
    (0..3).map(|_| f64::from(LINKS) / time(|| chain(LINKS))).fold(0.0, f64::max)
}

/// About a tenth of a millisecond: short beside a slice, long beside the clock's resolution.
const LINKS: u32 = 400_000;

/// `links` operations of one cycle each, every one waiting for the one before.
///
/// Exclusive or and addition do not commute, so the compiler cannot shorten the chain; both take
/// one cycle on every CPU that the back ends know. The operands are opaque and stay in registers:
/// some CPUs add small constants for free.
fn chain(links: u32) {
    let (a, b) = (black_box(0x9e37_79b9_7f4a_7c15_u64), black_box(0xd1b5_4a32_d192_ed03_u64));
    let mut x = black_box(1_u64);
    for _ in 0..links / 32 {
        for _ in 0..16 {
            x = (x ^ a).wrapping_add(b);
        }
    }
    black_box(x);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_advances_with_work() {
        let before = now();
        chain(10_000_000);
        assert!(now() - before > Duration::from_micros(100));
    }

    /// Not a speed test: a chain that the compiler had shortened would suggest tens of gigahertz.
    #[cfg(not(debug_assertions))]
    #[test]
    fn the_frequency_is_one_that_cores_have() {
        let hertz = frequency();
        assert!((0.2e9..10e9).contains(&hertz), "{hertz}");
    }
}
