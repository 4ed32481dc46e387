//! Recipient stanzas of age as text, in the one form that this format takes.
//!
//! Source: the age v1 format (c2sp.org/age), "Recipient stanza". A stanza is a line `-> TYPE
//! ARGUMENT…` and its body in base64 without padding, in lines of 64 characters, of which the last
//! is shorter, and perhaps empty.

use std::{iter, mem};

use base64::prelude::BASE64_STANDARD_NO_PAD;
use base64::{Engine, decoded_len_estimate};
use zeroize::Zeroizing;

/// How the first line of a stanza begins.
pub(crate) const BEGIN: &[u8] = b"-> ";
/// The characters of every line of a body but the last.
pub(crate) const COLUMNS: usize = 64;

/// A recipient stanza of age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgeStanza {
    /// The type of recipient.
    pub tag: String,
    /// The arguments after the type.
    pub args: Vec<String>,
    /// The body, mostly a wrapped file key.
    pub body: Vec<u8>,
}

impl AgeStanza {
    /// Whether it is for a passphrase.
    pub(crate) fn is_scrypt(&self) -> bool {
        self.tag == "scrypt"
    }
}

/// Whether `text` is an arbitrary string of age: visible ASCII, at least one character.
pub(crate) fn is_visible(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_graphic)
}

/// A stanza as it was read: its words where they stand in the text, and its body, which may be a
/// secret that a plugin is given.
pub(crate) struct ReadStanza<'a> {
    pub(crate) tag: &'a str,
    pub(crate) args: Vec<&'a str>,
    pub(crate) body: Zeroizing<Vec<u8>>,
}

/// Stanzas one after the other, and nothing else; `None` for any other text.
pub(crate) fn parse(mut text: &[u8]) -> Option<Vec<AgeStanza>> {
    let mut stanzas = Vec::new();
    while !text.is_empty() {
        let ReadStanza { tag, args, mut body } = parse_first(&mut text)?;
        let args = args.into_iter().map(str::to_owned).collect();
        stanzas.push(AgeStanza { tag: tag.to_owned(), args, body: mem::take(&mut *body) });
    }
    Some(stanzas)
}

/// Takes the first stanza off `text`; `None` if it does not begin with one.
pub(crate) fn parse_first<'a>(text: &mut &'a [u8]) -> Option<ReadStanza<'a>> {
    let words = line(text)?.strip_prefix(BEGIN)?;
    let mut words = words.split(|&byte| byte == b' ').map(|word| {
        let word = is_visible(word).then_some(word)?;
        str::from_utf8(word).ok()
    });
    let tag = words.next()??;
    let args = words.collect::<Option<_>>()?;
    let mut rest = *text;
    let mut length = 0;
    loop {
        let line = line(&mut rest)?.len();
        length += line;
        match line {
            COLUMNS => {}
            0..COLUMNS => break,
            _ => return None,
        }
    }
    // With all their room at once, neither buffer moves, which would leave a copy behind.
    let mut digits = Zeroizing::new(Vec::with_capacity(length));
    while digits.len() < length {
        digits.extend_from_slice(line(text)?);
    }
    *text = rest;
    let mut body = Zeroizing::new(vec![0; decoded_len_estimate(length)]);
    let bytes = BASE64_STANDARD_NO_PAD.decode_slice(&*digits, &mut body).ok()?;
    body.truncate(bytes);
    Some(ReadStanza { tag, args, body })
}

/// The next line of `text`, without its end.
fn line<'a>(text: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = text.iter().position(|&byte| byte == b'\n')?;
    let line = &text[..end];
    *text = &text[end + 1..];
    Some(line)
}

/// The text of `stanzas`, which [`parse`] reads; `None` if a word of theirs is not visible ASCII.
#[cfg_attr(not(feature = "age"), allow(dead_code))]
pub(crate) fn write(stanzas: &[AgeStanza]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for AgeStanza { tag, args, body } in stanzas {
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        write_one(&mut text, tag, &args, body)?;
    }
    Some(text)
}

/// Appends the text of one stanza; `None` as for [`write`]. A text that was empty never moves,
/// which would leave a copy behind: it gets all its room at once.
pub(crate) fn write_one(text: &mut Vec<u8>, tag: &str, args: &[&str], body: &[u8]) -> Option<()> {
    let words = || iter::once(tag).chain(args.iter().copied());
    if !words().all(|word| is_visible(word.as_bytes())) {
        return None;
    }
    let digits = Zeroizing::new(BASE64_STANDARD_NO_PAD.encode(body));
    let first_line = b"->".len() + words().map(|word| 1 + word.len()).sum::<usize>() + 1;
    text.reserve(first_line + digits.len() + digits.len() / COLUMNS + 1);
    text.extend_from_slice(b"->");
    for word in words() {
        text.push(b' ');
        text.extend_from_slice(word.as_bytes());
    }
    text.push(b'\n');
    for line in digits.as_bytes().chunks(COLUMNS) {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    if digits.len().is_multiple_of(COLUMNS) {
        text.push(b'\n');
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stanza(args: &[&str], bytes: usize) -> AgeStanza {
        AgeStanza {
            tag: "X".to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            body: (0..bytes).map(|i| i as u8).collect(),
        }
    }

    #[test]
    fn every_length_there_and_back() {
        for bytes in 0..200 {
            let stanzas = [stanza(&["a", "~!"], bytes), stanza(&[], bytes % 7)];
            let text = write(&stanzas).unwrap();
            assert_eq!(parse(&text).unwrap(), stanzas, "{bytes}");
        }
        assert_eq!(parse(b""), Some(Vec::new()));
        assert_eq!(write(&[stanza(&["a b"], 0)]), None);
        assert_eq!(write(&[stanza(&[""], 0)]), None);
    }

    /// As the crate `age-core` 0.12.0 writes them, an implementation that nobody here has written:
    /// the hash is that of its stanzas, one after the other.
    #[cfg(feature = "age")]
    #[test]
    fn as_age_has_it() {
        use sha2::{Digest, Sha256};

        let stanzas: Vec<_> = (0..200).map(|bytes| stanza(&["argument", "2"], bytes)).collect();
        let text = write(&stanzas).unwrap();
        let hash = base16ct::lower::encode_string(&Sha256::digest(&text));
        assert_eq!(hash, "9760688e0b143e5704dda252a241309c022abe4634dad1736f88756ee3a42af6");
        assert_eq!(parse(&text).unwrap(), stanzas);
    }

    #[test]
    fn nothing_else_is_a_stanza() {
        let full = "A".repeat(COLUMNS);
        for bad in [
            "\n",
            "-> X",
            "-> X\n",
            "-> \n\n",
            "->X\n\n",
            "-> X \n\n",
            "-> X  a\n\n",
            "-> X a\tb\n\n",
            "-> X \u{e9}\n\n",
            "-> X\r\n\r\n",
            "-> X\nAA==\n",
            "-> X\nAB\n",
            "-> X\nA\n",
            "-> X\nAAAA",
            "-> X\nAA A\n",
            "-> X\n\n\n",
            &format!("-> X\n{full}\n"),
            &format!("-> X\n{full}A\n\n"),
            &format!("-> X\nAAAA\n{full}\n\n"),
        ] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad:?}");
        }
        assert!(parse(format!("-> X\n{full}\n\n").as_bytes()).is_some());
    }
}
