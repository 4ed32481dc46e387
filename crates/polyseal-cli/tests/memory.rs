//! Memory stays bounded, whatever the length of the input, the segment size and the threads.

#![cfg(unix)]

use std::io::Write;
use std::process::Stdio;

use crate::common::{TestDir, alone, message, peak, watch};

#[test]
fn at_most_64_mib() {
    let room = TestDir::new();
    let part = message(16 << 20);
    for (segment, threads) in [("64KiB", "1"), ("64KiB", "64"), ("4KiB", "4"), ("16MiB", "4")] {
        for verb in ["encrypt", "decrypt"] {
            let input = if verb == "encrypt" {
                part.repeat(6)
            } else {
                let args = ["encrypt", "-k", "k", "--segment-size", segment];
                room.run(args, &part.repeat(6)).succeeds()
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
    let room = TestDir::new();
    room.write("m", &message(16 << 20).repeat(6));
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
