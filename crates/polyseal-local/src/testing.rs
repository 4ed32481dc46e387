//! Moments at which tests end the process or look at it. Release builds have none.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::platform;

/// The number of the moment, if a test has set one.
fn steps() -> Option<AtomicU64> {
    std::env::var("POLYSEAL_TEST_KILLED_AT").ok()?.parse().ok().map(AtomicU64::new)
}

/// A moment at which a test ends the process as SIGKILL does.
pub(crate) fn step() {
    static LEFT: OnceLock<Option<AtomicU64>> = OnceLock::new();
    if !cfg!(debug_assertions) {
        return;
    }
    if let Some(left) = LEFT.get_or_init(steps)
        && left.fetch_sub(1, Ordering::Relaxed) == 1
    {
        platform::kill_as_a_crash_does();
        thread::park();
    }
}

/// A moment for a test to look at a file that is locked: until it makes a file.
pub(crate) fn wait_while_locked() {
    if cfg!(debug_assertions)
        && let Some(until) = std::env::var_os("POLYSEAL_TEST_LOCKED_UNTIL")
    {
        while !Path::new(&until).exists() {
            thread::sleep(Duration::from_millis(5));
        }
    }
}
