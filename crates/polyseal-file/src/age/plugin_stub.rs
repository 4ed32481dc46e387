//! [Plugins](super) without the feature `plugin`: refused, with its name.

use super::error::KeyProblem;
use super::{BoxedIdentity, BoxedRecipient, Callbacks};

const ABSENT: KeyProblem = KeyProblem::Feature { what: "plugins", feature: "plugin" };

/// There is none.
#[derive(Clone)]
pub(super) enum Identity {}

/// There is none.
pub(super) enum Recipient {}

impl Identity {
    pub(super) fn plugin(&self) -> &str {
        match *self {}
    }
}

pub(super) fn identity(_: &str) -> Result<Identity, KeyProblem> {
    Err(ABSENT)
}

pub(super) fn recipient(_: &str) -> Result<Recipient, KeyProblem> {
    Err(ABSENT)
}

pub(super) fn usable<C: Callbacks>(
    _: &str,
    _: &[Identity],
    _: &C,
) -> Result<BoxedIdentity, KeyProblem> {
    Err(ABSENT)
}

pub(super) fn wrapping<C: Callbacks>(
    _: &[Recipient],
    _: &[Identity],
    _: &C,
) -> Result<Vec<BoxedRecipient>, KeyProblem> {
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::ABSENT;
    use crate::age::{NoCallbacks, RecipientList, parse_identities};

    #[test]
    fn are_refused_with_the_features_name() {
        let recipient = RecipientList::new().add("age1name1qqqq").unwrap_err();
        assert_eq!(recipient.problem(), &ABSENT);
        let file = b"AGE-PLUGIN-NAME-1QQQQ\n";
        let identity = parse_identities(file, None, &NoCallbacks).map(|_| ()).unwrap_err();
        assert_eq!(identity.problem(), &ABSENT);
    }
}
