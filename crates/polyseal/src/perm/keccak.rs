//! Keccak-p[1600, 12]: the last 12 rounds of Keccak-f[1600], as in TurboSHAKE and KangarooTwelve.
//!
//! Source: FIPS 202, section 3; G. Bertoni et al., "TurboSHAKE" (RFC 9861). A state is 25
//! little-endian words, word (x, y) at x + 5·y.
//!
//! Claim of its authors: with 12 rounds, 128-bit security in a sponge of capacity 256. The inverse
//! costs about twice as much.

use super::Permutation;
use super::word_states::{WordRounds, WordStates, chi, inverse_chi};
use crate::backend::{Isa, Word, Words};

/// Keccak-p[1600, 12].
#[derive(Clone, Copy)]
pub(crate) struct KeccakP12;

impl Permutation for KeccakP12 {
    const NAME: &'static str = "Keccak-p[1600, 12]";
    const BYTES: usize = 200;

    type SingleState<I: Isa> = WordStates<Self, Word<I>, 25>;
    type Many<I: Isa> = WordStates<Self, I::Words, 25>;
}

/// The constants that ι adds in rounds 12 to 23.
static CONSTANTS: [u64; 12] = [
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// The state's words, word (x, y) at `[y][x]`.
type Planes<V> = [[V; 5]; 5];

/// Rotates to the left.
#[inline(always)]
fn rot<V: Words>(x: V, bits: u32) -> V {
    x.rotate_left(bits)
}

/// π after ρ: each word is rotated and moved.
#[inline(always)]
fn rho_pi<V: Words>(a: Planes<V>) -> Planes<V> {
    [
        [a[0][0], rot(a[1][1], 44), rot(a[2][2], 43), rot(a[3][3], 21), rot(a[4][4], 14)],
        [rot(a[0][3], 28), rot(a[1][4], 20), rot(a[2][0], 3), rot(a[3][1], 45), rot(a[4][2], 61)],
        [rot(a[0][1], 1), rot(a[1][2], 6), rot(a[2][3], 25), rot(a[3][4], 8), rot(a[4][0], 18)],
        [rot(a[0][4], 27), rot(a[1][0], 36), rot(a[2][1], 10), rot(a[3][2], 15), rot(a[4][3], 56)],
        [rot(a[0][2], 62), rot(a[1][3], 55), rot(a[2][4], 39), rot(a[3][0], 41), rot(a[4][1], 2)],
    ]
}

#[inline(always)]
fn inverse_rho_pi<V: Words>(b: Planes<V>) -> Planes<V> {
    [
        [b[0][0], rot(b[2][0], 63), rot(b[4][0], 2), rot(b[1][0], 36), rot(b[3][0], 37)],
        [rot(b[3][1], 28), rot(b[0][1], 20), rot(b[2][1], 58), rot(b[4][1], 9), rot(b[1][1], 44)],
        [rot(b[1][2], 61), rot(b[3][2], 54), rot(b[0][2], 21), rot(b[2][2], 39), rot(b[4][2], 25)],
        [rot(b[4][3], 23), rot(b[1][3], 19), rot(b[3][3], 49), rot(b[0][3], 43), rot(b[2][3], 56)],
        [rot(b[2][4], 46), rot(b[4][4], 62), rot(b[1][4], 3), rot(b[3][4], 8), rot(b[0][4], 50)],
    ]
}

/// The sum of each column.
#[inline(always)]
fn parities<V: Words>(a: Planes<V>) -> [V; 5] {
    let mut c = a[0];
    for x in 0..5 {
        c[x] = c[x].xor(a[1][x]).xor(a[2][x]).xor(a[3][x]).xor(a[4][x]);
    }
    c
}

/// Adds to each column what θ adds where the columns' sums are `c`.
#[inline(always)]
fn add_neighbours<V: Words>(mut a: Planes<V>, c: [V; 5]) -> Planes<V> {
    for x in 0..5 {
        let d = c[(x + 4) % 5].xor(c[(x + 1) % 5].rotate_left(1));
        for y in 0..5 {
            a[y][x] = a[y][x].xor(d);
        }
    }
    a
}

#[inline(always)]
fn round<V: Words>(isa: V::Isa, a: Planes<V>, constant: u64) -> Planes<V> {
    let b = rho_pi(add_neighbours(a, parities(a)));
    let mut a = [chi(b[0]), chi(b[1]), chi(b[2]), chi(b[3]), chi(b[4])];
    a[0][0] = a[0][0].xor(V::broadcast(isa, constant));
    a
}

#[inline(always)]
fn inverse_round<V: Words>(isa: V::Isa, mut a: Planes<V>, constant: u64) -> Planes<V> {
    a[0][0] = a[0][0].xor(V::broadcast(isa, constant));
    let a = inverse_rho_pi([
        inverse_chi(a[0]),
        inverse_chi(a[1]),
        inverse_chi(a[2]),
        inverse_chi(a[3]),
        inverse_chi(a[4]),
    ]);
    add_neighbours(a, parities_before_theta(parities(a)))
}

/// A state's words as planes.
#[inline(always)]
fn planes<V: Words>(words: [V; 25]) -> Planes<V> {
    let mut planes = [[words[0]; 5]; 5];
    for i in 0..25 {
        planes[i / 5][i % 5] = words[i];
    }
    planes
}

/// The inverse of [`planes`].
#[inline(always)]
fn words<V: Words>(planes: Planes<V>) -> [V; 25] {
    let mut words = [planes[0][0]; 25];
    for i in 0..25 {
        words[i] = planes[i / 5][i % 5];
    }
    words
}

/// The sums of the columns before θ, from those after it.
///
/// On the sums, θ is the product with q = 1 + X + X⁴·Z, where X moves a column to the next and Z is
/// a rotation by one: X⁵ = Z⁶⁴ = 1. As q⁶⁴ = 1 + X + X⁴ is of order three, q¹⁹² = 1, and the
/// inverse is q¹⁹¹, of which each factor `q^(2^k) = 1 + X^(2^k) + X^(4·2^k)·Z^(2^k)` has three
/// terms. 191 lacks 2⁶.
#[inline(always)]
fn parities_before_theta<V: Words>(c: [V; 5]) -> [V; 5] {
    let c = times_power(times_power(times_power(times_power(c, 0), 1), 2), 3);
    times_power(times_power(times_power(c, 4), 5), 7)
}

/// The product with `q^(2^k)`.
#[inline(always)]
fn times_power<V: Words>(c: [V; 5], k: u32) -> [V; 5] {
    let mut product = c;
    for x in 0..5 {
        let next = c[(x + 5 - (1 << k) % 5) % 5];
        let rotated = c[(x + 5 - (4 << k) % 5) % 5].rotate_left((1 << k) % 64);
        product[x] = c[x].xor(next).xor(rotated);
    }
    product
}

impl WordRounds<25> for KeccakP12 {
    // One vector of states at a time: 25 words fill the registers.
    #[inline(always)]
    fn permute<V: Words, const N: usize>(isa: V::Isa, x: &mut [[V; 25]; N]) {
        for n in 0..N {
            let mut a = planes(x[n]);
            for &constant in &CONSTANTS {
                a = round(isa, a, constant);
            }
            x[n] = words(a);
        }
    }

    #[inline(always)]
    fn invert<V: Words, const N: usize>(isa: V::Isa, x: &mut [[V; 25]; N]) {
        for n in 0..N {
            let mut a = planes(x[n]);
            for &constant in CONSTANTS.iter().rev() {
                a = inverse_round(isa, a, constant);
            }
            x[n] = words(a);
        }
    }
}
