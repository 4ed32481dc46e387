//! OCH: one pass, parallel both ways (section 7).
//!
//! Below B bytes the message is encrypted with its own tag, so that a repeated nonce shows only
//! which are equal; from B bytes on with E~, block by block, and the tag is made of the sum of the
//! blocks. A hidden nonce lies in the first block, which is enciphered without it: opening
//! deciphers that block first.

use super::blocks::{Crypt, Sum, pad10, run};
use super::machine::Machine;
use super::parameters::{Many, One, Parameters, zero};
use super::plaintext::Plaintext;
use super::tweak::Cipher;
use crate::perm::States;

/// The codes j of tweaks (i, j).
mod code {
    pub(super) const BLOCK: u64 = 0;
    pub(super) const TAIL_PAD: u64 = 1;
    pub(super) const TAG: u64 = 2;
    pub(super) const TAG_WITH_TAIL: u64 = 3;
    pub(super) const LONG_TAIL: u64 = 4;
    pub(super) const TAG_WITH_LONG_TAIL: u64 = 5;
    pub(super) const SECOND_CALL: u64 = 6;
    pub(super) const SHORT_TAG: u64 = 8;
    pub(super) const FIRST_BLOCK: u64 = 9;
    pub(super) const SHORT_PAD: u64 = 10;
    pub(super) const SHORT_HASH: u64 = 11;
    pub(super) const DELTA: u64 = 12;
}

/// Encrypts P and writes its tag.
#[inline(always)]
pub(super) fn seal<P: Parameters, M: Machine<P>>(
    mut e: Cipher<'_, P, M>,
    mut text: Plaintext<'_, '_, '_>,
    tag: &mut [u8],
) {
    let machine = e.machine;
    // CT: lengths are public.
    if text.bytes() < P::B {
        let p = text.first::<P, M>(machine);
        short_tag(&e, p, text.bytes()).store_partial(tag);
        let pad = short_pad(&e, tag);
        text.write_first::<P, M>(p.xor(pad));
        return;
    }
    let first = text.first::<P, M>(machine);
    let c = if text.nonce.is_empty() {
        let [c] = e.encipher([e.d(0, code::FIRST_BLOCK)], [first]);
        c
    } else {
        let nonce = pad10::<P, M>(machine, text.nonce);
        let d = [e.d(0, code::FIRST_BLOCK), e.d(0, code::DELTA)];
        let [c, delta] = e.encipher(d, [first, nonce]);
        e.set_delta(delta);
        c
    };
    text.write_first::<P, M>(c);
    let (whole, mut tail) = text.rest::<P>();
    let m = (whole.len() / P::B) as u64 + 1;
    let bytes = whole.len();
    let mut pass = Crypt::<_, false> { buffer: whole, sum: Sum::<Many<P, M>>::new(machine) };
    run(machine, e.masks(code::BLOCK, true), bytes, &mut pass);
    let sum = pass.sum.total().xor(first);

    let mut hash = TailHash::of(m, sum, tail.len());
    if !tail.is_empty() {
        let p = One::<P, M>::load_partial(machine, tail.get_in());
        let padded = pad10::<P, M>(machine, tail.get_in());
        let d = [e.with_delta(m, code::TAIL_PAD), e.with_delta(m, code::LONG_TAIL)];
        let [pad, hashed] = e.encipher(d, [zero::<P, M>(machine), padded]);
        p.xor(pad).store_partial(tail.get_out());
        hash.add(padded, hashed);
    }
    hash.tag(&e).store_partial(tag);
}

