//! Statements: `sign`, `encrypt --sign` and `--signers`.

use std::fs;
use std::process::Command;

use crate::common::{Outcome, TestDir, cannot, message};

const ALICE: &str = include_str!("../../polyseal-file/tests/statements/alice");
const SIGNERS: &str = include_str!("../../polyseal-file/tests/statements/allowed_signers");
const BYTES: usize = 300_000;

struct Signed(TestDir);

impl Signed {
    /// With a file `c` that was signed when it was encrypted.
    fn new() -> Self {
        let room = TestDir::new();
        room.write("alice", ALICE.as_bytes());
        room.write("signers", SIGNERS.as_bytes());
        room.write("m", &message(BYTES));
        room.run(["encrypt", "-k", "k", "--sign", "alice", "m", "-o", "c"], b"").succeeds();
        Self(room)
    }

    fn run(&self, args: &[&str]) -> Outcome {
        self.0.run(args, b"")
    }

    fn decrypt(&self) -> Outcome {
        self.run(&["decrypt", "-k", "k", "--signers", "signers", "c"])
    }

    fn verify(&self) -> Outcome {
        self.run(&["verify", "--signers", "signers", "c"])
    }
}

#[test]
fn a_signed_file_is_verified_with_a_key_and_without() {
    let signed = Signed::new();
    assert!(signed.decrypt().succeeds() == message(BYTES));
    let told = String::from_utf8(signed.verify().succeeds()).unwrap();
    let stored = fs::metadata(signed.0.path("c")).unwrap().len();
    let expected = format!(
        "c: contents as they were signed; the header needs a key, {stored} stored bytes; \
         signed by alice@example.org, SHA256:"
    );
    assert!(told.starts_with(&expected), "{told}");
    let with_key = ["verify", "-k", "k", "--signers", "signers", "--by", "alice@example.org", "c"];
    let told = String::from_utf8(signed.run(&with_key).succeeds()).unwrap();
    assert!(told.starts_with("c: whole and authentic, 300000 bytes; signed by alice@"), "{told}");
    let context = ["verify", "--signers", "signers", "--context", "x", "c"];
    signed.run(&context).fails(2, "a context is compared when a file is opened");
    let part = ["cat", "-k", "k", "--signers", "signers", "--range", "200000-200009", "c"];
    assert!(signed.run(&part).succeeds() == message(BYTES)[200_000..200_010]);
    // Other recipients keep it.
    signed.run(&["keygen", "-o", "k2"]).succeeds();
    signed.run(&["rekey", "-k", "k", "--to-key", "k2", "-f", "c", "-o", "c"]);
    signed.verify().succeeds();
}

#[test]
fn without_an_accepted_signature_nothing_is_given_out() {
    let signed = Signed::new();
    let room = &signed.0;
    let other = ["decrypt", "-k", "k", "--signers", "signers", "--by", "bob@example.org", "c"];
    let refused = signed.run(&other).fails(5, "no signature of it is one of an allowed signer");
    assert_eq!(refused.0.stdout, b"");
    room.write("nobody", b"# nobody\n");
    signed.run(&["verify", "--signers", "nobody", "c"]).fails(5, "no signature of it");
    let statement = room.read("c.sig");
    fs::remove_file(room.path("c.sig")).unwrap();
    for refused in [signed.decrypt(), signed.verify()] {
        assert_eq!(refused.fails(5, "c has no statement: c.sig").0.stdout, b"");
    }
    signed.run(&["cat", "-k", "k", "--signers", "signers", "c"]).fails(5, "has no statement");
    // One of another file.
    room.run(["encrypt", "-k", "k", "--sign", "alice", "m", "-o", "c2"], b"").succeeds();
    fs::copy(room.path("c2.sig"), room.path("c.sig")).unwrap();
    for refused in [signed.decrypt(), signed.verify()] {
        assert_eq!(refused.fails(3, "its statement is about another file").0.stdout, b"");
    }
    fs::remove_file(room.path("c.sig")).unwrap();
    if cfg!(unix) && crate::common::have("mkfifo") {
        room.shell("mkfifo c.sig").succeeds();
        for refused in [signed.decrypt(), signed.verify()] {
            refused.fails(1, "it is no regular file");
        }
        fs::remove_file(room.path("c.sig")).unwrap();
    }
    room.write("c.sig", &statement);
    // A tree without a statement is not one that was signed.
    fs::create_dir(room.path("d")).unwrap();
    signed.run(&["encrypt", "-k", "k", "--recursive", "d", "-o", "t"]).succeeds();
    let tree = ["verify", "-k", "k", "--recursive", "--signers", "signers", "t"];
    signed.run(&tree).fails(5, "t has no statement: nobody has signed it");
    signed.run(&["verify", "--signers", "missing", "c"]).fails(1, "the list of signers");
    room.write("odd", b"alice@example.org what ssh-ed25519 AAAA\n");
    signed.run(&["verify", "--signers", "odd", "c"]).fails(2, "line 1 of the list of signers");
}

