//! The operations on vectors of AES blocks that permutations need, beyond [`Clmul`](super::Clmul).
//!
//! A permutation made of AES rounds works on states of a few *words*, an AES block each. Vectors
//! hold them side by side: vector `k` has word `k` of one state in each lane. In memory the words
//! of a state are neighbours; [`gather`](StateLanes::gather) and [`scatter`](StateLanes::scatter)
//! lead from one order to the other and back.
//!
//! States of four words may also lie *turned*: with their halves exchanged in every lane with an
//! odd number. Where vectors have four blocks, half the shuffles are saved: words 2 and 3 of a
//! state and 0 and 1 of the next, which two lanes of turned states share, are neighbours in memory.

use super::lanes::Clmul;

/// A vector whose blocks are the same word of different states. With one block, for which the
/// defaults are, memory's order is the lanes', turned or not.
pub trait StateLanes: Clmul {
    /// From memory's order to lanes: of as many states of `W` words as there are lanes, one after
    /// the other, word `k` of state `i` becomes lane `i` of vector `k`.
    #[inline(always)]
    fn gather<const W: usize>(x: [Self; W]) -> [Self; W] {
        const { assert!(Self::BLOCKS == 1) };
        x
    }

    /// The inverse of [`gather`](Self::gather).
    #[inline(always)]
    fn scatter<const W: usize>(x: [Self; W]) -> [Self; W] {
        const { assert!(Self::BLOCKS == 1) };
        x
    }

    /// From memory to turned lanes.
    #[inline(always)]
    fn load_turned(isa: Self::Isa, source: &[u8]) -> [Self; 4] {
        const { assert!(Self::BLOCKS == 1) };
        let mut x = [Self::load(isa, &source[..Self::BYTES]); 4];
        for k in 1..4 {
            x[k] = Self::load(isa, &source[k * Self::BYTES..(k + 1) * Self::BYTES]);
        }
        x
    }

    /// The inverse of [`load_turned`](Self::load_turned).
    #[inline(always)]
    fn store_turned(x: [Self; 4], target: &mut [u8]) {
        const { assert!(Self::BLOCKS == 1) };
        for k in 0..4 {
            x[k].store(&mut target[k * Self::BYTES..(k + 1) * Self::BYTES]);
        }
    }

    /// The blocks in lanes with odd numbers, exchanged.
    #[inline(always)]
    fn exchange_odd(a: Self, b: Self) -> (Self, Self) {
        const { assert!(Self::BLOCKS == 1) };
        (a, b)
    }

    /// Each block two bytes further back, and before it the last two of `before`'s.
    fn shift_in(self, before: Self) -> Self;

    /// From lanes to turned lanes, and from those back.
    #[inline(always)]
    fn turn<const W: usize>(mut x: [Self; W]) -> [Self; W] {
        for k in 0..W / 2 {
            (x[k], x[k + W / 2]) = Self::exchange_odd(x[k], x[k + W / 2]);
        }
        x
    }

    /// [`aes_rounds`](super::Lanes::aes_rounds) of `M` arrays at once.
    #[inline(always)]
    fn aes_rounds_of<const N: usize, const M: usize>(
        mut x: [[Self; N]; M],
        round_keys: [[Self; N]; M],
    ) -> [[Self; N]; M] {
        for m in 0..M {
            x[m] = Self::aes_rounds(x[m], round_keys[m]);
        }
        x
    }

    /// [`aes_last_rounds`](Clmul::aes_last_rounds) of `M` arrays at once.
    #[inline(always)]
    fn aes_last_rounds_of<const N: usize, const M: usize>(
        mut x: [[Self; N]; M],
        round_keys: [[Self; N]; M],
    ) -> [[Self; N]; M] {
        for m in 0..M {
            x[m] = Self::aes_last_rounds(x[m], round_keys[m]);
        }
        x
    }

    /// A round of the equivalent inverse cipher (FIPS 197, 5.3.5),
    /// `InvMixColumns(InvSubBytes(InvShiftRows(x[i]))) ⊕ round_keys[i]` for every `i`.
    fn aes_inverse_rounds<const N: usize>(x: [Self; N], round_keys: [Self; N]) -> [Self; N];
    /// Its last round, `InvSubBytes(InvShiftRows(x[i])) ⊕ round_keys[i]` for every `i`.
    fn aes_inverse_last_rounds<const N: usize>(x: [Self; N], round_keys: [Self; N]) -> [Self; N];
}
