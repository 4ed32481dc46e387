//! Signed trees: `encrypt --recursive --sign`, updates of them, and what a mirror can verify.

#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::thread::sleep;

use crate::common::{Outcome, TestDir, message, names};
#[cfg(feature = "mount")]
use crate::mounted::Mounted;
use crate::updates::{GRAIN, copy};

const ALICE: &str = include_str!("../../polyseal-file/tests/statements/alice");
const SIGNERS: &str = include_str!("../../polyseal-file/tests/statements/allowed_signers");
const UPDATE: [&str; 8] = ["encrypt", "-k", "k", "--recursive", "--update", "-o", "s", "d"];
const MANIFEST: &str = "s/.polyseal-manifest.polyseal";

struct SignedTree(TestDir);

impl SignedTree {
    /// A tree `d`, encrypted and signed in `s`.
    fn new() -> Self {
        let room = TestDir::new();
        room.write("alice", ALICE.as_bytes());
        room.write("signers", SIGNERS.as_bytes());
        fs::create_dir_all(room.path("d/a b/c")).unwrap();
        for (name, bytes) in [("one", 3), ("a b/large", 300_000), ("a b/c/é%", 70_000), ("z", 0)] {
            room.write(&format!("d/{name}"), &message(bytes));
        }
        sleep(GRAIN);
        let tree = Self(room);
        tree.update(&["--sign", "alice"]).succeeds();
        tree
    }

    fn run(&self, args: &[&str]) -> Outcome {
        self.0.run(args, b"")
    }

    fn update(&self, more: &[&str]) -> Outcome {
        self.run(&[&UPDATE[..], more].concat())
    }

    /// Verifies it without a key.
    fn mirror(&self) -> Outcome {
        self.run(&["verify", "--recursive", "--signers", "signers", "s"])
    }

    fn verify(&self) -> Outcome {
        self.run(&["verify", "-k", "k", "--recursive", "--signers", "signers", "s"])
    }

    fn decrypt(&self) -> Outcome {
        let _ = fs::remove_dir_all(self.0.path("out"));
        self.run(&["decrypt", "-k", "k", "--recursive", "--signers", "signers", "s", "-o", "out"])
    }

    /// Asserts that it is verified with a key and without.
    #[track_caller]
    fn is_signed(&self) {
        self.mirror().succeeds();
        self.verify().succeeds();
    }

    /// The one file in `.polyseal-signed` with this suffix.
    fn own(&self, suffix: &str) -> String {
        let found = self.signed().into_iter().filter(|name| name.ends_with(suffix));
        let found: Vec<_> = found.collect();
        assert_eq!(found.len(), 1, "{found:?}");
        format!("s/.polyseal-signed/{}", found[0])
    }

    fn signed(&self) -> Vec<String> {
        names(&self.0.path("s/.polyseal-signed"))
    }
}

#[test]
fn a_signed_tree_is_verified_with_keys_and_without() {
    let tree = SignedTree::new();
    let told = String::from_utf8(tree.mirror().succeeds()).unwrap();
    assert!(told.contains("s: signed by alice@example.org, SHA256:"), "{told}");
    assert!(told.contains("s/a b/large.polyseal: as it was signed, "), "{told}");
    tree.verify().succeeds();
    tree.decrypt().succeeds();
    assert!(tree.0.read("out/a b/large") == message(300_000));
    let listed = tree.run(&["ls", "-k", "k", "--signers", "signers", "s"]).succeeds();
    assert!(String::from_utf8(listed).unwrap().contains("number 1: "));
    let part = ["cat", "-k", "k", "--signers", "signers", "--in", "s", "--range", "200000-200009"];
    let part = tree.run(&[&part[..], &["a b/large"]].concat()).succeeds();
    assert!(part == message(300_000)[200_000..200_010]);
    let list = String::from_utf8(tree.0.read(&tree.own(".list"))).unwrap();
    let paths: Vec<_> = list.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    let expected =
        ["a%20b/c/%C3%A9%25.polyseal", "a%20b/large.polyseal", "one.polyseal", "z.polyseal"];
    assert_eq!(paths, expected);
    // The others are of one segment.
    let hashes = tree.signed().iter().filter(|name| name.ends_with(".hashes")).count();
    assert_eq!(hashes, 2);
    // It is one with those who do not ask for a signature.
    tree.run(&["verify", "-k", "k", "--recursive", "s"]).succeeds();
    // Other recipients keep it.
    tree.run(&["keygen", "-o", "k2"]).succeeds();
    tree.run(&["rekey", "-k", "k", "--to-key", "k2", "--recursive", "s"]);
    tree.mirror().succeeds();
    let verify = ["verify", "-k", "k2", "--recursive", "--signers", "signers", "s"];
    tree.run(&verify).succeeds();
}

