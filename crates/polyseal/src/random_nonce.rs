//! Sealing under random nonces that travel with the ciphertext: N ‖ C ‖ tag in one vector.
//!
//! There is no nonce to draw, to keep or to get wrong; and a commitment like KC-XAES's, which holds
//! for key and nonce only where the nonce travels with the ciphertext, holds.
//!
//! It is for the algorithms with which a key may have at least 2^48 messages under random nonces
//! ([`Limits::random_nonce_messages`](crate::limits::Limits::random_nonce_messages)): a key that
//! seals a million of them a second lasts for nearly nine years, so that hardly anybody has to
//! count. That takes nonces of 16 bytes. AES-GCM with any nonce, 2^32 messages, would be done after
//! 72 minutes, without a notice: it is refused. So are DNDK's nonces of less than 16 bytes, and the
//! algorithms on AES-GCM that do not derive keys. AES-GCM's own interface remains, for users who
//! count.
//!
//! The typed ciphers have it as the trait [`RandomNonce`], and algorithms by name as
//! [`AnyAead::seal_random_nonce`](crate::any::AnyAead::seal_random_nonce).
//!
//! ```
//! use polyseal::aead::{Generate, Key, KeyInit};
//! use polyseal::gcm::KcXaes256Gcm;
//! use polyseal::random_nonce::RandomNonce;
//!
//! let cipher = KcXaes256Gcm::new(&Key::<KcXaes256Gcm>::generate());
//! let sealed = cipher.seal_random_nonce(b"header", b"attack at dawn")?;
//! assert_eq!(sealed.len(), 24 + 14 + 48); // nonce, ciphertext, tag
//! assert_eq!(cipher.open_random_nonce(b"header", &sealed)?, b"attack at dawn");
//! # Ok::<(), polyseal::aead::Error>(())
//! ```

use alloc::vec;
use alloc::vec::Vec;

use aead::array::typenum::Unsigned;
use aead::inout::InOutBuf;
use aead::{AeadInOut, Nonce, Tag};

/// How many messages under random nonces a key must be good for.
#[cfg(feature = "getrandom")]
pub const MIN_MESSAGES: u128 = 1 << 48;

/// The shortest nonces that are: n bits are good for 2^((n − 32) / 2) messages.
const MIN_NONCE_BYTES: usize = 16;

/// A cipher that seals under random nonces. One with nonces of less than 16 bytes does not compile.
///
/// ```compile_fail
/// use polyseal::aead::KeyInit;
/// use polyseal::gcm::Aes256Gcm;
/// use polyseal::random_nonce::RandomNonce;
///
/// let sealed = Aes256Gcm::new(&[7; 32].into()).seal_random_nonce(b"", b"message");
/// ```
///
/// ```compile_fail
/// use polyseal::aead::{KeyInit, consts::U13};
/// use polyseal::gcm::DndkGcmNonce;
/// use polyseal::random_nonce::RandomNonce;
///
/// let cipher = DndkGcmNonce::<U13>::new(&[7; 32].into());
/// let sealed = cipher.seal_random_nonce(b"", b"message");
/// ```
pub trait RandomNonce: AeadInOut {
    /// Seals `message` under a nonce drawn from the operating system, into a new vector that is all
    /// the opener needs beside key and associated data: nonce, ciphertext, tag.
    ///
    /// # Errors
    /// [`aead::Error`] if the operating system has no random bytes, or the message or associated
    /// data is longer than the algorithm's limit.
    #[cfg(feature = "getrandom")]
    fn seal_random_nonce(&self, ad: &[u8], message: &[u8]) -> aead::Result<Vec<u8>> {
        use aead::Generate;

        long_enough::<Self>();
        let drawn = Nonce::<Self>::try_generate().map_err(|_| aead::Error)?;
        let mut sealed = vec![0; Self::NonceSize::USIZE + message.len() + Self::TagSize::USIZE];
        let (nonce, rest) = sealed.split_at_mut(Self::NonceSize::USIZE);
        let (ciphertext, tag) = rest.split_at_mut(message.len());
        nonce.copy_from_slice(&drawn);
        let buffer = InOutBuf::new(message, ciphertext).map_err(|_| aead::Error)?;
        tag.copy_from_slice(&self.encrypt_inout_detached(&drawn, ad, buffer)?);
        Ok(sealed)
    }

    /// Opens `sealed` (nonce, ciphertext, tag) into a new vector.
    ///
    /// # Errors
    /// [`aead::Error`] if it is not authentic, shorter than a nonce and a tag, or longer than the
    /// algorithm's limit.
    fn open_random_nonce(&self, ad: &[u8], sealed: &[u8]) -> aead::Result<Vec<u8>> {
        long_enough::<Self>();
        let (nonce, rest) = sealed.split_at_checked(Self::NonceSize::USIZE).ok_or(aead::Error)?;
        let at = rest.len().checked_sub(Self::TagSize::USIZE).ok_or(aead::Error)?;
        let (ciphertext, tag) = rest.split_at(at);
        let nonce = <&Nonce<Self>>::try_from(nonce).map_err(|_| aead::Error)?;
        let tag = <&Tag<Self>>::try_from(tag).map_err(|_| aead::Error)?;
        let mut message = vec![0; at];
        let buffer = InOutBuf::new(ciphertext, &mut message).map_err(|_| aead::Error)?;
        self.decrypt_inout_detached(nonce, ad, buffer, tag)?;
        Ok(message)
    }
}

/// Does not compile for a cipher with shorter nonces.
fn long_enough<C: AeadInOut + ?Sized>() {
    const { assert!(C::NonceSize::USIZE >= MIN_NONCE_BYTES, "too short for random nonces") }
}

#[cfg(feature = "aegis")]
impl<V: crate::aegis::Variant, T: crate::aegis::TagBytes> RandomNonce
    for crate::aegis::Aegis<V, T>
{
}

#[cfg(feature = "gcm")]
impl<S: crate::gcm::Scheme> RandomNonce for crate::gcm::NonceDerived<S> {}

#[cfg(feature = "flex")]
impl<S: crate::flex::Preset> RandomNonce for crate::flex::FlexAead<S> {}

#[cfg(all(feature = "flex", feature = "papers"))]
impl RandomNonce for crate::och::OchAreionP {}

#[cfg(feature = "ctx")]
impl<A: crate::commit::InnerAead + RandomNonce> RandomNonce for crate::commit::Ctx<A> {}
