//! GF(2^n), a block's bytes as a little-endian polynomial.

use crate::backend::wipe;

/// The most words of a block.
const WORDS: usize = 25;

/// x · `block`, where x^n is worth `reduction`.
///
/// # Panics
/// If the block has more than 200 bytes, or a number that is no multiple of 8.
pub(super) fn double(block: &mut [u8], reduction: u64) {
    let (words, []) = block.as_chunks_mut::<8>() else { panic!("whole words") };
    let mut carry = 0;
    for word in &mut *words {
        let value = u64::from_le_bytes(*word);
        *word = ((value << 1) | carry).to_le_bytes();
        carry = value >> 63;
    }
    let first = u64::from_le_bytes(words[0]) ^ (reduction & carry.wrapping_neg());
    words[0] = first.to_le_bytes();
}

/// `to ⊕= from`.
pub(super) fn add(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}

/// Writes x · `block`, x² · `block`, … one after the other.
pub(super) fn multiples(block: &[u8], reduction: u64, out: &mut [u8]) {
    let bytes = block.len();
    let mut x = [0; 8 * WORDS];
    let x = &mut x[..bytes];
    x.copy_from_slice(block);
    for out in out.chunks_exact_mut(bytes) {
        double(x, reduction);
        out.copy_from_slice(x);
    }
    wipe(x);
}
