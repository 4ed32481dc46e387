//! Text that somebody else has chosen, such as the name of a file, as a terminal or a log may see
//! it.

use std::fmt;

use crate::secrets::without_secrets;

/// Whether a character may make a terminal or a log show something else than the text: control
/// characters, those that end a line, and those that change the direction of the text after them.
#[must_use]
pub fn misleads(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Shows a text with characters that [mislead](misleads) spelt out, so that it can neither move the
/// cursor nor begin a line of its own.
///
/// ```
/// use polyseal_local::Printable;
///
/// assert_eq!(Printable("a\n\u{1b}[2J").to_string(), r"a\n\u{1b}[2J");
/// assert_eq!(Printable("a\u{2028}b").to_string(), r"a\u{2028}b");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| {
            if misleads(character) {
                write!(f, "{}", character.escape_default())
            } else {
                write!(f, "{character}")
            }
        })
    }
}

/// Text that may come from a file or its name, for a message: characters that [mislead](misleads)
/// are spelt out, and keys are withheld.
///
/// ```
/// let text = "AGE-SECRET-KEY-1QQPQQPQQP: \u{7}";
/// assert_eq!(polyseal_local::shown(text), r"(a key, withheld): \u{7}");
/// ```
#[must_use]
pub fn shown(text: &str) -> String {
    Printable(&without_secrets(text)).to_string()
}

/// How many of `bytes` are whole characters and ends of lines, if they are text as far as they go,
/// and none if they are not fit for a terminal. That obeys control characters, C1 among them
/// (U+0080 to U+009F, or these bytes outside of UTF-8): those of a file are not for it, nor is a CR
/// that lets a line be written over.
///
/// ```
/// # use polyseal_local::fit_text;
/// assert_eq!(fit_text("a line\r\nüber".as_bytes()), Some(13));
/// assert_eq!(fit_text(b"begun \xc3"), Some(6));
/// assert_eq!(fit_text(b"a line\r"), Some(6));
/// assert_eq!(fit_text(b"over\rwritten"), None);
/// assert_eq!(fit_text(b"\x1b[2J"), None);
/// ```
#[must_use]
pub fn fit_text(bytes: &[u8]) -> Option<usize> {
    let (text, whole) = match str::from_utf8(bytes) {
        Ok(text) => (text, bytes.len()),
        Err(error) if error.error_len().is_none() => {
            let whole = error.valid_up_to();
            (str::from_utf8(&bytes[..whole]).unwrap_or_default(), whole)
        }
        Err(_) => return None,
    };
    // A CR may be half of an end of line.
    let (text, whole) = match text.strip_suffix('\r') {
        Some(begun) if whole == bytes.len() => (begun, whole - 1),
        _ => (text, whole),
    };
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let fit = match character {
            '\t' | '\n' => true,
            '\r' => characters.peek() == Some(&'\n'),
            other => !misleads(other),
        };
        if !fit {
            return None;
        }
    }
    Some(whole)
}
