//! Whether what must survive a power failure is waited for: with a library before the system's
//! whose `fsync` fails, whoever asks for it is told so, and whoever does not goes on.

#![cfg(target_os = "linux")]
#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use common::{Outcome, Room, payload_offset};

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

fn library() -> &'static PathBuf {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let (source, library) = (folder.join("failing_sync.c"), folder.join("failing_sync.so"));
        std::fs::write(&source, FAILING).unwrap();
        // The linker that Rust needs is one.
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
        assert!(compiler.status().unwrap().success());
        library
    })
}

fn without_sync(room: &Room, args: &[&str]) -> Outcome {
    let mut command = room.command(args);
    Outcome(command.env("LD_PRELOAD", library()).output().unwrap())
}

const FAILED: &str = "Input/output error";

#[test]
fn a_key_is_on_disk_before_it_is_there() {
    let room = Room::new();
    for kind in ["key-file", "x25519", "hybrid"] {
        without_sync(&room, &["keygen", "--type", kind, "-o", "new"]).fails(1, FAILED);
    }
    assert_eq!(room.names(), ["k"]);
}

#[test]
fn a_file_is_on_disk_before_it_replaces_another() {
    let room = Room::new();
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
    let room = Room::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let sealed = room.seal(b"message");
    for how in [&[][..], &["--new-key"], &["--in-place"]] {
        let args = [&["rekey", "-k", "k", "--to-key", "other"], how, &["c"]].concat();
        without_sync(&room, &args).fails(1, FAILED);
        assert!(room.read("c") == sealed, "{how:?}");
        assert_eq!(room.names(), ["c", "k", "other"], "{how:?}");
    }
    // A copy that is put back stays until that is certain.
    let header = &sealed[..payload_offset(&sealed)];
    room.write("c.header-backup", header);
    without_sync(&room, &["rekey", "--restore", "c"]).fails(1, FAILED);
    assert!(room.read("c.header-backup") == header);
}
