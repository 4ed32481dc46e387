//! A key in a profile, on a back end, and what is computed with it, each a task of its own.

use core::marker::PhantomData;

use super::config::Mode;
use super::hash::{self, Chain, Chaining, Domain, LEAF_BYTES, Pieces, load_chaining, single_bytes};
use super::machine::{Machine, StateTask};
use super::parameters::{Parameters, SingleState};
use super::plaintext::Plaintext;
use super::robust::Operation;
use super::tweak::{Cipher, Key};
use super::{civ, och, robust};
use crate::backend::{Backend, wipe};
use crate::perm::States;

/// Where the context's key, K1', comes from: `None` is K1.
#[derive(Clone, Copy)]
pub(super) enum Context<'a> {
    Known(Option<&'a Chaining>),
    /// F of one string of at most [`LEAF_BYTES`] bytes.
    HashOne {
        from: Option<&'a Chaining>,
        domain: Domain,
        input: &'a [u8],
    },
    /// The same of several.
    Hash {
        from: Option<&'a Chaining>,
        domain: Domain,
        pieces: &'a [&'a [u8]],
    },
}

impl Context<'_> {
    #[inline(always)]
    fn key<P: Parameters, M: Machine<P>>(&self, machine: M, k1: &Chaining) -> SingleState<P, M> {
        match const { M::IN_MEMORY } {
            true => self.key_apart::<P, M>(machine, k1),
            false => self.key_here::<P, M>(machine, k1),
        }
    }

    #[inline(never)]
    fn key_apart<P: Parameters, M: Machine<P>>(
        &self,
        machine: M,
        k1: &Chaining,
    ) -> SingleState<P, M> {
        self.key_here::<P, M>(machine, k1)
    }

    #[inline(always)]
    fn key_here<P: Parameters, M: Machine<P>>(
        &self,
        machine: M,
        k1: &Chaining,
    ) -> SingleState<P, M> {
        let (from, domain, pieces) = match *self {
            Self::Known(key) => return load_chaining::<P, M>(machine, key.unwrap_or(k1)),
            Self::HashOne { from, domain, input } => {
                // CT: lengths are public.
                if input.len() <= single_bytes::<P>() {
                    let h = load_chaining::<P, M>(machine, from.unwrap_or(k1));
                    return hash::hash_single::<P, M>(machine, h, domain, input).left(P::T);
                }
                (from, domain, &[input][..])
            }
            Self::Hash { from, domain, pieces } => (from, domain, pieces),
        };
        let mut chain =
            Chain::<P, M>::new(machine, load_chaining::<P, M>(machine, from.unwrap_or(k1)));
        chain.absorb(pieces);
        let [key] = chain.finish(domain, false);
        key.left(P::T)
    }
}

/// The operations of every profile, on checked lengths.
pub(super) trait AnyProfile: Send + Sync {
    /// K1.
    fn key(&self) -> &Chaining;
    /// F, from K1 or another chaining value.
    fn hash(&self, from: Option<&Chaining>, domain: Domain, pieces: &[&[u8]]) -> Chaining;
    /// Encrypts and writes the tag. The two wide-block modes encipher all of the message, and there
    /// is no nonce in `text`.
    fn seal(&self, mode: Mode, context: &Context<'_>, text: &mut Plaintext<'_, '_>, tag: &mut [u8]);
    /// Decrypts, and writes the tag that should be there to `expected`, which is as long as `tag`.
    fn open(
        &self,
        mode: Mode,
        context: &Context<'_>,
        text: &mut Plaintext<'_, '_>,
        tag: &[u8],
        expected: &mut [u8],
    );
    /// Overwrites the part of the stack that the others use, where unverified plaintext may be
    /// left.
    fn wipe_stack(&self);
}

/// A key in the profile `P`.
pub(super) struct ExpandedKey<P: Parameters> {
    key: Key<P>,
    backend: Backend,
}

impl<P: Parameters> ExpandedKey<P> {
    fn wide_block(
        &self,
        context: &Context<'_>,
        text: &mut Plaintext<'_, '_>,
        operation: Operation<'_>,
        tag: &mut [u8],
    ) {
        let x = text.message.reborrow().into_out_with_copied_in();
        P::run(self.backend, WideBlock { key: &self.key, context, x, operation, tag });
    }

