//! Stanzas on a pipe, to a plugin and from one.
//!
//! Source: c2sp.org/age-plugin, "IPC protocol". A stanza is text, as in the header of an age file.

//!
//! Security claim: what goes over a pipe may be a file key, an identity or a passphrase, and no
//! buffer of it here is given back before it is wiped.

use std::io::{self, BufRead};

use zeroize::Zeroizing;

use crate::stanza::age_text;

/// The longest stanza, in bytes: as long as a header of age.
const MAX_STANZA_BYTES: usize = 1 << 20;

/// A stanza that may hold secrets, wiped when dropped.
pub(in crate::age) struct WireStanza {
    pub(in crate::age) tag: String,
    pub(in crate::age) args: Zeroizing<Vec<String>>,
    pub(in crate::age) body: Zeroizing<Vec<u8>>,
}

/// A message from the other side.
pub(in crate::age) enum Received {
    Stanza(WireStanza),
    /// Something that is no stanza.
    Nonsense,
    /// Nothing more.
    Closed,
}

/// The text of a stanza; `None` if a word of it is not visible ASCII.
pub(in crate::age) fn write(tag: &str, args: &[&str], body: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let mut text = Zeroizing::new(Vec::new());
    age_text::write_one(&mut text, tag, args, body)?;
    Some(text)
}

/// Reads a stanza, and not a byte more.
pub(in crate::age) fn read(from: &mut impl BufRead) -> Received {
    let mut text = Zeroizing::new(Vec::new());
    loop {
        let start = text.len();
        if read_line(from, &mut text).is_err() {
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
    parse(&text).map_or(Received::Nonsense, Received::Stanza)
}

/// The one stanza that `text` is.
fn parse(mut text: &[u8]) -> Option<WireStanza> {
    let age_text::ReadStanza { tag, args, body } = age_text::parse_first(&mut text)?;
    // Each has its final size.
    let args = Zeroizing::new(args.into_iter().map(str::to_owned).collect());
    text.is_empty().then(|| WireStanza { tag: tag.to_owned(), args, body })
}

/// Appends bytes up to the next end of line, or to the longest text.
fn read_line(from: &mut impl BufRead, text: &mut Zeroizing<Vec<u8>>) -> io::Result<()> {
    loop {
        let there = match from.fill_buf() {
            Ok(there) => there,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let there = &there[..there.len().min(MAX_STANZA_BYTES - text.len())];
        let end = there.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
        let taken = end.unwrap_or(there.len());
        append(text, &there[..taken]);
        from.consume(taken);
        if end.is_some() || taken == 0 {
            return Ok(());
        }
    }
}

/// Appends `bytes`. A text that needs more room moves to another buffer, and the old one is wiped.
fn append(text: &mut Zeroizing<Vec<u8>>, bytes: &[u8]) {
    let length = text.len() + bytes.len();
    if length > text.capacity() {
        let room = length.max(2 * text.capacity());
        let mut larger = Zeroizing::new(Vec::with_capacity(room));
        larger.extend_from_slice(text);
        *text = larger;
    }
    text.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn a_stanza_is_read_in_whatever_parts_it_comes() {
        let body: Vec<u8> = (0..500).map(|i| i as u8).collect();
        let text = write("file-key", &["0", "AGE-PLUGIN-X-1ONE"], &body).unwrap();
        assert_eq!(text.len(), text.capacity(), "it has moved");
        let twice = [text.as_slice(), &text].concat();
        for bytes in [1, 2, 63, 64, 65, 4096] {
            let mut from = BufReader::with_capacity(bytes, &twice[..]);
            for _ in 0..2 {
                let Received::Stanza(read) = read(&mut from) else { panic!("{bytes}") };
                assert_eq!((&*read.tag, &read.body[..]), ("file-key", &body[..]));
                assert_eq!(read.args[..], ["0", "AGE-PLUGIN-X-1ONE"]);
            }
            assert!(matches!(read(&mut from), Received::Closed));
        }
        let long = format!("-> {}", "a".repeat(MAX_STANZA_BYTES));
        assert!(matches!(read(&mut long.as_bytes()), Received::Nonsense));
        assert!(write("a b", &[], b"").is_none());
    }
}
