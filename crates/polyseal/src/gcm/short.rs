//! AES-256-GCM on short messages under keys of their own, in registers from the key to the tag.
//!
//! Each lane is a message with its key, so that one message in a one-block vector and many messages
//! in a wide one are the same computation. Round keys are made as they are needed and never stored:
//! the schedule's latency is what the rest hides behind.

use core::marker::PhantomData;

use aead::inout::InOutBuf;

use super::aes::{Aes256, KeySchedule, RoundKeys};
use super::engine::add_partial;
use super::ghash::{Order, Product, Reversed};
use crate::backend::{Clmul, Isa, Lanes, Outlined};

/// The longest message that is short.
const MAX_BYTES: usize = 16 * MAX_BLOCKS;
/// As many blocks as there are registers for, where there are 16.
pub(super) const MAX_BLOCKS: usize = 8;
/// The longest associated data of a short message.
const MAX_AD_BYTES: usize = 64;

/// Whether a message is short.
#[inline]
pub(super) const fn fits(ad: usize, message: usize) -> bool {
    ad <= MAX_AD_BYTES && message <= MAX_BYTES
}

/// The values of a key and a nonce for a message of at most `B` blocks.
pub(super) struct Material<L, const B: usize> {
    /// GHASH's key, as a field element.
    pub(super) h: L,
    /// The block that encrypts the hash.
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
    isa.call_outlined(MakeMaterial { key, first, companions })
}

struct MakeMaterial<'a, 'k, L, const B: usize, const C: usize> {
    key: [L; 2],
    first: L,
    companions: &'a mut Companions<'k, L, C>,
}

impl<L: Clmul, const B: usize, const C: usize> Outlined<L::Isa> for MakeMaterial<'_, '_, L, B, C> {
    type Output = Material<L, B>;

    #[inline(always)]
    fn run(self, isa: L::Isa) -> Material<L, B> {
        let Self { key, first, companions } = self;
        let one = L::broadcast(isa, &ONE);
        let mut counter = first.reverse_bytes();
        let mut x = [key[0]; B];
        for j in 0..B {
            counter = counter.add_words(one);
            x[j] = x[j].xor(counter.reverse_bytes());
        }
        let Companions { blocks, round_keys } = companions;
        let mut beside = *blocks;
        for j in 0..C {
            beside[j] = beside[j].xor(L::broadcast(isa, &round_keys[0]));
        }
        let fixed = [key[0], key[0].xor(first)];
        let mut schedule = KeySchedule::new(key);
        let round_key = schedule.first::<Aes256>(isa);
        let mut work = Rounds { isa, schedule, round_key, fixed, x, beside, round_keys };
        if <L::Isa as Isa>::ROUNDS_ARE_CALLS {
            for r in 1..14 {
                work.round(r);
            }
        } else {
            // One by one, because the compiler would keep a loop, whose branches are mispredicted
            // too often.
            work.round(1);
            work.round(2);
            work.round(3);
            work.round(4);
            work.round(5);
            work.round(6);
            work.round(7);
            work.round(8);
            work.round(9);
            work.round(10);
            work.round(11);
            work.round(12);
            work.round(13);
        }
        let last = work.round_key;
        let Rounds { fixed, x, beside, .. } = work;
        let [h, mask] = L::aes_last_rounds(fixed, [last; 2]);
        *blocks = L::aes_last_rounds(beside, [L::broadcast(isa, &round_keys[14]); C]);
        let key_stream = L::aes_last_rounds(x, [last; B]);
        Material { h: h.reverse_bytes().double(), mask, key_stream }
    }
}

/// Blocks on their way through AES-256.
struct Rounds<'k, L: Lanes, const B: usize, const C: usize> {
    isa: L::Isa,
    schedule: KeySchedule<L>,
    /// The next round's.
    round_key: L,
    fixed: [L; 2],
    x: [L; B],
    beside: [L; C],
    round_keys: &'k RoundKeys,
}

impl<L: Clmul, const B: usize, const C: usize> Rounds<'_, L, B, C> {
    #[inline(always)]
    fn round(&mut self, r: usize) {
        self.fixed = L::aes_rounds(self.fixed, [self.round_key; 2]);
        self.x = L::aes_rounds(self.x, [self.round_key; B]);
        let beside = L::broadcast(self.isa, &self.round_keys[r]);
        self.beside = L::aes_rounds(self.beside, [beside; C]);
        self.round_key = self.schedule.after::<Aes256>(self.isa, r);
        self.round_key.pin();
        for j in 0..2 {
            self.fixed[j].pin();
        }
        for j in 0..B {
            self.x[j].pin();
        }
        for j in 0..C {
            self.beside[j].pin();
        }
    }
}

/// The same without companions.
#[inline(always)]
pub(super) fn material_alone<L: Clmul, const B: usize>(
    isa: L::Isa,
    key: [L; 2],
    first: L,
) -> Material<L, B> {
    material(isa, key, first, &mut Companions::none())
}

/// A one in the first word.
static ONE: [u8; 16] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// A hash of few blocks: two products to a reduction.
pub(super) struct ShortHash<L: Clmul, O = Reversed> {
    isa: L::Isa,
    h: L,
    h2: L,
    hash: L,
    order: PhantomData<O>,
}

