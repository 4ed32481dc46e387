//! Behaviour at a terminal, a real one as far as the tool can tell.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus, Stdio};

use common::{Room, message};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A terminal: our end, and the end of the program.
fn terminal() -> (File, OwnedFd) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    (ours.into(), theirs)
}

#[derive(Clone, Copy, PartialEq)]
enum At {
    Output,
    Errors,
}

/// Runs `command` with one of its outputs at a terminal; what appears there, and on the other.
fn run(mut command: Command, at: At) -> (ExitStatus, String, String) {
    let (mut ours, theirs) = terminal();
    match at {
        At::Output => command.stdout(theirs),
        At::Errors => command.stderr(theirs),
    };
    let child = command.spawn().unwrap();
    drop(command);
    let reader = std::thread::spawn(move || {
        let mut seen = Vec::new();
        // It ends with EIO when the program has closed its end.
        let mut buffer = [0; 4096];
        while let Ok(n @ 1..) = ours.read(&mut buffer) {
            seen.extend_from_slice(&buffer[..n]);
        }
        String::from_utf8_lossy(&seen).into_owned()
    });
    let output = child.wait_with_output().unwrap();
    let other = if at == At::Output { output.stderr } else { output.stdout };
    (output.status, reader.join().unwrap(), String::from_utf8_lossy(&other).into_owned())
}

#[test]
fn ciphertext_is_not_shown_unless_asked_for() {
    let room = Room::new();
    room.write("m", b"message");
    let (status, shown, errors) = run(room.command(["encrypt", "-k", "k", "m"]), At::Output);
    assert_eq!((status.code(), shown.as_str()), (Some(2), ""));
    assert!(errors.contains("not writing binary data to a terminal"), "{errors}");
    let key = format!("--key={}", "00".repeat(16));
    let args = ["aead", "seal", "--suite", "aegis-128l", &key, "m"];
    assert_eq!(run(room.command(args), At::Output).0.code(), Some(2));
    let (status, shown, _) = run(room.command(["encrypt", "-k", "k", "-o", "-", "m"]), At::Output);
    assert!(status.success() && shown.starts_with("polyseal"));
}

#[test]
fn plaintext_is_shown_if_it_is_text() {
    let room = Room::new();
    room.seal("Grüße\tan\nalle\n".as_bytes());
    let (status, shown, _) = run(room.command(["decrypt", "-k", "k", "c"]), At::Output);
    assert!(status.success());
    assert_eq!(shown, "Grüße\tan\r\nalle\r\n");
    let refused = [
        &b"\x1b]0;title\x07"[..],
        b"\0",
        b"\x7f",
        // C1: "control sequence introducer", as a character and as a byte; any other such byte.
        "\u{9b}31m".as_bytes(),
        "\u{80}".as_bytes(),
        "\u{9f}".as_bytes(),
        b"\x9b31m",
        b"\x80",
        b"\xff",
        // The character that is begun does not end.
        b"\xe2\x82",
    ];
    for secret in refused {
        room.seal(secret);
        let (status, shown, errors) = run(room.command(["decrypt", "-k", "k", "c"]), At::Output);
        assert_eq!((status.code(), shown.as_str()), (Some(2), ""), "{secret:x?}");
        assert!(errors.contains("not writing binary data to a terminal"), "{errors}");
        let nonce = "--nonce=00000000000000000000000000000000";
        let key = format!("--key={}", "00".repeat(16));
        let args = |what, name| {
            ["aead", what, "--suite", "aegis-128l", &key, nonce, name].map(str::to_owned)
        };
        room.write("m", secret);
        let sealed = room.command(args("seal", "m")).output().unwrap().stdout;
        room.write("s", &sealed);
        let (status, shown, _) = run(room.command(args("open", "s")), At::Output);
        assert_eq!((status.code(), shown.as_str()), (Some(2), ""), "{secret:x?}");
    }
}

/// Characters lie across the edges of segments and of what is written at a time, and a control
/// character at the end of that keeps all of it away.
#[test]
fn text_is_looked_at_before_any_of_it_is_shown() {
    let room = Room::new();
    let euros = "x".to_owned() + &"\u{20ac}".repeat(250_000);
    room.seal(euros.as_bytes());
    let (status, shown, errors) = run(room.command(["decrypt", "-k", "k", "c"]), At::Output);
    assert!(status.success(), "{errors}");
    assert!(shown == euros);
    room.seal(format!("{}\u{9b}", "x".repeat(400_000)).as_bytes());
    let (status, shown, _) = run(room.command(["decrypt", "-k", "k", "c"]), At::Output);
    assert_eq!((status.code(), shown.len()), (Some(2), 0));
}

#[test]
fn progress_is_shown_at_a_terminal_and_only_for_large_files() {
    let room = Room::new();
    room.write("large", &message(80 << 20));
    room.write("small", &message(1 << 20));
    let args = |name| ["encrypt", "-k", "k", "-f", "-o", "c", name];
    let (status, shown, _) = run(room.command(args("large")), At::Errors);
    assert!(status.success());
    assert!(shown.contains("MiB/") && shown.contains("/s"), "{shown:?}");
    let (status, shown, _) = run(room.command(args("small")), At::Errors);
    assert!(status.success());
    assert_eq!(shown, "");
    // Not a terminal: nothing, or the errors of a script's log would be full of it.
    let output = room.command(args("large")).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}
