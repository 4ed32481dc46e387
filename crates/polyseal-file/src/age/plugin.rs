//! Plugins: programs `age-plugin-NAME` on the PATH, which are trusted with the file key.
//!
//! Source: c2sp.org/age-plugin, the state machines `recipient-v1` and `identity-v1`, as a client
//! has them. What a plugin asks the user goes through the caller's [`Callbacks`].
//!
//! Security claim: a plugin is started only for a recipient or an identity that names it, from a
//! directory of the PATH that is absolute, and with pipes for its three standard streams. What it
//! gives is looked at as strictly as what is read from a file.
//!
//! Limits: a plugin may take as long as it likes; after 10 seconds of silence that is said. What
//! goes through the pipes is not wiped from their buffers.

mod process;
pub(super) mod wire;

use std::collections::HashSet;
use std::env;
use std::fmt;
use std::mem;
use std::path::PathBuf;
use std::str::FromStr;

use ::base64::Engine;
use ::base64::prelude::BASE64_STANDARD_NO_PAD;

use self::process::PluginProcess;
use self::wire::WireStanza;
use super::error::{DecryptError, EncryptError, KeyProblem, PluginError};
use super::recipients::exact;
use super::work::BoundedIdentity;
use super::{BoxedIdentity, BoxedRecipient, Callbacks, FileKey, Stanza, bech32};
use crate::SecretText;
use crate::programs::find_program;

type Result<T> = std::result::Result<T, PluginError>;

/// `age1NAME1…`.
pub(super) struct Recipient {
    name: String,
    text: String,
}

/// `AGE-PLUGIN-NAME-1…`.
#[derive(Clone)]
pub(super) struct Identity {
    name: String,
    text: SecretText,
}

impl Recipient {
    pub(super) fn plugin(&self) -> &str {
        &self.name
    }
}

impl Identity {
    pub(super) fn plugin(&self) -> &str {
        &self.name
    }
}

impl FromStr for Recipient {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let name = name(text, |prefix| prefix.strip_prefix("age1"))?;
        Ok(Self { name, text: text.to_owned() })
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Identity {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let name = name(text, |prefix| prefix.strip_prefix("AGE-PLUGIN-")?.strip_suffix('-'))?;
        Ok(Self { name: name.to_ascii_lowercase(), text: text.to_owned().into() })
    }
}

/// The name that `find` finds in the part of a Bech32 text that says what it is.
fn name(text: &str, find: impl Fn(&str) -> Option<&str>) -> std::result::Result<String, ()> {
    let is_safe = |b: u8| b.is_ascii_alphanumeric() || b"+-._".contains(&b);
    let name = bech32::hrp(text).and_then(find).ok_or(())?;
    // It becomes a part of a file's name.
    let good = !name.is_empty() && name.bytes().all(is_safe);
    if good { Ok(name.to_owned()) } else { Err(()) }
}

/// A line of an identity file.
pub(super) fn identity(line: &str) -> std::result::Result<Identity, KeyProblem> {
    line.parse().map_err(|()| KeyProblem::Damaged("identity"))
}

/// `age1NAME1…`.
pub(super) fn recipient(text: &str) -> std::result::Result<Recipient, KeyProblem> {
    exact(text).ok_or(KeyProblem::Damaged("recipient"))
}

/// The plugin `name`, with those of `identities` that are its.
pub(super) fn usable<C: Callbacks>(
    name: &str,
    identities: &[Identity],
    callbacks: &C,
) -> std::result::Result<BoxedIdentity, KeyProblem> {
    Ok(Box::new(Plugin::find(name, &[], identities, callbacks)?))
}

