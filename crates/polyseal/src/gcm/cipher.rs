//! AES-GCM under a fixed key, one-shot.

use core::marker::PhantomData;

use aead::array::ArraySize;
use aead::consts::{U12, U13, U14, U15, U16};
use aead::inout::InOutBuf;
use aead::{Key, Nonce, Tag};

use super::aes::{self, Aes};
use super::counters::{First, counter_of};
use super::engine::{Direction, Engine, Opening, Sealing};
use super::expanded::Expanded;
use super::incremental::{Decryptor, Encryptor, Ongoing, WithCommitment};
use super::one_key_medium;
use super::one_message::{FixedKey, ShortTask};
use super::short;
use super::{MAX_AD_BYTES, MAX_MESSAGE_BYTES};
use crate::backend::{Backend, Calls, Isa, Lanes, Sequence, Task, wipe};
use crate::contract::{Core, LongestInputs, release, rustcrypto};
use crate::error::Result;
use crate::inner_aead::{InnerAead, InnerAeadImpl};

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
pub(super) struct ExpandedKey<A> {
    pub(super) backend: Backend,
    pub(super) keys: Expanded,
    aes: PhantomData<A>,
}

impl<A: Aes> ExpandedKey<A> {
    pub(super) fn new(key: &[u8], backend: Backend) -> Self {
        let mut expanded = Self { backend, keys: Expanded::ZERO, aes: PhantomData };
        backend.run(Expand::<A> { key, keys: &mut expanded.keys, aes: PhantomData });
        expanded
    }

    /// A message in pieces, once it has its associated data.
    pub(super) fn ongoing(&self, nonce: &[u8], ad: &[u8]) -> Ongoing<A> {
        let mut ongoing = Ongoing::blank(self.backend, self.keys.clone());
        let Ongoing { keys, first, counts_in_public, .. } = &mut ongoing;
        *counts_in_public = nonce.len() == 12;
        self.backend.run(FirstCounter { keys, nonce, first });
        ongoing.absorb(ad);
        ongoing
    }

    /// Seals or opens; writes as much of GCM's tag as there is room for.
    #[inline]
    fn crypt_cut<D: Direction>(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) {
        // CT: lengths are public.
        if let Ok(tag) = tag.try_into() {
            return self.crypt::<D>(nonce, ad, buffer, tag);
        }
        let mut whole = [0; 16];
        self.crypt::<D>(nonce, ad, buffer, &mut whole);
        tag.copy_from_slice(&whole[..tag.len()]);
        wipe(&mut whole);
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
        let (keys, kind) = (&self.keys, PhantomData);
        // CT: lengths are public.
        if let Ok(nonce) = nonce.try_into() {
            let first = FirstBlock::Of(nonce);
            return self.backend.run(Crypt::<A, D> { keys, first, ad, buffer, tag, kind });
        }
        self.backend.run_sequence(HashedNonce::<A, D> { keys, nonce, ad, buffer, tag, kind });
    }
}

impl<A> Clone for ExpandedKey<A> {
    fn clone(&self) -> Self {
        Self { backend: self.backend, keys: self.keys.clone(), aes: PhantomData }
    }
}

impl<A> Drop for ExpandedKey<A> {
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
    expanded: ExpandedKey<A>,
    sizes: PhantomData<(N, T)>,
}

impl<A: Aes, N: ArraySize, T: TagBytes> Gcm<A, N, T> {
    pub(super) fn on(key: &Key<Self>, backend: Backend) -> Self {
        const { assert!(N::USIZE > 0, "an empty nonce would give the hash key away") }
        Self { expanded: ExpandedKey::new(key, backend), sizes: PhantomData }
    }

