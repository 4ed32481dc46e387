//! Updates of encrypted trees: the second night, the failed night, and one file back.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::common::{Outcome, TestDir, cannot, message};
use crate::trees::{TreeEntry, listing};

/// Longer than the grain of a file's times: what changed before is then known to be unchanged.
pub(crate) const GRAIN: Duration = Duration::from_millis(120);

/// How the manifest that is there is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    ByKey,
    ByState,
}

struct Backup {
    room: TestDir,
    known: Known,
}

impl Backup {
    /// A tree `d`, which nothing has been made of.
    fn new(known: Known) -> Self {
        let room = TestDir::new();
        fs::create_dir_all(room.path("d/a/b")).unwrap();
        fs::create_dir_all(room.path("d/empty")).unwrap();
        for (name, bytes) in [("d/one", 3), ("d/a/two", 0), ("d/a/b/three", 200_000)] {
            room.write(name, &message(bytes));
        }
        symlink("../one", room.path("d/a/link")).unwrap();
        sleep(GRAIN);
        let recipient = room.run(["keygen", "-t", "x25519", "-o", "identity"], b"").succeeds();
        room.write("recipients", &recipient);
        Self { room, known }
    }

    fn update_args<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let keys = match self.known {
            Known::ByKey => ["-k", "k"],
            Known::ByState => ["-R", "recipients"],
        };
        let state: &[_] = match self.known {
            Known::ByKey => &[],
            Known::ByState => &["--state", "state"],
        };
        [&["encrypt", "--recursive", "--update", "-o", "s"], &keys[..], state, more, &["d"]]
            .concat()
    }

    fn update(&self, more: &[&str]) -> Outcome {
        self.room.run(self.update_args(more), b"")
    }

    /// The numbers of files that were encrypted, unchanged and deleted.
    fn updated(&self, more: &[&str]) -> [u64; 3] {
        let told = String::from_utf8(self.update(more).succeeds()).unwrap();
        counts(&told)
    }

    fn open_args(&self) -> [&str; 2] {
        match self.known {
            Known::ByKey => ["-k", "k"],
            Known::ByState => ["-i", "identity"],
        }
    }

    fn open(&self, command: &[&str]) -> Outcome {
        self.room.run([command, &self.open_args()].concat(), b"")
    }

    fn verify(&self) -> Outcome {
        self.open(&["verify", "--recursive", "s"])
    }

    /// Asserts that the tree is whole, and that the source comes back from it.
    #[track_caller]
    fn is_whole(&self) {
        self.verify().succeeds();
        let _ = fs::remove_dir_all(self.room.path("out"));
        let all = ["decrypt", "--recursive", "--preserve-permissions", "-o", "out", "s"];
        self.open(&all).succeeds();
        assert_same(&listing(&self.room.path("out")), &listing(&self.room.path("d")));
    }

    /// Each entry's kind, state and file salt, by its path.
    fn entries(&self) -> BTreeMap<String, (String, String, String)> {
        let lines = self.open(&["ls", "--json", "s"]).succeeds();
        let lines = String::from_utf8(lines).unwrap();
        let entry = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
            (field("path"), (field("kind"), field("state"), field("file_salt")))
        };
        lines.lines().map(entry).collect()
    }

    fn number(&self) -> u64 {
        let shown = String::from_utf8(self.open(&["ls", "s"]).succeeds()).unwrap();
        let last = shown.lines().last().unwrap();
        last.strip_prefix("number ").unwrap().split(':').next().unwrap().parse().unwrap()
    }
}

/// Asserts it without printing contents.
#[track_caller]
pub(crate) fn assert_same(found: &[TreeEntry], expected: &[TreeEntry]) {
    let differs = |one: &[TreeEntry], other: &[TreeEntry]| -> Vec<String> {
        let only = one.iter().filter(|entry| !other.contains(entry));
        only.map(|it| format!("{} {:o} {:?}", it.0.escape_ascii(), it.1, it.2)).collect()
    };
    let (more, less) = (differs(found, expected), differs(expected, found));
    assert!(more.is_empty() && less.is_empty(), "found {more:?}, expected {less:?}");
}

