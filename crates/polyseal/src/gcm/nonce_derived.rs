//! Nonce-derived AES-256-GCM: every nonce gives a key of its own.
//!
//! Source: P. Kampanakis, S. Halevi, N. Ebeid, M. Campagna, "Blockcipher-Based Key Commitment for
//! Nonce-Derived Schemes" (eprint 2025/758). A [`Scheme`] derives the key K_U, and GCM's 12-byte
//! nonce, from the root key K and the nonce N; [`Committing`] adds to any scheme that can make one
//! a commitment K_C to the key, which becomes part of the tag: T ‖ K_C. Tag and commitment are
//! compared together, in constant time, and fail as one. Derived keys are wiped after every
//! message.

use core::fmt;
use core::marker::PhantomData;

use aead::array::{Array, ArraySize};
use aead::consts::{U32, U48};
use aead::inout::InOutBuf;
use aead::{Key, Nonce};

use super::aes::{self, Aes256};
use super::cipher::{Expand, LONGEST, one_message};
use super::engine::{Direction, Opening, Sealing};
use super::expanded::Expanded;
use super::incremental::{Decryptor, Encryptor, Ongoing, WithCommitment};
use super::short::{self, Companions};
use crate::backend::{Backend, Clmul, Isa, Lanes, Task, wipe};
use crate::contract::{Core, LongestInputs, rustcrypto};
use crate::error::Result;
use crate::stack;

/// A way of deriving keys from nonces.
pub trait Scheme: SchemeImpl + 'static {
    /// The nonce's length in bytes.
    type NonceSize: ArraySize;
    /// The tag's length in bytes: 16, and 32 more with a commitment.
    type TagSize: ArraySize;
}

/// A scheme that can make a commitment.
pub trait Committable: CommittableImpl + 'static {
    /// The nonce's length in bytes.
    type NonceSize: ArraySize;
}

pub(super) use hidden::{Commitment, CommittableImpl, Derived, SchemeImpl};

mod hidden {
    use super::{Backend, Clmul, Committable, Companions};

    /// What a scheme derives for a message in each lane.
    #[allow(missing_debug_implementations)]
    pub struct Derived<'r, L> {
        /// K_U.
        pub key: [L; 2],
        /// The counter block of GCM's nonce.
        pub first: L,
        /// K_C, or what is left to do for it.
        pub commitment: Commitment<'r, L>,
    }

    /// A commitment.
    #[allow(missing_debug_implementations)]
    pub enum Commitment<'r, L> {
        /// There is none.
        None,
        /// K_C.
        Ready([L; 2]),
        /// What K_C is the encryption of: with the message's blocks it costs next to nothing.
        Pending(Companions<'r, L, 2>),
    }

    /// How a scheme computes.
    pub trait SchemeImpl: Sized {
        /// Whether it derives so fast that short messages are worth code of their own.
        const FAST: bool = false;
        /// What the root key is prepared to.
        type Root: Clone + Send + Sync;
        /// What computes the same: one type for all nonce lengths, so that there is one piece of
        /// code.
        type Core: SchemeImpl<Root = Self::Root>;
        /// Prepares a root key of 32 bytes.
        fn prepare(key: &[u8; 32], backend: Backend) -> Self::Root;
        /// Wipes what was prepared.
        fn wipe(root: &mut Self::Root);
        /// Derives from a nonce of the scheme's length for each lane.
        fn derive<'r, L: Clmul>(
            isa: L::Isa,
            root: &'r Self::Root,
            nonces: &[&[u8]],
        ) -> Derived<'r, L>;
    }

    /// How a commitment is computed.
    pub trait CommittableImpl: SchemeImpl {
        /// What computes the same.
        type CommittableCore: Committable<Root = Self::Root>;
        /// K_C, never none.
        fn commit<'r, L: Clmul>(
            isa: L::Isa,
            root: &'r Self::Root,
            nonces: &[&[u8]],
        ) -> Commitment<'r, L>;
    }
}

