//! Secrets that are given where something else belongs are neither used nor shown, and no stream is
//! read for two things.

#![cfg(unix)]

use crate::common::TestDir;

/// A line that is a key: the last of the file that keygen has written.
fn key(room: &TestDir, kind: &str) -> String {
    room.run(["keygen", "-t", kind, "-o", kind], b"");
    let file = String::from_utf8(room.read(kind)).unwrap();
    let is_key = |line: &&str| !line.starts_with('#') && !line.is_empty();
    file.lines().find(is_key).unwrap().to_owned()
}

#[test]
fn a_key_in_the_place_of_a_file_is_not_shown() {
    let room = TestDir::new();
    room.write("m", b"message");
    for kind in ["key-file", "x25519", "hybrid"] {
        let secret = key(&room, kind);
        for args in [
            &["encrypt", "-k", &secret, "m"][..],
            &["encrypt", "-i", &secret, "m"],
            &["encrypt", "-R", &secret, "m"],
            &["encrypt", "-r", &secret, "m"],
            &["decrypt", "-k", &secret, "m"],
            &["decrypt", "-i", &secret, "m"],
            &["decrypt", &secret],
            &["inspect", &secret],
            &["encrypt", "--json", "-k", "k", "-o", "out", &secret],
            &["decrypt", "--json", "-k", "k", "-o", "out", &secret],
            &["verify", "--json", "-k", "k", &secret],
            &["encrypt", "-k", "k", "-o", &format!("{secret}/out"), "m"],
            &["aead", "seal", "-s", "aegis-128l", "--key-file", &secret, "m"],
            &["encrypt", &format!("--key-file={secret}"), "m"],
            &["encrypt", "-s", &secret, "-k", "k", "m"],
        ] {
            let outcome = room.run(args, b"");
            assert!(!outcome.0.status.success(), "{args:?}");
            let told = outcome.errors() + &String::from_utf8_lossy(&outcome.0.stdout);
            // Not a part of it either, beyond what says what it is.
            let part = &secret[secret.len() - 12..];
            assert!(!told.to_lowercase().contains(&part.to_lowercase()), "{args:?}: {told}");
        }
    }
    // With the hyphens of a word processor; and in hexadecimal, where no file's name belongs.
    let typeset = key(&room, "key-file").replace('-', "\u{2011}");
    let digits = "0123456789abcdef".repeat(4);
    for args in [
        &["encrypt", "-k", &typeset, "m"][..],
        &["inspect", &typeset],
        &["encrypt", "-k", &digits, "m"],
        &["decrypt", "--key-file", &digits, "m"],
        &["rekey", "-k", "k", "--to-key", &digits, "m"],
        &["encrypt", "-k", "k", "-s", &digits, "m"],
        &["encrypt", "-k", "k", "--threads", &digits, "m"],
        &["encrypt", "-k", "k", "--segment-size", &digits, "m"],
        &["aead", "seal", "-s", "aegis-128l", "--key-file", &digits, "m"],
        &["aead", "seal", "-s", &digits, "--key-file", "k", "m"],
        &["aead", "seal", "-s", "aegis-128l", "--param", &digits, "--key-file", "k", "m"],
        &["aead", "seal", "-s", "aegis-128l", "--param", &format!("tag={digits}"), "m"],
        &["aead", "seal", "-s", "aegis-128l", &format!("--{digits}"), "m"],
    ] {
        let outcome = room.run(args, b"");
        assert!(!outcome.0.status.success(), "{args:?}");
        let part = &args.iter().max_by_key(|arg| arg.len()).unwrap();
        let part = &part[part.len() - 12..];
        assert!(!outcome.errors().contains(part), "{args:?}: {}", outcome.errors());
    }
    // A file's name may be its hash.
    room.run(["inspect", &digits], b"").fails(1, &digits);
    // A new file is not called by a secret, either.
    let names = room.names();
    let secret = key(&room, "x25519");
    room.run(["encrypt", "-k", "k", "-o", &secret, "m"], b"").fails(2, "a key was given where");
    assert_eq!(room.names(), names);
    // The output of ssh-keygen, whole or without its first line.
    let body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n\
                ZWQyNTUxOQAAACDSECRETSECRETSECRET=\n";
    let whole =
        format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}-----END OPENSSH PRIVATE KEY-----");
    for secret in [&whole, body] {
        for option in ["-i", "-r", "-R", "-k"] {
            let told = room.run(["encrypt", option, secret, "m"], b"").errors();
            assert!(!told.contains("SECRET"), "{option}: {told}");
        }
    }
    // A plugin's identity, which no program here can make.
    let plugin = format!("AGE-PLUGIN-YUBIKEY-1{}", "QPZRY9X8GF2TVDW0S3JN".repeat(2));
    // In either case, although age takes one of them alone; and a key of a later version.
    let later = format!("polyseal-key-2-{}", "qpzry9".repeat(10));
    for secret in [plugin.to_lowercase(), plugin, later] {
        let run = room.run(["decrypt", "-i", &secret, "m"], b"");
        let told = run.fails(2, "a key was given").errors();
        assert!(!told.to_lowercase().contains("qpzry9"), "{told}");
    }
    room.run(["encrypt", "-k", &key(&room, "key-file"), "m"], b"")
        .fails(2, "a key was given where the name of the key file belongs");
}

