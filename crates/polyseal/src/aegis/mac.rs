//! AEGISMAC: a message authentication code with a nonce.
//!
//! Source: RFC 10032, section 8: above degree 1 the lanes' tags are absorbed before the final tag.
//! (Libraries from before 2025 compute other tags there.) One key, one tag length, and never a key
//! of an AEAD or a key stream.
//!
//! A nonce may be used again: of the RFC's functions this is the only one that takes a (key,
//! nonce) pair for more than one input. It is no hash, for anyone who knows the key finds inputs
//! with the same tag at once; and tags are no key material, for nothing says that they are
//! uniformly random.

use core::fmt;
use core::marker::PhantomData;

use aead::array::Array;
use aead::common::KeySizeUser;
use aead::consts::U16;
use aead::{Key, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::cipher::{KeyOnBackend, LONGEST, TagBytes};
use super::engine::{Engine, MEASURED, MessageTask};
use super::incremental::Ongoing;
use super::variant::{Variant, VariantImpl};
use crate::backend::{Backend, Lanes};
use crate::contract::verify;
use crate::error::Result;

/// AEGISMAC of variant `V` with tags of `T` bytes, under one key, which is wiped on drop.
///
/// ```
/// use polyseal::aead::KeyInit;
/// use polyseal::aegis::AegisMac128X2;
///
/// let mac = AegisMac128X2::new(&[1; 16].into());
/// let tag = mac.mac(&[2; 16].into(), b"message")?;
///
/// let mut state = mac.start(&[2; 16].into());
/// state.update(b"mess")?;
/// state.update(b"age")?;
/// state.verify(&tag)?;
/// # Ok::<(), polyseal::Error>(())
/// ```
pub struct AegisMac<V: Variant, T: TagBytes = U16> {
    key: KeyOnBackend<V::KeySize>,
    tag: PhantomData<T>,
}

impl<V: Variant, T: TagBytes> AegisMac<V, T> {
    /// With a back end of the caller's choice. Results never depend on it.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    #[must_use]
    pub fn with_backend(key: &Key<Self>, backend: Backend) -> Self {
        Self::on(key, backend)
    }

    pub(super) fn on(key: &Key<Self>, backend: Backend) -> Self {
        const {
            // With 16-byte tags the 128 family takes the lanes' tags in pairs, and the draft's
            // pairing forgets the last lane of an odd degree.
            assert!(V::DEGREE == 1 || V::DEGREE.is_multiple_of(2), "AEGISMAC has no odd degrees");
        }
        Self { key: KeyOnBackend { bytes: key.clone(), backend }, tag: PhantomData }
    }

    #[inline]
    pub(super) fn compute(&self, nonce: &[u8], data: &[u8], tag: &mut [u8]) {
        self.key.run::<V, _, MEASURED>(nonce, Mac { data, tag });
    }

    /// The tag of `data`.
    ///
    /// # Errors
    /// [`Error::TooLong`](crate::Error::TooLong) above [`MAX_BYTES`](super::MAX_BYTES).
    pub fn mac(&self, nonce: &Array<u8, V::KeySize>, data: &[u8]) -> Result<Array<u8, T>> {
        LONGEST.check(0, data.len())?;
        let mut tag = Array::default();
        self.compute(nonce, data, &mut tag);
        Ok(tag)
    }

    /// Accepts `tag` if it is the tag of `data`, comparing in constant time.
    ///
    /// # Errors
    /// [`Error::Unauthentic`](crate::Error::Unauthentic) if it is not;
    /// [`Error::TooLong`](crate::Error::TooLong) above [`MAX_BYTES`](super::MAX_BYTES).
    pub fn verify(
        &self,
        nonce: &Array<u8, V::KeySize>,
        data: &[u8],
        tag: &Array<u8, T>,
    ) -> Result<()> {
        verify(&mut self.mac(nonce, data)?, tag)
    }

    /// Begins the tag of data that arrives in pieces.
    #[must_use]
    pub fn start(&self, nonce: &Array<u8, V::KeySize>) -> MacState<V, T> {
        MacState { ongoing: Ongoing::new(&self.key, nonce, &[]), tag: PhantomData }
    }
}

/// A tag under way.
pub struct MacState<V: Variant, T: TagBytes> {
    ongoing: Ongoing<V>,
    tag: PhantomData<T>,
}

impl<V: Variant, T: TagBytes> MacState<V, T> {
    /// Takes the next piece.
    ///
    /// # Errors
    /// [`Error::TooLong`](crate::Error::TooLong) above [`MAX_BYTES`](super::MAX_BYTES).
    pub fn update(&mut self, data: &[u8]) -> Result<()> {
        self.ongoing.absorb(data)
    }

    /// The tag of all pieces.
    #[must_use]
    pub fn finalize(mut self) -> Array<u8, T> {
        let mut tag = Array::default();
        self.ongoing.mac_tag(&mut tag);
        tag
    }

    /// Accepts `tag` if it is the tag of all pieces, comparing in constant time.
    ///
    /// # Errors
    /// [`Error::Unauthentic`](crate::Error::Unauthentic) if it is not.
    pub fn verify(self, tag: &Array<u8, T>) -> Result<()> {
        verify(&mut self.finalize(), tag)
    }
}

impl<V: Variant, T: TagBytes> Clone for AegisMac<V, T> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), tag: PhantomData }
    }
}

impl<V: Variant, T: TagBytes> fmt::Debug for AegisMac<V, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AegisMac").finish_non_exhaustive()
    }
}

impl<V: Variant, T: TagBytes> fmt::Debug for MacState<V, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MacState").finish_non_exhaustive()
    }
}

impl<V: Variant, T: TagBytes> ZeroizeOnDrop for AegisMac<V, T> {}
impl<V: Variant, T: TagBytes> ZeroizeOnDrop for MacState<V, T> {}

impl<V: Variant, T: TagBytes> KeySizeUser for AegisMac<V, T> {
    type KeySize = V::KeySize;
}

impl<V: Variant, T: TagBytes> KeyInit for AegisMac<V, T> {
    fn new(key: &Key<Self>) -> Self {
        Self::on(key, Backend::detect())
    }
}

struct Mac<'a> {
    data: &'a [u8],
    tag: &'a mut [u8],
}

impl<V: VariantImpl> MessageTask<V> for Mac<'_> {
    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, mut engine: Engine<V, L, K>) {
        engine.absorb(self.data);
        engine.finalize_mac(self.data.len() as u64, self.tag);
    }
}
