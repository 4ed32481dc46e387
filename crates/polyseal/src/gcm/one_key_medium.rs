//! AES-GCM on a message of moderate length under a key of its own, in registers from the key to the
//! tag.
//!
//! Key schedule and powers of the hash key are chains of instructions that wait for one another:
//! the key stream is made beside them. Powers are only as many as there are blocks, and shifted so
//! that those of the last, partial register are in their lanes: what lies behind the message is
//! zero, whatever it is multiplied with. Registers are taken from the last to the first, so that
//! each meets its power without a table.

use core::marker::PhantomData;

use aead::inout::InOutBuf;

use super::aes::{self, Aes, KeySchedule, RoundKeys};
use super::counters::Counters;
use super::engine::{Direction, add_partial};
use super::ghash::{Product, first_powers, multiply};
use super::short::ShortMessage;
use crate::backend::{Clmul, Isa, Lanes, wipe};

/// The longest message in registers that goes this way: longer ones gain more from larger groups
/// than from a key that need not be expanded.
const MAX_REGISTERS: usize = 48;
/// The longest associated data in bytes.
const MAX_AD_BYTES: usize = 64;
/// How many registers are hashed before a reduction.
const GROUP: usize = 4;

/// Round keys of which none straddles two lines of the cache.
#[repr(align(64))]
struct Aligned(RoundKeys);

/// Whether a message goes this way. None does where rounds are calls: there is nothing to be made
/// beside them.
#[inline(always)]
pub(super) fn fits<I: Isa>(ad: usize, message: usize) -> bool {
    !I::ROUNDS_ARE_CALLS && ad <= MAX_AD_BYTES && message <= MAX_REGISTERS * I::Register::BYTES
}

/// Seals or opens a message that [`fits`]; returns GCM's tag.
#[inline(always)]
pub(super) fn crypt<A: Aes, I: Isa, D: Direction>(
    isa: I,
    key: [I::X1; 2],
    first: I::X1,
    message: ShortMessage<'_, '_, '_>,
) -> I::X1 {
    // CT: lengths are public.
    match message.buffer.len().div_ceil(I::Register::BYTES) {
        0..=2 => registers::<A, I, D, 2>(isa, key, first, message),
        _ => registers::<A, I, D, GROUP>(isa, key, first, message),
    }
}

/// A message in groups of `G` registers; of fewer than a whole group, there is one.
#[inline(always)]
fn registers<A: Aes, I: Isa, D: Direction, const G: usize>(
    isa: I,
    key: [I::X1; 2],
    first: I::X1,
    ShortMessage { ad, buffer }: ShortMessage<'_, '_, '_>,
) -> I::X1 {
    let bytes = buffer.len();
    let all = bytes.div_ceil(I::Register::BYTES);
    // The first group is the one that is not whole.
    let head = if const { G < GROUP } { all } else { all - (all - 1) / G * G };
    let mut aligned = Aligned([[0; 16]; 15]);
    let Aligned(round_keys) = &mut aligned;
    let kept = if const { G < GROUP } { None } else { Some(&mut *round_keys) };
    let mut counters = Counters::descending(isa, first, head);
    let Beginning { h, mask, mut key_stream } =
        begin::<A, I, G>(isa, key, first, &mut counters, kept);
    let mut next = key_stream;
    let mut end = head + G;
    // CT: lengths are public.
    if const { G == GROUP } && end <= all {
        next = key_stream_to::<A, I, G>(isa, round_keys, first, end);
    }
    let powers = Powers::<_, G>::new(isa, h);
    let shifted = powers.shifted(bytes.div_ceil(16));

    let mut work = InRegisters::<I, D> {
        isa,
        hash: powers.hash_ad(isa, ad),
        product: Product::zero(isa),
        left: head,
        buffer,
        direction: PhantomData,
    };
    while const { G == GROUP } && end <= all {
        for k in 0..G {
            work.take(key_stream[k], powers.of_full[k]);
        }
        let before = work.product.sum().reduce();
        let distance = distance(if end == all { shifted } else { powers.of_full });
        work.product = Product::zero(isa);
        work.product.add(I::Register::first_only(before), I::Register::splat(distance));
        work.left = end;
        (key_stream, end) = (next, end + G);
        if end <= all {
            next = key_stream_to::<A, I, G>(isa, round_keys, first, end);
        }
    }
    for k in 0..G {
        work.take(key_stream[k], shifted[k]);
    }
    if const { G == GROUP } {
        wipe(round_keys.as_flattened_mut());
    }
    let lengths = u128::from(8 * ad.len() as u64) << 64 | u128::from(8 * bytes as u64);
    let lengths = I::X1::load(isa, &lengths.to_le_bytes());
    let mut product = work.product.sum();
    product.add(lengths.xor(work.hash), h);
    product.reduce().reverse_bytes().xor(mask)
}

