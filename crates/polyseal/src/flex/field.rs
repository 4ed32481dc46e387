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