    /// Encrypts one message under a key that is not used again: faster than expanding the key
    /// first, most of all for short messages. The tag's bytes follow the ciphertext on the wire.
    ///
    /// ```
    /// use polyseal::gcm::Aes256Gcm;
    ///
    /// let (key, nonce) = ([1; 32].into(), [0; 12].into()); // the key is fresh
    /// let mut buffer = *b"attack at dawn";
    /// let tag = Aes256Gcm::encrypt_once(&key, &nonce, b"", buffer.as_mut_slice().into())?;
    /// Aes256Gcm::decrypt_once(&key, &nonce, b"", buffer.as_mut_slice().into(), &tag)?;
    /// assert_eq!(&buffer, b"attack at dawn");
    /// # Ok::<(), polyseal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLong`](crate::Error::TooLong) for messages above [`MAX_MESSAGE_BYTES`] or
    /// associated data above [`MAX_AD_BYTES`].
    #[inline]
    pub fn encrypt_once(
        key: &Key<Self>,
        nonce: &Nonce<Self>,
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<Tag<Self>> {
        LONGEST.check(ad.len(), buffer.len())?;
        let mut tag = [0; 16];
        Self::once::<Sealing>(Backend::detect(), key, nonce, ad, buffer, &mut tag);
        let mut truncated = Tag::<Self>::default();
        truncated.copy_from_slice(&tag[..T::USIZE]);
        Ok(truncated)
    }

    /// Decrypts one message under a key that is not used again.
    ///
    /// # Errors
    /// [`Error::Unauthentic`](crate::Error::Unauthentic) if it is not authentic, with the output
    /// wiped; otherwise as [`encrypt_once`](Self::encrypt_once).
    #[inline]
    pub fn decrypt_once(
        key: &Key<Self>,
        nonce: &Nonce<Self>,
        ad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> Result<()> {
        LONGEST.check(ad.len(), buffer.len())?;
        let mut expected = [0; 16];
        let output = buffer.reborrow();
        Self::once::<Opening>(Backend::detect(), key, nonce, ad, output, &mut expected);
        let (expected, cut) = expected.split_at_mut(T::USIZE);
        wipe(cut);
        release(expected, tag, [buffer.get_out()])
    }

    /// Seals or opens with a key that is not used again.
    #[inline]
    fn once<D: Direction>(
        backend: Backend,
        key: &Key<Self>,
        nonce: &Nonce<Self>,
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8; 16],
    ) {
        let Ok(nonce) = <&[u8; 12]>::try_from(nonce.as_slice()) else {
            return Self::on(key, backend).expanded.crypt::<D>(nonce, ad, buffer, tag);
        };
        let mut first = [0; 16];
        first[..12].copy_from_slice(nonce);
        first[15] = 1;
        let (first, kind) = (&first, PhantomData);
        backend.run_sequence(UnderOneKey::<A, D> { key, first, ad, buffer, tag, kind });
    }
}

impl<A: Aes, N: ArraySize, T: TagBytes> Gcm<A, N, T> {
    /// Begins to encrypt a message that arrives in pieces.
    ///
    /// # Errors
    /// [`Error::TooLong`](crate::Error::TooLong) for associated data above [`MAX_AD_BYTES`].
    pub fn encryptor(&self, nonce: &Nonce<Self>, ad: &[u8]) -> Result<Encryptor<A, T>> {
        Ok(Encryptor::new(self.begin(nonce, ad)?))
    }

    /// Begins to decrypt a message that arrives in pieces into `destination`, which must be at
    /// least as long as the message.
    ///
    /// # Errors
    /// [`Error::TooLong`](crate::Error::TooLong) for associated data above [`MAX_AD_BYTES`].
    pub fn decryptor<'a>(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
        destination: &'a mut [u8],
    ) -> Result<Decryptor<'a, A, T>> {
        Ok(Decryptor::new(self.begin(nonce, ad)?, destination))
    }

    fn begin(&self, nonce: &[u8], ad: &[u8]) -> Result<WithCommitment<A>> {
        LONGEST.check(ad.len(), 0)?;
        Ok(WithCommitment { ongoing: self.expanded.ongoing(nonce, ad), commitment: [0; 32] })
    }
}

// Not derived: that would ask for sizes that can be cloned.
impl<A: Aes, N: ArraySize, T: TagBytes> Clone for Gcm<A, N, T> {
    fn clone(&self) -> Self {
        Self { expanded: self.expanded.clone(), sizes: PhantomData }
    }
}