/// The key stream of the `G` registers that end behind register `end`, the last first.
#[inline(always)]
fn key_stream_to<A: Aes, I: Isa, const G: usize>(
    isa: I,
    round_keys: &RoundKeys,
    first: I::X1,
    end: usize,
) -> [I::Register; G] {
    let mut counters = Counters::<I::Register>::descending(isa, first, end);
    let mut x = [counters.next(); G];
    for x in &mut x[1..] {
        *x = counters.next();
    }
    aes::encrypt::<A, I::Register, G>(isa, round_keys, x)
}

/// The group's power by which the hash of the groups before is multiplied: in theirs, the last
/// block has h^2.
#[inline(always)]
fn distance<L: Clmul, const G: usize>(of_group: [L; G]) -> L::X1 {
    of_group[const { G - 1 - 1 / L::BLOCKS }].block(const { 1 % L::BLOCKS })
}

/// A message of which registers are taken from the last to the first.
struct InRegisters<'i, 'o, I: Isa, D> {
    isa: I,
    /// The hash of the associated data; zero once it has been added.
    hash: I::X1,
    product: Product<I::Register>,
    /// How many registers are left.
    left: usize,
    buffer: InOutBuf<'i, 'o, u8>,
    direction: PhantomData<D>,
}

impl<I: Isa, D: Direction> InRegisters<'_, '_, I, D> {
    /// Encrypts or decrypts the last register that is left, if there is one, and hashes it.
    #[inline(always)]
    fn take(&mut self, key_stream: I::Register, powers: I::Register) {
        // CT: lengths are public.
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let from = self.left * I::Register::BYTES;
        let to = (from + I::Register::BYTES).min(self.buffer.len());
        let ciphertext = add_partial(self.isa, key_stream, &mut self.buffer, from..to, D::SEALS);
        let mut x = ciphertext.reverse_bytes();
        if self.left == 0 {
            x = x.xor(I::Register::first_only(self.hash));
            self.hash = I::X1::broadcast(self.isa, &[0; 16]);
        }
        self.product.add(x, powers);
    }
}

/// The first blocks under a key.
struct Beginning<I: Isa, const N: usize> {
    /// GHASH's key, as a field element.
    h: I::X1,
    /// The block that encrypts the hash.
    mask: I::X1,
    /// The key stream's first registers.
    key_stream: [I::Register; N],
}

/// Encrypts zero, the first counter block, and the next `N` registers of counters, while the round
/// keys are made; keeps these if that is wanted.
#[inline(always)]
fn begin<A: Aes, I: Isa, const N: usize>(
    isa: I,
    key: [I::X1; 2],
    first: I::X1,
    counters: &mut Counters<I::Register>,
    kept: Option<&mut RoundKeys>,
) -> Beginning<I, N> {
    let fixed = [key[0], first.xor(key[0])];
    let mut x = [I::Register::splat(key[0]); N];
    for x in &mut x {
        *x = x.xor(counters.next());
    }
    let mut schedule = KeySchedule::new(key);
    let round_key = schedule.first::<A>(isa);
    let mut work = Rounds::<A, I, N> { isa, schedule, round_key, fixed, x, kept, aes: PhantomData };
    work.keep(0, key[0]);
    work.keep(1, round_key);
    // One by one, because the compiler would keep a loop, whose branches are mispredicted too
    // often.
    work.round(1);
    work.round(2);
    work.round(3);
    work.round(4);
    work.round(5);
    work.round(6);
    work.round(7);
    work.round(8);
    work.round(9);
    if const { A::ROUNDS == 14 } {
        work.round(10);
        work.round(11);
        work.round(12);
        work.round(13);
    }
    let Rounds { fixed, x, round_key: last, .. } = work;
    let [h, mask] = I::X1::aes_last_rounds(fixed, [last; 2]);
    let key_stream = I::Register::aes_last_rounds(x, [I::Register::splat(last); N]);
    Beginning { h: h.reverse_bytes().double(), mask, key_stream }
}

