//! The encryption context: names and values that are no secret, and without which a key is not
//! unwrapped. Services that take one write it into their logs.

use std::collections::BTreeMap;
use std::fmt;

use crate::percent;
use crate::{Problem, Result};

/// At most so many pairs.
const MAX_PAIRS: usize = 32;
/// The names and values together have at most so many bytes: what AWS KMS takes.
const MAX_BYTES: usize = 8192;

/// Pairs of a name and a value, in the order of the names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context(BTreeMap<String, String>);

impl Context {
    /// Pairs as a user types them, `name=value` each.
    ///
    /// # Errors
    /// [`Problem::Context`].
    pub fn parse<'a>(pairs: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut context = Self::default();
        for pair in pairs {
            let (name, value) = pair.split_once('=').ok_or_else(|| bad("a pair is NAME=VALUE"))?;
            context.add(name, value)?;
        }
        Ok(context)
    }

    /// Adds a pair.
    ///
    /// # Errors
    /// [`Problem::Context`] if there is one of the name, or too much.
    pub fn add(&mut self, name: &str, value: &str) -> Result<()> {
        if name.is_empty() || value.is_empty() {
            return Err(bad("a name and a value have at least one character").into());
        }
        if self.0.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(bad("a name is there twice").into());
        }
        let bytes: usize = self.0.iter().map(|(name, value)| name.len() + value.len()).sum();
        if self.0.len() > MAX_PAIRS || bytes > MAX_BYTES {
            return Err(bad("it has at most 32 pairs and 8192 bytes").into());
        }
        Ok(())
    }

    /// The pairs, in the order of the names' bytes.
    #[must_use]
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether there are no pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The one spelling in bytes, for keepers that take associated data: `name=value` each, all but
    /// letters, digits and `-._~` percent-encoded, joined by `&`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let pairs: Vec<_> = self.0.iter().map(|(name, value)| encoded(name, value)).collect();
        pairs.join("&").into_bytes()
    }

    /// A line of a wrapped key file.
    pub(crate) fn add_line(&mut self, line: &str) -> Result<()> {
        let (name, value) = line.split_once('=').ok_or_else(|| bad("a pair is NAME=VALUE"))?;
        let decode = |text| percent::decode(text).ok_or_else(|| bad("a pair is not encoded"));
        self.add(&decode(name)?, &decode(value)?)
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(name, value)| encoded(name, value))
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for line in self.lines() {
            write!(f, "{separator}{line}")?;
            separator = " ";
        }
        Ok(())
    }
}

fn encoded(name: &str, value: &str) -> String {
    format!("{}={}", percent::encode(name), percent::encode(value))
}

fn bad(why: &str) -> Problem {
    Problem::Context(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling() {
        let context = Context::parse(["b=2 =&", "a=é"]).unwrap();
        assert_eq!(context.to_bytes(), b"a=%C3%A9&b=2%20%3D%26");
        let mut read = Context::default();
        for line in context.lines() {
            read.add_line(&line).unwrap();
        }
        assert_eq!(read, context);
    }

    #[test]
    fn what_is_no_context() {
        for pairs in [&["a"][..], &["=b"], &["a="], &["a=1", "a=2"]] {
            assert!(Context::parse(pairs.iter().copied()).is_err(), "{pairs:?}");
        }
        let long = format!("a={}", "v".repeat(8192));
        assert!(Context::parse([long.as_str()]).is_err());
        let many: Vec<_> = (0..33).map(|i| format!("{i}=v")).collect();
        assert!(Context::parse(many.iter().map(String::as_str)).is_err());
        assert!(Context::parse(many[..32].iter().map(String::as_str)).is_ok());
        for line in ["a=%zz", "a=%e", "a=b c", "a=%41", "a=\u{e9}"] {
            assert!(Context::default().add_line(line).is_err(), "{line}");
        }
    }
}