    /// Without a key.
    pub(super) const fn empty(backend: Backend) -> Self {
        Self { key: Key::new(), backend }
    }

    /// K1, for a test without modes.
    #[cfg(test)]
    pub(super) fn k1(&self) -> &Chaining {
        &self.key.k1
    }

    /// L.
    #[cfg(test)]
    pub(super) fn l(&self) -> &P::Block {
        self.key.l()
    }

    /// K1 and L from K, the configuration's bytes and AD_s, which has been hashed if it is to be.
    ///
    /// In its place, so that nothing of it stays behind elsewhere.
    pub(super) fn init(&mut self, key: &[u8], config: &[u8; 8], setup_ad: &[u8]) {
        static ZEROS: [u8; 200] = [0; 200];
        let length = (key.len() as u16).to_le_bytes();
        let padding = key.len().next_multiple_of(P::R) - key.len();
        let pieces = [key, &ZEROS[..padding], config, setup_ad, &length];
        P::run(self.backend, Init { key: &mut self.key, pieces: &pieces });
        P::wipe_stack();
    }
}

impl<P: Parameters> AnyProfile for ExpandedKey<P> {
    fn key(&self) -> &Chaining {
        &self.key.k1
    }

    fn hash(&self, from: Option<&Chaining>, domain: Domain, pieces: &[&[u8]]) -> Chaining {
        hash::<P>(self.backend, from.unwrap_or(&self.key.k1), domain, pieces)
    }

    #[inline]
    fn seal(
        &self,
        mode: Mode,
        context: &Context<'_>,
        text: &mut Plaintext<'_, '_>,
        tag: &mut [u8],
    ) {
        let key = &self.key;
        match mode {
            Mode::Och => P::run(self.backend, OchSeal { key, context, text, tag }),
            Mode::Civ => {
                P::run(self.backend, Civ { key, context, text, given: None, computed: tag });
            }
            Mode::Robust => self.wide_block(context, text, Operation::Encipher, tag),
            Mode::RobustAe => self.wide_block(context, text, Operation::EncipherWithTag, tag),
        }
    }

    #[inline]
    fn open(
        &self,
        mode: Mode,
        context: &Context<'_>,
        text: &mut Plaintext<'_, '_>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        let key = &self.key;
        match mode {
            Mode::Och => P::run(self.backend, OchOpen { key, context, text, tag, expected }),
            Mode::Civ => {
                let (given, computed) = (Some(tag), expected);
                P::run(self.backend, Civ { key, context, text, given, computed });
            }
            Mode::Robust => self.wide_block(context, text, Operation::Decipher, expected),
            Mode::RobustAe => {
                self.wide_block(context, text, Operation::DecipherWithTag(tag), expected);
            }
        }
    }

    fn wipe_stack(&self) {
        P::wipe_stack();
    }
}

/// Messages leave K1, K1' and more on the stack. It is overwritten when the key is dropped: after
/// every message, that would take as long as a short message does. That overwrites the 24 KiB (48
/// KiB with S1024, 92 KiB with K1600) below the frame that drops the key, on its thread. Traces of
/// messages that were sealed or opened from deeper down, or on another thread, stay.
impl<P: Parameters> Drop for ExpandedKey<P> {
    fn drop(&mut self) {
        P::wipe_stack();
    }
}

/// F.
pub(super) fn hash<P: Parameters>(
    backend: Backend,
    from: &Chaining,
    domain: Domain,
    pieces: &[&[u8]],
) -> Chaining {
    P::run(backend, Hash::<P> { from, domain, pieces, profile: PhantomData })
}

/// Whether F of these pieces is a sequence, and not a tree.
pub(super) fn is_short(pieces: &[&[u8]]) -> bool {
    pieces.iter().map(|piece| piece.len()).sum::<usize>() <= LEAF_BYTES
}

struct Hash<'a, P> {
    from: &'a Chaining,
    domain: Domain,
    pieces: &'a [&'a [u8]],
    profile: PhantomData<P>,
}

