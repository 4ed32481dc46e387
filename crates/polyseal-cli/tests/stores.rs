//! The tool on objects of a real S3 server, Versity's gateway on this machine: `make test-all
//! ONLY=stores` builds and names it (`POLYSEAL_VERSITYGW`).

#![cfg(unix)]

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::bucket::BucketFixture;
use crate::common::{Outcome, TestDir};
use crate::pages::commands::run_in;
use crate::web::Web;

fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i % 251 + i / 65_536) as u8).collect()
}

#[test]
fn objects_are_written_and_read_where_files_are() {
    let place = BucketFixture::new();
    // In one request, and in parts of 16 MiB.
    for bytes in [0, 1000, 40 << 20] {
        let text = message(bytes);
        place.room.write("m", &text);
        let run = |args: &[&str]| place.run(args).succeeds();
        run(&["encrypt", "-k", "k", "m", "-f", "-o", "s3://bucket/d/c"]);
        // It is the file that the tool writes elsewhere.
        fs::copy(place.stored("d/c"), place.room.path("c")).unwrap();
        place.room.opens("k", "c", &text);

        assert!(run(&["decrypt", "-k", "k", "s3://bucket/d/c"]) == text);
        let verified = String::from_utf8(run(&["verify", "-k", "k", "s3://bucket/d/c"])).unwrap();
        assert_eq!(verified, format!("s3://bucket/d/c: whole and authentic, {bytes} bytes\n"));
        let inspected = String::from_utf8(run(&["inspect", "s3://bucket/d/c"])).unwrap();
        assert!(inspected.contains(&format!("plaintext       {bytes} bytes\n")), "{inspected}");
        // From one object to another.
        run(&["decrypt", "-k", "k", "s3://bucket/d/c", "-f", "-o", "s3://bucket/plain"]);
        assert!(fs::read(place.stored("plain")).unwrap() == text);
        run(&["encrypt", "-k", "k", "s3://bucket/plain", "-f", "-o", "c"]);
        place.room.opens("k", "c", &text);
    }
    let text = message(40 << 20);
    let part = place.run(&["cat", "-k", "k", "s3://bucket/d/c", "--range", "3000000-19999999"]);
    assert!(part.succeeds() == text[3_000_000..20_000_000]);
    assert!(
        place.run(&["cat", "-k", "k", "s3://bucket/d/c", "--range=-5"]).succeeds()
            == text[text.len() - 5..]
    );
    // Several, each beside its input.
    place.run(&["encrypt", "-k", "k", "s3://bucket/plain", "m"]).succeeds();
    assert!(place.stored("plain.polyseal").exists());
    place.room.opens("k", "m.polyseal", &text);
}

#[test]
fn the_commands_of_the_page() {
    let place = BucketFixture::new();
    place.server.bucket("backups");
    place.room.write("photos.tar", &message(10_000));
    fs::create_dir(place.room.path("album")).unwrap();
    place.room.write("album/one", b"picture");
    for key in ["backup.key", "new.key"] {
        place.run(&["keygen", "-o", key]).succeeds();
    }
    let room = place.room.path("");
    let commands = run_in(&room, "docs/stores.md", &place.server.environment());
    assert_eq!(commands, 6);
    assert_eq!(fs::read(room.join("restored/one")).unwrap(), b"picture");
}

#[test]
fn an_object_is_replaced_only_if_that_is_asked_for() {
    let place = BucketFixture::new();
    place.room.write("m", b"new");
    fs::write(place.stored("c"), "old").unwrap();
    let args = ["encrypt", "-k", "k", "m", "-o", "s3://bucket/c"];
    place.run(&args).fails(2, "s3://bucket/c already exists");
    assert_eq!(fs::read(place.stored("c")).unwrap(), b"old");
    place.run(&[&args[..], &["-f"]].concat()).succeeds();
    assert_eq!(place.run(&["decrypt", "-k", "k", "s3://bucket/c"]).succeeds(), b"new");
}

