//! Keys that live elsewhere, with a keyring that is a script: what the tool asks it, and when.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::{Outcome, TestDir};

/// Keeps each secret in a file that is named after its attributes, and counts the calls.
const SECRET_TOOL: &str = r#"#!/bin/sh
echo "$1" >> "$0.calls"
what=$1
shift
case $1 in --label*) shift ;; esac
name="$0.$(echo "$*" | tr -c 'a-z0-9\n' _)"
case $what in
    store) cat > "$name" ;;
    lookup) cat "$name" 2>/dev/null ;;
esac
"#;

const URI: &str = "secret-service:account=ops";

struct Place {
    room: TestDir,
}

impl Place {
    fn new() -> Self {
        let room = TestDir::new();
        fs::create_dir(room.path("bin")).unwrap();
        room.write("bin/secret-tool", SECRET_TOOL.as_bytes());
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(room.path("bin/secret-tool"), mode).unwrap();
        Self { room }
    }

    fn run(&self, args: &[&str]) -> Outcome {
        let mut command = self.room.command(args);
        command.env("PATH", format!("{}:/usr/bin:/bin", self.room.path("bin").display()));
        Outcome(command.output().unwrap())
    }

    fn wrapped(&self, name: &str, context: &str) {
        let keygen = ["keygen", "--kms", URI, "--kms-context", context, "--only", "-o", name];
        self.run(&keygen).succeeds();
    }

    /// Runs these commands each time before the keyring answers.
    fn when_asked(&self, commands: &str) {
        let (here, bin) = (self.room.path("."), self.room.path("bin"));
        let tool = bin.join("secret-tool");
        for entry in fs::read_dir(&bin).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let rest = name.strip_prefix("secret-tool").unwrap();
            fs::rename(&path, bin.join(format!("secret-tool.real{rest}"))).unwrap();
        }
        let script =
            format!("#!/bin/sh\ncd {}; {commands}; exec \"$0.real\" \"$@\"\n", here.display());
        fs::write(&tool, script).unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The names of the calls of the keyring since the last time.
    fn calls(&self) -> Vec<String> {
        let path = self.room.path("bin/secret-tool.calls");
        let calls = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(&path);
        calls.lines().map(str::to_owned).collect()
    }
}

#[test]
fn one_call_for_all_files() {
    let place = Place::new();
    place.wrapped("team.wrapped", "app=backup");
    assert_eq!(place.calls(), ["store"]);
    fs::create_dir(place.room.path("data")).unwrap();
    for i in 0..50 {
        place.room.write(&format!("data/{i}"), format!("contents {i}").as_bytes());
    }
    let seal = ["encrypt", "-k", "team.wrapped", "--recursive", "-o", "sealed", "data"];
    place.run(&seal).succeeds();
    assert_eq!(place.calls(), ["lookup"]);
    let open = ["decrypt", "-k", "team.wrapped", "--recursive", "-o", "plain", "sealed"];
    place.run(&open).succeeds();
    assert_eq!(place.calls(), ["lookup"]);
    assert_eq!(place.room.read("plain/7"), b"contents 7");
}

#[test]
fn what_is_altered_is_refused_and_nothing_is_written() {
    let place = Place::new();
    place.wrapped("a.wrapped", "app=a");
    place.wrapped("b.wrapped", "app=b");
    place.room.write("plain", b"plain");
    let seal = |key: &str| place.run(&["encrypt", "-k", key, "-o", "sealed", "plain"]);
    let file = String::from_utf8(place.room.read("a.wrapped")).unwrap();
    let other = String::from_utf8(place.room.read("b.wrapped")).unwrap();
    let line = |file: &str, name: &str| {
        file.lines().find(|line| line.starts_with(name)).unwrap().to_owned()
    };
    // Another context, and the other key's blob under this one's name.
    for altered in [
        file.replace("app=a", "app=c"),
        file.replace(&line(&file, "wrapped: "), &line(&other, "wrapped: ")),
    ] {
        assert_ne!(altered, file);
        place.room.write("altered.wrapped", altered.as_bytes());
        seal("altered.wrapped").fails(3, "check value");
    }
    let loads = file.replace(URI, "pkcs11:token=a?module-path=/tmp/x.so");
    place.room.write("loads.wrapped", loads.as_bytes());
    seal("loads.wrapped").fails(3, "module-path");
    for kept in fs::read_dir(place.room.path("bin")).unwrap() {
        let path = kept.unwrap().path();
        if path.to_string_lossy().contains("secret-tool.") {
            fs::remove_file(path).unwrap();
        }
    }
    seal("a.wrapped").fails(4, "no such key");
    assert!(!place.room.path("sealed").exists());
}

