//! A progress bar with throughput, on standard error, only if that is a terminal and only for
//! work that takes long enough to be watched.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Below this, the bar would only flash.
const WORTH_SHOWING: u64 = 64 * 1024 * 1024;
/// Or below so many files.
const FILES_WORTH_SHOWING: u64 = 1000;

const KNOWN: &str =
    "{msg}{wide_bar} {binary_bytes}/{binary_total_bytes}  {binary_bytes_per_sec}  {eta}";
const UNKNOWN: &str = "{spinner} {msg}{binary_bytes}  {binary_bytes_per_sec}";

pub(crate) struct Progress {
    bar: ProgressBar,
    shown: AtomicBool,
    files: AtomicU64,
    of: Option<u64>,
}

impl Progress {
    /// A bar for `total` bytes, if it is of use. `busy` says that the terminal is the output's.
    pub(crate) fn new(total: Option<u64>, busy: bool) -> Option<Self> {
        if busy || !io::stderr().is_terminal() || total.is_some_and(|t| t < WORTH_SHOWING) {
            return None;
        }
        Some(Self::begun(total, None))
    }

    /// A bar for many files, so many if that is known, with so many bytes.
    pub(crate) fn of_files(files: Option<u64>, total: Option<u64>) -> Option<Self> {
        let few = total.is_some_and(|t| t < WORTH_SHOWING)
            && files.is_some_and(|files| files < FILES_WORTH_SHOWING);
        (io::stderr().is_terminal() && !few).then(|| Self::begun(total, files))
    }

    fn begun(total: Option<u64>, files: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = if total.is_some() { KNOWN } else { UNKNOWN };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, shown: AtomicBool::new(false), files: AtomicU64::new(0), of: files }
    }

    pub(crate) fn add(&self, bytes: u64) {
        self.bar.inc(bytes);
        let files = self.files.load(Ordering::Relaxed);
        let worth = self.bar.length().is_some()
            || self.bar.position() >= WORTH_SHOWING
            || files >= FILES_WORTH_SHOWING;
        if worth && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
    }

    /// One more file is done.
    pub(crate) fn file(&self) {
        let files = self.files.fetch_add(1, Ordering::Relaxed) + 1;
        if self.shown.load(Ordering::Relaxed) {
            let of = self.of.map_or_else(String::new, |of| format!(" of {of}"));
            self.bar.set_message(format!("{files}{of} files  "));
        }
        self.add(0);
    }

    /// Lets `tell` write lines, which the bar would otherwise write over.
    pub(crate) fn suspend(&self, tell: impl FnOnce()) {
        self.bar.suspend(tell);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
