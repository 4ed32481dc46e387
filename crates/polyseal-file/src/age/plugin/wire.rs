//! Stanzas on a pipe, to a plugin and from one.
//!
//! Source: c2sp.org/age-plugin, "IPC protocol". A stanza is text, as in the header of an age file.

use std::io::{BufRead, Read};
use std::slice;

use zeroize::{Zeroize, Zeroizing};

use crate::stanza::{AgeStanza, age_text};

/// The longest stanza, in bytes: as long as a header of age.
const MAX_STANZA_BYTES: usize = 1 << 20;

/// A message from the other side.
pub(in crate::age) enum Received {
    Stanza(AgeStanza),
    /// Something that is no stanza.
    Nonsense,
    /// Nothing more.
    Closed,
}

/// The text of a stanza; `None` if a word of it is not visible ASCII.
pub(in crate::age) fn write(tag: &str, args: &[&str], body: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let args = args.iter().map(|&arg| arg.to_owned()).collect();
    let mut stanza = AgeStanza { tag: tag.to_owned(), args, body: body.to_vec() };
    let text = age_text::write(slice::from_ref(&stanza));
    stanza.body.zeroize();
    text.map(Zeroizing::new)
}

/// Reads a stanza, and not a byte more.
pub(in crate::age) fn read(from: &mut impl BufRead) -> Received {
    let mut text = Zeroizing::new(Vec::new());
    loop {
        let start = text.len();
        let room = (MAX_STANZA_BYTES - start) as u64;
        if from.by_ref().take(room).read_until(b'\n', &mut text).is_err() {
            return Received::Closed;
        }
        let line = &text[start..];
        if start == 0 && !line.is_empty() && !line.starts_with(age_text::BEGIN) {
            return Received::Nonsense;
        }
        let Some(line) = line.strip_suffix(b"\n") else {
            return if text.len() == MAX_STANZA_BYTES {
                Received::Nonsense
            } else {
                Received::Closed
            };
        };
        // The first line is none of the body, whose last line is the first that is short.
        if start > 0 && line.len() != age_text::COLUMNS {
            break;
        }
    }
    match age_text::parse(&text).map(|mut stanzas| (stanzas.pop(), stanzas.len())) {
        Some((Some(stanza), 0)) => Received::Stanza(stanza),
        _ => Received::Nonsense,
    }
}
