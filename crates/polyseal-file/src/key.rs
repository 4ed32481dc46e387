//! The user's key and the key file.
//!
//! A key file is text, one line `polyseal-key-1-` and 64 hexadecimal digits among comments that
//! begin with `#`; or it is exactly the 32 bytes of the key. A byte order mark, CRLF and blanks
//! around a line, which editors add, are passed over. All else is strict: a key that was pasted
//! wrongly must not become another key.
//!
//! Limit: a key file is not protected by a passphrase; its file permissions are all that it has.

use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::SecretText;
use crate::error::{Error, KeyFileError, Result};

/// The length of a key in bytes.
pub const KEY_BYTES: usize = 32;

const PREFIX: &str = "polyseal-key-1-";
/// How a wrapped key file begins, of whatever version.
const WRAPPED_PREFIX: &str = "polyseal-wrapped-key-";

/// A 32-byte secret key, wiped when dropped.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Key([u8; KEY_BYTES]);

impl Key {
    /// The longest key file, in bytes, that [`Key::parse`] accepts.
    pub const MAX_FILE_BYTES: usize = 16 * 1024;

    /// A fresh random key.
    ///
    /// # Errors
    /// [`Error::Random`] if the operating system has no random bytes.
    pub fn generate() -> Result<Self> {
        let mut key = Self([0; KEY_BYTES]);
        random(&mut key.0)?;
        Ok(key)
    }

    /// The key with these bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; KEY_BYTES]) -> Self {
        Self(*bytes)
    }

    /// The key in the contents of a key file.
    ///
    /// # Errors
    /// [`Error::KeyFile`] saying what is wrong with it.
    pub fn parse(file: &[u8]) -> Result<Self> {
        if let Ok(bytes) = <&[u8; KEY_BYTES]>::try_from(file) {
            // 32 random bytes are all printable with a probability of 2^-45. All are looked at: how
            // long it takes must not say which is the first that is not.
            let password = bytes.iter().fold(0, |any, &b| any | not_printable(b)) == 0;
            return if password { Err(KeyFileError::Password.into()) } else { Ok(Self(*bytes)) };
        }
        // First: its contents may be longer than a key file.
        if is_wrapped_key(file) {
            return Err(KeyFileError::Wrapped.into());
        }
        if file.len() > Self::MAX_FILE_BYTES {
            return Err(KeyFileError::TooLong.into());
        }
        if is_utf16(file) {
            return Err(KeyFileError::Utf16.into());
        }
        let mut found = None;
        for (number, line) in key_file_lines(file) {
            let Some(digits) = line.strip_prefix(PREFIX.as_bytes()) else {
                return Err(no_key(number, line, file).into());
            };
            if digits.len() != 2 * KEY_BYTES {
                return Err(KeyFileError::Length { line: number, digits: digits.len() }.into());
            }
            let mut key = Self([0; KEY_BYTES]);
            // In constant time: no table, and no exit at the first bad digit.
            base16ct::mixed::decode(digits, &mut key.0).map_err(|_| KeyFileError::Digit(number))?;
            if found.replace(key).is_some() {
                return Err(KeyFileError::SeveralKeys.into());
            }
        }
        let none = if file.is_empty() { KeyFileError::Empty } else { KeyFileError::NoKey };
        found.ok_or_else(|| none.into())
    }

    /// The contents of a key file with this key.
    #[must_use]
    pub fn to_file(&self) -> SecretText {
        let mut digits = Zeroizing::new([0; 2 * KEY_BYTES]);
        // Cannot fail: the buffer has the right length.
        let _ = base16ct::lower::encode(&self.0, digits.as_mut());
        let mut file = Zeroizing::new(String::with_capacity(256));
        file.push_str("# A Polyseal key: keep it secret and keep a copy of it.\n");
        file.push_str("# Anyone who has it can read, alter and forge what it encrypts.\n");
        file.push_str(PREFIX);
        file.extend(digits.iter().map(|&digit| char::from(digit)));
        file.push('\n');
        file.into()
    }

    /// Whether the key could have been drawn at random: see [`looks_random`].
    #[must_use]
    pub fn looks_random(&self) -> bool {
        looks_random(&self.0)
    }

    /// The bytes of the key, to be kept in a place of the caller's own.
    #[must_use]
    pub fn reveal(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8; KEY_BYTES] {
        &mut self.0
    }
}

