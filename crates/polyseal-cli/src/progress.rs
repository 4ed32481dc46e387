//! A progress bar with throughput, on standard error, only if that is a terminal and only for
//! work that takes long enough to be watched.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Below this, the bar would only flash.
const WORTH_SHOWING: u64 = 64 * 1024 * 1024;

const KNOWN: &str = "{wide_bar} {binary_bytes}/{binary_total_bytes}  {binary_bytes_per_sec}  {eta}";
const UNKNOWN: &str = "{spinner} {binary_bytes}  {binary_bytes_per_sec}";

pub(crate) struct Progress {
    bar: ProgressBar,
    shown: AtomicBool,
}

impl Progress {
    /// A bar for `total` bytes, if it is of use. `busy` says that the terminal is the output's.
    pub(crate) fn new(total: Option<u64>, busy: bool) -> Option<Self> {
        if busy || !io::stderr().is_terminal() || total.is_some_and(|t| t < WORTH_SHOWING) {
            return None;
        }
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = if total.is_some() { KNOWN } else { UNKNOWN };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Some(Self { bar, shown: AtomicBool::new(false) })
    }

    pub(crate) fn add(&self, bytes: u64) {
        self.bar.inc(bytes);
        let worth = self.bar.length().is_some() || self.bar.position() >= WORTH_SHOWING;
        if worth && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
