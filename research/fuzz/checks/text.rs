//! Any text as armour, a key file, recipients, identities and the name of a suite: read, or refused
//! with an error that can be printed; key files and armour as the reference in Python does it.

use std::io::{Read, Write};

use polyseal_file::age::{NoCallbacks, RecipientList, parse_identities, to_recipients};
use polyseal_file::{ArmorReader, ArmorWriter, Error, Header, Key, Suite};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::reference;

/// As `ArmorReader` has it, without what may stand around it.
fn trimmed(text: &[u8]) -> Vec<u8> {
    let text = text.trim_ascii();
    let lines = text.split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.flat_map(|line| [line, b"\n"].concat()).collect()
}

/// The contents of `text`, if it is armour of Polyseal. The reference does not know age's.
fn armor(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    ArmorReader::new(text).read_to_end(&mut bytes).ok()?;
    assert!(matches!(Header::parse(text), Err(Error::Armored)));
    let is_age = text.trim_ascii().starts_with(b"-----BEGIN AGE ");
    let armor = if is_age { ArmorWriter::age } else { ArmorWriter::new };
    let mut armor = armor(Vec::new());
    armor.write_all(&bytes).expect("writing into memory");
    assert_eq!(armor.finish().expect("writing into memory"), trimmed(text));
    (!is_age).then_some(bytes)
}

/// The key's digits, if `text` is a key file.
fn key(text: &[u8]) -> Option<String> {
    let key = match Key::parse(text) {
        Ok(key) => key,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    let file = key.to_file();
    let file = file.reveal();
    assert_eq!(Key::parse(file.as_bytes()).expect("a key file").to_file().reveal(), file);
    let (_, digits) = file.trim_end().rsplit_once('-').expect("digits");
    Some(digits.to_owned())
}

/// Recipients and identities: a whole file is a file, or no line of it was taken.
fn age(text: &[u8]) {
    let mut list = RecipientList::new();
    match list.add_file(text, None) {
        Ok(()) => assert!(!list.is_empty()),
        Err(error) => assert!(list.is_empty() && !error.to_string().is_empty()),
    }
    match parse_identities(text, None, &NoCallbacks) {
        Ok(identities) => assert!(!identities.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    // A plugin's identity, a passphrase or a damaged key may have no recipients; never others.
    if let Ok(recipients) = to_recipients(text, None, &NoCallbacks) {
        assert!(!recipients.is_empty());
        assert!(parse_identities(text, None, &NoCallbacks).is_ok());
    }
}

pub(crate) fn verdict(text: &[u8]) -> Value {
    let sha256 = |bytes: Vec<u8>| base16ct::lower::encode_string(&Sha256::digest(bytes));
    json!({ "key": key(text), "armor": armor(text).map(sha256) })
}

pub(crate) fn check(text: &[u8]) {
    reference::agrees("text", text, &verdict(text));
    age(text);
    if let Some(suite) = str::from_utf8(text).ok().and_then(|text| text.parse::<Suite>().ok()) {
        assert!(Suite::allowed().contains(&&*suite.to_string()));
    }
}
