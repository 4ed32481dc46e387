//! Nonce-derived AES-256-GCM: every nonce gives a key of its own.
//!
//! Source: P. Kampanakis, S. Halevi, N. Ebeid, M. Campagna, "Blockcipher-Based Key Commitment for
//! Nonce-Derived Schemes" (eprint 2025/758). A [`Scheme`] derives the key K_U, and GCM's 12-byte
//! nonce, from the root key K and the nonce N; `Committing` adds to any scheme that can make one
//! a commitment K_C to the key, which becomes part of the tag: T ‖ K_C. Tag and commitment are
//! compared together, in constant time, and fail as one. Derived keys are wiped after every
//! message.

use core::marker::PhantomData;

use aead::array::Array;
use aead::consts::U32;
use aead::inout::InOutBuf;
use aead::{Key, Nonce};

use super::aes::{self, Aes256};
use super::cipher::{Expand, LONGEST, call_long, call_medium};
use super::engine::{Direction, Opening, Sealing};
use super::expanded::Expanded;
use super::incremental::{Decryptor, Encryptor, Ongoing, WithCommitment};
use super::one_key_medium;
use super::one_message::{ShortTask, store_two};
use super::scheme::{Commitment, Scheme, SchemeImpl};
use super::short::{self, Companions};
use crate::backend::{Backend, Calls, Isa, Lanes, Sequence, StackUse, Task, wipe};
use crate::contract::{Core, rustcrypto};
use crate::error::Result;

/// AES-256-GCM under keys that `S` derives from nonces. The root key is wiped on drop.
pub struct NonceDerived<S: Scheme> {
    pub(super) backend: Backend,
    pub(super) root: S::Root,
}

impl<S: Scheme> NonceDerived<S> {
    pub(super) fn on(key: &Key<Self>, backend: Backend) -> Self {
        Self { backend, root: S::prepare(key.as_ref(), backend) }
    }

    /// Seals or opens; writes the tag, or the tag that there should be. Derived keys that the
    /// registers had no room for are wiped from the stack.
    #[inline]
    pub(super) fn crypt<D: Direction>(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) {
        let (root, direction) = (&self.root, PhantomData);
        self.backend.run_sequence(Message::<S::Core, D> {
            root,
            nonce,
            ad,
            buffer,
            tag,
            direction,
        });
    }

    /// K_U, and the counter block, for a scheme that has a GCM of its own.
    pub(super) fn derive_key(&self, nonce: &[u8], key: &mut [u8; 32], first: &mut [u8; 16]) {
        let Self { backend, root } = self;
        backend.run(Derive::<S::Core> { root, nonce, key, first, commitment: &mut [] });
    }
}

impl<S: Scheme> NonceDerived<S> {
    /// Begins to encrypt a message that arrives in pieces.
    ///
    /// # Errors
    /// [`Error::TooLong`](crate::Error::TooLong) for associated data above
    /// [`MAX_AD_BYTES`](super::MAX_AD_BYTES).
    pub fn encryptor(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
    ) -> Result<Encryptor<Aes256, S::TagSize>> {
        Ok(Encryptor::new(self.begin(nonce, ad)?))
    }

    /// Begins to decrypt a message that arrives in pieces into `destination`, which must be at
    /// least as long as the message.
    ///
    /// # Errors
    /// [`Error::TooLong`](crate::Error::TooLong) for associated data above
    /// [`MAX_AD_BYTES`](super::MAX_AD_BYTES).
    pub fn decryptor<'a>(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
        destination: &'a mut [u8],
    ) -> Result<Decryptor<'a, Aes256, S::TagSize>> {
        Ok(Decryptor::new(self.begin(nonce, ad)?, destination))
    }

    fn begin(&self, nonce: &[u8], ad: &[u8]) -> Result<WithCommitment<Aes256>> {
        LONGEST.check(ad.len(), 0)?;
        let ongoing = Ongoing::blank(self.backend, Expanded::ZERO);
        let mut message = WithCommitment { ongoing, commitment: [0; 32] };
        let WithCommitment { ongoing: Ongoing { keys, first, .. }, commitment } = &mut message;
        let root = &self.root;
        self.backend.run_sequence(Begin::<S::Core> { root, nonce, keys, first, commitment });
        message.ongoing.absorb(ad);
        Ok(message)
    }
}

impl<S: Scheme> Drop for NonceDerived<S> {
    fn drop(&mut self) {
        S::wipe(&mut self.root);
    }
}

// Not derived: that would ask for schemes that can be cloned.
impl<S: Scheme> Clone for NonceDerived<S> {
    fn clone(&self) -> Self {
        Self { backend: self.backend, root: self.root.clone() }
    }
}

impl<S: Scheme> Core for NonceDerived<S> {
    type Tag = Array<u8, S::TagSize>;

    #[inline]
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        self.crypt::<Sealing>(nonce, ad, buffer, tag);
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
        self.crypt::<Opening>(nonce, ad, buffer, expected);
    }
}

