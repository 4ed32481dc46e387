//! The compression functions against the hash functions of other crates, and against each other on
//! every back end.

use alloc::vec::Vec;
use core::slice::{from_mut, from_ref};

use blake2::{Blake2b512, Digest};

use super::blake2b::{self, IV, KeyWords};
use super::{Blake2b, Compression, HashTask, Kernel, MAX_LANES, Sha256, Sha512};
use crate::backend::cpu::Soft;
use crate::backend::hashes::{HashBackend, HashWords, OneWord};

/// Bytes that differ from each other.
fn bytes<const N: usize>(seed: u64) -> [u8; N] {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    core::array::from_fn(|_| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 32) as u8
    })
}

/// One call of every lane of a kernel, whatever it is.
struct Call<'a, C: Compression> {
    key: &'a C::Key,
    chains: &'a mut [C::Block],
    blocks: &'a [C::Block],
}

impl<C: Compression> HashTask<C> for Call<'_, C> {
    #[inline(always)]
    fn run<K: Kernel<C>>(self, kernel: K) {
        assert_eq!(self.chains.len(), K::LANES);
        let (h, m) = (kernel.load(self.chains), kernel.load(self.blocks));
        // Masks, and ways there and back, are the identity between them.
        let h = kernel.mask(kernel.chains(kernel.xor(h, m)), m);
        let h = kernel.compress(self.key, h, m);
        kernel.store(kernel.words(h), self.chains);
    }
}

/// Every back end gives what `expected` gives, one by one and side by side.
fn agrees<const N: usize, C: Compression<Block = [u8; N]>>(
    expected: impl Fn(&[u8; N], &[u8; N], &[u8; N]) -> [u8; N],
) {
    let mut seen = 0;
    for on in HashBackend::available() {
        for round in 0..8 {
            let key_bytes = bytes(round);
            let key = C::key(&key_bytes);
            let lanes = C::lanes(on);
            assert!((1..=MAX_LANES).contains(&lanes));
            let chains: Vec<[u8; N]> = (0..lanes).map(|i| bytes(100 * round + i as u64)).collect();
            let blocks: Vec<[u8; N]> =
                (0..lanes).map(|i| bytes(9000 + 100 * round + i as u64)).collect();
            let expected: Vec<[u8; N]> =
                chains.iter().zip(&blocks).map(|(h, m)| expected(h, &key_bytes, m)).collect();
            let mut one_by_one = chains.clone();
            for (chain, block) in one_by_one.iter_mut().zip(&blocks) {
                C::one(on, Call { key: &key, chains: from_mut(chain), blocks: from_ref(block) });
            }
            assert_eq!(one_by_one, expected, "{on:?}");
            let mut together = chains.clone();
            C::many(on, Call { key: &key, chains: &mut together, blocks: &blocks });
            assert_eq!(together, expected, "{on:?}, {lanes} lanes");
            seen += 1;
        }
    }
    assert!(seen >= 8);
}

#[test]
fn sha256_is_that_of_sha2() {
    agrees::<32, Sha256>(|chain, key, block| {
        let mut state: [u32; 8] = core::array::from_fn(|i| {
            u32::from_be_bytes(chain[4 * i..4 * i + 4].try_into().expect("as long"))
        });
        let mut whole = [0; 64];
        whole[..32].copy_from_slice(key);
        whole[32..].copy_from_slice(block);
        sha2::block_api::compress256(&mut state, &[whole]);
        let mut out = [0; 32];
        for i in 0..8 {
            out[4 * i..4 * i + 4].copy_from_slice(&state[i].to_be_bytes());
        }
        out
    });
}

#[test]
fn sha512_is_that_of_sha2() {
    agrees::<64, Sha512>(|chain, key, block| {
        let mut state: [u64; 8] = core::array::from_fn(|i| {
            u64::from_be_bytes(chain[8 * i..8 * i + 8].try_into().expect("as long"))
        });
        let mut whole = [0; 128];
        whole[..64].copy_from_slice(key);
        whole[64..].copy_from_slice(block);
        sha2::block_api::compress512(&mut state, &[whole]);
        let mut out = [0; 64];
        for i in 0..8 {
            out[8 * i..8 * i + 8].copy_from_slice(&state[i].to_be_bytes());
        }
        out
    });
}

/// With an offset and a final flag the text is BLAKE2b itself; without them it is what the modes
/// have.
#[test]
fn the_text_of_blake2b_is_that_of_blake2() {
    for length in [1, 64, 127, 128] {
        let message = bytes::<128>(length as u64);
        let mut padded = [0; 128];
        padded[..length].copy_from_slice(&message[..length]);
        let key = <Blake2b as Compression>::key(padded[..64].try_into().expect("as long"));
        let mut h = [0; 64];
        for i in 0..8 {
            let parameters = if i == 0 { 0x0101_0040 } else { 0 };
            h[8 * i..8 * i + 8].copy_from_slice(&(IV[i] ^ parameters).to_le_bytes());
        }
        type V = OneWord<u64, Soft>;
        let state = V::load(false, Soft, &h);
        let block = V::load(false, Soft, &padded[64..]);
        let out = blake2b::compress::<V>(Soft, &key, state, block, length as u64, true);
        V::store(false, out, &mut h);
        assert_eq!(h, *Blake2b512::digest(&message[..length]));
    }
}

#[test]
fn blake2b_is_the_portable_one_on_every_back_end() {
    agrees::<64, Blake2b>(|chain, key, block| {
        let key: KeyWords = Blake2b::key(key);
        let mut out = [0; 64];
        type V = OneWord<u64, Soft>;
        let (h, m) = (V::load(false, Soft, chain), V::load(false, Soft, block));
        V::store(false, blake2b::compress::<V>(Soft, &key, h, m, 0, false), &mut out);
        out
    });
}
