//! The commands, one file each: arguments in, a [`Failure`](crate::error::Failure) or nothing out.

mod aead;
#[cfg(feature = "bench")]
mod bench;
mod cat;
mod completions;
mod crypt;
mod inspect;
mod keygen;
mod limits;
mod many;
#[cfg(feature = "mount")]
mod mount;
mod rekey;
mod selftest;
mod suites;
mod trees;
mod vectors;

use std::io::{self, Write};
use std::path::Path;

pub(crate) use aead::aead;
#[cfg(feature = "bench")]
pub(crate) use bench::bench;
pub(crate) use cat::cat;
pub(crate) use completions::{completions, man};
pub(crate) use crypt::{decrypt, encrypt, verify};
pub(crate) use inspect::inspect;
pub(crate) use keygen::keygen;
pub(crate) use limits::limits;
#[cfg(feature = "mount")]
pub(crate) use mount::mount;
pub(crate) use rekey::rekey;
pub(crate) use selftest::selftest;
pub(crate) use suites::suites;
pub(crate) use vectors::vectors;

use polyseal::registry::Family;

use crate::error::{Code, Failure, Result, shown};

/// The suites for files that are instances of `family`.
fn suites_of(family: &Family) -> impl Iterator<Item = &'static str> {
    let is_of = |name: &&str| name.split(':').next() == Some(family.id);
    polyseal_file::Suite::allowed().iter().copied().filter(is_of)
}

/// Prints to standard output. A reader that has gone, as in `| head`, is an error, not a panic.
fn print(text: &str) -> Result {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> Result {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::io("write", Path::new("standard output"), &error))
}

fn print_json(value: &impl serde::Serialize) -> Result {
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

/// The key in `path` was not drawn at random: it may be a placeholder, or what a failed program
/// left.
pub(crate) fn warn_of_weak(path: &Path) {
    let path = shown(&path.display().to_string());
    warn(&format!("the key in {path} was not drawn at random: others can guess it"));
}
