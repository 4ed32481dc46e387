//! AES-GCM under a fixed key: the RustCrypto `aead` traits.

use core::fmt;
use core::marker::PhantomData;

use aead::array::ArraySize;
use aead::common::KeySizeUser;
use aead::consts::{U12, U13, U14, U15, U16};
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Key, KeyInit, Nonce, Tag, TagPosition};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::aes::{self, Aes};
use super::engine::{self, Direction, Engine, Expanded, Opening, Sealing};
use super::incremental::{self, Decryptor, Encryptor, Ongoing, WithCommitment};
use super::{MAX_AD_BYTES, MAX_MESSAGE_BYTES};
use crate::backend::{Backend, Isa, Lanes, Task};
use crate::ct;
use crate::error::{Error, Result};
use crate::tagged::{Tagged, TaggedImpl};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::U12 {}
    impl Sealed for super::U13 {}
    impl Sealed for super::U14 {}
    impl Sealed for super::U15 {}
    impl Sealed for super::U16 {}
}

/// A tag length: [`U12`] to [`U16`] bytes.
pub trait TagBytes: ArraySize + sealed::Sealed + Send + Sync + 'static {}
impl TagBytes for U12 {}
impl TagBytes for U13 {}
impl TagBytes for U14 {}
impl TagBytes for U15 {}
impl TagBytes for U16 {}

/// An expanded key. Wiped on drop.
pub(super) struct Keyed<A> {
    pub(super) backend: Backend,
    pub(super) keys: Expanded,
    aes: PhantomData<A>,
}

impl<A: Aes> Keyed<A> {
    pub(super) fn new(key: &[u8], backend: Backend) -> Self {
        let mut keyed = Self { backend, keys: Expanded::new(), aes: PhantomData };
        backend.run(Expand::<A> { key, keys: &mut keyed.keys, aes: PhantomData });
        keyed
    }

    /// A message in pieces, once it has its associated data.
    pub(super) fn ongoing(&self, nonce: &[u8], ad: &[u8]) -> Ongoing<A> {
        let mut ongoing = Ongoing::blank(self.backend, self.keys.clone());
        let Ongoing { keys, first, .. } = &mut ongoing;
        self.backend.run(FirstCounter { keys, nonce, first });
        ongoing.absorb(ad);
        ongoing
    }

    /// Seals or opens; writes GCM's tag.
    #[inline]
    pub(super) fn crypt<D: Direction>(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8; 16],
    ) {
        let nonce = Start::Nonce(nonce);
        let task = Crypt::<A, D> { keys: &self.keys, nonce, ad, buffer, tag, kind: PhantomData };
        self.backend.run(task);
    }
}

impl<A> Clone for Keyed<A> {
    fn clone(&self) -> Self {
        Self { backend: self.backend, keys: self.keys.clone(), aes: PhantomData }
    }
}

impl<A> Drop for Keyed<A> {
    fn drop(&mut self) {
        self.keys.wipe();
    }
}

/// AES-GCM with nonces of `N` and tags of `T` bytes, under one key.
///
/// [`Aes128Gcm`](super::Aes128Gcm) and [`Aes256Gcm`](super::Aes256Gcm) are its names. A nonce of
/// another length than 12 bytes is hashed first, and costs its uniqueness: see
/// [`gcm`](super). The key is wiped on drop.
pub struct Gcm<A: Aes, N: ArraySize = U12, T: TagBytes = U16> {
    keyed: Keyed<A>,
    sizes: PhantomData<(N, T)>,
}

impl<A: Aes, N: ArraySize, T: TagBytes> Gcm<A, N, T> {
    /// With a back end of the caller's choice. Results never depend on it.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    #[must_use]
    pub fn with_backend(key: &Key<Self>, backend: Backend) -> Self {
        Self::on(key, backend)
    }

    pub(super) fn on(key: &Key<Self>, backend: Backend) -> Self {
        Self { keyed: Keyed::new(key, backend), sizes: PhantomData }
    }
}

impl<A: Aes, N: ArraySize, T: TagBytes> Gcm<A, N, T> {
    /// Begins to encrypt a message that arrives in pieces.
    ///
    /// # Errors
    /// [`Error::TooLong`] for associated data above [`MAX_AD_BYTES`].
    pub fn encryptor(&self, nonce: &Nonce<Self>, ad: &[u8]) -> Result<Encryptor<A, T>> {
        Ok(Encryptor::new(self.tagged(nonce, ad)?))
    }

    /// Begins to decrypt a message that arrives in pieces into `destination`, which must be at
    /// least as long as the message.
    ///
    /// # Errors
    /// [`Error::TooLong`] for associated data above [`MAX_AD_BYTES`].
    pub fn decryptor<'a>(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
        destination: &'a mut [u8],
    ) -> Result<Decryptor<'a, A, T>> {
        Ok(Decryptor::new(self.tagged(nonce, ad)?, destination))
    }

    fn tagged(&self, nonce: &[u8], ad: &[u8]) -> Result<WithCommitment<A>> {
        incremental::check_ad(ad)?;
        Ok(WithCommitment { ongoing: self.keyed.ongoing(nonce, ad), commitment: [0; 32] })
    }
}

// Not derived: that would ask for sizes that can be cloned.
impl<A: Aes, N: ArraySize, T: TagBytes> Clone for Gcm<A, N, T> {
    fn clone(&self) -> Self {
        Self { keyed: self.keyed.clone(), sizes: PhantomData }
    }
}

impl<A: Aes, N: ArraySize, T: TagBytes> fmt::Debug for Gcm<A, N, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gcm").finish_non_exhaustive()
    }
}