pub(crate) fn counts(told: &str) -> [u64; 3] {
    let numbers: Vec<u64> = told
        .split(|c: char| !c.is_ascii_digit())
        .filter(|number| !number.is_empty())
        .map(|number| number.parse().unwrap())
        .collect();
    let [encrypted, _bytes, unchanged, deleted] = numbers[..] else { panic!("{told}") };
    [encrypted, unchanged, deleted]
}

fn each_way(test: impl Fn(Backup)) {
    for known in [Known::ByKey, Known::ByState] {
        test(Backup::new(known));
    }
}

#[test]
fn only_what_has_changed_is_encrypted_and_what_is_gone_goes() {
    each_way(|backup| {
        let room = &backup.room;
        assert_eq!(backup.updated(&[]), [3, 0, 0]);
        backup.is_whole();
        let (first, stored) = (backup.entries(), listing(&room.path("s")));
        // Nothing has changed: nothing is written.
        assert_eq!(backup.updated(&[]), [0, 3, 0]);
        assert_same(&listing(&room.path("s")), &stored);
        assert_eq!(backup.number(), 1);

        room.write("d/one", b"another");
        room.write("d/new", b"new");
        fs::remove_file(room.path("d/a/two")).unwrap();
        // Nothing foreign is touched.
        room.write("s/stranger", b"stranger");
        sleep(GRAIN);
        assert_eq!(backup.updated(&[]), [2, 1, 1]);
        fs::remove_file(room.path("s/stranger")).unwrap();
        backup.is_whole();
        assert_eq!(backup.number(), 2);
        let second = backup.entries();
        assert_eq!(first["a/b/three"].2, second["a/b/three"].2);
        assert_ne!(first["one"].2, second["one"].2);
        assert_eq!(second["a/two"].1, "deleted");
        assert!(!room.path("s/a/two.polyseal").exists());
        assert_eq!(backup.updated(&[]), [0, 3, 0]);
        // The entry of what is gone goes with the next change.
        fs::remove_dir_all(room.path("d/a")).unwrap();
        assert_eq!(backup.updated(&[]), [0, 2, 1]);
        backup.is_whole();
        assert!(!backup.entries().contains_key("a/two"));
        assert!(!room.path("s/a").exists());
        assert!(!room.path("s/.polyseal-update").exists());
    });
}

#[test]
fn deleted_files_are_kept_if_that_is_asked_for() {
    each_way(|backup| {
        let room = &backup.room;
        backup.update(&[]).succeeds();
        let all = listing(&room.path("d"));
        fs::remove_dir_all(room.path("d/a")).unwrap();
        assert_eq!(backup.updated(&["--keep-deleted"]), [0, 1, 2]);
        backup.is_whole();
        assert!(room.path("s/a/b/three.polyseal").exists());
        let back = ["decrypt", "--recursive", "--deleted", "-o", "back", "s", "a/b"];
        backup.open(&back).succeeds();
        assert_eq!(room.read("back/a/b/three"), message(200_000));
        assert_eq!(backup.updated(&["--keep-deleted"]), [0, 1, 0]);
        // It has come back; then all of it goes.
        fs::create_dir_all(room.path("d/a/b")).unwrap();
        room.write("d/a/b/three", b"again");
        assert_eq!(backup.updated(&["--keep-deleted"]), [1, 1, 0]);
        backup.is_whole();
        assert!(all.len() > listing(&room.path("d")).len());
        fs::remove_dir_all(room.path("d/a")).unwrap();
        backup.updated(&[]);
        assert!(!room.path("s/a").exists());
        backup.is_whole();
    });
}

/// A file becomes a directory, a link or nothing, and the other way round.
#[test]
fn what_has_become_something_else() {
    each_way(|backup| {
        let room = &backup.room;
        backup.update(&[]).succeeds();
        for (keep, rest) in [(false, &[][..]), (true, &["--keep-deleted"][..])] {
            fs::remove_file(room.path("d/one")).unwrap();
            fs::create_dir_all(room.path("d/one/in/it")).unwrap();
            room.write("d/one/in/file", b"deep");
            fs::remove_dir_all(room.path("d/a")).unwrap();
            room.write("d/a", b"file now");
            symlink("a", room.path("d/lead")).unwrap();
            sleep(GRAIN);
            backup.update(rest).succeeds();
            backup.is_whole();
            fs::remove_dir_all(room.path("d/one")).unwrap();
            symlink("a", room.path("d/one")).unwrap();
            fs::remove_file(room.path("d/lead")).unwrap();
            room.write("d/lead", b"no link");
            sleep(GRAIN);
            backup.update(rest).succeeds();
            backup.is_whole();
            fs::remove_file(room.path("d/one")).unwrap();
            fs::remove_file(room.path("d/lead")).unwrap();
            room.write("d/one", if keep { b"kept" } else { b"not " });
            fs::remove_file(room.path("d/a")).unwrap();
            fs::create_dir(room.path("d/a")).unwrap();
            room.write("d/a/two", b"2");
            sleep(GRAIN);
            backup.update(rest).succeeds();
            backup.is_whole();
        }
    });
}

