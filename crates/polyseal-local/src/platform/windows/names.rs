//! Which names Windows has.
//!
//! The system takes others, too, if it is asked by a handle as it is here. Then hardly any program
//! could open the file, or would open another: a device, a stream of a file, or the one without the
//! dot.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// Devices, with whatever extension.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
/// And with one digit behind each of these.
const NUMBERED: [&str; 2] = ["COM", "LPT"];
const DIGITS: &str = "0123456789¹²³";

/// Whether the name is that of a device, wherever it is.
fn is_device(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ');
    let stem = stem.to_uppercase();
    DEVICES.contains(&&*stem) || NUMBERED.iter().any(|device| is_numbered(&stem, device))
}

/// Whether `stem` is `device` and a digit.
fn is_numbered(stem: &str, device: &str) -> bool {
    let mut digits = stem.strip_prefix(device).unwrap_or_default().chars();
    digits.next().is_some_and(|digit| DIGITS.contains(digit)) && digits.next().is_none()
}

/// Refuses names that no file can have here, and says why.
pub(crate) fn expect_name(name: &[u8]) -> Result<(), &'static str> {
    let name = std::str::from_utf8(name).map_err(|_| "it is not Unicode")?;
    match name.chars().last() {
        None => return Err("it is empty"),
        Some('.') => return Err("it ends with a dot"),
        Some(' ') => return Err("it ends with a space"),
        Some(_) => {}
    }
    if name.contains(|it: char| it < ' ' || "<>:\"/\\|?*".contains(it)) {
        return Err("it has a character that no name has");
    }
    if is_device(name) {
        return Err("it is the name of a device");
    }
    Ok(())
}

/// The same for a name that somebody else has chosen: a name like a short one (`GIT~1`) may mean a
/// file with a long one.
pub(crate) fn expect_restorable_name(name: &[u8]) -> Result<(), &'static str> {
    expect_name(name)?;
    let (stem, extension) = match name.iter().rposition(|&byte| byte == b'.') {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (name, &[][..]),
    };
    let digits = stem.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let is_marked = digits > 0 && stem[..stem.len() - digits].ends_with(b"~");
    if is_marked && stem.len() <= 8 && extension.len() <= 3 {
        return Err("it may be the short name of another file");
    }
    Ok(())
}

/// The same, as an error of the system.
pub(super) fn possible(name: &OsStr) -> io::Result<()> {
    let error =
        |why: &str| io::Error::new(io::ErrorKind::InvalidFilename, format!("the name: {why}"));
    expect_name(bytes(name)).map_err(error)
}

/// A path as a manifest has it.
pub(crate) fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.contains(&b'\\') {
        return bytes.iter().map(|&it| if it == b'\\' { b'/' } else { it }).collect();
    }
    Cow::Borrowed(bytes)
}

/// The path of a manifest's entry, to be shown and looked for. Characters that no path here can
/// have are replaced; where it matters, [`expect_name`] refuses them.
pub(crate) fn path_of_bytes(path: &[u8]) -> Cow<'_, Path> {
    // A name with a separator of Windows would be two.
    let path = String::from_utf8_lossy(path).replace('\\', "\u{fffd}").replace('/', "\\");
    Cow::Owned(path.into())
}

/// The bytes of a name. A manifest has names as bytes, too, in any encoding.
pub(crate) fn bytes(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// The name that these bytes are.
pub(crate) fn name_from_bytes(name: &[u8]) -> Cow<'_, OsStr> {
    match String::from_utf8_lossy(name) {
        Cow::Borrowed(name) => Cow::Borrowed(name.as_ref()),
        Cow::Owned(name) => Cow::Owned(name.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_none() {
        for name in [
            "",
            "a.",
            "a ",
            "...",
            "a:b",
            "a\\b",
            "a/b",
            "a?",
            "a*b",
            "\"",
            "a\tb",
            "con",
            "CON.txt",
            "nul.tar.gz",
            "Aux ",
            "com1",
            "LPT9.x",
            "com\u{b9}",
            "CONOUT$",
            "prn .x",
        ] {
            assert!(expect_name(name.as_bytes()).is_err(), "{name}");
        }
        for name in ["a", ".a", "a.b", "a b", "console", "com", "com10", "nul-1", "\u{fc}", "~$x"] {
            assert_eq!(expect_name(name.as_bytes()), Ok(()), "{name}");
        }
        assert!(expect_name(b"\xff").is_err());
        for name in ["GIT~1", "longfi~1.txt", "a~12.b"] {
            assert!(expect_restorable_name(name.as_bytes()).is_err(), "{name}");
        }
        for name in ["~1x", "longfile~1", "a~1.html", "a~b", "a1"] {
            assert_eq!(expect_restorable_name(name.as_bytes()), Ok(()), "{name}");
        }
    }

    #[test]
    fn paths_go_into_a_manifest_and_come_back() {
        assert_eq!(&*path_bytes(Path::new("a\\b\\c")), b"a/b/c");
        assert_eq!(path_of_bytes(b"a/b/c"), Path::new("a\\b\\c"));
        assert_eq!(path_of_bytes(b"a\\b/c").components().count(), 2);
    }
}
