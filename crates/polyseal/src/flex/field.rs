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

/// Writes `block`, x · `block`, … one after the other, and leaves the next in `block`.
#[inline(always)]
pub(super) fn write_powers<const WORDS: usize>(
    block: &mut [[u8; 8]; WORDS],
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
    *block = words.map(u64::to_le_bytes);
}

/// `to ⊕= from`.
pub(super) fn add(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}
