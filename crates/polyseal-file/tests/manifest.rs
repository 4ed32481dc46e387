//! Manifests: every rule of the specification, by the kit that the reference in Python writes; and
//! whatever is written is read back.

use std::fs;
use std::path::PathBuf;

use polyseal_file::manifest::{
    Entry, Error, FileBinding, Kind, Lineage, NO_STAMP, Problem, Reader, Reason, STAMP_BYTES,
    State, Timestamp, Writer, compare, stays_inside,
};
use polyseal_file::{Commitment, Context, Decryptor, Identities, Input, Key, PayloadRoot};
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
    number: Option<u64>,
    previous: Option<ExpectedPrevious>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExpectedPrevious {
    salt: String,
    key_commitment: String,
    payload_root: String,
}

impl Test {
    fn lineage(&self) -> Option<Lineage> {
        let field = |name: &str| unhex(name).try_into().unwrap();
        let previous = self.previous.as_ref().map(|it| Commitment {
            file_salt: field(&it.salt),
            key: field(&it.key_commitment),
            payload_root: PayloadRoot::Tree(field(&it.payload_root)),
        });
        self.number.map(|number| Lineage { number, previous })
    }
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
    state: Option<u8>,
    reason: Option<u8>,
    stamp: Option<String>,
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
        let (key, root) = (field(&self.key_commitment), field(&self.payload_root));
        let payload_root =
            if self.state.is_some() { PayloadRoot::Tree(root) } else { PayloadRoot::List(root) };
        FileBinding::Contents(Commitment { file_salt, key, payload_root })
    }

    fn state(&self) -> State {
        let known = [
            Reason::Permission,
            Reason::Read,
            Reason::Write,
            Reason::Kind,
            Reason::Changed,
            Reason::Name,
        ];
        match (self.state, self.reason) {
            (None, None) | (Some(0), Some(0)) => State::New,
            (Some(1), Some(0)) => State::Unchanged,
            (Some(2), Some(reason)) => {
                let known = known.get(usize::from(reason) - 1);
                State::Failed(known.copied().unwrap_or(Reason::Other(reason)))
            }
            (Some(3), Some(0)) => State::Deleted,
            other => panic!("{other:?}"),
        }
    }

    fn entry(&self) -> Entry {
        let kind = match &*self.r#type {
            "file" => Kind::File {
                plaintext_bytes: self.size.unwrap(),
                bound: self.bound(),
                stamp: self.stamp.as_ref().map_or(NO_STAMP, |it| unhex(it).try_into().unwrap()),
            },
            "directory" => Kind::Directory,
            "absent" => Kind::Absent,
            _ => Kind::Link { target: unhex(self.target.as_ref().unwrap()) },
        };
        let modified = Timestamp { seconds: self.seconds, nanoseconds: self.nanoseconds };
        Entry { path: unhex(&self.path), state: self.state(), mode: self.mode, modified, kind }
    }
}

fn kit() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/manifest")
}

fn read(bytes: &[u8]) -> Result<Vec<Entry>, Error> {
    Reader::new(bytes)?.collect()
}

fn write(entries: &[Entry]) -> Result<Vec<u8>, Error> {
    write_after(&Lineage::FIRST, entries)
}

fn write_after(lineage: &Lineage, entries: &[Entry]) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::new(Vec::new(), lineage)?;
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
        Problem::Number => "bad-number",
        Problem::State => "bad-state",
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
                assert!(found == expected, "{file}");
                let lineage = Reader::new(&bytes[..]).unwrap().lineage().copied();
                assert_eq!(lineage, test.lineage(), "{file}");
                if let Some(lineage) = lineage {
                    assert!(write_after(&lineage, &found).unwrap() == bytes, "{file}");
                }
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
                assert_eq!(write(&found).is_ok(), test.version == 3 || !has_files, "{file}");
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
    #[serde(rename = "payloadRootInVersion2")]
    listed_root: String,
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
        payload_root: PayloadRoot::Tree(field(&it.payload_root)),
    };
    let listed = |it: &Payload| Commitment {
        payload_root: PayloadRoot::List(field(&it.listed_root)),
        ..commitment(it)
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
        for expected in [commitment(of(entry_of)), listed(of(entry_of))] {
            let opened = verify(file, Some(&expected));
            assert_eq!(opened.is_ok(), *belongs, "{file} as {entry_of}: {opened:?}");
            // A root is of its own shape.
            let root = *expected.payload_root.as_bytes();
            let payload_root = match expected.payload_root {
                PayloadRoot::Tree(_) => PayloadRoot::List(root),
                PayloadRoot::List(_) => PayloadRoot::Tree(root),
            };
            assert!(verify(file, Some(&Commitment { payload_root, ..expected })).is_err());
        }
    }
}

