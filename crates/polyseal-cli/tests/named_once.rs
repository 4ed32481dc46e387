//! Where many files fail, each message names its file, and names it once.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::common::{Outcome, TestDir, message};

/// Words of a line that are paths here.
fn paths(line: &str) -> Vec<&str> {
    let words = line.split_whitespace().map(|word| word.trim_matches([':', ',', ';']));
    words.filter(|word| word.contains(".polyseal") || word.contains('/')).collect()
}

/// Asserts that the run failed, that each of `names` is named, and that no line of the
/// messages, nor any error in JSON, has a path twice.
#[track_caller]
fn each_is_named_once(outcome: &Outcome, names: &[&str]) {
    let errors = outcome.errors();
    assert!(!outcome.0.status.success() && !errors.is_empty(), "{errors}");
    let told = String::from_utf8(outcome.0.stdout.clone()).unwrap();
    let json = told.lines().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(line["error"].as_str()?.to_owned())
    });
    for line in errors.lines().map(str::to_owned).chain(json) {
        let mut all = paths(&line);
        all.sort_unstable();
        let before = all.len();
        all.dedup();
        assert_eq!(all.len(), before, "{line}");
    }
    for name in names {
        let named =
            errors.lines().any(|line| line.starts_with("polyseal: ") && line.contains(name));
        assert!(named || told.contains(name), "{name}: {errors}");
    }
}

/// Files that fail, each in its own way.
const FAILING: [&str; 7] = [
    "f/absent.polyseal",
    "f/altered.polyseal",
    "f/bound.polyseal",
    "f/cut.polyseal",
    "f/directory.polyseal",
    "f/foreign.polyseal",
    "f/plain.polyseal",
];

fn room() -> TestDir {
    let room = TestDir::new();
    for key in ["other", "foreign"] {
        room.run(["keygen", "-o", key], b"").succeeds();
    }
    fs::create_dir_all(room.path("f/directory.polyseal")).unwrap();
    let sealed = room.seal(&message(100_000));
    let mut altered = sealed.clone();
    altered[sealed.len() - 1] ^= 1;
    room.write("f/altered.polyseal", &altered);
    room.write("f/cut.polyseal", &sealed[..100]);
    room.write("f/plain.polyseal", b"not encrypted");
    let foreign = ["encrypt", "-k", "foreign", "-o", "f/foreign.polyseal"];
    room.run(foreign, b"message").succeeds();
    let bound = ["encrypt", "-k", "k", "--context", "c", "-o", "f/bound.polyseal"];
    room.run(bound, b"message").succeeds();
    room
}

#[test]
fn of_several_files_and_of_a_list() {
    let room = room();
    for args in [
        &["verify", "-k", "k"][..],
        &["verify", "-k", "k", "--json"],
        &["decrypt", "-k", "k"],
        &["decrypt", "-k", "k", "-o", "f/directory.polyseal"],
    ] {
        each_is_named_once(&room.run([args, &FAILING].concat(), b""), &FAILING);
        let listed = [args, &["--files-from", "-"]].concat();
        each_is_named_once(&room.run(listed, FAILING.join("\n").as_bytes()), &FAILING);
    }
    // A rekey reads no payload, and has no context to expect.
    let failing = ["absent", "cut", "directory", "foreign", "plain"];
    let failing = failing.map(|name| format!("f/{name}.polyseal"));
    let failing: Vec<_> = failing.iter().map(String::as_str).collect();
    for how in [&[][..], &["--in-place"], &["--json"]] {
        let args = [&["rekey", "-k", "k", "--to-key", "other"], how].concat();
        each_is_named_once(&room.run([&args[..], &failing].concat(), b""), &failing);
    }
    let absent = ["f/absent.polyseal", "f/absent-too.polyseal"];
    let restore = ["rekey", "--restore", "-k", "k"];
    each_is_named_once(&room.run([&restore[..], &absent].concat(), b""), &absent);
}

