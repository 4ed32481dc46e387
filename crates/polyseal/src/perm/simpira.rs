//! Simpira v2 with 2, 3, 4 and 8 words of 16 bytes: generalised Feistel networks whose function is
//! two AES rounds.
//!
//! Source: S. Gueron, N. Mouha, "Simpira v2: A Family of Efficient Permutations Using the AES Round
//! Function", ASIACRYPT 2016. There `b` is the number of words, here `W`.
//!
//! Claim of its authors: no structural distinguisher with less than 2^128 work. The inverse takes
//! the same steps in the opposite order, and as many of them. There is no final shuffle of words.

use super::Permutation;
use super::block_states::{BlockRounds, BlockStates};
use crate::backend::{Isa, StateLanes};

/// Simpira v2 on `W` words.
#[derive(Clone, Copy)]
pub(crate) struct Simpira<const W: usize>;

impl<const W: usize> Permutation for Simpira<W>
where
    Self: BlockRounds<W>,
{
    const NAME: &'static str = match W {
        2 => "Simpira v2, b = 2",
        3 => "Simpira v2, b = 3",
        4 => "Simpira v2, b = 4",
        _ => "Simpira v2, b = 8",
    };
    const BYTES: usize = 16 * W;

    type SingleState<I: Isa> = BlockStates<Self, I::X1, W>;
    type Many<I: Isa> = BlockStates<Self, I::Register, W>;
}

/// The constant of the `c`th application of F, from 1, where there are `b` words.
const fn constant(c: usize, b: usize) -> [u8; 16] {
    let mut constant = [0; 16];
    let mut i = 0;
    while i < 4 {
        constant[4 * i] = ((16 * i) ^ c ^ b) as u8;
        i += 1;
    }
    constant
}

/// The constants of `ROUNDS` rounds of `M` steps, in the order of the steps.
const fn constants<const M: usize, const ROUNDS: usize>(b: usize) -> [[[u8; 16]; M]; ROUNDS] {
    let mut constants = [[[0; 16]; M]; ROUNDS];
    let mut i = 0;
    while i < M * ROUNDS {
        constants[i / M][i % M] = constant(i + 1, b);
        i += 1;
    }
    constants
}

static CONSTANTS2: [[[u8; 16]; 1]; 15] = constants(2);
static CONSTANTS3: [[[u8; 16]; 1]; 21] = constants(3);
static CONSTANTS8: [[[u8; 16]; 4]; 18] = constants(8);

/// The constants of two steps, for up to four lanes of turned states: there, the odd lanes want
/// those of the other step. Whole, because it takes longer to load a block into every lane.
#[repr(align(64))]
struct Alternating([[[u8; 16]; 4]; 2]);

/// Rounds 0 and 2, and 1 and 3, take the same steps in different order. With their constants
/// exchanged instead, rounds repeat after two.
static CONSTANTS4: [Alternating; 15] = {
    let constants: [[[u8; 16]; 2]; 15] = constants(4);
    let mut lanes = [const { Alternating([[[0; 16]; 4]; 2]) }; 15];
    let mut r = 0;
    while r < 15 {
        let [a, b] = constants[r];
        let (a, b) = if r % 4 < 2 { (a, b) } else { (b, a) };
        lanes[r] = Alternating([[a, b, a, b], [b, a, b, a]]);
        r += 1;
    }
    lanes
};

/// `x[to] ⊕= F(x[from])` for every step `(from, to)`, all of them independent, where
/// F(x) = AESRound(AESRound(x, constant), 0). The second round key adds for nothing.
#[inline(always)]
fn round<L: StateLanes, const N: usize, const M: usize, const W: usize>(
    isa: L::Isa,
    x: &mut [[L; N]; W],
    steps: [(usize, usize); M],
    constants: &[[u8; 16]; M],
) {
    let mut keys = [x[0][0]; M];
    for m in 0..M {
        keys[m] = L::broadcast(isa, &constants[m]);
    }
    round_with(x, steps, keys);
}

/// The same of four words, where states lie turned.
#[inline(always)]
fn round4<L: StateLanes, const N: usize>(
    isa: L::Isa,
    x: &mut [[L; N]; 4],
    steps: [(usize, usize); 2],
    constants: &Alternating,
) {
    let mut keys = [x[0]; 2];
    let [first, second] = &constants.0;
    keys[0][0] = L::load(isa, &first.as_flattened()[..L::BYTES]);
    keys[1][0] = L::load(isa, &second.as_flattened()[..L::BYTES]);
    if const { N > 1 } {
        for n in 1..N {
            (keys[0][n], keys[1][n]) = (keys[0][0], keys[1][0]);
        }
    }
    apply(x, steps, keys);
}

