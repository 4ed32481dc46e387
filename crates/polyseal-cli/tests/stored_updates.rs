//! Updates of an encrypted tree in a bucket of a real S3 server: `make test-all ONLY=stores`.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::thread::sleep;

use crate::bucket::BucketFixture;
use crate::common::{Outcome, cannot, message};
use crate::stored_trees::files;
use crate::trees::listing;
use crate::updates::{GRAIN, Known, assert_same, copy, counts};

const TREE: &str = "s3://bucket/s";
const MIB: usize = 1 << 20;

struct Backup {
    place: BucketFixture,
    known: Known,
}

impl Backup {
    /// A tree `d`, with a file of several parts.
    fn new(known: Known) -> Self {
        let place = BucketFixture::new();
        let room = &place.room;
        fs::create_dir_all(room.path("d/a/b")).unwrap();
        for (name, bytes) in [("d/one", 3), ("d/a/two", 0), ("d/a/b/three", 3 * MIB), ("d/gone", 7)]
        {
            room.write(name, &message(bytes));
        }
        sleep(GRAIN);
        let recipient = room.run(["keygen", "-t", "x25519", "-o", "identity"], b"").succeeds();
        room.write("recipients", &recipient);
        Self { place, known }
    }

    fn edit(&self) {
        let room = &self.place.room;
        room.write("d/one", b"another");
        room.write("d/a/b/three", &message(18 * MIB));
        fs::create_dir_all(room.path("d/new")).unwrap();
        room.write("d/new/file", b"new");
        fs::remove_file(room.path("d/gone")).unwrap();
        sleep(GRAIN);
    }

    fn command(&self) -> Command {
        let keys: &[_] = match self.known {
            Known::ByKey => &["-k", "k"],
            Known::ByState => &["-R", "recipients", "--state", "state"],
        };
        let all = ["encrypt", "--recursive", "--update", "--jobs", "1", "-o", TREE, "d"];
        self.place.command(&[&all[..], keys].concat())
    }

    fn update(&self) -> Outcome {
        Outcome(self.command().output().unwrap())
    }

    fn updated(&self) -> [u64; 3] {
        counts(&String::from_utf8(self.update().succeeds()).unwrap())
    }

    fn open(&self, command: &[&str]) -> Outcome {
        let keys = match self.known {
            Known::ByKey => ["-k", "k"],
            Known::ByState => ["-i", "identity"],
        };
        self.place.run(&[command, &keys].concat())
    }

    fn decrypt(&self) -> Outcome {
        let _ = fs::remove_dir_all(self.place.room.path("out"));
        self.open(&["decrypt", "--recursive", "--preserve-permissions", TREE, "-o", "out"])
    }

    #[track_caller]
    fn is_whole(&self) {
        self.open(&["verify", "--recursive", TREE]).succeeds();
        self.decrypt().succeeds();
        let [out, source] = ["out", "d"].map(|tree| listing(&self.place.room.path(tree)));
        assert_same(&out, &source);
        let stored = files(&self.place.stored("s"));
        assert!(stored.iter().all(|name| !name.starts_with(".polyseal-update/")), "{stored:?}");
    }
}

#[test]
fn the_second_night_in_a_bucket() {
    for known in [Known::ByKey, Known::ByState] {
        let backup = Backup::new(known);
        assert_eq!(backup.updated(), [4, 0, 0]);
        backup.is_whole();
        assert_eq!(backup.updated(), [0, 4, 0]);
        backup.edit();
        assert_eq!(backup.updated(), [3, 1, 1]);
        backup.is_whole();
        let listed = String::from_utf8(backup.open(&["ls", TREE]).succeeds()).unwrap();
        assert!(listed.contains("\nnumber 2: 4 files, 18874378 bytes"), "{listed}");
        // One file with its proof, and a part of one.
        backup.open(&["decrypt", "--recursive", TREE, "new/*", "-o", "one"]).succeeds();
        assert_eq!(backup.place.room.read("one/new/file"), b"new");
        let part = ["cat", "--in", TREE, "a/b/three", "--range", "17000000-17000999"];
        let expected = &message(18 * MIB)[17_000_000..17_001_000];
        assert!(backup.open(&part).succeeds() == expected);
        let older = backup.open(&["verify", "--recursive", "--at-least", "3", TREE]);
        older.fails(3, "s3://bucket/s is older: its manifest is number 2");
    }
}

/// A program that dies takes what it has held back with it: each file is as before or as after,
/// and the next update goes on at once.
#[test]
fn an_update_of_a_bucket_that_is_killed_at_any_step() {
    if !cfg!(debug_assertions) {
        return cannot("a release build cannot be made to end at a step");
    }
    for known in [Known::ByKey, Known::ByState] {
        let backup = Backup::new(known);
        let room = &backup.place.room;
        backup.updated();
        copy(&room.path("d"), &room.path("d-before"));
        let stored = backup.place.stored("s");
        copy(&stored, &room.path("s-before"));
        if known == Known::ByState {
            fs::copy(room.path("state"), room.path("state-before")).unwrap();
        }
        backup.edit();
        let (before, after) = (listing(&room.path("d-before")), listing(&room.path("d")));
        let (mut steps, mut interrupted) = (0, 0);
        loop {
            steps += 1;
            copy(&room.path("s-before"), &stored);
            if known == Known::ByState {
                fs::copy(room.path("state-before"), room.path("state")).unwrap();
            }
            let mut first = backup.command();
            let first = first.env("POLYSEAL_TEST_KILLED_AT", steps.to_string()).output().unwrap();
            if first.status.success() {
                break;
            }
            assert_eq!(first.status.signal(), Some(9), "{first:?}");
            let decrypted = backup.decrypt();
            let code = decrypted.0.status.code().unwrap();
            assert!(code < 2, "step {steps}: {}", decrypted.errors());
            assert_eq!(code == 1, decrypted.errors().contains("was interrupted"));
            interrupted += usize::from(code == 1);
            // Each file is one of the two.
            for entry in listing(&room.path("out")) {
                let is_directory = room.path("out").join(OsStr::from_bytes(&entry.0)).is_dir();
                let is_known = before.contains(&entry) || after.contains(&entry);
                assert!(is_directory || is_known, "step {steps}");
            }
            backup.update().succeeds();
            backup.is_whole();
        }
        assert!(steps > 8 && interrupted > 3, "{steps} {interrupted}");
    }
}

#[test]
fn of_two_updates_of_a_bucket_one_is_refused() {
    let backup = Backup::new(Known::ByKey);
    backup.updated();
    // An object that this program has not written is another's.
    let lock = backup.place.stored("s/.polyseal-update/lock");
    let of_another = ["encrypt", "-k", "k", "k", "-o", "s3://bucket/s/.polyseal-update/lock"];
    backup.place.run(&of_another).succeeds();
    backup.edit();
    backup.update().fails(1, "another program updates s3://bucket/s");
    // Nor is it rekeyed meanwhile.
    backup.place.room.run(["keygen", "-o", "k2"], b"").succeeds();
    let rekey = ["rekey", "-k", "k", "--to-key", "k2", "--recursive", TREE];
    backup.place.run(&rekey).fails(1, "another program updates s3://bucket/s");
    fs::remove_file(&lock).unwrap();
    assert_eq!(backup.updated(), [3, 1, 1]);
    assert!(backup.place.run(&rekey).0.status.success());
    backup.place.run(&["verify", "-k", "k2", "--recursive", TREE]).succeeds();
}
