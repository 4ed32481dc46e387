//! The tool on files of web servers, plain and odd ones, and what it asks them for: `make test-all
//! ONLY=stores` runs them.

#![cfg(unix)]

use std::sync::atomic::Ordering;

use crate::common::{TestDir, message};
use crate::web::{ServerQuirk, Web};

const LONG: usize = 1_500_000;

#[test]
fn both_ends_are_asked_for_at_once_and_then_what_is_needed() {
    let (room, text) = (TestDir::new(), message(LONG));
    let web = Web::serve(room.seal(&text));
    let url = format!("{}/c", web.url());
    let run = |args: &[&str]| room.run(args.iter().copied(), b"").succeeds();
    let part = run(&["cat", "-k", "k", &url, "--range", "200000-200009"]);
    assert!(part == text[200_000..200_010]);
    assert_eq!(web.counted(), (3, 2));
    assert!(run(&["decrypt", "-k", "k", &url]) == text);
    assert_eq!(web.counted(), (3, 2));
    run(&["verify", "-k", "k", &url]);
    assert_eq!(web.counted(), (3, 2));
    // The bytes of the last segment have come.
    let part = run(&["cat", "-k", "k", &url, "--range=-9"]);
    assert!(part == text[LONG - 9..]);
    assert_eq!(web.counted(), (2, 2));
    // No byte comes twice.
    web.sent.store(0, Ordering::Relaxed);
    run(&["decrypt", "-k", "k", &url]);
    assert_eq!(web.sent.load(Ordering::Relaxed), room.seal(&text).len() as u64);
}

/// Commands that take a message as a whole, too.
#[test]
fn a_message_may_be_an_object() {
    let (room, text) = (TestDir::new(), message(1000));
    let web = Web::serve(text.clone());
    let url = format!("{}/c", web.url());
    room.write("raw", &message(32));
    let seal = ["aead", "seal", "-s", "aegis-256", "--key-file", "raw", "--nonce"];
    let nonce = "00".repeat(32);
    let run = |input: &str| {
        let done = room.run(seal.iter().copied().chain([&nonce[..], input]), b"").0;
        assert!(done.status.success());
        done.stdout
    };
    room.write("m", &text);
    assert!(run(&url) == run("m"));
}

#[test]
fn odd_servers_are_read() {
    let room = TestDir::new();
    for bytes in [9, 60_000, LONG] {
        let text = message(bytes);
        let sealed = room.seal(&text);
        for odd in [
            ServerQuirk::WeakTag,
            ServerQuirk::NoTag,
            ServerQuirk::NoRanges,
            ServerQuirk::NoSuffix,
            ServerQuirk::WholeIs200,
            ServerQuirk::BreaksOff,
        ] {
            let web = Web::odd(sealed.clone(), odd);
            let url = format!("{}/c", web.url());
            let run = |args: &[&str]| room.run(args.iter().copied(), b"");
            let what = format!("{odd:?}, {bytes} bytes");
            assert!(run(&["decrypt", "-k", "k", &url]).succeeds() == text, "{what}");
            let told = String::from_utf8(run(&["verify", "-k", "k", &url]).succeeds()).unwrap();
            assert!(told.contains("whole and authentic"), "{what}");
            let told = String::from_utf8(run(&["inspect", &url]).succeeds()).unwrap();
            assert!(told.contains(&format!("plaintext       {bytes} bytes")), "{what}");
            let part = run(&["cat", "-k", "k", &url, "--range", "3-8"]);
            if odd == ServerQuirk::NoRanges && bytes == LONG {
                part.fails(2, "its server gives no parts of objects");
            } else if odd != ServerQuirk::NoRanges {
                assert!(part.succeeds() == text[3..9], "{what}");
            }
        }
    }
}

#[test]
fn a_signature_is_sent_and_never_shown() {
    let (room, text) = (TestDir::new(), message(1000));
    let mut altered = room.seal(&text);
    let web = Web::serve(altered.clone());
    *altered.last_mut().unwrap() ^= 1;
    let bad = Web::serve(altered);
    let good = format!("{}/a%20b?X-Signature=SECRET", web.url());
    let bad = format!("{}/c?X-Signature=SECRET", bad.url());
    let gone = "http://127.0.0.1:1/c?X-Signature=SECRET#there";
    let password = format!("http://user:SECRET@{}/c", &web.url()[7..]);
    assert!(room.run(["decrypt", "-k", "k", &good], b"").succeeds() == text);
    for args in [
        &["verify", "-k", "k", &good][..],
        &["verify", "--json", "-k", "k", &good, &bad],
        &["decrypt", "-k", "k", &bad],
        &["cat", "-k", "k", &bad, "--range", "0-1"],
        &["inspect", gone],
        &["encrypt", "-k", "k", "-o", &good, "k"],
        &["rekey", "-k", "k", "--to-key", "k", &good],
        &["decrypt", "-k", "k", &password],
        &["decrypt", "-k", "k", &good, &bad],
        &["decrypt", "-k", "k", "--recursive", &good, "-o", "out"],
    ] {
        let done = room.run(args.iter().copied(), b"");
        let shown = [&done.0.stdout[..], &done.0.stderr].concat();
        assert!(!shown.is_empty(), "{args:?}");
        assert!(!String::from_utf8_lossy(&shown).contains("SECRET"), "{args:?}");
    }
    room.run(["decrypt", "-k", "k", &password], b"").fails(2, "a user and a password");
}

#[test]
fn without_credentials_or_tls_the_variable_that_is_missing_is_named() {
    let room = TestDir::new();
    let run = |url: &str, set: &[(&str, &str)]| {
        let mut command = room.command(["decrypt", "-k", "k", url]);
        command.env_clear().envs(set.iter().copied());
        // Nobody is asked, so nobody is waited for.
        crate::common::Outcome(command.output().unwrap())
    };
    run("s3://b/k", &[]).fails(2, "AWS_ACCESS_KEY_ID");
    run("gs://b/k", &[]).fails(2, "GOOGLE_APPLICATION_CREDENTIALS");
    run("az://b/k", &[]).fails(2, "AZURE_STORAGE_ACCOUNT_KEY");
    let keys = [("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];
    let plain = [&keys[..], &[("AWS_ENDPOINT_URL", "http://127.0.0.1:1")]].concat();
    run("s3://b/k", &plain).fails(2, "AWS_ALLOW_HTTP=true");
}