#[test]
fn what_was_changed_after_it_was_signed_is_told() {
    let signed = Signed::new();
    let room = &signed.0;
    let file = room.read("c");
    let mut altered = file.clone();
    altered[4096 + 70_000] ^= 1;
    room.write("c", &altered);
    signed.verify().fails(3, "segment 1 is not the one that was signed");
    assert!(message(BYTES).starts_with(&signed.decrypt().fails(3, "segment 1").0.stdout));
    room.write("c", &file[..file.len() - 1]);
    signed.verify().fails(3, "c: ");
    // Somebody who can open it makes another.
    room.run(["encrypt", "-k", "k", "m", "-f", "-o", "c"], b"").succeeds();
    signed.verify().fails(3, "its statement is about another file");
}

#[test]
fn files_are_signed_later() {
    let signed = Signed::new();
    let room = &signed.0;
    fs::remove_file(room.path("c.sig")).unwrap();
    signed.run(&["sign", "-s", "alice", "c"]).succeeds();
    assert!(String::from_utf8_lossy(&room.read("c.sig")).contains("\nheader "));
    let told = String::from_utf8(signed.verify().succeeds()).unwrap();
    assert!(told.starts_with("c: as it was signed, "), "{told}");
    signed.run(&["sign", "-s", "alice", "c"]).fails(2, "c.sig already exists");
    signed.run(&["sign", "-s", "alice", "-k", "k", "-f", "c"]).succeeds();
    assert!(String::from_utf8_lossy(&room.read("c.sig")).contains("\nholder "));
    assert!(signed.decrypt().succeeds() == message(BYTES));
    signed.run(&["sign", "-s", "alice", "m"]).fails(3, "not a Polyseal file");
    signed.run(&["sign", "-s", "m", "c", "-f"]).fails(2, "");
    // Another key, or another header where it is bound to that, ends it.
    room.run(["keygen", "-o", "k2"], b"").succeeds();
    let rekey = |more: &[&str]| {
        let to = ["rekey", "-k", "k", "--to-key", "k", "--to-key", "k2"];
        let rekeyed = signed.run(&[&to[..], more].concat());
        assert!(rekeyed.0.status.success(), "{:?}", rekeyed.0);
        String::from_utf8_lossy(&rekeyed.0.stderr)
            .contains("does not fit the rekeyed file any more")
    };
    fs::copy(room.path("c"), room.path("before")).unwrap();
    assert!(!rekey(&["c"]));
    assert!(signed.decrypt().succeeds() == message(BYTES));
    fs::copy(room.path("before"), room.path("c")).unwrap();
    assert!(rekey(&["--new-key", "c"]));
    signed.decrypt().fails(3, "its statement is about another file");
    fs::copy(room.path("before"), room.path("c")).unwrap();
    signed.run(&["sign", "-s", "alice", "-f", "c"]).succeeds();
    assert!(rekey(&["c"]));
    signed.decrypt().fails(3, "its statement is about another file");
    fs::copy(room.path("before"), room.path("c")).unwrap();
    signed.run(&["sign", "-s", "alice", "-k", "k", "-f", "c"]).succeeds();
    // The key is no output.
    for output in [["--signature", "alice"], ["--signature", "k"]] {
        let sign = [&["sign", "-s", "alice", "-k", "k", "-f", "c"][..], &output].concat();
        signed.run(&sign).fails(2, "a file of keys or passphrases");
    }
    // Nor is the file, or what it is made of.
    let encrypted = room.read("c");
    let sign = ["sign", "-s", "alice", "-f", "--signature", "c", "c"];
    signed.run(&sign).fails(2, "the input");
    for (statement, told) in [("m", "the input"), ("o", "cannot go to one place")] {
        let encrypt = ["encrypt", "-k", "k", "-f", "--sign", "alice", "--signature", statement];
        signed.run(&[&encrypt[..], &["m", "-o", "o"]].concat()).fails(2, told);
    }
    assert!(room.read("c") == encrypted && room.read("m") == message(BYTES));
    let encrypt = ["encrypt", "-k", "k", "--sign", "alice", "m", "-f", "-o", "alice"];
    signed.run(&encrypt).fails(2, "a file of keys or passphrases");
    assert_eq!(room.read("alice"), ALICE.as_bytes());
    // A pipe needs a name for the statement.
    let piped = room.run(["encrypt", "-k", "k", "--sign", "alice"], b"text");
    piped.fails(2, "a statement needs a file to go to");
    let piped = ["encrypt", "-k", "k", "--sign", "alice", "--signature", "p.sig"];
    let stored = room.run(piped, b"text").succeeds();
    room.write("p", &stored);
    let standard = ["decrypt", "-k", "k", "--signers", "signers"];
    room.run(standard, &stored).fails(2, "standard input has no statement beside it");
    let standard = [&standard[..], &["--signature", "p.sig"]].concat();
    assert_eq!(room.run(standard, &stored).succeeds(), b"text");
    let opened = ["decrypt", "-k", "k", "--signers", "signers", "p"];
    assert_eq!(signed.run(&opened).succeeds(), b"text");
}

