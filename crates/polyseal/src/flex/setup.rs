//! The hash of setup associated data, for configurations that make it without the key (section 5).

use core::fmt;

use super::cipher;
use super::config::{Profile, check_ad};
use super::hash::Chaining;
use crate::backend::Backend;
use crate::error::Result;

/// F(IV, HASH, AD_s): of setup associated data that is long, and the same for many keys. It is no
/// secret.
///
/// For [`Flex::init_prehashed`](super::Flex::init_prehashed), and configurations with
/// [`prehash_setup_ad`](super::Builder::prehash_setup_ad).
#[derive(Clone, Copy)]
pub struct SetupHash {
    profile: Profile,
    hash: Chaining,
}

impl SetupHash {
    /// The hash of `setup_ad` for the configurations of `profile`.
    ///
    /// # Errors
    /// [`Error::TooLong`](crate::Error::TooLong) above 2^60 bytes.
    pub fn new(profile: Profile, setup_ad: &[u8]) -> Result<Self> {
        Self::on(Backend::detect(), profile, setup_ad)
    }

    pub(super) fn on(backend: Backend, profile: Profile, setup_ad: &[u8]) -> Result<Self> {
        check_ad(setup_ad.len() as u64)?;
        let hash = (cipher::profile(profile).setup_hash)(backend, setup_ad);
        Ok(Self { profile, hash })
    }

    /// The profile.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// t bytes.
    pub(super) fn hash(&self) -> &[u8] {
        &self.hash[..self.profile.tag_bytes()]
    }
}

impl fmt::Debug for SetupHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetupHash").field("profile", &self.profile).finish_non_exhaustive()
    }
}