#[test]
fn no_part_of_a_manifest_is_one_and_nothing_comes_after_an_error() {
    let whole = fs::read(kit().join("v3-tree.manifest")).unwrap();
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
        Entry { path: path.to_vec(), state: State::New, mode: 0, modified, kind }
    };
    for path in [&b""[..], b"/a", b"a/..", b".", b"a//b", b"a\0", &[b'a'; 65_536]] {
        assert!(write(&[entry(path, Kind::Directory)]).is_err());
    }
    assert!(write(&[entry(b"a", Kind::Link { target: vec![b'a'; 65_536] })]).is_err());
    let mut mode = entry(b"a", Kind::Directory);
    mode.mode = 0o1000;
    assert!(write(&[mode]).is_err());
    for state in [State::Unchanged, State::Failed(Reason::Other(0))] {
        assert!(write(&[Entry { state, ..entry(b"a", Kind::Directory) }]).is_err());
    }
    let fields = [[1; 32], [2; 32], [3; 32]];
    let [file_salt, key, root] = fields;
    for (payload_root, is_written) in
        [(PayloadRoot::Tree(root), true), (PayloadRoot::List(root), false)]
    {
        let bound = FileBinding::Contents(Commitment { file_salt, key, payload_root });
        let kind = Kind::File { plaintext_bytes: 0, bound, stamp: NO_STAMP };
        assert_eq!(write(&[entry(b"a", kind)]).is_ok(), is_written);
    }
    // An entry that is refused is not there.
    let mut writer = Writer::new(Vec::new(), &Lineage::FIRST).unwrap();
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
        [file_salt, key, root]: [[u8; 32]; 3],
        stamp: [u8; STAMP_BYTES],
        states in proptest::collection::vec((0..4, 1..=255_u8), 80),
        number in 1..=u64::MAX,
    ) {
        let mut all = paths.clone();
        for path in &paths {
            all.extend((1..path.len()).map(|n| path[..n].to_vec()));
        }
        let mut deleted: Option<&Vec<_>> = None;
        let entries: Vec<_> = all.iter().zip(&states).map(|(path, (state, reason))| {
            let is_in_it = |other: &Vec<_>| other.len() > path.len() && other.starts_with(path);
            let is_directory = all.iter().any(is_in_it);
            let kind = match path[0][0] % 2 {
                _ if is_directory => Kind::Directory,
                0 => {
                    let payload_root = PayloadRoot::Tree(root);
                    let commitment = Commitment { file_salt, key, payload_root };
                    let bound = FileBinding::Contents(commitment);
                    Kind::File { plaintext_bytes, bound, stamp }
                }
                _ => Kind::Link { target: path.concat() },
            };
            let mode = if matches!(kind, Kind::Link { .. }) { 0 } else { 0o640 };
            let modified = Timestamp { seconds, nanoseconds };
            let in_deleted = deleted.is_some_and(|it| path.starts_with(it));
            let state = match (state, &kind) {
                (_, Kind::File { .. } | Kind::Directory) if in_deleted => State::Deleted,
                (0, _) => State::New,
                (1, Kind::File { .. }) => State::Unchanged,
                (3, Kind::File { .. }) => State::Deleted,
                (3, Kind::Directory) => {
                    deleted = Some(path);
                    State::Deleted
                }
                _ => State::Failed(if *reason == 1 {
                    Reason::Permission
                } else {
                    Reason::Other(reason.saturating_add(6))
                }),
            };
            // A link that is deleted has no entry.
            let kind = if in_deleted && kind != Kind::Directory {
                let payload_root = PayloadRoot::Tree(root);
                let commitment = Commitment { file_salt, key, payload_root };
                Kind::File { plaintext_bytes, bound: FileBinding::Contents(commitment), stamp }
            } else {
                kind
            };
            let state = if in_deleted { State::Deleted } else { state };
            let mode = if in_deleted { 0o640 } else { mode };
            Entry { path: path.join(&b'/'), state, mode, modified, kind }
        }).collect();
        prop_assert!(entries.is_sorted_by(|one, other| compare(&one.path, &other.path).is_lt()));
        let payload_root = PayloadRoot::Tree(root);
        let previous = Some(Commitment { file_salt: [7; 32], key, payload_root });
        let lineage = Lineage { number, previous };
        let written = write_after(&lineage, &entries).unwrap();
        prop_assert_eq!(Reader::new(&written[..]).unwrap().lineage().copied(), Some(lineage));
        prop_assert_eq!(read(&written).unwrap(), entries);
    }

    /// Every manifest that is read is the one that a writer would have written: there is one way to
    /// write a tree.
    #[test]
    fn what_is_altered_is_refused_or_another_tree(at: prop::sample::Index, to: u8) {
        let mut bytes = fs::read(kit().join("v3-states.manifest")).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if let Ok(entries) = read(&bytes) {
            let lineage = *Reader::new(&bytes[..]).unwrap().lineage().unwrap();
            prop_assert_eq!(write_after(&lineage, &entries).unwrap(), bytes);
        }
    }
}
