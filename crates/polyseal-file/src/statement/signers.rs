//! Lists of signers who are allowed, as `ssh-keygen -Y verify` reads them (`ALLOWED SIGNERS` in
//! ssh-keygen(1)).
//!
//! Limits: lines with `cert-authority` accept nothing, because certificates are not read; a time
//! has to end in `Z`, because the time zone of a list is not known.

use ssh_key::public::KeyData;
use ssh_key::{HashAlg, PublicKey};

use super::{NAMESPACE, Problem};
use crate::error::{Error, Result};

/// A list of signers.
///
/// ```
/// use polyseal_file::statement::AllowedSigners;
///
/// let list = "alice@example.org namespaces=\"polyseal\" \
///     ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
/// assert_eq!(AllowedSigners::parse(list)?.len(), 1);
/// # Ok::<(), polyseal_file::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AllowedSigners(Vec<Line>);

/// The signer whose signature was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedSigner {
    /// The names that the list has for the key; or the one that was asked for.
    pub principal: String,
    /// The fingerprint of the key, as `SHA256:…`.
    pub fingerprint: String,
}

#[derive(Clone, Debug)]
struct Line {
    principals: String,
    /// Certificates of this key would be accepted, and not the key itself.
    is_authority: bool,
    namespaces: Option<String>,
    /// In seconds since 1970.
    valid_after: Option<u64>,
    valid_before: Option<u64>,
    key: KeyData,
}

impl AllowedSigners {
    /// Reads a list: a line for each key. Empty lines, and those that begin with `#`, are passed
    /// over.
    ///
    /// # Errors
    /// [`Problem::Signers`], with the number of a line, from 1.
    pub fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().enumerate();
        let lines = lines.map(|(at, line)| (at, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let parsed = lines
            .map(|(at, line)| parse_line(line).ok_or(Error::Statement(Problem::Signers(at + 1))));
        parsed.collect::<Result<_>>().map(Self)
    }

    /// One key alone, as a public key file has it.
    ///
    /// # Errors
    /// [`Problem::Key`].
    pub fn of_key(public: &str) -> Result<Self> {
        let line = public.lines().next().and_then(|key| parse_line(&format!("own {key}")));
        line.map(|line| Self(vec![line])).ok_or(Error::Statement(Problem::Key))
    }

    /// How many keys it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has none, and so accepts nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn accept(
        &self,
        key: &KeyData,
        by: Option<&str>,
        at: u64,
    ) -> Option<AcceptedSigner> {
        let accepts = |line: &&Line| {
            line.key == *key
                && !line.is_authority
                && line.namespaces.as_ref().is_none_or(|list| matches(list, NAMESPACE))
                && line.valid_after.is_none_or(|after| at >= after)
                && line.valid_before.is_none_or(|before| at < before)
                && by.is_none_or(|by| matches(&line.principals, by))
        };
        let line = self.0.iter().find(accepts)?;
        let principal = by.unwrap_or(&line.principals).to_owned();
        let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
        Some(AcceptedSigner { principal, fingerprint })
    }
}

fn parse_line(line: &str) -> Option<Line> {
    let (principals, rest) = word(line)?;
    let (mut options, mut key) = ("", public_key(rest));
    if key.is_none() {
        let (first, rest) = word(rest)?;
        (options, key) = (first, public_key(rest));
    }
    let key = key?;
    let mut line = Line {
        principals: unquoted(principals)?.to_owned(),
        is_authority: false,
        namespaces: None,
        valid_after: None,
        valid_before: None,
        key: key.key_data().clone(),
    };
    let mut options = split(options, ',');
    options.try_for_each(|option| {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let is_quoted = value.len() > 1 && value.starts_with('"');
        let value = unquoted(value)?;
        match name.to_ascii_lowercase().as_str() {
            "" if option.is_empty() => {}
            "cert-authority" => line.is_authority = true,
            // As ssh-keygen: none twice, and each in quotes.
            _ if !is_quoted => return None,
            "namespaces" if line.namespaces.is_none() => line.namespaces = Some(value.to_owned()),
            "valid-after" if line.valid_after.is_none() => line.valid_after = Some(time(value)?),
            "valid-before" if line.valid_before.is_none() => line.valid_before = Some(time(value)?),
            // Nobody knows what it would have forbidden.
            _ => return None,
        }
        Some(())
    })?;
    Some(line)
}

/// The key at the beginning of a text, with any blanks in between; its comment is passed over.
fn public_key(text: &str) -> Option<PublicKey> {
    let mut words = text.split_ascii_whitespace();
    PublicKey::from_openssh(&format!("{} {}", words.next()?, words.next()?)).ok()
}