/// Round `r` of vector 0 and, each four rounds ahead of the one before, of the others. Rounds
/// repeat after two but for their constants: so all of them are at the same steps. The inverse
/// takes these steps with the constants in the opposite order.
#[inline(always)]
fn round_apart<L: StateLanes, const N: usize>(
    isa: L::Isa,
    x: &mut [[L; N]; 4],
    steps: [(usize, usize); 2],
    inverse: bool,
    r: usize,
) {
    let mut keys = [x[0]; 2];
    for n in 0..N {
        let r = if inverse { 14 - (4 * n + r) } else { 4 * n + r };
        for m in 0..2 {
            keys[m][n] = L::load(isa, &CONSTANTS4[r].0[m].as_flattened()[..L::BYTES]);
        }
    }
    apply(x, steps, keys);
}

#[inline(always)]
fn round_with<L: StateLanes, const N: usize, const M: usize, const W: usize>(
    x: &mut [[L; N]; W],
    steps: [(usize, usize); M],
    constants: [L; M],
) {
    let mut keys = [x[0]; M];
    for m in 0..M {
        keys[m] = [constants[m]; N];
    }
    apply(x, steps, keys);
}

#[inline(always)]
fn apply<L: StateLanes, const N: usize, const M: usize, const W: usize>(
    x: &mut [[L; N]; W],
    steps: [(usize, usize); M],
    keys: [[L; N]; M],
) {
    if const { M == 2 && !<L::Isa as Isa>::ROUNDS_ARE_CALLS } {
        // Without loops, of which the compiler would have many to unroll: steps are independent.
        let [(from, to), (other_from, other_to)] = [steps[0], steps[M - 1]];
        let y = L::aes_rounds(x[from], keys[0]);
        let other_y = L::aes_rounds(x[other_from], keys[M - 1]);
        x[to] = L::aes_rounds(y, x[to]);
        x[other_to] = L::aes_rounds(other_y, x[other_to]);
        return;
    }
    let mut from = [x[0]; M];
    let mut to = from;
    for m in 0..M {
        from[m] = x[steps[m].0];
        to[m] = x[steps[m].1];
    }
    let out = L::aes_rounds_of(L::aes_rounds_of(from, keys), to);
    for m in 0..M {
        x[steps[m].1] = out[m];
    }
}

impl BlockRounds<2> for Simpira<2> {
    #[inline(always)]
    fn permute<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 2]) {
        for i in 0..7 {
            round(isa, x, [(0, 1)], &CONSTANTS2[2 * i]);
            round(isa, x, [(1, 0)], &CONSTANTS2[2 * i + 1]);
        }
        round(isa, x, [(0, 1)], &CONSTANTS2[14]);
    }

    #[inline(always)]
    fn invert<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 2]) {
        round(isa, x, [(0, 1)], &CONSTANTS2[14]);
        for i in (0..7).rev() {
            round(isa, x, [(1, 0)], &CONSTANTS2[2 * i + 1]);
            round(isa, x, [(0, 1)], &CONSTANTS2[2 * i]);
        }
    }
}

impl BlockRounds<3> for Simpira<3> {
    #[inline(always)]
    fn permute<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 3]) {
        for i in 0..7 {
            round(isa, x, [(0, 1)], &CONSTANTS3[3 * i]);
            round(isa, x, [(1, 2)], &CONSTANTS3[3 * i + 1]);
            round(isa, x, [(2, 0)], &CONSTANTS3[3 * i + 2]);
        }
    }

    #[inline(always)]
    fn invert<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 3]) {
        for i in (0..7).rev() {
            round(isa, x, [(2, 0)], &CONSTANTS3[3 * i + 2]);
            round(isa, x, [(1, 2)], &CONSTANTS3[3 * i + 1]);
            round(isa, x, [(0, 1)], &CONSTANTS3[3 * i]);
        }
    }
}

/// The steps of the even and of the odd rounds of four words.
const STEPS4: [[(usize, usize); 2]; 2] = [[(0, 1), (2, 3)], [(1, 2), (3, 0)]];

impl BlockRounds<4> for Simpira<4> {
    const TURNED: bool = true;
    const STAGGERS: bool = true;