#[test]
fn what_fails_leaves_nothing_and_names_the_object() {
    let place = BucketFixture::new();
    let text = message(50 << 20);
    place.room.write("m", &text);
    place.run(&["encrypt", "-k", "k", "m", "-o", "s3://bucket/c"]).succeeds();
    let mut altered = fs::read(place.stored("c")).unwrap();
    altered[45 << 20] ^= 1;
    place.room.write("altered", &altered);
    fs::write(place.stored("c"), &altered).unwrap();
    place.run(&["verify", "-k", "k", "s3://bucket/c"]).fails(3, "is not authentic");
    let args = ["cat", "-k", "k", "s3://bucket/c", "--range", "47185000-47185999"];
    place.run(&args).fails(3, "is not authentic");
    // Parts have been uploaded by then.
    place
        .run(&["decrypt", "-k", "k", "altered", "-o", "s3://bucket/out"])
        .fails(3, "is not authentic");
    assert!(!place.stored("out").exists());
    place.run(&["decrypt", "-k", "k", "s3://bucket/c", "-o", "out"]).fails(3, "is not authentic");
    assert_eq!(place.room.names(), ["altered", "k", "m"]);

    place
        .run(&["decrypt", "-k", "k", "s3://bucket/none"])
        .fails(1, "s3://bucket/none: there is no such");
    place.run(&["encrypt", "-k", "k", "m", "-o", "s3://none/c"]).fails(1, "s3://none/c");
    place.run(&["decrypt", "-k", "k", "s3://bucket"]).fails(2, "s3://bucket names no object");
    let mut wrong = place.room.command(["decrypt", "-k", "k", "s3://bucket/c"]);
    wrong.envs(place.server.environment()).env("AWS_SECRET_ACCESS_KEY", "wrong");
    Outcome(wrong.output().unwrap()).fails(1, "s3://bucket/c");
}

#[test]
fn rekeying_an_object_changes_its_header_alone() {
    let place = BucketFixture::new();
    place.room.run(["keygen", "-o", "k2"], b"").succeeds();
    for bytes in [1000, (5 << 20) - 4096 - 80 * 16, 40 << 20] {
        let text = message(bytes);
        place.room.write("m", &text);
        place.run(&["encrypt", "-k", "k", "m", "-f", "-o", "s3://bucket/d/c x"]).succeeds();
        let before = fs::read(place.stored("d/c x")).unwrap();
        let args = ["rekey", "-k", "k", "--to-key", "k2", "s3://bucket/d/c x"];
        let done = place.run(&args);
        assert!(
            done.0.status.success() && done.errors().contains("note: anyone"),
            "{}",
            done.errors()
        );
        let after = fs::read(place.stored("d/c x")).unwrap();
        assert!(before[4096..] == after[4096..] && before[..4096] != after[..4096]);
        place.run(&["decrypt", "-k", "k", "s3://bucket/d/c x"]).fails(4, "none of the keys");
        assert!(place.run(&["decrypt", "-k", "k2", "s3://bucket/d/c x"]).succeeds() == text);
        place.run(&args).fails(4, "none of the keys");
    }
    let args = ["rekey", "--new-key", "-k", "k2", "--to-key", "k", "s3://bucket/d/c x"];
    place.run(&args).fails(2, "an object is rekeyed where it is");
}

