//! Behaviour at a terminal, a real one as far as the tool can tell.

#![cfg(unix)]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Outcome, TOOL, TestDir, age_fixture, message};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

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
enum TerminalStream {
    Output,
    Errors,
}

/// Runs `command` with one of its outputs at a terminal; what appears there, and on the other.
fn run(mut command: Command, at: TerminalStream) -> (ExitStatus, String, String) {
    let (mut ours, theirs) = terminal();
    match at {
        TerminalStream::Output => command.stdout(theirs),
        TerminalStream::Errors => command.stderr(theirs),
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
    let other = if at == TerminalStream::Output { output.stderr } else { output.stdout };
    (output.status, reader.join().unwrap(), String::from_utf8_lossy(&other).into_owned())
}

#[test]
fn ciphertext_is_not_shown_unless_asked_for() {
    let room = TestDir::new();
    room.write("m", b"message");
    let (status, shown, errors) =
        run(room.command(["encrypt", "-k", "k", "m"]), TerminalStream::Output);
    assert_eq!((status.code(), shown.as_str()), (Some(2), ""));
    assert!(errors.contains("not writing binary data to a terminal"), "{errors}");
    let key = format!("--key={}", "00".repeat(16));
    let args = ["aead", "seal", "--suite", "aegis-128l", &key, "m"];
    assert_eq!(run(room.command(args), TerminalStream::Output).0.code(), Some(2));
    let (status, shown, _) =
        run(room.command(["encrypt", "-k", "k", "-o", "-", "m"]), TerminalStream::Output);
    assert!(status.success() && shown.starts_with("polyseal"));
}

#[test]
fn plaintext_is_shown_if_it_is_text() {
    let room = TestDir::new();
    room.seal("Grüße\tan\nalle\n".as_bytes());
    let (status, shown, _) = run(room.command(["decrypt", "-k", "k", "c"]), TerminalStream::Output);
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
        // A line that is written over, and text whose direction is changed.
        b"good\rbad",
        b"\r",
        b"\r\r\n",
        b"\r\xe2\x82",
        "\u{202e}".as_bytes(),
        "\u{2066}".as_bytes(),
        "\u{200f}".as_bytes(),
        "\u{61c}".as_bytes(),
        // The character that is begun does not end.
        b"\xe2\x82",
    ];
    for secret in refused {
        room.seal(secret);
        let (status, shown, errors) =
            run(room.command(["decrypt", "-k", "k", "c"]), TerminalStream::Output);
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
        let (status, shown, _) = run(room.command(args("open", "s")), TerminalStream::Output);
        assert_eq!((status.code(), shown.as_str()), (Some(2), ""), "{secret:x?}");
    }
}

/// Characters lie across the edges of segments and of the pieces that are written, and a control
/// character at the end keeps all of it away.
#[test]
fn text_is_looked_at_before_any_of_it_is_shown() {
    let room = TestDir::new();
    let euros = "x".to_owned() + &"\u{20ac}".repeat(250_000);
    room.seal(euros.as_bytes());
    let (status, shown, errors) =
        run(room.command(["decrypt", "-k", "k", "c"]), TerminalStream::Output);
    assert!(status.success(), "{errors}");
    assert!(shown == euros);
    let lines = "x".to_owned() + &"\r\n".repeat(150_000);
    room.seal(lines.as_bytes());
    let (status, shown, errors) =
        run(room.command(["decrypt", "-k", "k", "c"]), TerminalStream::Output);
    assert!(status.success(), "{errors}");
    assert!(shown == lines.replace('\n', "\r\n"));
    room.seal(format!("{}\u{9b}", "x".repeat(400_000)).as_bytes());
    let (status, shown, _) = run(room.command(["decrypt", "-k", "k", "c"]), TerminalStream::Output);
    assert_eq!((status.code(), shown.len()), (Some(2), 0));
}

