//! What permutations need of vectors of AES blocks, beyond [`Clmul`](super::Clmul).
//!
//! A permutation made of AES rounds works on states of a few *words*, an AES block each. Vectors
//! hold them side by side: vector `k` has word `k` of one state in each lane. In memory the words of
//! a state are neighbours; [`gather`](StateLanes::gather) and [`scatter`](StateLanes::scatter) lead
//! from one order to the other and back.
//!
//! States of four words may also lie *turned*: with their halves exchanged in every lane with an odd
//! number. Where vectors have four blocks, half the shuffles are saved: words 2 and 3 of a state and
//! 0 and 1 of the next, which two lanes of turned states share, are neighbours in memory.

use super::lanes::Clmul;

/// A vector whose blocks are the same word of different states.
pub trait StateLanes: Clmul {
    /// From memory's order to lanes: of as many states of `W` words as there are lanes, one after
    /// the other, word `k` of state `i` becomes lane `i` of vector `k`.
    fn gather<const W: usize>(x: [Self; W]) -> [Self; W];
    /// The inverse of [`gather`](Self::gather).
    fn scatter<const W: usize>(x: [Self; W]) -> [Self; W];

    /// From memory to turned lanes.
    fn load_turned(isa: Self::Isa, source: &[u8]) -> [Self; 4];
    /// The inverse of [`load_turned`](Self::load_turned).
    fn store_turned(x: [Self; 4], target: &mut [u8]);
    /// The blocks in lanes with odd numbers, exchanged.
    fn exchange_odd(a: Self, b: Self) -> (Self, Self);

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

/// Four vectors, one after the other.
#[inline(always)]
pub(super) fn load4<L: StateLanes>(isa: L::Isa, source: &[u8]) -> [L; 4] {
    let mut x = [L::load(isa, &source[..L::BYTES]); 4];
    for k in 1..4 {
        x[k] = L::load(isa, &source[k * L::BYTES..(k + 1) * L::BYTES]);
    }
    x
}

/// The inverse of [`load4`].
#[inline(always)]
pub(super) fn store4<L: StateLanes>(x: [L; 4], target: &mut [u8]) {
    for k in 0..4 {
        x[k].store(&mut target[k * L::BYTES..(k + 1) * L::BYTES]);
    }
}
