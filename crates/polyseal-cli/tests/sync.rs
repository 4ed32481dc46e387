//! Whether data that must survive a power failure is waited for: with a library before the system's
//! whose `fsync` fails, a user who asks for it is told so, and one who does not goes on.

#![cfg(target_os = "linux")]
#![cfg(unix)]

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::common::{Outcome, TestDir, payload_offset};
use rustix::io::Errno;

/// Directories can be synchronised nevertheless: not every file system lets them be, and nobody
/// relies on it.
const FAILING: &str = "
#include <errno.h>
#include <sys/stat.h>
int fsync(int fd)
{
    struct stat file;
    if (fstat(fd, &file) == 0 && S_ISDIR(file.st_mode)) return 0;
    errno = EIO;
    return -1;
}
";

/// As a server of files answers that keeps no locks, or only for who can write.
const NO_LOCKS: &str = "
#include <errno.h>
#include <stdlib.h>
int flock(int fd, int operation)
{
    errno = atoi(getenv(\"FLOCK_ERRNO\"));
    return -1;
}
";

/// `source`, compiled to stand before the system's library.
fn library(name: &str, source: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (file, library) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
    std::fs::write(&file, source).unwrap();
    // The linker that Rust needs is one.
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&file);
    assert!(compiler.status().unwrap().success());
    library
}

fn without_sync(room: &TestDir, args: &[&str]) -> Outcome {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| library("failing_sync", FAILING));
    let mut command = room.command(args);
    Outcome(command.env("LD_PRELOAD", library).output().unwrap())
}

#[test]
fn a_file_that_cannot_be_locked_is_rekeyed_and_that_is_said() {
    let library = library("no_locks", NO_LOCKS);
    let room = TestDir::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let rekey = |errno: Errno| {
        room.seal(b"message");
        let mut command = room.command(["rekey", "-k", "k", "--to-key", "other", "c"]);
        command.env("LD_PRELOAD", &library).env("FLOCK_ERRNO", errno.raw_os_error().to_string());
        Outcome(command.output().unwrap())
    };
    for errno in [Errno::NOLCK, Errno::BADF, Errno::OPNOTSUPP, Errno::NOSYS] {
        let outcome = rekey(errno);
        assert!(outcome.0.status.success(), "{}", outcome.errors());
        assert!(outcome.errors().contains("c cannot be locked where it is"), "{errno:?}");
        room.opens("other", "c", b"message");
    }
    rekey(Errno::IO).fails(1, "cannot lock c");
    room.opens("k", "c", b"message");
}

const FAILED: &str = "Input/output error";

#[test]
fn a_key_is_on_disk_before_it_is_there() {
    let room = TestDir::new();
    for kind in ["key-file", "x25519", "hybrid"] {
        without_sync(&room, &["keygen", "--type", kind, "-o", "new"]).fails(1, FAILED);
    }
    assert_eq!(room.names(), ["k"]);
}

#[test]
fn a_file_is_on_disk_before_it_replaces_another() {
    let room = TestDir::new();
    room.write("m", b"message");
    without_sync(&room, &["encrypt", "-k", "k", "-o", "new", "m"]).succeeds();
    room.opens("k", "new", b"message");
    room.write("old", b"precious");
    without_sync(&room, &["encrypt", "-k", "k", "-f", "-o", "old", "m"]).fails(1, FAILED);
    without_sync(&room, &["decrypt", "-k", "k", "-f", "-o", "old", "new"]).fails(1, FAILED);
    assert_eq!(room.read("old"), b"precious");
    assert_eq!(room.names(), ["k", "m", "new", "old"]);
}

#[test]
fn a_header_is_on_disk_twice_before_it_is_replaced() {
    let room = TestDir::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let sealed = room.seal(b"message");
    for how in [&[][..], &["--new-key"], &["--in-place"]] {
        let args = [&["rekey", "-k", "k", "--to-key", "other"], how, &["c"]].concat();
        without_sync(&room, &args).fails(1, FAILED);
        assert!(room.read("c") == sealed, "{how:?}");
        assert_eq!(room.names(), ["c", "k", "other"], "{how:?}");
    }
    // In a tree, no file is.
    room.run(["keygen", "-o", "third"], b"").succeeds();
    room.shell("mkdir d && cp c d/1 && cp c d/2").succeeds();
    room.run(["encrypt", "-k", "k", "--recursive", "-o", "s", "d"], b"").succeeds();
    let all = "cd s && find . -type f | sort | xargs sha256sum";
    let before = room.shell(all).succeeds();
    for how in [&[][..], &["--in-place"]] {
        let args = [&["rekey", "-k", "k", "--to-key", "other", "--recursive", "s"], how].concat();
        without_sync(&room, &args).fails(1, FAILED).fails(1, "2 of 2 files failed");
        assert!(room.shell(all).succeeds() == before, "{how:?}");
    }
    // A copy that is put back stays until that is certain.
    let header = &sealed[..payload_offset(&sealed)];
    let copy = [header, header].concat();
    room.write("c.header-backup", &copy);
    without_sync(&room, &["rekey", "--restore", "c"]).fails(1, FAILED);
    assert!(room.read("c.header-backup") == copy);
}
