//! No room for the output: an error that says so, nothing left, nothing touched.

#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{Outcome, TOOL, TestDir, message};

/// A file system of 2 MiB, unmounted at the end.
struct Mount<'a>(&'a Path);

impl<'a> Mount<'a> {
    fn new(at: &'a Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=2m", "polyseal-test"]).arg(at);
        mount.output().ok().filter(|output| output.status.success()).map(|_| Self(at))
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).output();
    }
}

#[test]
fn a_full_file_system() {
    let room = TestDir::new();
    room.write("m", &message(5_000_000));
    let small = room.path("small");
    std::fs::create_dir(&small).unwrap();
    let Some(_mount) = Mount::new(&small) else {
        return crate::common::cannot("mounting a small file system needs root");
    };
    room.write("small/old", b"precious");
    let sealed = room.seal(&message(5_000_000));
    assert!(!sealed.is_empty());
    for (verb, input) in [("encrypt", "m"), ("decrypt", "c")] {
        for threads in ["1", "2"] {
            for named in [false, true] {
                let run = |args: &[&str]| {
                    let mut command = room.command([verb, "-k", "k", "--threads", threads]);
                    if named {
                        command.env("POLYSEAL_TEST_NAMED_OUTPUT", "1");
                    }
                    Outcome(command.args(args).output().unwrap())
                };
                run(&["-o", "small/new", input]).fails(1, "No space left").fails(1, "free some");
                run(&["-f", "-o", "small/old", input]).fails(1, "No space left");
                assert_eq!(crate::common::names(&small), ["old"]);
                assert_eq!(room.read("small/old"), b"precious");
            }
        }
    }
    // There is room for a file that fits.
    room.write("little", b"fits");
    room.run(["encrypt", "-k", "k", "-f", "-o", "small/old", "little"], b"").succeeds();
}

/// Each way of staging an output.
fn each_way(room: &TestDir, args: &[&str], check: impl Fn(Outcome)) {
    for named in [false, true] {
        let mut command = room.command(args);
        if named {
            command.env("POLYSEAL_TEST_NAMED_OUTPUT", "1");
        }
        check(Outcome(command.output().unwrap()));
    }
}

#[test]
fn no_room_to_rekey() {
    let room = TestDir::new();
    let small = room.path("small");
    std::fs::create_dir(&small).unwrap();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let Some(_mount) = Mount::new(&small) else {
        return crate::common::cannot("mounting a small file system needs root");
    };
    // There is room for one of it, not for two.
    let old = room.seal(&message(1_500_000));
    room.write("small/c", &old);
    for how in ["--keep", "--new-key"] {
        let args = ["rekey", how, "-k", "k", "--to-key", "other", "small/c"];
        each_way(&room, &args, |outcome| {
            outcome.fails(1, "No space left").fails(1, "free some");
            assert!(room.read("small/c") == old);
            assert_eq!(crate::common::names(&small), ["c"]);
        });
        let args = [&args[..6], &["-o", "small/new", "small/c"]].concat();
        each_way(&room, &args, |outcome| {
            outcome.fails(1, "No space left");
            assert_eq!(crate::common::names(&small), ["c"]);
        });
    }
    // In place needs room for a header only; here is not even that.
    let full = std::fs::write(small.join("filler"), message(2 << 20)).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    let args = ["rekey", "--keep", "--in-place", "-k", "k", "--to-key", "other", "small/c"];
    each_way(&room, &args, |outcome| {
        outcome.fails(1, "No space left").fails(1, "header-backup");
        assert!(room.read("small/c") == old);
        assert_eq!(crate::common::names(&small), ["c", "filler"]);
    });
    std::fs::remove_file(small.join("filler")).unwrap();
    room.run(args, b"").succeeds();
    room.opens("other", "small/c", &message(1_500_000));
    assert_eq!(crate::common::names(&small), ["c"]);
}

#[test]
fn no_room_for_armour_or_for_all_of_several() {
    let room = TestDir::new();
    let small = room.path("small");
    std::fs::create_dir(&small).unwrap();
    let Some(_mount) = Mount::new(&small) else {
        return crate::common::cannot("mounting a small file system needs root");
    };
    room.write("old", b"old");
    room.write("small/old.polyseal", b"precious");
    // A file that fits without armour does not with it.
    room.write("m", &message(1_700_000));
    for args in [&["-o", "small/new"][..], &["-f", "-o", "small/old.polyseal"]] {
        let args = [&["encrypt", "-a", "-k", "k"], args, &["m"]].concat();
        each_way(&room, &args, |outcome| {
            outcome.fails(1, "No space left").fails(1, "free some");
            assert_eq!(crate::common::names(&small), ["old.polyseal"]);
            assert_eq!(room.read("small/old.polyseal"), b"precious");
        });
    }
    // The large one in the middle has no room; the others have. One at a time, as side by side the
    // large one may take the first one's room.
    room.write("large", &message(5_000_000));
    let args = ["encrypt", "-k", "k", "-f", "--jobs", "1", "-o", "small", "m", "large", "old"];
    each_way(&room, &args, |outcome| {
        outcome.fails(1, "large: ").fails(1, "No space left");
        assert_eq!(crate::common::names(&small), ["m.polyseal", "old.polyseal"]);
        room.opens("k", "small/m.polyseal", &message(1_700_000));
        room.opens("k", "small/old.polyseal", b"old");
        std::fs::remove_file(small.join("m.polyseal")).unwrap();
    });
}

#[test]
fn a_limit_on_file_sizes() {
    let room = TestDir::new();
    room.write("m", &message(5_000_000));
    let limited = |line: &str| -> Output {
        let script = format!("ulimit -f 1000; exec {TOOL} {line}");
        Command::new("sh").args(["-c", &script]).current_dir(room.0.path()).output().unwrap()
    };
    Outcome(limited("encrypt -k k -o c m")).fails(1, "File too large");
    assert_eq!(room.names(), ["k", "m"]);
    // In a tree, a list and a rekey, the one file fails.
    std::fs::create_dir(room.path("d")).unwrap();
    std::fs::rename(room.path("m"), room.path("d/m")).unwrap();
    room.write("d/small", b"small");
    Outcome(limited("encrypt -k k --recursive -o s d")).fails(1, "File too large");
    room.opens("k", "s/small.polyseal", b"small");
    Outcome(limited("encrypt -k k d/m d/small")).fails(1, "File too large");
    room.opens("k", "d/small.polyseal", b"small");
    room.run(["encrypt", "-k", "k", "-o", "c", "d/m"], b"").succeeds();
    let old = room.read("c");
    Outcome(limited("rekey -k k --to-key k --new-key c")).fails(1, "File too large");
    assert!(room.read("c") == old);
}

#[test]
fn a_full_device() {
    let room = TestDir::new();
    room.write("m", &message(100_000));
    room.run(["encrypt", "-k", "k", "-o", "/dev/full", "m"], b"").fails(1, "No space left");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = room.command(["suites"]).stdout(full).output().unwrap();
    Outcome(output).fails(1, "cannot write standard output");
}