#[test]
fn a_source_that_is_not_mounted_is_no_empty_one() {
    each_way(|backup| {
        let room = &backup.room;
        backup.update(&[]).succeeds();
        let stored = listing(&room.path("s"));
        fs::rename(room.path("d"), room.path("away")).unwrap();
        fs::create_dir_all(room.path("d/lost+found")).unwrap();
        backup.update(&[]).fails(2, "d has no files, and the encrypted tree has some");
        assert_same(&listing(&room.path("s")), &stored);
        assert_eq!(backup.updated(&["--allow-empty"]), [0, 0, 3]);
        backup.is_whole();
    });
}

/// A file, and a directory, that cannot be read.
#[test]
fn what_cannot_be_read_stays_and_is_named() {
    each_way(|backup| {
        let room = &backup.room;
        backup.update(&[]).succeeds();
        let before = room.read("s/a/b/three.polyseal");
        let mode = |name: &str, mode| {
            fs::set_permissions(room.path(name), Permissions::from_mode(mode)).unwrap();
        };
        room.write("d/new", b"new");
        room.write("d/one", b"other");
        mode("d/new", 0);
        mode("d/one", 0);
        mode("d/a/b", 0);
        sleep(GRAIN);
        // Root may read all of it, without this.
        let mut command = std::process::Command::new("setpriv");
        command.arg("--bounding-set=-dac_override,-dac_read_search").arg(crate::common::TOOL);
        command.args(backup.update_args(&[])).current_dir(room.path("."));
        let Ok(output) = command.output() else { return cannot("there is no setpriv") };
        let outcome = Outcome(output).fails(1, "3 of");
        for name in ["d/a/b", "d/new", "d/one"] {
            assert!(outcome.errors().contains(name), "{}", outcome.errors());
        }
        for name in ["d/new", "d/one"] {
            mode(name, 0o600);
        }
        mode("d/a/b", 0o700);
        assert_eq!(room.read("s/a/b/three.polyseal"), before);
        let entries = backup.entries();
        for (name, kind) in
            [("a/b", "directory"), ("a/b/three", "file"), ("one", "file"), ("new", "absent")]
        {
            assert_eq!((&*entries[name].0, &*entries[name].1), (kind, "failed"), "{name}");
        }
        let outcome = backup.verify().fails(1, "permission was denied");
        assert!(outcome.errors().contains("s/new"), "{}", outcome.errors());
        let all = ["decrypt", "--recursive", "-o", "out", "s"];
        backup.open(&all).fails(1, "an earlier run");
        assert_eq!(room.read("out/one"), message(3));
        assert_eq!(room.read("out/a/b/three"), message(200_000));
        // The next night.
        backup.update(&[]).succeeds();
        backup.is_whole();
    });
}

/// The first run, too, says what it could not take.
#[test]
fn a_failed_first_run_is_not_whole() {
    let backup = Backup::new(Known::ByKey);
    let room = &backup.room;
    room.shell("mkfifo d/pipe").succeeds();
    let seal = ["encrypt", "-k", "k", "--recursive", "-o", "s", "d"];
    room.run(seal, b"").fails(2, "neither a file nor a directory");
    backup.verify().fails(1, "the tree does not have it");
    fs::remove_file(room.path("d/pipe")).unwrap();
    backup.update(&[]).succeeds();
    backup.is_whole();
}

pub(crate) fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    let done = std::process::Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(done.success());
}

