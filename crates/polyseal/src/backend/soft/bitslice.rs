//! One round, or its inverse, of eight blocks at once: from blocks to [`planes`](super::super::planes)
//! and back.
//!
//! Bytes stay in their order: byte `k = 4·c + r` is row `r` of column `c` of the AES state, so a
//! column is 32 bits of a plane, and a row is every fourth byte.

use super::super::planes::{sub_bytes, transpose};
use super::plane::{left, right};

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

/// Row `r` moves by `r` columns: byte `4·c + r` comes from byte `4·(c + r) + r`.
#[inline(always)]
fn shift_rows(x: Plane) -> Plane {
    const ROW0: u128 = 0x000000ff_000000ff_000000ff_000000ff;
    (x & ROW0)
        | (next_column(x) & (ROW0 << 8))
        | (x.rotate_right(64) & (ROW0 << 16))
        | (next_column(x.rotate_right(64)) & (ROW0 << 24))
}

/// Each column from the next.
#[inline(always)]
fn next_column(x: Plane) -> Plane {
    right(x, 32) | left(x.rotate_right(64), 32)
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
        | (next_column(x.rotate_right(64)) & (ROW0 << 8))
        | (x.rotate_right(64) & (ROW0 << 16))
        | (next_column(x) & (ROW0 << 24))
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
    right(x & !wrapped, 8 * r) | left(x & wrapped, 32 - 8 * r)
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
