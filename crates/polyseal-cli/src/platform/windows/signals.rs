//! Cleaning up when Control-C or Control-Break ends the process: a name that an output has before
//! it is complete, and a console that does not show the input. When a window is closed or a session
//! ends, Windows may not wait for it.

use std::process::exit;
use std::sync::OnceLock;

use polyseal_local::leftovers;

/// How Windows ends what Control-C ends: `STATUS_CONTROL_C_EXIT`.
const CONTROL_C_EXIT: i32 = 0xc000_013a_u32.cast_signed();

/// Sees to it that no output leaves a temporary name when the process is ended.
pub(super) fn leave_nothing() {
    leftovers::watch_with(|| {
        static WATCHER: OnceLock<()> = OnceLock::new();
        // Without it the only loss is what it undoes, so its errors are not errors.
        WATCHER.get_or_init(|| {
            let _ = ctrlc::set_handler(|| end());
        });
    });
}

/// Cleans up, and ends the process.
pub(super) fn end() -> ! {
    // Nobody registers anything in the last moments.
    let _removed = leftovers::remove_all();
    let _ = crossterm::terminal::disable_raw_mode();
    exit(CONTROL_C_EXIT)
}
