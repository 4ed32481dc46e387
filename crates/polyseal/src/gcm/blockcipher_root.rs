//! A root key from which blocks are encrypted: AES-256's round keys, and CMAC's subkey.
//!
//! Source: SP 800-38B for the subkey. Its owner wipes it.

use core::fmt;

use super::aes::{self, Aes256};
use crate::backend::{Backend, Isa, Lanes, Task, wipe};

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