    #[inline(always)]
    fn permute<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 4]) {
        for i in 0..7 {
            round4(isa, x, STEPS4[0], &CONSTANTS4[2 * i]);
            round4(isa, x, STEPS4[1], &CONSTANTS4[2 * i + 1]);
        }
        round4(isa, x, STEPS4[0], &CONSTANTS4[14]);
    }

    #[inline(always)]
    fn invert<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 4]) {
        round4(isa, x, STEPS4[0], &CONSTANTS4[14]);
        for i in (0..7).rev() {
            round4(isa, x, STEPS4[1], &CONSTANTS4[2 * i + 1]);
            round4(isa, x, STEPS4[0], &CONSTANTS4[2 * i]);
        }
    }

    #[inline(always)]
    fn beside<L: StateLanes, const N: usize, const K: usize>(
        isa: L::Isa,
        inverse: bool,
        x: &mut [[L; N]; 4],
        others: &mut [[L::X1; K]; 4],
    ) {
        // Forward and backward, even rounds have the same steps, and odd ones.
        let of_x = |r| &CONSTANTS4[if inverse { 14 - r } else { r }];
        for i in 0..7 {
            round4(isa, x, STEPS4[0], of_x(2 * i));
            round4(isa, others, STEPS4[0], &CONSTANTS4[2 * i]);
            round4(isa, x, STEPS4[1], of_x(2 * i + 1));
            round4(isa, others, STEPS4[1], &CONSTANTS4[2 * i + 1]);
        }
        round4(isa, x, STEPS4[0], of_x(14));
        round4(isa, others, STEPS4[0], &CONSTANTS4[14]);
    }

    #[inline(always)]
    fn stagger<L: StateLanes>(isa: L::Isa, inverse: bool, x: &mut [[L; 4]; 4]) {
        round_apart(isa, x, STEPS4[0], inverse, 0);
        round_apart(isa, x, STEPS4[1], inverse, 1);
        round_apart(isa, x, STEPS4[0], inverse, 2);
        // The last quarter is one round short.
        let mut others = [[x[0][0]; 3]; 4];
        for k in 0..4 {
            others[k].copy_from_slice(&x[k][..3]);
        }
        round_apart(isa, &mut others, STEPS4[1], inverse, 3);
        for k in 0..4 {
            x[k][..3].copy_from_slice(&others[k]);
        }
    }
}

/// The steps of six rounds of eight words, after which they repeat: with s = (0, 1, 6, 5, 4, 3) and
/// u = (2, 7), from s(r) to s(r+1), u(r) to s(r+5), s(r+4) to s(r+3), and s(r+2) to u(r+1).
const STEPS8: [[(usize, usize); 4]; 6] = {
    const S: [usize; 6] = [0, 1, 6, 5, 4, 3];
    const U: [usize; 2] = [2, 7];
    let mut steps = [[(0, 0); 4]; 6];
    let mut r = 0;
    while r < 6 {
        steps[r] = [
            (S[r], S[(r + 1) % 6]),
            (U[r % 2], S[(r + 5) % 6]),
            (S[(r + 4) % 6], S[(r + 3) % 6]),
            (S[(r + 2) % 6], U[(r + 1) % 2]),
        ];
        r += 1;
    }
    steps
};

impl BlockRounds<8> for Simpira<8> {
    #[inline(always)]
    fn permute<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 8]) {
        for i in 0..3 {
            round(isa, x, STEPS8[0], &CONSTANTS8[6 * i]);
            round(isa, x, STEPS8[1], &CONSTANTS8[6 * i + 1]);
            round(isa, x, STEPS8[2], &CONSTANTS8[6 * i + 2]);
            round(isa, x, STEPS8[3], &CONSTANTS8[6 * i + 3]);
            round(isa, x, STEPS8[4], &CONSTANTS8[6 * i + 4]);
            round(isa, x, STEPS8[5], &CONSTANTS8[6 * i + 5]);
        }
    }

    #[inline(always)]
    fn invert<L: StateLanes, const N: usize>(isa: L::Isa, x: &mut [[L; N]; 8]) {
        for i in (0..3).rev() {
            round(isa, x, STEPS8[5], &CONSTANTS8[6 * i + 5]);
            round(isa, x, STEPS8[4], &CONSTANTS8[6 * i + 4]);
            round(isa, x, STEPS8[3], &CONSTANTS8[6 * i + 3]);
            round(isa, x, STEPS8[2], &CONSTANTS8[6 * i + 2]);
            round(isa, x, STEPS8[1], &CONSTANTS8[6 * i + 1]);
            round(isa, x, STEPS8[0], &CONSTANTS8[6 * i]);
        }
    }
}
