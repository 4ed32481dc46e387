//! Memory stays bounded, whatever the length of the input, the segment size and the threads.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use common::{Room, message};

/// The most memory, in KiB, that the process has had.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Waits for the end of the process, which succeeds; the most memory, in KiB, that it has had when
/// it was last asked.
#[track_caller]
fn watch(mut child: Child) -> u64 {
    let mut most = 0;
    loop {
        most = peak(child.id()).map_or(most, |now| most.max(now));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return most;
        }
        sleep(Duration::from_millis(1));
    }
}

/// Its standard output is read by nobody.
fn alone(mut command: Command) -> Child {
    command.stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn at_most_64_mib() {
    let room = Room::new();
    let part = message(16 << 20);
    for (segment, threads) in [("64KiB", "1"), ("64KiB", "64"), ("4KiB", "4"), ("16MiB", "4")] {
        for verb in ["encrypt", "decrypt"] {
            let input = if verb == "encrypt" {
                part.repeat(12)
            } else {
                let args = ["encrypt", "-k", "k", "--segment-size", segment];
                room.run(args, &part.repeat(12)).succeeds()
            };
            let mut command = room.command([verb, "-k", "k", "--threads", threads]);
            if verb == "encrypt" {
                command.args(["--segment-size", segment]);
            }
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            // The end is kept back, so that the process is still there to be asked.
            let (now, later) = input.split_at(input.len() - 1000);
            stdin.write_all(now).unwrap();
            let kib = peak(child.id()).unwrap();
            stdin.write_all(later).unwrap();
            drop(stdin);
            assert!(child.wait().unwrap().success());
            assert!(kib <= 64 << 10, "{verb}, {segment}, {threads} threads: {kib} KiB");
        }
    }
}

#[test]
fn armour_parts_and_rekeying_are_no_exception() {
    let room = Room::new();
    room.write("m", &message(16 << 20).repeat(12));
    room.run(["keygen", "-o", "other"], b"").succeeds();
    for segment in ["64KiB", "16MiB"] {
        let seal = ["encrypt", "-k", "k", "--segment-size", segment, "-f"];
        room.run([&seal[..], &["-o", "c", "m"]].concat(), b"").succeeds();
        room.run([&seal[..], &["-a", "-o", "a", "m"]].concat(), b"").succeeds();
        let rekey = ["rekey", "--keep", "-k", "k", "--to-key", "other", "c"];
        let anew = ["rekey", "--new-key", "-k", "k", "--to-key", "k", "c"];
        for args in [
            &[&seal[..], &["-a", "m"]].concat()[..],
            &["decrypt", "-k", "k", "a"],
            &["verify", "-k", "k", "a"],
            &["cat", "-k", "k", "c"],
            &rekey,
            &anew,
        ] {
            let kib = watch(alone(room.command(args)));
            assert!(kib > 0 && kib <= 64 << 10, "{args:?}, {segment}: {kib} KiB");
        }
    }
}

/// More than 32 bits can count, of which almost all is a hole.
#[test]
fn more_than_4_gib() {
    const LENGTH: u64 = (5 << 30) + 7;
    /// Across the edge of a segment, and of a piece that is written at a time.
    const AT: u64 = (4 << 30) + (64 << 20) - 6;
    let room = Room::new();
    let disk = rustix::fs::statvfs(room.0.path()).unwrap();
    if disk.f_bavail * disk.f_frsize < 7 << 30 {
        return common::cannot("7 GiB of free disk are needed");
    }
    let file = File::create(room.path("m")).unwrap();
    file.set_len(LENGTH).unwrap();
    file.write_all_at(b"here it is", AT).unwrap();
    // From file to file, at offsets.
    let kib = watch(alone(room.command(["encrypt", "-k", "k", "-o", "c", "m"])));
    assert!(kib <= 64 << 10, "{kib} KiB");
    let kib = watch(alone(room.command(["verify", "-k", "k", "c"])));
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
    let other = std::thread::spawn(move || watch(other));
    assert!(watch(one) <= 64 << 10);
    assert!(other.join().unwrap() <= 64 << 10);
}
