//! AES-GCM at work (NIST SP 800-38D, section 7): counter mode and GHASH over the same registers.
//!
//! A long message goes in groups of registers: the rounds of one group's counters stand between the
//! products of another's ciphertext (the previous group's when sealing, its own when opening), for
//! the CPU computes both at once. What is left over, and what is short, is one last group.

use aead::inout::InOutBuf;

use super::aes::{self, Aes, RoundKeys};
use super::ghash::{GROUP, Ghash, Powers};
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

    /// Expands `key` for hashes of at most `blocks` blocks, or of any number if that is more than a
    /// group's.
    #[inline(always)]
    pub(super) fn fill<A: Aes, I: Isa>(&mut self, isa: I, key: [I::X1; 2], blocks: usize) {
        aes::expand::<A, I::X1>(isa, key, &mut self.round_keys);
        let zero = I::X1::broadcast(isa, &[0; 16]);
        let [h] = aes::encrypt::<A, I::X1, 1>(isa, &self.round_keys, [zero]);
        self.powers.fill::<I::Register>(
            isa,
            h.reverse_bytes().double(),
            blocks.div_ceil(I::Register::BLOCKS),
        );
    }

    #[inline(always)]
    pub(super) fn wipe(&mut self) {
        wipe(self.round_keys.as_flattened_mut());
        self.powers.wipe();
    }
}

/// The counter block of a 12-byte nonce: `nonce ‖ 0^31 1`.
#[inline(always)]
pub(super) fn first_counter<I: Isa>(isa: I, nonce: &[u8; 12]) -> I::X1 {
    let mut low = [0; 8];
    let mut high = [0, 0, 0, 0, 0, 0, 0, 1];
    low.copy_from_slice(&nonce[..8]);
    high[..4].copy_from_slice(&nonce[8..]);
    let (low, high) = (u64::from_le_bytes(low), u64::from_le_bytes(high));
    I::X1::load(isa, &(u128::from(high) << 64 | u128::from(low)).to_le_bytes())
}

/// The counter block of a nonce of any other length: its GHASH.
#[inline(always)]
pub(super) fn hashed_counter<I: Isa>(isa: I, powers: &Powers, nonce: &[u8]) -> I::X1 {
    let mut ghash = Ghash::<I::Register>::new(isa, powers);
    ghash.take_all(nonce);
    ghash.take_lengths(0, nonce.len() as u64);
    ghash.finish()
}

/// Counter blocks, from the second on: the first encrypts the tag.
struct Counters<L> {
    /// Of the next register, bytes reversed: the 32-bit counter is the first word.
    next: L,
    step: L,
}

impl<L: Clmul> Counters<L> {
    #[inline(always)]
    fn new(isa: L::Isa, first: L::X1) -> Self {
        static FROM_ONE: [[u8; 16]; 4] = words([1, 2, 3, 4]);
        static STEPS: [[u8; 16]; 5] = words([0, 1, 2, 3, 4]);
        let ahead = L::load(isa, &FROM_ONE.as_flattened()[..L::BYTES]);
        let next = L::splat(first.reverse_bytes()).add_words(ahead);
        Self { next, step: L::broadcast(isa, &STEPS[L::BLOCKS]) }
    }

    #[inline(always)]
    fn next(&mut self) -> L {
        let blocks = self.next.reverse_bytes();
        self.next = self.next.add_words(self.step);
        blocks
    }
}

/// Blocks whose first word is a number.
const fn words<const N: usize>(numbers: [u8; N]) -> [[u8; 16]; N] {
    let mut blocks = [[0; 16]; N];
    let mut i = 0;
    while i < N {
        blocks[i][0] = numbers[i];
        i += 1;
    }
    blocks
}

/// Which way a message goes: what is hashed is always the ciphertext.
pub(super) trait Direction {
    const SEALS: bool;
}

/// Encrypts.
pub(super) struct Sealing;
/// Decrypts.
pub(super) struct Opening;

impl Direction for Sealing {
    const SEALS: bool = true;
}

impl Direction for Opening {
    const SEALS: bool = false;
}

/// A message under way.
pub(super) struct Engine<'k, A: Aes, L: Lanes> {
    isa: L::Isa,
    round_keys: &'k RoundKeys,
    counters: Counters<L>,
    ghash: Ghash<'k, L>,
    aes: core::marker::PhantomData<A>,
}

impl<'k, A: Aes, L: Clmul> Engine<'k, A, L> {
    #[inline(always)]
    pub(super) fn new(isa: L::Isa, keys: &'k Expanded, first: L::X1) -> Self {
        Self {
            isa,
            round_keys: &keys.round_keys,
            counters: Counters::new(isa, first),
            ghash: Ghash::new(isa, &keys.powers),
            aes: core::marker::PhantomData,
        }
    }

    /// With the hash of what was before, and the counter block before the next.
    #[inline(always)]
    pub(super) fn resume(isa: L::Isa, keys: &'k Expanded, before: L::X1, hash: L::X1) -> Self {
        let ghash = Ghash::resume(isa, &keys.powers, hash);
        Self { ghash, ..Self::new(isa, keys, before) }
    }

    /// Encrypts or decrypts whole blocks and returns the hash so far.
    #[inline(always)]
    pub(super) fn blocks<D: Direction>(mut self, mut buffer: InOutBuf<'_, '_, u8>) -> L::X1 {
        let group = const { GROUP * L::BYTES };
        let whole = buffer.len() / group * group;
        self.groups::<D>(buffer.reborrow(), whole);
        let (_, rest) = buffer.split_at(whole);
        if !rest.is_empty() {
            self.ghash.expect(rest.len() / 16);
            self.last_group::<D>(rest);
            self.ghash.reduce();
        }
        self.ghash.finish()
    }

