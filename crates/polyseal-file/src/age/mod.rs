//! Recipients and identities of age, for the stanzas that age wraps.
//!
//! Source: the age v1 specification (c2sp.org/age); the traits are shaped as those of the crate
//! `age`.
//!
//! Security claim: that of each kind. X25519, SSH and tag keys keep a file secret until somebody
//! has a quantum computer; hybrid and tagpq keys beyond that, and are not mixed with the others.
//!
//! Limits: recipients are not authenticated and say nothing about who encrypted. A plugin is a
//! program that is found on the PATH and is trusted with the file key. SSH and tag stanzas show
//! whose they are.

mod base64;
mod bech32;
mod callbacks;
mod dhkem;
mod encrypted_file;
mod error;
mod file_key;
mod hpke;
pub mod hybrid;
mod hybrid_kem;
mod identities;
pub mod in_process;
mod keeper;
mod key_schedule;
mod mlkem_p256;
mod one_key;
pub mod p256;
#[cfg_attr(not(feature = "plugin"), path = "plugin_stub.rs")]
mod plugin;
#[cfg(feature = "plugin")]
pub mod plugin_program;
mod recipients;
mod scrypt;
#[cfg_attr(not(feature = "ssh"), path = "ssh_stub.rs")]
mod ssh;
mod tagpq;
mod traits;
pub mod v1;
mod work;
mod x25519;

pub use callbacks::{Callbacks, NoCallbacks};
pub use error::{DecryptError, EncryptError, KeyError, KeyProblem, PluginError, PluginProblem};
pub use file_key::{FILE_KEY_BYTES, FileKey};
pub use identities::{
    IdentityKind, MAX_WORK_FACTOR, NewIdentity, generate, parse_identities, parse_identities_with,
    recipient_texts, to_recipients,
};
pub use in_process::InProcessPlugin;
pub use keeper::{Keeper, KeeperError};
pub use recipients::RecipientList;
pub use traits::{Identity, Recipient};
pub(crate) use work::WorkBudget;
pub use work::{BoundedIdentity, MAX_WORK};

pub use crate::stanza::AgeStanza as Stanza;

/// The longest file of recipients or identities, in bytes: 1 MiB.
pub const MAX_KEYS_FILE_BYTES: usize = 1 << 20;

/// The longest file with a private SSH key, in bytes: 16 KiB.
pub const MAX_SSH_FILE_BYTES: usize = 1 << 14;

use crate::key;

type BoxedIdentity = Box<dyn BoundedIdentity>;
type BoxedRecipient = Box<dyn Recipient + Send + Sync>;

/// The lines of a file of keys that say something, with their numbers from 1.
fn lines(contents: &[u8]) -> Result<impl Iterator<Item = (usize, &str)>, KeyError> {
    if contents.len() > MAX_KEYS_FILE_BYTES {
        return Err(KeyProblem::TooLong(MAX_KEYS_FILE_BYTES).into());
    }
    if contents.is_empty() {
        return Err(KeyProblem::Empty.into());
    }
    if key::is_utf16(contents) {
        return Err(KeyProblem::Utf16.into());
    }
    if str::from_utf8(contents).is_err() {
        return Err(KeyProblem::NotText.into());
    }
    // As age: a CR ends the last line, too.
    let contents = contents.strip_suffix(b"\r").unwrap_or(contents);
    // Parts of a text that end at ASCII characters are text.
    let text = |line| str::from_utf8(line).unwrap_or_default();
    Ok(key::key_file_lines(contents).map(move |(number, line)| (number, text(line))))
}

/// Refuses a key that is not as long as all of its kind are.
fn expect_length(what: &'static str, text: &str, expected: usize) -> Result<(), KeyProblem> {
    let found = text.chars().count();
    if found == expected { Ok(()) } else { Err(KeyProblem::Length { what, found, expected }) }
}

/// Whether the text begins as a secret does, in whatever case it was typed.
fn looks_secret(text: &str) -> bool {
    looks_like_identity(text)
        || begins_with(text, "polyseal-key-")
        || begins_with(text, "-----BEGIN")
}

/// Whether the text begins as an identity of age does, in whatever case it was typed.
fn looks_like_identity(text: &str) -> bool {
    begins_with(text, "AGE-SECRET-KEY-") || begins_with(text, "AGE-PLUGIN-")
}

fn begins_with(text: &str, with: &str) -> bool {
    text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}