#[test]
fn a_passphrase_on_the_command_line_is_not_shown() {
    let room = TestDir::new();
    for args in [
        ["encrypt", "--passphrase=battery staple", "m"],
        ["decrypt", "--passphrase=battery staple", "m"],
        ["rekey", "--passphrase=battery staple", "m"],
        ["decrypt", "--passphrase-fd=battery staple", "m"],
    ] {
        let told = room.run(args, b"").fails(2, "passphrase").errors();
        assert!(!told.contains("battery") && told.contains("withheld"), "{told}");
    }
}

#[test]
fn a_file_whose_name_begins_like_a_key_is_a_file() {
    let room = TestDir::new();
    room.write("m", b"message");
    std::fs::rename(room.path("k"), room.path("polyseal-key-1-of-mine")).unwrap();
    room.run(["encrypt", "-k", "polyseal-key-1-of-mine", "-o", "c", "m"], b"").succeeds();
}

/// As the shell has it, with `$P` for the tool.
#[test]
fn one_stream_is_not_read_for_two_things() {
    let room = TestDir::new();
    room.write("m", b"message");
    room.write("hex", &b"42".repeat(16));
    let seal = "$P aead seal -s aegis-128l -o out";
    for line in [
        &format!("cat hex | {seal} --key-file -")[..],
        &format!("cat hex | {seal} --key-file /dev/stdin"),
        &format!("cat hex | {seal} --key-file hex --ad-file - -"),
        &format!("cat hex | {seal} --key-file - --ad-file /proc/thread-self/fd/0 m"),
        &format!("{seal} --key-file hex --ad-file - - <m"),
        &format!("{seal} --key-file hex --ad-file - <m"),
        &format!("{seal} --key-file - <hex"),
        &format!("{seal} --key-file /dev/stdin <hex"),
        &format!("{seal} --key-file /dev/fd/3 <hex 3<&0"),
        &format!("{seal} --key-file hex --ad-file /proc/thread-self/fd/0 - <m"),
        &format!("{seal} --key-file hex - <hex"),
        "$P encrypt -k k -k /proc/self/fd/0 -o out - <k",
        "$P encrypt --passphrase-fd 0 -o out <k",
        "cat k | $P encrypt -k /proc/thread-self/fd/0 -o out",
        "cat k | $P decrypt -k /dev/fd/3 -o out 3<&0",
        "cat k | $P encrypt -k k -k /proc/thread-self/fd/0 -o out -",
        "cat k | $P encrypt --passphrase-fd 3 -o out 3<&0",
    ] {
        let outcome = room.shell(line);
        outcome.fails(2, "cannot both come from");
        assert!(!room.path("out").exists(), "{line}");
    }
    // Regular files are read from their beginning each time.
    room.shell("$P aead seal -s aegis-128l -o out --key-file hex --ad-file hex hex 2>nonce")
        .succeeds();
}

#[test]
fn text_is_no_raw_key() {
    let room = TestDir::new();
    room.write("m", b"message");
    let digits = b"42".repeat(16);
    for (suite, key) in [
        ("aegis-256", &digits[..]),
        ("aegis-256", b"correct horse battery staple 12\n"),
        ("aegis-128l", b"0123456789abcdef"),
    ] {
        room.write("text", key);
        room.run(["aead", "seal", "-s", suite, "--key-file", "text", "m"], b"")
            .fails(2, "text is text, and no key of");
    }
    room.write("text", &digits);
    let sealed = room.run(["aead", "seal", "-s", "aegis-128l", "--key-file", "text", "m"], b"");
    assert!(sealed.0.status.success(), "32 digits are a key of 16 bytes");
    room.write("raw", &[0x81; 16]);
    let sealed = room.run(["aead", "seal", "-s", "aegis-128l", "--key-file", "raw", "m"], b"");
    assert!(sealed.0.status.success(), "and so are 16 bytes");
}

/// A placeholder is a key that everyone has; it is used all the same, for it may be that of old
/// data.
#[test]
fn keys_that_nobody_drew() {
    let room = TestDir::new();
    room.write("m", b"message");
    room.write("zeros", &[0; 32]);
    room.write("counted", format!("polyseal-key-1-{}\n", "ab".repeat(32)).as_bytes());
    room.write("short.hex", "000102030405060708090a0b0c0d0e0f\n".as_bytes());
    let told = |line: &str, file: &str| {
        let outcome = room.shell(&format!("$P {line}"));
        let warning = format!("polyseal: warning: the key in {file} was not drawn at random");
        assert!(outcome.0.status.success() && outcome.errors().contains(&warning), "{line}");
    };
    told("encrypt -k zeros -o c m", "zeros");
    told("decrypt -k zeros c", "zeros");
    told("rekey -k zeros --to-key counted c", "counted");
    told("aead seal --suite aes-256-gcm --key-file zeros m", "zeros");
    told("aead seal --suite aegis-128l --key-file short.hex m", "short.hex");
}
