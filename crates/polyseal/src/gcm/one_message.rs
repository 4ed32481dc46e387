//! A short message under a key of its own, in registers from the root key to the tag.

use core::marker::PhantomData;

use aead::inout::InOutBuf;

use super::aes;
use super::scheme::{Commitment, Derived, SchemeImpl, blocks_of};
use super::short::{self, Companions};
use crate::backend::{Backend, Clmul, Isa, KeyedTask, Lanes, wipe};

/// A short message, in registers from the root key to the tag.
pub(super) struct ShortTask<'a, 'i, 'o, S: SchemeImpl> {
    /// A value, and no type: one copy of the code for both ways.
    pub(super) seals: bool,
    pub(super) ad: &'a [u8],
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
    pub(super) tag: &'a mut [u8],
    pub(super) scheme: PhantomData<S>,
}

impl<S: SchemeImpl> KeyedTask<&S::Root, &[u8]> for ShortTask<'_, '_, '_, S> {
    type Output = ();

    #[inline(always)]
    fn run_keyed<I: Isa>(self, isa: I, root: &S::Root, nonce: &[u8]) {
        let Derived { key, first, commitment } = S::derive(isa, root, &[nonce]);
        let seals = self.seals;
        let message = short::ShortMessage { ad: self.ad, buffer: self.buffer };
        let k_c = match commitment {
            Commitment::None => {
                let (t, []) =
                    short::crypt::<I, 0>(isa, seals, key, first, message, Companions::none());
                return t.store(self.tag);
            }
            Commitment::Ready(k_c) => {
                let (t, []) =
                    short::crypt::<I, 0>(isa, seals, key, first, message, Companions::none());
                t.store(&mut self.tag[..16]);
                k_c
            }
            Commitment::Pending(companions) => {
                let (t, k_c) = short::crypt::<I, 2>(isa, seals, key, first, message, companions);
                t.store(&mut self.tag[..16]);
                k_c
            }
        };
        store_two(k_c, &mut self.tag[16..]);
    }
}

/// A key and a counter block that are there already, as a scheme: the "nonce" is the counter block.
pub(super) struct FixedKey;

impl SchemeImpl for FixedKey {
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

#[inline(always)]
pub(super) fn store_two<L: Lanes>([first, second]: [L; 2], target: &mut [u8]) {
    first.store(&mut target[..16]);
    second.store(&mut target[16..]);
}
