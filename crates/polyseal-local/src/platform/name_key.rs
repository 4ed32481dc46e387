//! Which names mean one file, where the system does not tell all of them apart.

use std::borrow::Cow;
use std::ffi::OsStr;

/// What names are compared by: those with one key are one file. Windows and macOS do not tell upper
/// case from lower case, and macOS does not tell the forms of one character apart; both are held to
/// the stricter rule, for a disk may be shared.
pub(crate) fn name_key(name: &OsStr) -> Cow<'_, OsStr> {
    #[cfg(any(windows, target_os = "macos"))]
    if let Some(name) = name.to_str() {
        use unicode_normalization::UnicodeNormalization;

        let key: String = name.nfd().flat_map(char::to_uppercase).nfc().collect();
        return Cow::Owned(key.into());
    }
    Cow::Borrowed(name)
}

/// Whether two names may have one key. Where they may not, every name that a manifest has is one.
pub(crate) const NAMES_MAY_BE_ONE: bool = cfg!(any(windows, target_os = "macos"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_one() {
        let key = |name: &'static str| name_key(OsStr::new(name));
        for (one, other) in [("Readme", "README"), ("\u{fc}", "u\u{308}"), ("\u{3c3}", "\u{3c2}")] {
            assert_eq!(key(one) == key(other), NAMES_MAY_BE_ONE, "{one}");
        }
        assert_ne!(key("a"), key("b"));
    }
}
