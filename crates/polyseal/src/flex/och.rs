//! OCH: one pass, parallel both ways (section 7).
//!
//! Below B bytes the message is encrypted with its own tag, so that a repeated nonce shows only
//! which are equal; from B bytes on with E~, block by block, and the tag is made of the sum of the
//! blocks. A hidden nonce lies in the first block, which is enciphered without it: opening
//! deciphers that block first.

use super::blocks::{Crypt, Pass, Sum, pad10, padding, run_groups, run_last};
use super::machine::Machine;
use super::parameters::{Many, Parameters, SingleState};
use super::plaintext::Plaintext;
use super::tweak::{Cipher, Group};
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
    mut text: Plaintext<'_, '_>,
    tag: &mut [u8],
) {
    let machine = e.machine;
    // CT: lengths are public.
    if text.bytes() < P::B {
        let p = text.first::<P, M>(machine);
        let computed = short_tag(&e, p, text.bytes()).cut(machine, tag.len());
        computed.store_partial(tag);
        let pad = short_pad(&e, computed, tag.len());
        text.write_first::<P, M>(p.xor(pad));
        return;
    }
    let first = text.first::<P, M>(machine);
    let c = if text.nonce.is_empty() {
        let [c] = e.encipher([e.d(0, code::FIRST_BLOCK)], [first]);
        c
    } else {
        let nonce = pad10::<P, M>(machine, text.nonce.get_in());
        let d = [e.d(0, code::FIRST_BLOCK), e.d(0, code::DELTA)];
        let [c, delta] = e.encipher(d, [first, nonce]);
        e.set_delta(delta);
        c
    };
    text.write_first::<P, M>(c);
    let (whole, mut tail) = text.rest::<P>();
    let (m, bytes) = ((whole.len() / P::B) as u64 + 1, whole.len());
    if bytes + tail.len() == 0 {
        // In registers: there are no blocks for which to make room.
        TailHash::new(1, first, 0).tag(&e).store_partial(tag);
        return;
    }
    let padded = pad10::<P, M>(machine, tail.get_in());
    let d = [e.with_delta(m, code::TAIL_PAD), e.with_delta(m, code::LONG_TAIL)];
    let mut x = [d[0], padded.xor(d[1])];
    let (mut sum, mut done) = (first, tail.is_empty());
    if bytes > 0 {
        let mut pass = Crypt::<_, false> { buffer: whole, sum: Sum::<Many<P, M>>::new(machine) };
        let mut masks = e.masks(code::BLOCK, true);
        let at = run_groups(machine, &mut masks, bytes, &mut pass);
        if done {
            run_last(machine, &masks, at, bytes, &mut pass);
        } else if at < bytes {
            // The tail's two calls beside half of the group.
            let half = bytes.min(at + 2 * Many::<P, M>::BYTES);
            x = pass.blocks_beside::<P, M, 2, 2>(machine, &masks.some(0), (at, half), x);
            done = true;
            if half < bytes {
                pass.blocks::<2>(machine, &masks.some(2), half, bytes);
            }
        }
        sum = sum.xor(pass.sum.total());
    }
    if !done {
        x = SingleState::<P, M>::permute(machine, x);
    }
    let mut hash = TailHash::new(m, sum, tail.len());
    if !tail.is_empty() {
        let p = SingleState::<P, M>::load_partial(machine, tail.get_in());
        p.xor(x[0]).xor(d[0]).store_partial(tail.get_out());
        hash.add(padded, x[1].xor(d[1]));
    }
    hash.tag(&e).store_partial(tag);
}

