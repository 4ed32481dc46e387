//! Standard input and output, in every combination, and readers that go away.

#![cfg(unix)]

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::process::Stdio;

use crate::common::{TestDir, message};

#[test]
fn pipes_and_files_in_every_combination() {
    let room = TestDir::new();
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
    let room = TestDir::new();
    room.write("m", b"skipped, kept");
    let mut file = File::open(room.path("m")).unwrap();
    file.seek(SeekFrom::Start(9)).unwrap();
    let sealed = room.command(["encrypt", "-k", "k"]).stdin(file).output().unwrap();
    assert!(sealed.status.success());
    assert_eq!(room.run(["decrypt", "-k", "k"], &sealed.stdout).succeeds(), b"kept");
}

/// As the shell has it: what is not there is not written to, and what is written stays.
#[test]
fn outputs_that_are_descriptors() {
    let room = TestDir::new();
    room.seal(b"message");
    for closed in ["-o /dev/fd/2 2>&-", "-o /dev/fd/2 2<>/dev/null", "-o /dev/stdin <&-"] {
        let code = room.shell(&format!("$P decrypt -k k {closed} c; echo $? >code"));
        assert!(code.0.status.success());
        assert_eq!(room.read("code"), b"2\n", "{closed}");
    }
    for there in ["-o /dev/stderr 2>>log", "-o /proc/thread-self/fd/1 >>log", "-o /dev/fd/2 2>>log"]
    {
        room.write("log", b"before, ");
        room.shell(&format!("$P decrypt -k k {there} c")).succeeds();
        assert_eq!(room.read("log"), b"before, message", "{there}");
    }
}

#[test]
fn standard_output_is_appended_to() {
    let room = TestDir::new();
    let sealed = room.seal(b", and after");
    room.write("out", b"before");
    let out = File::options().append(true).open(room.path("out")).unwrap();
    let status = room.command(["decrypt", "-k", "k", "c"]).stdout(out).status().unwrap();
    assert!(status.success() && !sealed.is_empty());
    assert_eq!(room.read("out"), b"before, and after");
}

#[test]
fn files_without_a_length_are_read_to_their_end() {
    let room = TestDir::new();
    let sealed = room.run(["encrypt", "-k", "k", "/proc/cpuinfo"], b"").succeeds();
    let opened = room.run(["decrypt", "-k", "k"], &sealed).succeeds();
    assert!(opened.starts_with(b"processor"));
}

#[test]
fn a_reader_that_goes_away_is_an_io_error() {
    let room = TestDir::new();
    let sealed = room.seal(&message(5_000_000));
    room.write("m", &message(5_000_000));
    for args in [["encrypt", "-k", "k", "m"], ["decrypt", "-k", "k", "c"]] {
        let mut child = room.command(args).spawn().unwrap();
        let mut first = [0];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        crate::common::Outcome(child.wait_with_output().unwrap()).fails(1, "Broken pipe");
    }
    assert!(!sealed.is_empty());
    // The same for commands that only print.
    for args in [&["suites"][..], &["inspect", "c"], &["--help"]] {
        let mut child = room.command(args).spawn().unwrap();
        drop(child.stdout.take());
        let status = child.wait().unwrap();
        assert!(matches!(status.code(), Some(0 | 1)), "{args:?}: {status}");
    }
}

#[test]
fn a_slow_writer_is_waited_for() {
    let room = TestDir::new();
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
    let room = TestDir::new();
    let message = message(4_000_000);
    let mut sealed = room.seal(&message);
    let at = sealed.len() - 1_000_000;
    sealed[at] ^= 1;
    let outcome = room.run(["decrypt", "-k", "k"], &sealed).fails(3, "is not authentic");
    assert!(message.starts_with(&outcome.0.stdout) && outcome.0.stdout.len() <= 3_000_000);
}

/// A file that grows while it is read is encrypted as it was at first.
#[test]
fn a_log_that_grows() {
    let room = TestDir::new();
    let message = message(3_000_000);
    for (more, code) in [(&[][..], 1), (&["--allow-changed"][..], 0)] {
        room.write("log", &message);
        let args = [&["encrypt", "-k", "k", "log"], more].concat();
        let mut child = room.command(args).spawn().unwrap();
        // Some of the payload is there, and the tool waits for the rest to be read.
        let (mut stdout, mut sealed) = (child.stdout.take().unwrap(), vec![0; 5000]);
        stdout.read_exact(&mut sealed).unwrap();
        let mut log = File::options().append(true).open(room.path("log")).unwrap();
        log.write_all(b"another line\n").unwrap();
        stdout.read_to_end(&mut sealed).unwrap();
        let outcome = crate::common::Outcome(child.wait_with_output().unwrap());
        let said = "it grew while it was read";
        assert_eq!(outcome.0.status.code(), Some(code));
        assert_eq!(outcome.errors().contains(said), code == 1, "{}", outcome.errors());
        room.write("sealed", &sealed);
        room.opens("k", "sealed", &message);
    }
}

