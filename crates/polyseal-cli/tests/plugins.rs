//! Plugins of age that fail: their name and their words are told, and the exit code is that of a
//! system that fails, not of a key that is missing. How they are spoken to is tested in
//! `polyseal-file`.

#![cfg(unix)]

use crate::common::{Outcome, TestDir};

const RECIPIENT: &str = "age1x1vy24ykex";
const IDENTITY: &str = "AGE-PLUGIN-X-1VYFNEL2M";

/// A room in whose folder `bin` is `age-plugin-x`, this script.
fn room(script: &str) -> TestDir {
    let room = TestDir::new();
    room.write("script", format!("#!/bin/sh\n{script}\n").as_bytes());
    room.write("id", format!("{IDENTITY}\n").as_bytes());
    room.write("m", b"message");
    // Copied by another program: one that this process still writes to cannot be run.
    room.shell("mkdir bin && cp script bin/age-plugin-x && chmod +x bin/age-plugin-x").succeeds();
    room.run(["encrypt", "-r", &recipient(&room), "-o", "c", "m"], b"").succeeds();
    room
}

/// The recipient of a new identity, so that a file has a stanza for a plugin to look at.
fn recipient(room: &TestDir) -> String {
    let made = room.run(["keygen", "-t", "x25519", "-o", "other"], b"").succeeds();
    String::from_utf8(made).unwrap().trim().to_owned()
}

fn with_plugin(room: &TestDir, line: &str) -> Outcome {
    room.shell(&format!("PATH=\"$PWD/bin:$PATH\"; {line}"))
}

#[test]
fn a_plugin_that_fails_is_named_and_heard() {
    for (script, says) in [
        (
            "echo 'token not plugged in' >&2; echo '\x1b[2Jagain' >&2; exit 3",
            concat!(
                "age-plugin-x ended too early, exit status: 3; ",
                r"it said: token not plugged in / \u{1b}[2Jagain",
            ),
        ),
        ("echo 'usage: none'; cat >/dev/null", "age-plugin-x does not keep to the protocol"),
        ("printf -- '-> msg\\nSGkKYWxs\\n'; kill $$", "age-plugin-x ended too early, signal: 15"),
    ] {
        let room = room(script);
        for line in [
            format!("$P encrypt -r {RECIPIENT} -o d m"),
            "$P encrypt -i id -o d m".to_owned(),
            format!("$P rekey --keep -i other -r {RECIPIENT} c"),
            format!("$P rekey --new-key -i other -r {RECIPIENT} c"),
            "$P decrypt -i id -o d c".to_owned(),
            "$P verify -i id c".to_owned(),
        ] {
            let errors = with_plugin(&room, &line).errors();
            let told = errors.lines().filter(|told| *told != r"polyseal: Hi\nall");
            assert!(told.clone().count() == 1 && errors.contains(says), "{line}: {errors}");
            assert_eq!(with_plugin(&room, &line).0.status.code(), Some(1), "{line}");
        }
        assert_eq!(room.names().into_iter().filter(|name| name == "d").count(), 0);
        // Another identity opens it all the same, whichever is named first.
        for keys in ["-i id -i other", "-i other -i id"] {
            let opened = with_plugin(&room, &format!("$P decrypt {keys} c"));
            assert_eq!(opened.0.stdout, b"message", "{}", opened.errors());
        }
    }
}

#[test]
fn a_plugin_that_cannot_be_started_is_named() {
    let room = room("exit 0");
    let not = |line: &str, says: &str| with_plugin(&room, line).fails(1, says);
    room.shell("printf '#!/no/such/shell\\n' > bin/age-plugin-x").succeeds();
    let says = "cannot start age-plugin-x: No such file or directory";
    not(&format!("$P encrypt -r {RECIPIENT} m"), says);
    not("$P decrypt -i id c", says);
    // A file that cannot be run is not a plugin; nor is one in a directory relative to the present
    // one.
    room.shell("chmod -x bin/age-plugin-x").succeeds();
    let none = "age-plugin-x was not found: install it, and have it on the PATH";
    with_plugin(&room, "$P decrypt -i id c").fails(2, none);
    room.shell("chmod +x bin/age-plugin-x; PATH=bin:$PATH; $P decrypt -i id c").fails(2, none);
}

/// An error in the protocol's own form is about keys, and is reported as such.
#[test]
fn a_plugin_that_refuses() {
    let talk = "until [ \"$l\" = '-> done' ]; do read -r l; done
        printf -- '-> error internal\\nbm8gc2xvdA\\n'; read -r l; printf -- '-> done\\n\\n'";
    let room = room(talk);
    with_plugin(&room, &format!("$P encrypt -r {RECIPIENT} m")).fails(2, "age-plugin-x: no slot");
    with_plugin(&room, "$P decrypt -i id c").fails(4, "age-plugin-x: no slot");
}