/// Whether `key` could have been drawn at random. It could not if it has few different bytes, as
/// zeros have, or if each byte is greater than the last by the same number, as in 00 01 02: of
/// random keys of 16 bytes or more, fewer than one in 2^50 are taken for such. It says nothing of
/// keys below 16 bytes, and does not find a key that is weak in any other way.
///
/// ```
/// use polyseal_file::{Key, looks_random};
///
/// assert!(!looks_random(&[0; 32]));
/// assert!(Key::generate()?.looks_random());
/// # Ok::<(), polyseal_file::Error>(())
/// ```
#[must_use]
pub fn looks_random(key: &[u8]) -> bool {
    // Everything is looked at, and nothing is done but arithmetic: how long it takes must say no
    // more than the verdict.
    let is_zero = |b: u8| u32::from(b).wrapping_sub(1) >> 31;
    let mut different = 0;
    for (i, b) in key.iter().enumerate() {
        different += 1 - key[..i].iter().fold(0, |seen, other| seen | is_zero(b ^ other));
    }
    let steps = key.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
    let first_step = steps.clone().next().unwrap_or(0);
    let other_steps = steps.fold(0, |any, step| any | (step ^ first_step));
    // There are 256 different bytes, however long the key is.
    let enough = key.len().min(256) * 3 / 8;
    key.len() < 16 || (different as usize >= enough && other_steps != 0)
}

/// Whether a file is a wrapped key file, of whatever version: docs/spec/wrapped-key.md.
#[must_use]
pub fn is_wrapped_key(file: &[u8]) -> bool {
    // CT: how a file begins is no secret.
    key_file_lines(file).next().is_some_and(|(_, line)| line.starts_with(WRAPPED_PREFIX.as_bytes()))
}

/// The lines of a file of keys that are neither empty nor comments, with their numbers from 1. A
/// byte order mark, LF or CRLF, and blanks around a line are left out; CR alone is not.
pub fn key_file_lines(file: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let numbered = without_mark(file).split_inclusive(|&b| b == b'\n').enumerate();
    numbered
        .map(|(i, line)| {
            let ended = line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n"));
            (i + 1, without_blanks(ended.unwrap_or(line)))
        })
        .filter(|(_, line)| !line.is_empty() && !line.starts_with(b"#"))
}

/// The text without a byte order mark of UTF-8, which some editors put before it.
pub(crate) fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file)
}

fn without_blanks(mut line: &[u8]) -> &[u8] {
    // CT: the text around a key is no part of it.
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = line {
        line = rest;
    }
    line
}

/// Whether a text is in UTF-16: with its byte order mark, or an ASCII character first.
pub(crate) fn is_utf16(file: &[u8]) -> bool {
    matches!(file, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [1..=0x7f, 0, ..] | [0, 1..=0x7f, ..])
}

/// 1 for a byte that no line of typed text has, and else 0.
fn not_printable(b: u8) -> u8 {
    let blank = u8::from(b == b'\t') | u8::from(b == b'\n') | u8::from(b == b'\r');
    (blank ^ 1) & u8::from(b.wrapping_sub(b' ') > b'~' - b' ')
}

