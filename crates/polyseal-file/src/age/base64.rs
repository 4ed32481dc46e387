//! Base64 as age has it: the standard alphabet, without padding, and only in one spelling.

use ::base64::Engine;
use ::base64::prelude::BASE64_STANDARD_NO_PAD;

pub(super) fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_STANDARD_NO_PAD.encode(bytes)
}

/// The bytes of a text, of which there must be `N`.
pub(super) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    BASE64_STANDARD_NO_PAD.decode(text).ok()?.try_into().ok()
}