impl<P: Parameters> StateTask<P> for Hash<'_, P> {
    type Output = Chaining;

    #[inline(always)]
    fn run<M: Machine<P>>(self, machine: M) -> Chaining {
        let Self { from, domain, pieces, .. } = self;
        let value = if is_short(pieces) {
            Context::Hash { from: Some(from), domain, pieces }.key::<P, M>(machine, from)
        } else {
            let h = load_chaining::<P, M>(machine, from);
            let [value] = hash::hash_long::<P, M, 1>(machine, h, domain, Pieces::new(pieces));
            value
        };
        let mut chaining = [0; 32];
        value.store_partial(&mut chaining[..P::T]);
        chaining
    }
}

struct Init<'a, P: Parameters> {
    key: &'a mut Key<P>,
    pieces: &'a [&'a [u8]],
}

impl<P: Parameters> StateTask<P> for Init<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine<P>>(self, machine: M) {
        let h = load_chaining::<P, M>(machine, &hash::initial_value::<P>());
        let outputs: [SingleState<P, M>; 2] = if is_short(self.pieces) {
            let mut chain = Chain::<P, M>::new(machine, h);
            chain.absorb(self.pieces);
            chain.finish(Domain::Kdf, false)
        } else {
            hash::hash_long::<P, M, 2>(machine, h, Domain::Kdf, Pieces::new(self.pieces))
        };
        // K1 ‖ K2 ‖ K3
        let mut keys = [0; 400];
        outputs[0].store(&mut keys[..P::B]);
        outputs[1].store(&mut keys[P::B..2 * P::B]);
        let k1 = SingleState::<P, M>::load_partial(machine, &keys[..P::T]);
        let k2 = SingleState::<P, M>::load_partial(machine, &keys[P::T..2 * P::T]);
        let mut chain = Chain::<P, M>::new(machine, k2);
        chain.absorb(&[&keys[2 * P::T..3 * P::T]]);
        let [l] = chain.finish(Domain::Mask, false);
        self.key.fill(machine, k1, l);
        wipe(&mut keys);
    }
}

struct OchSeal<'a, 'i, 'o, P: Parameters> {
    key: &'a Key<P>,
    context: &'a Context<'a>,
    text: &'a mut Plaintext<'i, 'o>,
    tag: &'a mut [u8],
}

impl<P: Parameters> StateTask<P> for OchSeal<'_, '_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine<P>>(self, machine: M) {
        let e = Cipher::new(machine, self.key, self.context.key::<P, M>(machine, &self.key.k1));
        och::seal(e, self.text.reborrow(), self.tag);
    }
}

struct OchOpen<'a, 'i, 'o, P: Parameters> {
    key: &'a Key<P>,
    context: &'a Context<'a>,
    text: &'a mut Plaintext<'i, 'o>,
    tag: &'a [u8],
    expected: &'a mut [u8],
}

impl<P: Parameters> StateTask<P> for OchOpen<'_, '_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine<P>>(self, machine: M) {
        let e = Cipher::new(machine, self.key, self.context.key::<P, M>(machine, &self.key.k1));
        och::open(e, self.text.reborrow(), self.tag, self.expected);
    }
}

struct Civ<'a, 'i, 'o, P: Parameters> {
    key: &'a Key<P>,
    context: &'a Context<'a>,
    text: &'a mut Plaintext<'i, 'o>,
    given: Option<&'a [u8]>,
    computed: &'a mut [u8],
}

impl<P: Parameters> StateTask<P> for Civ<'_, '_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine<P>>(self, machine: M) {
        let e = Cipher::new(machine, self.key, self.context.key::<P, M>(machine, &self.key.k1));
        civ::crypt(&e, self.text.reborrow(), self.given, self.computed);
    }
}

struct WideBlock<'a, P: Parameters> {
    key: &'a Key<P>,
    context: &'a Context<'a>,
    x: &'a mut [u8],
    operation: Operation<'a>,
    tag: &'a mut [u8],
}

impl<P: Parameters> StateTask<P> for WideBlock<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine<P>>(self, machine: M) {
        let e = Cipher::new(machine, self.key, self.context.key::<P, M>(machine, &self.key.k1));
        robust::crypt(&e, self.x, self.operation, self.tag);
    }
}
