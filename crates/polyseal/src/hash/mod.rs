//! Compression functions for modes that key them: SHA-256, SHA-512 and BLAKE2b.
//!
//! Source: FIPS 180-4 and RFC 7693. Claim: a compression function without a key has none; a mode that
//! keys it says so itself. The first half of every block is a key's, so that what depends on it alone
//! is computed once.
//!
//! Each function's text stands once, over vectors of words: one input or several side by side. Single
//! inputs have instructions of their own or an order of their own in vectors, where that is faster. No
//! call is inlined into a mode: a function is compiled once for every set of instructions.
//!
//! What it does not give: the hash functions.

mod blake2b;
#[cfg(target_arch = "x86_64")]
mod schedule;
mod sha2;
mod sha256;
mod sha512;
#[cfg(test)]
mod tests;
mod text;

pub use blake2b::Blake2b;
pub use sha256::Sha256;
pub use sha512::Sha512;

use zeroize::Zeroize;

use crate::backend::hashes::HashBackend;

/// The most chaining values side by side.
pub(crate) const MAX_LANES: usize = 16;

/// A compression function whose block begins with a key, as long as the chaining value.
pub trait Compression: Copy + Send + Sync + 'static {
    /// A chaining value, a key, or the rest of a block: half a block of bytes.
    type Block: Copy + AsRef<[u8]> + AsMut<[u8]> + Zeroize + Send + Sync;
    /// A key, with all that depends on it alone.
    type Key: Clone + Zeroize + Send + Sync;

    /// Zeros.
    const ZERO: Self::Block;
    /// x^(8·BYTES) in the field of as many bits, modulo its polynomial: the last two bytes.
    const REDUCTION: [u8; 2];

    /// The key of these bytes.
    fn key(bytes: &Self::Block) -> Self::Key;
    /// F′(`chain`, key ‖ `block`), in place of `chain`.
    fn compress(on: HashBackend, key: &Self::Key, chain: &mut Self::Block, block: &Self::Block);
    /// How many chaining values [`compress_many`](Self::compress_many) takes.
    fn lanes(on: HashBackend) -> usize;
    /// The same for exactly [`lanes`](Self::lanes) chaining values, each with its block.
    fn compress_many(
        on: HashBackend,
        key: &Self::Key,
        chains: &mut [Self::Block],
        blocks: &[Self::Block],
    );
}
