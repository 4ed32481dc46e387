//! Unix: signals, modes of terminals, descriptors.

mod signals;
mod streams;
mod terminal;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

pub(crate) use self::streams::{
    Stream, StreamId, descriptor, file_id, given, is_standard_error, keep_descriptors,
    may_have_been_closed, not_given, open, stream_id, to_file,
};
pub(crate) use self::terminal::{QuietTerminal, Terminal};

/// Prepares the process before anything else.
pub(crate) fn prepare() {
    no_core_dump();
    signals::leave_nothing();
    signals::file_size_limit_is_an_error();
}

/// Keys are in memory, and a core dump would have them.
fn no_core_dump() {
    let limit = getrlimit(Resource::Core);
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..limit });
    // Where a dump goes to a program, as systemd has it, the limit is not asked. Nor can another
    // program of the same user look into the memory of this one.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}