/// The first word, which may have blanks within quotes, and what follows.
fn word(text: &str) -> Option<(&str, &str)> {
    let first = split(text, ' ').next()?;
    Some((first, text[first.len()..].trim_start()))
}

/// The parts between separators that are not within quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |c: char| {
        is_quoted ^= c == '"';
        !is_quoted && (c == separator || separator == ' ' && c == '\t')
    })
}

fn unquoted(text: &str) -> Option<&str> {
    let inside = match text.strip_prefix('"') {
        Some(rest) => rest.strip_suffix('"')?,
        None => text,
    };
    (!inside.contains('"')).then_some(inside)
}

/// `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, and `Z`: in seconds since 1970.
fn time(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('Z')?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || !matches!(digits.len(), 8 | 12 | 14) {
        return None;
    }
    let field = |at: usize, length: usize| match digits.get(at..at + length) {
        Some(field) => field.parse::<u64>().ok(),
        None => Some(0),
    };
    let (year, month, day) = (field(0, 4)?, field(4, 2)?, field(6, 2)?);
    let (hour, minute, second) = (field(8, 2)?, field(10, 2)?, field(12, 2)?);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let february = if is_leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let before = months.get(..usize::try_from(month).ok()?.checked_sub(1)?)?;
    let is_date = (1970..=9999).contains(&year)
        && (1..=*months.get(before.len())?).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    let years: u64 = (1970..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum();
    let days = years + before.iter().sum::<u64>() + day.checked_sub(1)?;
    is_date.then_some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// Whether a list of patterns has one for `text`, and none with `!` that is.
fn matches(patterns: &str, text: &str) -> bool {
    let mut is_met = false;
    for pattern in patterns.split(',') {
        match pattern.strip_prefix('!') {
            Some(pattern) if is_like(pattern.as_bytes(), text.as_bytes()) => return false,
            Some(_) => {}
            None => is_met |= is_like(pattern.as_bytes(), text.as_bytes()),
        }
    }
    is_met
}

/// Whether a text is as a pattern, in which `*` is any text and `?` any character.
fn is_like(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|at| is_like(rest, &text[at..])),
        [first, rest @ ..] => {
            let [one, others @ ..] = text else { return false };
            (first == one || *first == b'?') && is_like(rest, others)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

    fn accepted(line: &str, by: Option<&str>, at: u64) -> Option<String> {
        let list = AllowedSigners::parse(&line.replace("KEY", KEY)).unwrap();
        let key = PublicKey::from_openssh(KEY).unwrap();
        list.accept(key.key_data(), by, at).map(|signer| signer.principal)
    }

    #[test]
    fn lines_are_those_of_ssh_keygen() {
        let all = |line: &str| accepted(line, None, 0).is_some();
        assert!(all("a KEY") && all("\n# no\n a@b,c KEY comment text"));
        assert!(all(&format!("a {}", KEY.replace(' ', "\t "))));
        assert!(all("a namespaces=\"file,poly*\" KEY") && !all("a namespaces=\"file\" KEY"));
        assert!(!all("a namespaces=\"*,!polyseal\" KEY") && !all("a cert-authority KEY"));
        for (principals, by, is_met) in [
            ("*@example.org", "alice@example.org", true),
            ("*@example.org,!eve@*", "eve@example.org", false),
            ("a?,b", "ab", true),
            ("a?,b", "a", false),
            ("\"a b\"", "a b", true),
        ] {
            let accepted = accepted(&format!("{principals} KEY"), Some(by), 0);
            assert_eq!(accepted.as_deref(), is_met.then_some(by), "{principals}");
        }
        let times = "a valid-after=\"20260101Z\",valid-before=\"202602011230Z\" KEY";
        for (at, is_valid) in [
            (1_767_225_599, false),
            (1_767_225_600, true),
            (1_769_949_000 - 1, true),
            (1_769_949_000, false),
        ] {
            assert_eq!(accepted(times, None, at).is_some(), is_valid, "{at}");
        }
    }

    #[test]
    fn a_line_that_is_not_understood_is_named() {
        for line in [
            "a",
            "KEY",
            "a option KEY",
            "a namespaces=\"x KEY",
            "a valid-after=20260101 KEY",
            "a valid-after=20261301Z KEY",
            "a valid-before=20260230Z KEY",
            "a ssh-ed25519 AAAA",
        ] {
            let list = format!("a {KEY}\n{}", line.replace("KEY", KEY));
            let refused = AllowedSigners::parse(&list).unwrap_err();
            assert!(matches!(refused, Error::Statement(Problem::Signers(2))), "{line}");
        }
    }
}