/// Decrypts C and writes the tag that it should have to `expected`; `tag` is the one that it has.
#[inline(always)]
pub(super) fn open<P: Parameters, M: Machine<P>>(
    mut e: Cipher<'_, P, M>,
    mut text: Plaintext<'_, '_, '_>,
    tag: &[u8],
    expected: &mut [u8],
) {
    let machine = e.machine;
    // CT: lengths are public.
    if text.bytes() < P::B {
        let p = text.first::<P, M>(machine).xor(short_pad(&e, tag));
        text.write_first::<P, M>(p);
        let p = text.written().first::<P, M>(machine);
        short_tag(&e, p, text.bytes()).store_partial(expected);
        return;
    }
    let first = e.decipher(e.d(0, code::FIRST_BLOCK), text.first::<P, M>(machine));
    text.write_first::<P, M>(first);
    if !text.nonce.is_empty() {
        let nonce = text.padded_nonce::<P, M>(machine, first);
        let [delta] = e.encipher([e.d(0, code::DELTA)], [nonce]);
        e.set_delta(delta);
    }
    let (whole, mut tail) = text.rest::<P>();
    let m = (whole.len() / P::B) as u64 + 1;
    let bytes = whole.len();
    let mut pass = Crypt::<_, true> { buffer: whole, sum: Sum::<Many<P, M>>::new(machine) };
    run(machine, e.masks(code::BLOCK, true), bytes, &mut pass);
    let sum = pass.sum.total().xor(first);

    let mut hash = TailHash::of(m, sum, tail.len());
    if !tail.is_empty() {
        let c = One::<P, M>::load_partial(machine, tail.get_in());
        let [pad] = e.encipher([e.with_delta(m, code::TAIL_PAD)], [zero::<P, M>(machine)]);
        c.xor(pad).store_partial(tail.get_out());
        let padded = pad10::<P, M>(machine, tail.get_out());
        let [hashed] = e.encipher([e.with_delta(m, code::LONG_TAIL)], [padded]);
        hash.add(padded, hashed);
    }
    hash.tag(&e).store_partial(expected);
}

/// The tag of P, which has `bytes` bytes, fewer than a block, and then zeros.
#[inline(always)]
fn short_tag<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    p: One<P, M>,
    bytes: usize,
) -> One<P, M> {
    let padded = p.xor(super::blocks::padding::<P, M>(e.machine, bytes));
    let [u] = e.encipher([e.d(0, code::SHORT_HASH)], [padded]);
    e.tag(e.d(0, code::SHORT_TAG), u)
}

/// What a short message is encrypted with, from its tag as it is sent.
#[inline(always)]
fn short_pad<P: Parameters, M: Machine<P>>(e: &Cipher<'_, P, M>, tag: &[u8]) -> One<P, M> {
    let [pad] = e.encipher([e.d(0, code::SHORT_PAD)], [pad10::<P, M>(e.machine, tag)]);
    pad
}

/// What the tag is made of: the sum of the blocks, and the tail.
struct TailHash<P: Parameters, M: Machine<P>> {
    m: u64,
    sum: One<P, M>,
    code: u64,
}

impl<P: Parameters, M: Machine<P>> TailHash<P, M> {
    #[inline(always)]
    fn of(m: u64, sum: One<P, M>, tail: usize) -> Self {
        // CT: lengths are public.
        let code = match tail {
            0 => code::TAG,
            _ if !P::WIDE || tail < P::R => code::TAG_WITH_TAIL,
            _ => code::TAG_WITH_LONG_TAIL,
        };
        Self { m, sum, code }
    }

    /// Adds the tail as it is, or hashed, if it is long.
    #[inline(always)]
    fn add(&mut self, padded: One<P, M>, hashed: One<P, M>) {
        let tail = if self.code == code::TAG_WITH_LONG_TAIL { hashed } else { padded };
        self.sum = self.sum.xor(tail);
    }

    #[inline(always)]
    fn tag(self, e: &Cipher<'_, P, M>) -> One<P, M> {
        let d = e.with_delta(self.m, self.code);
        if P::WIDE {
            return e.tag(d, self.sum);
        }
        let [x] = e.encipher([d], [self.sum]);
        e.tag(e.with_delta(self.m, code::SECOND_CALL), x)
    }
}
