//! GF(2^n), a block's bytes as a little-endian polynomial.

/// x · `block`, where x^n is worth `reduction`.
///
/// # Panics
/// If the block is not made of whole words.
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
        let mut carry = words[WORDS - 1] >> 63;
        let reduced = reduction & carry.wrapping_neg();
        carry = 0;
        for word in &mut words {
            (*word, carry) = ((*word << 1) | carry, *word >> 63);
        }
        words[0] ^= reduced;
    }
    *block = words.map(u64::to_le_bytes);
}
