//! Any text as armour, a key file, recipients and identities: read, or refused with an error that
//! can be printed.

use std::io::{Read, Write};

use polyseal_file::age::{NoCallbacks, RecipientList, parse_identities};
use polyseal_file::{ArmorReader, ArmorWriter, Key};

/// As `ArmorReader` has it, without what may stand around it.
fn trimmed(text: &[u8]) -> Vec<u8> {
    let text = text.trim_ascii();
    let lines = text.split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.flat_map(|line| [line, b"\n"].concat()).collect()
}

pub(crate) fn check(text: &[u8]) {
    let mut bytes = Vec::new();
    if ArmorReader::new(text).read_to_end(&mut bytes).is_ok() {
        let mut armor = ArmorWriter::new(Vec::new());
        armor.write_all(&bytes).expect("writing into memory");
        assert_eq!(armor.finish().expect("writing into memory"), trimmed(text));
    }
    if let Ok(key) = Key::parse(text) {
        assert!(Key::parse(key.to_file().as_bytes()).is_ok());
    }
    if let Err(error) = RecipientList::new().add_file(text, None) {
        assert!(!error.to_string().is_empty());
    }
    if let Err(error) = parse_identities(text, None, &NoCallbacks) {
        assert!(!error.to_string().is_empty());
    }
}
