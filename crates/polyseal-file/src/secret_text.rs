//! Text that nobody but its owner may see.

use std::fmt;
use std::mem;

use zeroize::Zeroizing;

/// Secret text, such as a typed passphrase or the line of an identity: wiped when dropped, and not
/// shown by `{:?}`.
#[derive(Clone)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// The text, to be used or written to a place of the caller's own.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Takes the text over without a copy. A string that grew has left copies behind.
impl From<String> for SecretText {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl From<Zeroizing<String>> for SecretText {
    fn from(text: Zeroizing<String>) -> Self {
        Self(text)
    }
}

/// The bytes of the text, without a copy that stays behind.
impl From<SecretText> for Zeroizing<Vec<u8>> {
    fn from(mut text: SecretText) -> Self {
        Self::new(mem::take(&mut *text.0).into_bytes())
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_shown_nowhere_and_goes_on_without_a_copy() {
        let text = SecretText::from("attack at dawn".to_owned());
        assert_eq!((text.reveal(), text.clone().reveal()), ("attack at dawn", "attack at dawn"));
        assert_eq!(format!("{text:?} {:?}", Some(&text)).matches("dawn").count(), 0);
        let address = text.reveal().as_ptr();
        let bytes = Zeroizing::<Vec<u8>>::from(text);
        assert_eq!((bytes.as_ptr(), bytes.as_slice()), (address, &b"attack at dawn"[..]));
    }
}
