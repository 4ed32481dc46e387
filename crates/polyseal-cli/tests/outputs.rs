//! Output files: what is refused, what is replaced, and that a failure changes nothing.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::process::{Command, Stdio};

use crate::common::{TestDir, message};
#[cfg(target_os = "linux")]
use rustix::fs::{XattrFlags, setxattr};

/// Both ways of staging an output: without a name, and, forced, with one.
fn each_way(test: impl Fn(&dyn Fn(&TestDir, &[&str]) -> crate::common::Outcome)) {
    test(&|room, args| room.run(args, b""));
    if !cfg!(debug_assertions) {
        return crate::common::cannot("a release build cannot be made to use named outputs");
    }
    test(&|room, args| {
        let mut command = room.command(args);
        crate::common::Outcome(command.env("POLYSEAL_TEST_NAMED_OUTPUT", "1").output().unwrap())
    });
}

#[test]
fn a_new_file_has_mode_0600_and_nothing_else_is_left() {
    each_way(|run| {
        let room = TestDir::new();
        room.write("m", b"message");
        run(&room, &["encrypt", "-k", "k", "-o", "c", "m"]).succeeds();
        run(&room, &["decrypt", "-k", "k", "-o", "d", "c"]).succeeds();
        assert_eq!(room.read("d"), b"message");
        for name in ["k", "c", "d"] {
            let mode = fs::metadata(room.path(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        assert_eq!(room.names(), ["c", "d", "k", "m"]);
    });
}

/// Runs it as on a file system without the abilities that these variables of tests take away.
fn without(room: &TestDir, variables: &[&str], args: &[&str]) -> crate::common::Outcome {
    let mut command = room.command(args);
    command.envs(variables.iter().map(|name| (name, "1")));
    crate::common::Outcome(command.output().unwrap())
}

/// As on rclone's mounts and on exFAT by FUSE.
#[test]
fn a_file_appears_where_names_can_be_neither_linked_nor_kept_from_being_replaced() {
    if !cfg!(debug_assertions) {
        return crate::common::cannot("a release build cannot be made to go the last way");
    }
    let room = TestDir::new();
    room.write("m", b"message");
    let run = |args: &[&str]| {
        without(&room, &["POLYSEAL_TEST_NAMED_OUTPUT", "POLYSEAL_TEST_NO_LINKS"], args)
    };
    run(&["encrypt", "-k", "k", "-o", "c", "m"]).succeeds();
    run(&["keygen", "-o", "other.key"]).succeeds();
    run(&["decrypt", "-k", "k", "-o", "d", "c"]).succeeds();
    assert_eq!(room.read("d"), b"message");
    for name in ["c", "d", "other.key"] {
        let mode = fs::metadata(room.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    // An existing file stays, also an empty one, which a claim looks like.
    room.write("empty", b"");
    for name in ["d", "empty"] {
        let before = room.read(name);
        run(&["decrypt", "-k", "k", "-o", name, "c"]).fails(2, "already exists");
        assert_eq!(room.read(name), before, "{name}");
    }
    assert!(run(&["rekey", "-k", "k", "--to-key", "other.key", "c"]).0.status.success());
    run(&["decrypt", "-k", "other.key", "-f", "-o", "d", "c"]).succeeds();
    fs::create_dir(room.path("tree")).unwrap();
    room.write("tree/a", b"a");
    run(&["encrypt", "-k", "k", "--recursive", "-o", "sealed", "tree"]).succeeds();
    run(&["decrypt", "-k", "k", "--recursive", "-o", "back", "sealed"]).succeeds();
    assert_eq!(room.read("back/a"), b"a");
    assert_eq!(
        room.names(),
        ["back", "c", "d", "empty", "k", "m", "other.key", "sealed", "tree"],
        "and nothing else is left"
    );
}

/// As on SMB, on WebDAV and on exFAT.
#[test]
fn a_file_system_that_changes_no_modes_takes_files_all_the_same() {
    if !cfg!(debug_assertions) {
        return crate::common::cannot("a release build cannot be made to see modes refused");
    }
    let room = TestDir::new();
    let run = |args: &[&str]| without(&room, &["POLYSEAL_TEST_NO_MODES"], args);
    let warns = |outcome: crate::common::Outcome| {
        let said = String::from_utf8_lossy(&outcome.0.stderr).into_owned();
        assert!(outcome.0.status.success(), "{said}");
        said.contains("more rights")
    };
    let mode_of = |name: &str| fs::metadata(room.path(name)).unwrap().permissions().mode() & 0o777;
    fs::create_dir(room.path("tree")).unwrap();
    for (name, mode) in [("tree/open", 0o644), ("tree/own", 0o600)] {
        room.write(name, b"contents");
        fs::set_permissions(room.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    assert!(!warns(run(&["encrypt", "-k", "k", "--recursive", "-o", "sealed", "tree"])));
    assert!(!warns(run(&["decrypt", "-k", "k", "--recursive", "-o", "back", "sealed"])));
    for name in ["back/open", "back/own"] {
        assert_eq!((room.read(name), mode_of(name)), (b"contents".to_vec(), 0o600), "{name}");
    }
    assert!(!warns(run(&["rekey", "-k", "k", "--to-key", "k", "sealed/open.polyseal"])));
    assert!(!warns(run(&["decrypt", "-k", "k", "-f", "-o", "tree/open", "sealed/own.polyseal"])));
    // 0600, as a new file has it, is more than that.
    fs::set_permissions(room.path("tree/own"), fs::Permissions::from_mode(0o400)).unwrap();
    assert!(!warns(run(&["encrypt", "-k", "k", "--recursive", "-o", "again", "tree"])));
    assert!(warns(run(&["decrypt", "-k", "k", "--recursive", "-o", "wider", "again"])));
    assert_eq!(room.read("wider/own"), b"contents");
}

#[test]
fn an_existing_output_is_refused_or_replaced_in_one_step() {
    each_way(|run| {
        let room = TestDir::new();
        room.write("m", b"message");
        room.write("out", b"precious");
        run(&room, &["encrypt", "-k", "k", "-o", "out", "m"]).fails(2, "out already exists");
        assert_eq!(room.read("out"), b"precious");
        let before = fs::metadata(room.path("out")).unwrap().ino();
        run(&room, &["encrypt", "-k", "k", "-f", "-o", "out", "m"]).succeeds();
        assert_ne!(fs::metadata(room.path("out")).unwrap().ino(), before, "written in place");
        assert_eq!(room.run(["decrypt", "-k", "k", "out"], b"").succeeds(), b"message");
        assert_eq!(room.names(), ["k", "m", "out"]);
    });
}

#[test]
fn a_failure_leaves_nothing_and_touches_nothing() {
    each_way(|run| {
        let room = TestDir::new();
        let mut sealed = room.seal(&message(3_000_000));
        sealed[2_000_000] ^= 1;
        room.write("altered", &sealed);
        room.write("cut", &sealed[..1_000_000]);
        room.write("out", b"precious");
        for input in ["altered", "cut", "k"] {
            run(&room, &["decrypt", "-k", "k", "-o", "new", input]).fails(3, "");
            run(&room, &["decrypt", "-k", "k", "-f", "-o", "out", input]).fails(3, "");
        }
        run(&room, &["decrypt", "-k", "k", "-f", "-o", "out", "absent"]).fails(1, "absent");
        assert_eq!(room.read("out"), b"precious");
        assert_eq!(room.names(), ["altered", "c", "cut", "k", "out"]);
    });
}

#[test]
fn the_input_and_the_key_are_never_the_output() {
    let room = TestDir::new();
    room.write("m", b"message");
    symlink("m", room.path("symbolic")).unwrap();
    fs::hard_link(room.path("m"), room.path("hard")).unwrap();
    let key = room.read("k");
    for output in ["m", "./m", "symbolic", "hard"] {
        for force in ["-f", "--force"] {
            let args = ["encrypt", "-k", "k", force, "-o", output, "m"];
            room.run(args, b"").fails(2, "is the input");
        }
    }
    let input = fs::File::open(room.path("m")).unwrap();
    let child = room.command(["encrypt", "-k", "k", "-f", "-o", "hard"]).stdin(input).output();
    crate::common::Outcome(child.unwrap()).fails(2, "is the input");
    let output = fs::OpenOptions::new().append(true).open(room.path("m")).unwrap();
    let child = room.command(["encrypt", "-k", "k", "m"]).stdout(output).output();
    crate::common::Outcome(child.unwrap()).fails(2, "is the input");
    room.run(["encrypt", "-k", "k", "-f", "-o", "k", "m"], b"").fails(2, "is a file of keys");
    assert_eq!((room.read("m"), room.read("k")), (b"message".to_vec(), key));
}

/// Each input is read before anything could take its place, in whatever order they are given.
#[test]
fn no_input_is_the_output_of_another() {
    let room = TestDir::new();
    room.write("m", b"message");
    fs::create_dir(room.path("d")).unwrap();
    room.run(["encrypt", "-k", "k", "-o", "m.polyseal", "m"], b"").succeeds();
    room.run(["encrypt", "-k", "k", "-o", "m.polyseal.polyseal", "m.polyseal"], b"").succeeds();
    symlink("../m.polyseal", room.path("d/m.polyseal")).unwrap();
    let before = room.names().len();
    let once = room.read("m.polyseal");
    for [verb, to, one, other] in [
        ["encrypt", ".", "m", "m.polyseal"],
        ["encrypt", ".", "m.polyseal", "./m"],
        ["encrypt", "d", "m.polyseal", "m"],
        ["decrypt", ".", "m.polyseal", "m.polyseal.polyseal"],
        ["decrypt", ".", "m.polyseal.polyseal", "./m.polyseal"],
    ] {
        let args = [verb, "-k", "k", "-f", "-o", to, one, other];
        room.run(args, b"").fails(2, "would replace another input");
    }
    assert_eq!((room.names().len(), room.read("m")), (before, b"message".to_vec()));
    assert_eq!(room.read("m.polyseal"), once);
}

#[test]
fn no_output_is_that_of_another_input() {
    let room = TestDir::new();
    for directory in ["a", "b", "d"] {
        fs::create_dir(room.path(directory)).unwrap();
        room.write(&format!("{directory}/m"), directory.as_bytes());
    }
    room.write("a/n", b"n");
    room.write("d/n.polyseal", b"precious");
    symlink("n.polyseal", room.path("d/m.polyseal")).unwrap();
    let twice = "would have the output of another input";
    for args in [
        &["a/m", "a/../a/m"][..],
        &["-o", "d", "-f", "a/m", "b/m"],
        &["-o", "d", "-f", "a/m", "a/n"],
    ] {
        room.run([&["encrypt", "-k", "k"], args].concat(), b"").fails(2, twice);
    }
    assert_eq!(crate::common::names(&room.path("a")), ["m", "n"]);
    assert_eq!(room.read("d/n.polyseal"), b"precious");
}

#[test]
fn a_name_is_what_comes_before_the_suffix() {
    let room = TestDir::new();
    fs::create_dir(room.path("d")).unwrap();
    let sealed = room.seal(b"message");
    let nameless = [".polyseal", "..polyseal", "...polyseal", "polyseal", "xpolyseal"];
    for name in nameless {
        room.write(&format!("d/{name}"), &sealed);
        let name = format!("d/{name}");
        room.run(["decrypt", "-k", "k", "absent.polyseal", &name], b"").fails(2, "has no name");
    }
    let named = [".a", "a.b", "a..", " "];
    for name in named {
        room.write(&format!("d/{name}.polyseal"), &sealed);
    }
    let files = named.map(|name| format!("d/{name}.polyseal"));
    let args = ["decrypt", "-k", "k"].map(str::to_owned).into_iter().chain(files);
    room.run(args, b"").succeeds();
    for name in named {
        assert_eq!(room.read(&format!("d/{name}")), b"message");
    }
}

#[test]
fn symbolic_links_are_followed_and_stay() {
    each_way(|run| {
        let room = TestDir::new();
        room.write("m", b"message");
        fs::create_dir(room.path("elsewhere")).unwrap();
        room.write("elsewhere/target", b"old");
        symlink("elsewhere/target", room.path("link")).unwrap();
        symlink("nowhere", room.path("dangling")).unwrap();
        run(&room, &["encrypt", "-k", "k", "-o", "link", "m"]).fails(2, "already exists");
        run(&room, &["encrypt", "-k", "k", "-f", "-o", "link", "m"]).succeeds();
        assert!(fs::symlink_metadata(room.path("link")).unwrap().is_symlink());
        let sealed = room.read("elsewhere/target");
        assert_eq!(room.run(["decrypt", "-k", "k"], &sealed).succeeds(), b"message");
        run(&room, &["encrypt", "-k", "k", "-f", "-o", "dangling", "m"]).fails(2, "to nothing");
        assert_eq!(room.names(), ["dangling", "elsewhere", "k", "link", "m"]);
        assert_eq!(crate::common::names(&room.path("elsewhere")), ["target"]);
    });
}

/// There another user chooses which of your files has the name, and so which mode goes over.
#[test]
fn no_mode_goes_over_in_a_folder_of_others() {
    let room = TestDir::new();
    room.write("m", b"message");
    fs::create_dir(room.path("shared")).unwrap();
    for (folder, expected) in [(0o755, 0o644), (0o777, 0o600), (0o1777, 0o600)] {
        room.write("shared/out", b"");
        set_mode(&room, "shared/out", 0o644);
        set_mode(&room, "shared", folder);
        room.run(["encrypt", "-f", "-k", "k", "-o", "shared/out", "m"], b"").succeeds();
        assert_eq!(mode(&room, "shared/out"), expected, "{folder:o}");
        set_mode(&room, "shared", 0o755);
    }
}

/// Another user, and another group.
const OTHERS: u32 = 12_345;

/// Somebody else would read what is written there, or it would be lost.
#[test]
fn what_another_user_has_planted_is_not_written_to() {
    let room = TestDir::new();
    room.write("m", b"message");
    if !crate::common::have("mkfifo") || chown(room.path("m"), Some(OTHERS), None).is_err() {
        return crate::common::cannot("only root can give a file to another user");
    }
    assert!(room.shell("mkfifo -m 666 fifo; ln -s /dev/null nowhere").succeeds().is_empty());
    chown(room.path("fifo"), Some(OTHERS), None).unwrap();
    lchown(room.path("nowhere"), Some(OTHERS), None).unwrap();
    for name in ["fifo", "nowhere"] {
        room.run(["encrypt", "-k", "k", "-o", name, "m"], b"").fails(2, "by another user");
        room.run(["encrypt", "-f", "-k", "k", "-o", name, "m"], b"").fails(2, "by another user");
        room.run(["keygen", "-o", name], b"").fails(2, "by another user");
    }
    // A link of our own leads to it, too. Somebody reads there, so that nothing waits for that.
    let linked = room.shell("ln -s fifo ours; exec 3<> fifo; $P encrypt -k k -o ours m");
    linked.fails(2, "by another user");
    // A descriptor that the caller has opened is the one that is meant. A FIFO that is open keeps
    // its contents.
    let bytes = room.seal(b"message").len();
    let given = room.shell(&format!(
        "exec 3<> fifo; $P encrypt -k k -o /dev/fd/3 m; head -c {bytes} <&3 | $P decrypt -k k"
    ));
    assert_eq!(given.succeeds(), b"message");
}

#[test]
fn devices_and_fifos_are_written_to_directly() {
    let room = TestDir::new();
    room.write("m", b"message");
    room.run(["encrypt", "-k", "k", "-o", "/dev/null", "m"], b"").succeeds();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let sealed = room.run(["encrypt", "-k", "k", "-o", name, "m"], b"").succeeds();
        assert_eq!(room.run(["decrypt", "-k", "k"], &sealed).succeeds(), b"message");
    }
    if Command::new("mkfifo").arg(room.path("fifo")).status().is_ok_and(|s| s.success()) {
        let reader = std::thread::spawn({
            let path = room.path("fifo");
            move || fs::read(path).unwrap()
        });
        room.run(["encrypt", "-k", "k", "-o", "fifo", "m"], b"").succeeds();
        let sealed = reader.join().unwrap();
        assert_eq!(room.run(["decrypt", "-k", "k"], &sealed).succeeds(), b"message");
    } else {
        crate::common::cannot("mkfifo is missing");
    }
}

#[test]
fn what_cannot_be_an_output() {
    let room = TestDir::new();
    room.write("m", b"message");
    fs::create_dir(room.path("d")).unwrap();
    room.run(["encrypt", "-k", "k", "-f", "-o", "d"], b"message").fails(2, "no regular file");
    assert!(crate::common::names(&room.path("d")).is_empty());
    room.run(["encrypt", "-k", "k", "-o", "d", "m"], b"").succeeds();
    room.opens("k", "d/m.polyseal", b"message");
    room.run(["encrypt", "-k", "k", "-o", "no/such/c", "m"], b"").fails(1, "No such file");
    room.run(["encrypt", "-k", "k", "-o", "m/c", "m"], b"").fails(1, "Not a directory");
    room.run(["encrypt", "-k", "k", "-o", "c", "d"], b"").fails(1, "directory");
    room.run(["keygen", "-o", "k"], b"").fails(2, "never replaces");
    room.run(["keygen", "-o", "no/such/k"], b"").fails(1, "No such file");
    assert_eq!(room.names(), ["d", "k", "m"]);
}

/// A command's inputs must survive its outputs, `-f` or not.
#[test]
fn the_key_and_the_associated_data_of_a_raw_message_are_not_replaced() {
    let room = TestDir::new();
    room.write("key", &[7; 32]);
    room.write("ad", b"associated data");
    room.write("m", b"message");
    let nonce = "00".repeat(32);
    for (command, taken) in [("seal", "key"), ("seal", "ad"), ("open", "key"), ("open", "ad")] {
        let args = ["aead", command, "--suite", "aegis-256x2", "--key-file", "key"];
        let rest = ["--ad-file", "ad", "--nonce", &nonce, "-f", "-o", taken, "m"];
        room.run([&args[..], &rest].concat(), b"").fails(2, taken);
        let (command, cipher) = match command {
            "seal" => ("encipher", "wide-block-robust-no-commitment"),
            _ => ("decipher", "wide-block-length-preserving-no-authenticity"),
        };
        let args = ["hazmat", command, "--cipher", cipher, "--key-file", "key"];
        room.run([&args[..], &rest].concat(), b"").fails(2, taken);
        assert_eq!(room.read("key"), [7; 32]);
        assert_eq!(room.read("ad"), b"associated data");
    }
}

/// A wide block whose stretch is not zeros is refused as a message that is not authentic.
#[test]
fn a_wrong_stretch_writes_nothing() {
    let room = TestDir::new();
    room.write("m", b"message");
    let run = |command, nonce, output, input| {
        let cipher = "wide-block-robust-no-commitment";
        let args = ["hazmat", command, "--cipher", cipher, "--key-file", "k", "--key-bytes", "16"];
        let rest = ["--nonce", nonce, "-o", output, input];
        room.run([&args[..], &rest].concat(), b"")
    };
    room.write("k", b"\x15\x9e\x26\xbb\x9b\x26\xbc\x50\x1c\x11\xcd\xb2\x01\x90\xf4\x8c");
    run("encipher", "00", "c", "m").succeeds();
    run("decipher", "00", "d", "c").succeeds();
    assert_eq!((room.read("c").len(), room.read("d")), (7 + 16, b"message".to_vec()));
    run("decipher", "01", "e", "c").fails(3, "nothing was written");
    run("decipher", "00", "e", "m").fails(3, "nothing was written");
    assert_eq!(room.names(), ["c", "d", "k", "m"]);
}

/// The longest key and the longest nonce of Flex, through the tool.
#[test]
fn a_message_under_the_longest_key_and_nonce() {
    let room = TestDir::new();
    room.write("m", b"message");
    let key: String = (0..1024).map(|i| format!("{:02x}", i * 37 % 251)).collect();
    room.write("long", key.as_bytes());
    let nonce = "5a".repeat(65535);
    let run = |command, suite, nonce, files: &[&str]| {
        let args = ["aead", command, "-s", suite, "--key-file", "long", "--nonce", nonce];
        room.run([&args[..], files].concat(), b"")
    };
    let suite = "flex-civ-public:key=1024,nonce=65535";
    run("seal", suite, &nonce, &["-o", "c", "m"]).succeeds();
    assert_eq!(run("open", suite, &nonce, &["c"]).succeeds(), b"message");
    run("open", suite, &nonce[2..], &["c"]).fails(2, "65534 bytes where 65535 are needed");
}

/// A name is data: it cannot clear the screen or forge a line of the report.
#[test]
fn control_characters_in_names_are_spelt_out() {
    let room = TestDir::new();
    let name = "x\x1b[2J\n9 passed, 0 failed\n";
    room.run(["inspect", name], b"").fails(1, r"x\u{1b}[2J\n9 passed, 0 failed\n");
    room.run(["inspect", "a\u{9b}b\u{202e}c\u{2066}d\u{61c}e\u{200f}"], b"")
        .fails(1, r"a\u{9b}b\u{202e}c\u{2066}d\u{61c}e\u{200f}:");
    for wrong in [&["encrypt", "--x\u{9b}\u{202e}"][..], &["x\u{9b}\u{202e}"]] {
        let errors = room.run(wrong, b"").fails(2, r"x\u{9b}\u{202e}").errors();
        assert!(!errors.contains(['\u{9b}', '\u{202e}']), "{errors}");
    }
    room.write("v.json", br#"{"algorithm":"\u001b[2J","testGroups":[]}"#);
    room.run(["vectors", "v.json"], b"").fails(3, r"unknown algorithm \u{1b}[2J");
}

/// The permission bits of a file.
fn mode(room: &TestDir, name: &str) -> u32 {
    fs::symlink_metadata(room.path(name)).unwrap().mode() & 0o777
}

fn set_mode(room: &TestDir, name: &str, mode: u32) {
    fs::set_permissions(room.path(name), fs::Permissions::from_mode(mode)).unwrap();
}

/// Encrypts to `out` with -f; `meanwhile` happens after `out` has been looked at, and before it is
/// replaced.
fn replacing(room: &TestDir, meanwhile: impl FnOnce()) {
    let mut command = room.command(["encrypt", "-k", "k", "-f", "-o", "out"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // It has taken all but what the pipe holds, so the output has been begun.
    stdin.write_all(&message(3_000_000)).unwrap();
    meanwhile();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(fs::symlink_metadata(room.path("out")).unwrap().is_file());
}

#[test]
fn what_is_put_in_the_place_of_an_output_does_not_choose_its_mode() {
    // Where there was nothing: a link, whose mode is 0777, and a file that anyone can read.
    let room = TestDir::new();
    replacing(&room, || symlink("k", room.path("out")).unwrap());
    assert_eq!(mode(&room, "out"), 0o600, "a symbolic link");

    let room = TestDir::new();
    replacing(&room, || {
        room.write("out", b"planted");
        set_mode(&room, "out", 0o666);
    });
    assert_eq!(mode(&room, "out"), 0o600, "a new file");

    // Where there was a file of ours: another one.
    let room = TestDir::new();
    room.write("out", b"precious");
    set_mode(&room, "out", 0o640);
    replacing(&room, || {
        room.write("other", b"planted");
        set_mode(&room, "other", 0o666);
        fs::rename(room.path("other"), room.path("out")).unwrap();
    });
    assert_eq!(mode(&room, "out"), 0o600, "another file");

    // The same file, which fewer may read now.
    let room = TestDir::new();
    room.write("out", b"precious");
    set_mode(&room, "out", 0o644);
    replacing(&room, || set_mode(&room, "out", 0o640));
    assert_eq!(mode(&room, "out"), 0o640, "the same file");
}

#[test]
fn a_replaced_file_has_its_group_and_no_other_reader() {
    each_way(|run| {
        let room = TestDir::new();
        room.write("m", b"message");
        let out = room.path("out");
        let replace = || run(&room, &["encrypt", "-k", "k", "-f", "-o", "out", "m"]).succeeds();
        room.write("out", b"precious");
        set_mode(&room, "out", 0o640);
        if chown(&out, None, Some(OTHERS)).is_err() {
            return crate::common::cannot("only root can give a file to another group");
        }
        replace();
        assert_eq!((fs::metadata(&out).unwrap().gid(), mode(&room, "out")), (OTHERS, 0o640));

        // Somebody else's file, with rights that this user never gave.
        chown(&out, Some(OTHERS), Some(OTHERS)).unwrap();
        set_mode(&room, "out", 0o666);
        replace();
        let new = fs::metadata(&out).unwrap();
        assert_ne!((new.uid(), new.gid()), (OTHERS, OTHERS));
        assert_eq!(mode(&room, "out"), 0o600);
    });
}

/// With a list, the bits of the group are the most that any name on the list may do.
#[cfg(target_os = "linux")]
#[test]
fn an_access_control_list_does_not_become_the_groups_right() {
    /// Version 2, then tag, permissions and id of each entry: the owner, user 12345, the group, the
    /// most, others.
    const LIST: [(u16, u16, u32); 5] =
        [(1, 6, u32::MAX), (2, 4, 12_345), (4, 0, u32::MAX), (16, 4, u32::MAX), (32, 0, u32::MAX)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in LIST {
        list.extend([tag.to_le_bytes(), permissions.to_le_bytes()].as_flattened());
        list.extend(id.to_le_bytes());
    }
    each_way(|run| {
        let room = TestDir::new();
        room.write("m", b"message");
        room.write("out", b"precious");
        let (out, name) = (room.path("out"), "system.posix_acl_access");
        if setxattr(&out, name, &list, XattrFlags::empty()).is_err() {
            return crate::common::cannot("the file system has no access control lists");
        }
        assert_eq!(mode(&room, "out"), 0o640, "the group's bits are the list's");
        run(&room, &["encrypt", "-k", "k", "-f", "-o", "out", "m"]).succeeds();
        assert_eq!(mode(&room, "out"), 0o600);
    });
}

/// Also where the system has no files without a name.
#[test]
fn what_comes_meanwhile_is_not_replaced() {
    for named in [false, true] {
        let room = TestDir::new();
        let mut command = room.command(["encrypt", "-k", "k", "-o", "out"]);
        if named {
            command.env("POLYSEAL_TEST_NAMED_OUTPUT", "1");
        }
        let child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.unwrap();
        // More than it reads ahead and than the pipe holds: it has begun the output.
        child.stdin.as_mut().unwrap().write_all(&message(8 << 20)).unwrap();
        room.write("out", b"somebody's");
        drop(child.stdin.take());
        let outcome = crate::common::Outcome(child.wait_with_output().unwrap());
        outcome.fails(2, "already exists");
        assert_eq!(room.read("out"), b"somebody's");
        assert_eq!(room.names(), ["k", "out"], "{named}");
    }
}
