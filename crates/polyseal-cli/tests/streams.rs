//! Standard input and output, in every combination, and readers that go away.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::process::Stdio;

use common::{Room, message};

#[test]
fn pipes_and_files_in_every_combination() {
    let room = Room::new();
    for length in [0, 1, 65_535, 65_536, 65_537, 1 << 20, 3_000_001] {
        let message = message(length);
        room.write("m", &message);
        for threads in ["1", "2", "4"] {
            let run = |verb, name: &str, piped: &[u8], to_file: bool| {
                let mut args = vec![verb, "-k", "k", "--threads", threads];
                if to_file {
                    args.extend(["-f", "-o", "out"]);
                }
                if !name.is_empty() {
                    args.push(name);
                }
                let output = room.run(args, piped).succeeds();
                if to_file { room.read("out") } else { output }
            };
            for to_file in [false, true] {
                for sealed in
                    [run("encrypt", "m", b"", to_file), run("encrypt", "-", &message, to_file)]
                {
                    room.write("c", &sealed);
                    assert!(run("decrypt", "c", b"", to_file) == message);
                    assert!(run("decrypt", "", &sealed, to_file) == message);
                }
            }
        }
    }
}

#[test]
fn standard_input_is_read_from_where_it_stands() {
    let room = Room::new();
    room.write("m", b"skipped, kept");
    let mut file = File::open(room.path("m")).unwrap();
    file.seek(SeekFrom::Start(9)).unwrap();
    let sealed = room.command(["encrypt", "-k", "k"]).stdin(file).output().unwrap();
    assert!(sealed.status.success());
    assert_eq!(room.run(["decrypt", "-k", "k"], &sealed.stdout).succeeds(), b"kept");
}

#[test]
fn standard_output_is_appended_to() {
    let room = Room::new();
    let sealed = room.seal(b", and after");
    room.write("out", b"before");
    let out = File::options().append(true).open(room.path("out")).unwrap();
    let status = room.command(["decrypt", "-k", "k", "c"]).stdout(out).status().unwrap();
    assert!(status.success() && !sealed.is_empty());
    assert_eq!(room.read("out"), b"before, and after");
}

#[test]
fn files_without_a_length_are_read_to_their_end() {
    let room = Room::new();
    let sealed = room.run(["encrypt", "-k", "k", "/proc/cpuinfo"], b"").succeeds();
    let opened = room.run(["decrypt", "-k", "k"], &sealed).succeeds();
    assert!(opened.starts_with(b"processor"));
}

#[test]
fn a_reader_that_goes_away_is_an_io_error() {
    let room = Room::new();
    let sealed = room.seal(&message(5_000_000));
    room.write("m", &message(5_000_000));
    for args in [["encrypt", "-k", "k", "m"], ["decrypt", "-k", "k", "c"]] {
        let mut child = room.command(args).spawn().unwrap();
        let mut first = [0];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        common::Outcome(child.wait_with_output().unwrap()).fails(1, "Broken pipe");
    }
    assert!(!sealed.is_empty());
    // The same for what only prints.
    for args in [&["suites"][..], &["inspect", "c"], &["--help"]] {
        let mut child = room.command(args).spawn().unwrap();
        drop(child.stdout.take());
        let status = child.wait().unwrap();
        assert!(matches!(status.code(), Some(0 | 1)), "{args:?}: {status}");
    }
}

#[test]
fn a_slow_writer_is_waited_for() {
    let room = Room::new();
    let mut child = room.command(["encrypt", "-k", "k"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for part in ["one ", "by ", "one"] {
        stdin.write_all(part.as_bytes()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    drop(stdin);
    let sealed = child.wait_with_output().unwrap().stdout;
    assert_eq!(room.run(["decrypt", "-k", "k"], &sealed).succeeds(), b"one by one");
}

#[test]
fn a_failure_on_a_pipe_is_the_exit_code_and_only_verified_data_is_written() {
    let room = Room::new();
    let message = message(4_000_000);
    let mut sealed = room.seal(&message);
    let at = sealed.len() - 1_000_000;
    sealed[at] ^= 1;
    let outcome = room.run(["decrypt", "-k", "k"], &sealed).fails(3, "is not authentic");
    assert!(message.starts_with(&outcome.0.stdout) && outcome.0.stdout.len() <= 3_000_000);
}
