//! AES rounds on one register, with shuffles of bytes as tables of 16 entries.
//!
//! Source: M. Hamburg, "Accelerating AES with Vector Permute Instructions", CHES 2009, sections 2
//! and 3; FIPS 197. The tables lie in registers or are loaded whole: no address depends on a byte.
//!
//! With the names of [`tables`](super::tables), the S-box finds `p = (i + k/A)/N` and
//! `q = (j + k/A)/N` by four reciprocals in the subfield,
//!
//! ```text
//! 1/p = j + 1/(1/i + A/k)        1/q = i + 1/(1/j + A/k)
//! ```
//!
//! and the inverse, as everything that is linear in it, is a sum of what one table has at `1/p` and
//! another at `1/q`.

use super::Bytes;
use super::tables::{
    CONSTANT, DOWN, INPUT, INVERSE_INPUT, INVERSE_OUTPUT, INVERSE_OUTPUTS, INVERSE_SHIFT_ROWS,
    OUTPUT, OUTPUT_TWICE, Pair, QUOTIENTS, RECIPROCALS, SHIFT_ROWS, UP,
};

/// One of AES's rounds.
pub trait Round {
    /// The round of `x`, and the round key.
    fn round<B: Bytes>(x: B, round_key: B) -> B;
}

/// ShiftRows, SubBytes and MixColumns.
pub(super) struct Middle;
/// ShiftRows and SubBytes.
pub(super) struct Last;
/// InvShiftRows, InvSubBytes and InvMixColumns.
pub(super) struct InverseMiddle;
/// InvShiftRows and InvSubBytes.
pub(super) struct InverseLast;

/// The byte from each of `indices`.
#[inline(always)]
fn moved<B: Bytes>(x: B, indices: &[u8; 16]) -> B {
    x.shuffle(B::load(x.isa(), indices))
}

/// What the two tables have at `a` and `b`, added.
#[inline(always)]
fn look_up<B: Bytes>([a, b]: [B; 2], [at_a, at_b]: &Pair) -> B {
    B::load(a.isa(), at_a).shuffle(a).xor(B::load(b.isa(), at_b).shuffle(b))
}

/// `1/p` and `1/q`.
#[inline(always)]
fn reciprocals<B: Bytes>(x: B, [to_i, to_k]: &[Pair; 2]) -> [B; 2] {
    let nibbles = [x.low_nibbles(), x.high_nibbles()];
    let (i, k) = (look_up(nibbles, to_i), look_up(nibbles, to_k));
    let j = i.xor(k);
    let reciprocal = B::load(x.isa(), &RECIPROCALS);
    let quotient = B::load(x.isa(), &QUOTIENTS).shuffle(k);
    let (a, b) = (reciprocal.shuffle(i).xor(quotient), reciprocal.shuffle(j).xor(quotient));
    [reciprocal.shuffle(a).xor(j), reciprocal.shuffle(b).xor(i)]
}

impl Round for Middle {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B) -> B {
        let found = reciprocals(moved(x, &SHIFT_ROWS), &INPUT);
        let (once, twice) = (look_up(found, &OUTPUT), look_up(found, &OUTPUT_TWICE));
        // Of the rows a, b, c and d: 2a + b; then 2b + c with it, and d.
        let sum = twice.xor(moved(once, &UP));
        let key = round_key.xor(B::load(x.isa(), &CONSTANT));
        moved(sum, &UP).xor(sum.xor(moved(once, &DOWN).xor(key)))
    }
}

impl Round for Last {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B) -> B {
        let key = round_key.xor(B::load(x.isa(), &CONSTANT));
        look_up(reciprocals(moved(x, &SHIFT_ROWS), &INPUT), &OUTPUT).xor(key)
    }
}

impl Round for InverseMiddle {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B) -> B {
        let found = reciprocals(moved(x, &INVERSE_SHIFT_ROWS), &INVERSE_INPUT);
        // 14a + 11b + 13c + 9d, from the last.
        let mut sum = look_up(found, &INVERSE_OUTPUTS[0]);
        for i in 1..4 {
            sum = moved(sum, &UP).xor(look_up(found, &INVERSE_OUTPUTS[i]));
        }
        sum.xor(round_key)
    }
}

impl Round for InverseLast {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B) -> B {
        let found = reciprocals(moved(x, &INVERSE_SHIFT_ROWS), &INVERSE_INPUT);
        look_up(found, &INVERSE_OUTPUT).xor(round_key)
    }
}