    /// Encrypts or decrypts `buffer` and returns GHASH of everything.
    #[inline(always)]
    pub(super) fn run<D: Direction>(
        mut self,
        ad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
    ) -> L::X1 {
        let (ad_bytes, bytes) = (ad.len(), buffer.len());
        let blocks = ad_bytes.div_ceil(16) + bytes.div_ceil(16) + 1;
        let group = const { GROUP * L::BYTES };
        // CT: lengths are public.
        if blocks <= Ghash::<L>::GROUP_BLOCKS {
            self.ghash.expect(blocks);
            self.ghash.take_part(ad);
        } else {
            self.ghash.take_all(ad);
            let whole = bytes / group * group;
            self.groups::<D>(buffer.reborrow(), whole);
            self.ghash.expect((bytes - whole).div_ceil(16) + 1);
            if self.ghash.missing() > Ghash::<L>::GROUP_BLOCKS {
                self.ghash.expect(Ghash::<L>::GROUP_BLOCKS);
            }
            let (_, rest) = buffer.split_at(whole);
            buffer = rest;
        }
        self.last_group::<D>(buffer);
        self.ghash.take_lengths(ad_bytes as u64, bytes as u64);
        self.ghash.finish()
    }

    /// The first `whole` bytes of `buffer`, group by group.
    #[inline(always)]
    fn groups<D: Direction>(&mut self, mut buffer: InOutBuf<'_, '_, u8>, whole: usize) {
        let group = const { GROUP * L::BYTES };
        let mut at = 0;
        if D::SEALS && whole > 0 {
            let sealed = self.group::<false>(&buffer.get_in()[..group], &[]);
            store(sealed, &mut buffer.get_out()[..group]);
            at = group;
        }
        while at < whole {
            let (mut done, mut rest) = buffer.reborrow().split_at(at);
            let x = if D::SEALS {
                self.group::<true>(&rest.get_in()[..group], &done.get_out()[at - group..])
            } else {
                let message = &rest.get_in()[..group];
                self.group::<true>(message, message)
            };
            store(x, &mut rest.get_out()[..group]);
            at += group;
        }
        if D::SEALS && whole > 0 {
            self.ghash.take_all(&buffer.get_out()[whole - group..whole]);
        }
    }

    /// Encrypts or decrypts a group, and hashes `ciphertext`, which is another or the same.
    #[inline(always)]
    fn group<const HASHES: bool>(&mut self, message: &[u8], ciphertext: &[u8]) -> [L; GROUP] {
        let whitening = L::broadcast(self.isa, &self.round_keys[0]);
        let mut x = [whitening; GROUP];
        for x in &mut x {
            *x = x.xor(self.counters.next());
        }
        // Two rounds to two registers of ciphertext.
        for j in (0..GROUP).step_by(2) {
            x = self.round(x, j + 1);
            if HASHES {
                let at = j * L::BYTES;
                let (first, second) = ciphertext[at..at + 2 * L::BYTES].split_at(L::BYTES);
                let pair = [L::load(self.isa, first), L::load(self.isa, second)];
                self.ghash.take_of_group(j, pair);
            }
            x = self.round(x, j + 2);
        }
        for r in GROUP + 1..A::ROUNDS {
            x = self.round(x, r);
        }
        let last = L::broadcast(self.isa, &self.round_keys[A::ROUNDS]);
        let mut keys = [last; GROUP];
        for (j, key) in keys.iter_mut().enumerate() {
            let at = j * L::BYTES;
            *key = key.xor(L::load(self.isa, &message[at..at + L::BYTES]));
        }
        x = L::aes_last_rounds(x, keys);
        if HASHES {
            self.ghash.end_group();
        }
        x
    }

    #[inline(always)]
    fn round(&self, x: [L; GROUP], r: usize) -> [L; GROUP] {
        L::aes_rounds(x, [L::broadcast(self.isa, &self.round_keys[r]); GROUP])
    }

    /// What is at most a group long.
    #[inline(always)]
    fn last_group<D: Direction>(&mut self, buffer: InOutBuf<'_, '_, u8>) {
        match buffer.len().div_ceil(L::BYTES) {
            0 => {}
            1 => self.rest::<D, 1>(buffer),
            2 => self.rest::<D, 2>(buffer),
            3 | 4 => self.rest::<D, 4>(buffer),
            _ => self.rest::<D, 8>(buffer),
        }
    }

    /// What is at most `N` registers long, as part of the group that ends the hash.
    #[inline(always)]
    fn rest<D: Direction, const N: usize>(&mut self, mut buffer: InOutBuf<'_, '_, u8>) {
        let mut x = [self.counters.next(); N];
        for x in &mut x[1..] {
            *x = self.counters.next();
        }
        let mut key_stream = aes::encrypt::<A, L, N>(self.isa, self.round_keys, x);
        for (j, z) in key_stream.iter_mut().enumerate() {
            let (from, to) =
                ((j * L::BYTES).min(buffer.len()), ((j + 1) * L::BYTES).min(buffer.len()));
            let input = L::load_partial(self.isa, &buffer.get_in()[from..to]);
            let output = z.xor(input);
            output.store_partial(&mut buffer.get_out()[from..to]);
            let ciphertext = if D::SEALS { output.truncate(to - from) } else { input };
            self.ghash.take(ciphertext, (to - from).div_ceil(16));
        }
    }
}

#[inline(always)]
fn store<L: Lanes>(x: [L; GROUP], output: &mut [u8]) {
    for (j, x) in x.iter().enumerate() {
        x.store(&mut output[j * L::BYTES..(j + 1) * L::BYTES]);
    }
}