/// A key with a passphrase, of an agent or a token: `ssh-keygen` signs.
#[cfg(unix)]
#[test]
fn ssh_keygen_signs_where_only_it_can() {
    let signed = Signed::new();
    let room = &signed.0;
    room.write("locked", ALICE.as_bytes());
    room.shell("chmod 600 alice locked").succeeds();
    let mut lock = Command::new("ssh-keygen");
    lock.args(["-q", "-p", "-P", "", "-N", "secret", "-f"]).arg(room.path("locked"));
    if !lock.status().is_ok_and(|status| status.success()) {
        return cannot("this test needs ssh-keygen");
    }
    room.write("ask", b"#!/bin/sh\necho secret\n");
    room.shell("chmod 700 ask").succeeds();
    let mut sign = room.command(["sign", "-s", "locked", "-k", "k", "-f", "c"]);
    sign.env("SSH_ASKPASS", room.path("ask")).env("SSH_ASKPASS_REQUIRE", "force");
    let done = sign.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    signed.verify().succeeds();
    // So it does with an RSA key, which is verified here.
    let new = "ssh-keygen -q -t rsa -b 2048 -N '' -f rsa && echo \"r $(cat rsa.pub)\" >>signers";
    room.shell(new).succeeds();
    assert!(signed.run(&["sign", "-s", "rsa", "-f", "c"]).0.status.success());
    let by_rsa = ["verify", "--signers", "signers", "--by", "r", "c"];
    assert!(String::from_utf8_lossy(&signed.run(&by_rsa).succeeds()).contains("signed by r, "));
    signed.run(&["sign", "-s", "alice", "-k", "k", "-f", "c"]).succeeds();
    // And it verifies what is signed here.
    let verified = "sed -n '/^-----BEGIN/,/^-----END/p' c.sig > s; sed '/^-----BEGIN/,$d' c.sig |
        ssh-keygen -Y verify -f signers -I alice@example.org -n polyseal -s s";
    let outcome = room.shell(verified);
    assert!(String::from_utf8_lossy(&outcome.succeeds()).contains("Good \"polyseal\" signature"));
}