/// A block of each lane's nonce.
#[inline(always)]
pub(super) fn blocks_of<L: Clmul>(
    isa: L::Isa,
    nonces: &[&[u8]],
    block: impl Fn(&[u8]) -> [u8; 16],
) -> L {
    let mut blocks = [L::X1::load(isa, &block(nonces[0])); 4];
    for (lane, nonce) in nonces.iter().enumerate().skip(1) {
        blocks[lane] = L::X1::load(isa, &block(nonce));
    }
    L::join(blocks)
}

/// `S` with a commitment to the key in its tag: T ‖ K_C, 48 bytes.
#[derive(Debug)]
pub struct Committing<S>(PhantomData<S>);

impl<S: Committable> Scheme for Committing<S> {
    type NonceSize = S::NonceSize;
    type TagSize = U48;
}

impl<S: Committable> SchemeImpl for Committing<S> {
    const FAST: bool = S::FAST;

    type Root = S::Root;
    type Core = Committing<S::CommittableCore>;

    fn prepare(key: &[u8; 32], backend: Backend) -> S::Root {
        S::prepare(key, backend)
    }

    fn wipe(root: &mut S::Root) {
        S::wipe(root);
    }

    #[inline(always)]
    fn derive<'r, L: Clmul>(isa: L::Isa, root: &'r S::Root, nonces: &[&[u8]]) -> Derived<'r, L> {
        // In this order, K_U need not be kept across calls.
        let commitment = S::commit(isa, root, nonces);
        Derived { commitment, ..S::derive(isa, root, nonces) }
    }
}

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
        let Self { backend, root } = self;
        // CT: lengths are public.
        if S::FAST && short::fits(ad.len(), buffer.len()) {
            let direction = PhantomData;
            backend.run(Short::<S::Core, D> { root, nonce, ad, buffer, tag, direction });
            backend.run(WipeStack::<true>);
            return;
        }
        let (mut key, mut first) = ([0; 32], [0; 16]);
        let Some((t, commitment)) = tag.split_first_chunk_mut() else { unreachable!() };
        let (key, first) = (&mut key, &mut first);
        backend.run(Derive::<S::Core> { root, nonce, key, first, commitment });
        one_message::<Aes256, D>(*backend, key, first, ad, buffer, t);
        wipe(key);
        backend.run(WipeStack::<false>);
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
        Ok(Encryptor::new(self.tagged(nonce, ad)?))
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
        Ok(Decryptor::new(self.tagged(nonce, ad)?, destination))
    }

    fn tagged(&self, nonce: &[u8], ad: &[u8]) -> Result<WithCommitment<Aes256>> {
        LONGEST.check(ad.len(), 0)?;
        let ongoing = Ongoing::blank(self.backend, Expanded::new());
        let mut tagged = WithCommitment { ongoing, commitment: [0; 32] };
        let WithCommitment { ongoing: Ongoing { keys, first, .. }, commitment } = &mut tagged;
        let mut key = [0; 32];
        let derive =
            Derive::<S::Core> { root: &self.root, nonce, key: &mut key, first, commitment };
        self.backend.run(derive);
        self.backend.run(Expand::<Aes256> { key: &key, keys, aes: PhantomData });
        wipe(&mut key);
        stack::wipe_bytes::<EXPANDING_STACK_BYTES>();
        tagged.ongoing.absorb(ad);
        Ok(tagged)
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
    const LONGEST: LongestInputs = LONGEST;

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
        name: "NonceDerived", key: U32, nonce: S::NonceSize, tag: S::TagSize
    }
}

/// A short message, in registers from the root key to the tag.
pub(super) struct Short<'a, 'i, 'o, S: SchemeImpl, D> {
    pub(super) root: &'a S::Root,
    pub(super) nonce: &'a [u8],
    pub(super) ad: &'a [u8],
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
    pub(super) tag: &'a mut [u8],
    pub(super) direction: PhantomData<D>,
}