impl<A: Aes, N: ArraySize, T: TagBytes> Core for Gcm<A, N, T> {
    type Tag = [u8; 16];

    #[inline]
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        Core::seal(&self.expanded, nonce, ad, buffer, tag);
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
        self.expanded.decrypt(nonce, ad, buffer, tag, expected);
    }
}

/// With nonces of any length, and tags of any that there is.
impl<A: Aes> Core for ExpandedKey<A> {
    type Tag = [u8; 16];

    #[inline]
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        self.crypt_cut::<Sealing>(nonce, ad, buffer, tag);
    }

    #[inline]
    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        _: &[u8],
        expected: &mut [u8],
    ) {
        self.crypt_cut::<Opening>(nonce, ad, buffer, expected);
    }
}

rustcrypto! {
    impl [A: Aes, N: ArraySize, T: TagBytes] Gcm<A, N, T> {
        name: "Gcm", key: A::KeySize, nonce: N, tag: T,
        longest: LONGEST
    }
}

impl<A: Aes> InnerAead for Gcm<A> {}

impl<A: Aes> InnerAeadImpl for Gcm<A> {
    const MAX_MESSAGE_BYTES: u64 = MAX_MESSAGE_BYTES;
    const MAX_AD_BYTES: u64 = MAX_AD_BYTES;

    fn on(key: &[u8], backend: Backend) -> Self {
        Self { expanded: ExpandedKey::new(key, backend), sizes: PhantomData }
    }

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> [u8; 16] {
        let mut tag = [0; 16];
        self.expanded.crypt::<Sealing>(nonce, ad, buffer, &mut tag);
        tag
    }

    fn open(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> [u8; 16] {
        let mut tag = [0; 16];
        self.expanded.crypt::<Opening>(nonce, ad, buffer, &mut tag);
        tag
    }
}

/// The longest inputs of AES-GCM, and of the algorithms built on it.
pub(super) const LONGEST: LongestInputs =
    LongestInputs { message: MAX_MESSAGE_BYTES, ad: MAX_AD_BYTES };

/// Expands a key for many messages.
pub(super) struct Expand<'a, A> {
    pub(super) key: &'a [u8],
    pub(super) keys: &'a mut Expanded,
    pub(super) aes: PhantomData<A>,
}

impl<A: Aes> Task for Expand<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        self.keys.fill::<A, I>(isa, aes::load_key(isa, self.key));
    }
}

/// Seals or opens under a key that is expanded.
struct Crypt<'a, 'i, 'o, A, D> {
    keys: &'a Expanded,
    first: FirstBlock<'a>,
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    tag: &'a mut [u8; 16],
    kind: PhantomData<(A, D)>,
}

/// The first counter block, or what it is made of.
enum FirstBlock<'a> {
    /// From a nonce.
    Of(&'a [u8; 12]),
    /// A public one.
    Given(&'a [u8; 16]),
    /// The hash of a nonce of another length, which tells of the key.
    Hashed(&'a [u8; 16]),
}

impl<A: Aes, D: Direction> Task for Crypt<'_, '_, '_, A, D> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { keys, first, ad, buffer, tag, .. } = self;
        let first = match first {
            FirstBlock::Of(nonce) => First::Public(counter_of(isa, nonce)),
            FirstBlock::Given(block) => First::Public(I::X1::load(isa, block)),
            FirstBlock::Hashed(block) => First::Secret(I::X1::load(isa, block)),
        };
        let [mask] = aes::encrypt::<A, I::X1, 1>(isa, &keys.round_keys, [first.block()]);
        let engine = Engine::<A, I::Register>::new(isa, keys, first);
        engine.run::<D>(ad, buffer).xor(mask).store(tag);
    }
}

/// Seals or opens under a key that is expanded, and a nonce that is hashed.
struct HashedNonce<'a, 'i, 'o, A, D> {
    keys: &'a Expanded,
    nonce: &'a [u8],
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    tag: &'a mut [u8; 16],
    kind: PhantomData<(A, D)>,
}

