//! Text that somebody else has chosen, such as the name of a file, as a terminal or a log may see
//! it.

use std::fmt;

use crate::secrets::without_secrets;

/// Whether a character may make a terminal show something else than the text: control characters,
/// and those that change the direction of what follows.
#[must_use]
pub fn misleads(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Shows a text with characters that [mislead](misleads) spelt out, so that it can neither move the
/// cursor nor begin a line of its own.
///
/// ```
/// use polyseal_local::Printable;
///
/// assert_eq!(Printable("a\n\u{1b}[2J").to_string(), r"a\n\u{1b}[2J");
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
