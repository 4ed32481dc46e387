//! Whole trees: what comes back, what a manifest notices, and that nothing outside is touched.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::common::{Outcome, TestDir, lines, message};

/// A room with a tree `d`: files, directories, links, and a name that is no text.
fn room() -> TestDir {
    let room = TestDir::new();
    fs::create_dir_all(room.path("d/a/b")).unwrap();
    fs::create_dir_all(room.path("d/empty")).unwrap();
    for (name, bytes) in [("d/one", 3), ("d/a/two", 0), ("d/a/b/three", 300_000), ("d/a.txt", 1)] {
        room.write(name, &message(bytes));
    }
    fs::write(room.path("d/a").join(OsStr::from_bytes(b"\xff")), b"no text").unwrap();
    symlink("../one", room.path("d/a/link")).unwrap();
    room
}

fn seal(room: &TestDir) {
    room.run(["encrypt", "-k", "k", "--recursive", "-o", "s", "d"], b"").succeeds();
}

fn verify(room: &TestDir) -> Outcome {
    room.run(["verify", "-k", "k", "--recursive", "s"], b"")
}

/// In each of the two ways in which paths are resolved.
fn decrypt_each_way(room: &TestDir, args: &[&str], check: impl Fn(Outcome)) {
    for by_components in [false, true] {
        let mut command = room.command(["decrypt", "-k", "k", "--recursive", "-o", "out"]);
        if by_components {
            command.env("POLYSEAL_TEST_BY_COMPONENTS", "1");
        }
        check(Outcome(command.args(args).arg("s").output().unwrap()));
    }
}

/// A name in a tree, its mode with its kind, its time and its contents.
pub(crate) type TreeEntry = (Vec<u8>, u32, (i64, i64), Vec<u8>);

pub(crate) fn listing(root: &Path) -> Vec<TreeEntry> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let contents = if metadata.is_dir() {
                open.push(path.clone());
                Vec::new()
            } else if metadata.is_symlink() {
                fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
            } else {
                fs::read(&path).unwrap()
            };
            let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
            let times = (metadata.mtime(), metadata.mtime_nsec());
            found.push((name, metadata.mode(), times, contents));
        }
    }
    found.sort();
    found
}

#[test]
fn a_tree_comes_back_with_modes_times_and_links() {
    let room = room();
    let mode = |name: &str, mode| {
        fs::set_permissions(room.path(name), Permissions::from_mode(mode)).unwrap();
    };
    mode("d/one", 0o640);
    mode("d/a.txt", 0o4755);
    mode("d/a/b", 0o500);
    let touch =
        "touch -d 2001-02-03T04:05:06.789 d/one d/a/b d/empty && touch -d 1960-01-01 d/a.txt";
    room.shell(touch).succeeds();
    seal(&room);
    let names: Vec<_> = listing(&room.path("s")).into_iter().map(|entry| entry.0).collect();
    let expected: [&[u8]; 10] = [
        b".polyseal-manifest.polyseal",
        b"a",
        b"a.txt.polyseal",
        b"a/b",
        b"a/b/three.polyseal",
        b"a/two.polyseal",
        b"a/\xff.polyseal",
        b"empty",
        b"one.polyseal",
        b"",
    ];
    assert_eq!(names, expected[..9]);
    let shown = String::from_utf8_lossy(&verify(&room).succeeds()).into_owned();
    assert_eq!(shown.matches("whole and authentic").count(), 5);
    decrypt_each_way(&room, &["-f"], |outcome| {
        outcome.succeeds();
        let mut expected = listing(&room.path("d"));
        // Only permissions are kept of a mode.
        expected.iter_mut().filter(|e| e.0 == b"a.txt").for_each(|e| e.1 &= !0o4000);
        assert_eq!(listing(&room.path("out")), expected);
        room.shell("chmod -R u+w out && rm -r out").succeeds();
    });
    mode("d/a/b", 0o700);
}

