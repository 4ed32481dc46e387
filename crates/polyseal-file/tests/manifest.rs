//! Manifests: every rule of the specification, by the kit that the reference in Python writes; and
//! whatever is written is read back.

use std::fs;
use std::path::PathBuf;

use polyseal_file::manifest::{
    Entry, Error, FileBinding, Kind, Problem, Reader, Timestamp, Writer, compare, stays_inside,
};
use polyseal_file::{Commitment, Context, Decryptor, Identities, Input, Key};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Index {
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    file: String,
    version: u16,
    outcome: String,
    /// For a reader that takes version 1, too.
    outcome_if_allowed: String,
    #[serde(default)]
    entries: Vec<ExpectedEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExpectedEntry {
    r#type: String,
    path: String,
    mode: u16,
    seconds: i64,
    nanoseconds: u32,
    size: Option<u64>,
    salt: Option<String>,
    key_commitment: Option<String>,
    payload_root: Option<String>,
    target: Option<String>,
}

fn unhex(text: &str) -> Vec<u8> {
    base16ct::lower::decode_vec(text).unwrap()
}

impl ExpectedEntry {
    fn bound(&self) -> FileBinding {
        let field = |name: &Option<String>| unhex(name.as_ref().unwrap()).try_into().unwrap();
        let file_salt = field(&self.salt);
        if self.key_commitment.is_none() {
            return FileBinding::Salt(file_salt);
        }
        let (key, payload_root) = (field(&self.key_commitment), field(&self.payload_root));
        FileBinding::Contents(Commitment { file_salt, key, payload_root })
    }

    fn entry(&self) -> Entry {
        let kind = match &*self.r#type {
            "file" => Kind::File { plaintext_bytes: self.size.unwrap(), bound: self.bound() },
            "directory" => Kind::Directory,
            _ => Kind::Link { target: unhex(self.target.as_ref().unwrap()) },
        };
        let modified = Timestamp { seconds: self.seconds, nanoseconds: self.nanoseconds };
        Entry { path: unhex(&self.path), mode: self.mode, modified, kind }
    }
}

fn kit() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/manifest")
}

fn read(bytes: &[u8]) -> Result<Vec<Entry>, Error> {
    Reader::new(bytes)?.collect()
}

fn write(entries: &[Entry]) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::new(Vec::new())?;
    entries.iter().try_for_each(|entry| writer.push(entry))?;
    writer.finish()
}

fn outcome(error: &Error) -> &'static str {
    let Error::Invalid(problem) = error else { panic!("{error}") };
    match problem {
        Problem::NotAManifest => "not-a-manifest",
        Problem::Version(_) => "unsupported-version",
        Problem::UnboundContents => "unbound-contents",
        Problem::Length => "bad-length",
        Problem::Type => "bad-type",
        Problem::Path => "bad-path",
        Problem::Order => "out-of-order",
        Problem::Parent => "not-in-a-directory",
        Problem::Mode => "bad-mode",
        Problem::Time => "bad-time",
        Problem::Count => "bad-count",
        other => panic!("{other}"),
    }
}

