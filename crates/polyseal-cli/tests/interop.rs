//! Keys that other programs made, and other programs' view of ours.

#![cfg(unix)]

use std::process::{Command, Output};

use crate::common::{TestDir, age_fixture, have};

/// Runs another program in the room.
fn other(room: &TestDir, program: &str, args: &[&str]) -> Output {
    Command::new(program).args(args).current_dir(room.0.path()).output().unwrap()
}

/// The output, in one line.
fn line(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// Encrypts in every way for the recipient of an identity, and decrypts with it.
fn round_trip(room: &TestDir, recipient: &str, identity: &str) {
    room.write("recipients", format!("# mine\n{recipient}\n").as_bytes());
    for how in [["-r", recipient], ["-R", "recipients"], ["-i", identity]] {
        let sealed = room.run([&["encrypt"][..], &how].concat(), b"message").succeeds();
        let opened = room.run(["decrypt", "-i", identity], &sealed).succeeds();
        assert_eq!(opened, b"message", "{recipient}");
        room.run(["decrypt", "-k", "k"], &sealed).fails(4, "none of the keys");
    }
}

#[test]
fn identities_of_age_keygen() {
    if !have("age-keygen") {
        return crate::common::cannot("age-keygen is missing");
    }
    let room = TestDir::new();
    assert!(other(&room, "age-keygen", &["-o", "id"]).status.success());
    let recipient = line(&other(&room, "age-keygen", &["-y", "id"]));
    round_trip(&room, &recipient, "id");
}

#[test]
fn age_takes_our_identities() {
    if !have("age-keygen") || !have("age") {
        return crate::common::cannot("age is missing");
    }
    let room = TestDir::new();
    let told = room.run(["keygen", "-t", "x25519", "-o", "id"], b"").succeeds();
    let recipient = line(&other(&room, "age-keygen", &["-y", "id"]));
    assert_eq!(told, format!("{recipient}\n").as_bytes());
    round_trip(&room, &recipient, "id");
    room.write("m", b"message");
    line(&other(&room, "age", &["-r", &recipient, "-o", "m.age", "m"]));
    assert_eq!(line(&other(&room, "age", &["-d", "-i", "id", "m.age"])), "message");
}

#[test]
fn keys_of_ssh_keygen() {
    if !have("ssh-keygen") {
        return crate::common::cannot("ssh-keygen is missing");
    }
    let room = TestDir::new();
    for (kind, bits) in [("ed25519", "256"), ("rsa", "2048"), ("rsa", "4096")] {
        let name = format!("{kind}{bits}");
        let args = ["-q", "-t", kind, "-b", bits, "-N", "", "-C", "a comment", "-f", &name];
        line(&other(&room, "ssh-keygen", &args));
        let public = String::from_utf8(room.read(&format!("{name}.pub"))).unwrap();
        round_trip(&room, public.trim_end(), &name);
    }
}

#[test]
fn keys_that_are_kept_here() {
    let room = TestDir::new();
    let read = |name: &str| std::fs::read_to_string(age_fixture(name)).unwrap();
    for name in ["x25519.txt", "hybrid.txt"] {
        let text = read(name);
        let recipient = text.lines().find_map(|line| line.strip_prefix("# public key: ")).unwrap();
        assert_eq!(recipient.starts_with("age1pq1"), name == "hybrid.txt");
        round_trip(&room, recipient, &age_fixture(name));
    }
    for name in ["ssh_ed25519", "ssh_rsa_2048", "ssh_rsa_3072"] {
        round_trip(&room, read(&format!("{name}.pub")).trim_end(), &age_fixture(name));
    }
    round_trip(&room, read("ssh_rsa_2048.pub").trim_end(), &age_fixture("ssh_rsa_2048.pem"));
    for name in ["ssh_ecdsa.pub", "ssh_rsa_1024.pub"] {
        room.run(["encrypt", "-R", &age_fixture(name)], b"message").fails(2, "can");
        room.run(["encrypt", "-r", read(name).trim_end()], b"message").fails(2, "can");
    }
}

#[test]
fn our_own_hybrid_identities() {
    let room = TestDir::new();
    let told = room.run(["keygen", "-t", "hybrid", "-o", "id"], b"").succeeds();
    let recipient = String::from_utf8(told).unwrap();
    assert!(recipient.starts_with("age1pq1"));
    round_trip(&room, recipient.trim_end(), "id");
}

/// A message of more than a chunk, so that one is not the last.
fn two_chunks() -> Vec<u8> {
    (0..100_000_u32).map(|i| (i * 7 % 251) as u8).collect()
}

/// With Debian's age 1.1 as well as with the newest.
#[test]
fn files_of_age_both_ways_with_the_program_age() {
    if !have("age") || !have("age-keygen") {
        return crate::common::cannot("age is missing");
    }
    let room = TestDir::new();
    assert!(other(&room, "age-keygen", &["-o", "id"]).status.success());
    let recipient = line(&other(&room, "age-keygen", &["-y", "id"]));
    for plaintext in [Vec::new(), b"message".to_vec(), two_chunks()] {
        room.write("m", &plaintext);
        for armor in [&[][..], &["-a"]] {
            let args = [armor, &["-r", &recipient, "-o", "theirs.age", "m"]].concat();
            line(&other(&room, "age", &args));
            let opened = room.run(["decrypt", "-i", "id", "theirs.age"], b"").succeeds();
            assert!(opened == plaintext);
            room.run(["verify", "-i", "id", "theirs.age"], b"").succeeds();
            let ours = ["encrypt", "--format", "age", "-f", "-o", "ours.age", "-r", &recipient];
            room.run([&ours[..], armor, &["m"]].concat(), b"").succeeds();
            // Not with -o: older versions make no file of an empty plaintext.
            let opened = other(&room, "age", &["-d", "-i", "id", "ours.age"]);
            assert!(opened.status.success() && opened.stdout == plaintext);
            std::fs::remove_file(room.0.path().join("theirs.age")).unwrap();
        }
    }
}

/// A rekeyed file of age is still a file of age.
#[test]
fn age_opens_its_files_after_a_rekey() {
    if !have("age") || !have("age-keygen") {
        return crate::common::cannot("age is missing");
    }
    let room = TestDir::new();
    let mut recipients = Vec::new();
    for id in ["one", "two"] {
        assert!(other(&room, "age-keygen", &["-o", id]).status.success());
        recipients.push(line(&other(&room, "age-keygen", &["-y", id])));
    }
    room.write("m", &two_chunks());
    line(&other(&room, "age", &["-r", &recipients[0], "-o", "f", "m"]));
    let opens = |id: &str| {
        let opened = other(&room, "age", &["-d", "-i", id, "f"]);
        assert!(!opened.status.success() || opened.stdout == two_chunks());
        opened.status.success()
    };
    assert!(opens("one") && !opens("two"));
    room.run(["rekey", "--keep", "-i", "one", "-r", &recipients[1], "f"], b"").succeeds();
    assert!(opens("one") && opens("two"));
    let rekeyed = room.command(["rekey", "-i", "one", "-r", &recipients[1], "f"]).status();
    assert!(rekeyed.unwrap().success());
    assert!(!opens("one") && opens("two"));
    room.run(["rekey", "--new-key", "-i", "two", "-r", &recipients[0], "f"], b"").succeeds();
    assert!(opens("one") && !opens("two"));
}
