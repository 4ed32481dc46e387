//! GCM's field of 2^128 elements and its GHASH, bit by bit.
//!
//! An element is its block as a big-endian number, so the highest bit belongs to x^0.

/// `x · y`.
pub(crate) fn multiply(x: u128, y: u128) -> u128 {
    let (mut product, mut multiple) = (0, y);
    for i in (0..128).rev() {
        if x >> i & 1 == 1 {
            product ^= multiple;
        }
        multiple = multiple >> 1 ^ if multiple & 1 == 1 { 0xe1 << 120 } else { 0 };
    }
    product
}

pub(crate) fn square(x: u128) -> u128 {
    multiply(x, x)
}

/// x^(2^127), for squaring 128 times changes nothing.
pub(crate) fn square_root(x: u128) -> u128 {
    (0..127).fold(x, |root, _| square(root))
}

/// x^(2^128 − 2): the product of x^2, x^4, …, x^(2^127).
pub(crate) fn inverse(x: u128) -> u128 {
    let one = 1 << 127;
    (0..127)
        .fold((one, x), |(product, power), _| {
            let power = square(power);
            (multiply(product, power), power)
        })
        .0
}

/// GHASH of `ad` and `ct` under `h`.
pub(crate) fn ghash(h: u128, ad: &[u8], ct: &[u8]) -> u128 {
    let bits = |bytes: &[u8]| 8 * bytes.len() as u128;
    let lengths = bits(ad) << 64 | bits(ct);
    let blocks = ad.chunks(16).chain(ct.chunks(16)).map(block).chain([lengths]);
    blocks.fold(0, |hash, block| multiply(hash ^ block, h))
}

/// The element of a block, which is padded with zeros.
pub(crate) fn block(bytes: &[u8]) -> u128 {
    let mut block = [0; 16];
    block[..bytes.len()].copy_from_slice(bytes);
    u128::from_be_bytes(block)
}
