//! Schemes: ways of deriving a message's key from the root key and the nonce, and of committing to
//! the key.
//!
//! Source: eprint 2025/758. A scheme computes in every lane of a vector, for a nonce in each.

use core::marker::PhantomData;

use aead::array::ArraySize;
use aead::consts::U48;

use super::short::Companions;
use crate::backend::{Backend, Clmul, Lanes};

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

    /// The values that a scheme derives for a message in each lane.
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
        /// No commitment.
        None,
        /// K_C.
        Ready([L; 2]),
        /// The inputs whose encryption is K_C: with the message's blocks it costs next to nothing.
        Pending(Companions<'r, L, 2>),
    }

    /// How a scheme computes.
    pub trait SchemeImpl: Sized {
        /// Whether it derives so fast that short messages are worth code of their own.
        const FAST: bool = false;
        /// The prepared root key.
        type Root: Clone + Send + Sync;
        /// The implementation: one type for all nonce lengths, so that there is one piece of code.
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
        /// The implementation with a commitment.
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