/// The encrypted files below `folder`.
fn sealed_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (name, ..) in listing(folder) {
        let name = String::from_utf8(name).unwrap();
        if name.ends_with(".polyseal") && !name.starts_with(".polyseal-") {
            found.push(folder.join(name));
        }
    }
    found
}

/// Killed when 1, 2, 3 … things have been done: every file opens and belongs to its entry, as
/// before or as after, and the next run finishes it.
#[test]
fn an_update_that_is_killed_at_any_step() {
    if !cfg!(debug_assertions) {
        return cannot("a release build cannot be made to end at a step");
    }
    each_way(|backup| {
        let room = &backup.room;
        backup.update(&[]).succeeds();
        copy(&room.path("s"), &room.path("s-before"));
        if backup.known == Known::ByState {
            fs::copy(room.path("state"), room.path("state-before")).unwrap();
        }
        copy(&room.path("d"), &room.path("d-before"));
        room.write("d/one", b"another");
        room.write("d/a/two", b"two");
        room.write("d/new", b"new");
        fs::remove_file(room.path("d/a/b/three")).unwrap();
        fs::create_dir_all(room.path("d/deep/er")).unwrap();
        room.write("d/deep/er/file", b"deep");
        sleep(GRAIN);
        let (mut steps, mut interrupted) = (0, 0);
        loop {
            steps += 1;
            copy(&room.path("s-before"), &room.path("s"));
            if backup.known == Known::ByState {
                fs::copy(room.path("state-before"), room.path("state")).unwrap();
            }
            let mut first = room.command(backup.update_args(&[]));
            let first = first.env("POLYSEAL_TEST_KILLED_AT", steps.to_string()).output().unwrap();
            if first.status.success() {
                break;
            }
            assert_eq!(first.status.signal(), Some(9), "{first:?}");
            for file in sealed_files(&room.path("s")) {
                backup.open(&["verify", file.to_str().unwrap()]).succeeds();
            }
            // As before or as after: what there is of each file is one of the two.
            let verified = backup.verify();
            let code = verified.0.status.code().unwrap();
            assert!(code < 2, "step {steps}: {}", verified.errors());
            interrupted += usize::from(code == 1);
            let _ = fs::remove_dir_all(room.path("out"));
            let all = ["decrypt", "--recursive", "--preserve-permissions", "-o", "out", "s"];
            let decrypted = backup.open(&all);
            assert_eq!(decrypted.0.status.code(), Some(code));
            let out = listing(&room.path("out"));
            if out != listing(&room.path("d-before")) {
                assert_same(&out, &listing(&room.path("d")));
            }
            assert_eq!(code == 1, decrypted.errors().contains("was interrupted"));
            backup.update(&[]).succeeds();
            backup.is_whole();
            assert!(!room.path("s/.polyseal-update").exists());
        }
        assert!(steps > 10 && interrupted > 4, "{steps} {interrupted}");
    });
}

/// An update never gets stuck: the next one ends, whatever the one before has left.
#[test]
fn names_that_the_tree_cannot_have_fail_alone() {
    each_way(|backup| {
        let room = &backup.room;
        backup.update(&[]).succeeds();
        // With the suffix, it is longer than any name.
        let long = "x".repeat(250);
        room.write(&format!("d/{long}"), b"long");
        room.write("d/new", b"new");
        sleep(GRAIN);
        backup.update(&[]).fails(1, "1 of");
        assert_eq!(backup.entries()[&long].1, "failed");
        assert_eq!(backup.entries()["new"].1, "new");
        fs::remove_file(room.path(&format!("d/{long}"))).unwrap();
        backup.update(&[]).succeeds();
        backup.is_whole();
        // A directory that is called as an encrypted file was, and as the manifest.
        fs::remove_file(room.path("d/one")).unwrap();
        fs::create_dir(room.path("d/one.polyseal")).unwrap();
        room.write("d/one.polyseal/in", b"in");
        sleep(GRAIN);
        backup.update(&[]).succeeds();
        backup.is_whole();
        fs::create_dir(room.path("d/.polyseal-manifest.polyseal")).unwrap();
        backup.update(&[]).fails(2, "a name that only the encrypted tree has");
    });
}

