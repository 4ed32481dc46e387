//! AEGIS with a key, one-shot.

use core::marker::PhantomData;

use aead::Key;
use aead::array::{Array, ArraySize};
use aead::consts::{U16, U32};
use aead::inout::InOutBuf;
#[cfg(feature = "testing")]
use aead::{Nonce, Tag};
use zeroize::Zeroize;

use super::MAX_BYTES;
use super::engine::{Engine, MEASURED, MessageTask, OnLanes};
use super::pass::{Decrypt, Encrypt};
use super::variant::{Variant, VariantImpl};
use crate::backend::{Backend, Lanes};
use crate::contract::{Core, LongestInputs, rustcrypto};
use crate::inner_aead::{InnerAead, InnerAeadImpl};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::U16 {}
    impl Sealed for super::U32 {}
}

/// A tag length: [`U16`] or [`U32`] bytes.
pub trait TagBytes: ArraySize + sealed::Sealed + Send + Sync + 'static {}
impl TagBytes for U16 {}
impl TagBytes for U32 {}

/// A key, and the back end that computes with it. Wiped on drop.
#[derive(Clone)]
pub(super) struct KeyOnBackend<N: ArraySize> {
    pub(super) bytes: Array<u8, N>,
    pub(super) backend: Backend,
}

impl<N: ArraySize> KeyOnBackend<N> {
    /// Runs `task` under this key and `nonce`, whose length has been checked.
    #[inline]
    pub(super) fn run<V, T, const STRATEGY: usize>(&self, nonce: &[u8], task: T)
    where
        V: VariantImpl<KeySize = N>,
        T: MessageTask<V>,
    {
        let Ok(nonce) = <&Array<u8, N>>::try_from(nonce) else {
            unreachable!("a nonce is as long as its key")
        };
        self.backend.run_keyed(&self.bytes, nonce, OnLanes::<V, _, STRATEGY>::new(task));
    }
}

impl<N: ArraySize> Drop for KeyOnBackend<N> {
    fn drop(&mut self) {
        self.bytes.as_mut_slice().zeroize();
    }
}

/// AEGIS of variant `V` with tags of `T` bytes, under one key.
///
/// The types in [`aegis`](super) are its names: [`Aegis128L`](super::Aegis128L),
/// [`Aegis256X2`](super::Aegis256X2), … The key is wiped on drop.
pub struct Aegis<V: Variant, T: TagBytes = U16> {
    pub(super) key: KeyOnBackend<V::KeySize>,
    tag: PhantomData<T>,
}

impl<V: Variant, T: TagBytes> Aegis<V, T> {
    /// Seals by another evaluation strategy. Results never depend on it.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub fn seal_by<const STRATEGY: usize>(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Tag<Self> {
        let mut tag = Tag::<Self>::default();
        self.key.run::<V, _, STRATEGY>(nonce, Seal { ad, buffer, tag: &mut tag });
        tag
    }

    /// Decrypts by another evaluation strategy; returns the tag that the message should have.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub fn decrypt_by<const STRATEGY: usize>(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Tag<Self> {
        let mut tag = Tag::<Self>::default();
        self.key.run::<V, _, STRATEGY>(nonce, Open { ad, buffer, tag: &mut tag });
        tag
    }

    pub(super) fn on(key: &Key<Self>, backend: Backend) -> Self {
        Self { key: KeyOnBackend { bytes: key.clone(), backend }, tag: PhantomData }
    }
}

impl<V: Variant, T: TagBytes> Core for Aegis<V, T> {
    type Tag = Array<u8, T>;

    #[inline]
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        self.key.run::<V, _, MEASURED>(nonce, Seal { ad, buffer, tag });
    }

    #[inline]
    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        _: &[u8],
        tag: &mut [u8],
    ) {
        self.key.run::<V, _, MEASURED>(nonce, Open { ad, buffer, tag });
    }
}

rustcrypto! {
    impl [V: Variant, T: TagBytes] Aegis<V, T> {
        name: "Aegis", key: V::KeySize, nonce: V::KeySize, tag: T,
        longest: LONGEST
    }
}

// Not derived: that would ask for variants and tag lengths that can be cloned.
impl<V: Variant, T: TagBytes> Clone for Aegis<V, T> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), tag: PhantomData }
    }
}

impl<V: Variant> InnerAead for Aegis<V> {}

impl<V: Variant> InnerAeadImpl for Aegis<V> {
    const MAX_MESSAGE_BYTES: u64 = MAX_BYTES;
    const MAX_AD_BYTES: u64 = MAX_BYTES;

    fn on(key: &[u8], backend: Backend) -> Self {
        let Ok(key) = key.try_into() else { unreachable!("the key's length has been checked") };
        Self::on(key, backend)
    }

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> [u8; 16] {
        let mut tag = [0; 16];
        Core::seal(self, nonce, ad, buffer, &mut tag);
        tag
    }

    fn open(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> [u8; 16] {
        let mut tag = [0; 16];
        self.decrypt(nonce, ad, buffer, &[], &mut tag);
        tag
    }
}

/// The longest inputs of all that is AEGIS.
pub(super) const LONGEST: LongestInputs = LongestInputs { message: MAX_BYTES, ad: MAX_BYTES };

struct Seal<'a, 'i, 'o> {
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    tag: &'a mut [u8],
}

impl<V: VariantImpl> MessageTask<V> for Seal<'_, '_, '_> {
    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, mut engine: Engine<V, L, K>) {
        let (ad_bytes, message_bytes) = (self.ad.len() as u64, self.buffer.len() as u64);
        engine.absorb(self.ad);
        engine.take(Encrypt { buffer: self.buffer });
        engine.finalize(ad_bytes, message_bytes, self.tag);
    }
}

struct Open<'a, 'i, 'o> {
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    tag: &'a mut [u8],
}

impl<V: VariantImpl> MessageTask<V> for Open<'_, '_, '_> {
    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, mut engine: Engine<V, L, K>) {
        let (ad_bytes, message_bytes) = (self.ad.len() as u64, self.buffer.len() as u64);
        engine.absorb(self.ad);
        engine.take(Decrypt { buffer: self.buffer });
        engine.finalize(ad_bytes, message_bytes, self.tag);
    }
}