#[test]
fn what_is_missing_added_or_swapped_is_told_and_the_rest_is_done() {
    let room = room();
    seal(&room);
    let before = room.read("s/one.polyseal");
    fs::rename(room.path("s/one.polyseal"), room.path("s/a/two.polyseal")).unwrap();
    room.seal(b"of another tree, for the same key");
    fs::rename(room.path("c"), room.path("s/a.txt.polyseal")).unwrap();
    fs::copy(room.path("s/a/b/three.polyseal"), room.path("s/a/four.polyseal")).unwrap();
    room.write("s/empty/plain", b"not even sealed");
    let mut expected = vec![
        ("a.txt.polyseal", "not the file that the manifest has there"),
        ("a/four.polyseal", "not of this tree"),
        ("a/two.polyseal", "not the file that the manifest has there"),
        ("empty/plain", "not of this tree"),
        ("one.polyseal", "it is missing"),
    ];
    let check = |outcome: Outcome, expected: &[(&str, &str)], files: usize| {
        let last = format!("{} of {files} files failed", expected.len());
        let errors = outcome.fails(3, &last).errors();
        for (name, why) in expected {
            assert!(errors.contains(&format!("s/{name}: it is")), "{name}: {errors}");
            let line = errors.lines().find(|line| line.contains(&format!("s/{name}: "))).unwrap();
            assert!(line.contains(why), "{line}");
        }
    };
    check(verify(&room), &expected, 7);
    let decrypt = ["decrypt", "-k", "k", "--recursive", "-o", "out", "s"];
    check(room.run(decrypt, b""), &expected, 8);
    assert!(room.read("out/a/b/three") == message(300_000));
    for name in ["one", "a/two", "a.txt", "a/four", "empty/plain"] {
        assert!(!room.path("out").join(name).exists(), "{name}");
    }
    // Put back, each is right again.
    room.write("s/one.polyseal", &before);
    expected.pop();
    check(verify(&room), &expected, 7);
}

#[test]
fn a_tree_without_its_own_manifest_is_none() {
    let room = room();
    seal(&room);
    let name = "s/.polyseal-manifest.polyseal";
    let manifest = room.read(name);
    fs::remove_file(room.path(name)).unwrap();
    verify(&room).fails(3, "it is no sealed tree");
    // Any other file of the same key.
    fs::copy(room.path("s/one.polyseal"), room.path(name)).unwrap();
    verify(&room).fails(3, "it does not begin as a manifest");
    let mut altered = manifest.clone();
    altered[4100] ^= 1;
    room.write(name, &altered);
    verify(&room).fails(3, "is not authentic");
    room.run(["keygen", "-o", "other"], b"").succeeds();
    room.write(name, &manifest);
    let other = ["verify", "-k", "other", "--recursive", "s"];
    room.run(other, b"").fails(4, "none of the keys");
    assert!(verify(&room).0.status.success());
}

/// The kit's manifests, sealed as one: none that breaks a rule does anything.
#[test]
fn nothing_of_a_hostile_manifest_is_done() {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/manifest");
    let index = fs::read_to_string(kit.join("index.json")).unwrap();
    let index: serde_json::Value = serde_json::from_str(&index).unwrap();
    let mut hostile = 0;
    for test in index["tests"].as_array().unwrap() {
        if test["outcome"] == "ok" {
            continue;
        }
        hostile += 1;
        let room = TestDir::new();
        fs::create_dir(room.path("s")).unwrap();
        let manifest = kit.join(test["file"].as_str().unwrap());
        let mut seal = vec!["encrypt", "-k", "k", "-o", "s/.polyseal-manifest.polyseal"];
        let context = format!("polyseal-manifest/{}", test["version"]);
        if test["version"] != 1 {
            seal.extend(["--context", &context]);
        }
        let seal = seal.into_iter().map(OsStr::new).chain([manifest.as_os_str()]);
        room.run(seal, b"").succeeds();
        let decrypt = ["decrypt", "-k", "k", "--recursive", "-o", "out", "s"];
        let code = if test["outcome"] == "unbound-contents" { 2 } else { 3 };
        room.run(decrypt, b"").fails(code, "");
        if test["version"] == 1 && test["outcomeIfAllowed"] != "ok" {
            room.run(decrypt.into_iter().chain(["--allow-unbound-contents"]), b"").fails(3, "");
        }
        assert_eq!(room.names(), ["k", "s"], "{test}");
    }
    assert!(hostile > 20, "{hostile}");
}

