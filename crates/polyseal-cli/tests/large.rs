//! Files that are longer than 32 bits can count, and trees of many. Takes 7 GiB of disk, and so
//! long that it is in `make test-all` only.

#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::thread::spawn;

use crate::common::{TestDir, watch};

/// Almost all of it is a hole.
#[test]
fn more_than_4_gib() {
    const LENGTH: u64 = (5 << 30) + 7;
    /// Across the edge of a segment, and of a piece that is written at a time.
    const AT: u64 = (4 << 30) + (64 << 20) - 6;
    let room = TestDir::new();
    let disk = rustix::fs::statvfs(room.0.path()).unwrap();
    if disk.f_bavail * disk.f_frsize < 7 << 30 {
        return crate::common::cannot("7 GiB of free disk are needed");
    }
    let file = File::create(room.path("m")).unwrap();
    file.set_len(LENGTH).unwrap();
    file.write_all_at(b"here it is", AT).unwrap();
    // From file to file, at offsets.
    let kib = watch(room.command(["encrypt", "-k", "k", "-o", "c", "m"]).spawn().unwrap());
    assert!(kib <= 64 << 10, "{kib} KiB");
    let kib = watch(room.command(["verify", "-k", "k", "c"]).spawn().unwrap());
    assert!(kib <= 64 << 10, "{kib} KiB");
    let cat = |range: String| room.run(["cat", "-k", "k", "--range", &range, "c"], b"").succeeds();
    assert_eq!(cat(format!("{AT}-{}", AT + 9)), b"here it is");
    assert_eq!(cat(format!("{}-{}", AT - 3, AT + 3)), b"\0\0\0here");
    assert_eq!(cat(format!("-{}", LENGTH - AT))[..10], *b"here it is");
    assert_eq!(cat(format!("{}-", LENGTH - 2)), [0, 0]);
    room.run(["cat", "-k", "k", "--range", &format!("{LENGTH}-"), "c"], b"")
        .fails(2, &format!("the range begins after the end: there are {LENGTH} bytes"));
    fs::remove_file(room.path("c")).unwrap();
    // Through pipes, in order.
    let input = File::open(room.path("m")).unwrap();
    let mut one = room.command(["encrypt", "-k", "k"]).stdin(input).spawn().unwrap();
    let mut other = room.command(["verify", "-k", "k"]);
    let other = other.stdin(one.stdout.take().unwrap()).spawn().unwrap();
    let other = spawn(move || watch(other));
    assert!(watch(one) <= 64 << 10);
    assert!(other.join().unwrap() <= 64 << 10);
}

#[test]
fn ten_thousand_files_are_rekeyed_though_the_run_is_killed() {
    crate::common::rekey_a_tree_and_be_killed(10_000, &[]);
    crate::common::rekey_a_tree_and_be_killed(10_000, &["--in-place"]);
}
