//! AES on eight blocks at once, bitsliced.
//!
//! Source: FIPS 197; the S-box circuit is Boyar and Peralta's (113 gates, "A new combinational
//! logic minimization technique with applications to cryptology", SEA 2010). Constant time: only
//! and, exclusive or, shifts, rotations and shuffles whose indices are constants.
//!
//! Eight blocks are eight bit planes of 128 bits: bit `8·k + j` of plane `b` is bit `b` of byte `k`
//! of block `j`. Where blocks stay in planes for many rounds ([`Sliced`]), their bytes are in the
//! order of rows: byte `4·r + c` is row `r` of column `c` of the AES state, so that a row is 32
//! bits of a plane.

use core::ops::{BitAnd, BitXor, Not};

/// Some bytes of a block, or one bit of those of eight.
pub(super) trait Bits:
    Copy + BitAnd<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// `byte` everywhere.
    fn splat(self, byte: u8) -> Self;
    /// Each byte's bits `BITS` places up; the lowest ones are of no account.
    fn up<const BITS: i32>(self) -> Self;
    /// Each byte's bits `BITS` places down; the highest ones are of no account.
    fn down<const BITS: i32>(self) -> Self;
}

/// 128 bits: a block, or one bit of each byte of eight.
pub(super) trait Plane: Bits {
    /// Each byte all ones where its bit `b` is set, and zero elsewhere.
    fn bit(self, b: usize) -> Self;
    /// The bytes of a block in the order of rows, or back in that of columns.
    fn turn(self) -> Self;
    /// Row `r` moves by `r` columns: column `c` comes from column `c + r`.
    fn shift_rows(self) -> Self;
    /// Row `r` comes from row `r + 1`.
    fn next_row(self) -> Self;
    /// Row `r` comes from row `r + 2`.
    fn next_row_but_one(self) -> Self;
}

/// Exchanges blocks and bit planes: transposes the 8×8 bit matrix at each byte. Its own inverse.
#[inline(always)]
pub(super) fn transpose<P: Bits>(x: &mut [P; 8]) {
    let low = x[0].splat(0x55);
    for i in [0, 2, 4, 6] {
        exchange::<1, P>(x, i, i + 1, low);
    }
    let low = low.splat(0x33);
    for i in [0, 1, 4, 5] {
        exchange::<2, P>(x, i, i + 2, low);
    }
    let low = low.splat(0x0f);
    for i in [0, 1, 2, 3] {
        exchange::<4, P>(x, i, i + 4, low);
    }
}

/// Exchanges the bits `low << BITS` of `x[i]` with `low` of `x[j]`.
#[inline(always)]
fn exchange<const BITS: i32, P: Bits>(x: &mut [P; 8], i: usize, j: usize, low: P) {
    let t = (x[i].down::<BITS>() ^ x[j]) & low;
    x[j] = x[j] ^ t;
    x[i] = x[i] ^ t.up::<BITS>();
}

/// Eight blocks, in planes.
#[derive(Clone, Copy)]
pub(super) struct Sliced<P>([P; 8]);

impl<P: Plane> Sliced<P> {
    #[inline(always)]
    pub(super) fn new(mut blocks: [P; 8]) -> Self {
        for block in &mut blocks {
            *block = block.turn();
        }
        transpose(&mut blocks);
        Self(blocks)
    }

    #[inline(always)]
    pub(super) fn blocks(mut self) -> [P; 8] {
        transpose(&mut self.0);
        for block in &mut self.0 {
            *block = block.turn();
        }
        self.0
    }

    /// `block` eight times.
    #[inline(always)]
    fn broadcast(block: P) -> Self {
        let block = block.turn();
        let mut planes = [block; 8];
        for b in 0..8 {
            planes[b] = block.bit(b);
        }
        Self(planes)
    }

    /// Adds block to block.
    #[inline(always)]
    fn add(&mut self, other: &Self) {
        for b in 0..8 {
            self.0[b] = self.0[b] ^ other.0[b];
        }
    }

    /// Adds a round's key and the S-box's constant to every block.
    #[inline(always)]
    fn add_with_constant(&mut self, key: P) {
        self.add(&Self::broadcast(key ^ key.splat(CONSTANT)));
    }

    /// AES's last round but for its key and the S-box's constant, which may be added at any time;
    /// the others go on with [`mix_columns`](Self::mix_columns).
    #[inline(always)]
    fn last_round(&mut self) {
        sub_bytes_but_for_constant(&mut self.0);
        for b in 0..8 {
            self.0[b] = self.0[b].shift_rows();
        }
    }

    /// `a_r ↦ 2·(a_r ⊕ a_{r+1}) ⊕ a_{r+1} ⊕ (a_{r+2} ⊕ a_{r+3})`
    #[inline(always)]
    fn mix_columns(&mut self) {
        let (mut below, mut p) = (self.0, self.0);
        for b in 0..8 {
            below[b] = p[b].next_row();
            p[b] = p[b] ^ below[b];
        }
        // Doubling in GF(2⁸) moves each plane up; the top one returns at x⁴ + x³ + x + 1.
        let twice = [p[7], p[0] ^ p[7], p[1], p[2] ^ p[7], p[3] ^ p[7], p[4], p[5], p[6]];
        for b in 0..8 {
            self.0[b] = twice[b] ^ below[b] ^ p[b].next_row_but_one();
        }
    }
}

