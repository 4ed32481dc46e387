//! Loads and stores of a part of a block, from and to a register.
//!
//! Not through a buffer: a wide load would wait until the narrow stores before it are in the cache,
//! a call that copies takes all vector registers, and the buffer would have to be wiped. The
//! accesses overlap instead. Which there are depends on the length alone.

/// At most 16 bytes, then zeros, the first byte lowest.
#[inline(always)]
pub(super) fn load(source: &[u8]) -> u128 {
    let bytes = source.len();
    assert!(bytes <= 16);
    if let Ok(block) = source.try_into() {
        return u128::from_le_bytes(block);
    }
    if let (Some(first), Some(last)) = (source.first_chunk(), source.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        // Two shifts: a shift by 64, of 8 bytes, is not defined.
        let last = last >> (4 * (16 - bytes)) >> (4 * (16 - bytes));
        return u128::from(first) | (u128::from(last) << 64);
    }
    if let (Some(first), Some(last)) = (source.first_chunk(), source.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u128::from(u64::from(first) | (u64::from(last) << (8 * (bytes - 4))));
    }
    let Some(last) = bytes.checked_sub(1) else { return 0 };
    let byte = |at: usize| u32::from(source[at]) << (8 * at);
    u128::from(byte(0) | byte(last / 2) | byte(last))
}

/// The lowest `target.len()` bytes, at most 16.
#[inline(always)]
pub(super) fn store(x: u128, target: &mut [u8]) {
    let bytes = target.len();
    assert!(bytes <= 16);
    let low = x as u64;
    if let Ok(block) = <&mut [u8; 16]>::try_from(&mut *target) {
        *block = x.to_le_bytes();
    } else if bytes >= 8 {
        target[bytes - 8..].copy_from_slice(&((x >> (8 * (bytes - 8))) as u64).to_le_bytes());
        target[..8].copy_from_slice(&low.to_le_bytes());
    } else if bytes >= 4 {
        target[bytes - 4..].copy_from_slice(&((low >> (8 * (bytes - 4))) as u32).to_le_bytes());
        target[..4].copy_from_slice(&(low as u32).to_le_bytes());
    } else if let Some(last) = bytes.checked_sub(1) {
        for at in [0, last / 2, last] {
            target[at] = (low >> (8 * at)) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length() {
        let block: [u8; 16] = core::array::from_fn(|i| 0x81 + 7 * i as u8);
        for bytes in 0..=16 {
            let mut padded = [0; 16];
            padded[..bytes].copy_from_slice(&block[..bytes]);
            assert_eq!(load(&block[..bytes]).to_le_bytes(), padded, "{bytes} bytes");
            let mut target = [0xee; 18];
            store(u128::from_le_bytes(block), &mut target[1..=bytes]);
            assert_eq!(target[1..=bytes], block[..bytes], "{bytes} bytes");
            assert_eq!((target[0], target[bytes + 1]), (0xee, 0xee), "{bytes} bytes");
        }
    }
}