#[test]
fn progress_is_shown_at_a_terminal_and_only_for_large_files() {
    let room = TestDir::new();
    room.write("large", &message(80 << 20));
    room.write("small", &message(1 << 20));
    let args = |name| ["encrypt", "-k", "k", "-f", "-o", "c", name];
    let (status, shown, _) = run(room.command(args("large")), TerminalStream::Errors);
    assert!(status.success());
    assert!(shown.contains("MiB/") && shown.contains("/s"), "{shown:?}");
    let (status, shown, _) = run(room.command(args("small")), TerminalStream::Errors);
    assert!(status.success());
    assert_eq!(shown, "");
    // Not a terminal: nothing, or the errors of a script's log would be full of it.
    let output = room.command(args("large")).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}

/// Over files and bytes, with the time left; for a tree, for files that are named, and where only
/// headers are changed.
#[test]
fn progress_over_many_files_says_how_many_are_left() {
    let room = TestDir::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    std::fs::create_dir(room.path("d")).unwrap();
    (0..1200).for_each(|i| room.write(&format!("d/m{i}"), &message(20_000)));
    let tree = ["-k", "k", "--jobs", "1", "--recursive"];
    for args in [
        &["encrypt", "-o", "s", "d"][..],
        &["verify", "s"],
        &["decrypt", "-o", "d2", "s"],
        &["rekey", "--in-place", "--to-key", "other", "s"],
    ] {
        let command = room.command([&args[..1], &tree, &args[1..]].concat());
        let (status, shown, _) = run(command, TerminalStream::Errors);
        assert!(status.success(), "{shown:?}");
        assert!(shown.contains(" of 1200 files  "), "{args:?}: {shown:?}");
        // 22.89 MiB, the speed, and some seconds left.
        assert!(shown.contains("/22.89 MiB  ") && shown.contains("iB/s  "), "{args:?}: {shown:?}");
        let seconds = (0..30).any(|left| shown.contains(&format!("B/s  {left}s")));
        assert!(seconds, "{args:?}: {shown:?}");
    }
    // The names of a list are counted where it is a file.
    room.shell("find d -type f >list && find s -name 'm*' >sealed").succeeds();
    // To verify is fastest: each file is named several times, so that it takes long enough.
    room.shell("cat sealed sealed sealed sealed sealed >often").succeeds();
    std::fs::create_dir(room.path("listed")).unwrap();
    for (files, args) in [
        (1200, &["encrypt", "-k", "k", "-o", "listed", "--files-from", "list"][..]),
        (6000, &["verify", "-k", "other", "--files-from", "often"]),
        (1200, &["rekey", "-k", "other", "--to-key", "k", "--in-place", "--files-from", "sealed"]),
        (1200, &["rekey", "-k", "k", "--to-key", "other", "--files-from", "sealed"]),
    ] {
        let command = room.command([args, &["--jobs", "1"]].concat());
        let (status, shown, _) = run(command, TerminalStream::Errors);
        assert!(status.success(), "{shown:?}");
        assert!(shown.contains(&format!(" of {files} files  ")), "{args:?}: {shown:?}");
        let seconds = (0..30).any(|left| shown.contains(&format!("B/s  {left}s")));
        assert!(seconds, "{args:?}: {shown:?}");
    }
    let few = ["verify", "-k", "other", "s/m1.polyseal", "s/m2.polyseal"];
    let (status, shown, _) = run(room.command(few), TerminalStream::Errors);
    assert!(status.success());
    assert_eq!(shown, "");
    let large = ["encrypt", "-k", "k", "a", "b"];
    ["a", "b"].iter().for_each(|name| room.write(name, &message(40 << 20)));
    let (status, shown, _) = run(room.command(large), TerminalStream::Errors);
    assert!(status.success());
    assert!(shown.contains("/80.00 MiB  "), "{shown:?}");
}

/// Somebody at a terminal, which is the controlling one of a line of the shell and its standard
/// input. Standard output and errors are pipes.
struct Session {
    ours: File,
    child: Child,
    shown: Receiver<Vec<u8>>,
    seen: String,
    /// The length of the output that has been waited for.
    known: usize,
}