#[test]
fn links_that_lead_out_of_the_tree_are_not_made() {
    let room = TestDir::new();
    fs::create_dir_all(room.path("d/a/b")).unwrap();
    room.write("d/m", b"message");
    for (name, to) in [
        ("d/out", "/etc/passwd"),
        ("d/a/up", "../../x"),
        ("d/a/b/back", "../.."),
        ("d/a/through", "b/back/.."),
        ("d/a/in", "../m"),
        ("d/dangling", "nothing"),
    ] {
        symlink(to, room.path(name)).unwrap();
    }
    seal(&room);
    decrypt_each_way(&room, &[], |outcome| {
        let errors = outcome.fails(2, "3 of 7 files failed\n").errors();
        assert_eq!(errors.matches("leads out of the tree").count(), 3, "{errors}");
        assert_eq!(fs::read_link(room.path("out/a/in")).unwrap(), Path::new("../m"));
        assert_eq!(fs::read_link(room.path("out/dangling")).unwrap(), Path::new("nothing"));
        for name in ["out/out", "out/a/up", "out/a/through"] {
            assert!(fs::symlink_metadata(room.path(name)).is_err(), "{name}");
        }
        fs::remove_dir_all(room.path("out")).unwrap();
    });
}

#[test]
fn no_link_that_is_there_is_followed() {
    let room = room();
    seal(&room);
    fs::create_dir(room.path("elsewhere")).unwrap();
    room.write("elsewhere/secret", b"precious");
    // In the output.
    decrypt_each_way(&room, &["-f"], |outcome| {
        // The first time, nothing is in the way.
        assert!(outcome.0.status.success() || outcome.0.status.code() == Some(1));
        let _ = fs::remove_dir_all(room.path("out/a"));
        let _ = fs::remove_file(room.path("out/a"));
        symlink("../elsewhere", room.path("out/a")).unwrap();
    });
    decrypt_each_way(&room, &["-f"], |outcome| {
        outcome.fails(1, "cannot write out/a");
        assert_eq!(crate::common::names(&room.path("elsewhere")), ["secret"]);
    });
    fs::remove_file(room.path("out/one")).unwrap();
    symlink("../elsewhere/secret", room.path("out/one")).unwrap();
    decrypt_each_way(&room, &["-f"], |outcome| {
        outcome.fails(1, "out/one is there, and is no regular file");
        assert_eq!(room.read("elsewhere/secret"), b"precious");
    });
    // In the sealed tree: what they lead to is right, but not there.
    fs::rename(room.path("s/a"), room.path("moved")).unwrap();
    symlink("../moved", room.path("s/a")).unwrap();
    let errors = verify(&room).fails(3, "").errors();
    assert!(errors.contains("s/a: it is not of this tree"), "{errors}");
    assert!(errors.contains("s/a/b/three.polyseal: it is missing"), "{errors}");
    // In the encrypted tree.
    symlink("../elsewhere", room.path("d/z")).unwrap();
    room.run(["encrypt", "-k", "k", "--recursive", "-o", "s2", "d"], b"").succeeds();
    assert!(!room.path("s2/z").exists() && !room.path("s2/z.polyseal").exists());
}

/// Somebody who can write to the output puts a link to another place there again and again.
#[test]
fn a_link_that_is_planted_meanwhile_leads_nowhere() {
    let room = TestDir::new();
    fs::create_dir_all(room.path("d/a/b")).unwrap();
    for i in 0..300 {
        room.write(&format!("d/a/b/m{i}"), b"message");
    }
    seal(&room);
    fs::create_dir_all(room.path("elsewhere/b")).unwrap();
    let over = AtomicBool::new(false);
    let swapped = thread::scope(|scope| {
        let swap = scope.spawn(|| {
            let (place, away) = (room.path("out/a"), room.path("out/away"));
            let mut swapped = 0;
            while !over.load(Ordering::Relaxed) {
                if fs::rename(&place, &away).is_ok() {
                    // Nor is the link made where the tool has made another directory.
                    if symlink("../elsewhere", &place).is_ok() {
                        thread::yield_now();
                        fs::remove_file(&place).unwrap();
                    }
                    // Somebody has made another one in between.
                    if fs::rename(&away, &place).is_err() {
                        let _ = fs::remove_dir_all(&away);
                    }
                    swapped += 1;
                }
            }
            swapped
        });
        for _ in 0..3 {
            decrypt_each_way(&room, &["-f"], |_| ());
        }
        over.store(true, Ordering::Relaxed);
        swap.join().unwrap()
    });
    assert!(swapped > 10, "{swapped}");
    assert!(crate::common::names(&room.path("elsewhere/b")).is_empty());
    assert_eq!(crate::common::names(&room.path("elsewhere")), ["b"]);
}