#[test]
fn armour_arrives_in_any_pieces() {
    let room = TestDir::new();
    let message = message(10_000);
    let armoured = room.run(["encrypt", "-a", "-k", "k"], &message).succeeds();
    let text = String::from_utf8(armoured).unwrap();
    let other_ends = format!("\r\n \t{}\n\n", text.replace('\n', "\r\n"));
    for text in [&text, &other_ends] {
        for sizes in [&[1][..], &[2, 3, 5], &[64, 65], &[66], &[1, 4096], &[1_000_000]] {
            let command = &mut room.command(["decrypt", "-k", "k"]);
            let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let (mut rest, mut sizes) = (text.as_bytes(), sizes.iter().cycle());
            while !rest.is_empty() {
                let piece = rest.len().min(*sizes.next().unwrap());
                stdin.write_all(&rest[..piece]).unwrap();
                rest = &rest[piece..];
            }
            drop(stdin);
            let opened = crate::common::Outcome(child.wait_with_output().unwrap()).succeeds();
            assert!(opened == message);
        }
    }
}

/// A file may begin as armour may, with a dash or white space, and be none.
#[test]
fn what_only_begins_as_armour_is_no_file_of_ours() {
    let room = TestDir::new();
    for (text, says) in [
        ("\n\nattack at dawn\n", "not a Polyseal file"),
        ("- a list\n", "not a Polyseal file"),
        (" ", "not a Polyseal file"),
        ("-----BEGIN POLYSEAL FILE-----\nattack\n", "line 2 of the armour"),
    ] {
        room.write("c", text.as_bytes());
        for args in [&["decrypt", "-k", "k"][..], &["verify", "-k", "k"], &["inspect"]] {
            room.run([args, &["c"]].concat(), b"").fails(3, says);
        }
    }
}

#[test]
fn armour_and_what_it_holds_are_the_same_file() {
    let room = TestDir::new();
    for length in [0, 1, 47, 48, 49, 100_000, 3_000_001] {
        let message = message(length);
        room.write("m", &message);
        for (how, name) in [("-o", "a"), ("--output", "-")] {
            let piped =
                room.run(["encrypt", "-a", "-k", "k", "-f", how, name, "m"], b"").succeeds();
            if name == "-" {
                room.write("a", &piped);
            }
            assert!(room.read("a").ends_with(b"-----END POLYSEAL FILE-----\n"));
            room.opens("k", "a", &message);
            assert!(room.run(["decrypt", "-k", "k"], &room.read("a")).succeeds() == message);
            room.run(["decrypt", "-k", "k", "-f", "-o", "d", "a"], b"").succeeds();
            assert!(room.read("d") == message);
            let shown = room.run(["verify", "-k", "k", "a"], b"").succeeds();
            let expected = format!("a: whole and authentic, {length} bytes\n");
            assert_eq!(String::from_utf8(shown).unwrap(), expected);
        }
    }
}

#[test]
fn armour_that_is_cut_short_gives_no_file() {
    let room = TestDir::new();
    room.write("old", b"precious");
    let armoured = room.run(["encrypt", "-a", "-k", "k"], &message(200_000)).succeeds();
    let end = armoured.len();
    let mut cuts = vec![1, 10, 29, 30, 31, 95, 5_000, 6_000, end / 2, end - 100];
    // Anywhere in the last line but at its own end.
    cuts.extend(end - 30..end - 1);
    for cut in cuts {
        let run = |args: &[&str]| {
            let args = [&["decrypt", "-k", "k"], args].concat();
            room.run(args, &armoured[..cut])
        };
        run(&["-o", "new"]).fails(3, "");
        run(&["-f", "-o", "old"]).fails(3, "");
        assert_eq!(room.names(), ["k", "old"], "{cut}");
        assert_eq!(room.read("old"), b"precious");
    }
    for more in ["x", "\nx", "-----BEGIN POLYSEAL FILE-----\n"] {
        let twice = [&armoured[..], more.as_bytes()].concat();
        room.run(["decrypt", "-k", "k", "-o", "new"], &twice).fails(3, "");
        assert_eq!(room.names(), ["k", "old"]);
    }
}

