//! `mount`, on a real /dev/fuse: what is shown is what was encrypted, and what was altered is an
//! error.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::process::Command;
use std::thread;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags, openat, statx};
use rustix::process::{Pid, Signal, kill_process};

use crate::common::{TestDir, cannot, have, message, payload_offset};
use crate::mounted::Mounted;

const EIO: Option<i32> = Some(5);
const EACCES: Option<i32> = Some(13);

/// A room with the directory `tree`, and the same in `sealed`.
fn tree() -> TestDir {
    let room = TestDir::new();
    fs::create_dir_all(room.path("tree/a/b")).unwrap();
    fs::create_dir_all(room.path("sealed/a/b")).unwrap();
    for (name, length) in
        [("empty", 0), ("one", 1), ("a/edge", 65_536), ("a/b/large", 3_000_001), ("a/b/.dot", 9)]
    {
        room.write(&format!("tree/{name}"), &message(length));
        let (from, to) = (format!("tree/{name}"), format!("sealed/{name}.polyseal"));
        room.run(["encrypt", "-k", "k", "-o", &to, &from], b"").succeeds();
    }
    room
}

#[test]
fn a_tree_is_shown_as_it_was() {
    let room = tree();
    room.write("sealed/not encrypted", b"");
    let Some(mounted) = Mounted::new(&room, &["-k", "k"], "sealed") else { return };
    let diff = Command::new("diff").arg("-r").arg(room.path("tree")).arg(&mounted.at).output();
    let diff = diff.unwrap();
    assert!(diff.status.success(), "{}", String::from_utf8_lossy(&diff.stdout));
    assert_eq!(fs::metadata(mounted.path("a/b/large")).unwrap().len(), 3_000_001);
    // Parts, from several threads.
    let (file, expected) = (File::open(mounted.path("a/b/large")).unwrap(), message(3_000_001));
    thread::scope(|scope| {
        for at in (0..2_990_000).step_by(299_777) {
            let (file, expected) = (&file, &expected);
            scope.spawn(move || {
                let mut part = [0; 10_000];
                file.read_exact_at(&mut part, at as u64).unwrap();
                assert!(part[..] == expected[at..at + 10_000]);
            });
        }
    });
    // Nothing can be written.
    assert!(File::create(mounted.path("new")).is_err());
    assert!(fs::remove_file(mounted.path("one")).is_err());
    drop(file);
    mounted.end();
}

#[test]
fn what_was_altered_is_an_error_and_never_data() {
    let room = tree();
    let sealed = room.read("sealed/a/b/large.polyseal");
    let payload = payload_offset(&sealed);
    let Some(mounted) = Mounted::new(&room, &["-k", "k"], "sealed") else { return };
    // In the second segment; the file opens, for its header and its end are right.
    let mut altered = sealed.clone();
    altered[payload + 70_000] ^= 1;
    room.write("sealed/altered.polyseal", &altered);
    room.write("sealed/short.polyseal", &sealed[..sealed.len() - 1]);
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let theirs = ["encrypt", "-k", "other", "-o", "sealed/theirs.polyseal", "tree/one"];
    room.run(theirs, b"").succeeds();
    room.write("sealed/garbage.polyseal", b"garbage");
    let file = File::open(mounted.path("altered")).unwrap();
    let mut part = [0; 4096];
    file.read_exact_at(&mut part, 0).unwrap();
    assert!(part[..] == message(3_000_001)[..4096]);
    let mut all = Vec::new();
    assert_eq!((&file).read_to_end(&mut all).unwrap_err().raw_os_error(), EIO);
    assert!(all.len() <= 65_536 && all[..] == message(3_000_001)[..all.len()]);
    for (name, error) in [("short", EIO), ("garbage", EIO), ("theirs", EACCES)] {
        assert_eq!(File::open(mounted.path(name)).unwrap_err().raw_os_error(), error, "{name}");
    }
    drop(file);
    mounted.end();
}

