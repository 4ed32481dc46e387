//! Programs of the distribution that speak for a keeper: where they are looked for, and their input
//! and output.
//!
//! Source: none; `secret-tool` and tpm2-tools are run as their manual pages have it.
//!
//! Security claim: a program is taken only from a directory of the PATH that is absolute. A secret
//! goes to it by a pipe, never by an argument or a file. Its output is bounded, is wiped, and is in
//! no message; a message shows only its standard error, without control characters.
//!
//! Limits: bytes in a pipe's buffer are not wiped. A program that is stopped because it takes too
//! long may leave children behind.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use polyseal_file::{find_program, reason};
use zeroize::Zeroizing;

use crate::{Problem, Result, Settings};

/// The most that a program may print, in bytes.
const MAX_OUT_BYTES: usize = 64 * 1024;

/// Bytes of standard error that are kept: the rest is read and forgotten.
const MAX_WORDS_BYTES: usize = 8 * 1024;

/// The longest part of that in a message, in characters.
const MAX_SAID_CHARS: usize = 300;

/// So often it is looked whether a program has ended that prints no more.
const PAUSE: Duration = Duration::from_millis(1);

/// A program that is there.
pub(super) struct Program {
    name: &'static str,
    path: PathBuf,
    environment: Vec<(&'static str, Option<String>)>,
    limit: Duration,
}

/// The result of a program that has ended.
pub(super) struct Ended {
    pub(super) good: bool,
    pub(super) out: Zeroizing<Vec<u8>>,
    /// Its standard error.
    pub(super) words: String,
}

impl Program {
    /// The program of this name, which the distribution has in `package`. It gets those `variables`
    /// that are set, and not those that are not. It may take so long as `limit`.
    pub(super) fn find(
        name: &'static str,
        package: &str,
        variables: &[&'static str],
        limit: Duration,
        settings: &Settings,
    ) -> Result<Self> {
        let paths = settings.get("PATH").unwrap_or_default();
        let path = find_program(name, paths.as_ref()).ok_or_else(|| {
            let place = "in no absolute directory of the PATH";
            Problem::Setting(format!("{name} is {place}: install the package {package}"))
        })?;
        let variable = |&name: &&'static str| (name, settings.get(name));
        Ok(Self { name, path, environment: variables.iter().map(variable).collect(), limit })
    }

    /// Runs it in `directory`, gives it `input`, and waits for its end.
    pub(super) fn run(&self, directory: &Path, args: &[&str], input: &[u8]) -> Result<Ended> {
        let mut command = Command::new(&self.path);
        command.args(args).current_dir(directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        // Its messages are looked at, in English. Arguments are UTF-8.
        command.env("LC_ALL", "C.UTF-8").env_remove("LANGUAGE");
        let child = command.spawn().map_err(|error| self.failed(&reason(&error)))?;
        Running(child).finish(self, input)
    }

    fn failed(&self, why: &str) -> Problem {
        Problem::Service(format!("{}: {why}", self.name))
    }

    fn too_long(&self) -> Problem {
        let seconds = self.limit.as_secs();
        Problem::Unreachable(format!("{} did not end within {seconds} seconds", self.name))
    }
}

/// A program that runs. It is stopped when this is dropped.
struct Running(Child);

impl Running {
    /// Writes the input, and begins to read the output and what is said about it.
    fn speak(&mut self, input: &[u8]) -> io::Result<(Receiver<Bytes>, Receiver<Bytes>)> {
        let pipes = (self.0.stdin.take(), self.0.stdout.take(), self.0.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        write(stdin, input)?;
        Ok((read(stdout, MAX_OUT_BYTES, false)?, read(stderr, MAX_WORDS_BYTES, true)?))
    }

    fn finish(mut self, program: &Program, input: &[u8]) -> Result<Ended> {
        let deadline = Instant::now() + program.limit;
        let pipes = self.speak(input).map_err(|error| program.failed(&reason(&error)));
        let (out, words) = pipes?;
        let out = wait(&out, deadline).ok_or_else(|| program.too_long())?;
        let out = out.ok_or_else(|| program.failed("it printed more than 64 KiB, or broke off"))?;
        let words = wait(&words, deadline).ok_or_else(|| program.too_long())?;
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => {
                    let words = String::from_utf8_lossy(&words.unwrap_or_default()).into_owned();
                    return Ok(Ended { good: status.success(), out, words });
                }
                Ok(None) if Instant::now() < deadline => thread::sleep(PAUSE),
                Ok(None) => return Err(program.too_long().into()),
                Err(error) => return Err(program.failed(&reason(&error)).into()),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Fails if it has ended, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Ended {
    /// The most telling part of its standard error: the line with `marker`, or else the last.
    pub(super) fn said(&self, marker: &str) -> String {
        let lines = || self.words.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = lines().rfind(|line| line.contains(marker)).or_else(|| lines().next_back());
        let shown = |c: char| if c.is_control() { ' ' } else { c };
        match line {
            Some(line) => line.chars().map(shown).take(MAX_SAID_CHARS).collect(),
            None => "it does not say why".to_owned(),
        }
    }
}

/// A thread that gives a program its input: a pipe may be full.
fn write(mut stdin: ChildStdin, input: &[u8]) -> io::Result<()> {
    let input = Zeroizing::new(input.to_vec());
    thread::Builder::new().spawn(move || {
        // A program that does not want it shows that by its end.
        let _ = stdin.write_all(&input);
    })?;
    Ok(())
}

type Bytes = Option<Zeroizing<Vec<u8>>>;

/// Starts a thread that reads to the end. If the input is too long, its beginning is kept if `cut`,
/// and else nothing.
fn read(from: impl Read + Send + 'static, limit: usize, cut: bool) -> io::Result<Receiver<Bytes>> {
    let (to, bytes) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut from = from;
        // All of it at once: a vector that grows leaves copies behind.
        let mut all = Zeroizing::new(Vec::with_capacity(limit + 1));
        let read = from.by_ref().take(limit as u64 + 1).read_to_end(&mut all);
        let whole = read.is_ok() && all.len() <= limit;
        if cut && !whole {
            all.truncate(limit);
            // A program that may not write would end of that.
            let _ = io::copy(&mut from, &mut io::sink());
        }
        // Nobody waits if it took too long.
        let _ = to.send((whole || cut).then_some(all));
    })?;
    Ok(bytes)
}

/// The bytes that a thread has read; `None` if it has not ended by the deadline.
fn wait(bytes: &Receiver<Bytes>, deadline: Instant) -> Option<Bytes> {
    bytes.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use std::env;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const SHORT: Duration = Duration::from_millis(300);
    const LONG: Duration = Duration::from_secs(20);

    fn fake(script: &str) -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        // Another process writes it: a program that is open for writing cannot be started, and
        // the other tests' programs inherit what is open here.
        let write = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0/fake" && chmod 755 "$0/fake""#;
        let mut shell = Command::new("sh");
        shell.args(["-c", write]).arg(place.path()).arg(script);
        assert!(shell.status().unwrap().success());
        place
    }

    fn settings(path: &str) -> Settings {
        let path = path.to_owned();
        Settings::from_variables(move |name| match name {
            "PATH" => Some(path.clone()),
            "GIVEN" => Some("given".to_owned()),
            _ => None,
        })
    }

    fn run(script: &str, limit: Duration, input: &[u8]) -> Result<Ended> {
        let place = fake(script);
        let settings = settings(place.path().to_str().unwrap());
        Program::find("fake", "fakes", &["GIVEN", "HOME"], limit, &settings)?.run(
            place.path(),
            &["first", "$HOME"],
            input,
        )
    }

    #[test]
    fn what_goes_in_and_out() {
        let ended = run(
            r#"echo "$GIVEN-${HOME-none}-$LC_ALL-$1-$2-$(/bin/cat)"
               echo words >&2"#,
            LONG,
            b"input",
        )
        .unwrap();
        assert!(ended.good);
        assert_eq!(*ended.out, b"given-none-C.UTF-8-first-$HOME-input\n");
        assert_eq!(ended.words, "words\n");
    }

    #[test]
    fn what_it_says() {
        let ended = run(
            r#"printf 'one (0x1)\nlast \033[1m line\n\n' >&2
               exit 3"#,
            LONG,
            b"",
        )
        .unwrap();
        assert!(!ended.good);
        assert_eq!(ended.said("(0x"), "one (0x1)");
        assert_eq!(ended.said("nowhere"), "last  [1m line");
        assert_eq!(run("exit 1", LONG, b"").unwrap().said(""), "it does not say why");
    }

    #[test]
    fn what_prints_without_end() {
        let error = run("while :; do echo 0123456789abcdef; done", LONG, b"").err().unwrap();
        assert!(matches!(error.problem(), Problem::Service(why) if why.contains("64 KiB")));
        let long = "i=0; while [ $i -lt 3000 ]; do echo 0123456789 >&2; i=$((i+1)); done; echo x";
        let ended = run(long, LONG, b"").unwrap();
        assert_eq!((&ended.out[..], ended.words.len()), (&b"x\n"[..], MAX_WORDS_BYTES));
    }

    #[test]
    fn what_never_ends() {
        for script in ["exec /bin/sleep 600", "exec >&- 2>&-; exec /bin/sleep 600"] {
            let start = Instant::now();
            let error = run(script, SHORT, b"").err().unwrap();
            assert!(matches!(error.problem(), Problem::Unreachable(_)), "{error}");
            assert!(start.elapsed() < LONG);
        }
    }

    #[test]
    fn what_does_not_read() {
        let ended = run("exec <&-; echo done", LONG, &[0; 1 << 20]).unwrap();
        assert_eq!(*ended.out, b"done\n");
    }

    #[test]
    fn only_from_absolute_directories() {
        let place = fake("");
        let absolute = place.path().to_str().unwrap();
        let find = |path: &str| Program::find("fake", "fakes", &[], LONG, &settings(path));
        assert!(find(absolute).is_ok());
        // From where the test runs.
        let up = "../".repeat(env::current_dir().unwrap().components().count() - 1);
        let relative = format!("{up}{}", &absolute[1..]);
        assert!(Path::new(&relative).join("fake").exists());
        for path in ["", "/nowhere", &relative] {
            let error = find(path).err().unwrap();
            assert!(matches!(error.problem(), Problem::Setting(why) if why.contains("fakes")));
        }
        fs::set_permissions(place.path().join("fake"), fs::Permissions::from_mode(0o644)).unwrap();
        assert!(find(absolute).is_err());
    }
}
