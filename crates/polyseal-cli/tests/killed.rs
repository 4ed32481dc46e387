//! Whatever ends the process leaves nothing behind and touches nothing that was there.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Room, message};
use rustix::process::{Pid, Signal, kill_process};

const SIGNALS: [Signal; 5] = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT];

/// Starts an encryption that has written something and waits for more.
fn half_way(room: &Room, named: bool, force: bool) -> (Child, impl Sized) {
    let mut command = room.command(["encrypt", "-k", "k", "-o", "out"]);
    if named {
        command.env("POLYSEAL_TEST_NAMED_OUTPUT", "1");
    }
    if force {
        command.arg("-f");
    }
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&message(3_000_000)).unwrap();
    // It has taken all but what the pipe holds, so the output has been begun.
    (child, stdin)
}

fn end(mut child: Child, signal: Signal) {
    kill_process(Pid::from_child(&child), signal).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(signal.as_raw()), "{status}");
}

#[test]
fn half_way_through_a_new_file() {
    for signal in SIGNALS {
        let room = Room::new();
        let (child, _stdin) = half_way(&room, false, false);
        assert_eq!(room.names(), ["k"], "nothing has a name yet");
        end(child, signal);
        assert_eq!(room.names(), ["k"]);
    }
}

#[test]
fn half_way_through_replacing_a_file() {
    for signal in SIGNALS {
        let room = Room::new();
        room.write("out", b"precious");
        let (child, _stdin) = half_way(&room, false, true);
        end(child, signal);
        assert_eq!(
            (room.names(), room.read("out")),
            (vec!["k".into(), "out".into()], b"precious".to_vec())
        );
    }
}

#[test]
fn half_way_where_outputs_have_names() {
    if !cfg!(debug_assertions) {
        return common::cannot("a release build cannot be made to use named outputs");
    }
    for signal in &SIGNALS[1..] {
        let room = Room::new();
        room.write("out", b"precious");
        let (child, _stdin) = half_way(&room, true, true);
        let names = room.names();
        assert!(names.len() == 3 && names[0].starts_with(".polyseal-"), "{names:?}");
        end(child, *signal);
        assert_eq!(
            (room.names(), room.read("out")),
            (vec!["k".into(), "out".into()], b"precious".to_vec())
        );
    }
}

#[test]
fn at_any_moment() {
    let room = Room::new();
    room.write("m", &message(40_000_000));
    room.write("old", b"precious");
    let start = Instant::now();
    room.run(["encrypt", "-k", "k", "-o", "c", "m"], b"").succeeds();
    let whole = start.elapsed();
    fs::remove_file(room.path("c")).unwrap();
    let (mut early, mut late) = (0, 0);
    for i in 0..40_u32 {
        let signal = if i % 2 == 0 { Signal::KILL } else { Signal::TERM };
        let mut child =
            room.command(["encrypt", "-k", "k", "-f", "-o", "old", "m"]).spawn().unwrap();
        sleep(whole * i / 32);
        let _ = kill_process(Pid::from_child(&child), signal);
        child.wait().unwrap();
        assert_eq!(room.names(), ["k", "m", "old"]);
        // Either what was there, or all of what was to be.
        if room.read("old") == b"precious" {
            early += 1;
        } else {
            late += 1;
            room.run(["decrypt", "-k", "k", "-o", "d", "old"], b"").succeeds();
            assert!(room.read("d") == room.read("m"));
            fs::remove_file(room.path("d")).unwrap();
            room.write("old", b"precious");
        }
    }
    eprintln!("killed in time: {early}, too late: {late}");
    assert!(early > 0);
    sleep(Duration::ZERO);
}
