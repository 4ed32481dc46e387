//! Plugins: programs `age-plugin-NAME` on the PATH, which are trusted with the file key.
//!
//! Source: the protocol of c2sp.org/age-plugin, as the `age` crate speaks it.

use ::age::Callbacks;
use ::age::plugin::{IdentityPluginV1, RecipientPluginV1};

use super::error::KeyProblem;
use super::recipients::exact;
use super::{BoxedIdentity, BoxedRecipient};

pub(super) use ::age::plugin::{Identity, Recipient};

/// A line of an identity file.
pub(super) fn identity(line: &str) -> Result<Identity, KeyProblem> {
    line.parse().map_err(|_| KeyProblem::Damaged("identity"))
}

/// `age1NAME1…`.
pub(super) fn recipient(text: &str) -> Result<Recipient, KeyProblem> {
    exact(text).ok_or(KeyProblem::Damaged("recipient"))
}

/// What opens with those of `identities` that are of the plugin `name`.
pub(super) fn usable<C: Callbacks>(
    name: &str,
    identities: &[Identity],
    callbacks: &C,
) -> Result<BoxedIdentity, KeyProblem> {
    match IdentityPluginV1::new(name, identities, callbacks.clone()) {
        Ok(plugin) => Ok(Box::new(plugin)),
        Err(_) => Err(KeyProblem::Plugin(name.to_owned())),
    }
}

/// What wraps a key for all of them: one recipient for each plugin.
pub(super) fn wrapping<C: Callbacks>(
    recipients: &[Recipient],
    identities: &[Identity],
    callbacks: &C,
) -> Result<Vec<BoxedRecipient>, KeyProblem> {
    let mut names: Vec<&str> = Vec::new();
    let of_recipients = recipients.iter().map(Recipient::plugin);
    for name in of_recipients.chain(identities.iter().map(Identity::plugin)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let plugin = |name: &str| -> Result<BoxedRecipient, KeyProblem> {
        match RecipientPluginV1::new(name, recipients, identities, callbacks.clone()) {
            Ok(plugin) => Ok(Box::new(plugin)),
            Err(_) => Err(KeyProblem::Plugin(name.to_owned())),
        }
    };
    names.into_iter().map(plugin).collect()
}
