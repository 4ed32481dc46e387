//! The hash (section 3): PRF, a sponge over Areion-512, and H, POLYVAL under two keys.

use super::{BLOCK, Block};
use crate::backend::{Isa, Lanes, wipe};
use crate::perm::{Areion512, Permutation, States};
use crate::polyval::{Product, multiply};

/// A state of Areion-512 in registers.
type Wide<I> = <Areion512 as Permutation>::SingleState<I>;

/// The bytes of a state: rate and capacity, a block each.
const STATE: usize = 2 * BLOCK;

/// How many blocks of 16 bytes H takes at most: a hidden nonce's two, and three behind them.
const MOST_BLOCKS: usize = 5;
/// The most bytes that H takes.
pub(super) const MOST_BYTES: usize = 16 * MOST_BLOCKS;

/// The bytes that tell inputs apart.
pub(super) mod code {
    pub(super) const KEYED: u8 = 0xd0;
    pub(super) const FOR_E: u8 = 0xf0;
    pub(super) const FOR_H: u8 = 0xf1;
    pub(in super::super) const TINY: u8 = 0xf2;
    pub(in super::super) const WHOLE: u8 = 0xf3;
    pub(in super::super) const TAIL: u8 = 0xf4;
    /// Behind what has any length.
    pub(in super::super) const END: u8 = 0xff;
}

/// Areion-512 without its last rotation of words.
#[inline(always)]
fn permute<I: Isa>(isa: I, state: Wide<I>) -> Wide<I> {
    let [y] = Wide::<I>::permute(isa, [state]);
    y.after(16).xor(y.left(16).right(STATE - 16))
}

/// PRF under way.
struct Sponge<I: Isa> {
    isa: I,
    state: Wide<I>,
}

impl<I: Isa> Sponge<I> {
    #[inline(always)]
    fn absorb(&mut self, block: Wide<I>) {
        self.state = permute(self.isa, self.state.xor(block));
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) {
        permute(self.isa, self.state).store_partial(output);
    }
}

/// The keys of PRF and H.
pub(super) struct Hash {
    /// PRF's state once it has the key.
    start: [u8; STATE],
    /// The powers of H's two keys, from the highest to the first.
    powers: [[[u8; 16]; 2]; MOST_BLOCKS],
}

impl Hash {
    /// Without a key.
    pub(super) const EMPTY: Self = Self { start: [0; STATE], powers: [[[0; 16]; 2]; MOST_BLOCKS] };

    /// Those of `key`; writes KE.
    #[inline(always)]
    pub(super) fn fill<I: Isa>(&mut self, isa: I, key: &[u8], ke: &mut Block) {
        self.start[..BLOCK].copy_from_slice(key);
        self.start[BLOCK] = code::KEYED;
        permute(isa, Wide::<I>::load(isa, &self.start)).store(&mut self.start);
        let mut kh = [0; BLOCK];
        for (purpose, key) in [(code::FOR_E, ke), (code::FOR_H, &mut kh)] {
            let mut sponge = self.sponge(isa);
            sponge.absorb(Wide::<I>::load_partial(isa, &[purpose, code::END]));
            sponge.finish(key);
        }
        for (i, h) in kh.chunks_exact(16).enumerate() {
            let h = I::X1::load(isa, h);
            let mut power = h;
            for powers in self.powers.iter_mut().rev() {
                power.store(&mut powers[i]);
                power = multiply(isa, power, h);
            }
        }
        wipe(&mut kh);
    }

    #[inline(always)]
    fn sponge<I: Isa>(&self, isa: I) -> Sponge<I> {
        Sponge { isa, state: Wide::<I>::load(isa, &self.start) }
    }

    /// H of whole blocks of 16 bytes, at most [`MOST_BYTES`] bytes.
    #[inline(always)]
    pub(super) fn inner_tag<I: Isa>(&self, isa: I, x: &[u8]) -> Block {
        let mut sums = [Product::zero(isa); 2];
        // CT: lengths are public.
        let powers = &self.powers[MOST_BLOCKS - x.len() / 16..];
        for (block, powers) in x.chunks_exact(16).zip(powers) {
            let block = I::X1::load(isa, block);
            for i in 0..2 {
                sums[i].add(block, I::X1::load(isa, &powers[i]));
            }
        }
        let mut u = [0; BLOCK];
        sums[0].reduce().store(&mut u[..16]);
        sums[1].reduce().store(&mut u[16..]);
        u
    }

    /// The tag of an inner tag and associated data, and of a nonce that is public.
    #[inline(always)]
    pub(super) fn tag<I: Isa>(&self, isa: I, u: &Block, ad: &[u8], public: &[u8], tag: &mut [u8]) {
        let mut sponge = self.sponge(isa);
        let mut u = Wide::<I>::load_partial(isa, u);
        let mut blocks = ad.chunks_exact(BLOCK);
        for block in &mut blocks {
            sponge.absorb(Wide::<I>::load_partial(isa, block).xor(u));
            u = Wide::<I>::load_partial(isa, &[]);
        }
        let rest = blocks.remainder();
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()] = code::END;
        sponge.absorb(Wide::<I>::load_partial(isa, &last).xor(u));
        if !public.is_empty() {
            sponge.absorb(Wide::<I>::load_partial(isa, public));
        }
        sponge.finish(tag);
    }

    pub(super) fn wipe(&mut self) {
        wipe(&mut self.start);
        wipe(self.powers.as_flattened_mut().as_flattened_mut());
    }
}
