//! Streams that the caller has opened: by any of their names, each read for one thing, and none
//! taken for open that was closed.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::error::{Failure, Result};
use crate::messages::warn;
use crate::platform::{
    Stream, StreamId, descriptor, is_standard_error, may_have_been_closed, stream_id,
};

/// The streams that have been opened to be read, and the name of each in messages. A pipe, a
/// socket, a terminal or standard input gives its bytes once: a second reader, under any name,
/// would take an empty key or seal an empty message, or get bytes meant for the first.
static STREAMS: Mutex<Vec<(StreamId, String)>> = Mutex::new(Vec::new());

/// Refuses a stream that something else is read from. The caller knows whether it has opened
/// `file` as standard input.
pub(crate) fn expect_unread(
    file: &File,
    is_standard_input: bool,
    what: fmt::Arguments<'_>,
) -> Result {
    let id = stream_id(file, is_standard_input);
    let id = id.map_err(|error| Failure::io("read", Path::new(&what.to_string()), &error))?;
    let Some(id) = id else { return Ok(()) };
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, first)) = streams.iter().find(|(other, _)| *other == id) {
        let message = format!("{first} and {what} cannot both come from one stream");
        return Err(Failure::usage(message).hint("name a file for one of them"));
    }
    streams.push((id, what.to_string()));
    Ok(())
}

/// Refuses standard input that was closed when the tool was started: an empty message would be
/// encrypted, and all would seem well.
pub(crate) fn expect_open(stream: &impl Stream, name: &str) -> Result {
    if !may_have_been_closed(stream) {
        return Ok(());
    }
    let message = format!("{name} is closed, or is /dev/null opened to read and to write");
    Err(Failure::usage(message).hint("name the file; use /dev/null if you mean that"))
}

/// Warns of an output that was closed when the tool was started. It is not refused: who starts a
/// program from Python or Node.js and does not want its output gives one that looks the same.
pub(crate) fn expect_wanted(output: &impl Stream, name: &str) -> Result {
    if is_standard_error(output) {
        // The warning would be lost with it.
        return expect_open(output, name);
    }
    if may_have_been_closed(output) {
        warn(&format!("{name} is closed, or is /dev/null: the output is lost"));
    }
    Ok(())
}

/// Whether `path` is a name of standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-") || descriptor(path) == Some(0)
}

/// Whether `path` is a name of standard output.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-") || descriptor(path) == Some(1)
}