/// Hands on what goes to the server and back. Counts the bytes that go there, and does `act` before
/// the first that have `word` in them.
fn between(
    server: u16,
    word: &'static [u8],
    act: impl FnOnce() + Send + 'static,
) -> (u16, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sent, act) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(Some(act))));
    let counted = Arc::clone(&sent);
    thread::spawn(move || {
        for client in listener.incoming() {
            let (mut client, act, sent) = (client.unwrap(), Arc::clone(&act), Arc::clone(&sent));
            let mut server = TcpStream::connect(("127.0.0.1", server)).unwrap();
            let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            thread::spawn(move || {
                let _ = io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
            thread::spawn(move || {
                let mut buffer = vec![0; 65_536];
                while let Ok(bytes @ 1..) = client.read(&mut buffer) {
                    sent.fetch_add(bytes as u64, Ordering::Relaxed);
                    let there = buffer[..bytes].windows(word.len()).any(|here| here == word);
                    if let Some(act) = act.lock().unwrap().take_if(|_| there) {
                        act();
                    }
                    server.write_all(&buffer[..bytes]).unwrap();
                }
                let _ = server.shutdown(Shutdown::Both);
            });
        }
    });
    (port, counted)
}

#[test]
fn rekeying_a_long_object_sends_5_mib_and_spares_what_another_has_written_meanwhile() {
    let place = BucketFixture::new();
    place.room.run(["keygen", "-o", "k2"], b"").succeeds();
    place.room.write("m", &message(60 << 20));
    place.room.write("other", &message(61 << 20));
    for (word, raced) in [
        (&b"no such bytes"[..], false),
        (b"partNumber=2", true),
        (b"<CompleteMultipartUpload>", true),
    ] {
        place.run(&["encrypt", "-k", "k", "m", "-f", "-o", "s3://bucket/c"]).succeeds();
        // Not with `place`: a thread that waits for ever would keep its server running.
        let mut other =
            place.room.command(["encrypt", "-k", "k", "other", "-f", "-o", "s3://bucket/c"]);
        other.envs(place.server.environment());
        let (port, sent) = between(place.server.port(), word, move || {
            assert!(other.status().unwrap().success());
        });
        let args = ["rekey", "-k", "k", "--to-key", "k2", "s3://bucket/c"];
        let mut command = place.room.command(args);
        command.envs(place.server.environment());
        command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"));
        let done = Outcome(command.output().unwrap());
        let (key, text) = if raced {
            done.fails(1, "s3://bucket/c has been changed meanwhile");
            ("k", message(61 << 20))
        } else {
            assert!(done.0.status.success(), "{}", done.errors());
            let sent = sent.load(Ordering::Relaxed);
            assert!(((5 << 20)..(5 << 20) + 16_384).contains(&sent), "{sent} bytes");
            ("k2", message(60 << 20))
        };
        assert!(place.run(&["decrypt", "-k", key, "s3://bucket/c"]).succeeds() == text);
    }
}

#[test]
fn a_file_on_a_web_server_is_read_and_not_written() {
    let room = TestDir::new();
    let text = message(300_000);
    let url = format!("{}/c", Web::serve(room.seal(&text)).url());
    assert!(room.run(["decrypt", "-k", "k", &url], b"").succeeds() == text);
    let part = room.run(["cat", "-k", "k", &url, "--range", "200000-200009"], b"");
    assert!(part.succeeds() == text[200_000..200_010]);
    room.run(["encrypt", "-k", "k", "-o", &url], b"x").fails(2, "can only be read");
}

const ALICE: &str = include_str!("../../polyseal-file/tests/statements/alice");
const SIGNERS: &str = include_str!("../../polyseal-file/tests/statements/allowed_signers");

#[test]
fn a_signed_object_is_read_by_the_statement_beside_it() {
    let place = BucketFixture::new();
    let text = message(40 << 20);
    place.room.write("m", &text);
    place.room.write("alice", ALICE.as_bytes());
    place.room.write("signers", SIGNERS.as_bytes());
    let sign = ["encrypt", "-k", "k", "--sign", "alice", "m", "-o", "s3://bucket/c"];
    place.run(&sign).succeeds();
    let signers = ["-k", "k", "--signers", "signers", "s3://bucket/c"];
    assert!(place.run(&[&["decrypt"], &signers[..]].concat()).succeeds() == text);
    let part = [&["cat", "--range", "30000000-30004095"], &signers[..]].concat();
    assert!(place.run(&part).succeeds() == text[30_000_000..30_004_096]);
    place.run(&["verify", "--signers", "signers", "s3://bucket/c"]).succeeds();
    fs::remove_file(place.stored("c.sig")).unwrap();
    place.run(&part).fails(5, "s3://bucket/c has no statement: s3://bucket/c.sig");
}

#[test]
fn a_signed_file_on_a_web_server_is_read_by_its_statement() {
    let (room, text) = (TestDir::new(), message(3_000_000));
    room.write("m", &text);
    room.write("alice", ALICE.as_bytes());
    room.write("signers", SIGNERS.as_bytes());
    room.run(["encrypt", "-k", "k", "--sign", "alice", "m", "-o", "c"], b"").succeeds();
    let (file, statement) = (Web::serve(room.read("c")), Web::serve(room.read("c.sig")));
    let (url, beside) = (format!("{}/c", file.url()), format!("{}/c.sig", statement.url()));
    let named = ["--signers", "signers", "--signature", &beside, &url];
    let run = |args: &[&str]| room.run([args, &named[..]].concat(), b"");
    assert!(run(&["decrypt", "-k", "k"]).succeeds() == text);
    let told = String::from_utf8(run(&["verify"]).succeeds()).unwrap();
    assert!(told.contains("signed by alice@example.org"), "{told}");
    statement.sent.store(0, Ordering::Relaxed);
    let part = ["cat", "-k", "k", "--range", "2000000-2004095"];
    assert!(run(&part).succeeds() == text[2_000_000..2_004_096]);
    // Its text, and the hashes of one group.
    let sent = statement.sent.load(Ordering::Relaxed);
    assert!(sent <= 4096 + 2048, "{sent} bytes");
    run(&["cat", "-k", "k", "--by", "bob@example.org"]).fails(5, "no signature of it is one");
}
