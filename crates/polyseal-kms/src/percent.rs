//! Percent-encoding (RFC 3986) with one spelling: unreserved characters stand for themselves, and
//! nothing else does.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All that is not unreserved.
const ENCODED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(crate) fn encode(text: &str) -> String {
    // It may be a secret: a string that grows leaves copies behind.
    let mut encoded = String::with_capacity(3 * text.len());
    encoded.extend(utf8_percent_encode(text, &ENCODED));
    encoded
}

/// `None` if it is not the one spelling of a text.
pub(crate) fn decode(text: &str) -> Option<String> {
    String::from_utf8(decode_bytes(text)?).ok().filter(|decoded| encode(decoded) == text)
}

/// Takes every spelling, as a URI has them that a user types, and what need not be text.
pub(crate) fn decode_bytes(text: &str) -> Option<Vec<u8>> {
    // The library takes a `%` without two digits for itself.
    let is_byte = |rest: &str| {
        rest.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(is_byte) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    bytes.extend(percent_decode_str(text));
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_one_spelling_and_is_read_in_each() {
        let all: String = (0..=127).map(char::from).chain(['é', '€']).collect();
        let encoded = encode(&all);
        assert!(encoded.ends_with("xyz%7B%7C%7D~%7F%C3%A9%E2%82%AC"), "{encoded}");
        assert!(encoded.contains("%2C-.%2F0123456789%3A"), "{encoded}");
        assert_eq!(decode(&encoded).as_deref(), Some(all.as_str()));
        assert_eq!(decode_bytes("a%fF+%00").as_deref(), Some(&b"a\xff+\0"[..]));
        for other in ["%41", "%c3%a9", "a b", "+"] {
            assert!(decode_bytes(other).is_some() && decode(other).is_none(), "{other}");
        }
        for none in ["%", "%4", "a%zz", "%%41", "%+1", "%4é"] {
            assert_eq!(decode_bytes(none), None, "{none}");
        }
        assert_eq!(decode("%FF"), None);
    }
}