#[test]
fn where_a_tree_may_go() {
    let room = room();
    let encrypt = |out: &str, from: &[&str]| {
        room.run([&["encrypt", "-k", "k", "--recursive", "-o", out][..], from].concat(), b"")
    };
    encrypt("d/s", &["d"]).fails(2, "lies in d");
    encrypt("d", &["d"]).fails(2, "not empty");
    encrypt("s", &["d", "d"]).fails(2, "takes one directory");
    encrypt("s", &[]).fails(2, "takes one directory");
    encrypt("s", &["k"]).fails(1, "cannot read k");
    encrypt("k", &["d"]).fails(2, "is not a directory");
    encrypt("-", &["d"]).fails(2, "needs a directory");
    encrypt("no/s", &["d"]).fails(1, "cannot write no/s");
    room.run(["encrypt", "-k", "k", "--recursive", "d"], b"").fails(2, "needs a directory");
    room.run(["decrypt", "-k", "k", "--recursive", "d"], b"").fails(2, "needs a directory");
    room.run(["encrypt", "-k", "k", "d"], b"").fails(1, "a directory takes --recursive");
    assert_eq!(room.names(), ["d", "k"]);
    fs::create_dir(room.path("s")).unwrap();
    seal(&room);
    encrypt("s", &["d"]).fails(2, "not empty");
    // Again, after something has gone and something has changed.
    fs::remove_file(room.path("d/one")).unwrap();
    room.write("d/a.txt", b"changed");
    room.run(["encrypt", "-f", "-k", "k", "--recursive", "-o", "s", "d"], b"").succeeds();
    let errors = verify(&room).fails(6, "1 of 5 files failed\n  s/one.polyseal").errors();
    assert!(errors.contains("s/one.polyseal: it is not of this tree"), "{errors}");
    room.opens("k", "s/a.txt.polyseal", b"changed");
}

#[test]
fn what_is_no_file_is_told_and_the_rest_is_done() {
    if !crate::common::have("mkfifo") {
        return crate::common::cannot("mkfifo is missing");
    }
    let room = room();
    room.shell("mkfifo d/a/fifo").succeeds();
    let outcome = room.run(["encrypt", "-k", "k", "--recursive", "-o", "s", "d"], b"");
    let errors = outcome.fails(2, "1 of 7 files failed").errors();
    assert!(errors.contains("d/a/fifo: it is neither a file nor a directory"), "{errors}");
    verify(&room).fails(1, "1 of 6 files failed\n  s/a/fifo");
    // Left out, it is no failure.
    let args = ["--exclude", "fifo", "--exclude", "/.polyseal-manifest", "--exclude", "a/b"];
    let encrypt = ["encrypt", "-k", "k", "--recursive", "-o", "s2", "d"];
    room.run([&encrypt[..], &args].concat(), b"").succeeds();
    assert!(room.path("s2/a/two.polyseal").exists() && !room.path("s2/a/b").exists());
    // A part of a sealed tree.
    let args = ["verify", "-k", "k", "--recursive", "--exclude", "b", "--exclude", "*.txt", "s"];
    let args = [&args[..], &["--exclude", "fifo"]].concat();
    let shown = String::from_utf8_lossy(&room.run(&args, b"").succeeds()).into_owned();
    assert_eq!(shown.matches("whole and authentic").count(), 3, "{shown}");
    assert!(shown.ends_with("\nverified 3 files, 10 bytes\n"), "{shown}");
    assert_eq!(room.run([&args[..], &["--quiet"]].concat(), b"").succeeds(), b"");
}

/// A room with a sealed tree `s`, and a key `other`.
fn room_to_rekey() -> TestDir {
    let room = room();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    seal(&room);
    room
}