/// Somebody who can write to the stored files cannot shorten, lengthen or change the file that
/// another reads.
#[test]
fn what_is_put_in_the_place_of_an_open_file_does_not_mix_with_it() {
    let room = tree();
    let sealed = room.read("sealed/a/b/large.polyseal");
    let replace = |by: &[u8]| {
        room.write("sealed/new", by);
        fs::rename(room.path("sealed/new"), room.path("sealed/a/b/large.polyseal")).unwrap();
    };
    let Some(mounted) = Mounted::new(&room, &["-k", "k"], "sealed") else { return };
    let (path, expected) = (mounted.path("a/b/large"), message(3_000_001));
    let unlike: Vec<u8> = expected.iter().map(|byte| !byte).collect();
    room.write("unlike", &unlike);
    room.run(["encrypt", "-k", "k", "-o", "unlike.polyseal", "unlike"], b"").succeeds();
    let shorter = sealed[..payload_offset(&sealed) + 70_000].to_vec();
    let longer = [&sealed[..], &[0; 100_000]].concat();
    for other in [shorter, longer, room.read("unlike.polyseal")] {
        replace(&sealed);
        let file = File::open(&path).unwrap();
        let mut start = [0; 10];
        (&file).read_exact(&mut start).unwrap();
        replace(&other);
        // The kernel asks again for the size, and another reads what is there now.
        let flags = AtFlags::STATX_FORCE_SYNC | AtFlags::EMPTY_PATH;
        assert_eq!(statx(&file, "", flags, StatxFlags::ALL).unwrap().stx_size, 3_000_001);
        let _ = statx(CWD, &path, AtFlags::STATX_FORCE_SYNC, StatxFlags::ALL);
        match File::open(&path) {
            Ok(now) => assert!(other.len() == sealed.len() && all(&now) == unlike),
            Err(error) => assert_eq!(error.raw_os_error(), EIO),
        }
        assert!(all(&file)[..] == expected[10..]);
    }
    mounted.end();
}

fn all(mut file: &File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn one_file_a_passphrase_and_age() {
    let room = TestDir::new();
    room.write("m", &message(200_000));
    room.write("secret", b"battery staple\n");
    room.shell("$P encrypt --passphrase-fd 3 -o m.polyseal m 3<secret").succeeds();
    fs::create_dir(room.path("plain")).unwrap();
    fs::remove_dir(room.path("plain")).unwrap();
    room.run(["keygen", "-t", "x25519", "-o", "id"], b"");
    room.shell("$P keygen -t x25519 -o id2 >r && $P encrypt --format age -R r -o m.age m")
        .succeeds();
    let Some(mounted) = Mounted::new(&room, &["-i", "id2"], "m.age") else { return };
    assert!(fs::read(mounted.path("m")).unwrap() == message(200_000));
    assert_eq!(crate::common::names(&mounted.at), ["m"]);
    mounted.end();
}

/// A database is read in pages, here and there.
#[test]
fn a_database_can_be_queried() {
    if !have("sqlite3") {
        return cannot("sqlite3 is missing");
    }
    let room = TestDir::new();
    let query = "select count(*), sum(n) from t where n % 1000 = 7";
    room.shell(&format!(
        "sqlite3 db \"create table t(n); with recursive c(x) as (select 1 union all select x+1 \
         from c where x < 200000) insert into t select x from c; create index i on t(n);\" && \
         sqlite3 db '{query}' >expected && mkdir sealed && $P encrypt -k k -o sealed/db.polyseal db"
    ))
    .succeeds();
    let Some(mounted) = Mounted::new(&room, &["-k", "k"], "sealed") else { return };
    let found = room.shell(&format!("sqlite3 -readonly plain/db '{query}'")).succeeds();
    assert!(!found.is_empty() && found == room.read("expected"));
    mounted.end();
}

#[test]
fn what_cannot_be_mounted() {
    let room = tree();
    fs::create_dir_all(room.path("sealed/inside")).unwrap();
    room.run(["mount", "-k", "k", "sealed", "sealed/inside"], b"").fails(2, "in one another");
    room.run(["mount", "-k", "k", "sealed", "sealed"], b"").fails(2, "in one another");
    room.run(["mount", "-k", "k", "sealed", "k"], b"").fails(2, "is not a directory");
    room.run(["mount", "-k", "k", "sealed", "absent"], b"").fails(1, "absent");
    room.run(["mount", "-k", "k", "absent", "sealed"], b"").fails(1, "absent");
    if !cfg!(feature = "stores") {
        let object = ["mount", "-k", "k", "s3://bucket/c.polyseal", "sealed"];
        room.run(object, b"").fails(2, "built without the feature `stores`");
    }
}

/// Somebody else unmounts it: the tool ends.
#[test]
fn it_ends_when_it_is_unmounted() {
    let room = tree();
    let Some(mut mounted) = Mounted::new(&room, &["-k", "k"], "sealed") else { return };
    let before = fs::metadata(&mounted.at).unwrap().dev();
    assert!(Command::new("umount").arg(&mounted.at).status().unwrap().success());
    assert!(mounted.child.wait().unwrap().success());
    assert_ne!(fs::metadata(&mounted.at).unwrap().dev(), before);
}

/// A signal comes while a file is open: the directory is free, and what is open can be read on.
#[test]
fn what_is_open_when_a_signal_comes_can_be_read_to_its_end() {
    let room = tree();
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let Some(mut mounted) = Mounted::new(&room, &["-k", "k"], "sealed") else { return };
        let before = fs::metadata(&mounted.at).unwrap().dev();
        let (mut file, expected) =
            (File::open(mounted.path("a/b/large")).unwrap(), message(3_000_001));
        let directory = File::open(mounted.path("a")).unwrap();
        let mut start = [0; 10];
        file.read_exact(&mut start).unwrap();
        kill_process(Pid::from_child(&mounted.child), signal).unwrap();
        let told = mounted.says();
        let at = mounted.at.display();
        assert!(told.contains(&format!("{at} is unmounted; what is open in it")), "{told}");
        assert_ne!(fs::metadata(&mounted.at).unwrap().dev(), before, "the directory is free");
        assert!(mounted.child.try_wait().unwrap().is_none());
        assert!(all(&file)[..] == expected[10..]);
        drop(file);
        // Files in a directory that is open can still be opened, which takes the keys.
        let flags = OFlags::RDONLY;
        let edge = File::from(openat(&directory, "edge", flags, Mode::empty()).unwrap());
        assert!(all(&edge) == message(65_536));
        assert!(mounted.child.try_wait().unwrap().is_none());
        drop((edge, directory));
        assert!(mounted.child.wait().unwrap().success(), "{signal:?}");
        fs::remove_dir(&mounted.at).unwrap();
    }
}