/// Blocks on their way through AES.
struct Rounds<'k, A, I: Isa, const N: usize> {
    isa: I,
    schedule: KeySchedule<I::X1>,
    /// The next round's.
    round_key: I::X1,
    fixed: [I::X1; 2],
    x: [I::Register; N],
    kept: Option<&'k mut RoundKeys>,
    aes: PhantomData<A>,
}

impl<A: Aes, I: Isa, const N: usize> Rounds<'_, A, I, N> {
    #[inline(always)]
    fn round(&mut self, r: usize) {
        self.fixed = I::X1::aes_rounds(self.fixed, [self.round_key; 2]);
        let round_key = I::Register::splat(self.round_key);
        self.x = I::Register::aes_rounds(self.x, [round_key; N]);
        self.round_key = self.schedule.after::<A>(self.isa, r);
        self.keep(r + 1, self.round_key);
        self.round_key.pin();
        self.fixed[0].pin();
        self.fixed[1].pin();
        for j in 0..N {
            self.x[j].pin();
        }
    }

    #[inline(always)]
    fn keep(&mut self, r: usize, round_key: I::X1) {
        if let Some(round_keys) = &mut self.kept {
            round_key.store(&mut round_keys[r]);
        }
    }
}

/// The powers of the hash key that a group of `G` registers needs.
struct Powers<L, const G: usize> {
    /// `h^B, …, h`, of as many blocks as a register has.
    first: L,
    /// For the last register, the one before it, and so on, as if the last were full. The block
    /// behind, the lengths, has the first power.
    of_full: [L; G],
}

impl<L: Clmul, const G: usize> Powers<L, G> {
    #[inline(always)]
    fn new(isa: L::Isa, h: L::X1) -> Self {
        let first = first_powers::<L>(isa, h);
        let mut x = [multiply(isa, first, L::splat(h)); G];
        let mut step = L::splat(first.block(0));
        let mut ready = 1;
        while ready < G {
            for j in 0..ready {
                x[ready + j] = multiply(isa, x[j], step);
            }
            ready *= 2;
            if ready < G {
                step = multiply(isa, step, step);
            }
        }
        Self { first, of_full: x }
    }

    /// For the last register of a message of `blocks` blocks, and so on.
    #[inline(always)]
    fn shifted(&self, blocks: usize) -> [L; G] {
        let missing = blocks.next_multiple_of(L::BLOCKS) - blocks;
        let mut shifted = self.of_full;
        for k in 0..G {
            let next = self.of_full[if k == 0 { 0 } else { k - 1 }];
            shifted[k] = self.of_full[k].window(next, missing);
        }
        shifted
    }

    /// The hash of associated data, padded with zeros, as a field element.
    #[inline(always)]
    fn hash_ad(&self, isa: L::Isa, ad: &[u8]) -> L::X1 {
        let mut hash = L::X1::broadcast(isa, &[0; 16]);
        for register in ad.chunks(L::BYTES) {
            let missing = L::BLOCKS - register.len().div_ceil(16);
            let x = L::load_partial(isa, register).reverse_bytes().xor(L::first_only(hash));
            let mut product = Product::zero(isa);
            product.add(x, self.first.window(self.first, missing));
            hash = product.sum().reduce();
        }
        hash
    }
}