impl<S: SchemeImpl, D: Direction> Task for Short<'_, '_, '_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Derived { key, first, commitment } = S::derive(isa, self.root, &[self.nonce]);
        let message = short::ShortMessage { ad: self.ad, buffer: self.buffer };
        let k_c = match commitment {
            Commitment::None => {
                let (t, []) = short::crypt::<I, D, 0>(isa, key, first, message, Companions::none());
                return t.store(self.tag);
            }
            Commitment::Ready(k_c) => {
                let (t, []) = short::crypt::<I, D, 0>(isa, key, first, message, Companions::none());
                t.store(&mut self.tag[..16]);
                k_c
            }
            Commitment::Pending(companions) => {
                let (t, k_c) = short::crypt::<I, D, 2>(isa, key, first, message, companions);
                t.store(&mut self.tag[..16]);
                k_c
            }
        };
        store_two(k_c, &mut self.tag[16..]);
    }
}

/// As much as deriving and expanding a key leaves on the stack.
const EXPANDING_STACK_BYTES: usize = 2 << 10;

/// Overwrites what a message has left on the stack, one that is `SHORT` or a longer one.
struct WipeStack<const SHORT: bool>;

impl<const SHORT: bool> Task for WipeStack<SHORT> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        // The fewer registers there are, the more round keys and blocks are kept on the stack.
        match const { (SHORT, I::REGISTERS) } {
            (true, ..16) => stack::wipe_bytes::<{ short::SOFT_STACK_BYTES }>(),
            (true, _) => stack::wipe_bytes::<{ short::STACK_BYTES }>(),
            (false, ..16) => stack::wipe_bytes::<7168>(),
            (false, 16..32) => stack::wipe_bytes::<6144>(),
            (false, _) => stack::wipe_bytes::<5120>(),
        }
    }
}

/// A key and a counter block that are there already, as a scheme: the "nonce" is the counter block.
pub(super) struct Given;

impl SchemeImpl for Given {
    const FAST: bool = true;

    type Root = [u8; 32];
    type Core = Self;

    fn prepare(key: &[u8; 32], _: Backend) -> [u8; 32] {
        *key
    }

    fn wipe(key: &mut [u8; 32]) {
        wipe(key);
    }

    #[inline(always)]
    fn derive<'r, L: Clmul>(isa: L::Isa, key: &'r [u8; 32], firsts: &[&[u8]]) -> Derived<'r, L> {
        let first = blocks_of(isa, firsts, |first| {
            let mut block = [0; 16];
            block.copy_from_slice(first);
            block
        });
        Derived { key: aes::load_key(isa, key), first, commitment: Commitment::None }
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

#[inline(always)]
fn store_two<L: Lanes>([first, second]: [L; 2], target: &mut [u8]) {
    first.store(&mut target[..16]);
    second.store(&mut target[16..]);
}

/// Round keys of a root key, and its CMAC subkey. Wiped by its owner.
#[derive(Clone)]
pub struct BlockcipherRoot {
    pub(super) round_keys: aes::RoundKeys,
    /// K1 (SP 800-38B): x · AES_K(0).
    pub(super) k1: [u8; 16],
}

impl fmt::Debug for BlockcipherRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockcipherRoot").finish_non_exhaustive()
    }
}

impl BlockcipherRoot {
    pub(super) fn new(key: &[u8; 32], backend: Backend) -> Self {
        let mut root = Self { round_keys: [[0; 16]; 15], k1: [0; 16] };
        backend.run(Prepare { key, root: &mut root });
        root
    }

    pub(super) fn wipe(&mut self) {
        wipe(self.round_keys.as_flattened_mut());
        wipe(&mut self.k1);
    }
}

struct Prepare<'a> {
    key: &'a [u8; 32],
    root: &'a mut BlockcipherRoot,
}

impl Task for Prepare<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let root = self.root;
        aes::expand::<Aes256, I::X1>(isa, aes::load_key(isa, self.key), &mut root.round_keys);
        let zero = I::X1::broadcast(isa, &[0; 16]);
        let [l] = aes::encrypt::<Aes256, I::X1, 1>(isa, &root.round_keys, [zero]);
        l.store(&mut root.k1);
        root.k1 = double(root.k1);
    }
}

/// x · L in CMAC's field, GF(2^128) modulo x^128 + x^7 + x^2 + x + 1.
pub(super) fn double(block: [u8; 16]) -> [u8; 16] {
    let l = u128::from_be_bytes(block);
    let reduction = (l.cast_signed() >> 127).cast_unsigned() & 0x87;
    (l << 1 ^ reduction).to_be_bytes()
}
