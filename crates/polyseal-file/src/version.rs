//! Which version of a stored object it is that is read, and when two answers are of the same one.
//!
//! The rule, for every store: two answers of different sizes are of different versions. If both
//! have an entity tag (RFC 9110, section 8.8.3), equal tags mean one version. If one has none, all
//! other marks, such as a time or an inode, must be equal. Tags are compared weakly (section
//! 8.8.3.2): a weak tag, `W/"…"`, equals the strong one with the same text. The bytes are
//! authenticated in any case: if a store gives two versions one tag, mixing them fails, and is not
//! missed.

use std::fmt;

/// The marks of a stored object that change with its contents.
///
/// ```
/// use polyseal_file::Version;
///
/// let seen = Version::new(5000).with_tag(Some("W/\"1f\"")).with_mark("12:00:00");
/// assert!(seen.is_same(&Version::new(5000).with_tag(Some("\"1f\"")).with_mark("12:00:07")));
/// assert!(!seen.is_same(&Version::new(5000).with_tag(Some("\"20\""))));
/// // `If-Match` compares strongly, so no server finds a weak tag to match.
/// assert_eq!(seen.if_match(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    size: u64,
    tag: Option<String>,
    marks: Vec<String>,
}

impl Version {
    /// The version of an object of `size` stored bytes, of which nothing else is known yet.
    #[must_use]
    pub fn new(size: u64) -> Self {
        Self { size, tag: None, marks: Vec::new() }
    }

    /// With its entity tag, as HTTP has it, if it has one.
    #[must_use]
    pub fn with_tag(mut self, tag: Option<&str>) -> Self {
        self.tag = tag.filter(|tag| !opaque(tag).is_empty()).map(str::to_owned);
        self
    }

    /// With something else that changes with the object, as text. Their order counts.
    #[must_use]
    pub fn with_mark(mut self, mark: impl Into<String>) -> Self {
        self.marks.push(mark.into());
        self
    }

    /// The stored bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The entity tag.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// Whether the store tells anything but the size: otherwise another version is not noticed.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.tag.is_some() || !self.marks.is_empty()
    }

    /// Whether an answer of `other` is one of this version.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.size == other.size
            && match (&self.tag, &other.tag) {
                (Some(mine), Some(other)) => opaque(mine) == opaque(other),
                _ => self.marks == other.marks,
            }
    }

    /// The tag to send in `If-Match`, so that the server compares, too. None if the tag is weak:
    /// `If-Match` compares strongly (section 13.1.1), and every request would be refused. Then the
    /// answer's tag is compared alone.
    #[must_use]
    pub fn if_match(&self) -> Option<&str> {
        self.tag().filter(|tag| !is_weak(tag))
    }
}

impl fmt::Display for Version {
    /// The text that tells it from others; nothing if the store tells nothing but the size.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tag {
            _ if !self.is_told() => Ok(()),
            Some(tag) => write!(f, "{}-{}", self.size, opaque(tag)),
            None => write!(f, "{}-{}", self.size, self.marks.join("-")),
        }
    }
}

fn is_weak(tag: &str) -> bool {
    tag.starts_with("W/")
}

/// The text of a tag. Some stores leave out the quotation marks in lists.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(tag: &str) -> Version {
        Version::new(9).with_tag(Some(tag)).with_mark("then")
    }

    #[test]
    fn a_tag_tells_and_weak_ones_are_compared_but_not_sent() {
        for (one, other, same) in [
            ("\"a\"", "\"a\"", true),
            ("\"a\"", "\"b\"", false),
            ("W/\"a\"", "\"a\"", true),
            ("W/\"a\"", "W/\"b\"", false),
            ("a", "\"a\"", true),
        ] {
            assert_eq!(tagged(one).is_same(&tagged(other)), same, "{one} {other}");
        }
        assert_eq!(tagged("\"a\"").if_match(), Some("\"a\""));
        assert_eq!(tagged("W/\"a\"").if_match(), None);
        assert!(!tagged("\"a\"").is_same(&Version::new(8).with_tag(Some("\"a\""))));
        // A tag tells alone: times are told in seconds by some answers.
        assert!(tagged("\"a\"").is_same(&Version::new(9).with_tag(Some("\"a\"")).with_mark("now")));
    }

    #[test]
    fn without_a_tag_all_else_tells() {
        let then = Version::new(9).with_mark("then");
        assert!(then.is_same(&tagged("\"a\"")) && then.is_told());
        assert!(!then.is_same(&Version::new(9).with_mark("now")));
        assert!(!then.is_same(&Version::new(9)));
        assert_eq!(
            [tagged("W/\"a\""), then.clone(), Version::new(9)].map(|it| it.to_string()),
            ["9-a", "9-then", ""]
        );
        let empty = Version::new(9).with_tag(Some("\"\""));
        assert!(empty.is_same(&Version::new(9)) && !empty.is_told());
    }
}
