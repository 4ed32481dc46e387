//! AES-256-GCM on short messages under keys of their own, in registers from the key to the tag.
//!
//! Each lane is a message with its key, so that one message in a one-block vector and many messages
//! in a wide one are the same computation. Round keys are made as they are needed and never stored:
//! the schedule's latency is what the rest hides behind.

use super::aes::{Aes256, RoundKeys, Schedule};
use super::ghash::Product;
use crate::backend::Clmul;

/// What a key and a nonce give for a message of at most `B` blocks.
pub(super) struct Material<L, const B: usize> {
    /// GHASH's key, as a field element.
    pub(super) h: L,
    /// What the hash is encrypted with.
    pub(super) mask: L,
    pub(super) key_stream: [L; B],
}

/// Blocks that are encrypted beside the message's, under a key that is expanded already.
#[allow(missing_debug_implementations)]
pub struct Companions<'k, L, const C: usize> {
    pub(super) blocks: [L; C],
    pub(super) round_keys: &'k RoundKeys,
}

impl<L> Companions<'static, L, 0> {
    #[inline(always)]
    pub(super) fn none() -> Self {
        static NO_KEYS: RoundKeys = [[0; 16]; 15];
        Self { blocks: [], round_keys: &NO_KEYS }
    }
}

/// Encrypts zero, the first counter and those after it under `key`; and the companions, in place.
#[inline(always)]
pub(super) fn material<L: Clmul, const B: usize, const C: usize>(
    isa: L::Isa,
    key: [L; 2],
    first: L,
    companions: &mut Companions<'_, L, C>,
) -> Material<L, B> {
    let zero = L::broadcast(isa, &[0; 16]);
    let one = L::broadcast(isa, &ONE);
    let mut counter = first.reverse_bytes();
    let (mut fixed, mut x) = ([zero, first], [zero; B]);
    for x in &mut x {
        counter = counter.add_words(one);
        *x = counter.reverse_bytes();
    }
    for x in fixed.iter_mut().chain(&mut x) {
        *x = x.xor(key[0]);
    }
    let Companions { blocks: beside, round_keys } = companions;
    for x in beside.iter_mut() {
        *x = x.xor(L::broadcast(isa, &round_keys[0]));
    }
    let mut schedule = Schedule::new::<Aes256>(key);
    let mut round_key = key[1];
    for r in 1..14 {
        fixed = L::aes_rounds(fixed, [round_key; 2]);
        x = L::aes_rounds(x, [round_key; B]);
        *beside = L::aes_rounds(*beside, [L::broadcast(isa, &round_keys[r]); C]);
        round_key = schedule.next::<Aes256>(isa);
    }
    let [h, mask] = L::aes_last_rounds(fixed, [round_key; 2]);
    let key_stream = L::aes_last_rounds(x, [round_key; B]);
    *beside = L::aes_last_rounds(*beside, [L::broadcast(isa, &round_keys[14]); C]);
    Material { h: h.reverse_bytes().double(), mask, key_stream }
}

/// A one in the first word.
static ONE: [u8; 16] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// A hash of few blocks: two products to a reduction.
pub(super) struct ShortHash<L: Clmul> {
    isa: L::Isa,
    h: L,
    h2: L,
    hash: L,
}

impl<L: Clmul> ShortHash<L> {
    #[inline(always)]
    pub(super) fn new(isa: L::Isa, h: L) -> Self {
        let mut square = Product::zero(isa);
        square.add(h, h);
        Self { isa, h, h2: square.reduce(), hash: L::broadcast(isa, &[0; 16]) }
    }

    #[inline(always)]
    pub(super) fn one(&mut self, x: L) {
        let mut product = Product::zero(self.isa);
        product.add(self.hash.xor(x.reverse_bytes()), self.h);
        self.hash = product.reduce();
    }

    #[inline(always)]
    pub(super) fn two(&mut self, x: L, y: L) {
        let mut product = Product::zero(self.isa);
        product.add(y.reverse_bytes(), self.h);
        product.add(self.hash.xor(x.reverse_bytes()), self.h2);
        self.hash = product.reduce();
    }

    #[inline(always)]
    pub(super) fn finish(self) -> L {
        self.hash.reverse_bytes()
    }
}
