//! CIV: two passes, both parallel, and no inverse of π (section 8).
//!
//! The tag is a sum of H~ over the blocks, enciphered; the key stream is made of the tag as it is
//! sent. So a repeated nonce shows which messages are equal, and no more.

use super::blocks::{Hash, KeyStream, Sum, pad10, padding, run};
use super::machine::Machine;
use super::parameters::{Many, One, Parameters, zero};
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

/// Encrypts P and writes its tag; or decrypts C, whose tag is `tag`, and writes the one that it
/// should have to `expected`.
#[inline(always)]
pub(super) fn crypt<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    mut text: Plaintext<'_, '_, '_>,
    tag: &mut [u8],
    expected: Option<&mut [u8]>,
) {
    // Both ways are the same two passes, and one copy of the code.
    let opens = expected.is_some();
    let target = expected;
    let mut computed = [0; 32];
    let bytes = tag.len();
    for pass in 0..2 {
        if (pass == 0) == opens {
            key_stream(e, text.reborrow(), tag);
        } else {
            let hashed = if opens { text.written() } else { text.reborrow() };
            hash(e, hashed).store_partial(&mut computed[..bytes]);
            if !opens {
                tag.copy_from_slice(&computed[..bytes]);
            }
        }
    }
    if let Some(target) = target {
        target.copy_from_slice(&computed[..bytes]);
    }
    crate::backend::wipe(&mut computed);
}

/// The tag of P.
#[inline(always)]
fn hash<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    mut text: Plaintext<'_, '_, '_>,
) -> One<P, M> {
    let machine = e.machine;
    let mut sum = zero::<P, M>(machine);
    let first = text.first::<P, M>(machine);
    // CT: lengths are public.
    let (m, tail) = if text.bytes() < P::B {
        (0, first.xor(padding::<P, M>(machine, text.bytes())))
    } else {
        let (whole, tail) = text.rest::<P>();
        let mut pass = Hash { text: whole.get_in(), sum: Sum::<Many<P, M>>::new(machine) };
        run(machine, e.masks(code::BLOCK, false), whole.len(), &mut pass);
        sum = pass.sum.total();
        ((whole.len() / P::B) as u64 + 1, pad10::<P, M>(machine, tail.get_in()))
    };
    let has_tail = !text.bytes().is_multiple_of(P::B);
    let [of_first, of_tail] = e.hash([e.d(0, code::BLOCK), e.d(m, code::TAIL)], [first, tail]);
    if m > 0 {
        sum = sum.xor(of_first);
    }
    if has_tail {
        sum = sum.xor(of_tail);
    }
    let d = e.d(m, if has_tail { code::TAG_WITH_TAIL } else { code::TAG });
    if P::WIDE {
        return e.tag(d, sum);
    }
    let [x] = e.encipher([d], [sum]);
    e.tag(e.d(m, code::SECOND_CALL), x)
}

/// Adds the key stream to P or C.
#[inline(always)]
fn key_stream<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    mut text: Plaintext<'_, '_, '_>,
    tag: &[u8],
) {
    let machine = e.machine;
    let seed = pad10::<P, M>(machine, tag);
    let last = (text.bytes() / P::B) as u64;
    let d = [e.d(0, code::KEY_STREAM), e.d(last, code::KEY_STREAM)];
    let [of_first, of_tail] = e.encipher(d, [seed; 2]);
    let first = text.first::<P, M>(machine).xor(of_first);
    text.write_first::<P, M>(first);
    if last == 0 {
        return;
    }
    let (whole, mut tail) = text.rest::<P>();
    let bytes = whole.len();
    let mut pass = KeyStream { buffer: whole, seed: Many::<P, M>::splat(machine, seed) };
    run(machine, e.masks(code::KEY_STREAM, false), bytes, &mut pass);
    let x = One::<P, M>::load_partial(machine, tail.get_in());
    x.xor(of_tail).store_partial(tail.get_out());
}
