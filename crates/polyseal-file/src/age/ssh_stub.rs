//! [SSH keys](super) without the feature `ssh`: refused, with its name.

use std::convert::Infallible;

use super::error::KeyProblem;
use super::{BoxedIdentity, BoxedRecipient, Callbacks};

const ABSENT: KeyProblem = KeyProblem::Feature { what: "SSH keys", feature: "ssh" };

/// There is none.
pub(super) type Identity = Infallible;

pub(super) fn read(_: &[u8]) -> Result<Identity, KeyProblem> {
    Err(ABSENT)
}

pub(super) fn usable<C: Callbacks>(
    key: Identity,
    _: Option<&str>,
    _: &C,
) -> Result<BoxedIdentity, KeyProblem> {
    match key {}
}

pub(super) fn public(key: &Identity) -> Result<BoxedRecipient, KeyProblem> {
    match *key {}
}

pub(super) fn public_text(key: &Identity) -> Result<String, KeyProblem> {
    match *key {}
}

pub(super) fn recipient(_: &str) -> Result<BoxedRecipient, KeyProblem> {
    Err(ABSENT)
}

#[cfg(test)]
mod tests {
    use super::ABSENT;
    use crate::age::{NoCallbacks, RecipientList, parse_identities};

    #[test]
    fn are_refused_with_the_features_name() {
        let recipient = RecipientList::new().add("ssh-ed25519 AAAA").unwrap_err();
        assert_eq!(recipient.problem(), &ABSENT);
        assert!(recipient.to_string().contains("without SSH keys: feature \"ssh\""), "{recipient}");
        let file = b"-----BEGIN OPENSSH PRIVATE KEY-----\n";
        let identity = parse_identities(file, None, &NoCallbacks).map(|_| ()).unwrap_err();
        assert_eq!(identity.problem(), &ABSENT);
    }
}
