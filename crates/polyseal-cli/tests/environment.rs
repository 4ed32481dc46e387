//! Variables that name files of keys: for containers and units.

use std::process::{Output, Stdio};

use crate::common::TestDir;

const KEY: &str = "POLYSEAL_KEY_FILE";
const IDENTITY: &str = "POLYSEAL_IDENTITY_FILE";
const PASSPHRASE: &str = "POLYSEAL_PASSPHRASE_FILE";

fn run(room: &TestDir, variables: &[(&str, &str)], args: &[&str]) -> Output {
    let mut tool = room.command(args);
    tool.envs(variables.iter().copied()).stdin(Stdio::null());
    tool.output().unwrap()
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

#[test]
fn what_they_name_opens_and_encrypts() {
    let room = TestDir::new();
    room.write("message", b"attack at dawn");
    room.run(["keygen", "-t", "x25519", "-o", "identity"], b"").succeeds();
    room.write("words", b"correct horse battery staple\nand more\n");
    for (variable, file) in [(KEY, "k"), (IDENTITY, "identity"), (PASSPHRASE, "words")] {
        let sealed = format!("{file}.sealed");
        let done = run(&room, &[(variable, file)], &["encrypt", "-o", &sealed, "message"]);
        assert!(done.status.success(), "{variable}: {}", said(&done));
        for command in [&["decrypt"][..], &["cat"], &["verify", "-q"]] {
            let done = run(&room, &[(variable, file)], &[command, &[sealed.as_str()]].concat());
            assert!(done.status.success(), "{variable} {command:?}: {}", said(&done));
            let wanted: &[u8] = if command[0] == "verify" { b"" } else { b"attack at dawn" };
            assert_eq!(done.stdout, wanted, "{variable} {command:?}");
        }
        let none = run(&room, &[(variable, "")], &["decrypt", &sealed]);
        assert_eq!(none.status.code(), Some(4), "{variable}: {}", said(&none));
    }
    let rekey = ["rekey", "--keep", "--to-key", "k", "identity.sealed"];
    assert!(run(&room, &[(IDENTITY, "identity")], &rekey).status.success());
    room.run(["verify", "-k", "k", "identity.sealed"], b"").succeeds();
}

#[test]
fn they_count_only_where_no_key_is_named() {
    let room = TestDir::new();
    room.write("message", b"attack at dawn");
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let done = run(&room, &[(KEY, "other")], &["encrypt", "-k", "k", "-o", "sealed", "message"]);
    assert!(done.status.success(), "{}", said(&done));
    room.run(["verify", "-k", "other", "sealed"], b"").fails(4, "none of the keys");
    let done = run(&room, &[(KEY, "k")], &["verify", "-k", "other", "sealed"]);
    assert_eq!(done.status.code(), Some(4));
    assert!(run(&room, &[(KEY, "k")], &["verify", "sealed"]).status.success());
}

/// Each opens what it can. A file is encrypted for the key file and the identities; for the
/// passphrase, where neither is set.
#[test]
fn several_of_them_have_a_rule() {
    let room = TestDir::new();
    room.write("message", b"attack at dawn");
    room.run(["keygen", "-t", "x25519", "-o", "identity"], b"").succeeds();
    room.write("words", b"correct horse battery staple\n");
    let all = [(KEY, "k"), (IDENTITY, "identity"), (PASSPHRASE, "words")];
    for (variable, file) in all {
        let sealed = format!("{file}.sealed");
        let alone = ["encrypt", "-o", &sealed, "message"];
        assert!(run(&room, &[(variable, file)], &alone).status.success());
        let done = run(&room, &all, &["decrypt", &sealed]);
        assert_eq!(done.stdout, b"attack at dawn", "{variable}: {}", said(&done));
    }
    // Which variables are set, and whose files open what they encrypt.
    let cases: [(&[_], [bool; 3]); 4] = [
        (&all, [true, true, false]),
        (&all[..2], [true, true, false]),
        (&[all[0], all[2]], [true, false, false]),
        (&all[1..], [false, true, false]),
    ];
    for (at, (set, opens)) in cases.into_iter().enumerate() {
        let sealed = format!("{at}.sealed");
        let done = run(&room, set, &["encrypt", "-o", &sealed, "message"]);
        assert!(done.status.success(), "{set:?}: {}", said(&done));
        for (one, opens) in all.into_iter().zip(opens) {
            let done = run(&room, &[one], &["verify", "-q", &sealed]);
            assert_eq!(done.status.success(), opens, "{set:?}, {one:?}: {}", said(&done));
        }
    }
}

#[test]
fn a_secret_in_one_is_refused_and_not_shown() {
    let room = TestDir::new();
    room.write("message", b"attack at dawn");
    let key = String::from_utf8(room.read("k")).unwrap();
    let key = key.lines().find(|line| line.starts_with("polyseal-key-")).unwrap();
    let hexadecimal = "0123456789abcdef".repeat(4);
    // As xxd breaks it.
    let broken = format!("{}\n{}", &hexadecimal[..60], &hexadecimal[60..]);
    let base64 = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    let passphrase = "correct-horse-battery-staple";
    let secrets = [key, &hexadecimal, &broken, base64, passphrase];
    for (variable, secret) in
        [KEY, IDENTITY, PASSPHRASE].iter().flat_map(|variable| secrets.map(|it| (*variable, it)))
    {
        let done = run(&room, &[(variable, secret)], &["encrypt", "-o", "out", "message"]);
        assert_eq!(done.status.code(), Some(2), "{variable}: {}", said(&done));
        let shown = said(&done);
        let hidden = secret.split('\n').all(|part| !shown.contains(part));
        assert!(shown.contains(variable) && hidden, "{shown}");
        assert!(!room.path("out").exists());
    }
}

#[test]
fn they_are_not_asked_for_what_takes_no_key_or_has_another_format() {
    let room = TestDir::new();
    room.write("message", b"attack at dawn");
    room.run(["keygen", "-t", "x25519", "-o", "identity"], b"").succeeds();
    let both = [(KEY, "k"), (IDENTITY, "identity")];
    let done = run(&room, &both, &["encrypt", "--format", "age", "-o", "age", "message"]);
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(said(&done), "", "to a job nothing is said");
    room.run(["verify", "-i", "identity", "age"], b"").succeeds();
    let done = run(&room, &both[..1], &["encrypt", "--format", "age", "-o", "b", "message"]);
    assert!(done.status.code() == Some(2) && said(&done).contains(KEY), "{}", said(&done));
    // The first line of a key file is a comment, and no secret.
    for keys in ["k", "identity"] {
        let done = run(&room, &[(PASSPHRASE, keys)], &["encrypt", "-o", "b", "message"]);
        assert!(
            done.status.code() == Some(2) && said(&done).contains("of keys"),
            "{}",
            said(&done)
        );
    }
    room.run(["encrypt", "-k", "k", "-o", "sealed", "message"], b"").succeeds();
    // There is no header to put back: it is not the key that is missing.
    let restore = run(&room, &[(KEY, "absent")], &["rekey", "--restore", "sealed"]);
    assert!(!said(&restore).contains(KEY), "{}", said(&restore));
    let both = [(KEY, "k"), (PASSPHRASE, "message")];
    assert!(run(&room, &both, &["encrypt", "-o", "other", "message"]).status.success());
}

#[cfg(unix)]
#[test]
fn a_passphrase_and_a_message_do_not_come_from_one_stream() {
    let room = TestDir::new();
    let line = "printf 'words\\nmessage' | POLYSEAL_PASSPHRASE_FILE=/dev/stdin $P encrypt -o out";
    room.shell(line).fails(2, "cannot both come from one stream");
    assert!(!room.path("out").exists());
}