const PATIENCE: Duration = Duration::from_secs(30);

impl Session {
    /// Begins one, where there is a program for it.
    fn new(room: &TestDir, line: &str) -> Option<Self> {
        if !crate::common::have("setsid") {
            crate::common::cannot("setsid is missing, which gives a program its terminal");
            return None;
        }
        let (ours, theirs) = terminal();
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait", "sh", "-c", line]).current_dir(room.0.path());
        command.env("P", TOOL).stdin(theirs).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let (sender, shown) = channel();
        let mut terminal = ours.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = terminal.read(&mut buffer) {
                if sender.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        Some(Self { ours, child, shown, seen: String::new(), known: 0 })
    }

    /// Waits until the terminal shows something.
    #[track_caller]
    fn expect(&mut self, text: &str) {
        while !self.seen[self.known..].contains(text) {
            let Ok(more) = self.shown.recv_timeout(PATIENCE) else {
                panic!("{text:?} is not shown, but {:?}", self.seen);
            };
            self.seen += &String::from_utf8(more).unwrap();
        }
        self.known += self.seen[self.known..].find(text).unwrap() + text.len();
    }

    /// Waits for a question, and answers it.
    #[track_caller]
    fn answer(&mut self, question: &str, answer: &str) {
        self.begin_answer(question, &format!("{answer}\r"));
    }

    /// Waits for a question, and until what is typed is not shown; then types.
    #[track_caller]
    fn begin_answer(&mut self, question: &str, typed: &str) {
        self.expect(question);
        let start = Instant::now();
        while modes(&self.ours).contains(LocalModes::ECHO) {
            assert!(start.elapsed() < PATIENCE, "what is typed is shown");
            sleep(Duration::from_millis(2));
        }
        self.ours.write_all(typed.as_bytes()).unwrap();
    }

    /// The same, and waits until the program has read it. Input that the kernel still has on its
    /// way when the program puts the terminal right would be shown, as it is with every program.
    #[track_caller]
    fn type_to_the_end(&mut self, question: &str, typed: &str) {
        self.begin_answer(question, typed);
        let name = ptsname(&self.ours, Vec::new()).unwrap();
        let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let start = Instant::now();
        // To be asked for it makes the kernel bring what is on its way.
        let waits = || {
            let mut asked = [PollFd::new(&theirs, PollFlags::IN)];
            poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap() > 0
        };
        while waits() {
            assert!(start.elapsed() < PATIENCE, "what is typed is not read");
            sleep(Duration::from_millis(2));
        }
    }

    /// Waits for the end: the terminal is as it was, and has not shown any of the secrets.
    #[track_caller]
    fn end(mut self, secrets: &[&str]) -> (String, Outcome) {
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            if start.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                let more: Vec<_> = self.shown.try_iter().flatten().collect();
                panic!("it does not end: {:?}", self.seen + &String::from_utf8_lossy(&more));
            }
            sleep(Duration::from_millis(2));
        }
        let outcome = Outcome(self.child.wait_with_output().unwrap());
        let usual = LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        assert!(modes(&self.ours).contains(usual), "{:?}", self.seen);
        while let Ok(more) = self.shown.recv() {
            self.seen += &String::from_utf8(more).unwrap();
        }
        for secret in secrets {
            let output = String::from_utf8_lossy(&outcome.0.stdout);
            let anywhere = [&self.seen, &outcome.errors(), &*output].concat();
            assert!(!anywhere.contains(secret), "{anywhere:?}");
        }
        (self.seen, outcome)
    }
}

fn modes(terminal: &File) -> LocalModes {
    tcgetattr(terminal).unwrap().local_modes
}

const NEW: &str = "New passphrase (leave empty to have one made): ";
const AGAIN: &str = "Repeat the new passphrase: ";
const OLD: &str = "Passphrase: ";

