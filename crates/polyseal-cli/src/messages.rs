//! Messages: results on standard output, notes and warnings on standard error.

use std::io::{self, Write};
use std::path::Path;

use crate::error::{Code, Failure, Result, shown};

/// Prints to standard output. A reader that has gone, as in `| head`, is an error, not a panic.
pub(crate) fn print(text: &str) -> Result {
    print_bytes(text.as_bytes())
}

pub(crate) fn print_bytes(bytes: &[u8]) -> Result {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::io("write", Path::new("standard output"), &error))
}

pub(crate) fn print_json(value: &impl serde::Serialize) -> Result {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::new(Code::Io, format!("cannot write JSON: {error}")))?;
    text.push('\n');
    print(&text)
}

/// Something worth knowing, on standard error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "polyseal: {text}");
}

/// A warning on standard error.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "polyseal: warning: {text}");
}

/// The key in `path` was not drawn at random: it may be a placeholder, or the remains of a failed
/// program.
pub(crate) fn warn_of_weak(path: &Path) {
    let path = shown(&path.display().to_string());
    warn(&format!("the key in {path} was not drawn at random: others can guess it"));
}