#[test]
fn a_state_is_replaced_and_nothing_else() {
    let backup = Backup::new(Known::ByState);
    let room = &backup.room;
    room.write("state", b"something of mine");
    backup.update(&[]).fails(2, "is no state of a tree");
    assert_eq!(room.read("state"), b"something of mine");
    fs::remove_file(room.path("state")).unwrap();
    backup.update(&[]).succeeds();
    // A link that somebody has put there.
    room.write("victim", b"victim");
    symlink("victim", room.path("state.coming")).unwrap();
    room.write("d/one", b"another");
    let outcome = backup.update(&[]);
    assert_ne!(outcome.0.status.code(), Some(0));
    assert_eq!(room.read("victim"), b"victim");
    fs::remove_file(room.path("state.coming")).unwrap();
    backup.update(&[]).succeeds();
    backup.is_whole();
    // The tree is not mounted.
    fs::rename(room.path("s"), room.path("away")).unwrap();
    backup.update(&[]).fails(2, "none is there");
    fs::rename(room.path("away"), room.path("s")).unwrap();
    // Nor is the source, and the state is lost.
    fs::remove_file(room.path("state")).unwrap();
    fs::rename(room.path("d"), room.path("d-away")).unwrap();
    fs::create_dir(room.path("d")).unwrap();
    backup.update(&[]).fails(2, "d has no files");
    fs::remove_dir(room.path("d")).unwrap();
    fs::rename(room.path("d-away"), room.path("d")).unwrap();
    let outcome = backup.update(&[]);
    assert!(outcome.0.status.success(), "{}", outcome.errors());
    backup.is_whole();
}

/// A state of before an update that was interrupted in its last moments.
#[test]
fn deletions_that_are_done_are_done() {
    let backup = Backup::new(Known::ByState);
    let room = &backup.room;
    backup.update(&[]).succeeds();
    fs::copy(room.path("state"), room.path("old")).unwrap();
    fs::remove_dir_all(room.path("d/a")).unwrap();
    backup.update(&[]).succeeds();
    fs::rename(room.path("state"), room.path("state.coming")).unwrap();
    fs::rename(room.path("old"), room.path("state")).unwrap();
    backup.update(&[]).succeeds();
    backup.is_whole();
    // Kept ones go, when they are not to be kept any more.
    room.write("d/two", b"2");
    sleep(GRAIN);
    backup.update(&[]).succeeds();
    fs::remove_file(room.path("d/two")).unwrap();
    backup.update(&["--keep-deleted"]).succeeds();
    assert!(room.path("s/two.polyseal").exists());
    backup.update(&[]).succeeds();
    assert!(!room.path("s/two.polyseal").exists());
    backup.is_whole();
}

/// The very first run has no manifest to keep to: the next one begins anew, over what is there.
#[test]
fn a_first_run_that_is_killed_at_any_step() {
    if !cfg!(debug_assertions) {
        return cannot("a release build cannot be made to end at a step");
    }
    each_way(|backup| {
        let mut steps = 0;
        loop {
            steps += 1;
            let _ = fs::remove_dir_all(backup.room.path("s"));
            let _ = fs::remove_file(backup.room.path("state"));
            let mut first = backup.room.command(backup.update_args(&[]));
            let first = first.env("POLYSEAL_TEST_KILLED_AT", steps.to_string()).output().unwrap();
            if first.status.success() {
                break;
            }
            assert_eq!(first.status.signal(), Some(9), "{first:?}");
            let next = backup.update(&[]);
            assert!(next.0.status.success(), "step {steps}: {}", next.errors());
            backup.is_whole();
            assert!(!backup.room.path("s/.polyseal-update").exists());
        }
        assert!(steps > 2, "{steps}");
    });
    // Somebody else's files are not replaced.
    let backup = Backup::new(Known::ByKey);
    fs::create_dir(backup.room.path("s")).unwrap();
    backup.room.write("s/one.polyseal", b"stranger");
    backup.update(&[]).fails(2, "is not empty");
}

#[test]
fn of_two_updates_at_once_one_is_refused() {
    let backup = Backup::new(Known::ByKey);
    backup.update(&[]).succeeds();
    fs::create_dir(backup.room.path("s/.polyseal-update")).unwrap();
    let lock = File::create(backup.room.path("s/.polyseal-update/lock")).unwrap();
    lock.lock().unwrap();
    backup.update(&[]).fails(1, "another program updates s");
    // A rekey meanwhile would put an older file over a new one.
    let rekey = ["rekey", "--recursive", "-k", "k", "--to-key", "k", "s"];
    backup.room.run(rekey, b"").fails(1, "another program updates s");
    drop(lock);
    backup.update(&[]).succeeds();
    backup.is_whole();
}

