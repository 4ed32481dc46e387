//! SubBytes, ShiftRows and MixColumns on eight blocks at once, and their inverses, bitsliced.
//!
//! Source: FIPS 197; the S-box circuit is Boyar and Peralta's (113 gates, "A new combinational
//! logic minimization technique with applications to cryptology", SEA 2010). Constant time: only
//! and, exclusive or, shifts and rotations.
//!
//! Eight blocks are eight bit planes of 128 bits: bit `8·k + j` of plane `b` is bit `b` of byte `k`
//! of block `j`. Byte `k = 4·c + r` is row `r` of column `c` of the AES state, so a column is 32
//! bits of a plane, and a row is every fourth byte.

type Plane = u128;

/// MixColumns(ShiftRows(SubBytes(block))) for each of eight blocks (little-endian integers).
#[inline(never)]
pub(super) fn aes_rounds_without_key(blocks: &mut [u128; 8]) {
    transpose(blocks);
    sub_bytes(blocks);
    for plane in blocks.iter_mut() {
        *plane = shift_rows(*plane);
    }
    mix_columns(blocks);
    transpose(blocks);
}

/// ShiftRows(SubBytes(block)) for each of eight blocks.
#[inline(never)]
pub(super) fn aes_last_rounds_without_key(blocks: &mut [u128; 8]) {
    transpose(blocks);
    sub_bytes(blocks);
    for plane in blocks.iter_mut() {
        *plane = shift_rows(*plane);
    }
    transpose(blocks);
}

/// InvMixColumns(InvSubBytes(InvShiftRows(block))) for each of eight blocks.
#[inline(never)]
pub(super) fn aes_inverse_rounds_without_key(blocks: &mut [u128; 8]) {
    transpose(blocks);
    inv_shift_rows_and_sub_bytes(blocks);
    inv_mix_columns(blocks);
    transpose(blocks);
}

/// InvSubBytes(InvShiftRows(block)) for each of eight blocks.
#[inline(never)]
pub(super) fn aes_inverse_last_rounds_without_key(blocks: &mut [u128; 8]) {
    transpose(blocks);
    inv_shift_rows_and_sub_bytes(blocks);
    transpose(blocks);
}

/// Exchanges blocks and bit planes: transposes the 8×8 bit matrix at each byte. Its own inverse.
#[inline(always)]
fn transpose(x: &mut [u128; 8]) {
    swap_bits::<1>(x, u128::from_ne_bytes([0x55; 16]));
    swap_bits::<2>(x, u128::from_ne_bytes([0x33; 16]));
    swap_bits::<4>(x, u128::from_ne_bytes([0x0f; 16]));
}

/// For each pair `(i, i + D)`: exchanges the bits `low << D` of the first with `low` of the second.
#[inline(always)]
fn swap_bits<const D: usize>(x: &mut [u128; 8], low: u128) {
    for i in (0..8).filter(|i| i & D == 0) {
        let t = ((x[i] >> D) ^ x[i + D]) & low;
        x[i + D] ^= t;
        x[i] ^= t << D;
    }
}

/// Row `r` moves by `r` columns: byte `4·c + r` comes from byte `4·(c + r) + r`.
#[inline(always)]
fn shift_rows(x: Plane) -> Plane {
    const ROW0: u128 = 0x000000ff_000000ff_000000ff_000000ff;
    (x & ROW0)
        | (x.rotate_right(32) & (ROW0 << 8))
        | (x.rotate_right(64) & (ROW0 << 16))
        | (x.rotate_right(96) & (ROW0 << 24))
}

/// InvSubBytes after InvShiftRows.
#[inline(always)]
fn inv_shift_rows_and_sub_bytes(x: &mut [Plane; 8]) {
    for plane in x.iter_mut() {
        *plane = inv_shift_rows(*plane);
    }
    // The S-box is an affine map A after the inversion of GF(2⁸), so its inverse is A⁻¹ after the
    // S-box after A⁻¹.
    inv_affine(x);
    sub_bytes(x);
    inv_affine(x);
}

/// Row `r` moves back: byte `4·c + r` comes from byte `4·(c - r) + r`.
#[inline(always)]
fn inv_shift_rows(x: Plane) -> Plane {
    const ROW0: u128 = 0x000000ff_000000ff_000000ff_000000ff;
    (x & ROW0)
        | (x.rotate_left(32) & (ROW0 << 8))
        | (x.rotate_left(64) & (ROW0 << 16))
        | (x.rotate_left(96) & (ROW0 << 24))
}

/// The inverse of the S-box's affine map: `y_b ↦ y_{b+2} ⊕ y_{b+5} ⊕ y_{b+7}`, then 0x05.
#[inline(always)]
fn inv_affine(x: &mut [Plane; 8]) {
    let y = *x;
    for b in 0..8 {
        x[b] = y[(b + 2) % 8] ^ y[(b + 5) % 8] ^ y[(b + 7) % 8];
    }
    x[0] = !x[0];
    x[2] = !x[2];
}

/// InvMixColumns is MixColumns after `a_r ↦ a_r ⊕ 4·(a_r ⊕ a_{r+2})`.
#[inline(always)]
fn inv_mix_columns(x: &mut [Plane; 8]) {
    let mut pair = *x;
    for b in 0..8 {
        pair[b] ^= rotate_columns(x[b], 2);
    }
    let twice =
        |p: [Plane; 8]| [p[7], p[0] ^ p[7], p[1], p[2] ^ p[7], p[3] ^ p[7], p[4], p[5], p[6]];
    let four_times = twice(twice(pair));
    for b in 0..8 {
        x[b] ^= four_times[b];
    }
    mix_columns(x);
}

/// Each byte of a column becomes the byte `r` rows below it.
#[inline(always)]
fn rotate_columns(x: Plane, r: u32) -> Plane {
    const BYTE0: u128 = 0x000000ff_000000ff_000000ff_000000ff;
    let wrapped = match r {
        1 => BYTE0,
        _ => BYTE0 | BYTE0 << 8,
    };
    ((x & !wrapped) >> (8 * r)) | ((x & wrapped) << (32 - 8 * r))
}

/// `a_r ↦ 2·(a_r ⊕ a_{r+1}) ⊕ a_{r+1} ⊕ (a_{r+2} ⊕ a_{r+3})`
#[inline(always)]
fn mix_columns(x: &mut [Plane; 8]) {
    let below = x.map(|plane| rotate_columns(plane, 1));
    let pair: [Plane; 8] = core::array::from_fn(|b| x[b] ^ below[b]);
    for b in 0..8 {
        // Doubling in GF(2⁸) moves each plane up; the top one returns at x⁴ + x³ + x + 1.
        let doubled = match b {
            0 => pair[7],
            1 | 3 | 4 => pair[b - 1] ^ pair[7],
            _ => pair[b - 1],
        };
        x[b] = doubled ^ below[b] ^ rotate_columns(pair[b], 2);
    }
}

/// The S-box on every byte; the names are those of the published circuit.
#[inline(always)]
fn sub_bytes(q: &mut [Plane; 8]) {
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

    // Bottom linear transformation, with the affine constant 0x63.
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
    let s6 = t56 ^ !t62;
    let s7 = t48 ^ !t60;
    let t67 = t64 ^ t65;
    let s3 = t53 ^ t66;
    let s4 = t51 ^ t66;
    let s5 = t47 ^ t65;
    let s1 = t64 ^ !s3;
    let s2 = t55 ^ !t67;

    *q = [s7, s6, s5, s4, s3, s2, s1, s0];
}