const REKEY: [&str; 7] = ["rekey", "-k", "k", "--to-key", "other", "--recursive", "s"];

#[test]
fn a_rekeyed_tree_is_the_same_tree_for_others() {
    let room = room_to_rekey();
    let outcome = room.run(REKEY, b"");
    assert!(outcome.0.status.success(), "{}", outcome.errors());
    assert!(outcome.errors().contains("may have kept its key"), "{}", outcome.errors());
    let shown = String::from_utf8_lossy(&outcome.0.stdout).into_owned();
    assert_eq!(shown.matches(": rekeyed").count(), 5, "{shown}");
    verify(&room).fails(4, "none of the keys");
    let other = ["verify", "-k", "other", "--recursive", "s"];
    room.run(other, b"").succeeds();
    // Again: nothing is left to be done.
    let again = room.run(REKEY, b"");
    assert!(again.0.status.success(), "{}", again.errors());
    let shown = String::from_utf8_lossy(&again.0.stdout).into_owned();
    assert_eq!(shown.matches(": a new key opens it already\n").count(), 5, "{shown}");
    // Back, and both.
    let keep = ["rekey", "--keep", "-k", "other", "--to-key", "k", "--recursive", "s"];
    room.run(keep, b"");
    for _ in 0..2 {
        assert!(verify(&room).0.status.success());
        room.run(other, b"").succeeds();
        assert!(room.run(keep, b"").0.status.success());
    }
}

#[test]
fn what_does_not_belong_is_not_rekeyed_and_the_manifest_comes_last() {
    let room = room_to_rekey();
    fs::rename(room.path("s/one.polyseal"), room.path("s/a/two.polyseal")).unwrap();
    let errors = room.run(REKEY, b"").fails(3, "2 of 5 files failed").errors();
    assert!(errors.contains("not the file that the manifest has there"), "{errors}");
    room.opens("k", "s/a/two.polyseal", &message(3));
    room.opens("other", "s/a.txt.polyseal", &message(1));
    // Somebody who has moved files about keeps nobody able to open the manifest.
    let verify_with = |key| room.run(["verify", "-k", key, "--recursive", "s"], b"");
    verify_with("k").fails(4, "none of the keys");
    // With the file back, the run is finished by running it again.
    fs::rename(room.path("s/a/two.polyseal"), room.path("s/one.polyseal")).unwrap();
    let errors = room.run(REKEY, b"").fails(3, "1 of 5 files failed\n  s/a/two.polyseal").errors();
    assert!(errors.contains("it is missing"), "{errors}");
    room.opens("other", "s/one.polyseal", &message(3));
    let args = [&REKEY[..], &["--exclude", "x"]].concat();
    room.run(args, b"").fails(2, "does not go with rekey --recursive");
    room.run([&REKEY[..], &["-o", "x"]].concat(), b"").fails(2, "each of several is replaced");
}

/// Killed when 1, 2, 3 … things have been done: nothing is lost, and a second run finishes it.
#[test]
fn a_rekey_that_is_killed_at_any_step_is_finished_by_running_it_again() {
    if !cfg!(debug_assertions) {
        return crate::common::cannot("a release build cannot be made to end at a step");
    }
    for how in [&["--in-place"][..], &[]] {
        let (mut steps, mut copies) = (0, 0);
        loop {
            steps += 1;
            let room = room_to_rekey();
            let mut first = room.command([&REKEY[..], how].concat());
            let first = first.env("POLYSEAL_TEST_KILLED_AT", steps.to_string()).output().unwrap();
            if first.status.success() {
                break;
            }
            assert_eq!(first.status.signal(), Some(9), "{first:?}");
            copies += usize::from(crate::common::every_file_opens_when_put_back(&room));
            let second = room.run([&REKEY[..], how].concat(), b"");
            assert!(second.0.status.success(), "{how:?}, step {steps}: {}", second.errors());
            let shown = room.run(["verify", "-k", "other", "--recursive", "s"], b"").succeeds();
            assert_eq!(lines(&shown), 5 + 1);
            let found = room.shell("find s -name '*.header-backup'").succeeds();
            assert!(found.is_empty(), "{}", String::from_utf8_lossy(&found));
        }
        // Five files, then the manifest, with six steps each or with two.
        assert!(steps > if how.is_empty() { 10 } else { 30 }, "{steps}");
        assert_eq!(copies > 10, !how.is_empty(), "{copies}");
    }
}

