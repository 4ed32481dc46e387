//! Recipients and identities of age, for the stanzas that age wraps.
//!
//! Source: the age v1 specification (c2sp.org/age), and for all but the hybrid kind the `age`
//! crate, whose traits and other types that a caller needs stand here too.
//!
//! Security claim: that of each kind. X25519, SSH and tag keys keep a file secret until somebody
//! has a quantum computer; hybrid and tagpq keys beyond that, and are not mixed with the others.
//!
//! Limits: recipients are not authenticated and say nothing about who encrypted. A plugin is a
//! program that is found on the PATH and is trusted with the file key. SSH and tag stanzas show
//! whose they are. What the `age` crate copies on its way (SSH keys, plugin identities) is not
//! wiped.

mod error;
mod hpke;
pub mod hybrid;
mod identities;
#[cfg_attr(not(feature = "plugin"), path = "without_plugin.rs")]
mod plugin;
mod recipients;
#[cfg_attr(not(feature = "ssh"), path = "without_ssh.rs")]
mod ssh;
pub mod v1;

pub use ::age::secrecy;
pub use ::age::{Callbacks, DecryptError, EncryptError, Identity, NoCallbacks, Recipient};
pub use age_core::format::{FILE_KEY_BYTES, FileKey, Stanza};
pub use error::{KeyError, KeyProblem};
pub use identities::{
    IdentityKind, MAX_WORK_FACTOR, NewIdentity, generate, parse_identities, to_recipients,
};
pub use recipients::RecipientList;

/// The longest file of recipients or identities, in bytes: 1 MiB.
pub const MAX_KEYS_FILE_BYTES: usize = 1 << 20;

/// The longest file with a private SSH key, in bytes: 16 KiB.
pub const MAX_SSH_FILE_BYTES: usize = 1 << 14;

type BoxedIdentity = Box<dyn Identity + Send + Sync>;
type BoxedRecipient = Box<dyn Recipient + Send + Sync>;

/// The lines of a file of keys that say something, with their numbers from 1.
fn lines(contents: &[u8]) -> Result<impl Iterator<Item = (usize, &str)>, KeyError> {
    if contents.len() > MAX_KEYS_FILE_BYTES {
        return Err(KeyProblem::TooLong(MAX_KEYS_FILE_BYTES).into());
    }
    let text = str::from_utf8(contents).map_err(|_| KeyProblem::NotText)?;
    let numbered = text.split('\n').enumerate().map(|(i, line)| (i + 1, line));
    Ok(numbered
        .map(|(number, line)| (number, line.strip_suffix('\r').unwrap_or(line)))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#')))
}

/// Whether the text begins as a secret does, in whatever case it was typed.
fn looks_secret(text: &str) -> bool {
    let begins =
        |with: &str| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    ["AGE-SECRET-KEY-", "AGE-PLUGIN-", "polyseal-key-", "-----BEGIN"].into_iter().any(begins)
}
