//! A plugin that runs: stanzas to it and from it, its last words on standard error, and its end.
//!
//! One thread writes to the plugin, one reads from it, and one keeps what it says on standard
//! error: so neither side waits for a full pipe, and whoever waits for an answer can be told so.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use zeroize::Zeroizing;

use super::Result;
use super::wire::{self, Received, WireStanza};
use crate::age::{Callbacks, PluginError, PluginProblem};
use crate::class::reason;

/// After so much silence the user is told what is waited for, as age does it.
const SILENCE: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 10 });

/// For so long the end and the last words of a plugin are waited for that talks no more: it may go
/// on, and what it has started may keep its standard error open.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The part of standard error that is kept, in bytes: its end, where a program says what it died
/// of.
const MAX_WORDS_BYTES: usize = 1 << 10;

/// A plugin that runs. When this is dropped, the pipes to it and from it are closed, and it ends in
/// its own time: whoever is killed leaves a token in the middle of something.
pub(super) struct PluginProcess<'a, C> {
    program: &'a str,
    callbacks: &'a C,
    to: Option<Sender<Zeroizing<Vec<u8>>>>,
    from: Receiver<PluginMessage>,
    words: ErrorOutput,
    silence_reported: bool,
}

/// A message from a plugin, or of it.
enum PluginMessage {
    Received(Received),
    Ended(Option<ExitStatus>),
}

/// The end of what a plugin has written to standard error, and whether that was all.
struct ErrorOutput {
    last: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl<'a, C: Callbacks> PluginProcess<'a, C> {
    pub(super) fn start(
        program: &'a str,
        path: &Path,
        state_machine: &str,
        callbacks: &'a C,
    ) -> Result<Self> {
        let start = || {
            let mut command = Command::new(path);
            command.arg(format!("--age-plugin={state_machine}"));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            // Plugins must not rely on where they run. Here nobody can have put a file for them.
            if cfg!(unix) {
                command.current_dir("/");
            }
            let mut child = command.spawn()?;
            let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
                return Err(io::ErrorKind::BrokenPipe.into());
            };
            let (to, from) = (writer(stdin)?, reader(stdout, child)?);
            let words = listener(stderr)?;
            Ok(Self { program, callbacks, to: Some(to), from, words, silence_reported: false })
        };
        start().map_err(|error: io::Error| {
            PluginError::new(program, PluginProblem::Start(reason(&error)), String::new())
        })
    }

    /// Sends a stanza. Whether it arrives shows in what comes back.
    pub(super) fn send(&self, tag: &str, args: &[&str], body: &[u8]) {
        if let (Some(to), Some(text)) = (&self.to, wire::write(tag, args, body)) {
            // The thread has ended if the plugin reads no more.
            let _ = to.send(text);
        }
    }

    /// The next stanza of the plugin. After some silence the user is told, once, what is waited
    /// for.
    pub(super) fn receive(&mut self) -> Result<WireStanza> {
        let message = match self.from.recv_timeout(SILENCE) {
            Err(RecvTimeoutError::Timeout) => {
                if !self.silence_reported {
                    self.callbacks.display_message(&format!("waiting for {} …", self.program));
                    self.silence_reported = true;
                }
                self.from.recv().ok()
            }
            message => message.ok(),
        };
        match message {
            Some(PluginMessage::Received(Received::Stanza(stanza))) => Ok(stanza),
            Some(PluginMessage::Received(Received::Nonsense)) => {
                Err(self.nonsense("an invalid stanza"))
            }
            Some(PluginMessage::Received(Received::Closed)) => {
                self.to = None;
                let ended = self.from.recv_timeout(LAST_WORDS);
                let status =
                    if let Ok(PluginMessage::Ended(status)) = ended { status } else { None };
                Err(self.failed(PluginProblem::Ended(status)))
            }
            Some(PluginMessage::Ended(status)) => Err(self.failed(PluginProblem::Ended(status))),
            None => Err(self.failed(PluginProblem::Ended(None))),
        }
    }

    /// The plugin has said why it does not do what it was asked for.
    pub(super) fn refused(&self, why: String) -> PluginError {
        PluginError::new(self.program, PluginProblem::Refused(why), String::new())
    }

    /// The plugin does not keep to the protocol.
    pub(super) fn nonsense(&mut self, what: &'static str) -> PluginError {
        self.to = None;
        self.failed(PluginProblem::Protocol(what))
    }

    fn failed(&self, problem: PluginProblem) -> PluginError {
        let _ = self.words.ended.recv_timeout(LAST_WORDS);
        let last = lock(&self.words.last);
        let text = String::from_utf8_lossy(&last);
        let cut = if last.len() == MAX_WORDS_BYTES { "…" } else { "" };
        PluginError::new(self.program, problem, format!("{cut}{}", text.trim()))
    }
}

/// A thread that writes what it is sent, until nobody sends or the plugin reads no more.
fn writer(mut stdin: ChildStdin) -> io::Result<Sender<Zeroizing<Vec<u8>>>> {
    let (to, texts) = mpsc::channel::<Zeroizing<Vec<u8>>>();
    let write = move || {
        let _ = texts.iter().try_for_each(|text| stdin.write_all(&text));
    };
    thread::Builder::new().spawn(write)?;
    Ok(to)
}

/// A thread that reads stanzas, and then waits for the end of the plugin: whoever waits for no
/// program that has ended keeps it in the system's table.
fn reader(stdout: ChildStdout, mut child: Child) -> io::Result<Receiver<PluginMessage>> {
    let (to, messages) = mpsc::channel();
    let read = move || {
        let mut stdout = BufReader::new(stdout);
        loop {
            let next = wire::read(&mut stdout);
            let more = matches!(next, Received::Stanza(_));
            if to.send(PluginMessage::Received(next)).is_err() || !more {
                break;
            }
        }
        drop(stdout);
        let _ = to.send(PluginMessage::Ended(child.wait().ok()));
    };
    thread::Builder::new().spawn(read)?;
    Ok(messages)
}

/// A thread that keeps the end of what it reads.
fn listener(mut stderr: ChildStderr) -> io::Result<ErrorOutput> {
    let last = Arc::new(Mutex::new(Vec::new()));
    let (all, ended) = mpsc::channel();
    let keep = Arc::clone(&last);
    let listen = move || {
        let mut bytes = [0; MAX_WORDS_BYTES];
        while let Ok(read @ 1..) = stderr.read(&mut bytes) {
            let mut last = lock(&keep);
            last.extend_from_slice(&bytes[..read]);
            let before = last.len().saturating_sub(MAX_WORDS_BYTES);
            last.drain(..before);
        }
        let _ = all.send(());
    };
    thread::Builder::new().spawn(listen)?;
    Ok(ErrorOutput { last, ended })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
