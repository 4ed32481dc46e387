//! What a key is expanded to: all at once, or while the first key stream is made.

use super::aes::{self, Aes, RoundKeys};
use super::counters::Counters;
use super::ghash::{GROUP, Powers};
use super::medium::{self, Beginning};
use crate::backend::{Clmul, Isa, Lanes, wipe};

/// Everything that a key is expanded to.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct Expanded {
    pub(super) round_keys: RoundKeys,
    pub(super) powers: Powers,
}

impl Expanded {
    pub(super) const fn new() -> Self {
        Self { round_keys: [[0; 16]; 15], powers: Powers::new() }
    }

    /// Expands `key` for hashes of any number of blocks.
    #[inline(always)]
    pub(super) fn fill<A: Aes, I: Isa>(&mut self, isa: I, key: [I::X1; 2]) {
        aes::expand::<A, I::X1>(isa, key, &mut self.round_keys);
        let zero = I::X1::broadcast(isa, &[0; 16]);
        let [h] = aes::encrypt::<A, I::X1, 1>(isa, &self.round_keys, [zero]);
        self.powers.fill::<I::Register>(isa, h.reverse_bytes().double());
    }

    /// The same, and encrypts the first counters of a message beside.
    #[inline(always)]
    pub(super) fn begin<A: Aes, I: Isa>(
        &mut self,
        isa: I,
        key: [I::X1; 2],
        first: I::X1,
        counters: &mut Counters<I::Register>,
    ) -> Beginning<I, GROUP> {
        let beginning =
            medium::begin::<A, I, GROUP>(isa, key, first, counters, Some(&mut self.round_keys));
        self.powers.fill::<I::Register>(isa, beginning.h);
        beginning
    }

    #[inline(always)]
    pub(super) fn wipe(&mut self) {
        wipe(self.round_keys.as_flattened_mut());
        self.powers.wipe();
    }
}
