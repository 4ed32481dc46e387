//! The padding fix: AES-256-GCM of 32 zero bytes and the message, whose zeros are checked.
//!
//! Source: A. Albertini, T. Duong, S. Gueron, S. Kölbl, A. Luykx, S. Schmieg, "How to Abuse and Fix
//! Authenticated Encryption Without Key Commitment" (eprint 2020/1456), section 5.3. It commits to
//! the key, because no two keys that anyone finds encrypt the same two counters alike; the price is
//! 32 bytes and two blocks. GCM's output C0 ‖ C ‖ T is C and the tag T ‖ C0 here.

use aead::array::Array;
use aead::consts::{U12, U32, U48};
use aead::inout::InOutBuf;

use super::aes::Aes256;
use super::cipher::ExpandedKey;
use super::engine::{Direction, Opening, Sealing};
use super::{MAX_AD_BYTES, MAX_MESSAGE_BYTES};
use crate::backend::{Backend, wipe};
use crate::contract::{Core, LongestInputs, rustcrypto};

/// The longest message in bytes: `2^36 − 64`.
pub(super) const MAX_PADDED_BYTES: u64 = MAX_MESSAGE_BYTES - 32;

/// AES-256-GCM with the padding fix, under one key, which is wiped on drop.
#[derive(Clone)]
pub struct PaddingFixAes256Gcm {
    expanded: ExpandedKey<Aes256>,
}

impl PaddingFixAes256Gcm {
    pub(super) fn on(key: &[u8], backend: Backend) -> Self {
        Self { expanded: ExpandedKey::new(key, backend) }
    }

    /// Takes the 32 bytes in `padding` and then `buffer`, of checked length; returns T.
    fn crypt<D: Direction>(
        &self,
        nonce: &[u8],
        ad: &[u8],
        padding: &mut [u8; 32],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> [u8; 16] {
        let mut ongoing = self.expanded.ongoing(nonce, ad);
        ongoing.take_message::<D>(padding.as_mut_slice().into());
        ongoing.take_message::<D>(buffer);
        let mut tag = [0; 16];
        ongoing.tag(&mut tag);
        tag
    }
}

impl Core for PaddingFixAes256Gcm {
    type Tag = Array<u8, U48>;

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        let mut padding = [0; 32];
        tag[..16].copy_from_slice(&self.crypt::<Sealing>(nonce, ad, &mut padding, buffer));
        tag[16..].copy_from_slice(&padding);
    }

    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        let mut padding = [0; 32];
        padding.copy_from_slice(&tag[16..]);
        let mut t = self.crypt::<Opening>(nonce, ad, &mut padding, buffer);
        expected[..16].copy_from_slice(&t);
        wipe(&mut t);
        // C0 must decrypt to zeros: C0 ⊕ its decryption.
        for ((expected, c0), padding) in expected[16..].iter_mut().zip(&tag[16..]).zip(padding) {
            *expected = c0 ^ padding;
        }
    }
}

rustcrypto! {
    impl [] PaddingFixAes256Gcm {
        name: "PaddingFixAes256Gcm", key: U32, nonce: U12, tag: U48,
        longest: LongestInputs { message: MAX_PADDED_BYTES, ad: MAX_AD_BYTES }
    }
}
