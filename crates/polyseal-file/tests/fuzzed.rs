//! Runs the checks of the fuzz targets (`research/fuzz/checks`) on the inputs that they have found
//! (`research/fuzz/corpus`), and on others drawn by chance from those and from the files of the
//! format's rules: a first look within seconds. `make -C research fuzz` looks for longer, and sees
//! what a change has reached.

#[path = "../../../research/fuzz/checks/age_file.rs"]
mod age_file;
#[path = "../../../research/fuzz/checks/authentic_header.rs"]
mod authentic_header;
#[path = "../../../research/fuzz/checks/corpus.rs"]
mod corpus;
#[path = "../../../research/fuzz/checks/file_parser.rs"]
mod file_parser;
#[path = "../../../research/fuzz/checks/header.rs"]
mod header;
#[path = "../../../research/fuzz/checks/input.rs"]
mod input;
#[path = "../../../research/fuzz/checks/manifest.rs"]
mod manifest;
#[path = "../../../research/fuzz/checks/reference.rs"]
mod reference;
#[path = "../../../research/fuzz/checks/text.rs"]
mod text;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use polyseal_file::Key;
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof};
use proptest::proptest;
use proptest::sample::{Index, select};
use serde_json::Value;

use file_parser::File;

/// The files of the format's rules.
fn kit() -> &'static [Vec<u8>] {
    static KIT: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    KIT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/file-format");
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| fs::read(path).unwrap()).collect()
    })
}

/// Texts that are read: armour, a key file, recipients and identities.
fn texts() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/age");
    let names = ["hybrid.txt", "x25519.txt", "ssh_ed25519.pub", "ssh_rsa_2048.pub", "ssh_ed25519"];
    let mut texts: Vec<_> = names.map(|name| fs::read(folder.join(name)).unwrap()).into();
    texts.push(Key::from_bytes(&[0x5e; 32]).to_file().reveal().as_bytes().to_vec());
    texts.extend(kit().iter().filter(|file| file.starts_with(b"-----")).take(12).cloned());
    assert!(texts.len() > 10, "armoured files are in the kit");
    texts
}

/// `bytes` after a few changes: bytes flipped, removed and put in, and the end cut off.
fn changed(bytes: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let change = prop_oneof![
        4 => (any::<Index>(), 1..=255_u8).prop_map(|(at, by)| (at, 0, vec![by], true)),
        1 => (any::<Index>(), 0..40_usize).prop_map(|(at, out)| (at, out, Vec::new(), false)),
        1 => (any::<Index>(), 0..4_usize, vec(any::<u8>(), 0..20))
            .prop_map(|(at, out, put_in)| (at, out, put_in, false)),
    ];
    (vec(change, 0..4), any::<Index>(), 0..8_u8).prop_map(move |(changes, end, cut)| {
        let mut bytes = bytes.clone();
        for (at, removed, put_in, flip) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            if flip {
                bytes[at] ^= put_in[0];
            } else {
                let to = bytes.len().min(at + removed);
                bytes.splice(at..to, put_in);
            }
        }
        if cut == 0 && !bytes.is_empty() {
            bytes.truncate(end.index(bytes.len()));
        }
        bytes
    })
}

fn any_of(seeds: &[Vec<u8>]) -> impl Strategy<Value = Vec<u8>> + use<> {
    select(seeds.to_vec()).prop_flat_map(changed)
}

/// The inputs of a target that are kept in the tree.
fn inputs(target: &str) -> Vec<Vec<u8>> {
    corpus::inputs(target).into_iter().map(|(_, input)| input).collect()
}

#[test]
fn every_input_of_the_corpus() {
    inputs("header").iter().for_each(|input| header::check(input));
    inputs("text").iter().for_each(|input| text::check(input));
    inputs("age_file").iter().for_each(|input| age_file::check(input));
    inputs("authentic_header").iter().for_each(|input| authentic_header::check(input));
    inputs("manifest").iter().for_each(|input| manifest::check(input));
    inputs("file_parser").iter().for_each(|input| file_parser::check(File::from_input(input)));
}

fn same_verdicts(target: &str, verdict: fn(&[u8]) -> Value) {
    let file = format!("../../research/fuzz/verdicts/{target}.json");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let expected: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let corpus = corpus::inputs(target);
    assert_eq!(expected.as_object().unwrap().len(), corpus.len(), "{target}");
    for (name, input) in corpus {
        assert_eq!(verdict(&input), expected[&name], "{target}/{name}");
    }
}

/// `research/reference/test_verdicts.py` sees to it that the verdicts are those of the reference in
/// Python.
#[test]
fn the_reference_says_the_same() {
    same_verdicts("authentic_header", authentic_header::verdict);
    same_verdicts("text", text::verdict);
}

#[test]
fn every_file_of_the_kit() {
    kit().iter().for_each(|bytes| header::check(bytes));
    texts().iter().for_each(|bytes| text::check(bytes));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn headers(bytes in any_of(kit())) {
        header::check(&bytes);
    }

    #[test]
    fn authentic_headers(bytes in any_of(&inputs("authentic_header"))) {
        authentic_header::check(&bytes);
    }

    #[test]
    fn age_files(bytes in any_of(&inputs("age_file"))) {
        age_file::check(&bytes);
    }

    #[test]
    fn manifests(bytes in any_of(&inputs("manifest"))) {
        manifest::check(&bytes);
    }

    #[test]
    fn read_texts(bytes in prop_oneof![any_of(&texts()), any_of(&inputs("text"))]) {
        text::check(&bytes);
    }

    #[test]
    fn files(file in prop_oneof![
        vec(any::<u8>(), 0..100).prop_map(File::Anything),
        vec(any::<u8>(), 0..5000).prop_map(File::Begun),
        (any::<u16>(), any::<u8>(), prop_oneof![Just(Vec::new()), vec(any::<u8>(), 0..300)])
            .prop_map(|(at, removed, inserted)| File::Changed { at, removed, inserted }),
    ]) {
        file_parser::check(file);
    }
}
