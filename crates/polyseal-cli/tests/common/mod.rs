//! Running the tool in a directory of its own.

#![allow(dead_code, reason = "each test file uses what it needs")]

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Once;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

pub(crate) const TOOL: &str = env!("CARGO_BIN_EXE_polyseal");

/// A directory with a key `k`, removed at the end.
pub(crate) struct TestDir(pub(crate) tempfile::TempDir);

static DEFAULT_SIGNALS: Once = Once::new();

/// Gives the tool the default of the signals that it answers, also where the tests were started
/// with some ignored: a signal with a handler here has none after `exec`.
#[cfg(unix)]
fn default_signals() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::flag::register_conditional_default;

    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        register_conditional_default(signal, Arc::new(AtomicBool::new(true))).unwrap();
    }
}

#[cfg(windows)]
fn default_signals() {}

impl TestDir {
    pub(crate) fn new() -> Self {
        let room = Self(tempfile::tempdir().unwrap());
        room.run(["keygen", "-o", "k"], b"").succeeds();
        room
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names of everything in the directory, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        names(self.0.path())
    }

    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        DEFAULT_SIGNALS.call_once(default_signals);
        let mut command = Command::new(TOOL);
        command.args(args).current_dir(self.0.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the tool with `input` on its standard input.
    pub(crate) fn run<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        input: &[u8],
    ) -> Outcome {
        let child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        feed(child, input)
    }

    /// Runs a line of the shell, in which `$P` is the tool.
    pub(crate) fn shell(&self, line: &str) -> Outcome {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).env("P", TOOL).current_dir(self.0.path()).stdin(Stdio::null());
        Outcome(shell.output().unwrap())
    }

    /// Asserts that the sealed file opens with the key, and what it is then.
    #[track_caller]
    pub(crate) fn opens(&self, key: &str, sealed: &str, message: &[u8]) {
        let opened = self.run(["decrypt", "-k", key, sealed], b"").succeeds();
        assert!(opened == message, "{sealed} is not what it should be");
    }

    /// A sealed file `c` of `message`, with the key `k`.
    pub(crate) fn seal(&self, message: &[u8]) -> Vec<u8> {
        self.run(["encrypt", "-k", "k", "-o", "c", "-f"], message).succeeds();
        self.read("c")
    }
}

pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn feed(mut child: Child, input: &[u8]) -> Outcome {
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // The tool may end without reading all of it.
        scope.spawn(move || {
            let _ = stdin.write_all(input);
        });
        Outcome(child.wait_with_output().unwrap())
    })
}

/// The outcome of a run of the tool.
pub(crate) struct Outcome(pub(crate) Output);

impl Outcome {
    #[track_caller]
    pub(crate) fn succeeds(self) -> Vec<u8> {
        assert!(self.0.status.success(), "{}: {}", self.0.status, self.errors());
        assert_eq!(self.errors(), "");
        self.0.stdout
    }

    /// Asserts the exit code and a part of the message.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, message: &str) -> Self {
        assert_eq!(self.0.status.code(), Some(code), "{}", self.errors());
        let errors = self.errors();
        assert!(errors.starts_with("polyseal: ") && errors.contains(message), "{errors}");
        self
    }

    pub(crate) fn errors(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }
}

/// Where the payload of a sealed file begins.
pub(crate) fn payload_offset(sealed: &[u8]) -> usize {
    u64::from_le_bytes(sealed[16..24].try_into().unwrap()) as usize
}

/// A key, or what belongs to it, that age or ssh-keygen made.
pub(crate) fn age_fixture(name: &str) -> String {
    let path = format!("{}/../polyseal-file/tests/age/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::canonicalize(path).unwrap().into_os_string().into_string().unwrap()
}

/// Whether a program is there.
pub(crate) fn have(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|directory| directory.join(program).is_file())
}

/// Bytes that no compression and no accident makes equal.
pub(crate) fn message(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
}

/// The most memory, in KiB, that the process has had.
pub(crate) fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Waits for the end of the process, which succeeds; the most memory, in KiB, that it has had when
/// it was last asked.
#[track_caller]
pub(crate) fn watch(mut child: Child) -> u64 {
    let mut most = 0;
    loop {
        most = peak(child.id()).map_or(most, |now| most.max(now));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return most;
        }
        sleep(Duration::from_millis(1));
    }
}

/// Its standard output is read by nobody.
pub(crate) fn alone(mut command: Command) -> Child {
    command.stdout(Stdio::null()).spawn().unwrap()
}

