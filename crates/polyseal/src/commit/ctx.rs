//! CTX: a hash over key, nonce, associated data and tag in the place of the tag.
//!
//! Source: J. Chan, P. Rogaway, "On Committing Authenticated Encryption" (eprint 2022/1260). The hash
//! is HMAC-SHA256 under the AEAD's own key, over N ‖ T ‖ A: N and T have fixed lengths, so that no two
//! inputs are the same bytes. Security: CMT-4 as far as SHA-256 resists collisions, 128 bits; privacy
//! and authenticity are the AEAD's. A repeated nonce costs what it costs there.
//!
//! The commitment is to a key of one length: HMAC fills a key of up to 64 bytes up with zeros, so that to it
//! K and K ‖ 0 are one key. Each AEAD here takes keys of one length only; never take one tag for those of
//! two AEADs.
//!
//! The associated data is hashed twice. What it does not give: a commitment that anyone can check
//! without the key.

use core::fmt;

use aead::common::KeySizeUser;
use aead::consts::U32;
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Key, KeyInit, Nonce, Tag, TagPosition};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::backend::Backend;
use crate::ct;
use crate::error::{Error, Result};
use crate::tagged::Tagged;

/// CTX over `A`: its key and nonce, and tags of 32 bytes. Keys are wiped on drop.
///
/// ```
/// use polyseal::aead::{AeadInOut, KeyInit};
/// use polyseal::commit::Ctx;
/// use polyseal::gcm::Aes256Gcm;
///
/// let cipher = Ctx::<Aes256Gcm>::new(&[1; 32].into());
/// let (nonce, mut buffer) = ([2; 12].into(), *b"attack at dawn");
/// let tag = cipher.encrypt_inout_detached(&nonce, b"header", buffer.as_mut_slice().into())?;
/// cipher.decrypt_inout_detached(&nonce, b"header", buffer.as_mut_slice().into(), &tag)?;
/// assert_eq!(&buffer, b"attack at dawn");
/// # Ok::<(), polyseal::aead::Error>(())
/// ```
pub struct Ctx<A: Tagged> {
    aead: A,
    /// HMAC's state once it has taken the key; wipes itself.
    prf: Hmac<Sha256>,
}

impl<A: Tagged> Ctx<A> {
    /// With a back end of the caller's choice. Results never depend on it.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    #[must_use]
    pub fn with_backend(key: &Key<Self>, backend: Backend) -> Self {
        Self::on(key, backend)
    }

    pub(crate) fn on(key: &[u8], backend: Backend) -> Self {
        let Ok(prf) = Hmac::new_from_slice(key) else { unreachable!("HMAC takes any key") };
        Self { aead: A::on(key, backend), prf }
    }

    /// T* of T, which is wiped.
    fn star(&self, nonce: &[u8], ad: &[u8], tag: &mut [u8; 16]) -> [u8; 32] {
        let mut prf = self.prf.clone();
        prf.update(nonce);
        prf.update(tag);
        prf.update(ad);
        tag.zeroize();
        prf.finalize().into_bytes().into()
    }

    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) {
        let mut inner = self.aead.seal(nonce, ad, buffer);
        tag.copy_from_slice(&self.star(nonce, ad, &mut inner));
    }

    pub(crate) fn open(
        &self,
        nonce: &[u8],
        ad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<()> {
        let mut inner = self.aead.open(nonce, ad, buffer.reborrow());
        let verdict = ct::verify(&mut self.star(nonce, ad, &mut inner), tag);
        if verdict.is_err() {
            buffer.get_out().zeroize();
        }
        verdict
    }
}

fn check_lengths<A: Tagged>(ad: usize, message: usize) -> Result<()> {
    if ad as u64 > A::MAX_AD_BYTES {
        return Err(Error::TooLong { what: "associated data", limit: A::MAX_AD_BYTES });
    }
    if message as u64 > A::MAX_MESSAGE_BYTES {
        return Err(Error::TooLong { what: "message", limit: A::MAX_MESSAGE_BYTES });
    }
    Ok(())
}

impl<A: Tagged + Clone> Clone for Ctx<A> {
    fn clone(&self) -> Self {
        Self { aead: self.aead.clone(), prf: self.prf.clone() }
    }
}

impl<A: Tagged> fmt::Debug for Ctx<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctx").finish_non_exhaustive()
    }
}

impl<A: Tagged + ZeroizeOnDrop> ZeroizeOnDrop for Ctx<A> {}

impl<A: Tagged> KeySizeUser for Ctx<A> {
    type KeySize = A::KeySize;
}

impl<A: Tagged> KeyInit for Ctx<A> {
    fn new(key: &Key<Self>) -> Self {
        Self::on(key, Backend::detect())
    }
}

impl<A: Tagged> AeadCore for Ctx<A> {
    type NonceSize = A::NonceSize;
    type TagSize = U32;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<A: Tagged> AeadInOut for Ctx<A> {
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> aead::Result<Tag<Self>> {
        check_lengths::<A>(associated_data.len(), buffer.len())?;
        let mut tag = Tag::<Self>::default();
        self.seal(nonce, associated_data, buffer, &mut tag);
        Ok(tag)
    }

    fn decrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> aead::Result<()> {
        check_lengths::<A>(associated_data.len(), buffer.len())?;
        Ok(self.open(nonce, associated_data, buffer, tag)?)
    }
}
