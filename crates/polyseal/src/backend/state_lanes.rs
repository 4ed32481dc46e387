//! What permutations need of vectors of AES blocks, beyond [`Clmul`](super::Clmul).
//!
//! A permutation made of AES rounds works on states of a few *words*, an AES block each. Vectors
//! hold them side by side: vector `k` has word `k` of one state in each lane. In memory the words of
//! a state are neighbours; [`gather`](StateLanes::gather) and [`scatter`](StateLanes::scatter) lead
//! from one order to the other and back.

use super::lanes::Clmul;

/// A vector whose blocks are the same word of different states.
pub trait StateLanes: Clmul {
    /// From memory's order to lanes: of as many states of `W` words as there are lanes, one after
    /// the other, word `k` of state `i` becomes lane `i` of vector `k`.
    fn gather<const W: usize>(x: [Self; W]) -> [Self; W];
    /// The inverse of [`gather`](Self::gather).
    fn scatter<const W: usize>(x: [Self; W]) -> [Self; W];

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
