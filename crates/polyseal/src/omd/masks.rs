//! The masks: L*, its multiples, and L\[i\].
//!
//! Doubling is multiplication by x in GF(2^256) or GF(2^512), a string's first bit being the
//! highest coefficient. L\[i\] = 2^(i + 2) L*; those beyond the table are doubled when they are
//! asked for, once in 2^16 blocks, so that no table ends where a long message goes on.

use zeroize::Zeroize;

use crate::hash::Compression;

/// How many L\[i\] are kept.
pub(super) const KEPT: usize = 16;

/// The masks of a key. Wiped on drop.
#[derive(Clone)]
pub(super) struct Masks<C: Compression> {
    /// L*.
    pub(super) star: C::Block,
    /// 2L*, of a last block that is full.
    pub(super) full: C::Block,
    /// 3L*, of a last block that is padded.
    pub(super) padded: C::Block,
    /// L[0], L[1], …
    l: [C::Block; KEPT],
}

impl<C: Compression> Masks<C> {
    pub(super) fn new(star: C::Block) -> Self {
        let full = double::<C>(star);
        let mut padded = full;
        xor(&mut padded, &star);
        let mut l = [double::<C>(full); KEPT];
        for i in 1..KEPT {
            l[i] = double::<C>(l[i - 1]);
        }
        Self { star, full, padded, l }
    }

    /// Adds L[ntz(`index`)], `index` being a block's number, from 1.
    #[inline(always)]
    pub(super) fn add(&self, index: u64, mask: &mut C::Block) {
        // CT: a block's number is public.
        let i = index.trailing_zeros() as usize;
        match self.l.get(i) {
            Some(l) => xor(mask, l),
            None => self.add_beyond(i, mask),
        }
    }

    /// How many blocks after block `index` follow each other with masks in the table.
    pub(super) fn kept_after(index: u64) -> usize {
        let period = 1 << KEPT;
        (period - 1 - index % period) as usize
    }

    /// L[ntz(`index`)], of those in the table.
    #[inline(always)]
    pub(super) fn kept(&self, index: u64) -> &C::Block {
        // CT: a block's number is public.
        &self.l[index.trailing_zeros() as usize]
    }

    #[cold]
    fn add_beyond(&self, i: usize, mask: &mut C::Block) {
        let mut l = self.l[KEPT - 1];
        for _ in KEPT..=i {
            l = double::<C>(l);
        }
        xor(mask, &l);
        l.zeroize();
    }
}

impl<C: Compression> Drop for Masks<C> {
    fn drop(&mut self) {
        self.star.zeroize();
        self.full.zeroize();
        self.padded.zeroize();
        self.l.zeroize();
    }
}

/// 2 · `x`.
fn double<C: Compression>(mut x: C::Block) -> C::Block {
    let bytes = x.as_mut();
    // CT: the highest bit becomes a byte of zeros or ones.
    let carry = 0_u8.wrapping_sub(bytes[0] >> 7);
    for i in 0..bytes.len() {
        let next = bytes.get(i + 1).map_or(0, |next| next >> 7);
        bytes[i] = bytes[i] << 1 | next;
    }
    let end = bytes.len() - C::REDUCTION.len();
    for (byte, reduction) in bytes[end..].iter_mut().zip(C::REDUCTION) {
        *byte ^= reduction & carry;
    }
    x
}

/// `x` ⊕= `y`.
#[inline(always)]
pub(super) fn xor<B: Copy + AsRef<[u8]> + AsMut<[u8]>>(x: &mut B, y: &B) {
    // Not in place: only what cannot overlap is done in vectors.
    let (mut sum, y) = (*x, *y);
    for (x, y) in sum.as_mut().iter_mut().zip(y.as_ref()) {
        *x ^= y;
    }
    *x = sum;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Sha256, Sha512};

    /// x^8 by repeated doubling is a shift by a byte, with the byte that falls out times the
    /// reduction.
    fn eight_doublings_are_a_shift<const N: usize, C: Compression<Block = [u8; N]>>() {
        for first in [0_u8, 1, 0x80, 0xa5, 0xff] {
            let mut x: [u8; N] = core::array::from_fn(|i| (17 * i + 3) as u8);
            x[0] = first;
            let mut doubled = x;
            for _ in 0..8 {
                doubled = double::<C>(doubled);
            }
            let mut product = 0_u32;
            for bit in 0..8 {
                if first >> bit & 1 == 1 {
                    product ^= u32::from(u16::from_be_bytes(C::REDUCTION)) << bit;
                }
            }
            let mut expected = [0; N];
            expected[..N - 1].copy_from_slice(&x[1..]);
            for (byte, part) in expected[N - 4..].iter_mut().zip(product.to_be_bytes()) {
                *byte ^= part;
            }
            assert_eq!(doubled, expected);
        }
    }

    #[test]
    fn doubling_is_that_of_the_field() {
        eight_doublings_are_a_shift::<32, Sha256>();
        eight_doublings_are_a_shift::<64, Sha512>();
    }

    /// The published code reads beyond its table at block 2^25, where ntz is 25.
    #[test]
    fn no_block_is_beyond_the_table() {
        let star: [u8; 32] = core::array::from_fn(|i| (29 * i + 1) as u8);
        let masks = Masks::<Sha256>::new(star);
        for i in 0..64_u32 {
            let mut expected = star;
            for _ in 0..i + 2 {
                expected = double::<Sha256>(expected);
            }
            // Every number with that many zeros at its end, odd in front or not.
            for index in
                [1_u64 << i, (1 << i) | 1_u64.checked_shl(i + 1).unwrap_or(0), u64::MAX << i]
            {
                let mut mask = [0; 32];
                masks.add(index, &mut mask);
                assert_eq!(mask, expected, "{index:#x}");
            }
        }
    }

    #[test]
    fn multiples_are_multiples() {
        let star: [u8; 32] = core::array::from_fn(|i| (31 * i + 200) as u8);
        let masks = Masks::<Sha256>::new(star);
        let mut sum = masks.padded;
        xor(&mut sum, &masks.full);
        assert_eq!((sum, masks.full), (star, double::<Sha256>(star)));
    }
}
