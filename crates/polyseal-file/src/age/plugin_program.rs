//! The other side of a plugin: a program `age-plugin-NAME`, made of an [`InProcessPlugin`].
//!
//! Source: c2sp.org/age-plugin, the state machines `recipient-v1` and `identity-v1`, as a plugin
//! has them. Commands that they do not have are passed over, as the specification wants it.
//!
//! Security claim: whoever starts the program gives it identities and stanzas of a file that may be
//! hostile. Identities are read only in their one spelling, a stanza may have 1 MiB, the stanzas of
//! a file as many bytes as a header, and trying identities on them takes bounded work.
//!
//! Limit: the bytes that go through the pipes are not wiped from the pipes' buffers.

use std::fmt;
use std::io::{self, BufRead, Write};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::in_process::{self, InProcessPlugin};
use super::plugin::wire::{self, Received, WireStanza};
use super::v1::MAX_HEADER_BYTES;
use super::{BoxedIdentity, BoxedRecipient, FileKey, Stanza, WorkBudget};
use crate::SecretText;
use crate::error::Error;
use crate::stanza::{unwrap_with, wrap_for_all};

/// The most identities and file keys that one conversation may have, each.
const MAX_GIVEN: usize = 4096;

/// A conversation with the program that started the plugin: most often a pipe from it, and one to
/// it.
///
/// Clones are of the same conversation: one can be kept where questions come up.
#[derive(Clone)]
pub struct Conversation(Arc<Mutex<Pipes>>);

struct Pipes {
    from: Box<dyn BufRead + Send>,
    to: Box<dyn Write + Send>,
}

impl Conversation {
    /// A conversation by these two pipes.
    pub fn new(from: impl BufRead + Send + 'static, to: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Pipes { from: Box::new(from), to: Box::new(to) })))
    }

    /// Asks the user for a passphrase or a PIN; `None` if nobody gave one, or the conversation is
    /// over. Only while [`run`] has a plugin do something.
    #[must_use]
    pub fn request_secret(&self, question: &str) -> Option<SecretText> {
        let answer = self.lock().ask("request-secret", &[], question.as_bytes()).ok()?;
        let text = str::from_utf8(&answer.body).ok().filter(|_| answer.tag == "ok");
        text.map(|text| text.to_owned().into())
    }

    fn lock(&self) -> MutexGuard<'_, Pipes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").finish_non_exhaustive()
    }
}

impl Pipes {
    fn read(&mut self) -> io::Result<WireStanza> {
        match wire::read(&mut self.from) {
            Received::Stanza(stanza) => Ok(stanza),
            Received::Nonsense => Err(protocol("something that is no stanza was received")),
            Received::Closed => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn write(&mut self, tag: &str, args: &[&str], body: &[u8]) -> io::Result<()> {
        let text = wire::write(tag, args, body).ok_or_else(|| protocol("a word is not visible"))?;
        self.to.write_all(&text)?;
        self.to.flush()
    }

    /// Sends a command, and reads the answer.
    fn ask(&mut self, tag: &str, args: &[&str], body: &[u8]) -> io::Result<WireStanza> {
        self.write(tag, args, body)?;
        self.read()
    }
}

/// Does what `--age-plugin=MACHINE` asks of a plugin.
///
/// # Errors
/// If the other side does not keep to the protocol, or a pipe breaks. All else is told to the other
/// side.
pub fn run(
    machine: &str,
    plugin: Arc<dyn InProcessPlugin>,
    conversation: &Conversation,
) -> io::Result<()> {
    match machine {
        "recipient-v1" => wrap(plugin, conversation),
        "identity-v1" => unwrap(plugin, conversation),
        _ => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("there is no state machine {machine:?}"),
        )),
    }
}

