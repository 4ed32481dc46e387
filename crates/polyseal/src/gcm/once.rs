//! AES-256-GCM of one message under a key of its own.
//!
//! What a fixed key has prepared has to be made for every message here. A short message is done in
//! registers ([`short`](super::short)); for a longer one the key is expanded into memory that is
//! wiped behind it.

use aead::inout::InOutBuf;

use super::aes::{self, Aes256};
use super::engine::{Direction, Engine, Expanded};
use super::short::{self, Companions, Material, ShortHash};
use crate::backend::{Isa, Lanes};

/// A message and its associated data.
pub(super) struct Message<'a, 'i, 'o> {
    pub(super) ad: &'a [u8],
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
}

/// The most associated data that goes with a short message.
const SHORT_AD: usize = 64;

/// Seals or opens; returns GCM's tag, and the companions encrypted.
#[inline(always)]
pub(super) fn crypt<I: Isa, D: Direction, const C: usize>(
    isa: I,
    key: [I::X1; 2],
    first: I::X1,
    message: Message<'_, '_, '_>,
    mut companions: Companions<'_, I::X1, C>,
) -> (I::X1, [I::X1; C]) {
    // CT: lengths are public.
    let tag = match message.buffer.len().div_ceil(16) {
        _ if message.ad.len() > SHORT_AD => {
            long::<I, D, C>(isa, key, first, message, &mut companions)
        }
        0 | 1 => short::<I, D, 1, C>(isa, key, first, message, &mut companions),
        2 => short::<I, D, 2, C>(isa, key, first, message, &mut companions),
        3 | 4 => short::<I, D, 4, C>(isa, key, first, message, &mut companions),
        _ => long::<I, D, C>(isa, key, first, message, &mut companions),
    };
    (tag, companions.blocks)
}

/// Seals or opens a message of at most `B` blocks, and exactly so many if `B` is more than one.
#[inline(always)]
fn short<I: Isa, D: Direction, const B: usize, const C: usize>(
    isa: I,
    key: [I::X1; 2],
    first: I::X1,
    Message { ad, mut buffer }: Message<'_, '_, '_>,
    companions: &mut Companions<'_, I::X1, C>,
) -> I::X1 {
    let Material { h, mask, key_stream } =
        short::material::<I::X1, B, C>(isa, key, first, companions);
    let mut hash = ShortHash::new(isa, h);
    let mut chunks = ad.chunks_exact(16);
    for block in &mut chunks {
        hash.one(I::X1::load(isa, block));
    }
    if !chunks.remainder().is_empty() {
        hash.one(I::X1::load_partial(isa, chunks.remainder()));
    }
    let zero = I::X1::broadcast(isa, &[0; 16]);
    let bytes = buffer.len();
    let mut ciphertext = [zero; B];
    for j in 0..B {
        let (from, to) = ((16 * j).min(bytes), (16 * j + 16).min(bytes));
        let input = I::X1::load_partial(isa, &buffer.get_in()[from..to]);
        let output = key_stream[j].xor(input);
        output.store_partial(&mut buffer.get_out()[from..to]);
        ciphertext[j] = if D::SEALS { output.truncate(to - from) } else { input };
    }
    let lengths = u128::from(8 * ad.len() as u64) << 64 | u128::from(8 * bytes as u64);
    let lengths = I::X1::load(isa, &lengths.to_be_bytes());
    match B {
        1 if bytes == 0 => hash.one(lengths),
        1 => hash.two(ciphertext[0], lengths),
        2 => {
            hash.one(ciphertext[0]);
            hash.two(ciphertext[1], lengths);
        }
        // With three blocks the fourth is not there.
        _ if bytes <= 48 => {
            hash.two(ciphertext[0], ciphertext[1]);
            hash.two(ciphertext[2], lengths);
        }
        _ => {
            hash.one(ciphertext[0]);
            hash.two(ciphertext[1], ciphertext[2]);
            hash.two(ciphertext[3], lengths);
        }
    }
    hash.finish().xor(mask)
}

/// Seals or opens a message of any length.
#[inline(always)]
fn long<I: Isa, D: Direction, const C: usize>(
    isa: I,
    key: [I::X1; 2],
    first: I::X1,
    Message { ad, buffer }: Message<'_, '_, '_>,
    companions: &mut Companions<'_, I::X1, C>,
) -> I::X1 {
    companions.blocks =
        aes::encrypt::<Aes256, I::X1, C>(isa, companions.round_keys, companions.blocks);
    let blocks = ad.len().div_ceil(16) + buffer.len().div_ceil(16) + 1;
    let mut keys = Expanded::new();
    keys.fill::<Aes256, I>(isa, key, blocks);
    let [mask] = aes::encrypt::<Aes256, I::X1, 1>(isa, &keys.round_keys, [first]);
    let engine = Engine::<Aes256, I::Register>::new(isa, &keys, first);
    let hash = engine.run::<D>(ad, buffer);
    keys.wipe();
    hash.xor(mask)
}