/// A second signal ends the wait.
#[test]
fn another_signal_ends_it_at_once() {
    let room = tree();
    let Some(mut mounted) = Mounted::new(&room, &["-k", "k"], "sealed") else { return };
    let file = File::open(mounted.path("a/b/large")).unwrap();
    let pid = Pid::from_child(&mounted.child);
    kill_process(pid, Signal::TERM).unwrap();
    let told = mounted.says();
    assert!(told.contains("is unmounted"), "{told}");
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(mounted.child.wait().unwrap().code(), Some(1));
    let told = mounted.says();
    assert!(told.contains("plain was in use when this ended"), "{told}");
    let mut rest = Vec::new();
    assert!((&file).read_to_end(&mut rest).is_err());
    assert!(fs::read_dir(&mounted.at).unwrap().next().is_none(), "the directory is free");
}

/// A killed tool leaves a mount without a process behind it; that is said, and how to free it.
#[test]
fn a_mount_that_nobody_answers_for() {
    let room = tree();
    let Some(mut mounted) = Mounted::new(&room, &["-k", "k"], "sealed") else { return };
    mounted.child.kill().unwrap();
    mounted.child.wait().unwrap();
    let at = mounted.at.display();
    let root = rustix::process::geteuid().is_root();
    let free = format!("{} {at}", if root { "umount -l" } else { "fusermount3 -uz" });
    for args in [["sealed", "plain"], ["plain", "sealed"]] {
        room.run([&["mount", "-k", "k"][..], &args].concat(), b"").fails(
            1,
            &format!("still mounted by a program that has ended\n  free it with: {free}\n"),
        );
    }
    room.shell(&free).succeeds();
    fs::remove_dir(&mounted.at).unwrap();
    Mounted::new(&room, &["-k", "k"], "sealed").unwrap().end();
}