impl<A: Aes, N: ArraySize, T: TagBytes> ZeroizeOnDrop for Gcm<A, N, T> {}

impl<A: Aes, N: ArraySize, T: TagBytes> KeySizeUser for Gcm<A, N, T> {
    type KeySize = A::KeySize;
}

impl<A: Aes, N: ArraySize, T: TagBytes> KeyInit for Gcm<A, N, T> {
    fn new(key: &Key<Self>) -> Self {
        Self::on(key, Backend::detect())
    }
}

impl<A: Aes, N: ArraySize, T: TagBytes> AeadCore for Gcm<A, N, T> {
    type NonceSize = N;
    type TagSize = T;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<A: Aes, N: ArraySize, T: TagBytes> AeadInOut for Gcm<A, N, T> {
    #[inline]
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> aead::Result<Tag<Self>> {
        check_lengths(associated_data.len(), buffer.len())?;
        let mut tag = [0; 16];
        self.keyed.crypt::<Sealing>(nonce, associated_data, buffer, &mut tag);
        let mut truncated = Tag::<Self>::default();
        truncated.copy_from_slice(&tag[..T::USIZE]);
        Ok(truncated)
    }

    #[inline]
    fn decrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> aead::Result<()> {
        check_lengths(associated_data.len(), buffer.len())?;
        let mut expected = [0; 16];
        self.keyed.crypt::<Opening>(nonce, associated_data, buffer.reborrow(), &mut expected);
        verify(&mut expected[..T::USIZE], tag, buffer)?;
        Ok(())
    }
}

impl<A: Aes> Tagged for Gcm<A> {}

impl<A: Aes> TaggedImpl for Gcm<A> {
    const MAX_MESSAGE_BYTES: u64 = MAX_MESSAGE_BYTES;
    const MAX_AD_BYTES: u64 = MAX_AD_BYTES;

    fn on(key: &[u8], backend: Backend) -> Self {
        Self { keyed: Keyed::new(key, backend), sizes: PhantomData }
    }

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> [u8; 16] {
        let mut tag = [0; 16];
        self.keyed.crypt::<Sealing>(nonce, ad, buffer, &mut tag);
        tag
    }

    fn open(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> [u8; 16] {
        let mut tag = [0; 16];
        self.keyed.crypt::<Opening>(nonce, ad, buffer, &mut tag);
        tag
    }
}

/// Refuses what is longer than [`MAX_AD_BYTES`] or [`MAX_MESSAGE_BYTES`].
#[inline]
pub(super) fn check_lengths(ad: usize, message: usize) -> Result<()> {
    if ad as u64 > MAX_AD_BYTES {
        return Err(Error::TooLong { what: "associated data", limit: MAX_AD_BYTES });
    }
    if message as u64 > MAX_MESSAGE_BYTES {
        return Err(Error::TooLong { what: "message", limit: MAX_MESSAGE_BYTES });
    }
    Ok(())
}

/// Compares tags; wipes the output if they differ.
#[inline]
pub(super) fn verify(
    expected: &mut [u8],
    tag: &[u8],
    mut buffer: InOutBuf<'_, '_, u8>,
) -> Result<()> {
    let verdict = ct::verify(expected, tag);
    if verdict.is_err() {
        buffer.get_out().zeroize();
    }
    verdict
}

struct Expand<'a, A> {
    key: &'a [u8],
    keys: &'a mut Expanded,
    aes: PhantomData<A>,
}

impl<A: Aes> Task for Expand<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        self.keys.fill::<A, I>(isa, aes::load_key(isa, self.key), usize::MAX);
    }
}

/// Seals or opens with an expanded key.
pub(super) struct Crypt<'a, 'i, 'o, A, D> {
    keys: &'a Expanded,
    nonce: Start<'a>,
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    tag: &'a mut [u8; 16],
    kind: PhantomData<(A, D)>,
}

/// Where the counters come from.
enum Start<'a> {
    Nonce(&'a [u8]),
    Counter(&'a [u8; 16]),
}

impl<'a, 'i, 'o, A, D> Crypt<'a, 'i, 'o, A, D> {
    /// With the first counter block.
    pub(super) fn with_counter(
        keys: &'a Expanded,
        first: &'a [u8; 16],
        ad: &'a [u8],
        buffer: InOutBuf<'i, 'o, u8>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self { keys, nonce: Start::Counter(first), ad, buffer, tag, kind: PhantomData }
    }
}

impl<A: Aes, D: Direction> Task for Crypt<'_, '_, '_, A, D> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let first = match self.nonce {
            Start::Nonce(nonce) => first_counter(isa, self.keys, nonce),
            Start::Counter(first) => I::X1::load(isa, first),
        };
        let [mask] = aes::encrypt::<A, I::X1, 1>(isa, &self.keys.round_keys, [first]);
        let engine = Engine::<A, I::Register>::new(isa, self.keys, first);
        let hash = engine.run::<D>(self.ad, self.buffer);
        hash.xor(mask).store(self.tag);
    }
}

/// The first counter block of a nonce of any length.
#[inline(always)]
fn first_counter<I: Isa>(isa: I, keys: &Expanded, nonce: &[u8]) -> I::X1 {
    // CT: lengths are public.
    match nonce.try_into() {
        Ok(nonce) => engine::first_counter(isa, nonce),
        Err(_) => engine::hashed_counter(isa, &keys.powers, nonce),
    }
}

struct FirstCounter<'a> {
    keys: &'a Expanded,
    nonce: &'a [u8],
    first: &'a mut [u8; 16],
}

impl Task for FirstCounter<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        first_counter(isa, self.keys, self.nonce).store(self.first);
    }
}
