//! The AEGIS key stream: the encryption of zeros, without a tag.
//!
//! Source: RFC 10032, section 7. It authenticates nothing: use it as a deterministic generator, or
//! where something else authenticates.

use core::fmt;

use aead::array::Array;
use aead::common::KeySizeUser;
use aead::inout::InOutBuf;
use aead::{Key, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::cipher::{KeyOnBackend, LONGEST};
use super::engine::{Engine, MEASURED, MessageTask};
use super::pass::XorKeyStream;
use super::variant::{Variant, VariantImpl};
use crate::backend::{Backend, Lanes};
use crate::error::Result;

/// The key stream of variant `V` under one key, which must not be an AEAD's or a MAC's key.
///
/// ```
/// use polyseal::aead::{Key, KeyInit};
/// use polyseal::aegis::AegisStream128L;
///
/// let stream = AegisStream128L::new(&Key::<AegisStream128L>::from([1; 16]));
/// let mut bytes = [0; 100];
/// stream.generate(&[2; 16].into(), &mut bytes)?;
///
/// let mut message = [0; 100];
/// stream.apply(&[2; 16].into(), message.as_mut_slice().into())?;
/// assert_eq!(message, bytes); // a message of zeros becomes the key stream
/// # Ok::<(), polyseal::Error>(())
/// ```
pub struct AegisStream<V: Variant> {
    key: KeyOnBackend<V::KeySize>,
}

impl<V: Variant> AegisStream<V> {
    /// With a back end of the caller's choice. Results never depend on it.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    #[must_use]
    pub fn with_backend(key: &Key<Self>, backend: Backend) -> Self {
        Self { key: KeyOnBackend { bytes: key.clone(), backend } }
    }

    /// Fills `output` with key stream.
    ///
    /// # Errors
    /// [`Error::TooLong`](crate::Error::TooLong) above [`MAX_BYTES`](super::MAX_BYTES).
    pub fn generate(&self, nonce: &Array<u8, V::KeySize>, output: &mut [u8]) -> Result<()> {
        output.fill(0);
        self.apply(nonce, output.into())
    }

    /// Exclusive-ors `buffer` with key stream; twice gives back the input.
    ///
    /// # Errors
    /// As [`generate`](Self::generate).
    pub fn apply(&self, nonce: &Array<u8, V::KeySize>, buffer: InOutBuf<'_, '_, u8>) -> Result<()> {
        LONGEST.check(0, buffer.len())?;
        self.key.run::<V, _, MEASURED>(nonce, Apply { buffer });
        Ok(())
    }
}

impl<V: Variant> Clone for AegisStream<V> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone() }
    }
}

impl<V: Variant> fmt::Debug for AegisStream<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AegisStream").finish_non_exhaustive()
    }
}

impl<V: Variant> ZeroizeOnDrop for AegisStream<V> {}

impl<V: Variant> KeySizeUser for AegisStream<V> {
    type KeySize = V::KeySize;
}

impl<V: Variant> KeyInit for AegisStream<V> {
    fn new(key: &Key<Self>) -> Self {
        Self { key: KeyOnBackend { bytes: key.clone(), backend: Backend::detect() } }
    }
}

struct Apply<'i, 'o> {
    buffer: InOutBuf<'i, 'o, u8>,
}

impl<V: VariantImpl> MessageTask<V> for Apply<'_, '_> {
    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, mut engine: Engine<V, L, K>) {
        engine.take(XorKeyStream { buffer: self.buffer });
    }
}
