//! Windows: control events, the console, handles.
//!
//! Limits: a crash may write memory to disk, where the user has asked Windows for dumps. A
//! passphrase comes from standard input or from the console, for programs are given no other
//! descriptors.

mod console;
mod signals;
mod streams;

pub(crate) use self::console::{QuietTerminal, Terminal};
pub(crate) use self::streams::{
    Stream, StreamId, descriptor, file_id, given, is_standard_error, keep_descriptors,
    may_have_been_closed, not_given, open, stream_id, to_file,
};

/// Prepares the process before anything else.
pub(crate) fn prepare() {
    signals::leave_nothing();
}
