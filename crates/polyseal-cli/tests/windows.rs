//! The tool on Windows: what is different there, and what is promised all the same.

#![cfg(windows)]

use std::fs::{self, File};
use std::io::Write;
use std::process::Stdio;

use crate::common::{TestDir, lines, message, rekey_until_locked};

#[test]
fn files_go_and_come_back() {
    let room = TestDir::new();
    for length in [0, 1, 4096, 65_536, 3_000_000] {
        let plaintext = message(length);
        room.write("m", &plaintext);
        room.run(["encrypt", "-k", "k", "-f", "-o", "c", "m"], b"").succeeds();
        room.opens("k", "c", &plaintext);
        room.run(["decrypt", "-k", "k", "-f", "-o", "back", "c"], b"").succeeds();
        assert!(room.read("back") == plaintext);
        // By way of pipes, too.
        let sealed = room.run(["encrypt", "-k", "k"], &plaintext).succeeds();
        assert!(room.run(["decrypt", "-k", "k"], &sealed).succeeds() == plaintext);
    }
    let mut altered = room.read("c");
    altered[70_000] ^= 1;
    room.write("c", &altered);
    room.run(["decrypt", "-k", "k", "-o", "none", "c"], b"").fails(3, "");
    assert_eq!(room.names(), ["back", "c", "k", "m"]);
}

#[test]
fn a_passphrase_comes_from_standard_input_and_from_no_other_descriptor() {
    let room = TestDir::new();
    room.write("m", b"attack at dawn");
    let encrypt = ["encrypt", "--passphrase-fd", "0", "-o", "c", "m"];
    room.run(encrypt, b"correct horse battery staple\r\n").succeeds();
    let decrypt = ["decrypt", "--passphrase-fd", "0", "c"];
    let opened = room.run(decrypt, b"correct horse battery staple\n").succeeds();
    assert_eq!(opened, b"attack at dawn");
    let other = ["decrypt", "--passphrase-fd", "3", "c"];
    room.run(other, b"").fails(1, "standard input");
    room.run(["decrypt", "--passphrase-fd", "0"], b"x").fails(2, "one stream");
}

#[test]
fn names_that_windows_does_not_have_are_refused() {
    let room = TestDir::new();
    room.write("m", b"attack at dawn");
    for name in ["aux.polyseal", "m:stream", "dot.", "what?"] {
        let outcome = room.run(["encrypt", "-k", "k", "-o", name, "m"], b"");
        assert_eq!(outcome.0.status.code(), Some(1), "{name}: {}", outcome.errors());
    }
    assert_eq!(room.names(), ["k", "m"]);
    room.run(["encrypt", "-k", "k", "-o", "NUL", "m"], b"").succeeds();
    room.run(["encrypt", "-k", "k", "-o", r"\\.\pipe\polyseal-nobody", "m"], b"")
        .fails(2, "another user");
}

/// The output is another name of the input.
#[test]
fn no_case_of_a_name_hides_that_the_output_is_the_input() {
    let room = TestDir::new();
    let sealed = room.seal(b"attack at dawn");
    room.run(["decrypt", "-k", "k", "-f", "-o", "C", "c"], b"").fails(2, "is the input");
    room.run(["encrypt", "-k", "k", "-f", "-o", "K", "c"], b"").fails(2, "");
    assert!(room.read("c") == sealed);
}

#[test]
fn long_paths_are_paths() {
    let room = TestDir::new();
    let folder = (0..8).fold(room.path(""), |path, i| path.join(format!("{i}").repeat(60)));
    fs::create_dir_all(&folder).unwrap();
    let (plain, sealed) = (folder.join("m"), folder.join("c"));
    assert!(sealed.as_os_str().len() > 260);
    fs::write(&plain, "attack at dawn").unwrap();
    let args = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let (plain, sealed) = (plain.to_str().unwrap(), sealed.to_str().unwrap());
    room.run(args(&["encrypt", "-k", "k", "-o", sealed, plain]), b"").succeeds();
    assert_eq!(room.run(args(&["decrypt", "-k", "k", sealed]), b"").succeeds(), b"attack at dawn");
}

#[test]
fn trees_go_and_come_back() {
    let room = TestDir::new();
    fs::create_dir_all(room.path("d/sub/empty")).unwrap();
    room.write("d/one", b"1");
    room.write("d/sub/two words", b"22");
    room.run(["encrypt", "-k", "k", "--recursive", "-o", "s", "d"], b"").succeeds();
    let shown = room.run(["verify", "-k", "k", "--recursive", "s"], b"").succeeds();
    assert_eq!(lines(&shown), 2);
    room.run(["decrypt", "-k", "k", "--recursive", "-o", "back", "s"], b"").succeeds();
    assert_eq!(room.read("back/sub/two words"), b"22");
    assert!(room.path("back/sub/empty").is_dir());
    fs::rename(room.path("s/one.polyseal"), room.path("s/other.polyseal")).unwrap();
    room.run(["verify", "-k", "k", "--recursive", "s"], b"").fails(3, "2 of");
}

/// Nobody can answer `TerminateProcess`: a temporary name stays, and nothing else is touched.
#[test]
fn what_is_killed_leaves_what_was_there() {
    let room = TestDir::new();
    room.write("out", b"precious");
    let mut command = room.command(["encrypt", "-k", "k", "-f", "-o", "out"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&message(3_000_000)).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    drop(stdin);
    assert_eq!(room.read("out"), b"precious");
    let left: Vec<_> = room.names().into_iter().filter(|name| name.ends_with(".tmp")).collect();
    assert_eq!(room.names().len(), 2 + left.len(), "{:?}", room.names());
}

#[test]
fn a_rekey_that_is_killed_is_finished_by_running_it_again() {
    crate::common::rekey_a_tree_and_be_killed(40, &[]);
    crate::common::rekey_a_tree_and_be_killed(40, &["--in-place"]);
}

/// A locked file can be read all the same.
#[test]
fn what_is_being_rekeyed_is_not_rekeyed_by_another() {
    let room = TestDir::new();
    let before = room.seal(b"attack at dawn");
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let mut first = rekey_until_locked(&room, &["--to-key", "other"], "c");
    let second = ["rekey", "-k", "k", "--to-key", "k", "c"];
    room.run(second, b"").fails(1, "is being rekeyed by another program");
    assert!(room.read("c") == before);
    room.opens("k", "c", b"attack at dawn");
    room.write("go", b"");
    assert!(first.wait().unwrap().success());
    room.opens("other", "c", b"attack at dawn");
}

/// An output that is open elsewhere is replaced, and its readers keep what they have.
#[test]
fn what_somebody_reads_is_replaced() {
    let room = TestDir::new();
    room.seal(b"before");
    let reader = File::open(room.path("c")).unwrap();
    room.seal(b"after");
    room.opens("k", "c", b"after");
    drop(reader);
    assert_eq!(room.names(), ["c", "k"]);
}
