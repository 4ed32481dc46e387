//! All that the tool itself asks of the operating system: signals, the terminal, the streams that
//! it was given. The work on files is in [`polyseal_local`].

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use self::unix as system;
#[cfg(windows)]
use self::windows as system;

pub(crate) use self::system::{
    QuietTerminal, Stream, StreamId, Terminal, descriptor, file_id, given, is_standard_error,
    keep_descriptors, may_have_been_closed, not_given, open, prepare, stream_id, to_file,
};

#[cfg(not(any(unix, windows)))]
compile_error!("the tool needs Unix or Windows; the library polyseal-file does not");
