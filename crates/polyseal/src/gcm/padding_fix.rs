//! The padding fix: AES-256-GCM of 32 zero bytes and the message, whose zeros are checked.
//!
//! Source: A. Albertini, T. Duong, S. Gueron, S. Kölbl, A. Luykx, S. Schmieg, "How to Abuse and Fix
//! Authenticated Encryption Without Key Commitment" (eprint 2020/1456), section 5.3. It commits to
//! the key, because no two keys that anyone finds encrypt the same two counters alike; the price is
//! 32 bytes and two blocks. GCM's output C0 ‖ C ‖ T is C and the tag T ‖ C0 here.

use core::fmt;

use aead::common::KeySizeUser;
use aead::consts::{U12, U32, U48};
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Key, KeyInit, Nonce, Tag, TagPosition};
use zeroize::ZeroizeOnDrop;

use super::aes::Aes256;
use super::cipher::{Keyed, verify};
use super::engine::{Direction, Opening, Sealing};
use super::{MAX_AD_BYTES, MAX_MESSAGE_BYTES};
use crate::backend::{Backend, wipe};
use crate::error::{Error, Result};

/// The longest message in bytes: `2^36 − 64`.
pub(super) const MAX_PADDED_BYTES: u64 = MAX_MESSAGE_BYTES - 32;

/// AES-256-GCM with the padding fix, under one key, which is wiped on drop.
#[derive(Clone)]
pub struct PaddingFixAes256Gcm {
    keyed: Keyed<Aes256>,
}

impl PaddingFixAes256Gcm {
    /// With a back end of the caller's choice. Results never depend on it.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    #[must_use]
    pub fn with_backend(key: &Key<Self>, backend: Backend) -> Self {
        Self::on(key, backend)
    }

    pub(super) fn on(key: &[u8], backend: Backend) -> Self {
        Self { keyed: Keyed::new(key, backend) }
    }

    /// Takes the 32 bytes in `padding` and then `buffer`, of checked length; returns T.
    fn crypt<D: Direction>(
        &self,
        nonce: &[u8],
        ad: &[u8],
        padding: &mut [u8; 32],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> [u8; 16] {
        let mut ongoing = self.keyed.ongoing(nonce, ad);
        ongoing.take_message::<D>(padding.as_mut_slice().into());
        ongoing.take_message::<D>(buffer);
        let mut tag = [0; 16];
        ongoing.tag(&mut tag);
        tag
    }

    pub(super) fn seal(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) {
        let mut padding = [0; 32];
        tag[..16].copy_from_slice(&self.crypt::<Sealing>(nonce, ad, &mut padding, buffer));
        tag[16..].copy_from_slice(&padding);
    }

    pub(super) fn open(
        &self,
        nonce: &[u8],
        ad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<()> {
        // T, and the zeros that C0 must decrypt to, as one.
        let (mut expected, mut actual) = ([0; 48], [0; 48]);
        let mut padding = [0; 32];
        padding.copy_from_slice(&tag[16..]);
        let mut t = self.crypt::<Opening>(nonce, ad, &mut padding, buffer.reborrow());
        expected[..16].copy_from_slice(&t);
        wipe(&mut t);
        actual[..16].copy_from_slice(&tag[..16]);
        actual[16..].copy_from_slice(&padding);
        verify(&mut expected, &actual, buffer)
    }
}

fn check_lengths(ad: usize, message: usize) -> Result<()> {
    if ad as u64 > MAX_AD_BYTES {
        return Err(Error::TooLong { what: "associated data", limit: MAX_AD_BYTES });
    }
    if message as u64 > MAX_PADDED_BYTES {
        return Err(Error::TooLong { what: "message", limit: MAX_PADDED_BYTES });
    }
    Ok(())
}

impl fmt::Debug for PaddingFixAes256Gcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PaddingFixAes256Gcm").finish_non_exhaustive()
    }
}

impl ZeroizeOnDrop for PaddingFixAes256Gcm {}

impl KeySizeUser for PaddingFixAes256Gcm {
    type KeySize = U32;
}

impl KeyInit for PaddingFixAes256Gcm {
    fn new(key: &Key<Self>) -> Self {
        Self::on(key, Backend::detect())
    }
}

impl AeadCore for PaddingFixAes256Gcm {
    type NonceSize = U12;
    type TagSize = U48;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl AeadInOut for PaddingFixAes256Gcm {
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> aead::Result<Tag<Self>> {
        check_lengths(associated_data.len(), buffer.len())?;
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
        check_lengths(associated_data.len(), buffer.len())?;
        Ok(self.open(nonce, associated_data, buffer, tag)?)
    }
}