#[test]
fn what_is_not_the_signed_tree_is_refused_before_anything_is_given_out() {
    let tree = SignedTree::new();
    let room = &tree.0;
    let refuse = |change: &dyn Fn(), code: i32, told: &str| {
        copy(&room.path("s"), &room.path("kept"));
        change();
        for refused in [tree.mirror(), tree.verify(), tree.decrypt()] {
            refused.fails(code, told);
        }
        let _ = fs::remove_dir_all(room.path("s"));
        copy(&room.path("kept"), &room.path("s"));
        fs::remove_dir_all(room.path("kept")).unwrap();
    };
    let alter = |path: &str, at: usize| {
        let mut bytes = room.read(path);
        bytes[at] ^= 1;
        room.write(path, &bytes);
    };
    let remove = |path: &str| fs::remove_file(room.path(path)).unwrap();
    let large = "s/a b/large.polyseal";
    refuse(&|| alter(large, 4096 + 70_000), 3, "large.polyseal");
    refuse(&|| room.write(large, &room.read(large)[..200_000]), 3, "large.polyseal");
    refuse(&|| remove(large), 3, "it is missing");
    refuse(&|| room.write("s/new.polyseal", b"new"), 6, "it is not of this tree");
    refuse(&|| room.write("s/one.polyseal", &room.read("s/z.polyseal")), 3, "it is not the file");
    refuse(&|| remove(&tree.own(".sig")), 5, "has no statement: nobody has signed it");
    refuse(&|| alter(&tree.own(".sig"), 30), 5, "its statement");
    refuse(&|| alter(MANIFEST, 4096 + 9), 3, "segment 0 is not the one that was signed");
    refuse(&|| remove(MANIFEST), 3, "it is no sealed tree");
    // Somebody who can open it encrypts and signs another.
    let other = || {
        fs::remove_dir_all(room.path("s")).unwrap();
        room.shell("ssh-keygen -q -t ed25519 -N '' -f mallory").succeeds();
        tree.update(&["--sign", "mallory"]).succeeds();
    };
    refuse(&other, 5, "no signature of it is one of an allowed signer");
    let swapped = || {
        let statement = tree.own(".sig");
        let kept = room.read(&statement);
        remove(&statement);
        fs::remove_dir_all(room.path("s")).unwrap();
        tree.update(&["--sign", "alice"]).succeeds();
        room.write(&tree.own(".sig"), &kept);
    };
    refuse(&swapped, 3, "its statement is about another file");
    // Without a key, the list and the hashes are compared, too.
    let mirror = |change: &dyn Fn(), told: &str| {
        copy(&room.path("s"), &room.path("kept"));
        change();
        tree.mirror().fails(3, told);
        let _ = fs::remove_dir_all(room.path("s"));
        copy(&room.path("kept"), &room.path("s"));
        fs::remove_dir_all(room.path("kept")).unwrap();
    };
    mirror(&|| alter(&tree.own(".list"), 100), "the list of its files is not the signed one");
    mirror(&|| remove(&tree.own(".list")), "it is missing");
    let hashes = tree.signed().into_iter().find(|name| name.ends_with(".hashes")).unwrap();
    let hashes = format!("s/.polyseal-signed/{hashes}");
    mirror(&|| alter(&hashes, 40), ".hashes");
    mirror(&|| remove(&hashes), ".hashes");
    tree.is_signed();
    tree.run(&["verify", "--recursive", "--signers", "signers", "--at-least", "2", "s"])
        .fails(3, "is older: its manifest is number 1");
    let signature = ["--signature", "x"];
    let verify = ["verify", "--recursive", "--signers", "signers", "s"];
    tree.run(&[&verify[..], &signature].concat()).fails(2, "a tree has its statement in it");
    tree.update(&[&["--sign", "alice"][..], &signature].concat()).fails(2, "in it");
}

#[test]
fn an_update_signs_anew_and_leaves_nothing_of_the_old_statement() {
    let tree = SignedTree::new();
    let room = &tree.0;
    let first = tree.signed();
    // Nothing has changed, and so nothing is signed.
    tree.update(&["--sign", "alice"]).succeeds();
    assert_eq!(tree.signed(), first);
    room.write("d/one", &message(200_000));
    fs::remove_file(room.path("d/a b/large")).unwrap();
    sleep(GRAIN);
    tree.update(&["--sign", "alice"]).succeeds();
    tree.is_signed();
    let verify = ["verify", "--recursive", "--signers", "signers", "--at-least", "2", "s"];
    tree.run(&verify).succeeds();
    tree.own(".sig");
    tree.own(".list");
    // One without a signature says so.
    room.write("d/one", b"changed");
    sleep(GRAIN);
    let unsigned = tree.update(&[]);
    assert!(
        String::from_utf8_lossy(&unsigned.0.stderr).contains("was signed, and is not any more")
    );
    tree.verify().fails(5, "has no statement");
    // The next one takes nothing over that nobody has signed.
    tree.update(&["--sign", "alice"]).fails(5, "has no statement");
    // Signing it gives hashes to all that was encrypted before.
    tree.run(&["sign", "-s", "alice", "-k", "k", "--recursive", "s"]).succeeds();
    tree.is_signed();
    tree.update(&["--sign", "alice"]).succeeds();
    fs::remove_dir_all(room.path("s/.polyseal-signed")).unwrap();
    tree.run(&["sign", "-s", "alice", "--recursive", "s"]).fails(2, "by somebody who can open it");
    tree.run(&["sign", "-s", "alice", "-k", "k", "--recursive", "s"]).succeeds();
    tree.is_signed();
    // A file that is not as the manifest has it is not signed.
    room.write("s/one.polyseal", &room.read("s/z.polyseal"));
    tree.run(&["sign", "-s", "alice", "-k", "k", "--recursive", "s"]).fails(3, "one.polyseal");
    // A deleted file that is kept is listed, and need not be there.
    fs::remove_file(room.path("d/z")).unwrap();
    room.write("d/one", b"again");
    sleep(GRAIN);
    tree.update(&["--sign", "alice", "--keep-deleted"]).succeeds();
    tree.is_signed();
    fs::remove_file(room.path("s/z.polyseal")).unwrap();
    tree.mirror().succeeds();
}

