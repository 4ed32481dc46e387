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
    CONSTANT, INPUT, INVERSE_INPUT, INVERSE_OUTPUT, INVERSE_OUTPUTS, INVERSE_SHIFT_ROWS, OUTPUT,
    OUTPUT_TWICE, Pair, QUOTIENTS, RECIPROCALS, SHIFT_ROWS, SHIFT_ROWS_AND_DOWN, SHIFT_ROWS_AND_UP,
    UP,
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

/// `1/p` and `1/q`.
#[inline(always)]
fn reciprocals<B: Bytes>(x: B, [low, high]: &Pair) -> [B; 2] {
    let table = |bytes| B::load(x.isa(), bytes);
    let split = table(low).shuffle(x.low_nibbles()).xor(table(high).shuffle(x.high_nibbles()));
    let (i, k) = (split.high_nibbles(), split.low_nibbles());
    let j = i.xor(k);
    let reciprocals = table(&RECIPROCALS);
    let quotient = table(&QUOTIENTS).shuffle(k);
    [(i, j), (j, i)].map(|(a, b)| {
        let sum = reciprocals.shuffle(a).xor(quotient);
        reciprocals.shuffle(sum).xor(b)
    })
}

/// What the tables have there.
#[inline(always)]
fn look_up<B: Bytes>([p, q]: [B; 2], [at_p, at_q]: &Pair) -> B {
    B::load(p.isa(), at_p).shuffle(p).xor(B::load(p.isa(), at_q).shuffle(q))
}

impl Round for Middle {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B) -> B {
        let found = reciprocals(x, &INPUT);
        let (once, twice) = (look_up(found, &OUTPUT), look_up(found, &OUTPUT_TWICE));
        let moved = |x: B, indices| x.shuffle(B::load(x.isa(), indices));
        // Of the rows a, b, c, d: 2a + b; and with it 2b + c, and d.
        let sum = moved(twice, &SHIFT_ROWS).xor(moved(once, &SHIFT_ROWS_AND_UP));
        let key = round_key.xor(B::load(x.isa(), &CONSTANT));
        moved(sum, &UP).xor(sum.xor(moved(once, &SHIFT_ROWS_AND_DOWN).xor(key)))
    }
}

impl Round for Last {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B) -> B {
        let key = round_key.xor(B::load(x.isa(), &CONSTANT));
        let substituted = look_up(reciprocals(x, &INPUT), &OUTPUT);
        substituted.shuffle(B::load(x.isa(), &SHIFT_ROWS)).xor(key)
    }
}

impl Round for InverseMiddle {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B) -> B {
        let x = x.shuffle(B::load(x.isa(), &INVERSE_SHIFT_ROWS));
        let found = reciprocals(x, &INVERSE_INPUT);
        // 14a + 11b + 13c + 9d, from the last.
        let mut sum = look_up(found, &INVERSE_OUTPUTS[0]);
        for i in 1..4 {
            sum = sum.shuffle(B::load(x.isa(), &UP)).xor(look_up(found, &INVERSE_OUTPUTS[i]));
        }
        sum.xor(round_key)
    }
}

impl Round for InverseLast {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B) -> B {
        let x = x.shuffle(B::load(x.isa(), &INVERSE_SHIFT_ROWS));
        look_up(reciprocals(x, &INVERSE_INPUT), &INVERSE_OUTPUT).xor(round_key)
    }
}
