//! Which signers a reader wants. That none is wanted has to be said.

use super::{AcceptedSigner, AllowedSigners, Coverage, SignedStatement, TreeVersion};
use crate::error::Result;
use crate::read_at::ReadAt;

/// Which signers a reader wants.
#[derive(Clone, Debug)]
pub enum SignaturePolicy {
    /// None: a file is opened whoever has made it.
    NotRequired,
    /// A file is opened only with a statement of this signer.
    Required(RequiredSigner),
}

/// A signer of a list, or the one of a name.
#[derive(Clone, Debug)]
pub struct RequiredSigner {
    allowed: AllowedSigners,
    by: Option<String>,
}

impl RequiredSigner {
    /// Any signer of this list.
    #[must_use]
    pub fn any_of(allowed: AllowedSigners) -> Self {
        Self { allowed, by: None }
    }

    /// The one of this name.
    #[must_use]
    pub fn by(mut self, name: impl Into<String>) -> Self {
        self.by = Some(name.into());
        self
    }

    /// The signer of a statement who is accepted, at a time in seconds since 1970.
    ///
    /// # Errors
    /// [`Problem::NotAccepted`](super::Problem::NotAccepted).
    pub fn accept(&self, signed: &SignedStatement, at: u64) -> Result<AcceptedSigner> {
        signed.accepted(&self.allowed, self.by.as_deref(), at)
    }

    /// The same of a stored statement about a tree, and what it covers.
    ///
    /// # Errors
    /// Those of [`SignedStatement::read`] and [`SignedStatement::tree_coverage`], and
    /// [`Problem::NotAccepted`](super::Problem::NotAccepted).
    pub fn accept_tree(
        &self,
        stored: Box<dyn ReadAt + Send + Sync>,
        at: u64,
    ) -> Result<(AcceptedSigner, (Coverage, TreeVersion))> {
        let signed = SignedStatement::read(&stored)?;
        Ok((self.accept(&signed, at)?, signed.tree_coverage(stored)?))
    }
}
