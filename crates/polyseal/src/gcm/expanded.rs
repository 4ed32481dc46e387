//! The expansion of a key for many messages.

use super::aes::{self, Aes, RoundKeys};
use super::ghash::Powers;
use crate::backend::{Clmul, Isa, Lanes, wipe};

/// Everything that a key is expanded to.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct Expanded {
    pub(super) round_keys: RoundKeys,
    pub(super) powers: Powers,
}

impl Expanded {
    pub(super) const ZERO: Self = Self { round_keys: [[0; 16]; 15], powers: Powers::ZERO };

    /// Expands `key` for hashes of any number of blocks.
    #[inline(always)]
    pub(super) fn fill<A: Aes, I: Isa>(&mut self, isa: I, key: [I::X1; 2]) {
        aes::expand::<A, I::X1>(isa, key, &mut self.round_keys);
        let zero = I::X1::broadcast(isa, &[0; 16]);
        let [h] = aes::encrypt::<A, I::X1, 1>(isa, &self.round_keys, [zero]);
        self.powers.fill::<I::Register>(isa, h.reverse_bytes().double());
    }

    #[inline(always)]
    pub(super) fn wipe(&mut self) {
        wipe(self.round_keys.as_flattened_mut());
        self.powers.wipe();
    }
}
