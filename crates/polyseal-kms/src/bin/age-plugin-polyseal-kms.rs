//! The plugin of age for key pairs that are kept elsewhere: opens `age1tag1…` by way of the keeper,
//! and encrypts to the recipient of an identity.
//!
//! Source: c2sp.org/age-plugin. `docs/keys.md` says how to use it.
//!
//! Limit: age starts it for every file, so that a wrong PIN from the environment is given once for
//! each; but not where that would lock the token.

use std::collections::{HashMap, HashSet};
use std::env;
use std::io;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use age_core::format::{FileKey, Stanza};
use age_core::secrecy::ExposeSecret;
use age_plugin::identity::{Error as IdentityError, IdentityPluginV1};
use age_plugin::recipient::{Error as RecipientError, RecipientPluginV1};
use age_plugin::{Callbacks, PluginHandler, run_state_machine};
use polyseal_file::age::{BoundedIdentity, DecryptError, KeeperError, MAX_WORK, Recipient};
use polyseal_kms::{KeyPair, Settings};
use zeroize::Zeroizing;

fn main() -> ExitCode {
    let machine = env::args().find_map(|arg| arg.strip_prefix("--age-plugin=").map(str::to_owned));
    let Some(machine) = machine else {
        eprintln!("age starts this program; polyseal keygen --kms URI makes identities for it");
        return ExitCode::from(2);
    };
    match run_state_machine(&machine, Handler) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("age-plugin-polyseal-kms: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Handler;

impl PluginHandler for Handler {
    type RecipientV1 = Wrapping;
    type IdentityV1 = Opening;

    fn recipient_v1(self) -> io::Result<Wrapping> {
        Ok(Wrapping::default())
    }

    fn identity_v1(self) -> io::Result<Opening> {
        Ok(Opening::default())
    }
}

/// The recipients of the identities that age gave.
#[derive(Default)]
struct Wrapping(Vec<KeyPair>);

impl RecipientPluginV1 for Wrapping {
    fn add_recipient(&mut self, index: usize, _: &str, _: &[u8]) -> Result<(), RecipientError> {
        let message = "there is no such recipient: those of key pairs begin with age1tag1";
        Err(RecipientError::Recipient { index, message: message.to_owned() })
    }

    fn add_identity(&mut self, index: usize, _: &str, bytes: &[u8]) -> Result<(), RecipientError> {
        let bad = |error: polyseal_kms::Error| RecipientError::Identity {
            index,
            message: error.to_string(),
        };
        self.0.push(KeyPair::from_identity(bytes).map_err(bad)?);
        Ok(())
    }

    fn labels(&mut self) -> HashSet<String> {
        HashSet::new()
    }

    fn wrap_file_keys(
        &mut self,
        file_keys: Vec<FileKey>,
        _: impl Callbacks<RecipientError>,
    ) -> io::Result<Result<Vec<Vec<Stanza>>, Vec<RecipientError>>> {
        let wrap = |file_key: &FileKey| {
            let mut stanzas = Vec::new();
            for pair in &self.0 {
                let wrapped = pair.recipient().wrap_file_key(file_key);
                stanzas.extend(wrapped.map_err(io::Error::other)?.0);
            }
            Ok(stanzas)
        };
        file_keys.iter().map(wrap).collect::<io::Result<_>>().map(Ok)
    }
}

/// The identities that age gave.
#[derive(Default)]
struct Opening(Vec<(usize, KeyPair)>);

/// What is asked of the user, and where the answer goes.
type Question = (String, Sender<Option<Zeroizing<String>>>);
type Opened = HashMap<usize, Result<FileKey, Vec<IdentityError>>>;

impl IdentityPluginV1 for Opening {
    fn add_identity(&mut self, index: usize, _: &str, bytes: &[u8]) -> Result<(), IdentityError> {
        let bad = |error: polyseal_kms::Error| IdentityError::Identity {
            index,
            message: error.to_string(),
        };
        self.0.push((index, KeyPair::from_identity(bytes).map_err(bad)?));
        Ok(())
    }

    fn unwrap_file_keys(
        &mut self,
        files: Vec<Vec<Stanza>>,
        mut callbacks: impl Callbacks<IdentityError>,
    ) -> io::Result<Opened> {
        // A keeper asks in the midst of its work, and only this thread can speak to age.
        let (asks, questions) = channel();
        thread::scope(|scope| {
            let opening = scope.spawn(|| open_all(&self.0, &files, asks));
            answer(&questions, &mut callbacks)?;
            opening.join().map_err(|_| io::Error::other("the keeper of the key failed"))
        })
    }
}

/// Puts questions to the user until nobody has any.
fn answer(
    questions: &Receiver<Question>,
    callbacks: &mut impl Callbacks<IdentityError>,
) -> io::Result<()> {
    for (question, reply) in questions {
        let answer = callbacks.request_secret(&question)?.ok();
        // Fails if nobody waits for it any more.
        let _ = reply.send(answer.map(|secret| Zeroizing::new(secret.expose_secret().to_owned())));
    }
    Ok(())
}

fn open_all(pairs: &[(usize, KeyPair)], files: &[Vec<Stanza>], asks: Sender<Question>) -> Opened {
    let settings = Settings::from_environment().ask_with(move |question| {
        let (reply, answer) = channel();
        asks.send((question.to_owned(), reply)).ok()?;
        answer.recv().ok()?
    });
    let identities: Vec<_> =
        pairs.iter().map(|(index, pair)| (*index, pair.identity(&settings))).collect();
    let mut opened = Opened::new();
    for (file, stanzas) in files.iter().enumerate() {
        let mut errors = Vec::new();
        for (index, identity) in &identities {
            match open(identity, stanzas) {
                None => {}
                Some(Ok(file_key)) => {
                    opened.insert(file, Ok(file_key));
                    break;
                }
                Some(Err(message)) => {
                    errors.push(IdentityError::Identity { index: *index, message });
                }
            }
        }
        if !errors.is_empty() {
            opened.entry(file).or_insert(Err(errors));
        }
    }
    opened
}

fn open<I: BoundedIdentity>(identity: &I, stanzas: &[Stanza]) -> Option<Result<FileKey, String>> {
    let work = stanzas.iter().map(|stanza| identity.work(stanza));
    if work.fold(0, u32::saturating_add) > MAX_WORK {
        return Some(Err("the file asks for more calls to the keeper than is allowed".to_owned()));
    }
    identity.unwrap_stanzas(stanzas).map(|opened| opened.map_err(|error| said(&error)))
}

/// What a keeper says, with what to do about it.
fn said(error: &DecryptError) -> String {
    let DecryptError::Io(source) = error else { return error.to_string() };
    let keeper = source.get_ref().and_then(|error| error.downcast_ref::<KeeperError>());
    match keeper.and_then(KeeperError::hint) {
        Some(hint) => format!("{source}: {hint}"),
        None => source.to_string(),
    }
}
