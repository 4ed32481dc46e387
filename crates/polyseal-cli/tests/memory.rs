//! Memory stays bounded, whatever the length of the input, the segment size and the threads.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use common::{Room, message};

/// The most memory, in KiB, that the process has had.
fn peak(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
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
            let kib = peak(child.id());
            stdin.write_all(later).unwrap();
            drop(stdin);
            assert!(child.wait().unwrap().success());
            assert!(kib <= 64 << 10, "{verb}, {segment}, {threads} threads: {kib} KiB");
        }
    }
}