#[test]
fn a_rekey_that_is_killed_is_finished_by_running_it_again() {
    crate::common::rekey_a_tree_and_be_killed(300, &[]);
    crate::common::rekey_a_tree_and_be_killed(300, &["--in-place"]);
}

/// Contents and all: into another tree, which is the same for others and has nothing of the old.
#[test]
fn a_tree_is_encrypted_anew_into_another() {
    let room = room_to_rekey();
    room.write("s/stray", b"stray");
    let old = listing(&room.path("s"));
    let anew = ["rekey", "--new-key", "-k", "k", "--to-key", "other", "--recursive"];
    let outcome = room.run([&anew[..], &["-o", "new", "s"]].concat(), b"");
    let shown = String::from_utf8_lossy(&outcome.succeeds()).into_owned();
    assert_eq!(shown.matches(": encrypted anew").count(), 5, "{shown}");
    assert_eq!(shown.matches("it is not of this tree").count(), 1, "{shown}");
    assert!(listing(&room.path("s")) == old && !room.path("new/stray").exists());
    room.run(["decrypt", "-k", "other", "--recursive", "-o", "out", "new"], b"").succeeds();
    assert!(listing(&room.path("out")) == listing(&room.path("d")));
    room.run(["verify", "-k", "k", "--recursive", "new"], b"").fails(4, "none of the keys");
    // Another key for the contents, too: the old header does not open the new payload.
    let (one, other) = (room.read("s/a/b/three.polyseal"), room.read("new/a/b/three.polyseal"));
    assert_eq!(one.len(), other.len());
    assert!(one[4096..] != other[4096..] && one[32..64] != other[32..64]);
    // Not into itself, nor over another, nor in place.
    room.run([&anew[..], &["-o", "s/in", "s"]].concat(), b"").fails(2, "lies in s");
    room.run([&anew[..], &["-o", "new", "s"]].concat(), b"").fails(2, "is not empty");
    room.run([&anew[..], &["s"]].concat(), b"").fails(2, "needs a directory");
    // A file that does not belong is reported, and is in no tree; the new one says so.
    fs::rename(room.path("s/one.polyseal"), room.path("s/a/two.polyseal")).unwrap();
    let again = [&anew[..], &["-f", "-o", "third", "s"]].concat();
    let errors = room.run(again, b"").fails(3, "2 of 6 files failed").errors();
    assert!(errors.contains("not the file that the manifest has there"), "{errors}");
    let verify = ["verify", "-k", "other", "--recursive", "third"];
    room.run(verify, b"").fails(1, "2 of 5 files failed\n  third/a/two, third/one");
}

/// Somebody who can write to the tree must not be able to keep others from being locked out.
#[test]
fn a_stray_file_does_not_keep_a_tree_from_being_rekeyed() {
    for how in [&["--in-place"][..], &[]] {
        let room = room_to_rekey();
        room.write("s/stray", b"stray");
        room.write("s/a/stray.polyseal", b"stray");
        fs::copy(room.path("s/one.polyseal"), room.path("s/a/copy.polyseal")).unwrap();
        symlink("one.polyseal", room.path("s/link.polyseal")).unwrap();
        let outcome = room.run([&REKEY[..], how].concat(), b"");
        assert!(outcome.0.status.success(), "{}", outcome.errors());
        let shown = String::from_utf8_lossy(&outcome.0.stdout).into_owned();
        assert_eq!(shown.matches(": it is not of this tree, and was left").count(), 4, "{shown}");
        assert_eq!(shown.matches(": rekeyed").count(), 5, "{shown}");
        // A file that was left is as it was, and verify reports it.
        assert_eq!(room.read("s/stray"), b"stray");
        room.opens("k", "s/a/copy.polyseal", &message(3));
        let errors = room
            .run(["verify", "-k", "other", "--recursive", "s"], b"")
            .fails(6, "4 of 9 files failed")
            .errors();
        assert_eq!(errors.matches("the manifest does not have it").count(), 4, "{errors}");
    }
}