/// The recipients that wrap a key for all of them: one for each plugin.
pub(super) fn wrapping<C: Callbacks>(
    recipients: &[Recipient],
    identities: &[Identity],
    callbacks: &C,
) -> std::result::Result<Vec<BoxedRecipient>, KeyProblem> {
    let mut names: Vec<&str> = Vec::new();
    let of_recipients = recipients.iter().map(Recipient::plugin);
    for name in of_recipients.chain(identities.iter().map(Identity::plugin)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let plugin = |name: &str| -> std::result::Result<BoxedRecipient, KeyProblem> {
        Ok(Box::new(Plugin::find(name, recipients, identities, callbacks)?))
    };
    names.into_iter().map(plugin).collect()
}

/// A plugin, and what it is to encrypt to or to open with.
struct Plugin<C> {
    /// `age-plugin-NAME`.
    program: String,
    path: PathBuf,
    recipients: Vec<String>,
    identities: Vec<SecretText>,
    callbacks: C,
}

impl<C: Callbacks> Plugin<C> {
    fn find(
        name: &str,
        recipients: &[Recipient],
        identities: &[Identity],
        callbacks: &C,
    ) -> std::result::Result<Self, KeyProblem> {
        let program = format!("age-plugin-{name}");
        let path = env::var_os("PATH")
            .and_then(|paths| find_program(&program, &paths))
            .ok_or_else(|| KeyProblem::Plugin(name.to_owned()))?;
        let recipients = recipients.iter().filter(|one| one.name == name);
        let identities = identities.iter().filter(|one| one.name == name);
        Ok(Self {
            program,
            path,
            recipients: recipients.map(|one| one.text.clone()).collect(),
            identities: identities.map(|one| one.text.clone()).collect(),
            callbacks: callbacks.clone(),
        })
    }

    fn start(&self, state_machine: &str) -> Result<PluginProcess<'_, C>> {
        PluginProcess::start(&self.program, &self.path, state_machine, &self.callbacks)
    }

    /// The state machine `recipient-v1`.
    fn wrap(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, HashSet<String>)> {
        let mut plugin = self.start("recipient-v1")?;
        for recipient in &self.recipients {
            plugin.send("add-recipient", &[recipient], b"");
        }
        for identity in &self.identities {
            plugin.send("add-identity", &[identity.reveal()], b"");
        }
        plugin.send("extension-labels", &[], b"");
        plugin.send("wrap-file-key", &[], file_key.expose_secret());
        plugin.send("done", &[], b"");
        let (mut stanzas, mut labels) = (Vec::new(), None);
        let mut refused = None;
        loop {
            let mut said = plugin.receive()?;
            match said.tag.as_str() {
                "recipient-stanza" => {
                    // One file is all that it was given.
                    let [file, tag, args @ ..] = &said.args[..] else {
                        return Err(plugin.nonsense("a recipient stanza without a type"));
                    };
                    if file != "0" {
                        return Err(plugin.nonsense("a recipient stanza for another file"));
                    }
                    let (tag, args) = (tag.clone(), args.to_vec());
                    stanzas.push(Stanza { tag, args, body: mem::take(&mut *said.body) });
                    plugin.send("ok", &[], b"");
                }
                "labels" => {
                    let given = said.args.len();
                    let set: HashSet<_> = said.args.drain(..).collect();
                    if labels.is_some() || set.len() != given {
                        return Err(plugin.nonsense("labels twice"));
                    }
                    labels = Some(set);
                    plugin.send("ok", &[], b"");
                }
                "error" => {
                    refused.get_or_insert_with(|| text(&said.body));
                    plugin.send("ok", &[], b"");
                }
                "done" => break,
                _ => self.answer(&mut plugin, &said)?,
            }
        }
        match (refused, stanzas.is_empty()) {
            (Some(why), _) => Err(plugin.refused(why)),
            (None, true) => Err(plugin.nonsense("neither stanzas nor an error")),
            (None, false) => Ok((stanzas, labels.unwrap_or_default())),
        }
    }

    /// The state machine `identity-v1`; `None` if none of `stanzas` is for these identities.
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>> {
        let mut plugin = self.start("identity-v1")?;
        for identity in &self.identities {
            plugin.send("add-identity", &[identity.reveal()], b"");
        }
        for stanza in stanzas {
            let args = ["0", &stanza.tag].into_iter().chain(stanza.args.iter().map(String::as_str));
            plugin.send("recipient-stanza", &args.collect::<Vec<_>>(), &stanza.body);
        }
        plugin.send("done", &[], b"");
        let mut file_key = None;
        let mut refused = None;
        loop {
            let said = plugin.receive()?;
            match said.tag.as_str() {
                "file-key" => {
                    let key = FileKey::from_slice(&said.body);
                    let (Some(key), ["0"], None) = (key, &words(&said.args)[..], &file_key) else {
                        return Err(plugin.nonsense("no file key, or a second one"));
                    };
                    file_key = Some(key);
                    plugin.send("ok", &[], b"");
                }
                "error" => {
                    refused.get_or_insert_with(|| text(&said.body));
                    plugin.send("ok", &[], b"");
                }
                "done" => break,
                _ => self.answer(&mut plugin, &said)?,
            }
        }
        match (file_key, refused) {
            (None, Some(why)) => Err(plugin.refused(why)),
            (file_key, _) => Ok(file_key),
        }
    }

    /// Answers what both state machines have: something is said to the user, or asked.
    fn answer(&self, plugin: &mut PluginProcess<'_, C>, said: &WireStanza) -> Result<()> {
        let message = text(&said.body);
        match said.tag.as_str() {
            "msg" => {
                self.callbacks.display_message(&message);
                plugin.send("ok", &[], b"");
            }
            "confirm" => {
                let words = said.args.iter().map(|word| BASE64_STANDARD_NO_PAD.decode(word));
                let words = words.collect::<std::result::Result<Vec<_>, _>>();
                let (yes, no) = match words.as_deref() {
                    Ok([yes]) => (text(yes), None),
                    Ok([yes, no]) => (text(yes), Some(text(no))),
                    _ => return Err(plugin.nonsense("a question without its answers")),
                };
                match self.callbacks.confirm(&message, &yes, no.as_deref()) {
                    Some(true) => plugin.send("ok", &["yes"], b""),
                    Some(false) => plugin.send("ok", &["no"], b""),
                    None => plugin.send("fail", &[], b""),
                }
            }
            "request-public" => match self.callbacks.request_public_string(&message) {
                Some(answer) => plugin.send("ok", &[], answer.as_bytes()),
                None => plugin.send("fail", &[], b""),
            },
            "request-secret" => match self.callbacks.request_passphrase(&message) {
                Some(answer) => plugin.send("ok", &[], answer.reveal().as_bytes()),
                None => plugin.send("fail", &[], b""),
            },
            _ => plugin.send("unsupported", &[], b""),
        }
        Ok(())
    }
}

impl<C: Callbacks> super::Recipient for Plugin<C> {
    fn wrap_file_key(
        &self,
        file_key: &FileKey,
    ) -> std::result::Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        self.wrap(file_key).map_err(EncryptError::Plugin)
    }
}

impl<C: Callbacks> super::Identity for Plugin<C> {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<std::result::Result<FileKey, DecryptError>> {
        self.unwrap_stanzas(std::slice::from_ref(stanza))
    }

    fn unwrap_stanzas(
        &self,
        stanzas: &[Stanza],
    ) -> Option<std::result::Result<FileKey, DecryptError>> {
        self.unwrap(stanzas).map_err(DecryptError::Plugin).transpose()
    }
}

impl<C: Callbacks> BoundedIdentity for Plugin<C> {
    /// None of this program's: how long a plugin takes is its own affair.
    fn work(&self, _: &Stanza) -> u32 {
        0
    }
}

fn words(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(all(test, unix))]
mod tests;