#[test]
fn each_rule_of_the_specification() {
    let index = fs::read_to_string(kit().join("index.json")).unwrap();
    let index: Index = serde_json::from_str(&index).unwrap();
    assert!(index.tests.len() > 40);
    for test in &index.tests {
        let file = &test.file;
        let bytes = fs::read(kit().join(file)).unwrap();
        let expected: Vec<_> = test.entries.iter().map(ExpectedEntry::entry).collect();
        match read(&bytes) {
            Ok(found) => {
                assert_eq!(test.outcome, "ok", "{file}");
                assert!(found == expected && write(&found).unwrap() == bytes, "{file}");
            }
            Err(error) => assert_eq!(outcome(&error), test.outcome, "{file}"),
        }
        match Reader::with_unbound_contents(&bytes[..])
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        {
            Ok(found) => {
                assert_eq!(test.outcome_if_allowed, "ok", "{file}");
                assert!(found == expected, "{file}");
                let has_files = found.iter().any(|it| matches!(it.kind, Kind::File { .. }));
                assert_eq!(write(&found).is_ok(), test.version == 2 || !has_files, "{file}");
            }
            Err(error) => assert_eq!(outcome(&error), test.outcome_if_allowed, "{file}"),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payloads {
    key: String,
    files: Vec<Payload>,
    entries: Vec<BindingCase>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload {
    file: String,
    context: Option<String>,
    size: u64,
    salt: String,
    key_commitment: String,
    payload_root: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BindingCase {
    file: String,
    entry_of: String,
    belongs: bool,
}

/// Files that the reference has made, and what it says of each.
#[test]
fn each_file_has_its_commitment_and_no_other_file_is_taken_for_it() {
    let payloads = fs::read_to_string(kit().join("payloads.json")).unwrap();
    let Payloads { key, files, entries } = serde_json::from_str(&payloads).unwrap();
    let field = |text: &str| <[u8; 32]>::try_from(unhex(text)).unwrap();
    let key = Key::from_bytes(&field(&key));
    let identities = Identities::from(&key);
    let bytes = |file: &str| fs::read(kit().join(file)).unwrap();
    let of = |file: &str| files.iter().find(|it| it.file == file).unwrap();
    let commitment = |it: &Payload| Commitment {
        file_salt: field(&it.salt),
        key: field(&it.key_commitment),
        payload_root: field(&it.payload_root),
    };
    let verify = |file: &str, expected: Option<&Commitment>| {
        let context = of(file).context.as_ref().map(|it| Context::new(unhex(it)).unwrap());
        let mut decryptor = Decryptor::new(&identities).committing();
        if let Some(context) = &context {
            decryptor = decryptor.context(context);
        }
        if let Some(expected) = expected {
            decryptor = decryptor.expecting(expected);
        }
        decryptor.verify(Input::Stream(&mut &bytes(file)[..]))
    };
    for it in &files {
        let summary = verify(&it.file, None).unwrap();
        assert_eq!(summary.commitment, Some(commitment(it)), "{}", it.file);
        assert_eq!(summary.plaintext_bytes, it.size, "{}", it.file);
    }
    assert!(entries.len() > 3);
    for BindingCase { file, entry_of, belongs } in &entries {
        let expected = commitment(of(entry_of));
        let opened = verify(file, Some(&expected));
        assert_eq!(opened.is_ok(), *belongs, "{file} as {entry_of}: {opened:?}");
    }
}

#[test]
fn no_part_of_a_manifest_is_one_and_nothing_comes_after_an_error() {
    let whole = fs::read(kit().join("tree.manifest")).unwrap();
    for n in 0..whole.len() {
        assert!(read(&whole[..n]).is_err(), "{n}");
    }
    let cut = &whole[..whole.len() - 1];
    let mut reader = Reader::new(cut).unwrap();
    assert_eq!(reader.by_ref().take_while(Result::is_ok).count(), 5);
    assert!(reader.next().is_none());
}

#[test]
fn what_no_reader_takes_is_not_written() {
    let entry = |path: &[u8], kind| {
        let modified = Timestamp { seconds: 0, nanoseconds: 0 };
        Entry { path: path.to_vec(), mode: 0, modified, kind }
    };
    for path in [&b""[..], b"/a", b"a/..", b".", b"a//b", b"a\0", &[b'a'; 65_536]] {
        assert!(write(&[entry(path, Kind::Directory)]).is_err());
    }
    assert!(write(&[entry(b"a", Kind::Link { target: vec![b'a'; 65_536] })]).is_err());
    let mut mode = entry(b"a", Kind::Directory);
    mode.mode = 0o1000;
    assert!(write(&[mode]).is_err());
    // An entry that is refused is not there.
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.push(&entry(b"b", Kind::Directory)).unwrap();
    writer.push(&entry(b"a", Kind::Directory)).unwrap_err();
    writer.push(&entry(b"b/c", Kind::Directory)).unwrap();
    assert_eq!(read(&writer.finish().unwrap()).unwrap().len(), 2);
}

#[test]
fn links_that_stay_inside() {
    for (path, target, expected) in [
        ("a", "b", true),
        ("a", ".", true),
        ("a", "./b//c/", true),
        ("a/b", "..", true),
        ("a/b", "../c", true),
        ("a/b", "./../c", true),
        ("a/b/c", "../../d/e", true),
        ("a", "..", false),
        ("a", "../a", false),
        ("a/b", "../..", false),
        ("a/b", "c/..", false),
        ("a/b", "../c/../d", false),
        ("a", "/", false),
        ("a", "/a", false),
        ("a", "", false),
        ("a", "...", true),
    ] {
        assert_eq!(stays_inside(path.as_bytes(), target.as_bytes()), expected, "{path} {target}");
    }
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    let byte = any::<u8>().prop_filter("in a name", |byte| ![0, b'/'].contains(byte));
    let names = proptest::collection::vec(byte, 1..4);
    names.prop_filter("a name", |name| ![&b"."[..], b".."].contains(&&name[..]))
}

proptest! {
    /// Whatever is in a tree.
    #[test]
    fn what_is_written_is_read(
        paths in proptest::collection::btree_set(proptest::collection::vec(name(), 1..4), 0..20),
        seconds: i64,
        nanoseconds in 0..1_000_000_000_u32,
        plaintext_bytes: u64,
        [file_salt, key, payload_root]: [[u8; 32]; 3],
    ) {
        let mut all = paths.clone();
        for path in &paths {
            all.extend((1..path.len()).map(|n| path[..n].to_vec()));
        }
        let entries: Vec<_> = all.iter().map(|path| {
            let is_in_it = |other: &Vec<_>| other.len() > path.len() && other.starts_with(path);
            let is_directory = all.iter().any(is_in_it);
            let kind = match path[0][0] % 2 {
                _ if is_directory => Kind::Directory,
                0 => {
                    let commitment = Commitment { file_salt, key, payload_root };
                    Kind::File { plaintext_bytes, bound: FileBinding::Contents(commitment) }
                }
                _ => Kind::Link { target: path.concat() },
            };
            let mode = if matches!(kind, Kind::Link { .. }) { 0 } else { 0o640 };
            let modified = Timestamp { seconds, nanoseconds };
            Entry { path: path.join(&b'/'), mode, modified, kind }
        }).collect();
        prop_assert!(entries.is_sorted_by(|one, other| compare(&one.path, &other.path).is_lt()));
        let written = write(&entries).unwrap();
        prop_assert_eq!(read(&written).unwrap(), entries);
    }

    /// Every manifest that is read is the one that a writer would have written: there is one way to
    /// write a tree.
    #[test]
    fn what_is_altered_is_refused_or_another_tree(at: prop::sample::Index, to: u8) {
        let mut bytes = fs::read(kit().join("tree.manifest")).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if let Ok(entries) = read(&bytes) {
            prop_assert_eq!(write(&entries).unwrap(), bytes);
        }
    }
}