impl<A: Aes, D: Direction> Sequence for HashedNonce<'_, '_, '_, A, D> {
    #[inline(always)]
    fn run<I: Isa>(self, calls: Calls<I>) {
        let Self { keys, nonce, ad, buffer, tag, kind } = self;
        let mut first = [0; 16];
        calls.call(FirstCounter { keys, nonce, first: &mut first });
        let hashed = FirstBlock::Hashed(&first);
        calls.call(Crypt::<A, D> { keys, first: hashed, ad, buffer, tag, kind });
        wipe(&mut first);
    }
}

/// Seals or opens a message under a key of its own, with a public first counter block.
pub(super) struct UnderOneKey<'a, 'i, 'o, A, D> {
    pub(super) key: &'a [u8],
    pub(super) first: &'a [u8; 16],
    pub(super) ad: &'a [u8],
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
    pub(super) tag: &'a mut [u8; 16],
    pub(super) kind: PhantomData<(A, D)>,
}

impl<A: Aes, D: Direction> Sequence for UnderOneKey<'_, '_, '_, A, D> {
    #[inline(always)]
    fn run<I: Isa>(self, calls: Calls<I>) {
        let Self { key, first, ad, buffer, tag, .. } = self;
        // CT: lengths are public. Only AES-256 has the form for short messages.
        if short::fits(ad.len(), buffer.len())
            && let Ok(root) = key.try_into()
        {
            let (seals, scheme) = (D::SEALS, PhantomData);
            let task = ShortTask::<FixedKey> { seals, ad, buffer, tag, scheme };
            calls.call_keyed(root, first.as_slice(), task);
        } else if one_key_medium::fits::<I>(ad.len(), buffer.len()) {
            call_medium::<A, D, I>(calls, key, first, ad, buffer, tag);
        } else {
            call_long::<A, D, I>(calls, key, first, ad, buffer, tag);
        }
    }
}

/// Seals or opens a message of moderate length under a key of its own.
#[inline(always)]
pub(super) fn call_medium<A: Aes, D: Direction, I: Isa>(
    calls: Calls<I>,
    key: &[u8],
    first: &[u8; 16],
    ad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
    tag: &mut [u8; 16],
) {
    // There is no such length: see `fits`.
    if const { !I::ROUNDS_ARE_CALLS } {
        let message = short::ShortMessage { ad, buffer };
        calls.call(MediumTask::<A, D> { key, first, message, tag, kind: PhantomData });
    }
}

/// The same of a message of any length.
#[inline(always)]
pub(super) fn call_long<A: Aes, D: Direction, I: Isa>(
    calls: Calls<I>,
    key: &[u8],
    first: &[u8; 16],
    ad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
    tag: &mut [u8; 16],
) {
    let mut keys = Expanded::ZERO;
    calls.call(Expand::<A> { key, keys: &mut keys, aes: PhantomData });
    let first = FirstBlock::Given(first);
    calls.call(Crypt::<A, D> { keys: &keys, first, ad, buffer, tag, kind: PhantomData });
    keys.wipe();
}

/// A message of moderate length.
struct MediumTask<'a, 'i, 'o, A, D> {
    key: &'a [u8],
    /// The first counter block, which is public.
    first: &'a [u8; 16],
    message: short::ShortMessage<'a, 'i, 'o>,
    tag: &'a mut [u8; 16],
    kind: PhantomData<(A, D)>,
}

impl<A: Aes, D: Direction> Task for MediumTask<'_, '_, '_, A, D> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { key, first, message, tag, .. } = self;
        let (key, first) = (aes::load_key(isa, key), I::X1::load(isa, first));
        one_key_medium::crypt::<A, I, D>(isa, key, first, message).store(tag);
    }
}

/// Writes the first counter block of a nonce of any length.
struct FirstCounter<'a> {
    keys: &'a Expanded,
    nonce: &'a [u8],
    first: &'a mut [u8; 16],
}

impl Task for FirstCounter<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        First::<I::X1>::from_nonce(isa, &self.keys.powers, self.nonce).block().store(self.first);
    }
}
