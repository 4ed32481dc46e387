//! Passphrases from a file descriptor, and what standard input can be.

#![cfg(unix)]

use crate::common::{Outcome, TestDir, age_fixture};

/// A room with a message `m`.
fn room() -> TestDir {
    let room = TestDir::new();
    room.write("m", b"message");
    room
}

/// Encrypts `m` to `name` with the passphrase from the descriptor.
fn encrypt(room: &TestDir, given: &[u8], name: &str) -> Outcome {
    room.write("given", given);
    room.shell(&format!("$P encrypt --passphrase-fd 3 -f -o {name} m 3< given"))
}

fn decrypt(room: &TestDir, given: &[u8], name: &str) -> Outcome {
    room.write("given", given);
    room.shell(&format!("$P decrypt --passphrase-fd 3 {name} 3< given"))
}

#[test]
fn it_is_the_first_line_without_its_end() {
    let room = room();
    let same = [&b"secret"[..], b"secret\n", b"secret\r\n", b"secret\nmore\n", b"secret\r\n\n"];
    for (i, given) in same.iter().enumerate() {
        encrypt(&room, given, "c").succeeds();
        let other = same[(i + 1) % same.len()];
        assert_eq!(decrypt(&room, other, "c").succeeds(), b"message");
    }
    for other in
        [&b"secret "[..], b" secret", b"secret\r", b"secret\r\r\n", b"Secret", b"secre", b"more"]
    {
        decrypt(&room, other, "c").fails(4, "the passphrase is wrong").fails(4, "try again");
    }
}

#[test]
fn it_is_any_1_to_4096_bytes() {
    let room = room();
    let long = [b'x'; 4098];
    for given in [&b"\xff\x00\x01"[..], b" ", "gr\u{fc}\u{df}e".as_bytes(), &long[..4096]] {
        encrypt(&room, given, "c").succeeds();
        let line = [given, b"\r\n", &long[..]].concat();
        assert_eq!(decrypt(&room, &line, "c").succeeds(), b"message");
    }
    // The last file has the longest of them: what begins with it is another one.
    for given in [&b""[..], b"\n", b"\r\n", b"\nsecret\n", &long[..4097], &long] {
        for end in ["", "\n", "\r\n"] {
            let given = [given, end.as_bytes()].concat();
            encrypt(&room, &given, "new").fails(2, "a passphrase has 1 to 4096 bytes");
            decrypt(&room, &given, "c").fails(2, "a passphrase has 1 to 4096 bytes");
        }
    }
    assert!(!room.path("new").exists());
}

#[test]
fn it_can_come_through_a_pipe() {
    let room = room();
    let line = "printf 'secret\\n' | $P encrypt --passphrase-fd 3 3<&0 < m > c";
    room.shell(line).succeeds();
    // In pieces, from a writer that does not go away.
    let line = "(printf sec; sleep 0.1; printf 'ret\\n'; sleep 1) |
        { $P decrypt --passphrase-fd 3 3<&0 < c; echo; }";
    assert_eq!(room.shell(line).succeeds(), b"message\n");
}

/// A descriptor is read from where it stands, whatever it is, and no further than the line.
#[test]
fn it_is_the_line_where_the_descriptor_stands() {
    let room = room();
    encrypt(&room, b"secret", "c").succeeds();
    room.write("lines", b"first\nsecret\nlast\n");
    for fd in ["0", "3 3<&0"] {
        let line = format!("{{ read -r first; $P decrypt c --passphrase-fd {fd}; }}");
        assert_eq!(room.shell(&format!("{line} < lines")).succeeds(), b"message");
        assert_eq!(room.shell(&format!("cat lines | {line}")).succeeds(), b"message");
    }
    room.write("lines", b"secret\nlast\n");
    let line = "{ $P decrypt c --passphrase-fd 0; cat; }";
    for line in [format!("{line} < lines"), format!("cat lines | {line}")] {
        assert_eq!(room.shell(&line).succeeds(), b"messagelast\n");
    }
}

#[test]
fn it_opens_nothing_that_has_none_and_no_key_opens_what_has_one() {
    let room = room();
    encrypt(&room, b"secret", "c").succeeds();
    room.run(["decrypt", "-k", "k", "c"], b"").fails(4, "with a passphrase");
    let identity = age_fixture("x25519.txt");
    room.run(["decrypt", "-i", &identity, "c"], b"").fails(4, "with a passphrase");
    room.seal(b"message");
    decrypt(&room, b"secret", "c").fails(4, "none of the keys");
}

/// It may be the only one that there is.
#[test]
fn its_file_is_not_replaced() {
    let room = room();
    room.write("secret", b"correct horse\n");
    for line in [
        "encrypt -f --passphrase-fd 3 -o secret m 3< secret",
        "encrypt -f --passphrase-fd 0 -o secret m < secret",
    ] {
        room.write("m", b"message");
        room.shell(&format!("$P {line}")).fails(2, "a file of keys or passphrases");
        assert_eq!(room.read("secret"), b"correct horse\n");
    }
}