#[test]
fn a_state_that_is_not_that_of_the_tree_is_of_no_use() {
    let backup = Backup::new(Known::ByState);
    let room = &backup.room;
    backup.update(&[]).succeeds();
    let first = room.read("state");
    room.write("d/one", b"another");
    sleep(GRAIN);
    backup.update(&[]).succeeds();
    let anew = |why: &str| {
        let outcome = backup.update(&[]);
        assert_eq!(outcome.0.status.code(), Some(0));
        assert!(outcome.errors().contains(why), "{}", outcome.errors());
        assert_eq!(counts(&String::from_utf8_lossy(&outcome.0.stdout)), [3, 0, 0]);
        backup.is_whole();
        assert_eq!(backup.updated(&[]), [0, 3, 0]);
    };
    // Rolled back.
    room.write("state", &first);
    anew("is of another one");
    fs::remove_file(room.path("state")).unwrap();
    anew("there is no state of it on this host");
    // Files of two contexts in one tree would open with neither.
    let context = ["--context", "another"];
    let outcome = backup.update(&context);
    assert!(outcome.errors().contains("has another context"), "{}", outcome.errors());
    backup.open(&["verify", "--recursive", "--context", "another", "s"]).succeeds();
    anew("has another context");
    let mut bytes = room.read("state");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    room.write("state", &bytes);
    anew("is damaged");
    room.write("state", &bytes[..40]);
    anew("is damaged");
    // Somebody has put an older tree back.
    copy(&room.path("s"), &room.path("older"));
    room.write("d/one", b"once more");
    sleep(GRAIN);
    backup.update(&[]).succeeds();
    copy(&room.path("older"), &room.path("s"));
    anew("is of another one");
    assert_eq!(fs::metadata(room.path("state")).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn an_older_tree_is_noticed_by_its_number() {
    let backup = Backup::new(Known::ByKey);
    let room = &backup.room;
    backup.update(&[]).succeeds();
    copy(&room.path("s"), &room.path("older"));
    room.write("d/one", b"another");
    backup.update(&[]).succeeds();
    assert_eq!(backup.number(), 2);
    backup.open(&["verify", "--recursive", "--at-least", "2", "s"]).succeeds();
    let older = ["verify", "--recursive", "--at-least", "2", "older"];
    backup.open(&older).fails(3, "older is older: its manifest is number 1");
    let restore = ["decrypt", "--recursive", "--at-least", "2", "-o", "out", "older"];
    backup.open(&restore).fails(3, "number 1");
    assert!(!room.path("out").exists());
    // Other recipients, and another key, leave the number or add to it.
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let rekey = ["rekey", "--recursive", "-k", "k", "--to-key", "other", "--keep", "s"];
    room.run(rekey, b"").succeeds();
    assert_eq!(backup.number(), 2);
    // The last change was too near to the run to be told from one behind it.
    assert_eq!(backup.updated(&[]), [1, 2, 0]);
    assert_eq!(backup.number(), 3);
    let anew = ["rekey", "--new-key", "--recursive", "-k", "k", "--to-key", "k", "-o", "new", "s"];
    room.run(anew, b"").succeeds();
    let shown = room.run(["ls", "-k", "k", "new"], b"").succeeds();
    assert!(String::from_utf8_lossy(&shown).contains("number 4: 3 files"));
}

#[test]
fn a_file_without_an_entry_is_no_forgery() {
    let backup = Backup::new(Known::ByKey);
    let room = &backup.room;
    backup.update(&[]).succeeds();
    room.write("s/stranger.polyseal", b"stranger");
    backup.verify().fails(6, "s/stranger.polyseal");
    let mut bytes = room.read("s/one.polyseal");
    *bytes.last_mut().unwrap() ^= 1;
    room.write("s/one.polyseal", &bytes);
    backup.verify().fails(3, "s/one.polyseal");
    // One that is in the way of a new file stays.
    room.write("d/stranger", b"new");
    let outcome = backup.update(&[]).fails(2, "already exists");
    assert!(outcome.errors().contains("stranger"), "{}", outcome.errors());
    assert_eq!(room.read("s/stranger.polyseal"), b"stranger");
}

/// A coming manifest that is not the next one of the tree is nothing of it.
#[test]
fn a_coming_manifest_of_another_time_is_ignored() {
    let backup = Backup::new(Known::ByKey);
    let room = &backup.room;
    backup.update(&[]).succeeds();
    room.write("d/one", b"2");
    sleep(GRAIN);
    backup.update(&[]).succeeds();
    let second = room.read("s/.polyseal-manifest.polyseal");
    room.write("d/one", b"3");
    sleep(GRAIN);
    backup.update(&[]).succeeds();
    fs::create_dir(room.path("s/.polyseal-update")).unwrap();
    for coming in [&second[..], b"junk", &room.read("s/.polyseal-manifest.polyseal")] {
        room.write("s/.polyseal-update/manifest.polyseal", coming);
        backup.verify().succeeds();
    }
    backup.update(&[]).succeeds();
    backup.is_whole();
    assert!(!room.path("s/.polyseal-update").exists());
}

#[test]
fn contents_are_compared_if_that_is_asked_for() {
    let backup = Backup::new(Known::ByKey);
    let room = &backup.room;
    backup.update(&[]).succeeds();
    let first = backup.entries();
    // Other times, and the same contents.
    room.write("d/one", &message(3));
    fs::set_permissions(room.path("d/one"), Permissions::from_mode(0o640)).unwrap();
    room.write("d/a/two", b"x");
    sleep(GRAIN);
    assert_eq!(backup.updated(&["--checksum"]), [1, 2, 0]);
    assert_eq!(backup.entries()["one"].2, first["one"].2);
    backup.is_whole();
    let backup = Backup::new(Known::ByState);
    backup.update(&[]).succeeds();
    backup.update(&["--checksum"]).fails(2, "nothing was given that opens s");
}

#[test]
fn some_of_a_tree_comes_back_with_its_proof() {
    let backup = Backup::new(Known::ByKey);
    let room = &backup.room;
    room.write("d/a/[x].txt", b"brackets");
    backup.update(&[]).succeeds();
    // Nobody asks for the others: one of them is altered.
    room.write("s/a/b/three.polyseal", b"junk");
    room.write("s/stranger.polyseal", b"stranger");
    let decrypt = |out: &str, paths: &[&str]| {
        let all = ["decrypt", "--recursive", "-o", out, "s"];
        backup.open(&[&all[..], paths].concat())
    };
    decrypt("out", &["a/two", "a/[x].txt", "a/l*"]).succeeds();
    let names: Vec<_> = listing(&room.path("out")).into_iter().map(|it| it.0).collect();
    assert_eq!(names, [&b"a"[..], b"a/[x].txt", b"a/link", b"a/two"]);
    decrypt("out2", &["a/b"]).fails(3, "three.polyseal");
    decrypt("out3", &["one", "none", "no/*"])
        .fails(2, "the tree has nothing that is called s/none");
    assert_eq!(room.read("out3/one"), message(3));
    let told = backup.open(&["verify", "--recursive", "s", "one", "a/two"]).succeeds();
    assert!(String::from_utf8_lossy(&told).ends_with("verified 2 files, 3 bytes\n"));
    let cat = |path: &str| backup.open(&["cat", "--in", "s", path, "--range", "1-"]);
    assert_eq!(cat("one").succeeds(), message(3)[1..]);
    cat("none").fails(2, "the tree has nothing that is called s/none");
    cat("a").fails(2, "the tree has nothing that is called s/a");
    // Another file of the tree is not this one.
    fs::copy(room.path("s/a/[x].txt.polyseal"), room.path("s/one.polyseal")).unwrap();
    cat("one").fails(3, "it is not the file that the manifest has there");
    let shown = backup.open(&["ls", "s", "a/*", "one"]).succeeds();
    let shown = String::from_utf8(shown).unwrap();
    let paths: Vec<_> =
        shown.lines().map(|line| line.split("Z ").last().unwrap().to_owned()).collect();
    assert_eq!(paths[..5], ["a/[x].txt", "a/b", "a/b/three", "a/link -> ../one", "a/two"]);
    assert!(paths[6].starts_with("number 1: 4 files, "), "{}", paths[6]);
}

#[test]
fn a_restore_goes_on_where_it_ended() {
    let backup = Backup::new(Known::ByKey);
    let room = &backup.room;
    backup.update(&[]).succeeds();
    let all = ["decrypt", "--recursive", "--preserve-permissions", "-o", "out", "s"];
    let mut three = room.read("s/a/b/three.polyseal");
    let whole = three.clone();
    *three.last_mut().unwrap() ^= 1;
    room.write("s/a/b/three.polyseal", &three);
    // All others come back.
    backup.open(&all).fails(3, "three.polyseal");
    assert_eq!(room.read("out/one"), message(3));
    assert!(!room.path("out/a/b/three").exists());
    room.write("s/a/b/three.polyseal", &whole);
    // The same length, and other contents.
    room.write("out/one", b"xyz");
    let inode = fs::metadata(room.path("out/a/two")).unwrap().ino();
    let told = backup.open(&[&all[..], &["--resume", "--json"]].concat()).succeeds();
    let told = String::from_utf8(told).unwrap();
    assert_eq!(told.matches("\"decrypted\"").count(), 2, "{told}");
    assert_eq!(told.matches("\"unchanged\"").count(), 1, "{told}");
    assert_eq!(fs::metadata(room.path("out/a/two")).unwrap().ino(), inode);
    assert_same(&listing(&room.path("out")), &listing(&room.path("d")));
}

/// No time has to be later than another: any other one is a change, and so is a file that has its
/// old size and modification time.
#[test]
fn a_clock_that_was_set_back() {
    each_way(|backup| {
        let one = backup.room.path("d/one");
        backup.update(&[]).succeeds();
        let set =
            |time| File::options().write(true).open(&one).unwrap().set_modified(time).unwrap();
        let then = fs::metadata(&one).unwrap().modified().unwrap();
        backup.room.write("d/one", b"ONE");
        set(then);
        sleep(GRAIN);
        assert_eq!(backup.updated(&[]), [1, 2, 0]);
        backup.is_whole();
        set(then - Duration::from_secs(365 * 24 * 3600));
        sleep(GRAIN);
        assert_eq!(backup.updated(&[]), [1, 2, 0]);
        backup.is_whole();
        assert_eq!(backup.updated(&[]), [0, 3, 0]);
    });
}

/// Any edits, night after night.
#[test]
fn edits_of_many_nights() {
    // A generator of numbers, so that a failure can be repeated.
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = move |n: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % n
    };
    let nights = if cfg!(feature = "long-tests") { 200 } else { 20 };
    for known in [Known::ByKey, Known::ByState] {
        let backup = Backup::new(known);
        backup.update(&[]).succeeds();
        for night in 0..nights {
            for _ in 0..=below(6) {
                let name = |n: u64| ["a", "b", "a/x", "a/y", "b/x", "one", "empty/z"][n as usize];
                let path = backup.room.path("d").join(name(below(7)));
                let is_directory = fs::symlink_metadata(&path).is_ok_and(|it| it.is_dir());
                let what = below(5);
                if what < 2 || (is_directory && what < 4) {
                    let _ = if is_directory {
                        fs::remove_dir_all(&path)
                    } else {
                        fs::remove_file(&path)
                    };
                }
                let _ = fs::create_dir_all(path.parent().unwrap());
                let _ = match what {
                    0 => Ok(()),
                    1 => symlink("one", &path),
                    2 => fs::create_dir(&path),
                    _ => fs::write(&path, message(below(9000) as usize)),
                };
                if what == 4 && path.is_file() {
                    let mode = Permissions::from_mode(0o400 + below(0o400) as u32 % 0o100);
                    fs::set_permissions(&path, mode).unwrap();
                }
            }
            let keep = below(3) == 0;
            let more: &[&str] = if keep { &["--keep-deleted"] } else { &[] };
            let allow = [more, &["--allow-empty"]].concat();
            let done = backup.update(&allow);
            assert_eq!(done.0.status.code(), Some(0), "night {night}: {}", done.errors());
            backup.is_whole();
        }
    }
}
