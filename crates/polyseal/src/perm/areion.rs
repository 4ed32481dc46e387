//! Areion-256 and Areion-512: permutations of low latency, of 10 and 15 rounds with a few AES
//! rounds each.
//!
//! Source: T. Isobe et al., "Areion: Highly-Efficient Permutations and Its Applications to Hash
//! Functions for Short Input", TCHES 2023/2, with the constants of eprint 2023/794 from 2023-09-21.
//! Areion-512 ends with a rotation of its words, which not every implementation has; zeros become
//! b2adb04f… with it.
//!
//! Claim of its authors: resistance to the attacks that they analyse, as short-input hashing needs
//! it. Younger and less studied than the others here. The inverse of Areion-512 costs 65 AES
//! rounds, less than the 75 of the permutation: see [`Areion512`].

use super::Permutation;
use super::block_states::{BlockRounds, BlockStates};
use crate::backend::{Isa, StateLanes};

/// The digits of π's fraction, 32 hexadecimal ones for each constant, but for the eighth, which the
/// authors' code has from digit 225 on, ending in zero.
static CONSTANTS: [[u8; 16]; 15] = {
    const DIGITS: [u128; 15] = [
        0x243f6a88_85a308d3_13198a2e_03707344,
        0xa4093822_299f31d0_082efa98_ec4e6c89,
        0x452821e6_38d01377_be5466cf_34e90c6c,
        0xc0ac29b7_c97c50dd_3f84d5b5_b5470917,
        0x9216d5d9_8979fb1b_d1310ba6_98dfb5ac,
        0x2ffd72db_d01adfb7_b8e1afed_6a267e96,
        0xba7c9045_f12c7f99_24a19947_b3916cf7,
        0x801f2e28_58efc166_36920d87_1574e690,
        0xa458fea3_f4933d7e_0d95748f_728eb658,
        0x718bcd58_82154aee_7b54a41d_c25a59b5,
        0x9c30d539_2af26013_c5d1b023_286085f0,
        0xca417918_b8db38ef_8e79dcb0_603a180e,
        0x6c9e0e8b_b01e8a3e_d71577c1_bd314b27,
        0x78af2fda_55605c60_e65525f3_aa55ab94,
        0x57489862_63e81440_55ca396a_2aab10b6,
    ];
    let mut constants = [[0; 16]; 15];
    let mut i = 0;
    while i < 15 {
        constants[i] = DIGITS[i].to_le_bytes();
        i += 1;
    }
    constants
};

/// Constant `i` in every lane.
#[inline(always)]
fn constant<L: StateLanes, const N: usize>(isa: L::Isa, i: usize) -> [L; N] {
    [L::broadcast(isa, &CONSTANTS[i]); N]
}

#[inline(always)]
fn zeros<L: StateLanes, const N: usize>(isa: L::Isa) -> [L; N] {
    [L::broadcast(isa, &[0; 16]); N]
}

#[inline(always)]
fn add<L: StateLanes, const N: usize>(mut x: [L; N], y: [L; N]) -> [L; N] {
    for n in 0..N {
        x[n] = x[n].xor(y[n]);
    }
    x
}

/// Areion-256.
#[derive(Clone, Copy)]
pub(crate) struct Areion256;

impl Permutation for Areion256 {
    const NAME: &'static str = "Areion-256";
    const BYTES: usize = 32;

    type SingleState<I: Isa> = BlockStates<Self, I::X1, 2>;
    type Many<I: Isa> = BlockStates<Self, I::Register, 2>;
}

/// `b ⊕= AESRound(AESRound(a, constant), 0)`, then `a = ShiftRows(SubBytes(a))`.
#[inline(always)]
fn round256<L: StateLanes, const N: usize>(
    isa: L::Isa,
    i: usize,
    x: &mut [[L; N]; 2],
    [a, b]: [usize; 2],
) {
    x[b] = L::aes_rounds(L::aes_rounds(x[a], constant(isa, i)), x[b]);
    x[a] = L::aes_last_rounds(x[a], zeros(isa));
}

#[inline(always)]
fn inverse_round256<L: StateLanes, const N: usize>(
    isa: L::Isa,
    i: usize,
    x: &mut [[L; N]; 2],
    [a, b]: [usize; 2],
) {
    x[a] = L::aes_inverse_last_rounds(x[a], zeros(isa));
    x[b] = L::aes_rounds(L::aes_rounds(x[a], constant(isa, i)), x[b]);
}

impl BlockRounds<2> for Areion256 {
    #[inline(always)]
    fn permute<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 2]) {
        for i in 0..5 {
            round256(isa, 2 * i, x, [0, 1]);
            round256(isa, 2 * i + 1, x, [1, 0]);
        }
    }

    #[inline(always)]
    fn invert<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 2]) {
        for i in (0..5).rev() {
            inverse_round256(isa, 2 * i + 1, x, [1, 0]);
            inverse_round256(isa, 2 * i, x, [0, 1]);
        }
    }
}