#[test]
fn it_can_be_changed() {
    let room = room();
    let other = |name| room.shell(&format!("echo other | $P decrypt --passphrase-fd 0 {name}"));
    for how in ["", "--in-place", "--new-key"] {
        encrypt(&room, b"secret", "c").succeeds();
        let rekey = format!("$P rekey {how} --passphrase-fd 3 --new-passphrase-fd");
        // From two descriptors, or one after the other through one pipe.
        room.write("secret", b"secret\n");
        room.write("other", b"other\n");
        let two = room.shell(&format!("{rekey} 4 c 3< secret 4< other"));
        assert!(two.0.status.success(), "{}", two.errors());
        assert_eq!(other("c").succeeds(), b"message");
        encrypt(&room, b"secret", "c").succeeds();
        let one = room.shell(&format!("cat secret other | {rekey} 3 c 3<&0"));
        assert!(one.0.status.success(), "{}", one.errors());
        assert_eq!(other("c").succeeds(), b"message");
        // Also from one file; but not from a descriptor that nobody has given.
        encrypt(&room, b"secret", "c").succeeds();
        room.write("both", b"secret\nother\n");
        room.shell(&format!("{rekey} 4 c 3< both")).fails(1, "file descriptor 4");
        let one = room.shell(&format!("{rekey} 3 c 3< both"));
        assert!(one.0.status.success(), "{}", one.errors());
        assert_eq!(other("c").succeeds(), b"message");
        // To a key file, and not beside one.
        let keep = room.shell("echo other | $P rekey --keep --passphrase-fd 0 --to-key k c");
        keep.fails(2, "a passphrase does not go with other recipients");
        let key = room.shell("echo other | $P rekey --passphrase-fd 0 --to-key k c");
        assert!(key.0.status.success(), "{}", key.errors());
        room.opens("k", "c", b"message");
    }
    encrypt(&room, b"secret", "c").succeeds();
    let both = "$P rekey --passphrase-fd 0 --new-passphrase-fd 0 c";
    room.shell(&format!("echo secret | {both}")).fails(2, "a passphrase has 1 to 4096 bytes");
    assert!(room.shell(&format!("cat both | {both}")).0.status.success());
    assert_eq!(other("c").succeeds(), b"message");
}

#[test]
fn standard_input_gives_the_key_or_the_contents() {
    let room = room();
    room.write("id", &std::fs::read(age_fixture("x25519.txt")).unwrap());
    room.write("secret", b"secret\n");
    let refused = "cannot both come from one stream";
    let ways = [("--passphrase-fd 0", "secret"), ("-k -", "k"), ("-k /dev/stdin", "k")];
    let identities = [("-i -", "id"), ("-i /dev/stdin", "id"), ("-i /dev/fd/0", "id")];
    for (how, key) in [ways, identities].concat() {
        room.shell(&format!("$P encrypt {how} -f -o c m < {key}")).succeeds();
        room.shell(&format!("cat {key} | $P encrypt {how} -f -o c m")).succeeds();
        let opened = room.shell(&format!("cat {key} | $P decrypt {how} c"));
        assert_eq!(opened.succeeds(), b"message");
        let part = room.shell(&format!("cat {key} | $P cat --range 0-3 {how} c"));
        assert_eq!(part.succeeds(), b"mess");
        for input in ["", "-", "/dev/stdin"] {
            for line in ["encrypt -o new", "decrypt -o new", "verify"] {
                room.shell(&format!("cat {key} | $P {line} {how} {input}")).fails(2, refused);
            }
        }
    }
    // Two keys cannot, either.
    for (how, key) in [("-k - -k -", "k"), ("-k - -i -", "k"), ("-i - --passphrase-fd 0", "id")] {
        room.shell(&format!("cat {key} | $P decrypt {how} c")).fails(2, refused);
    }
    let recipient = "sed -n 's/# public key: //p' id";
    room.shell(&format!("{recipient} | $P encrypt -R - -f -o c m")).succeeds();
    room.shell(&format!("{recipient} | $P encrypt -R - -o new")).fails(2, refused);
    assert!(!room.path("new").exists());
}

#[test]
fn it_opens_an_age_file_too() {
    let room = room();
    room.write("given", b"secret\n");
    room.shell("$P encrypt --format age --passphrase-fd 3 -o c.age m 3< given").succeeds();
    assert!(room.read("c.age").starts_with(b"age-encryption.org/v1\n-> scrypt "));
    assert_eq!(decrypt(&room, b"secret", "c.age").succeeds(), b"message");
    decrypt(&room, b"another", "c.age").fails(4, "the passphrase is wrong");
    decrypt(&room, b"\xff", "c.age").fails(2, "UTF-8");
    room.run(["decrypt", "-i", &age_fixture("x25519.txt"), "c.age"], b"")
        .fails(4, "was encrypted with a passphrase");
}