#[test]
fn a_second_recipient_or_only() {
    let place = Place::new();
    place.run(&["keygen", "--kms", URI, "-o", "w"]).fails(2, "--also");
    assert!(place.calls().is_empty());
    place.room.shell("$P keygen -t x25519 -o id > recipient").succeeds();
    let recipient = String::from_utf8(place.room.read("recipient")).unwrap();
    let recipient = recipient.trim();
    place.run(&["keygen", "--kms", URI, "--also", recipient, "-o", "w"]).succeeds();
    place.run(&["keygen", "--kms", URI, "--also", recipient, "-o", "w"]).fails(2, "never replaces");
    place.run(&["decrypt", "-i", "id", "-o", "key", "w.backup"]).succeeds();
    place.room.write("plain", b"plain");
    place.run(&["encrypt", "-k", "w", "-o", "sealed", "plain"]).succeeds();
    // The backup alone opens it, where the keyring is gone.
    place.room.run(["decrypt", "-k", "key", "-o", "again", "sealed"], b"").succeeds();
    assert_eq!(place.room.read("again"), b"plain");
}

#[test]
fn check_rewrap_and_inspect() {
    let place = Place::new();
    place.wrapped("w", "app=b");
    let said = place.run(&["kms", "check", "w"]).succeeds();
    assert_eq!(String::from_utf8_lossy(&said), format!("w: {URI} unwraps it\n"));
    place.room.write("plain", b"plain");
    place.run(&["encrypt", "-k", "w", "-o", "sealed", "plain"]).succeeds();
    let before = place.room.read("w");
    place.run(&["kms", "rewrap", "w"]).succeeds();
    assert_ne!(place.room.read("w"), before);
    place.run(&["decrypt", "-k", "w", "-o", "again", "sealed"]).succeeds();
    assert!(!place.calls().is_empty());
    let shown = place.run(&["inspect", "w"]).succeeds();
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains(URI) && shown.contains("app = b"), "{shown}");
    let json = place.run(&["inspect", "--json", "w"]).succeeds();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["kms"], URI);
    assert_eq!(json["context"]["app"], "b");
    assert!(place.calls().is_empty());
    place.room.write("broken", b"polyseal-wrapped-key-2\n");
    place.run(&["kms", "check", "broken", "w"]).fails(3, "version 1");
}

#[test]
fn what_does_not_go_together() {
    let place = Place::new();
    let keygen = |args: &[&str], message: &str| {
        place.run(&[&["keygen", "-o", "w"], args].concat()).fails(2, message);
    };
    keygen(&["-t", "key-pair"], "--kms");
    keygen(&["--only"], "--kms");
    for (args, message) in [
        (&["-t", "x25519", "--only"][..], "key-file or -t key-pair"),
        (&["-t", "key-pair", "--only", "--kms-context", "a=b"], "no context"),
        (&["-t", "key-pair", "--only"], "hold a key pair"),
        (&["--kms-context", "a", "--only"], "NAME=VALUE"),
        (&["--also", "age1nobody"], "recipient"),
        (&["--also", "age1nobody", "--only"], "cannot be used with"),
    ] {
        keygen(&[&["--kms", URI], args].concat(), message);
    }
    keygen(&["--kms", "file:///etc", "--only"], "secret-service:");
    place.room.shell("$P keygen -t x25519 -o id > recipient").succeeds();
    let recipient = String::from_utf8(place.room.read("recipient")).unwrap();
    let standard = ["keygen", "--kms", URI, "--also", recipient.trim(), "-o", "-"];
    place.run(&standard).fails(2, "second file");
    assert!(!place.room.path("w").exists() && place.calls().is_empty());
    for command in ["check", "rewrap"] {
        place.run(&["kms", command, "nowhere"]).fails(1, "nowhere");
    }
    place.run(&["kms", "check", "k"]).fails(2, "k: line 3: this is a Polyseal key file");
    place.run(&["kms", "rewrap", "k"]).fails(3, "k: not a wrapped key file");
}

/// Somebody who can write to a folder of the path has put a link to another file there, meanwhile.
#[test]
fn what_was_read_is_rewrapped_and_nothing_else() {
    let place = Place::new();
    place.wrapped("w", "a=b");
    place.room.write("precious", b"the only copy");
    std::os::unix::fs::symlink("w", place.room.path("link")).unwrap();
    place.when_asked("rm link; ln -s precious link");
    let before = place.room.read("w");
    place.run(&["kms", "rewrap", "link"]).succeeds();
    assert_eq!(place.room.read("precious"), b"the only copy");
    assert_ne!(place.room.read("w"), before);
}

/// Somebody writes the next key into the same file while the keyring answers.
#[test]
fn what_is_written_meanwhile_is_not_undone() {
    let place = Place::new();
    place.wrapped("w", "a=b");
    place.wrapped("next", "a=c");
    place.when_asked("cat next > w");
    place.run(&["kms", "rewrap", "w"]).fails(1, "changed meanwhile");
    assert_eq!(place.room.read("w"), place.room.read("next"));
}
