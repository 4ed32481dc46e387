//! GF(2^n), a block's bytes as a little-endian polynomial.

/// x · `words`, where x^n is worth `reduction`.
#[inline(always)]
fn times_x<const WORDS: usize>(words: &mut [u64; WORDS], reduction: u64) {
    let reduced = reduction & (words[WORDS - 1] >> 63).wrapping_neg();
    let mut carry = 0;
    for word in &mut *words {
        (*word, carry) = ((*word << 1) | carry, *word >> 63);
    }
    words[0] ^= reduced;
}

/// x · `block`.
pub(super) fn double<const WORDS: usize>(block: &mut [[u8; 8]; WORDS], reduction: u64) {
    let mut words = block.map(u64::from_le_bytes);
    times_x(&mut words, reduction);
    *block = words.map(u64::to_le_bytes);
}

/// Writes `block`, x · `block`, … one after the other.
#[inline(always)]
pub(super) fn write_powers<const WORDS: usize>(
    block: &[[u8; 8]; WORDS],
    reduction: u64,
    out: &mut [u8],
) {
    let mut words = block.map(u64::from_le_bytes);
    for out in out.chunks_exact_mut(8 * WORDS) {
        for (out, word) in out.chunks_exact_mut(8).zip(words) {
            out.copy_from_slice(&word.to_le_bytes());
        }
        times_x(&mut words, reduction);
    }
}

/// x^16 · `block`.
pub(super) fn times_x16(block: &mut [u8], reduction: u64) {
    let end = block.len() - 2;
    let highest = u16::from_le_bytes([block[end], block[end + 1]]);
    block.copy_within(..end, 2);
    block[..2].fill(0);
    let mut product = 0;
    for i in 0..16 {
        product ^= (reduction << i) & u64::from(highest >> i & 1).wrapping_neg();
    }
    add(block, &product.to_le_bytes());
}

/// `to ⊕= from`.
pub(super) fn add(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}
