//! `inspect`: the claims of a file's header, without a key and so without any proof.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use polyseal_file::{
    AnyInspection, FormatInspection, Inspection, PayloadInfo, StanzaInfo, age, is_wrapped_key,
};
use polyseal_kms::WrappedKey;

use super::{print, print_json};
use crate::args::InspectArgs;
use crate::error::{Failure, Result, shown};
use crate::file_io::InputFile;
use crate::keys::KeyInputs;

/// Enough to tell the kind of file: the shortest header.
const SNIFFED_BYTES: usize = 4096;

pub(crate) fn inspect(args: &InspectArgs) -> Result {
    if let Some(header) = &args.header {
        let header = KeyInputs::new([None, None])?.header(header)?;
        let payload = args.file.as_deref().map(|path| InputFile::open(Some(path))).transpose()?;
        let length = payload.and_then(|payload| payload.size());
        return show(args, &Inspection::from_header(&header, length));
    }
    let mut input = InputFile::open(args.file.as_deref())?;
    let length = input.size();
    let mut start = Vec::new();
    let mut read_on = |bytes: usize, start: &mut Vec<u8>| {
        let path = args.file.as_deref().unwrap_or_else(|| Path::new("-"));
        let read = (&mut input).take(bytes as u64).read_to_end(start);
        read.map_err(|error| Failure::io("read", path, &error))
    };
    read_on(SNIFFED_BYTES, &mut start)?;
    if is_wrapped_key(&start) {
        read_on(WrappedKey::MAX_FILE_BYTES, &mut start)?;
        return show_wrapped(args, &WrappedKey::parse(&start)?);
    }
    let mut input = start.as_slice().chain(input);
    match AnyInspection::read(&mut input, length)?.file {
        FormatInspection::Polyseal(file) => show(args, &file),
        FormatInspection::Age(file) if args.json => print_json(&file),
        FormatInspection::Age(file) => print(&age_text(&file)),
    }
}

fn show(args: &InspectArgs, file: &Inspection) -> Result {
    if args.json { print_json(file) } else { print(&text(file)) }
}

fn show_wrapped(args: &InspectArgs, key: &WrappedKey) -> Result {
    if args.json {
        return print_json(&serde_json::json!({
            "format": "wrapped-key",
            "version": 1,
            "kms": key.uri().as_str(),
            "context": key.context().pairs().collect::<BTreeMap<_, _>>(),
            "key_id": key.key_id(),
            "recipient": key.recipient(),
            "authenticated": false,
        }));
    }
    let mut text = Lines::default();
    text.line("format", "Polyseal wrapped key, version 1".to_owned());
    text.line("kept by", key.uri().to_string());
    for (name, value) in key.context().pairs() {
        text.line("context", format!("{} = {}", shown(name), shown(value)));
    }
    if let Some(key_id) = key.key_id() {
        text.line("key", shown(key_id));
    }
    if let Some(recipient) = key.recipient() {
        text.line("sealed to", recipient);
    }
    print(&text.payload(None))
}

fn age_text(file: &age::v1::Inspection) -> String {
    let mut text = Lines::default();
    text.line("format", format!("age file, version {}", file.version));
    for recipient in &file.recipients {
        text.line("opened by", opened_by_age(recipient));
    }
    text.line("header", format!("{} bytes", file.payload_offset));
    text.payload(file.payload.as_ref())
}

fn opened_by_age(recipient: &str) -> String {
    match recipient {
        "scrypt" => "a passphrase (scrypt)".to_owned(),
        other => format!("an age identity ({})", shown(other)),
    }
}

/// A description, line by line.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, name: &str, value: String) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{name:<15} {value}");
    }

    /// The last lines, of whichever format.
    fn payload(mut self, payload: Option<&PayloadInfo>) -> String {
        if let Some(PayloadInfo { bytes: 0, .. }) = payload {
            let none = "none: a header alone, or the file was cut off behind it";
            self.line("payload", none.to_owned());
        } else if let Some(payload) = payload {
            let PayloadInfo { bytes, segments, .. } = payload;
            self.line("payload", format!("{bytes} bytes, segments: {segments}"));
            self.line(
                "plaintext",
                payload.plaintext_bytes.map_or_else(
                    || "damaged: no whole file has this length".to_owned(),
                    |bytes| format!("{bytes} bytes"),
                ),
            );
        }
        self.line("authenticated", "no: without a key nothing of this is checked".to_owned());
        self.0
    }
}

fn text(file: &Inspection) -> String {
    let mut lines = Lines::default();
    let mut line = |name: &str, value: String| lines.line(name, value);
    line("format", format!("Polyseal file, version {}", file.version));
    line("suite", format!("{}, tags of {} bytes", file.suite, file.tag_bytes));
    line("segment size", format!("{} bytes", file.segment_bytes));
    line("file salt", file.file_salt.clone());
    for stanza in &file.stanzas {
        match stanza {
            StanzaInfo::KeyFile { .. } => line("opened by", "a key file".to_owned()),
            StanzaInfo::Passphrase { memory_kib, passes, lanes, .. } => line(
                "opened by",
                format!("a passphrase (Argon2id, m={memory_kib} KiB, t={passes}, p={lanes})"),
            ),
            StanzaInfo::Age { recipients, .. } => {
                for recipient in recipients {
                    line("opened by", opened_by_age(recipient));
                }
            }
            _ => line("opened by", "a key that this program does not describe".to_owned()),
        }
    }
    line("context", if file.context { "needed" } else { "none" }.to_owned());
    line("header", format!("{} bytes, {} of them spare", file.payload_offset, file.spare_bytes));
    lines.payload(file.payload.as_ref())
}
