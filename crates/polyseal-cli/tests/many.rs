//! Many files in one run: lists of names, what is told of each, and that a long list costs no more
//! than a short one.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Stdio};

use crate::common::{Outcome, TestDir, message};

fn lines(outcome: &Outcome) -> Vec<serde_json::Value> {
    let text = String::from_utf8(outcome.0.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_list_has_lines_or_ends_names_with_nul() {
    let room = TestDir::new();
    let names = [&b"a"[..], b"two words", b"\xff\xfe", b"line\nfeed"];
    for name in names {
        fs::write(room.0.path().join(std::ffi::OsStr::from_bytes(name)), name).unwrap();
    }
    let list = names[..3].join(&b'\n');
    room.run(["encrypt", "-k", "k", "--files-from", "-"], &list).succeeds();
    room.write("list", &names[3..].join(&0));
    room.run(["encrypt", "-k", "k", "-0", "--files-from", "list"], b"").succeeds();
    let sealed: Vec<u8> = names.iter().flat_map(|n| [n, &b".polyseal\0"[..]].concat()).collect();
    fs::create_dir(room.path("out")).unwrap();
    let args = ["decrypt", "-k", "k", "--null", "--files-from", "-", "-o", "out", "--json"];
    let outcome = room.run(args, &sealed);
    let told = lines(&outcome);
    assert!(told.iter().all(|line| line["outcome"] == "decrypted"), "{told:?}");
    assert_eq!(told[2]["path_hex"], "fffe2e706f6c797365616c");
    assert_eq!((&told[1]["path"], &told[1]["bytes"]), (&"two words.polyseal".into(), &9.into()));
    for name in names {
        let opened = room.path("out").join(std::ffi::OsStr::from_bytes(name));
        assert_eq!(fs::read(opened).unwrap(), name);
    }
}

#[test]
fn with_a_list_outputs_keep_their_paths() {
    let room = TestDir::new();
    fs::create_dir_all(room.path("a/b")).unwrap();
    fs::create_dir(room.path("out")).unwrap();
    room.write("a/b/m", b"message");
    room.write("a/m", b"other");
    let encrypt = ["encrypt", "-k", "k", "--files-from", "-", "-o", "out"];
    room.run(encrypt, b"a/b/m\n./a//m\n").succeeds();
    room.opens("k", "out/a/b/m.polyseal", b"message");
    room.opens("k", "out/a/m.polyseal", b"other");
    let again = room.run(encrypt, b"a/m\n");
    again.fails(2, "already exists");
    let outside = format!("../x\n{}\n", room.path("a/m").display());
    let outcome = room.run(encrypt, outside.as_bytes()).fails(2, "leads out of this directory");
    assert!(outcome.errors().contains("2 of 2 files failed"));
}

/// The output of one input is not replaced by another's.
#[test]
fn with_force_two_inputs_have_no_output_in_common() {
    let room = TestDir::new();
    room.seal(b"message");
    fs::rename(room.path("c"), room.path("m.polyseal")).unwrap();
    fs::copy(room.path("m.polyseal"), room.path("m.age")).unwrap();
    let decrypt = ["decrypt", "-f", "-k", "k", "--jobs", "1", "--files-from", "-"];
    let list = b"m.polyseal\nm.age\n";
    room.run(decrypt, list).fails(2, "m.age would have the output of another input");
    assert_eq!(room.read("m"), b"message");
}

#[test]
fn json_tells_of_each_in_the_order_of_the_list() {
    let room = TestDir::new();
    let names: Vec<_> = (0..50).map(|i| format!("m{i}")).collect();
    for (i, name) in names.iter().enumerate().filter(|(i, _)| i % 7 != 3) {
        room.write(name, &vec![0; 10_000 * (50 - i)]);
    }
    let args = [&["encrypt", "-k", "k", "--json", "--jobs", "4"][..]].concat();
    let list = names.join("\n");
    let outcome = room.run([&args[..], &["--files-from", "-"]].concat(), list.as_bytes());
    let outcome = outcome.fails(1, "7 of 50 files failed\n  m3, m10, m17");
    for (i, line) in lines(&outcome).iter().enumerate() {
        assert_eq!(line["path"], names[i]);
        if i % 7 == 3 {
            assert_eq!((&line["outcome"], &line["code"]), (&"failed".into(), &1.into()));
            assert!(line["error"].as_str().unwrap().contains("No such file"));
        } else {
            assert_eq!(line["bytes"], 10_000 * (50 - i));
        }
    }
    let outcome = room.run(["encrypt", "-k", "k", "--json", "m0"], b"");
    outcome.fails(2, "cannot both go to standard output");
}

#[test]
fn failures_are_told_at_length_up_to_a_hundred() {
    let room = TestDir::new();
    let list: String = (0..500).map(|i| format!("absent{i}\n")).collect();
    let outcome = room.run(["verify", "-k", "k", "--files-from", "-"], list.as_bytes());
    let errors = outcome.fails(1, "500 of 500 files failed").errors();
    assert_eq!(errors.matches("cannot read").count(), 100);
    assert!(errors.ends_with("absent9 and 490 more\n"), "{errors}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let room = TestDir::new();
    room.write("m", b"message");
    for args in [
        &["--files-from", "k", "m"][..],
        &["--files-from", "k", "--recursive"],
        &["-0", "m"],
        &["--null"],
        &["--jobs", "0", "m"],
        &["--exclude", "[", "m"],
    ] {
        room.run([&["encrypt", "-k", "k"], args].concat(), b"").fails(2, "");
    }
    let long = vec![b'a'; 70_000];
    room.run(["verify", "-k", "k", "--files-from", "-"], &long).fails(2, "too long");
    // A list and a passphrase cannot both come from one stream.
    let args = ["verify", "--passphrase-fd", "0", "--files-from", "-"];
    room.run(args, b"attack\n").fails(2, "one stream");
    assert_eq!(room.names(), ["k", "m"]);
}

#[test]
fn what_is_excluded_is_left_out() {
    let room = TestDir::new();
    for name in ["a.txt", "b.txt", "c"] {
        room.write(name, b"message");
    }
    let args = ["encrypt", "-k", "k", "--exclude", "*.txt", "--files-from", "-"];
    room.run(args, b"a.txt\nb.txt\nc\n").succeeds();
    assert_eq!(room.names(), ["a.txt", "b.txt", "c", "c.polyseal", "k"]);
}

#[cfg(target_os = "linux")]
struct State {
    descriptors: usize,
    threads: usize,
    kib: u64,
}

/// The tool after so many files, when it waits for more names.
#[cfg(target_os = "linux")]
fn after(room: &TestDir, files: usize) -> State {
    let mut command = room.command(["encrypt", "-k", "k", "--json", "--jobs", "2"]);
    command.args(["--files-from", "-"]).env("POLYSEAL_TEST_NAMED_OUTPUT", "1");
    let mut child: Child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let told = BufReader::new(child.stdout.take().unwrap());
    let names = std::thread::spawn(move || {
        for i in 0..files {
            writeln!(stdin, "m{i}").unwrap();
        }
        stdin
    });
    assert_eq!(
        told.lines().take(files).filter(|l| l.as_ref().unwrap().contains("encrypted")).count(),
        files
    );
    // The descriptors themselves only root may see: this is how many there is room for, in steps.
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let count = |what: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
        line.trim().parse().unwrap()
    };
    let kib = crate::common::peak(child.id()).unwrap();
    let state = State { descriptors: count("FDSize:"), threads: count("Threads:"), kib };
    drop(names.join().unwrap());
    child.wait().unwrap();
    state
}

/// Neither descriptors nor threads nor what signals have to undo pile up, also where each output
/// has a name from the start.
#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_files_leave_no_more_behind_than_ten() {
    let room = TestDir::new();
    (0..10_010).for_each(|i| room.write(&format!("m{i}"), b"message"));
    let few = after(&room, 10);
    (0..10).for_each(|i| fs::remove_file(room.path(&format!("m{i}.polyseal"))).unwrap());
    let many = after(&room, 10_000);
    assert_eq!((many.descriptors, many.threads), (few.descriptors, few.threads));
    // As many results wait as may.
    assert!(many.kib < few.kib + 3000, "{} KiB, then {}", few.kib, many.kib);
}

#[test]
fn several_are_rekeyed_and_a_second_run_says_what_is_done() {
    let room = TestDir::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    room.run(["keygen", "-o", "third"], b"").succeeds();
    let names = ["a", "b", "c"];
    for name in names {
        room.seal(name.as_bytes());
        fs::rename(room.path("c"), room.path(&format!("{name}.polyseal"))).unwrap();
    }
    let args = ["rekey", "-k", "k", "--to-key", "other", "--json"];
    room.run([&args[..], &["b.polyseal"]].concat(), b"");
    let third = ["rekey", "-k", "other", "--to-key", "third", "b.polyseal"];
    for how in [&["--in-place"][..], &[], &["--new-key"]] {
        let list = b"a.polyseal\nb.polyseal\nabsent\nc.polyseal\n";
        let args = [&args[..], how, &["--files-from", "-"]].concat();
        let outcomes = |outcome: &Outcome| {
            let told = lines(outcome);
            told.iter().map(|line| line["outcome"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let first = room.run(&args, list).fails(1, "1 of 4 files failed\n  absent");
        assert_eq!(outcomes(&first), ["rekeyed", "already", "failed", "rekeyed"], "{how:?}");
        let second = room.run(&args, list).fails(1, "1 of 4 files failed\n  absent");
        assert_eq!(outcomes(&second), ["already", "already", "failed", "already"], "{how:?}");
        for name in names {
            room.opens("other", &format!("{name}.polyseal"), name.as_bytes());
            if name != "b" {
                let back = format!("{name}.polyseal");
                room.run(["rekey", "-k", "other", "--to-key", "k", &back], b"");
            }
        }
    }
    assert!(room.run(third, b"").0.status.success());
    room.run([&args[..], &["a.polyseal", "b.polyseal"]].concat(), b"")
        .fails(4, "1 of 2 files failed\n  b.polyseal");
}

#[test]
fn several_copies_of_headers_are_put_back() {
    let room = TestDir::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let mut list = String::new();
    for name in ["a", "b"] {
        let old = room.seal(b"message");
        room.run(["rekey", "--in-place", "-k", "k", "--to-key", "other", "c"], b"");
        let new = room.read("c");
        let offset = crate::common::payload_offset(&old);
        room.write(name, &new);
        room.write(&format!("{name}.header-backup"), &[&old[..offset], &new[..offset]].concat());
        list += &format!("{name}\n");
    }
    let shown = room.run(["rekey", "--restore", "--files-from", "-"], list.as_bytes()).succeeds();
    assert_eq!(String::from_utf8_lossy(&shown).matches("has been put back").count(), 2);
    room.opens("k", "a", b"message");
    room.opens("k", "b", b"message");
}

/// Without threads, one does all of it, with the same result.
#[test]
fn where_no_thread_can_be_started_all_is_done() {
    let room = TestDir::new();
    room.run(["keygen", "-o", "k2"], b"").succeeds();
    fs::create_dir(room.path("d")).unwrap();
    let names: Vec<_> = (0..40).map(|i| format!("d/m{i}")).collect();
    names.iter().for_each(|name| room.write(name, &message(100_000)));
    room.write("large", &message(20 << 20));
    room.write(
        "list",
        names.iter().map(|name| format!("{name}.polyseal\n")).collect::<String>().as_bytes(),
    );
    let run = |args: &[&str]| {
        let mut command = room.command(args);
        // No address space has room for such a stack.
        command.env("RUST_MIN_STACK", (1_u64 << 50).to_string());
        let done = Outcome(command.output().unwrap());
        assert!(done.0.status.success(), "{args:?}: {}", done.errors());
    };
    run(&["encrypt", "-k", "k", "--threads", "4", "-o", "c", "large"]);
    run(&["decrypt", "-k", "k", "--threads", "4", "-o", "large2", "c"]);
    assert!(room.read("large2") == message(20 << 20));
    let named: Vec<_> = names.iter().map(String::as_str).collect();
    run(&[&["encrypt", "-k", "k", "--jobs", "4"], &named[..]].concat());
    run(&["verify", "-k", "k", "--jobs", "4", "--files-from", "list"]);
    run(&["rekey", "-k", "k", "--to-key", "k2", "--files-from", "list"]);
    run(&["rekey", "--in-place", "-k", "k2", "--to-key", "k", "--files-from", "list"]);
    run(&["encrypt", "-k", "k", "--recursive", "-o", "s", "d"]);
    run(&["decrypt", "-k", "k", "--recursive", "-o", "d2", "s"]);
    for name in names {
        assert!(room.read(&format!("d2/{}", &name[2..])) == message(100_000), "{name}");
        let sealed = room.read(&format!("{name}.polyseal"));
        assert!(room.run(["decrypt", "-k", "k"], &sealed).succeeds() == message(100_000));
    }
}