/// Decrypts C and writes the tag that it should have to `expected`; `tag` is the one that it has.
#[inline(always)]
pub(super) fn open<P: Parameters, M: Machine<P>>(
    mut e: Cipher<'_, P, M>,
    mut text: Plaintext<'_, '_>,
    tag: &[u8],
    expected: &mut [u8],
) {
    let machine = e.machine;
    // CT: lengths are public.
    if text.bytes() < P::B {
        let given = SingleState::<P, M>::load_partial(machine, tag);
        let pad = short_pad(&e, given, tag.len());
        let p = text.first::<P, M>(machine).xor(pad).cut(machine, text.bytes());
        text.write_first::<P, M>(p);
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
    let (m, bytes) = ((whole.len() / P::B) as u64 + 1, whole.len());
    if bytes + tail.len() == 0 {
        TailHash::new(1, first, 0).tag(&e).store_partial(expected);
        return;
    }
    let mut pass = Crypt::<_, true> { buffer: whole, sum: Sum::<Many<P, M>>::new(machine) };
    let mut masks = e.masks(code::BLOCK, true);
    let mut at = run_groups(machine, &mut masks, bytes, &mut pass);
    let mut hash = TailHash::<P, M>::new(m, first, tail.len());
    if tail.is_empty() {
        run_last(machine, &masks, at, bytes, &mut pass);
    } else {
        // The tail's two calls, of which one waits for the other, each beside half of the group.
        let d = e.with_delta(m, code::TAIL_PAD);
        let pad = beside(machine, &mut pass, &masks.some(0), &mut at, bytes, d).xor(d);
        let c = SingleState::<P, M>::load_partial(machine, tail.get_in());
        let p = c.xor(pad).cut(machine, tail.len());
        p.store_partial(tail.get_out());
        let padded = p.xor(padding::<P, M>(machine, tail.len()));
        let d = e.with_delta(m, code::LONG_TAIL);
        let x = padded.xor(d);
        let hashed = beside(machine, &mut pass, &masks.some(2), &mut at, bytes, x).xor(d);
        hash.add(padded, hashed);
    }
    if bytes > 0 {
        hash.sum = hash.sum.xor(pass.sum.total());
    }
    hash.tag(&e).store_partial(expected);
}

/// π of a single block, and beside it what is to be done with up to two vectors of blocks, from
/// byte `at` on, which moves.
#[inline(always)]
fn beside<P: Parameters, M: Machine<P>>(
    machine: M,
    pass: &mut Crypt<'_, '_, Many<P, M>, true>,
    d: &Group<'_, P, M>,
    at: &mut usize,
    bytes: usize,
    x: SingleState<P, M>,
) -> SingleState<P, M> {
    let (from, end) = (*at, bytes.min(*at + 2 * Many::<P, M>::BYTES));
    *at = end;
    let [y] = match from < end {
        true => pass.blocks_beside::<P, M, 2, 1>(machine, d, (from, end), [x]),
        false => SingleState::<P, M>::permute(machine, [x]),
    };
    y
}

/// The tag of P, which has `bytes` bytes, fewer than a block, and then zeros.
#[inline(always)]
fn short_tag<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    p: SingleState<P, M>,
    bytes: usize,
) -> SingleState<P, M> {
    let padded = p.xor(padding::<P, M>(e.machine, bytes));
    let [u] = e.encipher([e.d(0, code::SHORT_HASH)], [padded]);
    e.tag(e.d(0, code::SHORT_TAG), u)
}

/// The pad that encrypts a short message, from its tag as it is sent: `bytes` bytes, then zeros.
#[inline(always)]
fn short_pad<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    tag: SingleState<P, M>,
    bytes: usize,
) -> SingleState<P, M> {
    let padded = tag.xor(padding::<P, M>(e.machine, bytes));
    let [pad] = e.encipher([e.d(0, code::SHORT_PAD)], [padded]);
    pad
}

/// The inputs of the tag: the sum of the blocks, and the tail.
struct TailHash<P: Parameters, M: Machine<P>> {
    m: u64,
    sum: SingleState<P, M>,
    code: u64,
}

impl<P: Parameters, M: Machine<P>> TailHash<P, M> {
    #[inline(always)]
    fn new(m: u64, sum: SingleState<P, M>, tail: usize) -> Self {
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
    fn add(&mut self, padded: SingleState<P, M>, hashed: SingleState<P, M>) {
        let tail = if self.code == code::TAG_WITH_LONG_TAIL { hashed } else { padded };
        self.sum = self.sum.xor(tail);
    }

    #[inline(always)]
    fn tag(self, e: &Cipher<'_, P, M>) -> SingleState<P, M> {
        let d = e.with_delta(self.m, self.code);
        if P::WIDE {
            return e.tag(d, self.sum);
        }
        let [x] = e.encipher([d], [self.sum]);
        e.tag(e.with_delta(self.m, code::SECOND_CALL), x)
    }
}