/// Starts a rekey of `path`, which stops when the file is locked, until there is a file `go`.
pub(crate) fn rekey_until_locked(room: &TestDir, args: &[&str], path: &str) -> Child {
    let args = [&["rekey", "-k", "k"], args, &[path]].concat();
    let mut child = room.command(args).env("POLYSEAL_TEST_LOCKED_UNTIL", "go").spawn().unwrap();
    // Shared, as the tool's own look for an interrupted rekey is, which is no lock to wait for; and
    // given back by closing, for Wine does not know the lock of a whole file again.
    let is_locked = || {
        let file = File::open(room.path(path)).unwrap();
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    };
    let start = Instant::now();
    while !is_locked() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("nothing locks {path}");
        }
        sleep(Duration::from_millis(5));
    }
    child
}

/// Rekeys a tree of so many files, is killed at some moments, and runs again until it is done: at
/// each of them every file opens with one of the keys, if every copy of a header is put back; and
/// at the end with the new one.
pub(crate) fn rekey_a_tree_and_be_killed(count: usize, how: &[&str]) {
    let room = TestDir::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    fs::create_dir(room.path("d")).unwrap();
    (0..count).for_each(|i| room.write(&format!("d/m{i}"), format!("message {i}").as_bytes()));
    room.run(["encrypt", "-k", "k", "--recursive", "-o", "s", "d"], b"").succeeds();
    let rekey = [&["rekey", "-k", "k", "--to-key", "other", "--recursive", "s"], how].concat();
    let (mut killed, mut copies) = (0, 0);
    let start = if cfg!(windows) { 60 } else { count as u64 / 30 };
    let mut patience = Duration::from_millis(start);
    loop {
        let mut child = room.command(&rekey).stdout(Stdio::null()).spawn().unwrap();
        sleep(patience);
        patience += patience / 4;
        let _ = child.kill();
        if child.wait().unwrap().success() {
            break;
        }
        killed += 1;
        copies += usize::from(every_file_opens_when_put_back(&room));
        remove_half_named(&room.path("s"));
    }
    assert!(killed > 2, "{killed}");
    eprintln!("killed {killed} times, {copies} with copies of headers");
    let shown = room.run(["verify", "-k", "other", "--recursive", "s"], b"").succeeds();
    assert_eq!(lines(&shown), count + 1);
}

/// Asserts that every sealed file in `s` opens with `k` or `other`, when the copies of headers have
/// been put back; that is done in another place. Whether there were any.
pub(crate) fn every_file_opens_when_put_back(room: &TestDir) -> bool {
    let _ = fs::remove_dir_all(room.path("s2"));
    let mut names = Vec::new();
    copy_tree(&room.path("s"), &room.path("s2"), b"s2", &mut names);
    let copies = names.iter().filter(|name| name.ends_with(b".header-backup")).count();
    let restored = room.run(["rekey", "--restore", "--recursive", "s2"], b"").succeeds();
    assert_eq!(lines(&restored), copies);
    let is_file = |name: &&Vec<u8>| {
        name.ends_with(b".polyseal") && **name != b"s2/.polyseal-manifest.polyseal"
    };
    let list = names.iter().filter(is_file).map(|name| [name, &b"\n"[..]].concat());
    let list = &list.collect::<Vec<_>>().concat();
    let both = ["verify", "-k", "k", "-k", "other"];
    let listed = [&both[..], &["--files-from", "-"]].concat();
    // One for each, and the total.
    assert_eq!(lines(&room.run(listed, list).succeeds()), lines(list) + 1);
    let manifest = ["--context", "polyseal-manifest/3", "s2/.polyseal-manifest.polyseal"];
    room.run([&both[..], &manifest].concat(), b"").succeeds();
    copies > 0
}

/// Copies a tree, which is called `shown`; the paths of its files, of whatever bytes, are added to
/// `files`.
fn copy_tree(from: &Path, to: &Path, shown: &[u8], files: &mut Vec<Vec<u8>>) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        let shown = [shown, b"/", name.as_encoded_bytes()].concat();
        if from.join(&name).is_dir() {
            copy_tree(&from.join(&name), &to.join(&name), &shown, files);
        } else {
            fs::copy(from.join(&name), to.join(&name)).unwrap();
            files.push(shown);
        }
    }
}

pub(crate) fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

/// Between link and rename, a whole new file has a name, which nobody removes after SIGKILL.
fn remove_half_named(directory: &Path) {
    let is_left = |name: &String| name.starts_with(".polyseal-") && name.ends_with(".tmp");
    for name in names(directory).into_iter().filter(is_left) {
        fs::remove_file(directory.join(name)).unwrap();
    }
}

/// A test that this machine cannot run: a notice, or in CI a failure.
pub(crate) fn cannot(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "in CI this must be possible: {what}");
    eprintln!("SKIPPED: {what}");
}
