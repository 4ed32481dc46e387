//! HCTR2 (eprint 2021/1441) with AES-256, put together from RustCrypto's `aes` and `polyval`,
//! because the crates that have it work block by block. It enciphers, and neither lengthens a
//! message nor refuses one. The tweak is the nonce and the associated data.
//!
//! M ‖ N: a message and its first block; U ‖ V: a ciphertext; MM, UU: what AES takes for M and
//! gives for U; S: the stream's seed; h and L: AES of 0 and 1.

use aes_gcm::aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt};
use aes_gcm::aes::{Aes256, Block};
use polyval::Polyval;
use polyval::universal_hash::{KeyInit, UniversalHash};

use super::KEY;
use crate::contender::Aead;
use crate::ring::{Key, Nonce, Tag, first};

pub(super) struct Hctr2 {
    aes: Aes256,
    /// With h, and nothing hashed.
    polyval: Polyval,
    l: u128,
    tweak: Vec<u8>,
}

const NONCE_BYTES: usize = 12;
const BLOCK: usize = 16;
/// Blocks of the stream that are made at once.
const BATCH: usize = 64;

impl Hctr2 {
    pub(super) fn new() -> Self {
        Self::under(&KEY, Vec::new())
    }

    fn under(key: &Key, tweak: Vec<u8>) -> Self {
        let aes = Aes256::new(first(key));
        let [h, l] = [0, 1].map(|number: u128| {
            let mut block = block(number);
            aes.encrypt_block(&mut block);
            block
        });
        Self { polyval: Polyval::new(&h), l: u128::from_le_bytes(l.into()), aes, tweak }
    }

    /// The hash once it has taken the tweak and whether N is whole blocks, which both hashes share.
    #[inline]
    fn tweaked(&mut self, nonce: &Nonce, ad: &[u8], is_whole: bool) -> Polyval {
        self.tweak.clear();
        self.tweak.extend_from_slice(&nonce[..NONCE_BYTES]);
        self.tweak.extend_from_slice(ad);
        let bits = 8 * self.tweak.len() as u128;
        let mut hash = self.polyval.clone();
        hash.update(&[block(2 * bits + if is_whole { 2 } else { 3 })]);
        hash.update_padded(&self.tweak);
        hash
    }

    /// The sum of `rest` and the stream, from block `start` on.
    #[inline]
    fn stream(&self, s: u128, start: usize, rest: &mut [u8]) {
        let mut stream = [Block::default(); BATCH];
        let stream = &mut stream[..rest.len().div_ceil(BLOCK)];
        for (at, one) in stream.iter_mut().enumerate() {
            *one = block(s ^ (start + at + 1) as u128);
        }
        self.aes.encrypt_blocks(stream);
        let stream = Block::slice_as_flattened(stream);
        rest.iter_mut().zip(stream).for_each(|(byte, stream)| *byte ^= stream);
    }

    #[inline]
    fn cipher(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], seals: bool) {
        let (one, rest) = message.split_at_mut_checked(BLOCK).expect("HCTR2 begins at a block");
        let mut hash = self.tweaked(nonce, ad, rest.len().is_multiple_of(BLOCK));
        let mut before = hash.clone();
        absorb(&mut before, rest);
        let before = sum(one, before);
        let mut after = block(before);
        if seals {
            self.aes.encrypt_block(&mut after);
        } else {
            self.aes.decrypt_block(&mut after);
        }
        let after = u128::from_le_bytes(after.into());
        // The same both ways: MM and UU change places.
        let s = before ^ after ^ self.l;
        for (batch, rest) in rest.chunks_mut(BATCH * BLOCK).enumerate() {
            self.stream(s, batch * BATCH, rest);
            absorb(&mut hash, rest);
        }
        one.copy_from_slice(&(after ^ u128::from_le_bytes(hash.finalize().into())).to_le_bytes());
    }
}

#[inline]
fn block(number: u128) -> Block {
    number.to_le_bytes().into()
}

#[inline]
fn sum(one: &[u8], hash: Polyval) -> u128 {
    let one = u128::from_le_bytes(one.try_into().expect("a block"));
    one ^ u128::from_le_bytes(hash.finalize().into())
}

/// Hashes `rest`; behind what is no whole block, 1 and zeros.
#[inline]
fn absorb(hash: &mut Polyval, rest: &[u8]) {
    let (blocks, tail) = Block::slice_as_chunks(rest);
    hash.update(blocks);
    if !tail.is_empty() {
        let mut last = Block::default();
        last[..tail.len()].copy_from_slice(tail);
        last[tail.len()] = 1;
        hash.update(&[last]);
    }
}

impl Aead for Hctr2 {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        *self = Self::under(key, core::mem::take(&mut self.tweak));
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], _: &mut Tag) {
        self.cipher(nonce, ad, message, true);
    }

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        _: &Tag,
        message: &mut [u8],
    ) -> bool {
        message.copy_from_slice(sealed);
        self.cipher(nonce, ad, message, false);
        true
    }
}
