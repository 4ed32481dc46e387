//! The report on many files: one line each if that is asked for, every failure as it comes, and at
//! the end how many failed, which, and how gravely.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use polyseal_local::{misleads, secrets::without_secrets};
use serde::Serialize;

use crate::error::{Code, Failure, Result, shown};
use crate::messages::{note, print};
use crate::progress::Bar;

/// So many failures are told at length, and so many named at the end.
const TOLD: u64 = 100;
const NAMED: usize = 10;

/// The outcome of a file that did not fail.
pub(crate) struct FileSuccess {
    /// The word for it in JSON.
    pub(crate) outcome: &'static str,
    pub(crate) bytes: Option<u64>,
    /// The message where there is no JSON.
    pub(crate) message: Option<String>,
}

/// How much is told of files that did not fail. Failures are told in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// A line for each that has a message.
    Files,
    /// The same, and how many there were at the end.
    FilesAndTotal,
    /// A line of JSON for each.
    Json,
    Nothing,
}

pub(crate) struct Report<'a> {
    telling: Telling,
    bar: &'a Bar,
    files: u64,
    bytes: u64,
    failed: u64,
    gravest: Option<Code>,
    named: Vec<PathBuf>,
    unnamed: u64,
}

/// The message on a file whose outcome is `done`.
pub(crate) fn describe(path: &Path, done: polyseal_local::FileOutcome) -> FileSuccess {
    use polyseal_local::FileOutcome as Local;

    let (outcome, bytes, what) = match done {
        Local::Encrypted { bytes, .. } => ("encrypted", Some(bytes), None),
        Local::Decrypted { bytes } => ("decrypted", Some(bytes), None),
        Local::Verified { bytes } => {
            ("verified", Some(bytes), Some(format!("whole and authentic, {bytes} bytes")))
        }
        Local::AsSigned { bytes } => {
            ("as signed", Some(bytes), Some(format!("as it was signed, {bytes} stored bytes")))
        }
        Local::Unchanged { bytes } => ("unchanged", Some(bytes), None),
        Local::Deleted => ("deleted", None, None),
        Local::Recorded { bytes } => ("recorded", Some(bytes), None),
        Local::Linked { bytes } => ("linked", Some(bytes), None),
        Local::Rekeyed => ("rekeyed", None, Some("rekeyed".to_owned())),
        Local::Reencrypted { bytes } => ("rekeyed", Some(bytes), Some("encrypted anew".to_owned())),
        Local::AlreadyRekeyed => ("already", None, Some("a new key opens it already".to_owned())),
        Local::Left => {
            ("left", None, Some("it is not of this tree, and was left as it is".to_owned()))
        }
        Local::Restored => ("restored", None, Some("the old header has been put back".to_owned())),
        _ => ("done", None, None),
    };
    // Most files have no message, so their names are not looked through.
    let message = what.map(|what| format!("{}: {what}\n", shown(&path.display().to_string())));
    FileSuccess { outcome, bytes, message }
}

/// A line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    path: &'a str,
    /// The bytes of the path, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(telling: Telling, bar: &'a Bar) -> Self {
        let (files, bytes, failed) = (0, 0, 0);
        Self { telling, bar, files, bytes, failed, gravest: None, named: Vec::new(), unnamed: 0 }
    }

    /// Tells of one file, the next.
    pub(crate) fn file(&mut self, path: &Path, done: Result<FileSuccess>) -> Result {
        self.files += 1;
        let failure = match done {
            Ok(done) => {
                self.bytes += done.bytes.unwrap_or(0);
                return match (self.telling, done.message) {
                    (Telling::Json, _) => json(path, done.outcome, done.bytes, None),
                    (Telling::Files | Telling::FilesAndTotal, Some(message)) => print(&message),
                    (Telling::Files | Telling::FilesAndTotal | Telling::Nothing, _) => Ok(()),
                };
            }
            Err(failure) => failure,
        };
        self.failed += 1;
        self.gravest = self.gravest.max(Some(failure.code));
        // A file may fail twice in a row: one is missing, and another stands there.
        if self.named.last().map(PathBuf::as_path) != Some(path) {
            if self.named.len() < NAMED {
                self.named.push(path.to_owned());
            } else {
                self.unnamed += 1;
            }
        }
        if self.telling == Telling::Json {
            return json(path, "failed", None, Some(&failure));
        }
        let failure = failure.about(path);
        self.bar.suspend(|| {
            if self.failed <= TOLD {
                failure.tell();
            }
            if self.failed == TOLD {
                note("further failures are counted; --json lists each");
            }
        });
        Ok(())
    }

    /// The same, as the library says it.
    pub(crate) fn local(
        &mut self,
        path: &Path,
        done: Result<polyseal_local::FileOutcome>,
    ) -> Result {
        self.file(path, done.map(|done| describe(path, done)))
    }

    /// Prints the summary.
    pub(crate) fn end(self) -> Result {
        if self.telling == Telling::FilesAndTotal {
            let (whole, of, bytes) = (self.files - self.failed, self.files, self.bytes);
            let of = if self.failed > 0 { format!(" of {of}") } else { String::new() };
            let files = if self.files == 1 { "file" } else { "files" };
            print(&format!("verified {whole}{of} {files}, {bytes} bytes\n"))?;
        }
        let Some(code) = self.gravest else { return Ok(()) };
        let mut names = String::new();
        for (i, name) in self.named.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            let _ = write!(names, "{comma}{}", name.display());
        }
        if self.unnamed > 0 {
            let _ = write!(names, " and {} more", self.unnamed);
        }
        let message = format!("{} of {} files failed", self.failed, self.files);
        Err(Failure::new(code, message).hint(names))
    }
}

fn json(path: &Path, outcome: &str, bytes: Option<u64>, failure: Option<&Failure>) -> Result {
    let path_hex =
        path.to_str().is_none().then(|| hex::encode(path.as_os_str().as_encoded_bytes()));
    let line = Line {
        path: &without_secrets(&path.to_string_lossy()),
        path_hex,
        outcome,
        bytes,
        code: failure.map(|failure| failure.code as u8),
        error: failure.map(|failure| shown(failure.message())),
    };
    print(&json_text(&line)?)
}

/// A line of JSON that a terminal shows as it is.
pub(crate) fn json_text(line: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(line)
        .map_err(|error| Failure::new(Code::Io, format!("cannot write JSON: {error}")))?;
    Ok(spelt_out(&text) + "\n")
}

/// JSON whose strings have no characters that a terminal obeys: it escapes fewer of its own accord.
fn spelt_out(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if misleads(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(character);
        }
    }
    text
}
