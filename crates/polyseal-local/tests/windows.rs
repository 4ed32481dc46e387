//! The promises of SECURITY.md on files by name, on Windows.

#![cfg(windows)]

use std::fs::{self, File};
use std::path::PathBuf;

use polyseal_file::{Decryptor, Encryptor, Identities, Key, Recipients};
use polyseal_local::{
    FileId, Forbidden, NewFile, NewTree, Options, Place, Problem, SealedTree, TreeSealer,
    components,
};

struct TestDir {
    folder: tempfile::TempDir,
}

impl TestDir {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect()
    }
}

#[test]
fn an_output_that_is_not_complete_leaves_no_name() {
    let room = TestDir::new();
    let new = NewFile::create_at(&room.at("new"), false, &Forbidden::NOTHING).unwrap();
    assert_eq!(room.names().len(), 1);
    assert!(!room.at("new").exists());
    drop(new);
    assert!(room.names().is_empty());
}

#[test]
fn what_is_there_is_replaced_though_it_is_open() {
    use std::io::{Read, Write};

    let room = TestDir::new();
    fs::write(room.at("f"), "old").unwrap();
    let mut open = File::open(room.at("f")).unwrap();
    let refused = NewFile::create_at(&room.at("f"), false, &Forbidden::NOTHING).unwrap_err();
    assert!(matches!(refused.problem(), Problem::Exists), "{refused}");
    let new = NewFile::create_at(&room.at("f"), true, &Forbidden::NOTHING).unwrap();
    new.file().write_all(b"new").unwrap();
    new.commit().unwrap();
    let mut text = String::new();
    open.read_to_string(&mut text).unwrap();
    assert_eq!(text, "old");
    drop(open);
    assert_eq!(fs::read(room.at("f")).unwrap(), b"new");
    assert_eq!(room.names(), ["f"]);
}

#[test]
fn names_of_devices_and_streams_are_refused() {
    let room = TestDir::new();
    for name in ["con", "nul.txt", "a.", "a ", "f:stream", "a?", "COM1.polyseal"] {
        assert!(NewFile::create_at(&room.at(name), true, &Forbidden::NOTHING).is_err(), "{name}");
    }
    assert!(room.names().is_empty());
}

#[test]
fn a_place_is_one_by_whatever_case_it_is_named() {
    let room = TestDir::new();
    fs::write(room.at("Name"), "").unwrap();
    let places = ["Name", "NAME"].map(|name| Place::from_path(&room.at(name)).unwrap());
    assert!(places[0].is_same(&places[1]));
    let file = places[0].file().unwrap();
    assert_eq!(FileId::from_file(&file).unwrap(), FileId::from_path(&room.at("nAME")).unwrap());
}

#[test]
fn trees_go_and_come_back() {
    let room = TestDir::new();
    fs::create_dir_all(room.at("tree/sub")).unwrap();
    fs::write(room.at("tree/sub/one"), "meet at noon").unwrap();
    fs::write(room.at("tree/two"), "").unwrap();
    let (key, options) = (Key::generate().unwrap(), Options::new());
    let recipients = Recipients::from(&key);
    let to = NewTree::new(&room.at("sealed"), false).unwrap();
    TreeSealer::new(&room.at("tree"), to, &options)
        .unwrap()
        .seal(Encryptor::new(&recipients), &options, &mut |_, done| done.map(drop))
        .unwrap();
    assert!(room.at("sealed/sub/one.polyseal").exists());
    let identities = Identities::from(&key);
    let tree = SealedTree::open(&room.at("sealed"), Decryptor::new(&identities), &options).unwrap();
    let to = NewTree::new(&room.at("back"), false).unwrap();
    let total = tree.decrypt(to, &mut |_, done| done.map(drop)).unwrap();
    assert_eq!((total.files, total.bytes), (2, 12));
    assert_eq!(fs::read(room.at("back/sub/one")).unwrap(), b"meet at noon");
}

#[test]
fn paths_beneath_a_directory_are_relative() {
    for (path, expected) in [
        ("a", Some(1)),
        (r"a\b\c", Some(3)),
        ("a/b", Some(2)),
        (r"a\..\b", None),
        (r"\a", None),
        (r"C:a", None),
        (r"C:\a", None),
        (r"\\server\share\a", None),
        (r"\\?\C:\a", None),
    ] {
        let found = components(path.as_ref()).map(|names| names.len());
        assert_eq!(found, expected, "{path}");
    }
}
