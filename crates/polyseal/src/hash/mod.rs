//! Compression functions for modes that key them: SHA-256, SHA-512 and BLAKE2b.
//!
//! Source: FIPS 180-4 and RFC 7693. Claim: a compression function without a key has none; a mode
//! that keys it says so itself. The first half of every block is a key's, so that what depends on
//! it alone is computed once.
//!
//! Each function's text stands once, over vectors of words: one input or several side by side.
//! Single inputs have instructions of their own or an order of their own in vectors, where that is
//! faster. A mode brings its loop of calls as a [`HashTask`], which is compiled once for every set
//! of instructions, with the chaining value in registers from call to call.
//!
//! It does not give the hash functions.

mod blake2b;
#[cfg(target_arch = "x86_64")]
mod blake2b_single;
mod instruction_kernel;
mod sha2;
mod sha256;
mod sha512;
#[cfg(target_arch = "x86_64")]
mod sha512_single;
#[cfg(test)]
mod tests;
mod vector_kernel;

pub use blake2b::Blake2b;
pub use sha256::Sha256;
pub use sha512::Sha512;

use core::marker::PhantomData;

use zeroize::Zeroize;

use crate::backend::hashes::{EnteredTask, HashBackend};

/// The most inputs side by side.
pub(crate) const MAX_LANES: usize = 16;

/// Half a block: a chaining value, a key, or the rest of a block.
pub trait Block: Copy + AsRef<[u8]> + AsMut<[u8]> + Zeroize + Send + Sync {
    /// Their bytes, one after the other.
    fn flat(blocks: &[Self]) -> &[u8];
    /// The same, to be written.
    fn flat_mut(blocks: &mut [Self]) -> &mut [u8];
}

impl<const N: usize> Block for [u8; N]
where
    Self: Zeroize,
{
    #[inline(always)]
    fn flat(blocks: &[Self]) -> &[u8] {
        blocks.as_flattened()
    }

    #[inline(always)]
    fn flat_mut(blocks: &mut [Self]) -> &mut [u8] {
        blocks.as_flattened_mut()
    }
}

/// A compression function whose block begins with a key, as long as the chaining value.
pub trait Compression: Copy + Send + Sync + 'static {
    /// A chaining value, a key, or the rest of a block.
    type Block: Block;
    /// A key, with all that depends on it alone.
    type Key: Clone + Zeroize + Send + Sync;

    /// Zeros.
    const ZERO: Self::Block;
    /// x^(8n) modulo the polynomial of the field of 8n bits, n the bytes of a chaining value: its
    /// last two bytes.
    const REDUCTION: [u8; 2];

    /// The key of these bytes.
    fn key(bytes: &Self::Block) -> Self::Key;
    /// Does `job` with the fastest kernel of one input.
    fn one<J: HashTask<Self>>(on: HashBackend, job: J);
    /// How many inputs the kernel of [`many`](Self::many) has.
    fn lanes(on: HashBackend) -> usize;
    /// Does `job` with the fastest kernel of several inputs.
    fn many<J: HashTask<Self>>(on: HashBackend, job: J);
}

/// A compression function in a set of instructions, of one input or of several side by side.
///
/// Chaining values stay in the registers from one call to the next, in the order that the calls
/// need.
pub trait Kernel<C: Compression>: Copy {
    /// Chaining values.
    type Chains: Copy;
    /// The rests of blocks.
    type Words: Copy;

    /// How many inputs it has.
    const LANES: usize;

    /// The rests of [`LANES`](Self::LANES) blocks.
    fn load(self, blocks: &[C::Block]) -> Self::Words;
    /// The inverse of [`load`](Self::load).
    fn store(self, words: Self::Words, blocks: &mut [C::Block]);
    /// Exclusive or.
    fn xor(self, x: Self::Words, y: Self::Words) -> Self::Words;
    /// The chaining values with these words.
    fn chains(self, words: Self::Words) -> Self::Chains;
    /// The inverse of [`chains`](Self::chains).
    fn words(self, chains: Self::Chains) -> Self::Words;
    /// Chaining values, exclusive or these words.
    fn mask(self, chains: Self::Chains, words: Self::Words) -> Self::Chains;
    /// F′(`chains`, `key` ‖ `words`).
    fn compress(self, key: &C::Key, chains: Self::Chains, words: Self::Words) -> Self::Chains;
}

/// Calls of a compression function that follow each other.
pub trait HashTask<C: Compression> {
    /// The calls: compiled with the kernel's target features if it is `#[inline(always)]`.
    fn run<K: Kernel<C>>(self, kernel: K);
}

/// A job for a kernel.
pub(crate) struct KernelJob<C, K, J> {
    pub(crate) kernel: K,
    pub(crate) job: J,
    pub(crate) of: PhantomData<C>,
}

impl<C: Compression, K: Kernel<C>, J: HashTask<C>> EnteredTask for KernelJob<C, K, J> {
    #[inline(always)]
    fn run(self) {
        self.job.run(self.kernel);
    }
}
