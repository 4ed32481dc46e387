//! Keys that stand where they do not belong, such as in the place of a file's name: messages may be
//! kept in a log.
//!
//! Limits: a key in hexadecimal looks like a hash, and a passphrase like a name.

use std::cmp::Reverse;
use std::ops::Range;
use std::path::Path;

/// The length in bytes of the secret that a text begins with, if it is one.
type Length = fn(&str) -> Option<usize>;

/// How texts begin that may be secret, in either case, and what makes them so: the length of the
/// key from there on, if it is one.
const SECRETS: [(&str, Length); 3] = [
    ("polyseal-key-", polyseal_key),
    ("age-secret-key-", |text| key_behind(text, "age-secret-key-".len())),
    ("age-plugin-", plugin_identity),
];

/// A key of Polyseal, of whatever version: a later one is as secret.
fn polyseal_key(text: &str) -> Option<usize> {
    let version = text.strip_prefix("polyseal-key-")?;
    let behind = version.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('-')?;
    let prefix = text.len() - behind.len();
    key_behind(text, prefix).filter(|_| prefix > "polyseal-key--".len())
}

/// The identity of a plugin of age: `age-plugin-NAME-1` and data in Bech32. Without these, a text
/// in lower case is the name of a program, or of a file.
fn plugin_identity(text: &str) -> Option<usize> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
    // No further: a text may begin so at every word of it.
    let mut name = text.char_indices().take(MAX_NAME_BYTES);
    let end = name.find(|&(_, c)| !is_of_name(c)).map(|(at, _)| at);
    let name = &text[..end.unwrap_or(text.len().min(MAX_NAME_BYTES))];
    let data = name.match_indices("-1").map(|(at, one)| at + one.len());
    let mut identities = data.filter(|&at| {
        let data = &text[at..];
        data.len() - data.trim_start_matches(|c| BECH32.contains(c)).len() >= MIN_BECH32
    });
    identities.next().map(|at| at + end_of_key(&text[at..]))
}

/// The longest name of a program, in bytes, and the `-1` behind it.
const MAX_NAME_BYTES: usize = 255 + 2;
/// The characters of the data of Bech32.
const BECH32: &str = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
/// So many of them, of which six are a checksum, are no word and no date.
const MIN_BECH32: usize = 12;

/// A key behind a prefix of so many bytes. A bare prefix is not a secret.
fn key_behind(text: &str, prefix: usize) -> Option<usize> {
    Some(end_of_key(text)).filter(|&length| length > prefix + 8)
}

/// The first secret of `text`, from its first byte to behind its last.
fn first_secret(text: &str) -> Option<Range<usize>> {
    let NormalizedText { text: plain, places } = &NormalizedText::new(text);
    let lower = plain.to_ascii_lowercase();
    let keys = SECRETS.into_iter().filter_map(|(begins, length)| {
        let mut found = lower.match_indices(begins);
        found.find_map(|(at, _)| Some(at..at + length(&lower[at..])?))
    });
    // In upper case, no program has the name: it is withheld also if it is damaged.
    let damaged = plain
        .match_indices("AGE-PLUGIN-")
        .find_map(|(at, begins)| Some(at..at + key_behind(&plain[at..], begins.len())?));
    // A private key of SSH or of anything else, which has many lines: nothing after it is shown.
    let private = lower.find("-----begin ").filter(|&at| {
        // At the beginning of a text, also one that was cut short.
        at == 0 || lower[at..].contains("private key")
    });
    let body = lower.find("b3blbnnzac1rzxk");
    let to_the_end = [private, body].into_iter().flatten().min().map(|at| at..plain.len());
    let found = keys.chain(damaged).chain(to_the_end);
    // The longer of two that begin together.
    let first = found.min_by_key(|place| (place.start, Reverse(place.end)));
    first.map(|place| places[place.start]..places[place.end])
}

/// The end of the letters, digits and hyphens at the beginning.
fn end_of_key(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(text.len())
}

