//! The text of a statement: lines in one order and one spelling, so that a statement has one text.

use std::fmt::{self, Formatter};
use std::str::{FromStr, Lines};

use super::{Binding, Problem, Statement, Subject, TreeVersion};
use crate::commitment::COMMITMENT_BYTES;
use crate::layout::SegmentSize;

const VERSION: &str = "1";
/// The beginnings of the first line, before the version: about one file, and about a tree.
const OF_FILE: &str = "polyseal-statement";
const OF_TREE: &str = "polyseal-tree-statement";

type Hash = [u8; COMMITMENT_BYTES];

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let first = match &self.subject {
            Subject::File => OF_FILE,
            Subject::Tree(_) => OF_TREE,
        };
        writeln!(f, "{first} {VERSION}")?;
        write_hash(f, "file-salt", &self.file_salt)?;
        writeln!(f, "suite {}", self.suite)?;
        writeln!(f, "segment-bytes {}", self.segment_size.bytes())?;
        writeln!(f, "payload-bytes {}", self.payload_bytes)?;
        write_hash(f, "payload-root", &self.payload_root)?;
        write_hash(f, "context-tag", &self.context_tag)?;
        match &self.binding {
            Binding::Holder(value) => write_hash(f, "holder", value)?,
            Binding::Header(value) => write_hash(f, "header", value)?,
        }
        writeln!(f, "time {}", self.time)?;
        let Subject::Tree(version) = &self.subject else { return Ok(()) };
        let TreeVersion { number, previous, list_bytes, list } = version;
        writeln!(f, "number {number}")?;
        write_hash(f, "previous", previous)?;
        writeln!(f, "list-bytes {list_bytes}")?;
        write_hash(f, "list", list)
    }
}

fn write_hash(f: &mut Formatter<'_>, name: &str, hash: &Hash) -> fmt::Result {
    write!(f, "{name} ")?;
    hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
    writeln!(f)
}

impl FromStr for Statement {
    type Err = Problem;

    /// Reads the text of a statement, which has to be as it is written.
    fn from_str(text: &str) -> Result<Self, Problem> {
        let mut lines = text.lines();
        let (first, version) =
            lines.next().and_then(|line| line.split_once(' ')).ok_or(Problem::Text)?;
        if !matches!(first, OF_FILE | OF_TREE) {
            return Err(Problem::Text);
        }
        if version != VERSION && version.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Problem::Version);
        }
        let statement = parse(first, &mut lines).ok_or(Problem::Text)?;
        // No sign, leading zero, blank or other end of a line: that is another text.
        if statement.to_string() == text { Ok(statement) } else { Err(Problem::Text) }
    }
}

fn parse(first: &str, lines: &mut Lines<'_>) -> Option<Statement> {
    let mut value = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let file_salt = hash(value("file-salt")?)?;
    let suite = value("suite")?.parse().ok()?;
    let segment_size = SegmentSize::new(value("segment-bytes")?.parse().ok()?).ok()?;
    let payload_bytes = value("payload-bytes")?.parse().ok()?;
    let payload_root = hash(value("payload-root")?)?;
    let context_tag = hash(value("context-tag")?)?;
    let binding = lines.next()?;
    let binding = match binding.split_once(' ')? {
        ("holder", value) => Binding::Holder(hash(value)?),
        ("header", value) => Binding::Header(hash(value)?),
        _ => return None,
    };
    let mut value = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let time = value("time")?.parse().ok()?;
    let subject = if first == OF_TREE {
        let number = value("number")?.parse().ok()?;
        let previous = hash(value("previous")?)?;
        let list_bytes = value("list-bytes")?.parse().ok()?;
        let list = hash(value("list")?)?;
        Subject::Tree(TreeVersion { number, previous, list_bytes, list })
    } else {
        Subject::File
    };
    Some(Statement {
        subject,
        file_salt,
        suite,
        segment_size,
        payload_bytes,
        payload_root,
        context_tag,
        binding,
        time,
    })
}

pub(super) fn hash(digits: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    let decoded = base16ct::lower::decode(digits, &mut hash).ok()?;
    (decoded.len() == COMMITMENT_BYTES).then_some(hash)
}
