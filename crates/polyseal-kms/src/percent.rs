//! Percent-encoding (RFC 3986) with one spelling: unreserved characters stand for themselves, and
//! nothing else does.

use std::fmt::Write;

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(3 * text.len());
    for byte in text.bytes() {
        if is_unreserved(byte) {
            encoded.push(char::from(byte));
        } else {
            // Cannot fail: a string takes whatever is written.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// `None` if it is not the one spelling of a text.
pub(crate) fn decode(text: &str) -> Option<String> {
    String::from_utf8(decode_bytes(text)?).ok().filter(|decoded| encode(decoded) == text)
}

/// Takes every spelling, as a URI has them that a user types, and what need not be text.
pub(crate) fn decode_bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, tail @ ..] = rest else { return None };
        let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok());
        bytes.push(digit(*high)? << 4 | digit(*low)?);
        rest = tail;
    }
    Some(bytes)
}
