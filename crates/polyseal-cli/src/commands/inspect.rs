//! `inspect`: what a file says of itself, without a key and so without any proof.

use std::fmt::Write;

use polyseal_file::{ArmorReader, Inspection, PayloadInfo, StanzaInfo, looks_armored};

use super::{print, print_json};
use crate::args::InspectArgs;
use crate::error::{Result, shown};
use crate::file_io::InputFile;
use crate::keys::Sources;

pub(crate) fn inspect(args: &InspectArgs) -> Result {
    if let Some(header) = &args.header {
        let (header, _) = Sources::new([None, None])?.header(header)?;
        let payload = args.file.as_deref().map(|path| InputFile::open(Some(path))).transpose()?;
        let length = payload.and_then(|payload| payload.bytes());
        return show(args, &Inspection::of(&header, length));
    }
    let mut input = InputFile::open(args.file.as_deref())?;
    let inspection = if input.first_byte()?.is_some_and(looks_armored) {
        Inspection::read(&mut ArmorReader::new(input), None)?
    } else {
        let length = input.bytes();
        Inspection::read(&mut input, length)?
    };
    show(args, &inspection)
}

fn show(args: &InspectArgs, inspection: &Inspection) -> Result {
    if args.json { print_json(inspection) } else { print(&text(inspection)) }
}

fn text(file: &Inspection) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<15} {value}");
    };
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
                    line("opened by", format!("an age identity ({})", shown(recipient)));
                }
            }
            _ => line("opened by", "a key that this program does not describe".to_owned()),
        }
    }
    line("context", if file.context { "needed" } else { "none" }.to_owned());
    line("header", format!("{} bytes, {} of them spare", file.payload_offset, file.spare_bytes));
    if let Some(PayloadInfo { bytes: 0, .. }) = &file.payload {
        line("payload", "none: a header alone, or the file was cut off behind it".to_owned());
    } else if let Some(payload) = &file.payload {
        line("payload", format!("{} bytes, segments: {}", payload.bytes, payload.segments));
        line(
            "plaintext",
            payload.plaintext_bytes.map_or_else(
                || "damaged: no whole file has this length".to_owned(),
                |bytes| format!("{bytes} bytes"),
            ),
        );
    }
    line("authenticated", "no: without a key nothing of this is checked".to_owned());
    text
}