/// An interrupted run's copies in a tree can be reported, and put back without running it again.
#[test]
fn every_copy_of_a_header_in_a_tree_is_put_back() {
    if !cfg!(debug_assertions) {
        return crate::common::cannot("a release build cannot be made to end at a step");
    }
    let room = room_to_rekey();
    let before = room
        .shell("cd s && find . -type f -not -name lock -print0 | sort -z | xargs -0 sha256sum")
        .succeeds();
    let mut first = room.command([&REKEY[..], &["--in-place"]].concat());
    let first = first.env("POLYSEAL_TEST_KILLED_AT", "16").output().unwrap();
    assert_eq!(first.status.signal(), Some(9));
    let errors = verify(&room).fails(6, "files failed").errors();
    assert!(errors.contains("rekey --restore --recursive DIR"), "{errors}");
    let restore = ["rekey", "--restore", "--recursive", "s"];
    let shown = room.run(restore, b"").succeeds();
    assert_eq!(String::from_utf8_lossy(&shown).matches("has been put back").count(), 5);
    assert!(
        room.shell("cd s && find . -type f -not -name lock -print0 | sort -z | xargs -0 sha256sum")
            .succeeds()
            == before
    );
    // With a key, only what is authentic; and nothing where nothing was left.
    assert!(room.run([&restore[..], &["-k", "k"]].concat(), b"").succeeds().is_empty());
}

/// Recipients of age cannot be seen in a header; with an identity of one, the run is finished.
#[test]
fn what_a_second_run_can_know() {
    for how in [&["--in-place"][..], &[]] {
        let room = room_to_rekey();
        let keygen = ["keygen", "-t", "x25519", "-o", "identity"];
        let recipient = String::from_utf8(room.run(keygen, b"").0.stdout).unwrap();
        let recipient = recipient.trim();
        // As a run leaves it that was interrupted after its first file.
        let one = ["rekey", "-k", "k", "-r", recipient, "s/a.txt.polyseal"];
        assert!(room.run(one, b"").0.status.success());
        let rekey = [&["rekey", "-k", "k", "-r", recipient, "--recursive", "s"], how].concat();
        room.run(&rekey, b"").fails(4, "1 of 5 files failed\n  s/a.txt.polyseal");
        let outcome = room.run([&rekey[..], &["-i", "identity"]].concat(), b"");
        assert!(outcome.0.status.success(), "{}", outcome.errors());
        room.run(["verify", "-i", "identity", "--recursive", "s"], b"").succeeds();
        // A passphrase is tried.
        room.write("words", b"correct horse\n");
        let words = "$P rekey -i identity --new-passphrase-fd 3";
        let line = format!("{words} s/a.txt.polyseal 3< words");
        assert!(room.shell(&line).0.status.success());
        let line = format!("{words} {} --recursive s 3< words", how.concat());
        let outcome = room.shell(&line);
        assert!(outcome.0.status.success(), "{}", outcome.errors());
        let shown = String::from_utf8_lossy(&outcome.0.stdout).into_owned();
        assert_eq!(shown.matches(": a new key opens it already").count(), 1, "{shown}");
        let line = "$P verify --passphrase-fd 3 --recursive s 3< words";
        assert_eq!(lines(&room.shell(line).succeeds()), 5 + 1);
    }
}

/// Every file of it, and the manifest: without the context none opens, whatever the key.
#[test]
fn a_tree_that_is_bound_to_a_context_is_rekeyed() {
    let room = room();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let context = ["--context", "backup"];
    let encrypt = ["encrypt", "-k", "k", "--recursive", "-o", "s", "d"];
    room.run([&encrypt[..], &context].concat(), b"").succeeds();
    let rekey = ["rekey", "-k", "k", "--to-key", "other", "--recursive", "s"];
    room.run(rekey, b"").fails(4, "is bound to a context");
    for again in [false, true] {
        let done = room.run([&rekey[..], &context].concat(), b"");
        assert!(done.0.status.success(), "{again} {}", done.errors());
    }
    let verify = ["verify", "-k", "other", "--recursive", "s"];
    room.run([&verify[..], &context].concat(), b"").succeeds();
    room.run(verify, b"").fails(4, "is bound to a context");
}