/// Encrypts `m` to `c` with a passphrase that is typed.
fn encrypt(room: &TestDir, secret: &str) -> Option<()> {
    let mut session = Session::new(room, "exec $P encrypt -p -f -o c m")?;
    session.answer(NEW, secret);
    session.answer(AGAIN, secret);
    let (seen, outcome) = session.end(&[secret]);
    outcome.succeeds();
    assert_eq!(seen.matches("\r\n").count(), 2, "{seen:?}");
    Some(())
}

#[test]
fn a_new_passphrase_is_asked_for_twice_and_an_old_one_once() {
    let room = TestDir::new();
    room.write("m", b"message");
    // Also with spaces, beyond ASCII, and as long as it may be.
    for secret in ["attack at dawn", " gr\u{fc}\u{df}e \u{5bc6}\u{94a5} ", &"long".repeat(1024)] {
        let Some(()) = encrypt(&room, secret) else { return };
        let mut session = Session::new(&room, "exec $P decrypt c").unwrap();
        session.answer(OLD, secret);
        let (seen, outcome) = session.end(&[secret]);
        assert_eq!(
            (outcome.succeeds().as_slice(), seen.as_str()),
            (&b"message"[..], "Passphrase: \r\n")
        );
        // It is the same as from a descriptor.
        room.write("given", secret.as_bytes());
        let given = room.shell("$P decrypt --passphrase-fd 0 c < given");
        assert_eq!(given.succeeds(), b"message");
    }
}

#[test]
fn two_passphrases_that_differ_are_refused() {
    let room = TestDir::new();
    room.write("m", b"message");
    let Some(mut session) = Session::new(&room, "exec $P encrypt -p -o c m") else { return };
    session.answer(NEW, "attack at dawn");
    session.answer(AGAIN, "attack at down");
    session.end(&["attack"]).1.fails(2, "the two passphrases differ");
    assert_eq!(room.names(), ["k", "m"]);
}

#[test]
fn a_wrong_passphrase_is_no_matching_key() {
    let room = TestDir::new();
    room.write("m", b"message");
    let Some(()) = encrypt(&room, "attack at dawn") else { return };
    for (wrong, code) in [("attack at down", 4), ("attack at dawn ", 4), ("", 2)] {
        let mut session = Session::new(&room, "exec $P decrypt -o d c").unwrap();
        session.answer(OLD, wrong);
        session.end(&["attack"]).1.fails(code, "passphrase");
    }
    assert_eq!(room.names(), ["c", "k", "m"]);
}

#[test]
fn a_made_passphrase_is_shown_at_the_terminal_and_nowhere_else() {
    let room = TestDir::new();
    room.write("m", b"message");
    let Some(mut session) = Session::new(&room, "exec $P encrypt -p -o - m | cat") else { return };
    session.answer(NEW, "");
    session.expect("The new passphrase is ");
    session.expect("\r\n");
    let made = session.seen.trim_end().rsplit(' ').next().unwrap().to_owned();
    assert_eq!(made.len(), 24);
    let (_, outcome) = session.end(&[]);
    let sealed = outcome.succeeds();
    assert!(!String::from_utf8_lossy(&sealed).contains(&made));
    room.write("c", &sealed);
    let mut session = Session::new(&room, "exec $P decrypt c").unwrap();
    session.answer(OLD, &made);
    assert_eq!(session.end(&[&made]).1.succeeds(), b"message");
}

#[test]
fn for_several_files_it_is_asked_for_once() {
    let room = TestDir::new();
    room.write("m", b"message");
    room.write("m2", b"another");
    let line = "$P encrypt -p m m2 && $P decrypt -f m.polyseal m2.polyseal && $P verify *.polyseal";
    let Some(mut session) = Session::new(&room, line) else { return };
    session.answer(NEW, "attack at dawn");
    session.answer(AGAIN, "attack at dawn");
    session.answer(OLD, "attack at dawn");
    session.answer(OLD, "attack at dawn");
    let (seen, outcome) = session.end(&["attack"]);
    assert_eq!(seen.matches(OLD).count(), 2, "{seen:?}");
    let shown = String::from_utf8(outcome.succeeds()).unwrap();
    assert_eq!(shown.matches("whole and authentic").count(), 2);
    assert_eq!((room.read("m"), room.read("m2")), (b"message".to_vec(), b"another".to_vec()));
}

