//! CIV: two passes, both parallel, and no inverse of π (section 8).
//!
//! The tag is a sum of H~ over the blocks, enciphered; the key stream is made of the tag as it is
//! sent. So a repeated nonce shows which messages are equal, and no more.

use super::blocks::{Hash, KeyStream, Sum, pad10, padding, run};
use super::machine::Machine;
use super::parameters::{Many, Parameters, SingleState};
use super::plaintext::Plaintext;
use super::tweak::Cipher;
use crate::perm::States;

/// The codes j of tweaks (i, j).
mod code {
    pub(super) const BLOCK: u64 = 1;
    pub(super) const TAIL: u64 = 2;
    pub(super) const TAG: u64 = 3;
    pub(super) const TAG_WITH_TAIL: u64 = 4;
    pub(super) const KEY_STREAM: u64 = 5;
    pub(super) const SECOND_CALL: u64 = 6;
}

/// Encrypts P and writes its tag to `computed`; or decrypts C, with the tag `given`, and writes the
/// one that it should have.
#[inline(always)]
pub(super) fn crypt<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    mut text: Plaintext<'_, '_>,
    given: Option<&[u8]>,
    computed: &mut [u8],
) {
    // CT: lengths are public.
    if text.bytes() <= P::B {
        return crypt_short(e, text, given, computed);
    }
    // Both ways are the same two passes, and one copy of the code.
    for pass in 0..2 {
        if (pass == 0) == given.is_some() {
            key_stream(e, text.reborrow(), given.unwrap_or(computed));
        } else {
            let hashed = if given.is_some() { text.written() } else { text.reborrow() };
            hash(e, hashed).store_partial(computed);
        }
    }
}

/// The same of at most one block, which stays in registers.
#[inline(always)]
fn crypt_short<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    mut text: Plaintext<'_, '_>,
    given: Option<&[u8]>,
    computed: &mut [u8],
) {
    let (machine, bytes) = (e.machine, text.bytes());
    let x = text.first::<P, M>(machine);
    if let Some(given) = given {
        let tag = SingleState::<P, M>::load_partial(machine, given);
        let p = x.xor(first_of_key_stream(e, tag, given.len())).cut(machine, bytes);
        text.write_first::<P, M>(p);
        tag_of_short(e, p, bytes).store_partial(computed);
    } else {
        let tag = tag_of_short(e, x, bytes).cut(machine, computed.len());
        tag.store_partial(computed);
        let c = x.xor(first_of_key_stream(e, tag, computed.len()));
        text.write_first::<P, M>(c);
    }
}

/// The tag of P, which has `bytes` bytes, at most a block, and then zeros.
#[inline(always)]
fn tag_of_short<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    p: SingleState<P, M>,
    bytes: usize,
) -> SingleState<P, M> {
    // CT: lengths are public.
    let (m, code, code_of_tag, x) = match bytes {
        0 => (0, code::TAIL, code::TAG, p),
        _ if bytes == P::B => (1, code::BLOCK, code::TAG, p),
        _ => (0, code::TAIL, code::TAG_WITH_TAIL, p.xor(padding::<P, M>(e.machine, bytes))),
    };
    let [hashed] = e.hash([e.d(0, code)], [x]);
    // The empty P has neither block nor tail, and is zeros.
    whole_tag(e, m, code_of_tag, if bytes == 0 { p } else { hashed })
}

/// E~(0, 5; pad10(T)), of a tag as it is sent: `bytes` bytes, then zeros.
#[inline(always)]
fn first_of_key_stream<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    tag: SingleState<P, M>,
    bytes: usize,
) -> SingleState<P, M> {
    let seed = tag.xor(padding::<P, M>(e.machine, bytes));
    let [of_first] = e.encipher([e.d(0, code::KEY_STREAM)], [seed]);
    of_first
}

/// The tag of the sum V, before it is cut.
#[inline(always)]
fn whole_tag<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    m: u64,
    code: u64,
    sum: SingleState<P, M>,
) -> SingleState<P, M> {
    let d = e.d(m, code);
    if P::WIDE {
        return e.tag(d, sum);
    }
    let [x] = e.encipher([d], [sum]);
    e.tag(e.d(m, code::SECOND_CALL), x)
}

/// The tag of P, of more than a block.
#[inline(always)]
fn hash<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    mut text: Plaintext<'_, '_>,
) -> SingleState<P, M> {
    let machine = e.machine;
    let first = text.first::<P, M>(machine);
    let (whole, tail) = text.rest::<P>();
    let m = (whole.len() / P::B) as u64 + 1;
    let mut pass = Hash { text: whole.get_in(), sum: Sum::<Many<P, M>>::new(machine) };
    run(machine, e.masks(code::BLOCK, false), whole.len(), &mut pass);
    let padded = pad10::<P, M>(machine, tail.get_in());
    let [of_first, of_tail] = e.hash([e.d(0, code::BLOCK), e.d(m, code::TAIL)], [first, padded]);
    let sum = pass.sum.total().xor(of_first);
    // CT: lengths are public.
    let (code, sum) = match tail.is_empty() {
        true => (code::TAG, sum),
        false => (code::TAG_WITH_TAIL, sum.xor(of_tail)),
    };
    whole_tag(e, m, code, sum)
}

/// Adds the key stream to P or C.
#[inline(always)]
fn key_stream<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    mut text: Plaintext<'_, '_>,
    tag: &[u8],
) {
    let machine = e.machine;
    let seed = pad10::<P, M>(machine, tag);
    let last = (text.bytes() / P::B) as u64;
    let d = [e.d(0, code::KEY_STREAM), e.d(last, code::KEY_STREAM)];
    let [of_first, of_tail] = e.encipher(d, [seed; 2]);
    let first = text.first::<P, M>(machine).xor(of_first);
    text.write_first::<P, M>(first);
    let (whole, mut tail) = text.rest::<P>();
    let bytes = whole.len();
    let mut pass = KeyStream { buffer: whole, seed: Many::<P, M>::splat(machine, seed) };
    run(machine, e.masks(code::KEY_STREAM, false), bytes, &mut pass);
    let x = SingleState::<P, M>::load_partial(machine, tail.get_in());
    x.xor(of_tail).store_partial(tail.get_out());
}