/// AES of eight blocks under `round_keys`.
#[inline(always)]
pub(super) fn encrypt<P: Plane>(
    blocks: [P; 8],
    round_keys: &[[u8; 16]],
    load: impl Fn(&[u8; 16]) -> P,
) -> [P; 8] {
    let rounds = round_keys.len() - 1;
    let mut x = Sliced::new(blocks);
    x.add(&Sliced::broadcast(load(&round_keys[0])));
    for key in &round_keys[1..rounds] {
        x.last_round();
        x.mix_columns();
        x.add_with_constant(load(key));
    }
    x.last_round();
    x.add_with_constant(load(&round_keys[rounds]));
    x.blocks()
}

/// The affine constant of the S-box.
const CONSTANT: u8 = 0x63;

/// The S-box on every byte.
#[inline(always)]
pub(super) fn sub_bytes<P: Bits>(q: &mut [P; 8]) {
    sub_bytes_but_for_constant(q);
    for b in 0..8 {
        if CONSTANT >> b & 1 != 0 {
            q[b] = !q[b];
        }
    }
}

/// The S-box on every byte, without its constant; the names are those of the published circuit.
#[inline(always)]
fn sub_bytes_but_for_constant<P: Bits>(q: &mut [P; 8]) {
    let [x7, x6, x5, x4, x3, x2, x1, x0] = *q;

    // Top linear transformation.
    let y14 = x3 ^ x5;
    let y13 = x0 ^ x6;
    let y9 = x0 ^ x3;
    let y8 = x0 ^ x5;
    let t0 = x1 ^ x2;
    let y1 = t0 ^ x7;
    let y4 = y1 ^ x3;
    let y12 = y13 ^ y14;
    let y2 = y1 ^ x0;
    let y5 = y1 ^ x6;
    let y3 = y5 ^ y8;
    let t1 = x4 ^ y12;
    let y15 = t1 ^ x5;
    let y20 = t1 ^ x1;
    let y6 = y15 ^ x7;
    let y10 = y15 ^ t0;
    let y11 = y20 ^ y9;
    let y7 = x7 ^ y11;
    let y17 = y10 ^ y11;
    let y19 = y10 ^ y8;
    let y16 = t0 ^ y11;
    let y21 = y13 ^ y16;
    let y18 = x0 ^ y16;

    // Middle: inversion in GF(2⁴)².
    let t2 = y12 & y15;
    let t3 = y3 & y6;
    let t4 = t3 ^ t2;
    let t5 = y4 & x7;
    let t6 = t5 ^ t2;
    let t7 = y13 & y16;
    let t8 = y5 & y1;
    let t9 = t8 ^ t7;
    let t10 = y2 & y7;
    let t11 = t10 ^ t7;
    let t12 = y9 & y11;
    let t13 = y14 & y17;
    let t14 = t13 ^ t12;
    let t15 = y8 & y10;
    let t16 = t15 ^ t12;
    let t17 = t4 ^ t14;
    let t18 = t6 ^ t16;
    let t19 = t9 ^ t14;
    let t20 = t11 ^ t16;
    let t21 = t17 ^ y20;
    let t22 = t18 ^ y19;
    let t23 = t19 ^ y21;
    let t24 = t20 ^ y18;
    let t25 = t21 ^ t22;
    let t26 = t21 & t23;
    let t27 = t24 ^ t26;
    let t28 = t25 & t27;
    let t29 = t28 ^ t22;
    let t30 = t23 ^ t24;
    let t31 = t22 ^ t26;
    let t32 = t31 & t30;
    let t33 = t32 ^ t24;
    let t34 = t23 ^ t33;
    let t35 = t27 ^ t33;
    let t36 = t24 & t35;
    let t37 = t36 ^ t34;
    let t38 = t27 ^ t36;
    let t39 = t29 & t38;
    let t40 = t25 ^ t39;
    let t41 = t40 ^ t37;
    let t42 = t29 ^ t33;
    let t43 = t29 ^ t40;
    let t44 = t33 ^ t37;
    let t45 = t42 ^ t41;
    let z0 = t44 & y15;
    let z1 = t37 & y6;
    let z2 = t33 & x7;
    let z3 = t43 & y16;
    let z4 = t40 & y1;
    let z5 = t29 & y7;
    let z6 = t42 & y11;
    let z7 = t45 & y17;
    let z8 = t41 & y10;
    let z9 = t44 & y12;
    let z10 = t37 & y3;
    let z11 = t33 & y4;
    let z12 = t43 & y13;
    let z13 = t40 & y5;
    let z14 = t29 & y2;
    let z15 = t42 & y9;
    let z16 = t45 & y14;
    let z17 = t41 & y8;

    // Bottom linear transformation.
    let t46 = z15 ^ z16;
    let t47 = z10 ^ z11;
    let t48 = z5 ^ z13;
    let t49 = z9 ^ z10;
    let t50 = z2 ^ z12;
    let t51 = z2 ^ z5;
    let t52 = z7 ^ z8;
    let t53 = z0 ^ z3;
    let t54 = z6 ^ z7;
    let t55 = z16 ^ z17;
    let t56 = z12 ^ t48;
    let t57 = t50 ^ t53;
    let t58 = z4 ^ t46;
    let t59 = z3 ^ t54;
    let t60 = t46 ^ t57;
    let t61 = z14 ^ t57;
    let t62 = t52 ^ t58;
    let t63 = t49 ^ t58;
    let t64 = z4 ^ t59;
    let t65 = t61 ^ t62;
    let t66 = z1 ^ t63;
    let s0 = t59 ^ t63;
    let s6 = t56 ^ t62;
    let s7 = t48 ^ t60;
    let t67 = t64 ^ t65;
    let s3 = t53 ^ t66;
    let s4 = t51 ^ t66;
    let s5 = t47 ^ t65;
    let s1 = t64 ^ s3;
    let s2 = t55 ^ t67;

    *q = [s7, s6, s5, s4, s3, s2, s1, s0];
}
