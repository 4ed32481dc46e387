//! The lines of `ls`: one for each entry of a manifest.

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use humantime::format_rfc3339_seconds;
use polyseal_file::manifest::{Entry, Kind, State, Timestamp};
use serde::Serialize;

use crate::commands::many::json_text;
use crate::error::{Result, shown};

/// How much there is.
#[derive(Default)]
pub(super) struct Counts {
    files: u64,
    bytes: u64,
    failed: u64,
}

impl Counts {
    pub(super) fn add(&mut self, entry: &Entry) {
        self.failed += u64::from(matches!(entry.state, State::Failed(_)));
        if let (Kind::File { plaintext_bytes, .. }, false) =
            (&entry.kind, entry.state == State::Deleted)
        {
            self.files += 1;
            self.bytes = self.bytes.saturating_add(*plaintext_bytes);
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, bytes, failed } = self;
        let noun = if *files == 1 { "file" } else { "files" };
        write!(f, "{files} {noun}, {bytes} bytes")?;
        if *failed > 0 {
            write!(f, "; {failed} could not be taken")?;
        }
        Ok(())
    }
}

/// As `ls -l` has it: mode, size, time in UTC and path, and what is not as it should be.
pub(super) fn line(entry: &Entry) -> String {
    let path = shown(&String::from_utf8_lossy(&entry.path));
    let (kind, bytes, target) = match &entry.kind {
        Kind::File { plaintext_bytes, .. } => ('-', plaintext_bytes.to_string(), String::new()),
        Kind::Directory => ('d', String::from("-"), String::new()),
        Kind::Link { target } => {
            ('l', String::from("-"), format!(" -> {}", shown(&String::from_utf8_lossy(target))))
        }
        Kind::Absent => ('?', String::from("-"), String::new()),
    };
    let mode: String = (0..9)
        .map(|bit| if entry.mode >> (8 - bit) & 1 == 1 { ['r', 'w', 'x'][bit % 3] } else { '-' })
        .collect();
    let state = match entry.state {
        State::New | State::Unchanged => String::new(),
        State::Failed(reason) if entry.kind == Kind::Absent => format!(" (not there: {reason})"),
        State::Failed(reason) => format!(" (of an earlier run: {reason})"),
        State::Deleted => String::from(" (deleted)"),
    };
    let time = utc(entry.modified);
    format!("{kind}{mode} {bytes:>12} {time} {path}{target}{state}\n")
}

#[derive(Serialize)]
struct Line<'a> {
    path: String,
    /// The bytes of the path, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
    kind: &'a str,
    state: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    mode: u16,
    seconds: i64,
    nanoseconds: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_salt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
}

pub(super) fn json_line(entry: &Entry) -> Result<String> {
    let (kind, bytes, file_salt, target) = match &entry.kind {
        Kind::File { plaintext_bytes, bound, .. } => {
            ("file", Some(*plaintext_bytes), Some(hex::encode(bound.file_salt())), None)
        }
        Kind::Directory => ("directory", None, None, None),
        Kind::Link { target } => {
            ("link", None, None, Some(String::from_utf8_lossy(target).into_owned()))
        }
        Kind::Absent => ("absent", None, None, None),
    };
    let (state, reason) = match entry.state {
        State::New => ("new", None),
        State::Unchanged => ("unchanged", None),
        State::Failed(reason) => ("failed", Some(reason.to_string())),
        State::Deleted => ("deleted", None),
    };
    let line = Line {
        path: String::from_utf8_lossy(&entry.path).into_owned(),
        path_hex: std::str::from_utf8(&entry.path).err().map(|_| hex::encode(&entry.path)),
        kind,
        state,
        reason,
        mode: entry.mode,
        seconds: entry.modified.seconds,
        nanoseconds: entry.modified.nanoseconds,
        bytes,
        file_salt,
        target,
    };
    json_text(&line)
}

/// The last second of the year 9999.
const LAST: i64 = 253_402_300_799;

/// A moment as `2026-11-29T15:04:05Z`; one before 1970 or after the year 9999 as `date -d` takes
/// it.
fn utc(time: Timestamp) -> String {
    match u64::try_from(time.seconds) {
        Ok(seconds) if time.seconds <= LAST => {
            format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string()
        }
        _ => format!("@{}", time.seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_795_964_645, "2026-11-29T15:04:05Z"),
            (LAST, "9999-12-31T23:59:59Z"),
            (LAST + 1, "@253402300800"),
            (-1, "@-1"),
        ] {
            assert_eq!(utc(Timestamp { seconds, nanoseconds: 0 }), expected);
        }
    }
}
