//! What must be removed when a signal ends the process.
//!
//! An unnamed output needs nothing of this. Where an output has a name before it is complete, a
//! thread waits for SIGINT, SIGTERM, SIGHUP and SIGQUIT, removes it, and ends the process as the
//! signal would have. SIGKILL cannot be answered. A signal that was ignored from the start, as
//! under nohup, stays ignored.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

static LEFTOVER: Mutex<Option<PathBuf>> = Mutex::new(None);
static WATCHER: OnceLock<()> = OnceLock::new();

/// While it lives, its file is removed if a signal ends the process.
#[derive(Debug)]
pub(crate) struct RemovedOnSignal(PathBuf);

impl RemovedOnSignal {
    pub(crate) fn new(path: &Path) -> Self {
        WATCHER.get_or_init(watch);
        *leftover() = Some(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for RemovedOnSignal {
    fn drop(&mut self) {
        // A later one may have taken its place.
        let mut leftover = leftover();
        if leftover.as_ref() == Some(&self.0) {
            *leftover = None;
        }
    }
}

/// Turns the signal for "file size limit exceeded" into an error of `write`.
pub(crate) fn file_size_limit_is_an_error() {
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

fn leftover() -> MutexGuard<'static, Option<PathBuf>> {
    LEFTOVER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Without the thread the only loss is the removal, so its errors are not errors.
fn watch() {
    let ignored = ignored();
    let wanted = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
    let Ok(mut signals) = Signals::new(wanted.iter().filter(|&&s| ignored >> (s - 1) & 1 == 0))
    else {
        return;
    };
    let _ = thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            // The lock is kept: nobody registers another name in the last moments.
            let mut leftover = leftover();
            if let Some(path) = leftover.take() {
                let _ = fs::remove_file(path);
            }
            let _ = emulate_default_handler(signal);
        }
    });
}

/// The set of ignored signals, where the system shows it.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
