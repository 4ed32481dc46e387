//! `inspect`: what a file says of itself, without a key and so without any proof.

use std::fmt::Write;

use polyseal_file::Inspection;

use super::{print, print_json};
use crate::args::InspectArgs;
use crate::error::Result;
use crate::file_io::InputFile;

pub(crate) fn inspect(args: &InspectArgs) -> Result {
    let mut input = InputFile::open(Some(&args.file))?;
    let inspection = Inspection::read(&mut input.file, input.length)?;
    if args.json { print_json(&inspection) } else { print(&text(&inspection)) }
}

fn text(file: &Inspection) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<15} {value}");
    };
    line("format", format!("Polyseal file, version {} (provisional)", file.version));
    line("suite", format!("{}, tags of {} bytes", file.suite, file.tag_bytes));
    line("segments", format!("{} bytes", file.segment_bytes));
    line("file salt", file.file_salt.clone());
    for stanza in &file.stanzas {
        line("key", format!("{}, id {}", stanza.kind, stanza.key_id));
    }
    line("payload offset", format!("{} bytes", file.payload_offset));
    if let Some(payload) = &file.payload {
        line("payload", format!("{} bytes in {} segments", payload.bytes, payload.segments));
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
