//! The list of a tree's encrypted files, in the clear: whoever has it knows of each file which one
//! belongs there, without a key.
//!
//! Source: `docs/spec/statement.md`, section 8. Limits: all of it is in memory, about 220 bytes for
//! each file.

use std::fmt::Write;

use super::Problem;
use crate::commitment::{COMMITMENT_BYTES, Commitment, PayloadRoot};
use crate::error::{Error, Result};
use crate::manifest::{compare, is_path};

const LIST_CONTEXT: &str = "polyseal-statement/1 list";
/// The suffix of encrypted files.
const SUFFIX: &str = ".polyseal";

/// A list that is made.
#[derive(Clone, Debug, Default)]
pub struct NewList(String);

impl NewList {
    /// Adds a file, which comes after all others in the order of a manifest. `path` is that of its
    /// plaintext.
    pub fn push(&mut self, presence: Presence, path: &[u8], commitment: &Commitment) {
        self.0.push_str(presence.word());
        let Commitment { file_salt, key, payload_root } = commitment;
        for hash in [file_salt, key, payload_root.as_bytes()] {
            self.0.push(' ');
            // CT: these are public.
            hash.iter().for_each(|byte| _ = write!(self.0, "{byte:02x}"));
        }
        self.0.push(' ');
        for &byte in path.iter().chain(SUFFIX.as_bytes()) {
            match byte {
                b'%' | 0..=b' ' | 0x7f.. => _ = write!(self.0, "%{byte:02X}"),
                _ => self.0.push(byte.into()),
            }
        }
        self.0.push('\n');
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The hash by which a statement has it.
    #[must_use]
    pub fn hash(&self) -> [u8; COMMITMENT_BYTES] {
        hash(self.as_bytes())
    }
}

/// Whether a file of a list is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It has to be.
    Required,
    /// It may be: its original has been deleted since.
    Deleted,
}

impl Presence {
    fn word(self) -> &'static str {
        match self {
            Self::Required => "file",
            Self::Deleted => "deleted",
        }
    }
}

/// A file of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// Whether it has to be there.
    pub presence: Presence,
    /// The path of its plaintext: that of the encrypted file is this and `.polyseal`.
    pub path: Vec<u8>,
    /// Which file it is.
    pub commitment: Commitment,
}

/// The list of a tree whose statement was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileList(Vec<ListedFile>);

impl FileList {
    /// Reads the list that has this hash.
    ///
    /// # Errors
    /// [`Problem::List`].
    pub(super) fn parse(bytes: &[u8], expected: &[u8; COMMITMENT_BYTES]) -> Result<Self> {
        let refused = Error::Statement(Problem::List);
        let text = std::str::from_utf8(bytes).ok().filter(|_| hash(bytes) == *expected);
        let files: Option<Vec<_>> = text.and_then(|text| text.lines().map(parse_line).collect());
        let Some(files) = files else { return Err(refused) };
        let mut spelled = NewList::default();
        for file in &files {
            spelled.push(file.presence, &file.path, &file.commitment);
        }
        let is_ordered = files.is_sorted_by(|one, next| compare(&one.path, &next.path).is_lt());
        // Another spelling is another list.
        if spelled.as_bytes() == bytes && is_ordered { Ok(Self(files)) } else { Err(refused) }
    }

    /// All files, in the order of a manifest.
    #[must_use]
    pub fn files(&self) -> &[ListedFile] {
        &self.0
    }

    /// The file whose plaintext has this path.
    #[must_use]
    pub fn find(&self, path: &[u8]) -> Option<&ListedFile> {
        let found = self.0.binary_search_by(|file| compare(&file.path, path)).ok()?;
        self.0.get(found)
    }
}

fn hash(list: &[u8]) -> [u8; COMMITMENT_BYTES] {
    blake3::derive_key(LIST_CONTEXT, list)
}

fn parse_line(line: &str) -> Option<ListedFile> {
    let mut words = line.split(' ');
    let word = words.next()?;
    let presence = [Presence::Required, Presence::Deleted].into_iter();
    let presence = presence.into_iter().find(|it| it.word() == word)?;
    let mut next_hash = || super::text::hash(words.next()?);
    let (file_salt, key, root) = (next_hash()?, next_hash()?, next_hash()?);
    let mut path = unescaped(words.next()?)?;
    path.truncate(path.len().checked_sub(SUFFIX.len())?);
    let payload_root = PayloadRoot::Tree(root);
    let commitment = Commitment { file_salt, key, payload_root };
    is_path(&path).then_some(ListedFile { presence, path, commitment })
}

fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn commitment(byte: u8) -> Commitment {
        let payload_root = PayloadRoot::Tree([byte ^ 2; 32]);
        Commitment { file_salt: [byte; 32], key: [byte ^ 1; 32], payload_root }
    }

    proptest! {
        #[test]
        fn every_name_comes_back(mut paths in vec(vec(any::<u8>(), 1..6), 0..20), deleted: u8) {
            paths.retain(|path| is_path(path));
            paths.sort_by(|one, other| compare(one, other));
            paths.dedup();
            let mut list = NewList::default();
            for (i, path) in paths.iter().enumerate() {
                let presence =
                    if i % 8 == deleted.into() { Presence::Deleted } else { Presence::Required };
                list.push(presence, path, &commitment(i as u8));
            }
            let read = FileList::parse(list.as_bytes(), &list.hash()).unwrap();
            let found: Vec<_> = read.files().iter().map(|file| file.path.clone()).collect();
            prop_assert_eq!(&found, &paths);
            for (i, path) in paths.iter().enumerate() {
                prop_assert_eq!(read.find(path).unwrap().commitment, commitment(i as u8));
            }
        }
    }

    #[test]
    fn another_list_or_spelling_is_refused() {
        let mut list = NewList::default();
        list.push(Presence::Required, b"a", &commitment(1));
        list.push(Presence::Deleted, b"b b", &commitment(2));
        let text = list.0.clone();
        let read = |text: &str| FileList::parse(text.as_bytes(), &hash(text.as_bytes()));
        assert_eq!(read(&text).unwrap().files().len(), 2);
        assert!(FileList::parse(text.as_bytes(), &hash(b"another")).is_err());
        let (first, second) = text.split_once('\n').unwrap();
        for other in [
            format!("{second}{first}\n"),
            format!("{first}\n{first}\n"),
            text.replace("%20", " "),
            text.replace("b%20b", "%62%20b"),
            text.replace("deleted", "gone"),
            text.replace(" a.", " ../a."),
            text.replace(" a.polyseal", " a"),
            text.replace(" a.polyseal", " .polyseal"),
            text.replace('\n', "\r\n"),
            text.trim_end().to_owned(),
            text.replace("01 ", "1 "),
        ] {
            assert_ne!(other, text);
            assert!(read(&other).is_err(), "{other}");
        }
    }
}
