//! What must be undone when a signal ends the process.
//!
//! An unnamed output needs nothing of this. Where an output has a name before it is complete, or a
//! terminal does not show what is typed, a thread waits for SIGINT, SIGTERM, SIGHUP and SIGQUIT,
//! removes the one, puts the other right, and ends the process as the signal would have. SIGKILL
//! cannot be answered. A signal that was ignored from the start, as under nohup, stays ignored.

use std::fs::{self, File};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use polyseal_local::leftovers;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

static UNDO: Mutex<SavedTerminal> = Mutex::new(SavedTerminal { terminal: None });
static WATCHER: OnceLock<()> = OnceLock::new();

struct SavedTerminal {
    terminal: Option<(File, Termios)>,
}

/// What stands for no character among the special ones.
const NO_CHARACTER: u8 = if cfg!(target_os = "linux") { 0 } else { 0xff };

/// The terminal, while it does not show what is typed and gives it as it comes. It gets its modes
/// back when this is dropped, and if a signal ends the process.
#[derive(Debug)]
pub(crate) struct QuietTerminal(File);

impl QuietTerminal {
    /// Nothing where there is no terminal.
    pub(crate) fn new() -> Option<Self> {
        let terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
        let kept = terminal.try_clone().ok()?;
        let modes = tcgetattr(&terminal).ok()?;
        let mut quiet = modes.clone();
        // Not by lines: the system cuts them at 4095 bytes, and says nothing.
        quiet.local_modes -=
            LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::IEXTEN;
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        // Control-C ends it, but nothing stops it: what is typed after that might be shown.
        quiet.special_codes[SpecialCodeIndex::VSUSP] = NO_CHARACTER;
        WATCHER.get_or_init(watch);
        // No signal comes between that and remembering it.
        let mut undo = undo();
        undo.terminal = Some((kept, modes));
        let set = tcsetattr(&terminal, OptionalActions::Now, &quiet);
        drop(undo);
        let quiet = Self(terminal);
        set.is_ok().then_some(quiet)
    }

    pub(crate) fn file(&self) -> &File {
        &self.0
    }
}

impl Drop for QuietTerminal {
    fn drop(&mut self) {
        undo().put_terminal_right();
    }
}

impl SavedTerminal {
    fn put_terminal_right(&mut self) {
        if let Some((terminal, modes)) = self.terminal.take() {
            let _ = tcsetattr(terminal, OptionalActions::Now, &modes);
        }
    }
}

/// Undoes what must be, and ends the process as `signal` would have.
fn end(signal: i32) {
    // The locks are kept: nobody registers anything in the last moments.
    let _removed = leftovers::remove_all();
    undo().put_terminal_right();
    let _ = emulate_default_handler(signal);
}

/// Sees to it that no output leaves a temporary name when a signal comes.
pub(crate) fn leave_nothing() {
    leftovers::watch_with(|| {
        WATCHER.get_or_init(watch);
    });
}

/// Turns the signal for "file size limit exceeded" into an error of `write`.
pub(crate) fn file_size_limit_is_an_error() {
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

fn undo() -> MutexGuard<'static, SavedTerminal> {
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
