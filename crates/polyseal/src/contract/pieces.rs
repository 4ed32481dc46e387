//! Messages in pieces: encryption as a message arrives, and decryption that releases nothing before
//! the tag has been verified.

use core::fmt;
use core::marker::PhantomData;

use aead::array::{Array, ArraySize};
use aead::inout::InOutBuf;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::verify;
use crate::error::{Error, Result};

/// A message on its way, between two calls. Wipes itself on drop.
#[allow(missing_docs)]
pub trait Ongoing: Sized {
    /// Encrypts or decrypts the next piece; or, if the message becomes too long, does nothing.
    fn transform<const SEALS: bool>(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<()>;

    /// The tag of all pieces.
    fn tag(&mut self, tag: &mut [u8]);
}

/// Encrypts a message that arrives in pieces. The ciphertext of each piece is as long as the piece.
///
/// ```
/// use polyseal::aead::KeyInit;
#[cfg_attr(feature = "aegis", doc = "use polyseal::aegis::Aegis128L as Cipher;")]
#[cfg_attr(not(feature = "aegis"), doc = "use polyseal::gcm::Aes128Gcm as Cipher;")]
///
/// let cipher = Cipher::new(&[1; 16].into());
/// let nonce = Default::default();
/// let mut encryptor = cipher.encryptor(&nonce, b"header")?;
/// let mut message = *b"two pieces";
/// let (first, second) = message.split_at_mut(3);
/// encryptor.update(first.into())?;
/// encryptor.update(second.into())?;
/// let tag = encryptor.finalize();
///
/// let mut buffer = [0; 16];
/// let mut decryptor = cipher.decryptor(&nonce, b"header", &mut buffer)?;
/// decryptor.update(&message[..7])?;
/// decryptor.update(&message[7..])?;
/// assert_eq!(decryptor.finalize(&tag)?, b"two pieces");
/// # Ok::<(), polyseal::Error>(())
/// ```
pub struct Encryptor<O: Ongoing, T: ArraySize> {
    ongoing: O,
    tag: PhantomData<T>,
}

impl<O: Ongoing, T: ArraySize> Encryptor<O, T> {
    pub(crate) fn new(ongoing: O) -> Self {
        Self { ongoing, tag: PhantomData }
    }

    /// Encrypts the next piece from `buffer`'s input to its output.
    ///
    /// # Errors
    /// [`Error::TooLong`] when the message grows above the algorithm's limit.
    pub fn update(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<()> {
        self.ongoing.transform::<true>(buffer)
    }

    /// The tag of the whole message.
    #[must_use]
    pub fn finalize(mut self) -> Array<u8, T> {
        let mut tag = Array::default();
        self.ongoing.tag(&mut tag);
        tag
    }
}

/// Decrypts a message that arrives in pieces into a buffer that stays out of reach until the tag is
/// verified. If it is not, or if the decryptor is dropped before, what was written is wiped.
///
/// A decryptor must be finalised or dropped: one that is leaked ([`core::mem::forget`]) gives its
/// buffer back as it is, with plaintext that has not been verified.
pub struct Decryptor<'a, O: Ongoing, T: ArraySize> {
    ongoing: O,
    destination: &'a mut [u8],
    written: usize,
    tag: PhantomData<T>,
}

impl<'a, O: Ongoing, T: ArraySize> Decryptor<'a, O, T> {
    pub(crate) fn new(ongoing: O, destination: &'a mut [u8]) -> Self {
        Self { ongoing, destination, written: 0, tag: PhantomData }
    }

    /// Decrypts the next piece, and writes it after the previous one.
    ///
    /// # Errors
    /// [`Error::Buffer`] if the destination is too short, [`Error::TooLong`] when the message grows
    /// above the algorithm's limit; then nothing of the piece has been taken.
    pub fn update(&mut self, ciphertext: &[u8]) -> Result<()> {
        let free = &mut self.destination[self.written..];
        let (expected, actual) = (ciphertext.len(), free.len());
        let Some(output) = free.get_mut(..expected) else {
            return Err(Error::Buffer { expected, actual });
        };
        let buffer =
            InOutBuf::new(ciphertext, output).map_err(|_| Error::Buffer { expected, actual })?;
        self.ongoing.transform::<false>(buffer)?;
        self.written += expected;
        Ok(())
    }

    /// Releases the message if `tag` is authentic.
    ///
    /// # Errors
    /// [`Error::Unauthentic`] if it is not: what was written has been wiped.
    pub fn finalize(mut self, tag: &Array<u8, T>) -> Result<&'a mut [u8]> {
        let mut expected = Array::<u8, T>::default();
        self.ongoing.tag(&mut expected);
        // On failure, dropping `self` wipes the destination.
        verify(&mut expected, tag)?;
        let written = core::mem::take(&mut self.written);
        Ok(&mut core::mem::take(&mut self.destination)[..written])
    }
}

impl<O: Ongoing, T: ArraySize> Drop for Decryptor<'_, O, T> {
    fn drop(&mut self) {
        self.destination[..self.written].zeroize();
    }
}

impl<O: Ongoing, T: ArraySize> fmt::Debug for Encryptor<O, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor").finish_non_exhaustive()
    }
}

impl<O: Ongoing, T: ArraySize> fmt::Debug for Decryptor<'_, O, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decryptor").finish_non_exhaustive()
    }
}

impl<O: Ongoing, T: ArraySize> ZeroizeOnDrop for Encryptor<O, T> {}
impl<O: Ongoing, T: ArraySize> ZeroizeOnDrop for Decryptor<'_, O, T> {}
