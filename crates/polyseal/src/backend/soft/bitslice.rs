//! One round, or its inverse, of eight blocks at once: from blocks to
//! [`planes`](super::super::planes) and back.
//!
//! Bytes stay in their order: byte `k = 4·c + r` is row `r` of column `c` of the AES state, so a
//! column is 32 bits of a plane, and a row is every fourth byte.

use super::super::planes::{sub_bytes, transpose};

type Half = u64;

/// MixColumns(ShiftRows(SubBytes(block))) for each of eight blocks (little-endian integers).
#[inline(never)]
pub(super) fn aes_rounds_without_key(blocks: &mut [u128; 8]) {
    let mut planes = Planes::from_blocks(blocks);
    planes.by_halves(|half| {
        transpose(half);
        sub_bytes(half);
    });
    planes.shift_rows();
    planes.by_halves(|half| {
        mix_columns(half);
        transpose(half);
    });
    planes.store(blocks);
}

/// ShiftRows(SubBytes(block)) for each of eight blocks.
#[inline(never)]
pub(super) fn aes_last_rounds_without_key(blocks: &mut [u128; 8]) {
    let mut planes = Planes::from_blocks(blocks);
    planes.by_halves(|half| {
        transpose(half);
        sub_bytes(half);
    });
    planes.shift_rows();
    planes.by_halves(transpose);
    planes.store(blocks);
}

/// InvMixColumns(InvSubBytes(InvShiftRows(block))) for each of eight blocks.
#[inline(never)]
pub(super) fn aes_inverse_rounds_without_key(blocks: &mut [u128; 8]) {
    let mut planes = Planes::from_blocks(blocks);
    planes.by_halves(transpose);
    planes.inv_shift_rows();
    planes.by_halves(|half| {
        inv_sub_bytes(half);
        inv_mix_columns(half);
        transpose(half);
    });
    planes.store(blocks);
}

/// InvSubBytes(InvShiftRows(block)) for each of eight blocks.
#[inline(never)]
pub(super) fn aes_inverse_last_rounds_without_key(blocks: &mut [u128; 8]) {
    let mut planes = Planes::from_blocks(blocks);
    planes.by_halves(transpose);
    planes.inv_shift_rows();
    planes.by_halves(|half| {
        inv_sub_bytes(half);
        transpose(half);
    });
    planes.store(blocks);
}

/// The lower halves of eight blocks or planes, columns 0 and 1, and the upper ones, columns 2 and
/// 3.
struct Planes([[Half; 8]; 2]);

impl Planes {
    #[inline(always)]
    fn from_blocks(blocks: &[u128; 8]) -> Self {
        Self([blocks.map(|block| block as u64), blocks.map(|block| (block >> 64) as u64)])
    }

    #[inline(always)]
    fn store(&self, blocks: &mut [u128; 8]) {
        for b in 0..8 {
            blocks[b] = u128::from(self.0[1][b]) << 64 | u128::from(self.0[0][b]);
        }
    }

    /// Changes one half after the other: eight words and what is made of them are almost as much as
    /// the registers of a 64-bit CPU hold. (Where there are vectors, the compiler takes both.)
    #[inline(always)]
    fn by_halves(&mut self, change: impl Fn(&mut [Half; 8])) {
        for half in &mut self.0 {
            change(half);
        }
    }

    /// Row `r` moves by `r` columns: byte `4·c + r` comes from byte `4·(c + r) + r`.
    #[inline(always)]
    fn shift_rows(&mut self) {
        self.exchange_columns();
        self.exchange_halves();
    }

    /// Row `r` moves back: byte `4·c + r` comes from byte `4·(c - r) + r`.
    #[inline(always)]
    fn inv_shift_rows(&mut self) {
        self.exchange_halves();
        self.exchange_columns();
    }

    /// In rows 1 and 3, columns 0 and 1, and columns 2 and 3.
    #[inline(always)]
    fn exchange_columns(&mut self) {
        for half in &mut self.0 {
            for x in half {
                *x ^= (*x ^ x.rotate_left(32)) & (row(1) | row(3));
            }
        }
    }

    /// In row 2, columns 0 and 2, and columns 1 and 3; in row 1 the latter, in row 3 the former.
    #[inline(always)]
    fn exchange_halves(&mut self) {
        let (first, second) = (Half::MAX >> 32, Half::MAX << 32);
        let [low, high] = &mut self.0;
        for b in 0..8 {
            let t = (low[b] ^ high[b]) & (row(1) & second | row(2) | row(3) & first);
            low[b] ^= t;
            high[b] ^= t;
        }
    }
}

/// Row `r` of two columns.
const fn row(r: u32) -> Half {
    0x000000ff_000000ff << (8 * r)
}

/// InvSubBytes.
#[inline(always)]
fn inv_sub_bytes(x: &mut [Half; 8]) {
    // The S-box is an affine map A after the inversion of GF(2⁸), so its inverse is A⁻¹ after the
    // S-box after A⁻¹.
    inv_affine(x);
    sub_bytes(x);
    inv_affine(x);
}

/// The inverse of the S-box's affine map: `y_b ↦ y_{b+2} ⊕ y_{b+5} ⊕ y_{b+7}`, then 0x05.
#[inline(always)]
fn inv_affine(x: &mut [Half; 8]) {
    let y = *x;
    for b in 0..8 {
        x[b] = y[(b + 2) % 8] ^ y[(b + 5) % 8] ^ y[(b + 7) % 8];
    }
    x[0] = !x[0];
    x[2] = !x[2];
}

/// InvMixColumns is MixColumns after `a_r ↦ a_r ⊕ 4·(a_r ⊕ a_{r+2})`.
#[inline(always)]
fn inv_mix_columns(x: &mut [Half; 8]) {
    let mut pair = *x;
    for b in 0..8 {
        pair[b] ^= rotate_columns(x[b], 2);
    }
    let twice =
        |p: [Half; 8]| [p[7], p[0] ^ p[7], p[1], p[2] ^ p[7], p[3] ^ p[7], p[4], p[5], p[6]];
    let four_times = twice(twice(pair));
    for b in 0..8 {
        x[b] ^= four_times[b];
    }
    mix_columns(x);
}

/// Each byte of a column becomes the byte `r` rows below it.
#[inline(always)]
fn rotate_columns(x: Half, r: u32) -> Half {
    let wrapped = if r == 1 { row(0) } else { row(0) | row(1) };
    (x & !wrapped) >> (8 * r) | (x & wrapped) << (32 - 8 * r)
}

/// `a_r ↦ 2·(a_r ⊕ a_{r+1}) ⊕ a_{r+1} ⊕ (a_{r+2} ⊕ a_{r+3})`
#[inline(always)]
fn mix_columns(x: &mut [Half; 8]) {
    let below = x.map(|plane| rotate_columns(plane, 1));
    let pair: [Half; 8] = core::array::from_fn(|b| x[b] ^ below[b]);
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
