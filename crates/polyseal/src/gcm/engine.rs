//! AES-GCM at work (NIST SP 800-38D, section 7): counter mode and GHASH over the same registers.
//!
//! A long message goes in groups of registers: the rounds of one group's counters stand between the
//! products of another's ciphertext (the previous group's when sealing, its own when opening), for
//! the CPU computes both at once. The rest, and a short message, is one last group.

use core::ops::Range;

use aead::inout::InOutBuf;

use super::aes::{self, Aes, RoundKeys};
use super::counters::{Counters, Epoch, First};
use super::expanded::Expanded;
use super::ghash::{GROUP, Ghash};
use crate::backend::{Clmul, Isa, Lanes};

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

/// A group's ciphertext: where registers are scarce, it had better be read again.
#[derive(Clone, Copy)]
enum Hashed<'c, L> {
    Registers([L; GROUP]),
    Bytes(&'c [u8]),
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
    pub(super) fn new(isa: L::Isa, keys: &'k Expanded, first: First<L::X1>) -> Self {
        Self {
            isa,
            round_keys: &keys.round_keys,
            counters: Counters::new(isa, first),
            ghash: Ghash::new(isa, &keys.powers),
            aes: core::marker::PhantomData,
        }
    }

    /// Goes on with the hash so far, and the counter block before the next.
    #[inline(always)]
    pub(super) fn resume(
        isa: L::Isa,
        keys: &'k Expanded,
        before: First<L::X1>,
        hash: L::X1,
    ) -> Self {
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
        // CT: lengths are public.
        if whole == 0 {
            return;
        }
        if const { <L::Isa as Isa>::ROUNDS_ARE_CALLS } {
            // Nothing would be computed at once.
            for at in (0..whole).step_by(group) {
                let (_, rest) = buffer.reborrow().split_at(at);
                let (now, _) = rest.split_at(group);
                self.ghash.expect(Ghash::<L>::GROUP_BLOCKS);
                self.last_group::<D>(now);
                self.ghash.reduce();
            }
            return;
        }
        let mut epoch = self.counters.epoch(self.isa, self.round_keys);
        let epoch = &mut epoch;
        if !D::SEALS {
            for at in (0..whole).step_by(group) {
                let (_, mut rest) = buffer.reborrow().split_at(at);
                let message = &rest.get_in()[..group];
                let x = self.group(epoch, message, Some(Hashed::Bytes(message)));
                store(x, &mut rest.get_out()[..group]);
            }
            return;
        }
        let mut x = self.group(epoch, &buffer.get_in()[..group], None);
        store(x, &mut buffer.get_out()[..group]);
        for at in (group..whole).step_by(group) {
            let (mut done, mut rest) = buffer.reborrow().split_at(at);
            let ciphertext = if const { L::Isa::REGISTERS < 32 } {
                Hashed::Bytes(&done.get_out()[at - group..])
            } else {
                Hashed::Registers(x)
            };
            x = self.group(epoch, &rest.get_in()[..group], Some(ciphertext));
            store(x, &mut rest.get_out()[..group]);
        }
        self.ghash.take_all(&buffer.get_out()[whole - group..whole]);
    }

    /// Encrypts or decrypts a group, and hashes the ciphertext of another or the same.
    #[inline(always)]
    fn group(
        &mut self,
        epoch: &mut Epoch<L>,
        message: &[u8],
        ciphertext: Option<Hashed<'_, L>>,
    ) -> [L; GROUP] {
        let mut x = self.counters.group(self.isa, self.round_keys, epoch);
        // Two rounds to two registers of ciphertext.
        for j in (0..GROUP).step_by(2) {
            x = self.round(x, j + 2);
            match ciphertext {
                None => {}
                Some(Hashed::Registers(y)) => self.ghash.take_of_group(j, [y[j], y[j + 1]]),
                Some(Hashed::Bytes(bytes)) => {
                    let pair = [load(self.isa, bytes, j), load(self.isa, bytes, j + 1)];
                    self.ghash.take_of_group(j, pair);
                }
            }
            x = self.round(x, j + 3);
        }
        for r in GROUP + 2..A::ROUNDS {
            x = self.round(x, r);
        }
        let last = L::broadcast(self.isa, &self.round_keys[A::ROUNDS]);
        let mut keys = [last; GROUP];
        for (j, key) in keys.iter_mut().enumerate() {
            *key = key.xor(load(self.isa, message, j));
        }
        x = L::aes_last_rounds(x, keys);
        if ciphertext.is_some() {
            self.ghash.end_group();
        }
        x
    }

    #[inline(always)]
    fn round(&self, x: [L; GROUP], r: usize) -> [L; GROUP] {
        L::aes_rounds(x, [L::broadcast(self.isa, &self.round_keys[r]); GROUP])
    }

    /// The last registers, at most a group, as part of the group that ends the hash.
    #[inline(always)]
    fn last_group<D: Direction>(&mut self, mut buffer: InOutBuf<'_, '_, u8>) {
        let bytes = buffer.len();
        // CT: lengths are public.
        let key_stream = match bytes.div_ceil(L::BYTES) {
            0 => return,
            1 => self.key_stream::<1>(),
            2 => self.key_stream::<2>(),
            3 | 4 => self.key_stream::<4>(),
            _ => self.key_stream::<GROUP>(),
        };
        for (j, z) in key_stream.into_iter().enumerate() {
            let (from, to) = (j * L::BYTES, ((j + 1) * L::BYTES).min(bytes));
            if from >= to {
                break;
            }
            let ciphertext = add_partial::<L>(self.isa, z, &mut buffer, from..to, D::SEALS);
            self.ghash.take(ciphertext, (to - from).div_ceil(16));
        }
    }

    /// `N` registers of key stream, and the first of them again.
    #[inline(always)]
    fn key_stream<const N: usize>(&mut self) -> [L; GROUP] {
        let mut x = [self.counters.next(); N];
        for x in &mut x[1..] {
            *x = self.counters.next();
        }
        x = aes::encrypt::<A, L, N>(self.isa, self.round_keys, x);
        let mut key_stream = [x[0]; GROUP];
        key_stream[..N].copy_from_slice(&x);
        key_stream
    }
}

/// Adds key stream to a register of `buffer`, or to less; returns the ciphertext, then zeros.
#[inline(always)]
pub(super) fn add_partial<L: Lanes>(
    isa: L::Isa,
    key_stream: L,
    buffer: &mut InOutBuf<'_, '_, u8>,
    place: Range<usize>,
    seals: bool,
) -> L {
    let bytes = place.len();
    // CT: lengths are public. A masked write makes the next read of the same place wait.
    if bytes == L::BYTES {
        let input = L::load(isa, &buffer.get_in()[place.clone()]);
        let output = key_stream.xor(input);
        output.store(&mut buffer.get_out()[place]);
        return if seals { output } else { input };
    }
    let input = L::load_partial(isa, &buffer.get_in()[place.clone()]);
    let output = key_stream.xor(input);
    output.store_partial(&mut buffer.get_out()[place]);
    if seals { output.truncate(bytes) } else { input }
}

/// Register `j` of a group.
#[inline(always)]
pub(super) fn load<L: Lanes>(isa: L::Isa, group: &[u8], j: usize) -> L {
    L::load(isa, &group[j * L::BYTES..(j + 1) * L::BYTES])
}

/// Writes a group.
#[inline(always)]
pub(super) fn store<L: Lanes>(x: [L; GROUP], output: &mut [u8]) {
    for (j, x) in x.iter().enumerate() {
        x.store(&mut output[j * L::BYTES..(j + 1) * L::BYTES]);
    }
}