/// Says why `line`, which does not begin as a key does, is no key.
fn no_key(number: usize, line: &[u8], file: &[u8]) -> KeyFileError {
    // CT: the beginning says what it is, and is the same for all keys.
    let begins_with = |some: &[&str]| some.iter().any(|s| line.starts_with(s.as_bytes()));
    if begins_with(&["AGE-", "-----BEGIN ", "age-encryption.org/"]) {
        KeyFileError::Identity
    } else if begins_with(&["age1", "ssh-"]) {
        KeyFileError::Recipient
    } else if begins_with(&["polyseal-key-"]) {
        KeyFileError::Version(number)
    } else if str::from_utf8(file).is_err() || file.contains(&0) {
        KeyFileError::NotText(file.len())
    } else {
        KeyFileError::BadLine(number)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(secret)")
    }
}

/// Fills `bytes` from the operating system.
pub(crate) fn random(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|_| Error::Random)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(file: &[u8]) -> KeyFileError {
        match Key::parse(file) {
            Err(Error::KeyFile(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keys_that_nobody_drew() {
        for bytes in [16, 24, 32, 64] {
            for step in [0, 1, 3, 255] {
                let key: Vec<u8> = (0..bytes).map(|i: u8| i.wrapping_mul(step)).collect();
                assert!(!looks_random(&key), "{bytes} bytes, {step}");
            }
            let few = |kinds| {
                let key: Vec<u8> = (0..bytes).map(|i| (i % kinds) ^ (i / kinds % 2)).collect();
                looks_random(&key)
            };
            assert!(!few(2) && !few(bytes / 4));
            for _ in 0..1000 {
                let mut key = vec![0; usize::from(bytes)];
                random(&mut key).unwrap();
                assert!(looks_random(&key), "{key:02x?}");
            }
            // 3/8 of the bytes may be repeated, and one step may be another.
            let least = bytes * 3 / 8;
            let key: Vec<u8> = (0..bytes).map(|i| (i % least) * 7).collect();
            assert!(looks_random(&key));
            let fewer: Vec<u8> = (0..bytes).map(|i| (i % (least - 1)) * 7).collect();
            assert!(!looks_random(&fewer));
        }
        assert!(looks_random(&[0; 15]));
        // Longer ones have no more than 256 different bytes.
        for bytes in [256, 257, 1024] {
            let mut key = vec![0; bytes];
            assert!(!looks_random(&key));
            random(&mut key).unwrap();
            assert!(looks_random(&key), "{bytes} bytes");
            key.iter_mut().enumerate().for_each(|(i, byte)| *byte = (i % 95 * 2) as u8);
            assert!(!looks_random(&key), "{bytes} bytes, 95 different");
        }
    }

    #[test]
    fn text_and_raw_give_the_same_key() {
        let key = Key::generate().unwrap();
        assert_eq!(Key::parse(key.to_file().reveal().as_bytes()).unwrap().0, key.0);
        assert_eq!(Key::parse(&key.0).unwrap().0, key.0);
        let dos = key.to_file().reveal().replace('\n', "\r\n");
        assert_eq!(Key::parse(dos.as_bytes()).unwrap().0, key.0);
    }

    #[test]
    fn every_digit_and_no_other_byte_in_any_place() {
        for at in 0..2 * KEY_BYTES {
            for byte in (0..=u8::MAX).filter(|byte| *byte != b'\n') {
                let mut line = format!("{PREFIX}{}\n", "0".repeat(2 * KEY_BYTES)).into_bytes();
                line[PREFIX.len() + at] = byte;
                match char::from(byte).to_digit(16).map(|value| value as u8) {
                    Some(value) => {
                        let mut key = [0; KEY_BYTES];
                        key[at / 2] = value << (4 * (1 - at % 2));
                        assert_eq!(Key::parse(&line).unwrap().0, key, "{at} {byte}");
                    }
                    None if at == 2 * KEY_BYTES - 1 && matches!(byte, b' ' | b'\t' | b'\r') => {
                        let short = KeyFileError::Length { line: 1, digits: 2 * KEY_BYTES - 1 };
                        assert_eq!(error(&line), short, "{byte}");
                    }
                    None => assert_eq!(error(&line), KeyFileError::Digit(1), "{at} {byte}"),
                }
            }
        }
    }

    #[test]
    fn one_byte_that_is_not_printable_makes_a_key() {
        for byte in 0..=u8::MAX {
            for at in [0, 13, 31] {
                let mut file = *b"correct horse battery staple 32b";
                file[at] = byte;
                let password = matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
                assert_eq!(Key::parse(&file).is_err(), password, "{at} {byte}");
            }
        }
    }

    #[test]
    fn what_editors_add_is_passed_over() {
        let key = Key::generate().unwrap();
        let file = key.to_file();
        let file = file.reveal();
        let line = file.lines().last().unwrap();
        let mark = "\u{feff}";
        for text in [
            format!("{mark}{file}"),
            format!("{mark}{line}"),
            format!("{mark}{}", file.replace('\n', "\r\n")),
            format!(" \t{line}"),
            format!("{line} \t \r\n \t\r\n\t# mine\n"),
        ] {
            assert_eq!(Key::parse(text.as_bytes()).unwrap().0, key.0, "{text:?}");
        }
        for bad in [
            format!("{mark}{mark}{line}"),
            format!("#\n{mark}{line}"),
            format!("{line}\u{a0}"),
            format!("{line}\r\r\n"),
            format!("{line} x"),
            line.replacen("-1-", "-1- ", 1),
        ] {
            assert!(Key::parse(bad.as_bytes()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_is_not_exactly_one_key_is_refused() {
        let line = format!("{PREFIX}{}\n", "0f".repeat(32));
        assert!(Key::parse(line.as_bytes()).is_ok());
        assert_eq!(error(b""), KeyFileError::Empty);
        assert_eq!(error(b"# comment\n\n"), KeyFileError::NoKey);
        assert_eq!(error(line.repeat(2).as_bytes()), KeyFileError::SeveralKeys);
        assert_eq!(error(format!("\n;{line}").as_bytes()), KeyFileError::BadLine(2));
        let short = &line.as_bytes()[..line.len() - 2];
        assert_eq!(error(short), KeyFileError::Length { line: 1, digits: 63 });
        let long = format!("#\n{}0\n", line.trim_end());
        assert_eq!(error(long.as_bytes()), KeyFileError::Length { line: 2, digits: 65 });
        assert_eq!(error(line.replace("-1-", "-2-").as_bytes()), KeyFileError::Version(1));
        assert_eq!(error(b"correct horse battery staple 32b"), KeyFileError::Password);
        assert_eq!(error(b"correct horse battery staple\n"), KeyFileError::BadLine(1));
        assert_eq!(error(b"# created\nAGE-SECRET-KEY-1QQQ\n"), KeyFileError::Identity);
        assert_eq!(error(b"\xef\xbb\xbfage1qqq\n"), KeyFileError::Recipient);
        assert_eq!(error(b"ssh-ed25519 AAAA\n"), KeyFileError::Recipient);
        assert_eq!(error(&[1; 31]), KeyFileError::BadLine(1));
        assert_eq!(error(&[0x81; 31]), KeyFileError::NotText(31));
        assert_eq!(error(&[b'#'; Key::MAX_FILE_BYTES + 1]), KeyFileError::TooLong);
        let wrapped = format!("\u{feff}# A wrapped key\r\n\n polyseal-wrapped-key-2\nurl: {line}");
        assert_eq!(error(wrapped.as_bytes()), KeyFileError::Wrapped);
        let long = wrapped + &"context: a\n".repeat(Key::MAX_FILE_BYTES);
        assert_eq!(error(long.as_bytes()), KeyFileError::Wrapped);
        assert_eq!(
            error(format!("{line}polyseal-wrapped-key-1").as_bytes()),
            KeyFileError::BadLine(2)
        );
        for mark in [&[][..], &[0xfeff]] {
            let units: Vec<u16> = mark.iter().copied().chain(line.encode_utf16()).collect();
            let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            assert_eq!((error(&little), error(&big)), (KeyFileError::Utf16, KeyFileError::Utf16));
        }
    }
}
