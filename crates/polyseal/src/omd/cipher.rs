//! One-shot OMD with a key: the RustCrypto `aead` traits.

use core::fmt;
use core::marker::PhantomData;

use aead::array::ArraySize;
use aead::common::KeySizeUser;
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Key, KeyInit, Nonce, Tag, TagPosition};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::many;
use super::mode::{Keyed, STACK_BYTES};
use super::rule::{EmptyInputs, Secure};
use super::{MAX_AD_BYTES, MAX_MESSAGE_BYTES};
use crate::backend::Backend;
use crate::backend::hashes::HashBackend;
use crate::ct;
use crate::error::{Error, Result};
use crate::hash::Compression;
use crate::message::Message;
use crate::stack;

/// OMD over the compression function `C`, under one key: keys of `K` bytes, nonces of `N`, tags of `T`.
///
/// The types in [`omd`](super) are its named sets. With `n` the bytes of a chaining value, every key and
/// every tag of 1 to `n` bytes and every nonce of 0 to `n` − 1 is one more instance: what is longer does
/// not compile. A key is the same as one with zeros behind it: take keys of one length. The key is wiped
/// on drop.
pub struct Omd<C: Compression, K, N, T, R = Secure> {
    keyed: Keyed<C>,
    sizes: PhantomData<(K, N, T, R)>,
}

impl<C, K, N, T, R> Omd<C, K, N, T, R>
where
    C: Compression,
    K: ArraySize,
    N: ArraySize,
    T: ArraySize,
    R: EmptyInputs,
{
    /// With a back end of the caller's choice. Results never depend on it.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    #[must_use]
    pub fn with_backend(key: &Key<Self>, backend: Backend) -> Self {
        Self::on(key, backend)
    }

    fn on(key: &Key<Self>, backend: Backend) -> Self {
        const {
            let n = size_of::<C::Block>();
            assert!(1 <= K::USIZE && K::USIZE <= n, "keys have 1 to n bytes");
            assert!(N::USIZE < n, "nonces have 0 to n − 1 bytes");
            assert!(1 <= T::USIZE && T::USIZE <= n, "tags have 1 to n bytes");
        }
        let keyed = Keyed::new(key, T::USIZE, R::RULE, HashBackend::of(backend));
        Self { keyed, sizes: PhantomData }
    }

    pub(crate) fn work_off(&self, seals: bool, messages: &mut [Message<'_>]) -> Result<()> {
        // Before anything else can fail: a message has to earn its `Ok`.
        for message in &mut *messages {
            message.outcome = Err(Error::Unauthentic);
        }
        for message in &*messages {
            message.check(N::USIZE, T::USIZE, MAX_MESSAGE_BYTES, MAX_AD_BYTES)?;
        }
        self.keyed.work_off(seals, messages)
    }
}

impl<C: Compression> Keyed<C> {
    /// Seals a message of checked lengths.
    pub(super) fn seal(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) {
        self.crypt(true, nonce, ad, buffer, tag);
        stack::wipe_bytes::<STACK_BYTES>();
    }

    /// Opens a message of checked lengths. Wipes the output on failure.
    pub(super) fn open(
        &self,
        nonce: &[u8],
        ad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<()> {
        let mut expected = C::ZERO;
        let expected = &mut expected.as_mut()[..tag.len()];
        self.crypt(false, nonce, ad, buffer.reborrow(), expected);
        stack::wipe_bytes::<STACK_BYTES>();
        let verdict = ct::verify(expected, tag);
        if verdict.is_err() {
            buffer.get_out().zeroize();
        }
        verdict
    }

    /// Seals or opens many messages of checked lengths.
    pub(super) fn work_off(&self, seals: bool, messages: &mut [Message<'_>]) -> Result<()> {
        if let [Message { nonce, ad, buffer, tag, outcome }] = messages {
            let buffer = (&mut **buffer).into();
            *outcome = match seals {
                true => {
                    self.seal(nonce, ad, buffer, tag);
                    Ok(())
                }
                false => self.open(nonce, ad, buffer, tag),
            };
            return *outcome;
        }
        many::work_off(self, seals, messages);
        stack::wipe_bytes::<{ many::STACK_BYTES }>();
        // CT: verdicts are public.
        messages.iter().try_for_each(|message| message.outcome)
    }
}

// Not derived: that would ask for sizes that can be cloned.
impl<C: Compression, K, N, T, R> Clone for Omd<C, K, N, T, R> {
    fn clone(&self) -> Self {
        Self { keyed: self.keyed.clone(), sizes: PhantomData }
    }
}

impl<C: Compression, K, N, T, R> fmt::Debug for Omd<C, K, N, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Omd").finish_non_exhaustive()
    }
}

impl<C: Compression, K, N, T, R> ZeroizeOnDrop for Omd<C, K, N, T, R> {}

impl<C: Compression, K: ArraySize, N, T, R> KeySizeUser for Omd<C, K, N, T, R> {
    type KeySize = K;
}

impl<C, K, N, T, R> KeyInit for Omd<C, K, N, T, R>
where
    C: Compression,
    K: ArraySize,
    N: ArraySize,
    T: ArraySize,
    R: EmptyInputs,
{
    fn new(key: &Key<Self>) -> Self {
        Self::on(key, Backend::detect())
    }
}

impl<C, K, N, T, R> AeadCore for Omd<C, K, N, T, R>
where
    C: Compression,
    K: ArraySize,
    N: ArraySize,
    T: ArraySize,
{
    type NonceSize = N;
    type TagSize = T;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<C, K, N, T, R> AeadInOut for Omd<C, K, N, T, R>
where
    C: Compression,
    K: ArraySize,
    N: ArraySize,
    T: ArraySize,
    R: EmptyInputs,
{
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> aead::Result<Tag<Self>> {
        check_lengths(associated_data.len(), buffer.len())?;
        let mut tag = Tag::<Self>::default();
        self.keyed.seal(nonce, associated_data, buffer, &mut tag);
        Ok(tag)
    }

    fn decrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> aead::Result<()> {
        check_lengths(associated_data.len(), buffer.len())?;
        Ok(self.keyed.open(nonce, associated_data, buffer, tag)?)
    }
}

/// Refuses what is longer than the specification's bounds.
fn check_lengths(ad: usize, message: usize) -> Result<()> {
    if ad as u64 > MAX_AD_BYTES {
        return Err(Error::TooLong { what: "associated data", limit: MAX_AD_BYTES });
    }
    if message as u64 > MAX_MESSAGE_BYTES {
        return Err(Error::TooLong { what: "message", limit: MAX_MESSAGE_BYTES });
    }
    Ok(())
}