/// Areion-512.
///
/// A round, on words a, b, c, d, which move on by one after each:
/// b ⊕= MC(S(a)), d ⊕= MC(S(c)), a = S(a), c = MC(S(S(c) ⊕ constant)), where S is ShiftRows after
/// SubBytes and MC is MixColumns.
///
/// Backward, a word comes as a, then b, c and d. As b and c it is held as MC⁻¹ of itself: c's MC is
/// undone already, b needs the exclusive or with the outgoing S(a) alone, and `MC⁻¹(S⁻¹(a))` is one
/// instruction, as S⁻¹(a) is.
#[derive(Clone, Copy)]
pub(crate) struct Areion512;

impl Permutation for Areion512 {
    const NAME: &'static str = "Areion-512";
    const BYTES: usize = 64;

    type SingleState<I: Isa> = BlockStates<Self, I::X1, 4>;
    type Many<I: Isa> = BlockStates<Self, I::Register, 4>;
}

/// Round `i`.
#[inline(always)]
fn round512<L: StateLanes, const N: usize>(
    isa: L::Isa,
    i: usize,
    x: &mut [[L; N]; 4],
    [a, b, c, d]: [usize; 4],
) {
    // In the order in which the next rounds wait for results: the CPU takes the oldest that is
    // ready.
    let [after_c, after_a] = L::aes_last_rounds_of([x[c], x[a]], [constant(isa, i), zeros(isa)]);
    [x[d], x[b]] = L::aes_rounds_of([x[c], x[a]], [x[d], x[b]]);
    x[a] = after_a;
    x[c] = L::aes_rounds(after_c, zeros(isa));
}

/// Undoes what round `i` does to c and d, with c as MC⁻¹ of itself.
#[inline(always)]
fn inverse_half512<L: StateLanes, const N: usize>(
    isa: L::Isa,
    i: usize,
    x: &mut [[L; N]; 4],
    [c, d]: [usize; 2],
) {
    x[c] = L::aes_inverse_last_rounds(x[c], constant(isa, i));
    x[c] = L::aes_inverse_last_rounds(x[c], zeros(isa));
    x[d] = L::aes_rounds(x[c], x[d]);
}

/// Undoes round `i`, with b and c as MC⁻¹ of themselves, and a afterwards.
#[inline(always)]
fn inverse_round512<L: StateLanes, const N: usize>(
    isa: L::Isa,
    i: usize,
    x: &mut [[L; N]; 4],
    [a, b, c, d]: [usize; 4],
) {
    inverse_half512(isa, i, x, [c, d]);
    x[b] = add(x[b], x[a]);
    x[a] = L::aes_inverse_rounds(x[a], zeros(isa));
}

/// MC⁻¹, by way of `MC⁻¹(S⁻¹(S(x)))`.
#[inline(always)]
fn inverse_mix_columns<L: StateLanes, const N: usize>(isa: L::Isa, x: [L; N]) -> [L; N] {
    L::aes_inverse_rounds(L::aes_last_rounds(x, zeros(isa)), zeros(isa))
}

impl BlockRounds<4> for Areion512 {
    #[inline(always)]
    fn permute<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 4]) {
        for i in 0..3 {
            round512(isa, 4 * i, x, [0, 1, 2, 3]);
            round512(isa, 4 * i + 1, x, [1, 2, 3, 0]);
            round512(isa, 4 * i + 2, x, [2, 3, 0, 1]);
            round512(isa, 4 * i + 3, x, [3, 0, 1, 2]);
        }
        round512(isa, 12, x, [0, 1, 2, 3]);
        round512(isa, 13, x, [1, 2, 3, 0]);
        round512(isa, 14, x, [2, 3, 0, 1]);
        *x = [x[3], x[0], x[1], x[2]];
    }

    #[inline(always)]
    fn invert<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 4]) {
        *x = [x[1], x[2], x[3], x[0]];
        x[3] = inverse_mix_columns(isa, x[3]);
        x[0] = inverse_mix_columns(isa, x[0]);
        inverse_round512(isa, 14, x, [2, 3, 0, 1]);
        for i in (0..3).rev() {
            inverse_round512(isa, 4 * i + 5, x, [1, 2, 3, 0]);
            inverse_round512(isa, 4 * i + 4, x, [0, 1, 2, 3]);
            inverse_round512(isa, 4 * i + 3, x, [3, 0, 1, 2]);
            inverse_round512(isa, 4 * i + 2, x, [2, 3, 0, 1]);
        }
        // An a or b of the last two comes as c no more and ends as itself.
        inverse_half512(isa, 1, x, [3, 0]);
        x[2] = add(x[2], x[1]);
        x[1] = L::aes_inverse_last_rounds(x[1], zeros(isa));
        inverse_half512(isa, 0, x, [2, 3]);
        x[0] = L::aes_inverse_last_rounds(x[0], zeros(isa));
        x[1] = L::aes_rounds(x[0], x[1]);
    }
}