#[test]
fn questions_are_at_the_terminal_whatever_the_pipes_are() {
    let room = TestDir::new();
    room.write("m", &message(300_000));
    let line = "cat m | $P encrypt -p 2>errors | cat > c; cat c | $P decrypt 2>>errors | cat > d";
    let Some(mut session) = Session::new(&room, line) else { return };
    session.answer(NEW, "attack at dawn");
    session.answer(AGAIN, "attack at dawn");
    session.answer(OLD, "attack at dawn");
    let (_, outcome) = session.end(&["attack"]);
    assert!(outcome.succeeds().is_empty());
    assert!(room.read("d") == message(300_000) && room.read("errors").is_empty());
}

#[test]
fn a_passphrase_is_changed() {
    let room = TestDir::new();
    room.write("m", b"message");
    for how in ["", "--in-place", "--new-key"] {
        let Some(()) = encrypt(&room, "attack at dawn") else { return };
        let mut session = Session::new(&room, &format!("exec $P rekey {how} -p c")).unwrap();
        // The new one is asked for last, when the file has opened.
        session.answer(OLD, "attack at dawn");
        session.answer(NEW, "retreat");
        session.answer(AGAIN, "retreat");
        let (_, outcome) = session.end(&["attack", "retreat"]);
        assert!(outcome.0.status.success(), "{}", outcome.errors());
        let opened = room.shell("echo retreat | $P decrypt --passphrase-fd 0 c");
        assert_eq!(opened.succeeds(), b"message");
    }
}

#[test]
fn without_a_terminal_there_are_no_questions() {
    if !crate::common::have("setsid") {
        return crate::common::cannot("setsid is missing, which takes the terminal away");
    }
    let room = TestDir::new();
    room.write("m", b"message");
    room.write("secret", b"attack at dawn");
    room.shell("$P encrypt --passphrase-fd 0 -o c m < secret").succeeds();
    let run = |line: &str| room.shell(&format!("setsid --wait $P {line}"));
    run("encrypt -p -o d m").fails(2, "no terminal").fails(2, "--passphrase-fd");
    run("rekey -p c").fails(4, "with a passphrase");
    run("rekey -p --passphrase-fd 0 c < secret").fails(2, "no terminal");
    run("decrypt -o d c").fails(4, "with a passphrase").fails(4, "--passphrase-fd");
    run("verify c").fails(4, "with a passphrase");
    let (plain, encrypted) = (age_fixture("x25519.txt"), age_fixture("encrypted.age"));
    run(&format!("encrypt -i {encrypted} -o d m")).fails(2, "needs its passphrase");
    run(&format!("encrypt -i {plain} -o x m")).succeeds();
    run(&format!("decrypt -i {encrypted} -o d x")).fails(4, "needs its passphrase");
    assert_eq!(room.names(), ["c", "k", "m", "secret", "x"]);
}

#[test]
fn encrypted_identities_are_asked_about() {
    let room = TestDir::new();
    for (plain, encrypted) in [
        ("x25519.txt", "encrypted.age"),
        ("hybrid.txt", "encrypted.asc"),
        ("ssh_ed25519_encrypted", "ssh_ed25519_encrypted"),
    ] {
        let how = if plain == encrypted {
            format!("-R {}", age_fixture("ssh_ed25519.pub"))
        } else {
            format!("-i {}", age_fixture(plain))
        };
        room.write("m", b"message");
        room.shell(&format!("$P encrypt {how} -f -o c m")).succeeds();
        let line = format!("exec $P decrypt -i {} c", age_fixture(encrypted));
        let Some(mut session) = Session::new(&room, &line) else { return };
        session.answer(&format!("{encrypted}: "), "polyseal");
        assert_eq!(session.end(&[]).1.succeeds(), b"message");
        let mut session = Session::new(&room, &line).unwrap();
        session.answer(&format!("{encrypted}: "), "something else");
        session.end(&["something"]).1.fails(4, "passphrase");
    }
}

