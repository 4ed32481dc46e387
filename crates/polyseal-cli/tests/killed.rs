//! Whatever ends the process leaves nothing behind and touches nothing that was there.

#![cfg(unix)]
#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Instant;

use common::{TestDir, message};
use rustix::process::{Pid, Signal, kill_process};

const SIGNALS: [Signal; 5] = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT];

/// Starts an encryption that has written something and waits for more.
fn half_way(room: &TestDir, named: bool, force: bool) -> (Child, impl Sized) {
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

/// Keys are not written to disk by a crash.
#[cfg(target_os = "linux")]
#[test]
fn there_is_no_core_dump() {
    let room = TestDir::new();
    let (mut child, stdin) = half_way(&room, false, false);
    let limits = fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
}

/// Where a dump goes to a program, the limit is not asked; nor does any other program of the same
/// user get at the memory. The system says so by whose the file `mem` is.
#[cfg(target_os = "linux")]
#[test]
fn no_other_program_of_the_same_user_looks_into_it() {
    let room = TestDir::new();
    let recipient = room.run(["keygen", "-t", "x25519", "-o", "id"], b"").succeeds();
    let recipient = String::from_utf8(recipient).unwrap();
    // Where every user can run it.
    room.shell("cp \"$P\" tool && chmod 755 . tool").succeeds();
    let mut command = Command::new(room.path("tool"));
    command.args(["encrypt", "-r", recipient.trim()]).stdin(Stdio::piped()).stdout(Stdio::null());
    if rustix::process::geteuid().is_root() {
        // All files of root's processes are root's.
        command.uid(65_534).gid(65_534);
    }
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&message(3_000_000)).unwrap();
    let owner = |name: &str| {
        fs::metadata(format!("/proc/{}/{name}", child.id())).map(|metadata| metadata.uid()).unwrap()
    };
    assert_ne!(owner("mem"), owner("."));
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn half_way_through_a_new_file() {
    for signal in SIGNALS {
        let room = TestDir::new();
        let (child, _stdin) = half_way(&room, false, false);
        assert_eq!(room.names(), ["k"], "nothing has a name yet");
        end(child, signal);
        assert_eq!(room.names(), ["k"]);
    }
}

#[test]
fn half_way_through_replacing_a_file() {
    for signal in SIGNALS {
        let room = TestDir::new();
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
        let room = TestDir::new();
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

/// Where the numbers begin that choose the moments.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Runs the tool again and again, each time in the state that `prepare` makes, and kills it at
/// some moment. After each, `finished` asserts that nothing is half-done or lost, and says whether
/// the tool had come to its end.
fn kill_at_any_moment(
    room: &TestDir,
    runs: u32,
    args: &[&str],
    prepare: impl Fn(),
    finished: impl Fn() -> bool,
) {
    prepare();
    let start = Instant::now();
    assert!(room.command(args).output().unwrap().status.success());
    let whole = start.elapsed();
    assert!(finished());
    let (mut state, mut early) = (SEED, 0);
    for run in 0..runs {
        prepare();
        let before = room.names();
        // Numbers that look random, the same ones in every run: xorshift64.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let delay = whole * (state >> 32) as u32 / u32::MAX;
        let signal = if state & 1 == 0 { Signal::KILL } else { Signal::TERM };
        eprintln!("{args:?}, seed {SEED:#x}, run {run}: {signal:?} after {delay:?} of {whole:?}");
        let mut command = room.command(args);
        if signal == Signal::TERM && state & 2 == 0 {
            command.env("POLYSEAL_TEST_NAMED_OUTPUT", "1");
        }
        let mut child = command.spawn().unwrap();
        sleep(delay);
        let _ = kill_process(Pid::from_child(&child), signal);
        let status = child.wait().unwrap();
        let is_left = |name: &String| name.starts_with(".polyseal-") && !before.contains(name);
        let left: Vec<_> = room.names().into_iter().filter(is_left).collect();
        // Between link and rename, a whole new file has a name that nobody removes after SIGKILL.
        assert!(left.len() <= usize::from(signal == Signal::KILL), "{left:?}");
        left.iter().for_each(|name| fs::remove_file(room.path(name)).unwrap());
        let finished = finished();
        assert!(finished || !status.success());
        early += u32::from(!finished);
    }
    assert!(early > 0, "never in time");
}

const LENGTH: usize = 4_000_000;

/// A room with a message `m`, and a key `other`.
fn room() -> (TestDir, Vec<u8>) {
    let room = TestDir::new();
    let message = message(LENGTH);
    room.write("m", &message);
    room.run(["keygen", "-o", "other"], b"").succeeds();
    (room, message)
}

#[test]
fn a_new_file_is_whole_or_not_there() {
    let (room, message) = room();
    room.run(["encrypt", "-k", "k", "-o", "c", "m"], b"").succeeds();
    let remove = |name: &str| drop(fs::remove_file(room.path(name)));
    let encrypt = ["encrypt", "-k", "k", "-o", "out", "m"];
    kill_at_any_moment(
        &room,
        25,
        &encrypt,
        || remove("out"),
        || {
            let there = room.path("out").exists();
            if there {
                room.opens("k", "out", &message);
            }
            there
        },
    );
    let decrypt = ["decrypt", "-k", "k", "-o", "out", "c"];
    kill_at_any_moment(
        &room,
        15,
        &decrypt,
        || remove("out"),
        || {
            let there = room.path("out").exists();
            assert!(!there || room.read("out") == message);
            there
        },
    );
    remove("out");
    assert_eq!(room.names(), ["c", "k", "m", "other"]);
}

#[test]
fn a_replaced_file_is_the_old_or_the_new_one() {
    let (room, message) = room();
    room.run(["encrypt", "-k", "k", "-o", "c", "m"], b"").succeeds();
    let prepare = || room.write("out", b"precious");
    let encrypt = ["encrypt", "-k", "k", "-f", "-o", "out", "m"];
    kill_at_any_moment(&room, 25, &encrypt, prepare, || {
        let replaced = room.read("out") != b"precious";
        if replaced {
            room.opens("k", "out", &message);
        }
        replaced
    });
    let decrypt = ["decrypt", "-k", "k", "-f", "-o", "out", "c"];
    kill_at_any_moment(&room, 15, &decrypt, prepare, || {
        let out = room.read("out");
        assert!(out == b"precious" || out == message);
        out == message
    });
    assert_eq!(room.names(), ["c", "k", "m", "other", "out"]);
}

#[test]
fn a_rekeyed_file_is_the_old_or_the_new_one() {
    let (room, message) = room();
    let old = room.seal(&message);
    for args in [&["rekey"][..], &["rekey", "--new-key"]] {
        let args = [args, &["-k", "k", "--to-key", "other", "c"]].concat();
        kill_at_any_moment(
            &room,
            25,
            &args,
            || room.write("c", &old),
            || {
                let rekeyed = room.read("c") != old;
                if rekeyed {
                    room.opens("other", "c", &message);
                }
                rekeyed
            },
        );
    }
    assert_eq!(room.names(), ["c", "k", "m", "other"]);
}

/// It opens with the old key or the new one, at once or when the copy of the header is put back.
#[test]
fn a_file_rekeyed_in_place_always_opens() {
    let (room, message) = room();
    // The longest header: the system can be interrupted while it writes one.
    let seal = ["encrypt", "-k", "k", "--header-size", "64KiB", "-o", "c", "m"];
    room.run(seal, b"").succeeds();
    let old = room.read("c");
    let payload = common::payload_offset(&old);
    assert_eq!(payload, 64 << 10);
    let restored = Cell::new(0);
    let args = ["rekey", "--in-place", "-k", "k", "--to-key", "other", "c"];
    kill_at_any_moment(
        &room,
        45,
        &args,
        || room.write("c", &old),
        || {
            assert!(room.read("c")[payload..] == old[payload..]);
            if room.path("c.header-backup").exists() {
                let copy = room.read("c.header-backup");
                assert!(copy.len() == 2 * payload && copy.starts_with(&old[..payload]));
                room.run(["rekey", "--restore", "c"], b"").succeeds();
                assert!(room.read("c") == old);
                restored.set(restored.get() + 1);
            }
            let rekeyed = room.read("c") != old;
            room.opens(if rekeyed { "other" } else { "k" }, "c", &message);
            rekeyed
        },
    );
    eprintln!("put back: {}", restored.get());
    assert_eq!(room.names(), ["c", "k", "m", "other"]);
}

#[test]
fn each_of_several_is_whole_or_not_there() {
    let (room, message) = room();
    let outputs: Vec<_> = (0..4).map(|i| format!("m{i}.polyseal")).collect();
    let inputs: Vec<_> = (0..4).map(|i| format!("m{i}")).collect();
    inputs.iter().for_each(|name| room.write(name, &message));
    let mut args = vec!["encrypt", "-k", "k"];
    args.extend(inputs.iter().map(String::as_str));
    let prepare = || outputs.iter().for_each(|name| drop(fs::remove_file(room.path(name))));
    kill_at_any_moment(&room, 25, &args, prepare, || {
        let there: Vec<_> = outputs.iter().filter(|name| room.path(name).exists()).collect();
        for name in &there {
            room.opens("k", name, &message);
        }
        assert!(inputs.iter().all(|name| room.read(name) == message));
        there.len() == outputs.len()
    });
}
