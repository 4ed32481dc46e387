//! How long a file may make its reader try identities.
//!
//! A header has room for more than ten thousand stanzas, and each identity is tried on each stanza
//! of its kind. So the work is added up before it is done, over all identities, and there is a
//! most. That is some seconds on a slow machine, and far more than any file needs that was made for
//! people: 128 recipients and 256 identities of type X25519, say.
//!
//! Limit: a plugin takes as long as it likes.

use super::{Identity, Stanza};
use crate::error::{Error, Result};

/// The most work that trying identities on one file may take, in units of
/// [`work`](BoundedIdentity::work).
pub const MAX_WORK: u32 = 1 << 15;

/// An identity of age of which it is known how much work it does for a stanza.
///
/// ```
/// use polyseal_file::age::{NoCallbacks, Stanza, parse_identities};
///
/// let file = polyseal_file::age::generate(polyseal_file::age::IdentityKind::X25519, None)?.file;
/// let identities = parse_identities(file.reveal().as_bytes(), None, &NoCallbacks)?;
/// let stanza = |tag: &str| Stanza { tag: tag.to_owned(), args: vec![], body: vec![] };
/// assert_eq!(identities[0].work(&stanza("X25519")), 1);
/// assert_eq!(identities[0].work(&stanza("ssh-rsa")), 0);
/// # Ok::<(), polyseal_file::age::KeyError>(())
/// ```
pub trait BoundedIdentity: Identity + Send + Sync {
    /// The work of trying it on `stanza`, in units of an X25519 stanza's, some 0.1 ms. It is 0 if
    /// the stanza is seen to be for another.
    fn work(&self, stanza: &Stanza) -> u32;
}

/// The work that may still be done for one file.
pub(crate) struct WorkBudget(u32);

impl WorkBudget {
    pub(crate) fn new() -> Self {
        Self(MAX_WORK)
    }

    /// Takes what trying `identity` on all of `stanzas` needs; nothing, if there is not so much.
    pub(crate) fn take(
        &mut self,
        identity: &dyn BoundedIdentity,
        stanzas: &[Stanza],
    ) -> Result<()> {
        let works = stanzas.iter().map(|stanza| identity.work(stanza));
        let left = works.into_iter().try_fold(self.0, u32::checked_sub);
        self.0 = left.ok_or(Error::AgeTries)?;
        Ok(())
    }
}
