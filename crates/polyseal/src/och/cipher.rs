//! OCH with a key.

use aead::array::Array;
use aead::consts::{U32, U64};
use aead::inout::InOutBuf;
#[cfg(feature = "alloc")]
use {
    crate::contract::dynamic::Opened, crate::contract::release, crate::error::Result,
    alloc::boxed::Box, alloc::vec, alloc::vec::Vec, zeroize::Zeroizing,
};

use super::engine::{Expand, Keys, Message};
use super::{BLOCK, MAX_AD_BYTES, MAX_MESSAGE_BYTES};
use crate::backend::Backend;
use crate::contract::{Core, LongestInputs, of_one_length, open, rustcrypto};

/// OCH under one key, which is wiped on drop; `HIDES`: with the nonce hidden.
///
/// [`OchAreionP`](super::OchAreionP) is one of the two. The other,
/// [`AnyAead`](crate::any::AnyAead) has.
pub struct OchAreion<const HIDES: bool> {
    backend: Backend,
    keys: Keys,
}

impl<const HIDES: bool> OchAreion<HIDES> {
    /// How many bytes of a sealed message are before the ciphertext of the message.
    const HEAD: usize = if HIDES { BLOCK } else { 0 };

    const fn empty(backend: Backend) -> Self {
        Self { backend, keys: Keys::EMPTY }
    }

    /// In its place, so that nothing of the key stays behind elsewhere.
    fn init(&mut self, key: &[u8]) {
        self.backend.run_sequence(Expand { key, keys: &mut self.keys });
    }

    fn on(key: &[u8], backend: Backend) -> Self {
        let mut cipher = Self::empty(backend);
        cipher.init(key);
        cipher
    }

    #[cfg(feature = "alloc")]
    pub(super) fn boxed_on(key: &[u8], backend: Backend) -> Box<Self> {
        let mut cipher = Box::new(Self::empty(backend));
        cipher.init(key);
        cipher
    }

    /// Seals a nonce, if it is hidden, and a message.
    #[inline]
    fn seal_parts(
        &self,
        nonce: &[u8],
        head: &mut [u8],
        ad: &[u8],
        text: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) {
        let hidden = if HIDES { of_one_length(nonce, head) } else { head.into() };
        let public = if HIDES { &[] } else { nonce };
        let keys = &self.keys;
        let received = &[];
        let message = Message::<true> { keys, public, hidden, ad, text, received, tag };
        self.backend.run_sequence(message);
    }

    /// Decrypts what came with the tag `received`, `hidden` to the nonce.
    #[inline]
    fn decrypt_parts(
        &self,
        nonce: &[u8],
        hidden: InOutBuf<'_, '_, u8>,
        ad: &[u8],
        text: InOutBuf<'_, '_, u8>,
        received: &[u8],
        expected: &mut [u8],
    ) {
        let public = if HIDES { &[] } else { nonce };
        let (keys, tag) = (&self.keys, expected);
        let message = Message::<false> { keys, public, hidden, ad, text, received, tag };
        self.backend.run_sequence(message);
    }
}

impl<const HIDES: bool> Drop for OchAreion<HIDES> {
    fn drop(&mut self) {
        self.keys.offsets.wipe();
        self.keys.hash.wipe();
    }
}

/// Detached, a tag is the hidden nonce's ciphertext, and then the tag; a whole ciphertext has the
/// hidden nonce in front.
impl<const HIDES: bool> Core for OchAreion<HIDES> {
    type Tag = Array<u8, U64>;

    #[inline]
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        let (head, tag) = tag.split_at_mut(Self::HEAD);
        self.seal_parts(nonce, head, ad, buffer, tag);
    }

    #[inline]
    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        let (head, tag) = tag.split_at(Self::HEAD);
        let (recovered, expected) = expected.split_at_mut(Self::HEAD);
        self.decrypt_parts(nonce, of_one_length(head, recovered), ad, buffer, tag, expected);
        // The head, if it hid this nonce; with another, the bits that differ are turned.
        for i in 0..Self::HEAD {
            recovered[i] ^= head[i] ^ nonce[i];
        }
    }

    #[cfg(feature = "alloc")]
    fn seal_whole(&self, nonce: &[u8], ad: &[u8], message: &[u8], _: usize) -> Result<Vec<u8>> {
        let mut sealed = vec![0; Self::HEAD + message.len() + BLOCK];
        let (head, rest) = sealed.split_at_mut(Self::HEAD);
        let (body, tag) = rest.split_at_mut(message.len());
        self.seal_parts(nonce, head, ad, of_one_length(message, body), tag);
        Ok(sealed)
    }

    #[cfg(feature = "alloc")]
    fn open_whole(
        &self,
        nonce: &[u8],
        ad: &[u8],
        sealed: &[u8],
        tag_bytes: usize,
    ) -> Result<Zeroizing<Vec<u8>>> {
        let (head, body, tail) = parts(sealed, Self::HEAD);
        let mut message = Zeroizing::new(vec![0; body.len()]);
        let mut tag = [0; 2 * BLOCK];
        tag[..head.len()].copy_from_slice(head);
        tag[head.len()..tag_bytes].copy_from_slice(tail);
        open(self, nonce, ad, of_one_length(body, &mut message), &tag[..tag_bytes])?;
        Ok(message)
    }

    #[cfg(feature = "alloc")]
    fn open_hidden(&self, ad: &[u8], sealed: &[u8], _: usize) -> Result<Opened> {
        let (head, body, tag) = parts(sealed, Self::HEAD);
        let mut message = Zeroizing::new(vec![0; body.len()]);
        let mut nonce = vec![0; head.len()];
        let mut expected = [0; BLOCK];
        let text = of_one_length(body, &mut message);
        self.decrypt_parts(&[], of_one_length(head, &mut nonce), ad, text, tag, &mut expected);
        release(&mut expected, tag, [&mut nonce, &mut message])?;
        Ok(Opened { nonce, message })
    }
}

/// The head, the message's ciphertext and the tag of a sealed message that is long enough.
#[cfg(feature = "alloc")]
fn parts(sealed: &[u8], head: usize) -> (&[u8], &[u8], &[u8]) {
    let (head, rest) = sealed.split_at(head);
    let (body, tag) = rest.split_at(rest.len() - BLOCK);
    (head, body, tag)
}

rustcrypto! {
    impl [] OchAreion<false> {
        name: "OchAreion", key: U32, nonce: U32, tag: U32,
        longest: LongestInputs { message: MAX_MESSAGE_BYTES, ad: MAX_AD_BYTES }
    }
}
