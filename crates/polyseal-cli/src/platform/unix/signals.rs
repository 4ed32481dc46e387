//! Cleaning up when a signal ends the process.
//!
//! An unnamed output needs nothing of this. Where an output has a name before it is complete, or a
//! terminal does not show the input, a thread waits for SIGINT, SIGTERM, SIGHUP and SIGQUIT,
//! removes the one, puts the other right, and ends the process as the signal would have. SIGKILL
//! cannot be answered. A signal that was ignored from the start, as under nohup, stays ignored.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use polyseal_local::leftovers;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::terminal::SavedTerminal;

static UNDO: Mutex<Option<SavedTerminal>> = Mutex::new(None);
static WATCHER: OnceLock<()> = OnceLock::new();

/// Does `make`, and remembers how the terminal was: no signal comes in between.
pub(super) fn undo_later<T>(saved: SavedTerminal, make: impl FnOnce() -> T) -> T {
    WATCHER.get_or_init(watch);
    let mut undo = undo();
    *undo = Some(saved);
    make()
}

/// Puts the terminal right.
pub(super) fn undo_now() {
    put_terminal_right(&mut undo());
}

fn put_terminal_right(undo: &mut Option<SavedTerminal>) {
    if let Some(saved) = undo.take() {
        saved.put_right();
    }
}

/// Cleans up, and ends the process as `signal` would have.
fn end(signal: i32) {
    // The locks are kept: nobody registers anything in the last moments.
    let _removed = leftovers::remove_all();
    put_terminal_right(&mut undo());
    let _ = emulate_default_handler(signal);
}

/// Sees to it that no output leaves a temporary name when a signal comes.
pub(super) fn leave_nothing() {
    leftovers::watch_with(|| {
        WATCHER.get_or_init(watch);
    });
}

/// Turns the signal for "file size limit exceeded" into an error of `write`.
pub(super) fn file_size_limit_is_an_error() {
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

fn undo() -> MutexGuard<'static, Option<SavedTerminal>> {
    UNDO.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Without the thread the only loss is what it undoes, so its errors are not errors.
fn watch() {
    let ignored = ignored();
    let wanted = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
    let Ok(mut signals) = Signals::new(wanted.iter().filter(|&&s| ignored >> (s - 1) & 1 == 0))
    else {
        return;
    };
    let _ = thread::Builder::new().spawn(move || {
        signals.forever().for_each(end);
    });
}

/// The set of ignored signals, where the system shows it.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
