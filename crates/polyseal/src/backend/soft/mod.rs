//! The portable back end: constant-time AES rounds without tables, on any CPU.
//!
//! A vector is one block, an integer; rounds are bitsliced eight blocks at a time
//! ([`bitslice`]). No branch and no index depends on data. Wider vectors are
//! [`Wide`](super::lanes::Wide).

mod bitslice;
mod clmul;
mod plane;
mod state_lanes;

#[cfg(target_arch = "x86_64")]
pub(super) use clmul::product;

use super::KeyedTask;
use super::cpu::Soft;
use super::lanes::{Isa, Lanes, Outlined, Wide};
use super::planes;
use super::words::Word;

impl Isa for Soft {
    type X1 = Block;
    type X2 = Wide<Block, 2>;
    type X4 = Wide<Block, 4>;
    type Register = Block;
    type Words = Word<Self>;

    const REGISTER_BLOCKS: usize = 1;
    const REGISTERS: usize = 8;
    const ROUNDS_ARE_CALLS: bool = true;

    #[inline(always)]
    fn enter<K, N, T>(self, key: K, nonce: N, task: T) -> T::Output
    where
        T: KeyedTask<K, N>,
    {
        entry(self, key, nonce, task)
    }

    #[inline(never)]
    fn call_outlined<P: Outlined<Self>>(self, part: P) -> P::Output {
        part.run(self)
    }
}

/// Kept apart from its callers, whose stack frames it would fill.
#[inline(never)]
pub(super) fn entry<K, N, T>(isa: Soft, key: K, nonce: N, task: T) -> T::Output
where
    T: KeyedTask<K, N>,
{
    task.run_keyed(isa, key, nonce)
}

/// An AES block as a little-endian integer.
#[derive(Clone, Copy)]
pub struct Block(u128);

impl Lanes for Block {
    type Isa = Soft;
    type X1 = Self;

    const BLOCKS: usize = 1;

    #[inline(always)]
    fn load(_: Soft, source: &[u8]) -> Self {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(source);
        Self(u128::from_le_bytes(bytes))
    }

    #[inline(never)]
    fn load_partial(_: Soft, source: &[u8]) -> Self {
        let mut bytes = [0; 16];
        bytes[..source.len()].copy_from_slice(source);
        Self(u128::from_le_bytes(bytes))
    }

    #[inline(always)]
    fn broadcast(isa: Soft, block: &[u8]) -> Self {
        Self::load(isa, block)
    }

    #[inline(always)]
    fn store(self, target: &mut [u8]) {
        assert!(target.len() == 16);
        target.copy_from_slice(&self.0.to_le_bytes());
    }

    #[inline(never)]
    fn store_partial(self, target: &mut [u8]) {
        target.copy_from_slice(&self.0.to_le_bytes()[..target.len()]);
    }

    #[inline(always)]
    fn truncate(self, bytes: usize) -> Self {
        // CT: the length is public.
        Self(if bytes >= 16 { self.0 } else { self.0 & ((1 << (8 * bytes)) - 1) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[inline(always)]
    fn first_block(self) -> Self {
        self
    }

    #[inline(always)]
    fn xor_blocks(self) -> Self {
        self
    }

    #[inline(always)]
    fn aes_rounds<const N: usize>(x: [Self; N], mut round_keys: [Self; N]) -> [Self; N] {
        Self::bitsliced(&x, &mut round_keys, bitslice::aes_rounds_without_key);
        round_keys
    }
}

impl Block {
    /// Whole AES, eight blocks at a time.
    #[inline(never)]
    fn encrypted(x: &mut [Self], round_keys: &[[u8; 16]]) {
        let load = |key: &[u8; 16]| u128::from_le_bytes(*key);
        for x in x.chunks_mut(8) {
            let mut blocks = [0; 8];
            for (block, x) in blocks.iter_mut().zip(&*x) {
                *block = x.0;
            }
            let blocks = planes::encrypt(blocks, round_keys, load);
            for (x, block) in x.iter_mut().zip(blocks) {
                x.0 = block;
            }
        }
    }

    /// A round on eight blocks at a time, added to what `out` holds: the round keys.
    #[inline(never)]
    fn bitsliced(x: &[Self], out: &mut [Self], round: fn(&mut [u128; 8])) {
        let (x, x_rest) = x.as_chunks::<8>();
        let (out, out_rest) = out.as_chunks_mut::<8>();
        for (out, x) in out.iter_mut().zip(x) {
            Self::add_round(x, out, round);
        }
        if !x_rest.is_empty() {
            let mut padded = [Self(0); 8];
            padded[..x_rest.len()].copy_from_slice(x_rest);
            Self::add_round(&padded, out_rest, round);
        }
    }

    #[inline(always)]
    fn add_round(x: &[Self; 8], out: &mut [Self], round: fn(&mut [u128; 8])) {
        let mut blocks = x.map(|block| block.0);
        round(&mut blocks);
        for (out, block) in out.iter_mut().zip(blocks) {
            out.0 ^= block;
        }
    }
}
