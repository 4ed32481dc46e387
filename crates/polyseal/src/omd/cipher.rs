//! OMD with a key, one-shot.

use core::marker::PhantomData;

use aead::Key;
use aead::array::ArraySize;
use aead::inout::InOutBuf;

use super::many;
use super::mode::{ExpandedKey, STACK_BYTES};
use super::rule::{EmptyInputs, Secure};
use super::{MAX_AD_BYTES, MAX_MESSAGE_BYTES};
use crate::backend::hashes::HashBackend;
use crate::backend::{Backend, wipe_stack};
use crate::contract::batch::{Batch, Message};
use crate::contract::{Core, LongestInputs, process_one, rustcrypto};
use crate::error::{Error, Result};
use crate::hash::Compression;

/// OMD over the compression function `C`, under one key: keys of `K` bytes, nonces of `N`, tags of
/// `T`.
///
/// The types in [`omd`](super) are its named sets. With `n` the bytes of a chaining value, every
/// key and every tag of 1 to `n` bytes and every nonce of 0 to `n` − 1 is one more instance: what
/// is longer does not compile. A key is the same as one with zeros behind it: take keys of one
/// length. The key is wiped on drop.
pub struct Omd<C: Compression, K, N, T, R = Secure> {
    expanded: ExpandedKey<C>,
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
    fn on(key: &Key<Self>, backend: Backend) -> Self {
        const {
            let n = size_of::<C::Block>();
            assert!(1 <= K::USIZE && K::USIZE <= n, "keys have 1 to n bytes");
            assert!(N::USIZE < n, "nonces have 0 to n − 1 bytes");
            assert!(1 <= T::USIZE && T::USIZE <= n, "tags have 1 to n bytes");
        }
        let expanded = ExpandedKey::new(key, T::USIZE, R::RULE, HashBackend::for_backend(backend));
        Self { expanded, sizes: PhantomData }
    }

    fn process_batch(&self, seals: bool, messages: &mut [Message<'_>]) -> Result<()> {
        // Before anything else can fail: a message has to earn its `Ok`.
        for message in &mut *messages {
            message.outcome = Err(Error::Unauthentic);
        }
        for message in &*messages {
            message.check(N::USIZE, T::USIZE, &Self::LONGEST)?;
        }
        self.expanded.process_batch(seals, messages);
        // CT: verdicts are public.
        messages.iter().try_for_each(|message| message.outcome)
    }
}

impl<C: Compression> Core for ExpandedKey<C> {
    type Tag = Longest<C>;

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        self.crypt(true, nonce, ad, buffer, tag);
        wipe_stack::<STACK_BYTES>();
    }

    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        _: &[u8],
        expected: &mut [u8],
    ) {
        self.crypt(false, nonce, ad, buffer, expected);
        wipe_stack::<STACK_BYTES>();
    }

    fn process_batch(&self, seals: bool, messages: &mut [Message<'_>]) {
        if let [message] = messages {
            return process_one(self, seals, message);
        }
        many::process(self, seals, messages);
        wipe_stack::<{ many::STACK_BYTES }>();
    }
}

/// A tag as long as a chaining value.
pub(crate) struct Longest<C: Compression>(C::Block);

impl<C: Compression> Default for Longest<C> {
    #[inline]
    fn default() -> Self {
        Self(C::ZERO)
    }
}

impl<C: Compression> AsMut<[u8]> for Longest<C> {
    #[inline]
    fn as_mut(&mut self) -> &mut [u8] {
        self.0.as_mut()
    }
}

// Not derived: that would ask for sizes that can be cloned.
impl<C: Compression, K, N, T, R> Clone for Omd<C, K, N, T, R> {
    fn clone(&self) -> Self {
        Self { expanded: self.expanded.clone(), sizes: PhantomData }
    }
}

impl<C, K, N, T, R> Core for Omd<C, K, N, T, R>
where
    C: Compression,
    K: ArraySize,
    N: ArraySize,
    T: ArraySize,
    R: EmptyInputs,
{
    type Tag = Longest<C>;

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        self.expanded.seal(nonce, ad, buffer, tag);
    }

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

rustcrypto! {
    impl [C: Compression, K: ArraySize, N: ArraySize, T: ArraySize, R: EmptyInputs]
    Omd<C, K, N, T, R> {
        name: "Omd", key: K, nonce: N, tag: T,
        longest: LongestInputs { message: MAX_MESSAGE_BYTES, ad: MAX_AD_BYTES }
    }
}

impl<C, K, N, T, R> Batch for Omd<C, K, N, T, R>
where
    C: Compression,
    K: ArraySize,
    N: ArraySize,
    T: ArraySize,
    R: EmptyInputs,
{
    fn seal_batch(&self, messages: &mut [Message<'_>]) -> Result<()> {
        self.process_batch(true, messages)
    }

    fn open_batch(&self, messages: &mut [Message<'_>]) -> Result<()> {
        self.process_batch(false, messages)
    }
}