impl<L: Clmul, O: Order> ShortHash<L, O> {
    #[inline(always)]
    pub(super) fn new(isa: L::Isa, h: L) -> Self {
        let mut square = Product::zero(isa);
        square.add(h, h);
        let (h2, hash) = (square.reduce(), L::broadcast(isa, &[0; 16]));
        Self { isa, h, h2, hash, order: PhantomData }
    }

    #[inline(always)]
    pub(super) fn one(&mut self, x: L) {
        let mut product = Product::zero(self.isa);
        product.add(self.hash.xor(O::turn(x)), self.h);
        self.hash = product.reduce();
    }

    #[inline(always)]
    pub(super) fn two(&mut self, x: L, y: L) {
        let mut product = Product::zero(self.isa);
        product.add(O::turn(y), self.h);
        product.add(self.hash.xor(O::turn(x)), self.h2);
        self.hash = product.reduce();
    }

    /// Takes `data`, padded with zeros to whole blocks.
    #[inline(always)]
    pub(super) fn take(&mut self, data: &[u8]) {
        let mut chunks = data.chunks_exact(16);
        for block in &mut chunks {
            self.one(L::load(self.isa, block));
        }
        if !chunks.remainder().is_empty() {
            self.one(L::load_partial(self.isa, chunks.remainder()));
        }
    }

    #[inline(always)]
    pub(super) fn finish(self) -> L {
        O::turn(self.hash)
    }
}

/// A message and its associated data.
pub(super) struct ShortMessage<'a, 'i, 'o> {
    pub(super) ad: &'a [u8],
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
}

/// Seals or opens one short message; returns GCM's tag, and the companions encrypted.
#[inline(always)]
pub(super) fn crypt<I: Isa, const C: usize>(
    isa: I,
    seals: bool,
    key: [I::X1; 2],
    first: I::X1,
    message: ShortMessage<'_, '_, '_>,
    mut companions: Companions<'_, I::X1, C>,
) -> (I::X1, [I::X1; C]) {
    // CT: lengths are public.
    let tag = match message.buffer.len().div_ceil(16) {
        0 | 1 => with_blocks::<I, 1, C>(isa, seals, key, first, message, &mut companions),
        2 => with_blocks::<I, 2, C>(isa, seals, key, first, message, &mut companions),
        3 | 4 => with_blocks::<I, 4, C>(isa, seals, key, first, message, &mut companions),
        _ => with_blocks::<I, MAX_BLOCKS, C>(isa, seals, key, first, message, &mut companions),
    };
    (tag, companions.blocks)
}

/// Seals or opens a message of at most `B` blocks, and exactly so many if `B` is more than one.
#[inline(always)]
fn with_blocks<I: Isa, const B: usize, const C: usize>(
    isa: I,
    seals: bool,
    key: [I::X1; 2],
    first: I::X1,
    ShortMessage { ad, mut buffer }: ShortMessage<'_, '_, '_>,
    companions: &mut Companions<'_, I::X1, C>,
) -> I::X1 {
    let Material { h, mask, key_stream } = material::<I::X1, B, C>(isa, key, first, companions);
    let mut hash = ShortHash::<_, Reversed>::new(isa, h);
    hash.take(ad);
    let zero = I::X1::broadcast(isa, &[0; 16]);
    let bytes = buffer.len();
    let mut ciphertext = [zero; B];
    for j in 0..B {
        let (from, to) = ((16 * j).min(bytes), (16 * j + 16).min(bytes));
        ciphertext[j] = add_partial(isa, key_stream[j], &mut buffer, from..to, seals);
    }
    let lengths = I::X1::load(isa, &Reversed::lengths(8 * ad.len() as u64, 8 * bytes as u64));
    hash_message(&mut hash, ciphertext, bytes.div_ceil(16), lengths);
    hash.finish().xor(mask)
}

/// Hashes the first `blocks` blocks of a ciphertext, and the lengths.
#[inline(always)]
pub(super) fn hash_message<L: Clmul, O: Order, const B: usize>(
    hash: &mut ShortHash<L, O>,
    ciphertext: [L; B],
    blocks: usize,
    lengths: L,
) {
    // CT: lengths are public.
    if blocks == 0 {
        hash.one(lengths);
    } else if blocks % 2 == 1 {
        hash_pairs(hash, &ciphertext, blocks, lengths);
    } else {
        hash.one(ciphertext[0]);
        hash_pairs(hash, &ciphertext[1..], blocks - 1, lengths);
    }
}

/// The same of an odd number of blocks.
#[inline(always)]
fn hash_pairs<L: Clmul, O: Order>(
    hash: &mut ShortHash<L, O>,
    ciphertext: &[L],
    blocks: usize,
    lengths: L,
) {
    for i in (0..ciphertext.len()).step_by(2) {
        // CT: lengths are public.
        if i + 1 == blocks {
            return hash.two(ciphertext[i], lengths);
        }
        hash.two(ciphertext[i], ciphertext[(i + 1).min(ciphertext.len() - 1)]);
    }
}
