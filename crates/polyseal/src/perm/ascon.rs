//! Ascon-p[12], the permutation of Ascon with all of its 12 rounds.
//!
//! Source: NIST SP 800-232, section 3. A state is five little-endian words.
//!
//! Claim of its authors: 128-bit security in Ascon's modes. Made for small hardware: 40 bytes are
//! little for a vector unit, so here it is among the slower ones.

use super::Permutation;
use super::word_states::{WordRounds, WordStates, chi, inverse_chi};
use crate::backend::{Isa, Word, Words};

/// Ascon-p[12].
#[derive(Clone, Copy)]
pub(crate) struct AsconP12;

impl Permutation for AsconP12 {
    const NAME: &'static str = "Ascon-p[12]";
    const BYTES: usize = 40;

    type SingleState<I: Isa> = WordStates<Self, Word<I>, 5>;
    type Many<I: Isa> = WordStates<Self, I::Words, 5>;
}

/// The constants that are added to word 2.
static CONSTANTS: [u64; 12] =
    [0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b];

#[inline(always)]
fn round<V: Words>(isa: V::Isa, x: &mut [V; 5], constant: u64) {
    x[2] = x[2].xor(V::broadcast(isa, constant));
    // The S-box: χ between two linear maps.
    x[0] = x[0].xor(x[4]);
    x[4] = x[4].xor(x[3]);
    x[2] = x[2].xor(x[1]);
    *x = chi(*x);
    x[1] = x[1].xor(x[0]);
    x[0] = x[0].xor(x[4]);
    x[3] = x[3].xor(x[2]);
    x[2] = x[2].xor(V::broadcast(isa, u64::MAX));
    x[0] = diffuse(x[0], 19, 28);
    x[1] = diffuse(x[1], 61, 39);
    x[2] = diffuse(x[2], 1, 6);
    x[3] = diffuse(x[3], 10, 17);
    x[4] = diffuse(x[4], 7, 41);
}

#[inline(always)]
fn inverse_round<V: Words>(isa: V::Isa, x: &mut [V; 5], constant: u64) {
    x[0] = inverse_diffuse(x[0], 19, 28);
    x[1] = inverse_diffuse(x[1], 61, 39);
    x[2] = inverse_diffuse(x[2], 1, 6);
    x[3] = inverse_diffuse(x[3], 10, 17);
    x[4] = inverse_diffuse(x[4], 7, 41);
    x[2] = x[2].xor(V::broadcast(isa, u64::MAX));
    x[3] = x[3].xor(x[2]);
    x[0] = x[0].xor(x[4]);
    x[1] = x[1].xor(x[0]);
    *x = inverse_chi(*x);
    x[2] = x[2].xor(x[1]);
    x[4] = x[4].xor(x[3]);
    x[0] = x[0].xor(x[4]);
    x[2] = x[2].xor(V::broadcast(isa, constant));
}

/// The product with 1 + Z^a + Z^b, where Z is a rotation to the right by one.
#[inline(always)]
fn diffuse<V: Words>(x: V, a: u32, b: u32) -> V {
    x.xor(x.rotate_left((64 - a) % 64)).xor(x.rotate_left((64 - b) % 64))
}

/// The quotient: as Z⁶⁴ = 1, the 64th power of the divisor is 1 + 1 + 1, and its inverse the 63rd,
/// a product of six powers with three terms each.
#[inline(always)]
fn inverse_diffuse<V: Words>(x: V, a: u32, b: u32) -> V {
    let x = diffuse(diffuse(x, a, b), 2 * a % 64, 2 * b % 64);
    let x = diffuse(diffuse(x, 4 * a % 64, 4 * b % 64), 8 * a % 64, 8 * b % 64);
    diffuse(diffuse(x, 16 * a % 64, 16 * b % 64), 32 * a % 64, 32 * b % 64)
}

impl WordRounds<5> for AsconP12 {
    #[inline(always)]
    fn permute<V: Words, const N: usize>(isa: V::Isa, x: &mut [[V; 5]; N]) {
        for &constant in &CONSTANTS {
            for n in 0..N {
                round(isa, &mut x[n], constant);
            }
        }
    }

    #[inline(always)]
    fn invert<V: Words, const N: usize>(isa: V::Isa, x: &mut [[V; 5]; N]) {
        for &constant in CONSTANTS.iter().rev() {
            for n in 0..N {
                inverse_round(isa, &mut x[n], constant);
            }
        }
    }
}