rustcrypto! {
    impl [S: Scheme] NonceDerived<S> {
        name: "NonceDerived", key: U32, nonce: S::NonceSize, tag: S::TagSize,
        longest: LONGEST
    }
}

/// The stack that a message uses, by its length.
type ShortStack = StackUse<512, 640, 640, 3072>;
type MediumStack = StackUse<1024, 1408, 1088, 2048>;
type LongStack = StackUse<1536, 1536, 1024, 2048>;
/// The stack that deriving and expanding a key uses.
type ExpandingStack = StackUse<2048, 2048, 2048, 2048>;

/// Seals or opens a message.
struct Message<'a, 'i, 'o, S: SchemeImpl, D> {
    root: &'a S::Root,
    nonce: &'a [u8],
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    /// T, and the commitment if there is one.
    tag: &'a mut [u8],
    direction: PhantomData<D>,
}

impl<S: SchemeImpl, D: Direction> Sequence for Message<'_, '_, '_, S, D> {
    #[inline(always)]
    fn run<I: Isa>(self, calls: Calls<I>) {
        let Self { root, nonce, ad, buffer, tag, .. } = self;
        // CT: lengths are public.
        if S::FAST && short::fits(ad.len(), buffer.len()) {
            let (seals, scheme) = (D::SEALS, PhantomData);
            let task = ShortTask::<S> { seals, ad, buffer, tag, scheme };
            calls.call_keyed(root, nonce, task);
            calls.wipe::<ShortStack>();
        } else if one_key_medium::fits::<I>(ad.len(), buffer.len()) {
            medium::<S, D, I>(calls, root, nonce, ad, buffer, tag);
        } else {
            long::<S, D, I>(calls, root, nonce, ad, buffer, tag);
        }
    }
}

// Key and counter block of longer messages lie in memory, so that all schemes have the same code
// behind them. The message comes in arguments: a structure would be copied on its way.

/// A message of moderate length.
#[inline(never)]
fn medium<S: SchemeImpl, D: Direction, I: Isa>(
    calls: Calls<I>,
    root: &S::Root,
    nonce: &[u8],
    ad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
    tag: &mut [u8],
) {
    let Some((tag, commitment)) = tag.split_first_chunk_mut() else { unreachable!() };
    let (mut key, mut first) = ([0; 32], [0; 16]);
    calls.call(Derive::<S> { root, nonce, key: &mut key, first: &mut first, commitment });
    call_medium::<Aes256, D, I>(calls, &key, &first, ad, buffer, tag);
    wipe(&mut key);
    calls.wipe::<MediumStack>();
}

/// A longer message, or any, where none is of moderate length.
#[inline(never)]
fn long<S: SchemeImpl, D: Direction, I: Isa>(
    calls: Calls<I>,
    root: &S::Root,
    nonce: &[u8],
    ad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
    tag: &mut [u8],
) {
    let Some((tag, commitment)) = tag.split_first_chunk_mut() else { unreachable!() };
    let (mut key, mut first) = ([0; 32], [0; 16]);
    calls.call(Derive::<S> { root, nonce, key: &mut key, first: &mut first, commitment });
    call_long::<Aes256, D, I>(calls, &key, &first, ad, buffer, tag);
    wipe(&mut key);
    calls.wipe::<LongStack>();
}

/// Derives a key and expands it, for a message in pieces.
struct Begin<'a, S: SchemeImpl> {
    root: &'a S::Root,
    nonce: &'a [u8],
    keys: &'a mut Expanded,
    first: &'a mut [u8; 16],
    commitment: &'a mut [u8],
}

impl<S: SchemeImpl> Sequence for Begin<'_, S> {
    #[inline(always)]
    fn run<I: Isa>(self, calls: Calls<I>) {
        let Self { root, nonce, keys, first, commitment } = self;
        let mut key = [0; 32];
        calls.call(Derive::<S> { root, nonce, key: &mut key, first, commitment });
        calls.call(Expand::<Aes256> { key: &key, keys, aes: PhantomData });
        wipe(&mut key);
        calls.wipe::<ExpandingStack>();
    }
}

/// Derives a key; and its commitment, if there is room for one.
struct Derive<'a, S: SchemeImpl> {
    root: &'a S::Root,
    nonce: &'a [u8],
    key: &'a mut [u8; 32],
    first: &'a mut [u8; 16],
    commitment: &'a mut [u8],
}

impl<S: SchemeImpl> Task for Derive<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let derived = S::derive::<I::X1>(isa, self.root, &[self.nonce]);
        store_two(derived.key, self.key);
        derived.first.store(self.first);
        let k_c = match derived.commitment {
            Commitment::None => return,
            Commitment::Ready(k_c) => k_c,
            Commitment::Pending(Companions { blocks, round_keys }) => {
                aes::encrypt::<Aes256, I::X1, 2>(isa, round_keys, blocks)
            }
        };
        if !self.commitment.is_empty() {
            store_two(k_c, self.commitment);
        }
    }
}