/// An error that the other side is told of: its kind and number, and a sentence.
type Told = (&'static str, usize, String);

/// The state machine `recipient-v1`.
fn wrap(plugin: Arc<dyn InProcessPlugin>, conversation: &Conversation) -> io::Result<()> {
    let (mut recipients, mut errors) = (Vec::<BoxedRecipient>::new(), Vec::<Told>::new());
    let (mut recipients_given, mut identities_given) = (0, 0);
    let (mut file_keys, mut has_labels) = (Vec::new(), false);
    loop {
        let said = conversation.lock().read()?;
        match (said.tag.as_str(), said.args.as_slice()) {
            ("add-recipient", [_]) => {
                let why = format!("age-plugin-{} has no recipients of its own", plugin.name());
                errors.push(("recipient", recipients_given, why));
                recipients_given += 1;
            }
            ("add-identity", [identity]) => {
                match read_identity(&plugin, identity, |found| found.to_recipient()) {
                    Ok(recipient) => recipients.push(recipient),
                    Err(why) => errors.push(("identity", identities_given, why)),
                }
                identities_given += 1;
            }
            ("wrap-file-key", []) => {
                let key = FileKey::from_slice(&said.body);
                file_keys.push(key.ok_or_else(|| protocol("a file key of another length"))?);
            }
            ("extension-labels", []) => has_labels = true,
            ("done", []) => break,
            (
                "add-recipient" | "add-identity" | "wrap-file-key" | "extension-labels" | "done",
                _,
            ) => {
                return Err(protocol("a command with other arguments was received"));
            }
            _ => {}
        }
        if recipients_given.max(identities_given).max(file_keys.len()) > MAX_GIVEN {
            return Err(protocol("more was given than is allowed"));
        }
    }
    let mut wrapped = Vec::new();
    if errors.is_empty() {
        for key in &file_keys {
            match wrap_for_all(key, &recipients) {
                Ok(stanzas) => wrapped.push(stanzas),
                Err(error) => errors.push(("internal", 0, text(&error))),
            }
        }
    }
    // A client that does not know labels would put such a stanza beside any other.
    if !has_labels && wrapped.iter().any(|(_, labels)| !labels.is_empty()) {
        let why = "the recipients have labels, which the client does not know";
        errors.push(("internal", 0, why.to_owned()));
    }
    if wrapped.windows(2).any(|keys| keys[0].1 != keys[1].1) {
        errors.push(("internal", 0, "two file keys have other labels".to_owned()));
    }
    let mut pipes = conversation.lock();
    if errors.is_empty() {
        // Those of the first are those of all.
        if let Some((_, labels)) = wrapped.first().filter(|(_, labels)| !labels.is_empty()) {
            let labels: Vec<_> = labels.iter().map(String::as_str).collect();
            pipes.ask("labels", &labels, b"")?;
        }
        for (file, (stanzas, _)) in wrapped.iter().enumerate() {
            for stanza in stanzas {
                let (file, args) = (file.to_string(), stanza.args.iter().map(String::as_str));
                let args: Vec<_> = [file.as_str(), &stanza.tag].into_iter().chain(args).collect();
                pipes.ask("recipient-stanza", &args, &stanza.body)?;
            }
        }
    }
    tell(&mut pipes, &errors)?;
    pipes.write("done", &[], b"")
}

/// The state machine `identity-v1`.
fn unwrap(plugin: Arc<dyn InProcessPlugin>, conversation: &Conversation) -> io::Result<()> {
    let (mut identities, mut errors) = (Vec::<(usize, BoxedIdentity)>::new(), Vec::<Told>::new());
    let (mut identities_given, mut files, mut bytes) = (0, Vec::<Vec<Stanza>>::new(), 0);
    loop {
        let mut said = conversation.lock().read()?;
        match (said.tag.as_str(), said.args.as_slice()) {
            ("add-identity", [identity]) => {
                match read_identity(&plugin, identity, |found| found.usable()) {
                    Ok(identity) => identities.push((identities_given, identity)),
                    Err(why) => errors.push(("identity", identities_given, why)),
                }
                identities_given += 1;
            }
            ("recipient-stanza", [file, tag, args @ ..]) => {
                // Files are numbered one after the other.
                let file = file.parse::<usize>().ok().filter(|&file| file <= files.len());
                let file = file.ok_or_else(|| protocol("a file out of its order"))?;
                if file == files.len() {
                    files.push(Vec::new());
                    bytes = 0;
                }
                bytes += said.body.len() + said.args.iter().map(String::len).sum::<usize>();
                if bytes > MAX_HEADER_BYTES {
                    return Err(protocol("more stanzas than a file may have"));
                }
                let (tag, args) = (tag.clone(), args.to_vec());
                files[file].push(Stanza { tag, args, body: mem::take(&mut *said.body) });
            }
            ("done", []) => break,
            ("add-identity" | "recipient-stanza" | "done", _) => {
                return Err(protocol("a command with other arguments was received"));
            }
            _ => {}
        }
        if identities_given.max(files.len()) > MAX_GIVEN {
            return Err(protocol("more was given than is allowed"));
        }
    }
    if errors.is_empty() {
        for (file, stanzas) in files.iter().enumerate() {
            // Not under the lock: whoever opens may have a question.
            match open(&identities, stanzas) {
                Ok(Some(key)) => {
                    let file = file.to_string();
                    conversation.lock().ask("file-key", &[&file], key.expose_secret())?;
                }
                Ok(None) => {}
                Err(mut refused) => errors.append(&mut refused),
            }
        }
    }
    let mut pipes = conversation.lock();
    tell(&mut pipes, &errors)?;
    pipes.write("done", &[], b"")
}

/// The key in the stanzas of a file; `None` if it is for others.
fn open(
    identities: &[(usize, BoxedIdentity)],
    stanzas: &[Stanza],
) -> Result<Option<FileKey>, Vec<Told>> {
    let (mut left, mut refused) = (WorkBudget::new(), Vec::new());
    for (number, identity) in identities {
        match unwrap_with(stanzas, &**identity, &mut left) {
            Ok(None) => {}
            Ok(Some(key)) => return Ok(Some(key)),
            Err(error) => refused.push(("identity", *number, text(&error))),
        }
    }
    if refused.is_empty() { Ok(None) } else { Err(refused) }
}

/// Reads an identity that is of this plugin.
fn read_identity<T>(
    plugin: &Arc<dyn InProcessPlugin>,
    line: &str,
    read: impl FnOnce(in_process::Identity) -> Result<T, super::KeyError>,
) -> Result<T, String> {
    let ours = std::slice::from_ref(plugin);
    let found = in_process::find(line, ours)
        .ok_or_else(|| format!("not an identity of age-plugin-{}", plugin.name()))?;
    let identity = in_process::Identity::read(found, line).map_err(|error| error.to_string())?;
    read(identity).map_err(|error| error.to_string())
}

fn tell(pipes: &mut Pipes, errors: &[Told]) -> io::Result<()> {
    for (kind, number, why) in errors {
        let number = number.to_string();
        let args = [*kind, &number];
        let args = if *kind == "internal" { &args[..1] } else { &args[..] };
        pipes.ask("error", args, why.as_bytes())?;
    }
    Ok(())
}

/// An error, with advice if a keeper gave some.
fn text(error: &Error) -> String {
    match error {
        Error::Keeper(keeper) => match keeper.hint() {
            Some(hint) => format!("{keeper}: {hint}"),
            None => keeper.to_string(),
        },
        other => other.to_string(),
    }
}

fn protocol(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
pub(super) mod tests;