/// A text with `-` for every dash and hyphen that a word processor puts there, and without those
/// that it hides in a word.
struct NormalizedText {
    text: String,
    /// Where each byte of it comes from; and the end.
    places: Vec<usize>,
}

impl NormalizedText {
    fn new(from: &str) -> Self {
        let (mut text, mut places) = (String::new(), Vec::new());
        for (at, character) in from.char_indices() {
            match character {
                '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => continue,
                '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => {
                    text.push('-');
                }
                other => text.push(other),
            }
            places.resize(text.len(), at);
        }
        places.push(from.len());
        Self { text, places }
    }
}

/// Whether `text` may be a key in hexadecimal, such as that of a raw key file. So may be the name
/// of a file that is called by its hash: this is asked only where no such name belongs.
#[must_use]
pub fn is_hexadecimal_key(text: &str) -> bool {
    text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `text` without digits that may be a key in hexadecimal, for messages in which nobody needs a
/// hash.
#[must_use]
pub fn without_hexadecimal_keys(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_hexdigit();
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find(is_digit) {
        let end = rest[start..].find(|c| !is_digit(c)).map_or(rest.len(), |length| start + length);
        kept.push_str(&rest[..start]);
        let digits = &rest[start..end];
        kept.push_str(if is_hexadecimal_key(digits) { "(withheld)" } else { digits });
        rest = &rest[end..];
    }
    kept + rest
}

/// How addresses begin that may have a secret in them, and whether their queries may: signatures of
/// the web, and PINs of tokens.
const ADDRESSES: [(&str, bool); 9] = [
    ("https://", true),
    ("http://", true),
    ("pkcs11:", true),
    ("hcvault://", false),
    ("aws-kms://", false),
    ("gcp-kms://", false),
    ("azure-kv://", false),
    ("s3://", false),
    ("gs://", false),
];

/// `text` without the queries of the addresses in it, which may be signatures or PINs, and without
/// users and passwords.
fn without_credentials(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((_, begin, has_query)) = first_address(rest) {
        let (before, address) = rest.split_at(begin);
        let end = address.find(|c: char| c.is_whitespace() || "\"<>".contains(c));
        let (address, behind) = address.split_at(end.unwrap_or(address.len()));
        kept.push_str(before);
        let authority = address.find(['/', '?', '#', ';']).unwrap_or(address.len());
        let address = match address[..authority].rfind('@') {
            Some(at) if before.ends_with("//") => {
                kept.push_str("(withheld)@");
                &address[at + 1..]
            }
            _ => address,
        };
        match address.split_once('?').filter(|_| has_query) {
            Some((shown, query)) => {
                kept.push_str(shown);
                kept.push_str("?…");
                // The quotation mark and the colon belong to the sentence around the address.
                kept.push_str(&query[query.trim_end_matches(['\'', ':']).len()..]);
            }
            None => kept.push_str(address),
        }
        rest = behind;
    }
    kept + rest
}

/// `text` without the secrets in it: where the name of a file belongs, a key is given by mistake,
/// or the address of an object with its signature, and messages may be kept in a log.
#[must_use]
pub fn without_secrets(text: &str) -> String {
    let text = &without_credentials(text);
    let (mut kept, mut rest) = (String::with_capacity(text.len()), &text[..]);
    while let Some(Range { start, end }) = first_secret(rest) {
        kept.push_str(&rest[..start]);
        kept.push_str("(a key, withheld)");
        rest = &rest[end..];
    }
    kept + rest
}

/// Where the first address begins, where its scheme ends, and whether it may have a query.
fn first_address(text: &str) -> Option<(usize, usize, bool)> {
    let lower = text.to_ascii_lowercase();
    let found = ADDRESSES
        .iter()
        .filter_map(|&(start, query)| lower.find(start).map(|at| (at, at + start.len(), query)));
    found.min()
}

/// Whether there is a key in `text`, which is to say where a key is.
#[must_use]
pub fn has_secret(text: &str) -> bool {
    first_secret(text).is_some()
}

/// Whether `path` is a key itself, and not the name of a file.
#[must_use]
pub fn is_secret(path: &Path) -> bool {
    let text = path.to_string_lossy();
    // Nearly every name begins in another way, and no more of it is looked at. `-` and `b` begin a
    // private key, and what is not ASCII may stand for `-` or for nothing.
    let begins = SECRETS.iter().map(|(begins, _)| begins.as_bytes()[0]).chain(*b"-b");
    let may_be = |first: u8| {
        !first.is_ascii() || begins.clone().any(|begins| begins.eq_ignore_ascii_case(&first))
    };
    text.bytes().next().is_some_and(may_be)
        && first_secret(&text)
            .is_some_and(|place| NormalizedText::new(&text[..place.start]).text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_begins_with_a_secret_is_one() {
        let key = "ab".repeat(32);
        for begins in [
            "polyseal-key-1-",
            "polyseal-key-2-",
            "POLYSEAL-KEY-1-",
            "Polyseal-Key-10-",
            "\u{200b}polyseal\u{2010}key\u{2013}1-",
            "age-secret-key-1",
            "AGE-SECRET-KEY-1",
            "AGE-PLUGIN-YUBIKEY-1",
            "-----BEGIN OPENSSH PRIVATE KEY-----\n",
            "\u{2013}----begin private key",
            "b3BlbnNzaC1rZXktdjE",
            "B3BLBNNZAC1RZXKTDJE",
        ] {
            let text = format!("{begins}{key}");
            assert!(is_secret(Path::new(&text)), "{text}");
            assert!(!is_secret(Path::new(&format!("./{text}"))), "{text} in a folder");
            assert!(has_secret(&format!("file:{text}")), "{text} behind a scheme");
        }
        let data = "qpzry9x8gf2tvd";
        for name in ["x", "yubikey", "a+b-c._9", "x-1", "x-1qqq"] {
            let line = format!("age-plugin-{name}-1{data}");
            for text in [line.to_uppercase(), line] {
                assert!(is_secret(Path::new(&text)), "{text}");
                let shown = without_secrets(&format!("a {text}: no such file"));
                assert_eq!(shown, "a (a key, withheld): no such file", "{text}");
            }
        }
        for name in [
            "",
            "-",
            "b",
            "age-plugin-x",
            "age-plugin-x-1abcdefghijk",
            "age-plugin-x-1qpzry9x8gf2",
            "age-plugin-yubikey-1.2.3-x86_64.tar.gz",
            "age-plugin-yubikey-identity-1732982400.txt",
            "polyseal-key-1-",
            "polyseal-key-2-2026.txt",
            "polyseal-key--qpzry9x8gf2tvdw0",
            "polyseal-key-of-the-backups-2026",
            "a.polyseal",
        ] {
            assert!(!is_secret(Path::new(name)), "{name}");
            assert!(!has_secret(&format!("file:/keys/{name}")), "{name}");
        }
    }

    #[test]
    fn signatures_and_passwords_of_addresses_are_withheld() {
        for (text, shown) in [
            ("read https://h/p?sig=s: gone", "read https://h/p?…: gone"),
            ("https://h/p?a=b&c=d", "https://h/p?…"),
            ("HTTPS://h/p?a=b&c=d", "HTTPS://h/p?…"),
            (
                "\"http://u:p@h:1/x?y\" and https://h/",
                "\"http://(withheld)@h:1/x?…\" and https://h/",
            ),
            ("s3://b/what?is it", "s3://b/what?is it"),
            ("s3://id:secret@b/k", "s3://(withheld)@b/k"),
            ("https://u:it's@h/x", "https://(withheld)@h/x"),
            ("'https://h/x?s=1': gone", "'https://h/x?…': gone"),
            (
                "read hcvault://me:pw@h/transit/keys/k: gone",
                "read hcvault://(withheld)@h/transit/keys/k: gone",
            ),
            ("pkcs11:token=a@b;object=c?pin-value=1234", "pkcs11:token=a@b;object=c?…"),
            ("http://h/a@b", "http://h/a@b"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }
}
