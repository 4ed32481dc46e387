//! Which names mean one file, where the system does not tell all of them apart.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

/// The key by which names are compared: names with one key are one file. Windows and macOS do not
/// tell upper case from lower case, and macOS does not tell the forms of one character apart; both
/// are held to the stricter rule, for a disk may be shared.
pub(crate) fn name_key(name: &OsStr) -> Cow<'_, OsStr> {
    #[cfg(any(windows, target_os = "macos"))]
    if let Some(name) = name.to_str() {
        return Cow::Owned(upper(name).into());
    }
    Cow::Borrowed(name)
}

/// The same of paths on any file system, whatever system runs this: where two differ, hardly one
/// takes them for one file. Where they do not, it may tell them apart all the same.
pub(crate) fn folded(path: &Path) -> String {
    // Characters that a folding directory of Linux passes over.
    const IGNORED: [RangeInclusive<char>; 5] = [
        '\u{ad}'..='\u{ad}',
        '\u{200b}'..='\u{200f}',
        '\u{2060}'..='\u{2064}',
        '\u{fe00}'..='\u{fe0f}',
        '\u{feff}'..='\u{feff}',
    ];
    let names = path.iter().map(|name| {
        let name = name.to_string_lossy();
        let name: String =
            name.chars().filter(|c| !IGNORED.iter().any(|ignored| ignored.contains(c))).collect();
        // Other systems cut these off.
        upper(&name).trim_end_matches(['.', ' ']).to_owned()
    });
    names.collect::<Vec<_>>().join("/")
}

fn upper(name: &str) -> String {
    name.nfd().flat_map(char::to_uppercase).nfc().collect()
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

    #[test]
    fn paths_that_may_be_one() {
        let folded = |path: &'static str| folded(Path::new(path));
        for (one, other) in [
            ("d/Readme", "D/README"),
            ("\u{fc}", "u\u{308}"),
            ("stra\u{df}e", "STRASSE"),
            ("a", "a. "),
            ("a", "a\u{200d}"),
        ] {
            assert_eq!(folded(one), folded(other), "{one}");
        }
        assert_ne!(folded("a/b"), folded("a/c"));
        assert_ne!(folded("a/b"), folded("ab"));
    }
}
