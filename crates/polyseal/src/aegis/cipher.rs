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
use super::engine::{Engine, LaneTask, MEASURED, OnLanes};
use super::pass::{Decrypt, Encrypt};
use super::variant::{Variant, VariantImpl};
use crate::backend::{Backend, Lanes, Task};
use crate::contract::{Core, LongestInputs, rustcrypto};
use crate::tagged::{Tagged, TaggedImpl};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::U16 {}
    impl Sealed for super::U32 {}
}

/// A tag length: [`U16`] or [`U32`] bytes.
pub trait TagBytes: ArraySize + sealed::Sealed + Send + Sync + 'static {}
impl TagBytes for U16 {}
impl TagBytes for U32 {}

/// How to compute: the back end.
pub(super) struct Dispatch<V> {
    pub(super) backend: Backend,
    variant: PhantomData<V>,
}

impl<V: Variant> Dispatch<V> {
    #[inline(always)]
    pub(super) fn run<T: LaneTask<V>>(&self, task: T) -> T::Output {
        self.backend.run(OnLanes::<V, T, MEASURED>::new(task))
    }
}

impl<V> Clone for Dispatch<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Dispatch<V> {}

/// A key, and how to compute with it.
pub(super) struct Keyed<V: Variant> {
    pub(super) key: Array<u8, V::KeySize>,
    pub(super) dispatch: Dispatch<V>,
}

impl<V: Variant> Keyed<V> {
    pub(super) fn new(key: &Array<u8, V::KeySize>, backend: Backend) -> Self {
        let dispatch = Dispatch { backend, variant: PhantomData };
        Self { key: key.clone(), dispatch }
    }

    #[inline(always)]
    pub(super) fn run<T: LaneTask<V>>(&self, task: T) -> T::Output {
        self.dispatch.run(task)
    }

    /// A task that divides the lanes itself.
    #[inline(always)]
    pub(super) fn on_backend<T: Task>(&self, task: T) -> T::Output {
        self.dispatch.backend.run(task)
    }
}

impl<V: Variant> Clone for Keyed<V> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), dispatch: self.dispatch }
    }
}

impl<V: Variant> Drop for Keyed<V> {
    fn drop(&mut self) {
        self.key.as_mut_slice().zeroize();
    }
}

/// AEGIS of variant `V` with tags of `T` bytes, under one key.
///
/// The types in [`aegis`](super) are its names: [`Aegis128L`](super::Aegis128L),
/// [`Aegis256X2`](super::Aegis256X2), … The key is wiped on drop.
pub struct Aegis<V: Variant, T: TagBytes = U16> {
    pub(super) keyed: Keyed<V>,
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
        let task = Seal { key: &self.keyed.key, nonce, ad, buffer, tag: &mut tag };
        self.keyed.on_backend(OnLanes::<V, _, STRATEGY>::new(task));
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
        let task = Open { key: &self.keyed.key, nonce, ad, buffer, tag: &mut tag };
        self.keyed.on_backend(OnLanes::<V, _, STRATEGY>::new(task));
        tag
    }

    pub(super) fn on(key: &Key<Self>, backend: Backend) -> Self {
        Self { keyed: Keyed::new(key, backend), tag: PhantomData }
    }
}

impl<V: Variant, T: TagBytes> Core for Aegis<V, T> {
    type Tag = Array<u8, T>;

    #[inline]
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        self.keyed.run(Seal { key: &self.keyed.key, nonce, ad, buffer, tag });
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
        self.keyed.run(Open { key: &self.keyed.key, nonce, ad, buffer, tag });
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
        Self { keyed: self.keyed.clone(), tag: PhantomData }
    }
}

impl<V: Variant> Tagged for Aegis<V> {}

impl<V: Variant> TaggedImpl for Aegis<V> {
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
    key: &'a [u8],
    nonce: &'a [u8],
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    tag: &'a mut [u8],
}

impl<V: VariantImpl> LaneTask<V> for Seal<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) {
        let (ad_bytes, message_bytes) = (self.ad.len() as u64, self.buffer.len() as u64);
        let mut engine = Engine::<V, L, K>::new(isa, self.key, self.nonce);
        engine.absorb(self.ad);
        engine.take(Encrypt { buffer: self.buffer });
        engine.finalize(ad_bytes, message_bytes, self.tag);
    }
}

struct Open<'a, 'i, 'o> {
    key: &'a [u8],
    nonce: &'a [u8],
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    tag: &'a mut [u8],
}

impl<V: VariantImpl> LaneTask<V> for Open<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) {
        let (ad_bytes, message_bytes) = (self.ad.len() as u64, self.buffer.len() as u64);
        let mut engine = Engine::<V, L, K>::new(isa, self.key, self.nonce);
        engine.absorb(self.ad);
        engine.take(Decrypt { buffer: self.buffer });
        engine.finalize(ad_bytes, message_bytes, self.tag);
    }
}
