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
//! and the inverse, as everything that is linear in it, is the sum of an entry of one table at
//! `1/p` and one of another at `1/q`.

use super::Bytes;
use super::tables::Tables;

/// One of AES's rounds.
pub trait Round {
    /// The round of `x`, and the round key.
    fn round<B: Bytes>(x: B, round_key: B, t: &Tables<B>) -> B;
}

/// ShiftRows, SubBytes and MixColumns.
pub(super) struct Middle;
/// ShiftRows and SubBytes.
pub(super) struct Last;
/// InvShiftRows, InvSubBytes and InvMixColumns.
pub(super) struct InverseMiddle;
/// InvShiftRows and InvSubBytes.
pub(super) struct InverseLast;

/// The sum of the two tables' entries at `a` and `b`.
#[inline(always)]
fn look_up<B: Bytes>([a, b]: [B; 2], [at_a, at_b]: [B; 2]) -> B {
    at_a.shuffle(a).xor(at_b.shuffle(b))
}

/// `1/p` and `1/q`.
#[inline(always)]
fn reciprocals<B: Bytes>(x: B, [to_i, to_k]: [[B; 2]; 2], t: &Tables<B>) -> [B; 2] {
    let nibbles = [x.and(t.nibble), x.down::<4>().and(t.nibble)];
    let (i, k) = (look_up(nibbles, to_i), look_up(nibbles, to_k));
    let j = i.xor(k);
    let (reciprocal, quotient) = (t.reciprocals, t.quotients.shuffle(k));
    let (a, b) = (reciprocal.shuffle(i).xor(quotient), reciprocal.shuffle(j).xor(quotient));
    [reciprocal.shuffle(a).xor(j), reciprocal.shuffle(b).xor(i)]
}

impl Round for Middle {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B, t: &Tables<B>) -> B {
        let found = reciprocals(x.shuffle(t.shift_rows), t.input, t);
        let (once, twice) = (look_up(found, t.output), look_up(found, t.output_twice));
        // With the rows a, b, c and d: 2a + b; then 2b + c with it, and d.
        let sum = twice.xor(once.shuffle(t.up));
        let key = round_key.xor(t.constant);
        sum.shuffle(t.up).xor(sum.xor(once.shuffle(t.down).xor(key)))
    }
}

impl Round for Last {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B, t: &Tables<B>) -> B {
        let key = round_key.xor(t.constant);
        look_up(reciprocals(x.shuffle(t.shift_rows), t.input, t), t.output).xor(key)
    }
}

impl Round for InverseMiddle {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B, t: &Tables<B>) -> B {
        let found = reciprocals(x.shuffle(t.inverse_shift_rows), t.inverse_input, t);
        // 14a + 11b + 13c + 9d, from the last.
        let mut sum = look_up(found, t.inverse_outputs[0]);
        for i in 1..4 {
            sum = sum.shuffle(t.up).xor(look_up(found, t.inverse_outputs[i]));
        }
        sum.xor(round_key)
    }
}

impl Round for InverseLast {
    #[inline(always)]
    fn round<B: Bytes>(x: B, round_key: B, t: &Tables<B>) -> B {
        let found = reciprocals(x.shuffle(t.inverse_shift_rows), t.inverse_input, t);
        look_up(found, t.inverse_output).xor(round_key)
    }
}