/// Killed anywhere, an update leaves a tree that is signed, as before or as after; and the next one
/// finishes it.
#[test]
fn an_interrupted_update_is_signed_as_before_or_as_after() {
    let tree = SignedTree::new();
    let room = &tree.0;
    copy(&room.path("s"), &room.path("before"));
    room.write("d/one", &message(100_000));
    room.write("d/new", &message(100_000));
    fs::remove_file(room.path("d/z")).unwrap();
    sleep(GRAIN);
    for step in 1.. {
        fs::remove_dir_all(room.path("s")).unwrap();
        copy(&room.path("before"), &room.path("s"));
        let mut command = room.command([&UPDATE[..], &["--sign", "alice"]].concat());
        let killed = command.env("POLYSEAL_TEST_KILLED_AT", step.to_string()).output().unwrap();
        if killed.status.success() {
            assert!(step > 5, "{step}");
            break;
        }
        assert_eq!(killed.status.signal(), Some(9), "{killed:?}");
        // Files whose update was interrupted are as one of the two has them.
        let verified = tree.verify();
        if !verified.0.status.success() {
            verified.fails(1, "an update of s was interrupted");
        }
        tree.decrypt();
        let listed = tree.run(&["ls", "-k", "k", "--signers", "signers", "s"]);
        assert!(listed.0.status.success(), "{:?}", listed.0);
        tree.update(&["--sign", "alice"]).succeeds();
        tree.is_signed();
    }
}

#[cfg(feature = "mount")]
fn end(mounted: Mounted) {
    let at = mounted.at.clone();
    mounted.end();
    fs::remove_dir(at).unwrap();
}

#[cfg(feature = "mount")]
#[test]
fn a_mount_shows_what_was_signed() {
    let tree = SignedTree::new();
    let room = &tree.0;
    let options = ["-k", "k", "--signers", "signers"];
    let Some(mounted) = Mounted::new(room, &options, "s") else { return };
    assert!(fs::read(mounted.path("a b/large")).unwrap() == message(300_000));
    // A file by the same key, which nobody has signed.
    let part = "s/one.polyseal";
    room.write("forged", &message(3));
    room.run(["encrypt", "-k", "k", "-f", "forged", "-o", part], b"").succeeds();
    assert_eq!(fs::read(mounted.path("one")).unwrap_err().raw_os_error(), Some(5));
    end(mounted);
    // An update is signed, too.
    room.write("d/one", b"updated");
    fs::remove_file(room.path(part)).unwrap();
    let Some(mounted) = Mounted::new(room, &options, "s") else { return };
    tree.update(&["--sign", "alice"]).succeeds();
    assert_eq!(fs::read(mounted.path("one")).unwrap(), b"updated");
    end(mounted);
    // A tree whose statement was taken away is not one of files by themselves.
    fs::rename(room.path("s/.polyseal-signed"), room.path("statement")).unwrap();
    fs::create_dir(room.path("elsewhere")).unwrap();
    let mount = [&["mount"], &options[..], &["s", "elsewhere"]].concat();
    tree.run(&mount).fails(5, "has no statement: nobody has signed it");
    // Files by themselves have their statements beside them.
    fs::create_dir(room.path("files")).unwrap();
    let encrypt = ["encrypt", "-k", "k", "d/one", "-o"];
    let signed = [&encrypt[..], &["files/one.polyseal", "--sign", "alice"]].concat();
    room.run(signed, b"").succeeds();
    room.run([&encrypt[..], &["files/two.polyseal"]].concat(), b"").succeeds();
    let Some(mut mounted) = Mounted::new(room, &options, "files") else { return };
    assert!(mounted.says().contains("each file is signed by itself, and its name is not"));
    assert_eq!(fs::read(mounted.path("one")).unwrap(), b"updated");
    assert_eq!(fs::read(mounted.path("two")).unwrap_err().raw_os_error(), Some(5));
}