/// One that fails keeps no other from being done; the exit code is that of the gravest failure.
#[test]
fn bad_ones_of_several_inputs_give_nothing() {
    let room = TestDir::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let message = message(200_000);
    for name in ["a", "b", "c", "d"] {
        room.write(name, &message);
    }
    room.run(["encrypt", "-k", "k", "a", "b", "c"], b"").succeeds();
    room.run(["encrypt", "-k", "other", "-o", "d.polyseal", "d"], b"").succeeds();
    let mut damaged = room.read("b.polyseal");
    damaged[150_000] ^= 1;
    room.write("b.polyseal", &damaged);
    std::fs::create_dir(room.path("out")).unwrap();
    let bad = |names: &[&str], code: i32| {
        let files: Vec<_> = names.iter().map(|name| format!("{name}.polyseal")).collect();
        let files: Vec<_> = files.iter().map(String::as_str).collect();
        let decrypt = ["decrypt", "-k", "k", "-o", "out"];
        let outcome = room.run([&decrypt[..], &files].concat(), b"").fails(code, "polyseal: ");
        for name in names {
            let told = outcome.errors().contains(&format!("{name}.polyseal: "));
            assert_eq!(told, !["a", "c"].contains(name), "{}", outcome.errors());
        }
        let failed = names.iter().filter(|name| !["a", "c"].contains(name));
        let failed: Vec<_> = failed.map(|name| format!("{name}.polyseal")).collect();
        let last = format!(
            "polyseal: {} of {} files failed\n  {}\n",
            failed.len(),
            names.len(),
            failed.join(", ")
        );
        assert!(outcome.errors().ends_with(&last), "{}", outcome.errors());
        assert_eq!(crate::common::names(&room.path("out")), ["a", "c"]);
        for name in ["out/a", "out/c"] {
            assert!(room.read(name) == message);
            std::fs::remove_file(room.path(name)).unwrap();
        }
        let verify = room.run([&["verify", "-k", "k"][..], &files].concat(), b"");
        let verify = verify.fails(code, "polyseal: ");
        let shown = String::from_utf8(verify.0.stdout).unwrap();
        assert_eq!(shown.matches("whole and authentic, 200000 bytes").count(), 2);
    };
    bad(&["a", "b", "c"], 3);
    bad(&["b", "d", "a", "c"], 3);
    bad(&["d", "a", "c", "b"], 3);
    bad(&["absent", "b", "a", "c"], 3);
    bad(&["absent", "a", "c", "d"], 4);
    bad(&["absent", "a", "c"], 1);
}

/// A closed standard input is no empty message. A closed standard output is reported, and is no
/// error: other programs start the tool so if they do not want its output.
#[test]
fn closed_streams() {
    let room = TestDir::new();
    room.write("m", b"message");
    room.seal(b"message");
    for line in [
        "encrypt -k k -o new <&-",
        "encrypt -k k -o new /dev/stdin <&-",
        "encrypt -k k -o new /dev/fd/0 <>/dev/null",
        "decrypt -k k <&-",
        "verify -k k <&-",
    ] {
        room.shell(&format!("$P {line}")).fails(2, "standard input is closed");
    }
    for line in [
        "encrypt -k k m",
        "decrypt -k k c",
        "decrypt -k k -o - c",
        "decrypt -k k -f -o /dev/fd/1 c",
    ] {
        for nowhere in [">&-", "1<>/dev/null"] {
            let outcome = room.shell(&format!("$P {line} {nowhere}"));
            let lost = "polyseal: warning: standard output is closed, or is /dev/null: the \
                        output is lost\n";
            assert_eq!((outcome.0.status.code(), &*outcome.errors()), (Some(0), lost), "{line}");
        }
        // Nowhere can be meant; and an error is one all the same.
        assert_eq!(room.shell(&format!("$P {line} >/dev/null")).errors(), "", "{line}");
        room.shell(&format!("$P {} 1<>/dev/null", line.replace(" k ", " m "))).fails(2, "m: ");
    }
    assert_eq!(room.names(), ["c", "k", "m"]);
    // A command that needs neither is not asked for them; and nothing and nowhere can be meant.
    for line in [
        "encrypt -k k -o new m <&- >&-",
        "encrypt -k k -o new -f < /dev/null",
        "decrypt -k k -o m -f new <&- >&-",
        "decrypt -k k new > /dev/null",
        "decrypt -k k -o /dev/null new >&-",
        // Messages alone may go to nobody.
        "verify -k k new <>/dev/null >&0",
        "keygen -t x25519 -o id >&-",
    ] {
        room.shell(&format!("$P {line}")).succeeds();
    }
    assert_eq!(room.read("m"), b"");
}