/// Typed text is edited as elsewhere, and is the passphrase byte for byte, or none.
#[test]
fn what_is_typed_is_all_of_the_passphrase_or_none_of_it() {
    let room = TestDir::new();
    room.write("m", b"message");
    let Some(()) = encrypt(&room, "gr\u{fc}n") else { return };
    let edited = [
        "x\x15gr\u{fc}\u{5bc6}\x7fn",
        "gr\u{fc}nx\x08",
        "x yz \x17\x17gr\u{fc}n",
        "gr\u{fc}\x04n",
        "gr\x1a\x7f\u{fc}n",
    ];
    for typed in edited {
        let mut session = Session::new(&room, "exec $P decrypt c").unwrap();
        session.answer(OLD, typed);
        assert_eq!(session.end(&[]).1.succeeds(), b"message", "{typed:?}");
    }
    for (typed, why) in [
        (&b"gr\xfcn"[..], "UTF-8"),
        (b"gr\xc3n", "UTF-8"),
        (b"gr\xc3\xbcn\x1b[A", "control character"),
        (b"gr\xc3\xbcn\t", "control character"),
        (b"gr\xc3\xbcn\x1a", "control character"),
        (b"gr\xc2\x9b", "control character"),
    ] {
        for (line, question) in
            [("exec $P decrypt -o d c", OLD), ("exec $P encrypt -p -o d m", NEW)]
        {
            let mut session = Session::new(&room, line).unwrap();
            session.begin_answer(question, "");
            session.ours.write_all(typed).unwrap();
            session.ours.write_all(b"\r").unwrap();
            session.end(&["gr"]).1.fails(2, why).fails(2, "--passphrase-fd");
        }
    }
    let mut session = Session::new(&room, "exec $P decrypt -o d c").unwrap();
    session.answer(OLD, &"long".repeat(1025));
    session.end(&["long"]).1.fails(2, "1 to 4096 bytes");
    assert_eq!(room.names(), ["c", "k", "m"]);
}

/// Whatever ends it at a question: what is typed afterwards is shown again.
#[test]
fn the_terminal_is_put_right_when_a_question_is_not_answered() {
    let room = TestDir::new();
    room.write("m", b"message");
    let Some(()) = encrypt(&room, "attack at dawn") else { return };
    for (line, question, code) in
        [("exec $P encrypt -p -o d m", NEW, 2), ("exec $P decrypt -o d c", OLD, 4)]
    {
        let mut session = Session::new(&room, line).unwrap();
        session.begin_answer(question, "\x03");
        let status = session.end(&[]).1.0.status;
        assert_eq!(status.signal(), Some(Signal::INT.as_raw()), "{status}");
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
            let mut session = Session::new(&room, line).unwrap();
            session.type_to_the_end(question, "atta");
            kill_process(Pid::from_child(&session.child), signal).unwrap();
            let status = session.end(&["atta"]).1.0.status;
            assert_eq!(status.signal(), Some(signal.as_raw()), "{status}");
        }
        let mut session = Session::new(&room, line).unwrap();
        session.begin_answer(question, "\x04");
        session.end(&[]).1.fails(code, "no passphrase was typed");
    }
    assert_eq!(room.names(), ["c", "k", "m"]);
}

#[test]
fn armour_is_shown() {
    let room = TestDir::new();
    room.write("m", b"message");
    let (status, shown, errors) =
        run(room.command(["encrypt", "-a", "-k", "k", "m"]), TerminalStream::Output);
    assert!(status.success(), "{errors}");
    assert!(shown.starts_with("-----BEGIN POLYSEAL FILE-----\r\n"));
    // As it is copied from there.
    assert_eq!(room.run(["decrypt", "-k", "k"], shown.as_bytes()).succeeds(), b"message");
}