#[test]
fn of_files_to_encrypt() {
    let room = room();
    room.write("f/there", b"message");
    room.write("f/there.polyseal", b"precious");
    let failing = ["f/absent", "f/there", "f/directory.polyseal"];
    let args = [&["encrypt", "-k", "k"], &failing[..]].concat();
    each_is_named_once(&room.run(args, b""), &["f/there.polyseal"]);
    let listed = ["encrypt", "-k", "k", "--files-from", "-"];
    each_is_named_once(&room.run(listed, failing.join("\n").as_bytes()), &failing);
}

#[test]
fn of_key_files() {
    let room = room();
    let files = ["f/absent.polyseal", "f/plain.polyseal", "f/directory.polyseal"];
    for act in ["check", "rewrap"] {
        each_is_named_once(&room.run([&["kms", act], &files[..]].concat(), b""), &files);
    }
}

#[test]
fn of_a_tree() {
    let room = TestDir::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    fs::create_dir_all(room.path("d/sub")).unwrap();
    let names = ["altered", "foreign", "gone", "plain", "swapped", "sub/link", "whole"];
    for name in names {
        room.write(&format!("d/{name}"), name.as_bytes());
    }
    room.run(["encrypt", "-k", "k", "--recursive", "-o", "s", "d"], b"").succeeds();
    let sealed = |name: &str| format!("s/{name}.polyseal");
    let mut altered = room.read(&sealed("altered"));
    *altered.last_mut().unwrap() ^= 1;
    room.write(&sealed("altered"), &altered);
    fs::remove_file(room.path(&sealed("foreign"))).unwrap();
    room.run(["encrypt", "-k", "other", "-o", &sealed("foreign")], b"message").succeeds();
    fs::remove_file(room.path(&sealed("gone"))).unwrap();
    room.write(&sealed("plain"), b"not encrypted");
    fs::copy(room.path(&sealed("whole")), room.path(&sealed("swapped"))).unwrap();
    fs::remove_file(room.path(&sealed("sub/link"))).unwrap();
    symlink("nowhere", room.path(&sealed("sub/link"))).unwrap();
    fs::copy(room.path(&sealed("whole")), room.path(&sealed("added"))).unwrap();
    let mut failing: Vec<_> = names[..6].iter().map(|name| sealed(name)).collect();
    failing.push(sealed("added"));
    let failing: Vec<_> = failing.iter().map(String::as_str).collect();
    for args in [
        &["verify", "-k", "k", "--recursive", "s"][..],
        &["verify", "-k", "k", "--recursive", "--json", "s"],
        &["decrypt", "-k", "k", "--recursive", "-o", "out", "s"],
    ] {
        each_is_named_once(&room.run(args, b""), &failing);
    }
    let failing = ["s/gone.polyseal", "s/plain.polyseal", "s/swapped.polyseal"];
    let rekey = ["rekey", "-k", "k", "--to-key", "other", "--recursive", "s"];
    let anew = [&rekey[..], &["--new-key", "-o", "n"]].concat();
    each_is_named_once(&room.run(anew, b""), &failing);
    each_is_named_once(&room.run(rekey, b""), &failing);
}

#[test]
fn of_a_tree_that_is_none() {
    let room = TestDir::new();
    fs::create_dir_all(room.path("d/sub")).unwrap();
    for args in [
        &["verify", "-k", "k", "--recursive", "d/sub"][..],
        &["decrypt", "-k", "k", "--recursive", "-o", "out", "d/sub"],
        &["rekey", "-k", "k", "--to-key", "k", "--recursive", "d/sub"],
        &["verify", "-k", "k", "--recursive", "d/absent"],
        &["encrypt", "-k", "k", "--recursive", "-o", "d/sub/in", "d"],
    ] {
        each_is_named_once(&room.run(args, b""), &["d/"]);
    }
    let pipe = room.path("d/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let encrypt = ["encrypt", "-k", "k", "--recursive", "-o", "s", "d"];
    each_is_named_once(&room.run(encrypt, b""), &["d/pipe"]);
    room.write("d/.polyseal-manifest", b"a name that is taken");
    let encrypt = ["encrypt", "-k", "k", "--recursive", "-o", "t", "d"];
    each_is_named_once(&room.run(encrypt, b""), &["d/.polyseal-manifest: it has"]);
}
